// Opens the file of a segment: reads everything but the sources into memory, verified, in slices. A segment
// may have hundreds of megabytes or tens of thousands of sections, and the engine may serve other indices meanwhile. The file
// format is in segment-file.ts.
import { promisify } from 'node:util';
import { codeOf } from '@lockstitch/kernel';
import { crc32, zstdDecompress, zstdDecompressSync } from '../directory/zlib.ts';
import type { Directory, RandomReader } from '../directory/directory.ts';
import { runTask, TimeSlices } from '../tasks/scheduler.ts';
import { searchError } from '../errors/search-errors.ts';
import type { SegmentData } from './segment-data.ts';
import { parseTable } from './parse-table.ts';
import { bytesOf, FORMAT, MAGIC, type StoredSection, TRAILER } from './segment-file.ts';
import {
  allocatingTogether,
  elementTypes,
  type SectionArray,
  sharedFloat64,
  sharedInt32,
  sharedUint16,
  sharedUint32,
  sharedUint8,
} from './shared.ts';

/** Bytes, stored or in memory, from which a section is read and copied in pieces, and decompressed in a pool. */
const LARGE = 256 << 10;
/** Bytes that are read at once: what is small is read with what follows it. */
const PIECE = 256 << 10;
/** Large sections that are read at the same time: while one is decompressed, another is copied. */
const AT_ONCE = 2;

const decompress = promisify(zstdDecompress);

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
  let reader: RandomReader;
  try {
    reader = await directory.open(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw damaged('it is missing');
    throw error;
  }
  try {
    const { meta, sections: stored } = await runTask(parseTable(readTable(reader, label, damaged)));
    const sections = await readSections(reader, stored, damaged);
    const path = directory.path?.(file);
    const sourcesAt = stored.find(({ name }) => name === 'sources')?.offset ?? 0;
    return {
      data: {
        meta,
        sections,
        readSources: (position, length) => reader.read(sourcesAt + position, length),
        sourcesFile: path === undefined ? undefined : { path, position: sourcesAt },
      },
      bytes: reader.size,
      close: () => reader.close(),
    };
  } catch (error) {
    reader.close();
    throw error;
  }
}

type Damaged = (reason: string) => Error;

/** The table as it is stored. */
function readTable(reader: RandomReader, label: string, damaged: Damaged): Uint8Array {
  if (reader.size < TRAILER) throw damaged('it is too short');
  const trailer = reader.read(reader.size - TRAILER, TRAILER);
  const view = new DataView(trailer.buffer, trailer.byteOffset);
  if (view.getUint32(24, true) !== MAGIC) throw damaged('its end is not that of a segment');
  if (crc32(trailer.subarray(0, 20)) !== view.getUint32(20, true)) throw damaged('its trailer fails the checksum');
  const format = view.getUint32(16, true);
  if (format !== FORMAT) throw searchError('SEARCH_FORMAT', { file: label, actual: format, wanted: FORMAT });
  const bytes = reader.read(view.getFloat64(0, true), view.getUint32(8, true));
  if (crc32(bytes) !== view.getUint32(12, true)) throw damaged('its table fails the checksum');
  return bytes;
}

