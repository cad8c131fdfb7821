// Puts the postings of one term into the order of their documents, where a merge sorts these.
import type { PostingsWriter } from './postings-writer.ts';
import { IntList } from './shared.ts';

/** Holds the positions of one term until its documents are in order. */
export class UnsortedPositions {
  readonly #positions = new IntList(1024);

  addPositions(from: ArrayLike<number>, start: number, end: number): void {
    const list = this.#positions;
    list.reserve(list.length + end - start);
    for (let at = start; at < end; at++) list.values[list.length++] = from[at]!;
  }

  /**
   * Sorts the postings of a term by document, and hands the positions on.
   *
   * @param writer undefined where there are no positions
   */
  sort(docs: IntList, frequencies: IntList, writer: PostingsWriter | undefined): void {
    const count = docs.length;
    // Document and place in one number, which sorts without calls of a function.
    const order = new Float64Array(count);
    const starts = new Uint32Array(count);
    for (let at = 0, start = 0; at < count; at++) {
      order[at] = docs.values[at]! * count + at;
      starts[at] = start;
      start += frequencies.values[at]!;
    }
    order.sort();
    const before = frequencies.values.slice(0, count);
    for (let to = 0; to < count; to++) {
      const at = order[to]! % count;
      const frequency = before[at]!;
      docs.values[to] = Math.floor(order[to]! / count);
      frequencies.values[to] = frequency;
      writer?.addPositions(this.#positions.values, starts[at]!, starts[at]! + frequency);
    }
    this.#positions.length = 0;
  }
}
