// Finds the line of a key in a configuration file, so that problems show as file:line. It tokenizes strings, comments,
// brackets and `key:` only; a configuration computed by code may have no such line.

/**
 * Finds the line (from 1) of a key in the source of a configuration.
 *
 * @param keys keys and list indexes from the outside in
 * @returns the line of the deepest key on the path that is written out; undefined if not even the first is
 */
export function locateKey(source: string, keys: readonly (string | number)[]): number | undefined {
  const tokens = tokenize(source);
  const start = findStart(tokens);
  if (start === undefined) return undefined;
  let found: number | undefined;
  let at = start;
  for (const key of keys) {
    const next = typeof key === 'number' ? findItem(tokens, at, key) : findKey(tokens, at, key);
    if (next === undefined) return found;
    found = tokens[next.label]!.line;
    at = next.value;
  }
  return found;
}

interface Token {
  readonly text: string;
  readonly line: number;
}

const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|[\w$]+|[^\s\w$]|\n/g;

function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  for (const [text] of source.matchAll(TOKEN)) {
    if (text !== '\n' && !text.startsWith('//') && !text.startsWith('/*')) tokens.push({ text, line });
    for (const character of text) if (character === '\n') line += 1;
  }
  return tokens;
}

/** Start of the configuration object: the first `{` after `export default`, or else after `defineConfig`. */
function findStart(tokens: readonly Token[]): number | undefined {
  let from = tokens.findIndex((token, index) => token.text === 'export' && tokens[index + 1]?.text === 'default');
  if (from === -1) return undefined;
  const call = tokens.findLastIndex((token, index) => token.text === 'defineConfig' && tokens[index + 1]?.text === '(');
  const direct = tokens[from + 2]?.text;
  if (direct !== '{' && direct !== 'defineConfig' && call !== -1) from = call;
  const open = tokens.findIndex((token, index) => index > from && token.text === '{');
  return open === -1 ? undefined : open;
}

/** Calls `visit` for each token directly inside the bracket at `open`. */
function walk(tokens: readonly Token[], open: number, visit: (index: number) => boolean): void {
  let depth = 0;
  for (let index = open; index < tokens.length; index++) {
    const { text } = tokens[index]!;
    if (depth === 1 && visit(index)) return;
    if (text === '{' || text === '[' || text === '(') depth += 1;
    else if (text === '}' || text === ']' || text === ')') {
      depth -= 1;
      if (depth === 0) return;
    }
  }
}

interface Place {
  readonly label: number;
  readonly value: number;
}

function findKey(tokens: readonly Token[], open: number, key: string): Place | undefined {
  if (tokens[open]?.text !== '{') return undefined;
  let place: Place | undefined;
  walk(tokens, open, (index) => {
    const { text } = tokens[index]!;
    const previous = tokens[index - 1]?.text;
    const next = tokens[index + 1]?.text;
    const named = text === key || text === `'${key}'` || text === `"${key}"`;
    if (named && (previous === '{' || previous === ',' || previous === 'async') && next !== undefined)
      place = { label: index, value: next === ':' ? index + 2 : index };
    return place !== undefined;
  });
  return place;
}

function findItem(tokens: readonly Token[], open: number, position: number): Place | undefined {
  if (tokens[open]?.text !== '[') return undefined;
  let remaining = position;
  let place: Place | undefined;
  walk(tokens, open, (index) => {
    if (tokens[index]!.text === ']') return true;
    if (remaining === 0) place = { label: index, value: index };
    else if (tokens[index]!.text === ',') remaining -= 1;
    return place !== undefined;
  });
  return place;
}
