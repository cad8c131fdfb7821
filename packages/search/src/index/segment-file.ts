// A segment as one file: its sections, each encoded and with a checksum, then a table of them, then a trailer that finds the
// table. Read back, everything but the sources lands in memory. Deletions are not in it: they belong to the manifest's files.
import { nextTurn } from '../turns.ts';
import { promisify } from 'node:util';
import { constants, crc32, zstdCompress, zstdDecompressSync } from 'node:zlib';
import type { Directory } from '../directory/directory.ts';
import { searchError } from '../errors.ts';
import type { SegmentData, SegmentMeta } from './segment-data.ts';
import { drive, Stretches, Turnstile } from '../drive.ts';
import { elementTypeOf, elementTypes, type ElementType, type SectionArray } from './shared.ts';

const FORMAT = 1;
const MAGIC = 0x4c4b5347;
const TRAILER = 28;
const CHECKSUM_STEP = 4 << 20;
const encoder = new TextEncoder();
const compress = promisify(zstdCompress);

/**
 * How a section is stored. `raw` as in memory; `zstd` compressed; `varint` as variable-length bytes and compressed;
 * `gaps` the same for ascending numbers, as differences.
 */
type Encoding = 'raw' | 'zstd' | 'varint' | 'gaps';

interface StoredSection {
  readonly name: string;
  readonly type: ElementType;
  readonly encoding: Encoding;
  /** Elements. */
  readonly length: number;
  readonly offset: number;
  readonly bytes: number;
  readonly crc: number;
}

interface Table {
  readonly meta: SegmentMeta;
  readonly sections: readonly StoredSection[];
}

const ENCODINGS: Readonly<Record<string, Encoding>> = {
  terms: 'zstd',
  termEnds: 'gaps',
  docFreqs: 'varint',
  blockStarts: 'gaps',
  blockOffsets: 'gaps',
  impactOffsets: 'gaps',
  blockPositions: 'gaps',
  lastDocs: 'varint',
  blockBits: 'zstd',
  impacts: 'zstd',
  positions: 'zstd',
  norms: 'zstd',
  lengths: 'zstd',
  exists: 'zstd',
  ordinalsExist: 'zstd',
  ordinals: 'zstd',
  starts: 'gaps',
  values: 'zstd',
  lat: 'zstd',
  lon: 'zstd',
  ids: 'zstd',
  idEnds: 'gaps',
  idSlots: 'varint',
  idPrints: 'raw',
  backwards: 'zstd',
  versions: 'zstd',
  seqNos: 'zstd',
  sourceFirstDocs: 'varint',
  routings: 'zstd',
  nestedPaths: 'zstd',
  nestedOffsets: 'zstd',
  roots: 'zstd',
};

