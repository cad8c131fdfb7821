// A segment as one file: its sections, each encoded and with a checksum, then a table of them, then a trailer that finds the
// table. How it is read back stands in read-segment.ts. Deletions are not in it: they belong to the manifest's files.
import { promisify } from 'node:util';
import { Mutex } from '@lockstitch/kernel';
import { constants, crc32, zstdCompress } from '../directory/zlib.ts';
import type { Directory } from '../directory/directory.ts';
import { encodingOf, type Encoding } from './sections.ts';
import type { SegmentData, SegmentMeta } from './segment-data.ts';
import { runTask, TimeSlices } from '../tasks/scheduler.ts';
import { yieldTurn } from '../tasks/event-loop-queue.ts';
import { elementTypeOf, type ElementType, type SectionArray } from './shared.ts';

/** What a trailer says of the format, what it ends with, and its bytes. */
export const FORMAT = 1;
export const MAGIC = 0x4c4b5347;
export const TRAILER = 28;
const CHECKSUM_STEP = 4 << 20;
const encoder = new TextEncoder();
const compress = promisify(zstdCompress);

/** What the table says of a section. */
export interface StoredSection {
  readonly name: string;
  readonly type: ElementType;
  readonly encoding: Encoding;
  /** Elements. */
  readonly length: number;
  readonly offset: number;
  readonly bytes: number;
  readonly crc: number;
}

/** What the trailer finds. */
export interface Table {
  readonly meta: SegmentMeta;
  readonly sections: readonly StoredSection[];
}

/** The bytes of an array where they lie. */
export const bytesOf = (array: SectionArray): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/**
 * Writes a segment's file durably; answers its size and where in it the sources start.
 *
 * @param sourcesBytes how many bytes of sources the file holds already; without it they are among the sections and the file is new
 */
export async function writeSegment(
  directory: Directory,
  file: string,
  data: SegmentData,
  sourcesBytes?: number,
): Promise<{ readonly bytes: number; readonly sourcesAt: number }> {
  const parts: Uint8Array[] = [];
  const { bytes, sourcesAt } = await encoding.run(() =>
    encodeSegment(data, sourcesBytes, (part) => void parts.push(part)),
  );
  if (sourcesBytes === undefined) await directory.writeFile(file, parts);
  else await directory.extendFile(file, sourcesBytes, parts);
  return { bytes, sourcesAt };
}

/** One segment after the other: what they hold in memory while they are encoded would add up. Waiting for the disk, all do at once. */
const encoding = new Mutex();

/**
 * Encodes a segment part by part, but for the sources that its file holds already; answers the size of the whole file and where in it the
 * sources start.
 */
export async function encodeSegment(
  data: SegmentData,
  sourcesBytes: number | undefined,
  out: (part: Uint8Array) => void,
): Promise<{ readonly bytes: number; readonly sourcesAt: number }> {
  const { emit, end } = joining(out);
  const sections: StoredSection[] = [];
  let offset = sourcesBytes ?? 0;
  let sourcesAt = 0;
  if (sourcesBytes !== undefined) {
    const head = { name: 'sources', type: 'u8', encoding: 'raw', offset: 0, crc: 0 } as const;
    sections.push({ ...head, length: sourcesBytes, bytes: sourcesBytes });
  }
  const slices = new TimeSlices();
  const add = async ({ name, array, encoding, encoded }: EncodedSection): Promise<void> => {
    const bytes = encoded.length;
    sections.push({
      name,
      type: elementTypeOf(array),
      encoding,
      length: array.length,
      offset,
      bytes,
      crc: name === 'sources' ? 0 : bytes <= CHECKSUM_STEP ? crc32(encoded) : await checksum(encoded),
    });
    if (name === 'sources') sourcesAt = offset;
    emit(encoded);
    offset += bytes;
  };
  const waiting: { readonly name: string; readonly array: SectionArray }[] = [];
  for (const [name, array] of data.sections) {
    if (array.byteLength > SMALL) {
      waiting.push({ name, array });
      continue;
    }
    if (slices.isOver) await slices.yield();
    await add({ name, array, encoding: 'raw', encoded: bytesOf(array) });
  }
  waiting.reverse();
  const underWay: Promise<EncodedSection>[] = [];
  for (;;) {
    while (underWay.length < AT_ONCE) {
      const section = waiting.pop();
      if (section === undefined) break;
      const started = encode(section.name, section.array);
      // The first failure is awaited below; the others must not become unhandled rejections.
      started.catch(() => undefined);
      underWay.push(started);
    }
    const next = underWay.shift();
    if (next === undefined) break;
    await add(await next);
  }
  let tableBytes = 0;
  let tableCrc = 0;
  for (const text of tableTexts({ meta: data.meta, sections })) {
    if (slices.isOver) await slices.yield();
    const part = encoder.encode(text);
    tableBytes += part.length;
    tableCrc = crc32(part, tableCrc);
    emit(part);
  }
  const trailer = new Uint8Array(TRAILER);
  const view = new DataView(trailer.buffer);
  view.setFloat64(0, offset, true);
  view.setUint32(8, tableBytes, true);
  view.setUint32(12, tableCrc, true);
  view.setUint32(16, FORMAT, true);
  view.setUint32(20, crc32(trailer.subarray(0, 20)), true);
  view.setUint32(24, MAGIC, true);
  emit(trailer);
  end();
  return { bytes: offset + tableBytes + TRAILER, sourcesAt };
}

