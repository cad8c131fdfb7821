// Numbers the distinct terms of one field while documents are added: bytes in one pool, found by an open-addressing hash table, no
// string and no object per token. Sorting them is sort-terms.ts.
import { int32, uint8 } from './shared.ts';

/** Lucene's limit (IndexWriter.MAX_TERM_LENGTH). */
export const MAX_TERM_BYTES = 32766;

/** By length up to 12, and of longer terms: which bits of the first, second and third four bytes belong to the term. */
const FIRST = Int32Array.of(0, 0xff, 0xffff, 0xffffff, ...Array<number>(10).fill(-1));
const SECOND = Int32Array.of(0, 0, 0, 0, 0, 0xff, 0xffff, 0xffffff, ...Array<number>(6).fill(-1));
const THIRD = Int32Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xffff, 0xffffff, -1, 0);
/** A slot holds the number of a term plus one below this bit, and above it the length of a short term, or `LONG`. */
const LENGTH_SHIFT = 28;
const NUMBER = (1 << LENGTH_SHIFT) - 1;
/** Terms up to twelve bytes are stored in their slot. */
const LONG = 13;

const nothing = new Uint8Array(0);
const noView = new DataView(nothing.buffer);

/** A hash of what a slot holds of a term. */
function hashOf(first: number, second: number, third: number, kind: number): number {
  let hash = Math.imul(first, 0x2c1b3c6d) ^ Math.imul(second, 0x297a2d39) ^ Math.imul(third, 0x1b56c4e9) ^ kind;
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return hash ^ (hash >>> 12);
}

/** What takes the place of the third four bytes of a long term: a hash of all from there on. */
function hashRest(bytes: Uint8Array, from: number, to: number): number {
  let hash = to - from;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i]!, 16777619);
  return hash;
}

/** Of each term of the row at hand what its slot holds. */
let rowKeys = new Int32Array(4 * 256);
/** A row of one. */
const one = { bounds: new Int32Array(2), numbers: new Int32Array(1) };

/**
 * Terms numbered from 0 in order of first appearance. Small at first, for a document may bring a thousand fields: with 8 KB to begin with,
 * each took 15 µs to make.
 */
export class TermTable {
  size = 0;
  /** Term t is `pool[ends[t - 1] … ends[t])`. */
  pool = uint8(64);
  ends = int32(16);
  /**
   * Four words a slot: length and number, then the term itself, twelve bytes of it or eight and a hash. Nineteen of twenty tokens are that
   * short, and finding one again touches one line of the cache. A first word of 0: empty.
   */
  slots = int32(64);
  private poolLength = 0;
  /** The bytes last looked at, four at a time. */
  private seen: Uint8Array = nothing;
  private view: DataView = noView;

  /** Bytes the table holds, for the memory budget. */
  get memory(): number {
    return this.pool.length + this.ends.length * 4 + this.slots.length * 4;
  }

  /** Bytes that its content takes. */
  get used(): number {
    return this.poolLength + this.size * 40;
  }

  /** Clears all terms and keeps the memory. */
  clear(): void {
    this.slots.fill(0);
    this.size = 0;
    this.poolLength = 0;
    this.seen = nothing;
  }

  /** Takes over the terms of another table. */
  resume(pool: Uint8Array, ends: Int32Array, size: number, slots: Int32Array): void {
    this.pool = pool;
    this.ends = ends;
    this.size = size;
    this.slots = slots;
    this.poolLength = this.start(size);
  }

  start(term: number): number {
    return term === 0 ? 0 : this.ends[term - 1]!;
  }

  /** The number of the term `bytes[from, to)`, new or known. At least twelve bytes follow it, whatever they are. */
  add(bytes: Uint8Array, from: number, to: number): number {
    one.bounds[0] = from;
    one.bounds[1] = to;
    this.addRow(bytes, one.bounds, 1, one.numbers, 0);
    return one.numbers[0]!;
  }

