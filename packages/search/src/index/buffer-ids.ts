// Finds the latest document of an id in a write buffer. Not a Map: V8 would intern every id first, which takes 1.2 of
// 14 µs a document on the main thread, and the strings would survive every garbage collection until the flush.
import type { EncodedId } from './ids.ts';
import type { ByteList, IntList } from './shared.ts';

/** The document of a slot, plus one; negative if it was removed; 0: empty. */
const DOC = 1;

/** An open-addressing table of ids; each slot is a hash and a document. */
export class BufferIds {
  private slots = new Int32Array(1 << 8);
  private used = 0;
  private readonly ids: ByteList;
  private readonly ends: IntList;

  /** @param ids the ids end to end, that of document d in `ids[ends[d - 1], ends[d])`; both grow meanwhile */
  constructor(ids: ByteList, ends: IntList) {
    this.ids = ids;
    this.ends = ends;
  }

  /** The latest document of an id, or -1. */
  find(id: EncodedId): number {
    return Math.max(this.slots[this.slotOf(id) + DOC]!, 0) - 1;
  }

  /** Sets the latest document of an id, which is among `ids` already. */
  set(id: EncodedId, doc: number): void {
    const slot = this.slotOf(id);
    const isNew = this.slots[slot + DOC] === 0;
    this.slots[slot] = id.hash;
    this.slots[slot + DOC] = doc + 1;
    // Half full.
    if (isNew && ++this.used * 4 > this.slots.length) this.grow();
  }

  /** Removes an id; returns its document, or -1. */
  remove(id: EncodedId): number {
    const slot = this.slotOf(id);
    const doc = this.slots[slot + DOC]!;
    if (doc <= 0) return -1;
    this.slots[slot + DOC] = -doc;
    return doc - 1;
  }

  /** Bytes held. */
  get memory(): number {
    return this.slots.length * 4;
  }

  clear(): void {
    this.slots.fill(0);
    this.used = 0;
  }

  /** The slot of an id, or the empty one that it would take. */
  private slotOf(id: EncodedId): number {
    const { slots } = this;
    const mask = slots.length - 2;
    let slot = (id.hash << 1) & mask;
    while (slots[slot + DOC] !== 0) {
      if (slots[slot] === id.hash && this.has(Math.abs(slots[slot + DOC]!) - 1, id)) break;
      slot = (slot + 2) & mask;
    }
    return slot;
  }

  private grow(): void {
    const before = this.slots;
    const slots = new Int32Array(before.length * 2);
    const mask = slots.length - 2;
    for (let old = 0; old < before.length; old += 2) {
      if (before[old + DOC] === 0) continue;
      let slot = (before[old]! << 1) & mask;
      while (slots[slot + DOC] !== 0) slot = (slot + 2) & mask;
      slots[slot] = before[old]!;
      slots[slot + DOC] = before[old + DOC]!;
    }
    this.slots = slots;
  }

  /** Whether a document has an id. */
  private has(doc: number, { bytes, length }: EncodedId): boolean {
    const ends = this.ends.values;
    const ids = this.ids.bytes;
    const start = doc === 0 ? 0 : ends[doc - 1]!;
    if (ends[doc]! - start !== length) return false;
    for (let i = 0; i < length; i++) if (bytes[i] !== ids[start + i]) return false;
    return true;
  }
}