/** Bytes that small parts are joined to, as each part is a call to the system. */
const JOINED = 1 << 16;

/** Joins small parts that follow each other. */
function joining(out: (part: Uint8Array) => void): {
  readonly emit: (part: Uint8Array) => void;
  readonly end: () => void;
} {
  let joined = new Uint8Array(0);
  let filled = 0;
  const end = (): void => {
    if (filled > 0) out(joined.subarray(0, filled));
    joined = new Uint8Array(0);
    filled = 0;
  };
  return {
    emit(part) {
      if (filled + part.length > joined.length) end();
      if (part.length > JOINED / 4) {
        end();
        out(part);
        return;
      }
      if (joined.length === 0) joined = new Uint8Array(JOINED);
      joined.set(part, filled);
      filled += part.length;
    },
    end,
  };
}

/** Fields or sections that are printed at once. */
const TOGETHER = 500;

/** The table as JSON, a few fields or sections at a time: of thousands of fields it is megabytes. */
function* tableTexts({ meta, sections }: Table): Generator<string> {
  const { fields, ...rest } = meta;
  yield `{"meta":${JSON.stringify(rest).slice(0, -1)},"fields":[`;
  yield* listTexts(fields);
  yield ']},"sections":[';
  yield* listTexts(sections);
  yield ']}';
}

function* listTexts(items: readonly unknown[]): Generator<string> {
  for (let at = 0; at < items.length; at += TOGETHER) {
    const text = JSON.stringify(items.slice(at, at + TOGETHER)).slice(1, -1);
    yield at === 0 ? text : `,${text}`;
  }
}

/** The checksum of a section, which may be hundreds of megabytes, a few milliseconds at a time. */
async function checksum(bytes: Uint8Array): Promise<number> {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += CHECKSUM_STEP) {
    if (at > 0) await yieldTurn();
    sum = crc32(bytes.subarray(at, at + CHECKSUM_STEP), sum);
  }
  return sum;
}

/**
 * Bytes of an array up to which it is stored as it is. What compresses it comes to 40 µs of the main thread and as much again in a pool
 * for each, and a segment of thousands of fields has tens of thousands of such arrays; zstd's own frame alone takes 13 bytes.
 */
const SMALL = 128;

/** Sections that are compressed at a time, as two cores are what small servers have. */
const AT_ONCE = 2;

interface EncodedSection {
  readonly name: string;
  readonly array: SectionArray;
  readonly encoding: Encoding;
  readonly encoded: Uint8Array;
}

async function encode(name: string, array: SectionArray): Promise<EncodedSection> {
  const encoding = encodingOf(name);
  const bytes =
    encoding === 'gaps' || encoding === 'varint'
      ? await runTask(toVarints(array, encoding === 'gaps'))
      : bytesOf(array);
  if (encoding === 'raw' || bytes.length === 0) return { name, array, encoding, encoded: bytes };
  // By default it comes out 16 KB at a time, each a way to another thread and back: a quarter of the time for a large section.
  const chunkSize = Math.max(MIN_CHUNK, Math.min(MAX_CHUNK, bytes.length >>> 1));
  // Level 1: half the time of level 3, and the file grows by 1.4 %.
  const params = { [constants.ZSTD_c_compressionLevel]: 1 };
  return { name, array, encoding, encoded: await compress(bytes, { chunkSize, params }) };
}

const MIN_CHUNK = 1 << 10;
const MAX_CHUNK = 1 << 20;

/** Seven bits a byte, lowest first; the numbers are unsigned. */
function* toVarints(array: SectionArray, gaps: boolean): Generator<void, Uint8Array> {
  const out = new Uint8Array(array.length * 5);
  let at = 0;
  let previous = 0;
  for (let i = 0; i < array.length; i++) {
    if ((i & 0xffff) === 0xffff) yield;
    const value = array[i]!;
    let rest = gaps ? value - previous : value;
    previous = value;
    while (rest > 127) {
      out[at++] = (rest & 127) | 128;
      rest = Math.floor(rest / 128);
    }
    out[at++] = rest;
  }
  return out.subarray(0, at);
}
