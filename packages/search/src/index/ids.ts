// Maps documents to ids and ids to documents of a segment: by document in constant time, by id through an open-addressing table.
// Ids are unordered here; key-order.ts sorts them.
import { sharedUint32, sharedUint8 } from './shared.ts';
import { writeUtf8 } from './utf8.ts';

/** FNV-1a with a final mix; stored tables depend on it. */
function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5 | 0;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 16777619);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return hash ^ (hash >>> 12);
}

/** An id as bytes (the first `length` of `bytes`) and hash: encoded once for look-ups in many segments. */
export interface EncodedId {
  readonly bytes: Uint8Array;
  readonly length: number;
  readonly hash: number;
}

/** Encodes ids into one reused buffer: each call overwrites the former id. */
export class IdEncoder implements EncodedId {
  bytes: Uint8Array;
  length = 0;
  hash = 0;

  constructor(capacity = 512) {
    this.bytes = new Uint8Array(capacity);
  }

  encode(id: string): EncodedId {
    if (id.length * 3 > this.bytes.length) this.bytes = new Uint8Array(id.length * 3);
    this.length = writeUtf8(id, this.bytes);
    this.hash = hashBytes(this.bytes, 0, this.length);
    return this;
  }
}

export function encodeId(id: string): EncodedId {
  return new IdEncoder(id.length * 3).encode(id);
}

/** The id table of a segment. */
export interface IdTable {
  /** By slot a document plus one; 0: empty. */
  readonly slots: Uint32Array;
  /** By slot seven bits of the id's hash, the eighth set; 0: empty. */
  readonly prints: Uint8Array;
}

/**
 * Builds the table over ids laid end to end; of equal ids the document with the highest sequence number is found. Documents without an id
 * are skipped.
 */
export function buildIdTable(ids: Uint8Array, ends: Uint32Array, seqNos: Float64Array): IdTable {
  const docs = ends.length;
  let size = 4;
  while (size < docs * 1.4) size *= 2;
  const slots = sharedUint32(size);
  const prints = sharedUint8(size);
  const mask = size - 1;
  for (let doc = 0; doc < docs; doc++) {
    const start = doc === 0 ? 0 : ends[doc - 1]!;
    const end = ends[doc]!;
    if (start === end) continue;
    const hash = hashBytes(ids, start, end);
    const print = printOf(hash);
    let slot = hash & mask;
    while (prints[slot] !== 0) {
      if (prints[slot] === print && sameId(ids, ends, slots[slot]! - 1, ids, start, end)) break;
      slot = (slot + 1) & mask;
    }
    if (prints[slot] !== 0 && seqNos[slots[slot]! - 1]! > seqNos[doc]!) continue;
    slots[slot] = doc + 1;
    prints[slot] = print;
  }
  return { slots, prints };
}

/** The bits of a hash that do not choose the slot. */
const printOf = (hash: number): number => (hash >>> 25) | 128;

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

  private readonly prints: Uint8Array | undefined;

  /** @param prints as `buildIdTable` made them; segments of before have none */
  constructor(ids: Uint8Array, ends: Uint32Array, slots: Uint32Array, prints?: Uint8Array) {
    this.ids = ids;
    this.ends = ends;
    this.slots = slots;
    this.prints = prints;
    this.text = Buffer.from(ids.buffer, ids.byteOffset, ids.length);
  }

  get(doc: number): string {
    return this.text.toString('utf8', doc === 0 ? 0 : this.ends[doc - 1], this.ends[doc]);
  }

  /** The last document with that id, or -1; it may be a deleted one. */
  find(id: EncodedId): number {
    const { prints } = this;
    const mask = this.slots.length - 1;
    let slot = id.hash & mask;
    if (prints !== undefined) {
      // Most ids are in no segment or in one: one byte per segment says so, without touching ids and documents.
      const print = printOf(id.hash);
      for (let found = prints[slot]!; found !== 0; found = prints[slot]!) {
        if (found === print) {
          const doc = this.slots[slot]! - 1;
          if (sameId(this.ids, this.ends, doc, id.bytes, 0, id.length)) return doc;
        }
        slot = (slot + 1) & mask;
      }
      return -1;
    }
    for (;;) {
      const doc = this.slots[slot]! - 1;
      if (doc < 0) return -1;
      if (sameId(this.ids, this.ends, doc, id.bytes, 0, id.length)) return doc;
      slot = (slot + 1) & mask;
    }
  }

  /** The ids end to end in UTF-8, and where those of a document end. */
  get bytes(): { readonly ids: Uint8Array; readonly ends: Uint32Array } {
    return { ids: this.ids, ends: this.ends };
  }
}
