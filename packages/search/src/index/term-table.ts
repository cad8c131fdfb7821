// Numbers the distinct terms of one field while documents are added: bytes in one pool, found by an open-addressing hash, no
// string and no object per token. Sorting them is sort-terms.ts.
import type { TermRow } from './indexed-document.ts';
import { int32, uint8 } from './shared.ts';

/** Lucene's limit (IndexWriter.MAX_TERM_LENGTH). */
export const MAX_TERM_BYTES = 32766;

/** By length below 4: which bits of a word read from the text belong to the term. */
const MASKS = Int32Array.of(0, 0xff, 0xffff, 0xffffff);
/** The number of a term plus one is below this; above it in a slot stands the length of a short term, or `LONG`. */
const LENGTH_SHIFT = 28;
const NUMBER = (1 << LENGTH_SHIFT) - 1;
/** Terms of at most eight bytes lie in their slot as a whole. */
const SHORT = 8;
const LONG = 9;

const nothing = new Uint8Array(0);

/** A hash of `bytes[from, to)`, whose first eight bytes are in two words. */
function hashOf(bytes: Uint8Array, from: number, to: number, first: number, second: number): number {
  let hash = Math.imul(first, 0x2c1b3c6d) ^ Math.imul(second, 0x297a2d39) ^ (to - from);
  for (let i = from + SHORT; i < to; i++) hash = Math.imul(hash ^ bytes[i]!, 16777619);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return hash ^ (hash >>> 12);
}

/** Terms numbered from 0 in order of first appearance. */
export class TermTable {
  size = 0;
  /** Term t is `pool[ends[t - 1] … ends[t])`. */
  pool = uint8(1024);
  ends = int32(128);
  /**
   * Four words a slot: hash, length and number, the first eight bytes. Three of four tokens are short terms, and finding one again
   * touches one line of the cache. A second word of 0: empty.
   */
  private slots = int32(1024);
  private poolLength = 0;
  /** The bytes last looked at, four at a time. */
  private seen: Uint8Array = nothing;
  private view: DataView = new DataView(nothing.buffer);
  /** Of each term of a row its first eight bytes and its hash. */
  private keys = new Int32Array(3 * 256);

  /** Bytes the table holds, for the memory budget. */
  get memory(): number {
    return this.pool.length + this.ends.length * 4 + this.slots.length * 4;
  }

  /** Bytes that its content takes. */
  get used(): number {
    return this.poolLength + this.size * 40;
  }

  /** Forgets all terms and keeps the memory. */
  clear(): void {
    this.slots.fill(0);
    this.size = 0;
    this.poolLength = 0;
    this.seen = nothing;
  }

  start(term: number): number {
    return term === 0 ? 0 : this.ends[term - 1]!;
  }

  /** The number of the term `bytes[from, to)`, new or known. */
  add(bytes: Uint8Array, from: number, to: number): number {
    const length = to - from;
    let first = 0;
    let second = 0;
    if (from + SHORT <= bytes.length) {
      const view = this.viewOf(bytes);
      first = view.getInt32(from, true);
      if (length < 4) first &= MASKS[length]!;
      else {
        second = view.getInt32(from + 4, true);
        if (length < SHORT) second &= MASKS[length - 4]!;
      }
    } else {
      // At the end of the array nothing may be read beyond the term.
      for (let i = Math.min(length, 4) - 1; i >= 0; i--) first = (first << 8) | bytes[from + i]!;
      for (let i = Math.min(length, SHORT) - 1; i >= 4; i--) second = (second << 8) | bytes[from + i]!;
    }
    return this.find(first, second, hashOf(bytes, from, to, first, second), bytes, from, to);
  }