const bytesOf = (array: SectionArray): Uint8Array => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

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
const encoding = new Turnstile();

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
  const stretches = new Stretches();
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
  const waiting: [string, SectionArray][] = [];
  for (const [name, array] of data.sections) {
    if (array.byteLength > SMALL) {
      waiting.push([name, array]);
      continue;
    }
    if (stretches.isOver) await stretches.pause();
    await add({ name, array, encoding: 'raw', encoded: bytesOf(array) });
  }
  waiting.reverse();
  const underWay: Promise<EncodedSection>[] = [];
  for (;;) {
    while (underWay.length < AT_ONCE && waiting.length > 0) {
      const started = encode(...waiting.pop()!);
      // Whoever fails first is heard below; the others must not be errors that nobody takes.
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
    if (stretches.isOver) await stretches.pause();
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

/**
 * Opens a segment's file: checks every section but the sources, whose blocks are checked when read.
 *
 * @throws ProductError `SEARCH_DAMAGED` or `SEARCH_FORMAT`
 */
export async function readSegment(
  directory: Directory,
  file: string,
): Promise<{ readonly data: SegmentData; readonly bytes: number; close(): void }> {
  const label = `${directory.label}/${file}`;
  const damaged = (reason: string): Error => searchError('SEARCH_DAMAGED', { file: label, reason });
  let reader;
  try {
    reader = await directory.open(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw damaged('it is missing');
    throw error;
  }
  try {
    if (reader.size < TRAILER) throw damaged('it is too short');
    const trailer = reader.read(reader.size - TRAILER, TRAILER);
    const view = new DataView(trailer.buffer, trailer.byteOffset);
    if (view.getUint32(24, true) !== MAGIC) throw damaged('its end is not that of a segment');
    if (crc32(trailer.subarray(0, 20)) !== view.getUint32(20, true)) throw damaged('its trailer fails the checksum');
    const format = view.getUint32(16, true);
    if (format !== FORMAT) throw searchError('SEARCH_FORMAT', { file: label, actual: format, wanted: FORMAT });
    const tableBytes = reader.read(view.getFloat64(0, true), view.getUint32(8, true));
    if (crc32(tableBytes) !== view.getUint32(12, true)) throw damaged('its table fails the checksum');
    const table = JSON.parse(new TextDecoder().decode(tableBytes)) as Table;
    const sections = new Map<string, SectionArray>();
    let sourcesAt = 0;
    for (const section of table.sections) {
      if (section.name === 'sources') {
        sourcesAt = section.offset;
        continue;
      }
      const encoded = reader.read(section.offset, section.bytes);
      if (encoded.length !== section.bytes || crc32(encoded) !== section.crc) {
        throw damaged(`section ${section.name} fails its checksum`);
      }
      sections.set(section.name, decode(encoded, section));
    }
    const opened = reader;
    const path = directory.path?.(file);
    return {
      data: {
        meta: table.meta,
        sections,
        readSources: (position, length) => opened.read(sourcesAt + position, length),
        sourcesFile: path === undefined ? undefined : { path, position: sourcesAt },
      },
      bytes: reader.size,
      close: () => opened.close(),
    };
  } catch (error) {
    reader.close();
    throw error;
  }
}

/** The checksum of a section, which may be hundreds of megabytes, a few milliseconds at a time. */
async function checksum(bytes: Uint8Array): Promise<number> {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += CHECKSUM_STEP) {
    if (at > 0) await nextTurn();
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
  const encoding = ENCODINGS[name.slice(name.indexOf('/') + 1)] ?? 'raw';
  const bytes =
    encoding === 'gaps' || encoding === 'varint' ? await drive(toVarints(array, encoding === 'gaps')) : bytesOf(array);
  if (encoding === 'raw' || bytes.length === 0) return { name, array, encoding, encoded: bytes };
  // By default it comes out 16 KB at a time, each a way to another thread and back: a quarter of the time for a large section.
  const chunkSize = Math.max(MIN_CHUNK, Math.min(MAX_CHUNK, bytes.length >>> 1));
  // Level 1: half the time of level 3, and the file grows by 1.4 %.
  const params = { [constants.ZSTD_c_compressionLevel]: 1 };
  return { name, array, encoding, encoded: await compress(bytes, { chunkSize, params }) };
}

const MIN_CHUNK = 1 << 10;
const MAX_CHUNK = 1 << 20;

function decode(encoded: Uint8Array, section: StoredSection): SectionArray {
  const array = allocate(section.type, section.length);
  if (section.encoding === 'raw') {
    bytesOf(array).set(encoded);
    return array;
  }
  if (section.length === 0) return array;
  const bytes = zstdDecompressSync(encoded, { maxOutputLength: section.length * 10 });
  if (section.encoding === 'zstd') bytesOf(array).set(bytes);
  else fromVarints(bytes, array, section.encoding === 'gaps');
  return array;
}

function allocate(type: ElementType, length: number): SectionArray {
  const buffer = new SharedArrayBuffer(length * elementTypes[type].BYTES_PER_ELEMENT);
  switch (type) {
    case 'i32':
      return new Int32Array(buffer);
    case 'u32':
      return new Uint32Array(buffer);
    case 'u16':
      return new Uint16Array(buffer);
    case 'u8':
      return new Uint8Array(buffer);
    case 'f64':
      return new Float64Array(buffer);
  }
}

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

function fromVarints(bytes: Uint8Array, array: SectionArray, gaps: boolean): void {
  let at = 0;
  let previous = 0;
  for (let i = 0; i < array.length; i++) {
    let byte = bytes[at++]!;
    let value = byte & 127;
    for (let scale = 128; byte > 127; scale *= 128) {
      byte = bytes[at++]!;
      value += (byte & 127) * scale;
    }
    if (gaps) {
      value += previous;
      previous = value;
    }
    array[i] = value;
  }
}
