// Reads rows of a file one at a time: NDJSON, a JSON array, CSV or TSV, each optionally compressed as .gz. A row that
// cannot be read is reported with its line and reason, and reading continues.
import { createReadStream, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { codeOf, hasMembers, reasonOf, toError } from '@lockstitch/kernel';

import { serverErrors } from '../errors.ts';
import { splitJson } from './split-json.ts';

export type RowFormat = 'ndjson' | 'json' | 'csv' | 'tsv';

/** A row, or the reason why a line has none. CSV values are strings. */
export type RawRow =
  | { readonly kind: 'row'; readonly line: number; readonly value: Readonly<Record<string, unknown>> }
  | { readonly kind: 'bad'; readonly line: number; readonly reason: string };

export interface RowFile {
  readonly format: RowFormat;
  /** Size on disk in bytes. */
  readonly size: number;
  /** Bytes of the file read so far; ahead of the rows by a buffer. */
  bytesRead(): number;
  rows(): AsyncGenerator<RawRow>;
}

const BY_ENDING: Readonly<Record<string, RowFormat>> = {
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
  csv: 'csv',
  tsv: 'tsv',
};

/**
 * Opens a file of rows.
 *
 * @param format by default from the file's name, or else from its first character
 * @throws ProductError SERVER_IMPORT_UNREADABLE, here or while rows are read
 */
export async function openRows(file: string, format?: RowFormat): Promise<RowFile> {
  const unreadable = (error: unknown): Error =>
    serverErrors.create(
      'SERVER_IMPORT_UNREADABLE',
      { file, reason: REASONS.get(codeOf(error)) ?? reasonOf(error) },
      { cause: error },
    );
  let size: number;
  let packed: boolean;
  let chosen: RowFormat;
  try {
    const stats = statSync(file);
    if (!stats.isFile()) throw new Error('it is no file.');
    size = stats.size;
    const start = await readStart(file);
    packed = start[0] === 0x1f && start[1] === 0x8b;
    chosen = format ?? (await guessFormat(file, packed));
  } catch (error) {
    throw unreadable(error);
  }
  let bytes = 0;
  return {
    format: chosen,
    size,
    bytesRead: () => bytes,
    async *rows() {
      const source = createReadStream(file);
      source.on('data', (piece) => (bytes += piece.length));
      try {
        const text = decode(packed ? source.pipe(forwardErrors(source, createGunzip())) : source);
        yield* chosen === 'csv' || chosen === 'tsv' ? readCsv(text, chosen) : readJson(text, chosen);
      } catch (error) {
        throw unreadable(error);
      } finally {
        source.destroy();
      }
    },
  };
}

type ByteStream = AsyncIterable<Uint8Array>;

function forwardErrors<Target extends { destroy(error: Error): unknown }>(
  source: { on(event: 'error', listener: (error: Error) => void): unknown },
  target: Target,
): Target {
  source.on('error', (error) => target.destroy(error));
  return target;
}

/** Strict UTF-8: a file in another encoding is rejected instead of imported with wrong letters. */
async function* decode(bytes: ByteStream): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const piece of bytes) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}

async function* readJson(text: AsyncIterable<string>, format: 'json' | 'ndjson'): AsyncGenerator<RawRow> {
  for await (const piece of splitJson(text, format === 'json' ? 'array' : 'lines'))
    yield parseJsonRow(piece.line, piece.text);
}

function parseJsonRow(line: number, text: string): RawRow {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { kind: 'bad', line, reason: `not JSON: ${reasonOf(error)}` };
  }
  if (hasMembers(value) && !Array.isArray(value)) return { kind: 'row', line, value };
  return { kind: 'bad', line, reason: 'not an object' };
}

async function* readCsv(text: AsyncIterable<string>, format: 'csv' | 'tsv'): AsyncGenerator<RawRow> {
  let columns: readonly string[] | undefined;
  // Loaded with the first CSV file, because a server that imports nothing does not need it.
  const { parse: createCsvParser } = await import('csv-parse');
  const parser = createCsvParser({
    bom: true,
    delimiter: format === 'tsv' ? '\t' : ',',
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: 16 * 1024 * 1024,
  });
  const fed = feed(text, parser);
  for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
    if (columns === undefined) {
      const names = record.map((name) => name.trim());
      columns = names;
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      if (twice !== undefined) throw new Error(`the column "${twice}" is named twice in the first line`);
    } else if (record.length === columns.length) {
      const entries = columns.map((name, index) => [name, record[index]] as const);
      yield { kind: 'row', line: info.lines, value: Object.fromEntries(entries) };
    } else {
      const reason = `${record.length} values, but the first line names ${columns.length} columns`;
      yield { kind: 'bad', line: info.lines, reason };
    }
  }
  await fed;
}

/** Writes text to the parser with backpressure. */
async function feed(
  text: AsyncIterable<string>,
  parser: NodeJS.WritableStream & { destroy(error: Error): unknown },
): Promise<void> {
  try {
    for await (const piece of text) {
      if (!parser.write(piece)) await new Promise((resolve) => parser.once('drain', resolve));
    }
    parser.end();
  } catch (error) {
    parser.destroy(toError(error));
  }
}

async function guessFormat(file: string, packed: boolean): Promise<RowFormat> {
  const ending = /\.(\w+)(?:\.gz)?$/.exec(file.toLowerCase())?.[1] ?? '';
  const first = await firstCharacter(file, packed);
  // A .json file may also hold one value a line; only its first character tells.
  if (ending === 'json') return first === '{' ? 'ndjson' : 'json';
  if (Object.hasOwn(BY_ENDING, ending)) return BY_ENDING[ending]!;
  return first === '[' ? 'json' : first === '{' ? 'ndjson' : 'csv';
}

async function readStart(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function firstCharacter(file: string, packed: boolean): Promise<string | undefined> {
  const source = createReadStream(file, { highWaterMark: 4096 });
  try {
    const bytes: ByteStream = packed ? source.pipe(forwardErrors(source, createGunzip())) : source;
    for await (const piece of bytes) {
      const character = /[^\s\uFEFF]/.exec(new TextDecoder().decode(piece))?.[0];
      if (character !== undefined) return character;
    }
    return undefined;
  } finally {
    source.destroy();
  }
}

const REASONS: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'there is no such file.'],
  ['EACCES', 'this user may not read it.'],
  ['ERR_ENCODING_INVALID_ENCODED_DATA', 'it is not UTF-8.'],
  ['Z_DATA_ERROR', 'it is not a whole gzip file.'],
  ['Z_BUF_ERROR', 'it is not a whole gzip file.'],
]);