/** The sections by their names. @throws what `damaged` makes */
async function readSections(
  reader: RandomReader,
  stored: readonly StoredSection[],
  damaged: Damaged,
): Promise<Map<string, SectionArray>> {
  const arrays = Array.from<SectionArray | undefined>({ length: stored.length });
  const small: number[] = [];
  const large: number[] = [];
  for (const [at, section] of stored.entries()) {
    if (section.name !== 'sources') (isLarge(section) ? large : small).push(at);
  }
  await runTask(
    allocatingTogether(
      (function* (): Generator<void, void> {
        let window: Uint8Array = new Uint8Array(0);
        let from = 0;
        for (const at of small) {
          const section = stored[at]!;
          const { name, offset, bytes, crc } = section;
          if (offset < from || offset + bytes > from + window.length) {
            window = reader.read(offset, Math.max(bytes, PIECE));
            from = offset;
          }
          const encoded = window.subarray(offset - from, offset - from + bytes);
          if (encoded.length !== bytes || crc32(encoded) !== crc) throw damaged(`section ${name} fails its checksum`);
          arrays[at] = decode(encoded, section);
          yield;
        }
      })(),
    ),
  );
  const rest = large.values();
  const readRest = async (): Promise<void> => {
    for (const at of rest) {
      const section = stored[at]!;
      const array = await readLarge(reader, section);
      if (array === undefined) throw damaged(`section ${section.name} fails its checksum`);
      arrays[at] = array;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readRest));
  const sections = new Map<string, SectionArray>();
  const slices = new TimeSlices();
  for (const [at, array] of arrays.entries()) {
    if (slices.isOver) await slices.yield();
    if (array !== undefined) sections.set(stored[at]!.name, array);
  }
  return sections;
}

const isLarge = ({ bytes, length, type }: StoredSection): boolean =>
  Math.max(bytes, length * elementTypes[type].BYTES_PER_ELEMENT) >= LARGE;

function decode(encoded: Uint8Array, section: StoredSection): SectionArray {
  const array = allocate(section);
  if (section.encoding === 'raw') {
    bytesOf(array).set(encoded);
    return array;
  }
  if (section.length === 0) return array;
  const bytes = zstdDecompressSync(encoded, { maxOutputLength: section.length * 10 });
  if (section.encoding === 'zstd') bytesOf(array).set(bytes);
  else for (const _ of fromVarints(bytes, array, section.encoding === 'gaps'));
  return array;
}

/** Reads a large section; undefined when it fails its checksum. */
async function readLarge(reader: RandomReader, section: StoredSection): Promise<SectionArray | undefined> {
  const { encoding, offset, bytes: size, length } = section;
  const array = allocate(section);
  const encoded = encoding === 'raw' ? bytesOf(array) : Buffer.allocUnsafeSlow(size);
  if (encoded.length !== size) return undefined;
  const slices = new TimeSlices();
  let sum = 0;
  for (let at = 0; at < size; at += PIECE) {
    if (slices.isOver) await slices.yield();
    const piece = reader.read(offset + at, Math.min(PIECE, size - at));
    if (piece.length < Math.min(PIECE, size - at)) return undefined;
    sum = crc32(piece, sum);
    encoded.set(piece, at);
  }
  if (sum !== section.crc) return undefined;
  if (encoding === 'raw') return array;
  // In one piece where that is known: joining them would take as long as decompressing did. Most numbers take one byte or two.
  const chunkSize = encoding === 'zstd' ? array.byteLength + 64 : 2 * length + 64;
  const bytes = await decompress(encoded, { chunkSize, maxOutputLength: length * 10 });
  if (encoding !== 'zstd') await runTask(fromVarints(bytes, array, encoding === 'gaps'));
  else {
    for (let at = 0; at < bytes.length; at += PIECE) {
      if (slices.isOver) await slices.yield();
      bytesOf(array).set(bytes.subarray(at, at + PIECE), at);
    }
  }
  return array;
}

function allocate({ type, length }: StoredSection): SectionArray {
  switch (type) {
    case 'i32':
      return sharedInt32(length);
    case 'u32':
      return sharedUint32(length);
    case 'u16':
      return sharedUint16(length);
    case 'u8':
      return sharedUint8(length);
    case 'f64':
      return sharedFloat64(length);
  }
}

/** Numbers that are read at once. */
const TOGETHER = 1 << 16;

function* fromVarints(bytes: Uint8Array, array: SectionArray, gaps: boolean): Generator<void, void> {
  let at = 0;
  let previous = 0;
  for (let first = 0; first < array.length; first += TOGETHER) {
    const end = Math.min(first + TOGETHER, array.length);
    for (let i = first; i < end; i++) {
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
    yield;
  }
}
