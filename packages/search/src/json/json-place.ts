// Where in a JSON text a member stands, as line and column: readers of Elasticsearch's errors look there.

const decoder = new TextDecoder();

/**
 * The place of a member's name, or of its value, as `[line:column]`; of the text's beginning for an empty path. Texts that are not at hand
 * begin at 1:1.
 */
export function placeOf(source: Uint8Array | undefined, path: readonly string[], isValue = false): string {
  const text = source === undefined ? '' : decoder.decode(source);
  const { line, col } = lineAndColumn(text, offsetOf(text, path, isValue));
  return `[${line}:${col}]`;
}

/** Line and column of a character, from 1. */
export function lineAndColumn(text: string, at: number): { readonly line: number; readonly col: number } {
  const before = text.slice(0, at);
  return { line: before.split('\n').length, col: at - before.lastIndexOf('\n') };
}

/** Line and column of a member's name in a body; 1:1 where the body is not at hand. */
export function memberPlace(
  source: Uint8Array | undefined,
  path: readonly string[],
): { readonly line: number; readonly col: number } {
  const text = source === undefined ? '' : decoder.decode(source);
  return lineAndColumn(text, offsetOf(text, path, false));
}

function offsetOf(text: string, path: readonly string[], isValue: boolean): number {
  if (path.length === 0) return Math.max(0, text.search(/\S/));
  let depth = 0;
  let found = 0;
  for (const match of text.matchAll(/"((?:[^"\\]|\\.)*)"(\s*:\s*)?|[{}[\]]/g)) {
    const [token, name, colon] = match;
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    else if (colon !== undefined && name === path[found] && depth === found + 1) {
      found++;
      if (found === path.length) return isValue ? match.index + token.length : match.index;
    }
  }
  return 0;
}
