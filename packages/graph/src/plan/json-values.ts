// JSON values in the text of a response: clients choose the names of their members, so what is looked for by response key
// is looked for outside of them.

const BRACKET_OR_STRING = /[[\]{}]|"(?:[^"\\]|\\.)*"/gs;

/** Matches a response key and its colon. Inside of a JSON string there is a backslash between a key and its quote. */
export function patternOfKeys(keys: Iterable<string>): string {
  return `"(?:${[...keys].join('|')})":\\s*`;
}

/** The end of an object or list that begins at a place; of another value, the place itself. */
export function endOfValue(text: string, start: number): number {
  if (text[start] !== '{' && text[start] !== '[') return start;
  BRACKET_OR_STRING.lastIndex = start;
  let depth = 0;
  for (let match = BRACKET_OR_STRING.exec(text); match !== null; match = BRACKET_OR_STRING.exec(text)) {
    if (match[0] === '{' || match[0] === '[') depth++;
    else if ((match[0] === '}' || match[0] === ']') && --depth === 0) return BRACKET_OR_STRING.lastIndex;
  }
  return text.length;
}

/** The text with `{}` in place of JSON values of some keys, except those that begin otherwise. */
export function withoutValues(text: string, keys: Iterable<string>, except: string): string {
  const pattern = new RegExp(patternOfKeys(keys), 'g');
  let shown = '';
  let end = 0;
  while (pattern.exec(text) !== null) {
    const start = pattern.lastIndex;
    const after = text.startsWith(except, start) ? start : endOfValue(text, start);
    if (after === start) continue;
    shown += `${text.slice(end, start)}{}`;
    pattern.lastIndex = end = after;
  }
  return shown + text.slice(end);
}
