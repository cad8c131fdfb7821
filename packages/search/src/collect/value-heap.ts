// A heap of the k documents whose values come first, over typed arrays, the last of them at its root. The caller knows what
// a value means.
import type { TieOrder } from '../query/tie-order.ts';

/** Maximum size of arrays that are reused: allocating them takes a tenth of a search for a rare term. */
const KEPT = 1024;
let spare: ValueHeap | undefined;

export class ValueHeap {
  /** Smaller comes first. */
  readonly values: Float64Array;
  /** Places in the index. */
  readonly positions: Float64Array;
  size: number;
  count = 0;
  private ties: TieOrder | undefined;

  private constructor(size: number) {
    this.size = size;
    this.values = new Float64Array(size);
    this.positions = new Float64Array(size);
  }

  /** One for k documents; to be given back. @param ties decides among equals; undefined: the order of the index */
  static take(size: number, ties: TieOrder | undefined): ValueHeap {
    let heap = spare;
    if (heap === undefined || heap.values.length < size) heap = new ValueHeap(size);
    else spare = undefined;
    heap.size = size;
    heap.count = 0;
    heap.ties = ties;
    return heap;
  }

  /** Ends the use of one. */
  static giveBack(heap: ValueHeap): void {
    heap.ties = undefined;
    if (heap.values.length <= KEPT) spare = heap;
  }

  /** The value from which on no document gets in, equals apart that come before the last; NaN, which nothing reaches, until there are k. */
  get bound(): number {
    return this.count === this.size ? this.values[0]! : Number.NaN;
  }

  /** Whether a document, offered in the order of the index, with the value of the bound comes too late. */
  isLate(position: number): boolean {
    return this.ties === undefined || this.ties.compare(position, this.positions[0]!) >= 0;
  }

  /** Takes a document in that is not too late; where there are k already, for the last of them. */
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

  /** Whether the first of two equals comes after the second. */
  private isAfter(position: number, other: number): boolean {
    return this.ties === undefined ? position > other : this.ties.compare(position, other) > 0;
  }

  /** Puts a document at the root of the first `size` of the heap and moves it to its place. */
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
      ) {
        child++;
      }
      if (values[child]! < value || (values[child] === value && this.isAfter(position, positions[child]!))) break;
      values[at] = values[child]!;
      positions[at] = positions[child]!;
      at = child;
    }
    values[at] = value;
    positions[at] = position;
  }
}