  /**
   * The numbers of terms in a row, written to `numbers` from `at` on. First all are read, then all are looked for: what takes time is
   * waiting for lines of the cache, and a loop without surprises waits for several at once.
   */
  addRow({ bytes, bounds, count }: TermRow, numbers: Int32Array, at: number): void {
    if (count * 3 > this.keys.length) this.keys = new Int32Array(count * 6);
    const { keys } = this;
    const view = this.viewOf(bytes);
    for (let i = 0; i < count; i++) {
      const from = bounds[2 * i]!;
      const to = bounds[2 * i + 1]!;
      const length = to - from;
      let first = view.getInt32(from, true);
      let second = 0;
      if (length < 4) first &= MASKS[length]!;
      else {
        second = view.getInt32(from + 4, true);
        if (length < SHORT) second &= MASKS[length - 4]!;
      }
      keys[3 * i] = first;
      keys[3 * i + 1] = second;
      keys[3 * i + 2] = hashOf(bytes, from, to, first, second);
    }
    for (let i = 0; i < count; i++) {
      numbers[at + i] = this.find(
        keys[3 * i]!,
        keys[3 * i + 1]!,
        keys[3 * i + 2]!,
        bytes,
        bounds[2 * i]!,
        bounds[2 * i + 1]!,
      );
    }
  }

  private viewOf(bytes: Uint8Array): DataView {
    if (bytes !== this.seen) {
      this.seen = bytes;
      this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    return this.view;
  }

  /** The number of a term of which the first eight bytes are in two words, new or known. */
  private find(first: number, second: number, hash: number, bytes: Uint8Array, from: number, to: number): number {
    const length = to - from;
    const kind = length > SHORT ? LONG : length;
    const { slots } = this;
    const mask = slots.length - 4;
    let slot = (hash << 2) & mask;
    for (;;) {
      const entry = slots[slot + 1]!;
      if (entry === 0) break;
      if (slots[slot + 2] === first && slots[slot + 3] === second && entry >>> LENGTH_SHIFT === kind) {
        const term = (entry & NUMBER) - 1;
        if (kind !== LONG || (slots[slot] === hash && this.continues(term, bytes, from, length))) return term;
      }
      slot = (slot + 4) & mask;
    }
    return this.insert(bytes, from, length, kind, slot, hash, first, second);
  }

  /** Whether a long term equals the bytes; their first eight do. */
  private continues(term: number, bytes: Uint8Array, from: number, length: number): boolean {
    const { pool } = this;
    const start = this.start(term);
    if (this.ends[term]! - start !== length) return false;
    let i = SHORT;
    while (i < length && pool[start + i] === bytes[from + i]) i++;
    return i === length;
  }

  private insert(
    bytes: Uint8Array,
    from: number,
    length: number,
    kind: number,
    slot: number,
    hash: number,
    first: number,
    second: number,
  ): number {
    const term = this.size++;
    if (term === this.ends.length) {
      const ends = int32(term * 2);
      ends.set(this.ends);
      this.ends = ends;
    }
    if (this.poolLength + length > this.pool.length) {
      const pool = uint8(Math.max(this.pool.length * 2, this.poolLength + length));
      pool.set(this.pool);
      this.pool = pool;
    }
    for (let i = 0; i < length; i++) this.pool[this.poolLength + i] = bytes[from + i]!;
    this.poolLength += length;
    this.ends[term] = this.poolLength;
    this.slots[slot] = hash;
    this.slots[slot + 1] = (kind << LENGTH_SHIFT) | (term + 1);
    this.slots[slot + 2] = first;
    this.slots[slot + 3] = second;
    // Half full.
    if (this.size * 8 > this.slots.length) this.grow();
    return term;
  }

  private grow(): void {
    const before = this.slots;
    const slots = int32(before.length * 2);
    const mask = slots.length - 4;
    for (let old = 0; old < before.length; old += 4) {
      if (before[old + 1] === 0) continue;
      let slot = (before[old]! << 2) & mask;
      while (slots[slot + 1] !== 0) slot = (slot + 4) & mask;
      for (let i = 0; i < 4; i++) slots[slot + i] = before[old + i]!;
    }
    this.slots = slots;
  }
}
