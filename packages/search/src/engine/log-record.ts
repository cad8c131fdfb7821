// A batch of writes as one record of the translog: length, checksum, and content, which is a JSON text of what was done and the sources end
// to end. How records are read back from a file that a crash may have cut off is in recover-translog.ts.
import { crc32 } from '../directory/zlib.ts';
import type { TimeSlices } from '../tasks/scheduler.ts';

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

/** Bytes before the content of a record: its length and checksum. */
export const HEAD = 8;
/** A larger batch is written in pieces of that many bytes, with turns of the event loop in between; a piece takes about a millisecond. */
export const PIECE_BYTES = 1 << 20;
/** Operations whose names are printed at once. */
export const PIECE_OPERATIONS = 1000;
const encoder = new TextEncoder();

/** What a batch looks like in JSON; the sources follow it end to end. */
interface BatchHead {
  readonly p?: number;
  /** kind (1 index, 0 delete), id, seqNo, version, and for index the source's length and perhaps the routing. */
  readonly o: readonly (readonly [0 | 1, string, number, number, number?, string?])[];
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
export function* encodePieces({ position, operations }: LoggedBatch): Generator<Uint8Array | undefined, void> {
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
export function encodeBatch(batch: LoggedBatch, space: Uint8Array): Uint8Array {
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

/** What a record holds. */
export async function decodeBatch(body: Uint8Array, slices: TimeSlices): Promise<LoggedBatch> {
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
    if (slices.isOver) await slices.yield();
    operations.push({ kind: 'index', id, seqNo, version, routing, source: body.slice(at, at + bytes) });
    at += bytes;
  }
  return { position: head.p, operations };
}
