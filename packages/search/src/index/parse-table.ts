// Parses the table of a segment's file in pieces: with thousands of fields it is megabytes of JSON, which would block the event loop.
import type { FieldMeta } from './segment-data.ts';
import type { StoredSection, Table } from './segment-file.ts';

/** Bytes of a list's elements that are parsed at once. */
const PIECE = 16 << 10;

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
/** Brackets and braces, which differ by one bit. */
const isOpen = (byte: number): boolean => (byte & 0xdf) === 0x5b;
const isClose = (byte: number): boolean => (byte & 0xdf) === 0x5d;

/** Parses a table whose checksum was proven. */
export function* parseTable(bytes: Uint8Array): Generator<void, Table> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const fields: FieldMeta[] = [];
  const sections: StoredSection[] = [];
  const rest: Buffer[] = [];
  let from = 0;
  for (const [name, list] of [
    ['fields', fields],
    ['sections', sections],
  ] as const) {
    // Within a string its quotes would be escaped.
    const key = `"${name}":[`;
    const start = text.indexOf(key, from) + key.length;
    rest.push(text.subarray(from, start));
    from = yield* parseList(text, start, list);
  }
  rest.push(text.subarray(from));
  const { meta } = JSON.parse(Buffer.concat(rest).toString()) as Table;
  return { meta: { ...meta, fields }, sections };
}

/** Parses the elements of a list up to the bracket that ends it; answers where that is. */
function* parseList(text: Buffer, start: number, into: unknown[]): Generator<void, number> {
  let from = start;
  let depth = 0;
  const take = (end: number): void => {
    into.push(...(JSON.parse(`[${text.toString('utf8', from, end)}]`) as unknown[]));
    from = end + 1;
  };
  for (let at = start; at < text.length; at++) {
    const byte = text[at]!;
    if (byte === QUOTE) at = endOfString(text, at);
    else if (isOpen(byte)) depth++;
    else if (isClose(byte)) {
      if (depth === 0) {
        take(at);
        return at;
      }
      depth--;
    } else if (byte === COMMA && depth === 0 && at - from >= PIECE) {
      take(at);
      yield;
    }
  }
  throw new SyntaxError('A list of the table has no end.');
}

function endOfString(text: Buffer, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}
