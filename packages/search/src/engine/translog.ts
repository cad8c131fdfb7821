// The write-ahead log of one index: every batch of writes is one record of length, checksum and content, appended and synced before
// it is acknowledged. Replayed after a crash from the last commit on; a commit starts a new file and removes the old ones.
import { crc32 } from 'node:zlib';
import type { AppendFile, Directory } from '../directory/directory.ts';
import { Stretches } from '../drive.ts';
import { searchError } from '../errors.ts';

/** One logged write, with the version and sequence number it was given. */
export type LoggedOperation =
  | {
      readonly kind: 'index';
      readonly id: string;
      readonly seqNo: number;
      readonly version: number;
      readonly routing: string | undefined;
      readonly source: Uint8Array;
    }
  | { readonly kind: 'delete'; readonly id: string; readonly seqNo: number; readonly version: number };

/** One batch: applied as a whole or not at all. */
export interface LoggedBatch {
  readonly position: number | undefined;
  readonly operations: readonly LoggedOperation[];
}

const HEAD = 8;
/** A larger record is not kept to put the next one together in. */
const KEPT_BYTES = 2 << 20;
/** A larger batch is written in pieces of that many bytes, with turns of the event loop in between; a piece takes about a millisecond. */
const PIECE_BYTES = 1 << 20;
/** Operations whose names are printed at once. */
const PIECE_OPERATIONS = 1000;
const encoder = new TextEncoder();
const fileName = (generation: number): string => `translog-${generation}.log`;

/** What a batch looks like in JSON; the sources follow it end to end. */
interface BatchHead {
  readonly p?: number;
  /** kind (1 index, 0 delete), id, seqNo, version, and for index the source's length and perhaps the routing. */
  readonly o: readonly (readonly [0 | 1, string, number, number, number?, string?])[];
}

export class Translog {
  generation: number;
  operations = 0;
  private readonly directory: Directory;
  private file: AppendFile;
  /** Files of earlier generations that a commit has not made superfluous yet, or never will: one that failed leaves its own. */
  private readonly former = new Set<AppendFile>();
  /** The sync under way and the one that waits for it: later callers share the latter. */
  private syncing: Promise<void> | undefined;
  private waiting: Promise<void> | undefined;
  /** Files with appends that no sync was started for. */
  private readonly unsynced = new Set<AppendFile>();

  /** Where records are put together: a new array for each megabyte of them would be cleared first and collected later. */
  private space: Uint8Array = new Uint8Array(0);

  private constructor(directory: Directory, generation: number, file: AppendFile) {
    this.directory = directory;
    this.generation = generation;
    this.file = file;
  }

  /** Opens the log at a generation to append; `size` cuts off a torn end. */
  static async open(directory: Directory, generation: number, size?: number): Promise<Translog> {
    return new Translog(directory, generation, await directory.openAppend(fileName(generation), size));
  }

  get bytes(): number {
    return this.file.size;
  }

  /** Appends a batch, in slices where it is large; durable after the next `sync`. No other may be appended meanwhile. */
  *append(batch: LoggedBatch): Generator<void, void> {
    const { file } = this;
    let bytes = 0;
    for (const operation of batch.operations) if (operation.kind === 'index') bytes += operation.source.length;
    if (bytes <= PIECE_BYTES && batch.operations.length <= PIECE_OPERATIONS) {
      const record = encodeBatch(batch, this.space);
      if (record.buffer.byteLength <= KEPT_BYTES) this.space = new Uint8Array(record.buffer);
      file.append(record);
    } else {
      for (const piece of encodePieces(batch)) {
        if (piece !== undefined) {
          file.append(piece);
          // A sync that another asked for may have begun since the piece before.
          this.unsynced.add(file);
        }
        yield;
      }
    }
    this.unsynced.add(file);
    this.operations += batch.operations.length;
  }

  /** Resolves when everything appended so far is on disk. Callers that come while a sync runs share the next one. */
  sync(): Promise<void> {
    if (this.waiting !== undefined) return this.waiting;
    if (this.syncing === undefined) return this.startSync();
    this.waiting = this.syncing
      .catch(() => undefined)
      .then(() => {
        this.waiting = undefined;
        return this.startSync();
      });
    return this.waiting;
  }

