// Reads the translog back after a crash, from the last commit on. A write that the crash cut off was never acknowledged and is dropped;
// any other difference is damage.
import { crc32 } from '../directory/zlib.ts';
import type { Directory } from '../directory/directory.ts';
import { TimeSlices } from '../tasks/scheduler.ts';
import { searchError } from '../errors/search-errors.ts';
import { checkHeader, HEADER, LogFile, type LogIdentity, logName } from './log-file.ts';
import { decodeBatch, HEAD, type LoggedBatch, PIECE_BYTES } from './log-record.ts';
import { generationOf, Translog } from './translog.ts';

/** Start of the log to replay. */
export interface LogStart {
  /** Of the index. */
  readonly uuid: string;
  /** The first generation to replay. */
  readonly generation: number;
  /** The last generation that an earlier release may have written, without a header; undefined: none. */
  readonly plain: number | undefined;
}

/** The recovered log. */
export interface Recovered {
  readonly log: Translog;
  /** The last generation without a header, if one is left. */
  readonly plain: number | undefined;
}

/**
 * Replays the batches from a generation on, oldest first, and opens the log after them.
 *
 * @throws ProductError `SEARCH_DAMAGED` when a file is missing or shorter than it was, or a record was altered. A record that a crash
 *   cut off (too short, or ending in the zeros of a page that never reached the disk) was never acknowledged: it is dropped.
 */
export async function recoverTranslog(
  directory: Directory,
  { uuid, generation: from, plain }: LogStart,
  replay: (batch: LoggedBatch) => Promise<void>,
): Promise<Recovered> {
  const generations = (await directory.list())
    .map(generationOf)
    .filter((generation): generation is number => generation !== undefined && generation >= from)
    .sort((a, b) => a - b);
  let operations = 0;
  let last: { readonly identity: LogIdentity; readonly hasHeader: boolean; readonly end: number } | undefined;
  let lastPlain: number | undefined;
  for (let at = 0; at < Math.max(1, generations.length); at++) {
    const generation = from + at;
    const name = logName(generation);
    const label = `${directory.label}/${name}`;
    if (generations[at] !== generation) throw searchError('SEARCH_DAMAGED', { file: label, reason: 'it is missing' });
    const bytes = await directory.readFile(name);
    const identity = { uuid, generation };
    const hasHeader = checkHeader(bytes, identity, plain !== undefined && generation <= plain, label);
    if (!hasHeader) lastPlain = generation;
    const end = await readBatches(bytes, hasHeader ? HEADER : 0, label, async (batch) => {
      operations += batch.operations.length;
      await replay(batch);
    });
    last = { identity, hasHeader, end };
  }
  const { identity, hasHeader, end } = last!;
  const file = await LogFile.open(directory, identity.generation, end, hasHeader ? identity : undefined);
  const log = new Translog(directory, uuid, identity.generation, file);
  log.operations = operations;
  return { log, plain: lastPlain };
}

/** Reads records from `start` until the end or a torn one, yielding to the event loop; returns the end of the good ones. */
async function readBatches(
  bytes: Uint8Array,
  start: number,
  label: string,
  take: (batch: LoggedBatch) => Promise<void>,
): Promise<number> {
  const slices = new TimeSlices();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = start;
  while (at + HEAD <= bytes.length) {
    const length = view.getUint32(at, true);
    const body = bytes.subarray(at + HEAD, at + HEAD + length);
    if (length === 0 || body.length < length || (await checksumOf(body, slices)) !== view.getUint32(at + 4, true)) {
      if (await isTorn(bytes.subarray(at), slices)) return at;
      throw searchError('SEARCH_DAMAGED', { file: label, reason: `the record at byte ${at} fails its checksum` });
    }
    await take(await decodeBatch(body, slices));
    at += HEAD + length;
  }
  return at;
}

/** Whether a crash may have left an invalid record: files are extended ahead, so zeros at the end are no sign of damage. */
async function isTorn(bytes: Uint8Array, slices: TimeSlices): Promise<boolean> {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) {
    end--;
    if ((end & 0xfffff) === 0 && slices.isOver) await slices.yield();
  }
  const rest = bytes.subarray(0, end);
  if (rest.length < HEAD) return true;
  const length = new DataView(rest.buffer, rest.byteOffset).getUint32(0, true);
  const body = rest.subarray(HEAD, HEAD + length);
  if (length === 0 || body.length < length) return !holdsRecord(rest);
  return endsInZeros(body);
}

async function checksumOf(body: Uint8Array, slices: TimeSlices): Promise<number> {
  let sum = 0;
  for (let at = 0; at < body.length; at += PIECE_BYTES) {
    if (slices.isOver) await slices.yield();
    sum = crc32(body.subarray(at, at + PIECE_BYTES), sum);
  }
  return sum;
}

/** A page that never reached the disk reads as zeros. */
const endsInZeros = (bytes: Uint8Array): boolean => bytes.length >= 8 && bytes.subarray(-8).every((byte) => byte === 0);

/** Whether a whole record follows somewhere: then a length was altered, not the end cut off. */
function holdsRecord(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 1; at + HEAD < bytes.length; at++) {
    const length = view.getUint32(at, true);
    if (length < 12 || at + HEAD + length > bytes.length) continue;
    // The content starts with the length of its JSON, which starts with a brace: cheap tests before the checksum.
    const json = view.getUint32(at + HEAD, true);
    if (json > length || bytes[at + HEAD + 4] !== 0x7b) continue;
    if (crc32(bytes.subarray(at + HEAD, at + HEAD + length)) === view.getUint32(at + 4, true)) return true;
  }
  // The altered record itself may be the last: then its own content still parses at its true length.
  return bytes.length > HEAD && crc32(bytes.subarray(HEAD)) === view.getUint32(4, true);
}
