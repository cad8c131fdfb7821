// Numbers the distinct terms of one field while documents are added: bytes in one pool, found by an open-addressing hash, no
// string and no object per token. Sorting them is for the flush.

/** Lucene's limit (IndexWriter.MAX_TERM_LENGTH). */
export const MAX_TERM_BYTES = 32766;

/** Terms numbered from 0 in order of first appearance. */
export class TermTable {
  size = 0;
  /** Term t is `pool[ends[t - 1] … ends[t])`. */
  pool = new Uint8Array(1024);
  ends = new Int32Array(128);
  /** By slot the hash and the number of a term, side by side: most lookups then touch one line of the cache. -1: empty. */
  private slots = new Int32Array(512).fill(-1);
  private poolLength = 0;

  /** Bytes the table holds, for the memory budget. */
  get memory(): number {
    return this.pool.length + this.ends.length * 4 + this.slots.length * 4;
  }

  start(term: number): number {
    return term === 0 ? 0 : this.ends[term - 1]!;
  }

  /** The number of the term `bytes[from, to)`, new or known. */
  add(bytes: Uint8Array, from: number, to: number): number {
    let hash = 0x811c9dc5 | 0;
    for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i]!, 16777619);
    hash ^= hash >>> 15;
    hash = Math.imul(hash, 0x2c1b3c6d);
    hash ^= hash >>> 12;
    const { pool, slots } = this;
    const mask = slots.length - 2;
    let slot = (hash << 1) & mask;
    const length = to - from;
    for (;;) {
      const term = slots[slot + 1]!;
      if (term < 0) break;
      if (slots[slot] === hash) {
        const start = this.start(term);
        if (this.ends[term]! - start === length) {
          let i = 0;
          while (i < length && pool[start + i] === bytes[from + i]) i++;
          if (i === length) return term;
        }
      }
      slot = (slot + 2) & mask;
    }
    return this.insert(bytes, from, length, hash, slot);
  }

  private insert(bytes: Uint8Array, from: number, length: number, hash: number, slot: number): number {
    const term = this.size++;
    if (term === this.ends.length) {
      const ends = new Int32Array(term * 2);
      ends.set(this.ends);
      this.ends = ends;
    }
    if (this.poolLength + length > this.pool.length) {
      const pool = new Uint8Array(Math.max(this.pool.length * 2, this.poolLength + length));
      pool.set(this.pool);
      this.pool = pool;
    }
    for (let i = 0; i < length; i++) this.pool[this.poolLength + i] = bytes[from + i]!;
    this.poolLength += length;
    this.ends[term] = this.poolLength;
    this.slots[slot] = hash;
    this.slots[slot + 1] = term;
    if (this.size * 4 > this.slots.length) this.grow();
    return term;
  }

  private grow(): void {
    const before = this.slots;
    const slots = new Int32Array(before.length * 2).fill(-1);
    const mask = slots.length - 2;
    for (let old = 0; old < before.length; old += 2) {
      const term = before[old + 1]!;
      if (term < 0) continue;
      const hash = before[old]!;
      let slot = (hash << 1) & mask;
      while (slots[slot + 1]! >= 0) slot = (slot + 2) & mask;
      slots[slot] = hash;
      slots[slot + 1] = term;
    }
    this.slots = slots;
  }

  /** Compares the bytes of two terms. */
  private compare(left: number, right: number): number {
    const { pool } = this;
    let i = this.start(left);
    let j = this.start(right);
    const iEnd = this.ends[left]!;
    const jEnd = this.ends[right]!;
    while (i < iEnd && j < jEnd) {
      const difference = pool[i++]! - pool[j++]!;
      if (difference !== 0) return difference;
    }
    return iEnd - i - (jEnd - j);
  }

  /** The term numbers in byte order. Yields now and then, so that a caller can let other work run. */
  *sorted(): Generator<void, Int32Array> {
    const count = this.size;
    // Six bytes as one float decide most comparisons without touching the pool.
    const keys = new Float64Array(count);
    for (let term = 0; term < count; term++) {
      const start = this.start(term);
      const length = this.ends[term]! - start;
      let key = 0;
      for (let i = 0; i < 6; i++) key = key * 256 + (i < length ? this.pool[start + i]! : 0);
      keys[term] = key;
    }
    const order = (a: number, b: number): number => keys[a]! - keys[b]! || this.compare(a, b);
    let from = Int32Array.from({ length: count }, (_, i) => i);
    const run = 2048;
    for (let start = 0; start < count; start += run) {
      from.subarray(start, Math.min(count, start + run)).sort(order);
      yield;
    }
    let to = new Int32Array(count);
    for (let width = run; width < count; width *= 2) {
      for (let start = 0; start < count; start += width * 2) {
        const middle = Math.min(count, start + width);
        const end = Math.min(count, start + width * 2);
        let i = start;
        let j = middle;
        for (let out = start; out < end; out++) {
          if (i < middle && (j >= end || order(from[i]!, from[j]!) <= 0)) to[out] = from[i++]!;
          else to[out] = from[j++]!;
          if ((out & 0xffff) === 0xffff) yield;
        }
      }
      [from, to] = [to, from];
      yield;
    }
    return from;
  }
}