  /**
   * The numbers of terms in a row, as a `TermRow` has them, written to `numbers` from `at` on. First all are read, then all are looked for: what takes time is
   * waiting for lines of the cache, and a loop without surprises waits for several at once.
   */
  addRow(bytes: Uint8Array, bounds: Int32Array, count: number, numbers: Int32Array, at: number): void {
    if (count * 4 > rowKeys.length) rowKeys = new Int32Array(count * 8);
    const keys = rowKeys;
    const view = this.viewOf(bytes);
    for (let i = 0; i < count; i++) {
      const from = bounds[2 * i]!;
      const length = bounds[2 * i + 1]! - from;
      const kind = length < LONG ? length : LONG;
      keys[4 * i] = kind;
      keys[4 * i + 1] = view.getInt32(from, true) & FIRST[kind]!;
      keys[4 * i + 2] = view.getInt32(from + 4, true) & SECOND[kind]!;
      keys[4 * i + 3] =
        kind === LONG ? hashRest(bytes, from + 8, from + length) : view.getInt32(from + 8, true) & THIRD[kind]!;
    }
    let { slots } = this;
    for (let i = 0; i < count; i++) {
      const kind = keys[4 * i]!;
      const first = keys[4 * i + 1]!;
      const second = keys[4 * i + 2]!;
      const third = keys[4 * i + 3]!;
      let slot = (hashOf(first, second, third, kind) << 2) & (slots.length - 4);
      let term = -1;
      for (;;) {
        const entry = slots[slot]!;
        // One condition, which mostly holds at once.
        const differs =
          ((entry >>> LENGTH_SHIFT) ^ kind) |
          (slots[slot + 1]! ^ first) |
          (slots[slot + 2]! ^ second) |
          (slots[slot + 3]! ^ third);
        if (differs === 0 && entry !== 0) {
          term = (entry & NUMBER) - 1;
          if (kind < LONG || this.isLong(term, bytes, bounds[2 * i]!, bounds[2 * i + 1]!)) break;
        } else if (entry === 0) {
          slots[slot + 1] = first;
          slots[slot + 2] = second;
          slots[slot + 3] = third;
          term = this.insert(bytes, bounds[2 * i]!, bounds[2 * i + 1]!);
          slots[slot] = (kind << LENGTH_SHIFT) | (term + 1);
          // Half full.
          if (this.size * 8 > slots.length) {
            this.grow();
            ({ slots } = this);
          }
          break;
        }
        slot = (slot + 4) & (slots.length - 4);
      }
      numbers[at + i] = term;
    }
  }

  private viewOf(bytes: Uint8Array): DataView {
    if (bytes !== this.seen) {
      this.seen = bytes;
      this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    return this.view;
  }

  /** Whether a long term equals the bytes; their first eight do. */
  private isLong(term: number, bytes: Uint8Array, from: number, to: number): boolean {
    const { pool } = this;
    const start = this.start(term);
    const length = to - from;
    if (this.ends[term]! - start !== length) return false;
    let i = 8;
    while (i < length && pool[start + i] === bytes[from + i]) i++;
    return i === length;
  }

  /** Gives the next number to a term. */
  private insert(bytes: Uint8Array, from: number, to: number): number {
    const term = this.size++;
    if (term === this.ends.length) {
      const ends = int32(term * 2);
      ends.set(this.ends);
      this.ends = ends;
    }
    const end = this.poolLength + to - from;
    if (end > this.pool.length) {
      const pool = uint8(Math.max(this.pool.length * 2, end));
      pool.set(this.pool);
      this.pool = pool;
    }
    for (let i = from, place = this.poolLength; i < to; i++, place++) this.pool[place] = bytes[i]!;
    this.poolLength = end;
    this.ends[term] = end;
    return term;
  }

  private grow(): void {
    const before = this.slots;
    const slots = int32(before.length * 2);
    const mask = slots.length - 4;
    for (let old = 0; old < before.length; old += 4) {
      const entry = before[old]!;
      if (entry === 0) continue;
      let slot = (hashOf(before[old + 1]!, before[old + 2]!, before[old + 3]!, entry >>> LENGTH_SHIFT) << 2) & mask;
      while (slots[slot] !== 0) slot = (slot + 4) & mask;
      for (let i = 0; i < 4; i++) slots[slot + i] = before[old + i]!;
    }
    this.slots = slots;
  }
}