  private startSync(): Promise<void> {
    const files = [...this.unsynced];
    this.unsynced.clear();
    const running = Promise.all(files.map((file) => file.sync()))
      .then(() => undefined)
      .finally(() => {
        if (this.syncing === running) this.syncing = undefined;
      });
    this.syncing = running;
    return running;
  }

  /** Prepares the next generation; `switchTo` puts it to use in one step. */
  async prepareNext(): Promise<AppendFile> {
    return await this.directory.openAppend(fileName(this.generation + 1), 0);
  }

  /** Writes go to the next file from here on. Answers the old file, to be dropped once what it holds is in a commit. */
  switchTo(next: AppendFile): AppendFile {
    const old = this.file;
    this.former.add(old);
    this.file = next;
    this.generation++;
    this.operations = 0;
    return old;
  }

  /** Closes a file of an earlier generation. */
  drop(old: AppendFile): void {
    this.former.delete(old);
    old.close();
  }

  /** Removes the files before the current generation. */
  async trim(): Promise<void> {
    for (const name of await this.directory.list()) {
      const generation = generationOf(name);
      if (generation !== undefined && generation < this.generation) await this.directory.remove(name);
    }
  }

  close(): void {
    // Whoever collects a file that is still open ends the process.
    for (const each of this.former) each.close();
    this.file.close();
  }
}

function generationOf(name: string): number | undefined {
  const found = /^translog-(\d+)\.log$/.exec(name);
  return found === null ? undefined : Number(found[1]);
}

/**
 * Reads the batches from a generation on, oldest first, and opens the log behind them.
 *
 * @throws ProductError `SEARCH_DAMAGED` when a record was altered. A record that a crash cut off (too short, or ending in the
 *   zeros of a page that never reached the disk) was never acknowledged: it is dropped.
 */
export async function recoverTranslog(
  directory: Directory,
  from: number,
  replay: (batch: LoggedBatch) => Promise<void>,
): Promise<Translog> {
  const generations = (await directory.list())
    .map(generationOf)
    .filter((generation): generation is number => generation !== undefined && generation >= from)
    .sort((a, b) => a - b);
  if (generations.length === 0) return await Translog.open(directory, from);
  let operations = 0;
  let last = from;
  let size = 0;
  for (const [index, generation] of generations.entries()) {
    if (generation !== from + index) {
      throw searchError('SEARCH_DAMAGED', {
        file: `${directory.label}/${fileName(from + index)}`,
        reason: 'it is missing',
      });
    }
    const name = fileName(generation);
    const bytes = await directory.readFile(name);
    const end = await readBatches(bytes, `${directory.label}/${name}`, async (batch) => {
      operations += batch.operations.length;
      await replay(batch);
    });
    last = generation;
    size = end;
  }
  const log = await Translog.open(directory, last, size);
  log.operations = operations;
  return log;
}

/** Reads records until the end or a torn one, with turns of the event loop in between; answers where the good ones end. */
async function readBatches(
  bytes: Uint8Array,
  label: string,
  take: (batch: LoggedBatch) => Promise<void>,
): Promise<number> {
  const stretches = new Stretches();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  while (at < bytes.length) {
    if (at + HEAD > bytes.length) return at;
    const length = view.getUint32(at, true);
    const checksum = view.getUint32(at + 4, true);
    const body = bytes.subarray(at + HEAD, at + HEAD + length);
    if (body.length < length || (await checksumOf(body, stretches)) !== checksum || length === 0) {
      const cutOff = body.length < length;
      const torn = cutOff ? !holdsRecord(bytes.subarray(at)) : length === 0 || endsInZeros(body);
      if (torn) return at;
      throw searchError('SEARCH_DAMAGED', { file: label, reason: `the record at byte ${at} fails its checksum` });
    }
    await take(await decodeBatch(body, stretches));
    at += HEAD + length;
  }
  return at;
}

