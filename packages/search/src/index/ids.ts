// The ids of a segment's documents both ways: by document in constant time, and by id through an open-addressing table.
// Ids have no order here; sorting and prefixes over ids go through the texts.
import { sharedUint32 } from './shared.ts';

const encoder = new TextEncoder();

/** FNV-1a with a final mix; stored tables depend on it. */
function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5 | 0;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 16777619);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return hash ^ (hash >>> 12);
}

/** An id as bytes and hash, so that looking it up in many segments encodes it once. */
export interface EncodedId {
  readonly bytes: Uint8Array;
  readonly hash: number;
}

export function encodeId(id: string): EncodedId {
  const bytes = encoder.encode(id);
  return { bytes, hash: hashBytes(bytes, 0, bytes.length) };
}

/** Builds the table over ids laid end to end; of equal ids the last document is found. Documents without an id are skipped. */
export function buildIdSlots(ids: Uint8Array, ends: Uint32Array): Uint32Array {
  const docs = ends.length;
  let size = 4;
  while (size < docs * 1.4) size *= 2;
  const slots = sharedUint32(size);
  const mask = size - 1;
  for (let doc = 0; doc < docs; doc++) {
    const start = doc === 0 ? 0 : ends[doc - 1]!;
    const end = ends[doc]!;
    if (start === end) continue;
    let slot = hashBytes(ids, start, end) & mask;
    for (;;) {
      const other = slots[slot]! - 1;
      if (other < 0 || sameId(ids, ends, other, ids, start, end)) break;
      slot = (slot + 1) & mask;
    }
    slots[slot] = doc + 1;
  }
  return slots;
}

function sameId(
  ids: Uint8Array,
  ends: Uint32Array,
  doc: number,
  bytes: Uint8Array,
  start: number,
  end: number,
): boolean {
  const from = doc === 0 ? 0 : ends[doc - 1]!;
  if (ends[doc]! - from !== end - start) return false;
  for (let i = start, j = from; i < end; i++, j++) if (bytes[i] !== ids[j]) return false;
  return true;
}

/** Reads ids. */
export class IdReader {
  private readonly text: Buffer;
  private readonly ids: Uint8Array;
  private readonly ends: Uint32Array;
  private readonly slots: Uint32Array;

  constructor(ids: Uint8Array, ends: Uint32Array, slots: Uint32Array) {
    this.ids = ids;
    this.ends = ends;
    this.slots = slots;
    this.text = Buffer.from(ids.buffer, ids.byteOffset, ids.length);
  }

  get(doc: number): string {
    return this.text.toString('utf8', doc === 0 ? 0 : this.ends[doc - 1], this.ends[doc]);
  }

  /** The last document with that id, or -1; it may be a deleted one. */
  find(id: EncodedId): number {
    const mask = this.slots.length - 1;
    let slot = id.hash & mask;
    for (;;) {
      const doc = this.slots[slot]! - 1;
      if (doc < 0) return -1;
      if (sameId(this.ids, this.ends, doc, id.bytes, 0, id.bytes.length)) return doc;
      slot = (slot + 1) & mask;
    }
  }
}
