// Splits a stream of text into JSON values and holds only one of them at a time: the elements of one array, or
// consecutive values (one a line, as in NDJSON, or spread over several). The caller parses the values.

/** One value as text, and the line where it starts. */
export interface JsonPiece {
  readonly line: number;
  readonly text: string;
}

/** A larger value is a file without structure, not a row; holding it would only fill the memory. */
const LARGEST_VALUE = 16 * 1024 * 1024;

/**
 * Splits text into values.
 *
 * @param layout `array`: the elements of one array; `lines`: every non-blank line is a value
 * @throws Error if an array does not begin or end, or a value is larger than 16 MiB
 */
export async function* splitJson(chunks: AsyncIterable<string>, layout: 'array' | 'lines'): AsyncGenerator<JsonPiece> {
  const cutter = layout === 'array' ? createArrayCutter() : createLineCutter();
  for await (const chunk of chunks) yield* cutter.push(chunk);
  yield* cutter.end();
}

interface Cutter {
  push(chunk: string): Iterable<JsonPiece>;
  end(): Iterable<JsonPiece>;
}

function createLineCutter(): Cutter {
  let rest = '';
  let line = 1;
  return {
    *push(chunk) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      checkSize(rest.length, line);
      for (const text of lines) {
        if (text.trim() !== '') yield { line, text };
        line += 1;
      }
    },
    *end() {
      if (rest.trim() !== '') yield { line, text: rest };
    },
  };
}

/** Tracks strings and brackets only; the parser checks the rest. */
function createArrayCutter(): Cutter {
  let state: 'before' | 'inside' | 'after' = 'before';
  let held = '';
  let heldLine = 1;
  let line = 1;
  let depth = 0;
  let inString = false;
  let escaped = false;
  return {
    *push(chunk) {
      let from = 0;
      for (let index = 0; index < chunk.length; index++) {
        const code = chunk.charCodeAt(index);
        if (code === 10) line += 1;
        if (inString) {
          if (escaped) escaped = false;
          else if (code === 92) escaped = true;
          else if (code === 34) inString = false;
          continue;
        }
        if (state !== 'inside') {
          if (code <= 32 || code === 0xfeff) continue;
          if (state === 'after') throw new Error(`line ${line}: there is text after the end of the array`);
          if (code !== 91) throw new Error(`line ${line}: a JSON array must begin with "["`);
          state = 'inside';
          from = index + 1;
          heldLine = line;
        } else if (code === 34) inString = true;
        else if (code === 91 || code === 123) depth += 1;
        else if (depth > 0 && (code === 93 || code === 125)) depth -= 1;
        else if (depth === 0 && (code === 44 || code === 93)) {
          const text = held + chunk.slice(from, index);
          held = '';
          from = index + 1;
          if (text.trim() !== '' || code === 44) yield { line: heldLine + leadingLines(text), text: text.trim() };
          heldLine = line;
          if (code === 93) state = 'after';
        }
      }
      if (state === 'inside') held += chunk.slice(from);
      checkSize(held.length, heldLine);
    },
    end() {
      if (state === 'before') throw new Error('the file is empty');
      if (state === 'inside') throw new Error(`line ${line}: the array does not end with "]"; the file is cut off`);
      return [];
    },
  };
}

function leadingLines(text: string): number {
  return text.slice(0, text.length - text.trimStart().length).split('\n').length - 1;
}

function checkSize(length: number, line: number): void {
  if (length > LARGEST_VALUE) throw new Error(`line ${line}: a single value is larger than 16 MiB`);
}
