// A heap of the k documents with the first values, over typed arrays; its root is the last of them. The caller knows what a value means.
import type { TieOrder } from '../query/tie-order.ts';

/** Maximum size of arrays that are reused: allocating them takes a tenth of a search for a rare term. */
const KEPT = 1024;
let spare: ValueHeap | undefined;

export class ValueHeap {
  /** Ascending: the smaller is first. */
  readonly values: Float64Array;
  /** Positions in the index. */
  readonly positions: Float64Array;
  size: number;
  count = 0;
  private ties: TieOrder | undefined;

  private constructor(size: number) {
    this.size = size;
    this.values = new Float64Array(size);
    this.positions = new Float64Array(size);
  }

  /** Takes one for k documents from the pool. @param ties breaks ties; undefined: by position in the index */
  static take(size: number, ties: TieOrder | undefined): ValueHeap {
    let heap = spare;
    if (heap === undefined || heap.values.length < size) heap = new ValueHeap(size);
    else spare = undefined;
    heap.size = size;
    heap.count = 0;
    heap.ties = ties;
    return heap;
  }

  /** Returns one to the pool. */
  static giveBack(heap: ValueHeap): void {
    heap.ties = undefined;
    if (heap.values.length <= KEPT) spare = heap;
  }

  /** Values beyond it are not competitive, equal ones only if they lose the tie; NaN until there are k. */
  get bound(): number {
    return this.count === this.size ? this.values[0]! : Number.NaN;
  }

  /** Whether a document with the value of the bound loses the tie. */
  isLate(position: number): boolean {
    return this.ties === undefined || this.ties.compare(position, this.positions[0]!) >= 0;
  }

  /** Adds a competitive document; replaces the last one if there are k. */
  offer(value: number, position: number): void {
    const { values, positions, size } = this;
    if (this.count === size) {
      this.sink(value, position, size);
      return;
    }
    let at = this.count++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (values[parent]! > value || (values[parent] === value && this.isAfter(positions[parent]!, position))) break;
      values[at] = values[parent]!;
      positions[at] = positions[parent]!;
      at = parent;
    }
    values[at] = value;
    positions[at] = position;
  }

  /** Puts `values` and `positions` in order; nothing can be offered any more. */
  order(): void {
    const { values, positions } = this;
    for (let last = this.count - 1; last > 0; last--) {
      const value = values[last]!;
      const position = positions[last]!;
      values[last] = values[0]!;
      positions[last] = positions[0]!;
      this.sink(value, position, last);
    }
  }

  /** Whether the first of two documents with equal values comes after the second. */
  private isAfter(position: number, other: number): boolean {
    return this.ties === undefined ? position > other : this.ties.compare(position, other) > 0;
  }

  /** Replaces the root of the first `size` entries, and sifts it down. */
  private sink(value: number, position: number, size: number): void {
    const { values, positions } = this;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (
        child + 1 < size &&
        (values[child + 1]! > values[child]! ||
          (values[child + 1] === values[child] && this.isAfter(positions[child + 1]!, positions[child]!)))
      )
        child++;
      if (values[child]! < value || (values[child] === value && this.isAfter(position, positions[child]!))) break;
      values[at] = values[child]!;
      positions[at] = positions[child]!;
      at = child;
    }
    values[at] = value;
    positions[at] = position;
  }
}