async function checksumOf(body: Uint8Array, stretches: Stretches): Promise<number> {
  let sum = 0;
  for (let at = 0; at < body.length; at += PIECE_BYTES) {
    if (stretches.isOver) await stretches.pause();
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

function headOf(operation: LoggedOperation): BatchHead['o'][number] {
  const { id, seqNo, version } = operation;
  if (operation.kind === 'delete') return [0, id, seqNo, version];
  const { source, routing } = operation;
  return routing === undefined
    ? [1, id, seqNo, version, source.length]
    : [1, id, seqNo, version, source.length, routing];
}

/** A large batch as it is logged, piece by piece; undefined where a piece needs another slice of work. */
function* encodePieces({ position, operations }: LoggedBatch): Generator<Uint8Array | undefined, void> {
  const start = `{${position === undefined ? '' : `"p":${position},`}"o":[`;
  const texts: Uint8Array[] = [];
  for (let at = 0; at < operations.length; at += PIECE_OPERATIONS) {
    const part = JSON.stringify(operations.slice(at, at + PIECE_OPERATIONS).map(headOf)).slice(1, -1);
    texts.push(encoder.encode(`${at === 0 ? start : ','}${part}`));
    yield undefined;
  }
  texts.push(encoder.encode(operations.length === 0 ? `${start}]}` : ']}'));
  const front = new Uint8Array(HEAD + 4);
  const view = new DataView(front.buffer);
  const json = texts.reduce((sum, text) => sum + text.length, 0);
  view.setUint32(HEAD, json, true);
  let length = 4 + json;
  let checksum = crc32(front.subarray(HEAD));
  for (const text of texts) checksum = crc32(text, checksum);
  let looked = 0;
  for (const operation of operations) {
    if (operation.kind !== 'index') continue;
    const { source } = operation;
    length += source.length;
    for (let at = 0; at < source.length; at += PIECE_BYTES) {
      const piece = source.subarray(at, at + PIECE_BYTES);
      checksum = crc32(piece, checksum);
      looked += piece.length;
      if (looked < PIECE_BYTES) continue;
      looked = 0;
      yield undefined;
    }
  }
  view.setUint32(0, length, true);
  view.setUint32(4, checksum, true);
  // Put together, for a call of the system costs more than the copy of a small document.
  const space = new Uint8Array(PIECE_BYTES);
  let filled = 0;
  const parts = function* (): Generator<Uint8Array> {
    yield front;
    yield* texts;
    for (const operation of operations) if (operation.kind === 'index') yield operation.source;
  };
  for (const part of parts()) {
    for (let at = 0; at < part.length;) {
      const count = Math.min(part.length - at, space.length - filled);
      space.set(part.subarray(at, at + count), filled);
      at += count;
      filled += count;
      if (filled < space.length) continue;
      yield space;
      filled = 0;
    }
  }
  if (filled > 0) yield space.subarray(0, filled);
}

/** A batch as it is logged, in `space` if it has room enough there. */
function encodeBatch(batch: LoggedBatch, space: Uint8Array): Uint8Array {
  const head: BatchHead = {
    ...(batch.position === undefined ? {} : { p: batch.position }),
    o: batch.operations.map(headOf),
  };
  const text = JSON.stringify(head);
  let room = HEAD + 4 + text.length * 3;
  for (const operation of batch.operations) if (operation.kind === 'index') room += operation.source.length;
  const record = space.length >= room ? space : new Uint8Array(room + (room >> 2));
  const json = encoder.encodeInto(text, record.subarray(HEAD + 4)).written;
  const view = new DataView(record.buffer);
  view.setUint32(HEAD, json, true);
  let end = HEAD + 4 + json;
  for (const operation of batch.operations) {
    if (operation.kind !== 'index') continue;
    record.set(operation.source, end);
    end += operation.source.length;
  }
  view.setUint32(0, end - HEAD, true);
  view.setUint32(4, crc32(record.subarray(HEAD, end)), true);
  return record.subarray(0, end);
}

async function decodeBatch(body: Uint8Array, stretches: Stretches): Promise<LoggedBatch> {
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  const length = view.getUint32(0, true);
  const head = JSON.parse(Buffer.from(body.subarray(4, 4 + length)).toString()) as BatchHead;
  let at = 4 + length;
  const operations: LoggedOperation[] = [];
  for (const [kind, id, seqNo, version, bytes = 0, routing] of head.o) {
    if (kind === 0) {
      operations.push({ kind: 'delete', id, seqNo, version });
      continue;
    }
    if (stretches.isOver) await stretches.pause();
    operations.push({ kind: 'index', id, seqNo, version, routing, source: body.slice(at, at + bytes) });
    at += bytes;
  }
  return { position: head.p, operations };
}
