// Puts the postings of one term into the order of their documents, where a merge sorts these.
import type { PostingsWriter } from './postings-writer.ts';
import { IntList } from './shared.ts';

/** Holds the positions of one term until its documents are in order. */
export class UnsortedPositions {
  readonly #positions = new IntList(1024);
  /** Where each document stood among the postings, and by these places the start of its positions and how many they are. */
  readonly #places: Int32Array;
  readonly #starts = new IntList(1024);
  readonly #counts = new IntList(1024);

  /** @param docCount documents of the merged segment */
  constructor(docCount: number) {
    this.#places = new Int32Array(docCount);
  }

  addPositions(from: ArrayLike<number>, start: number, end: number): void {
    const list = this.#positions;
    list.reserve(list.length + end - start);
    for (let at = start; at < end; at++) list.values[list.length++] = from[at]!;
  }

  /**
   * Sorts the postings of a term by document, and hands the positions on.
   *
   * @param docs each document once
   * @param writer undefined where there are no positions
   */
  sort(docs: IntList, frequencies: IntList, writer: PostingsWriter | undefined): void {
    if (isAscending(docs)) writer?.addPositions(this.#positions.values, 0, this.#positions.length);
    else this.#reorder(docs, frequencies, writer);
    this.#positions.length = 0;
  }

  #reorder(docs: IntList, frequencies: IntList, writer: PostingsWriter | undefined): void {
    const { length: count } = docs;
    this.#starts.reserve(count);
    this.#counts.reserve(count);
    const places = this.#places;
    const { values: starts } = this.#starts;
    const { values: counts } = this.#counts;
    for (let at = 0, start = 0; at < count; at++) {
      places[docs.values[at]!] = at;
      starts[at] = start;
      start += counts[at] = frequencies.values[at]!;
    }
    docs.values.subarray(0, count).sort();
    for (let to = 0; to < count; to++) {
      const at = places[docs.values[to]!]!;
      const frequency = counts[at]!;
      frequencies.values[to] = frequency;
      writer?.addPositions(this.#positions.values, starts[at]!, starts[at]! + frequency);
    }
  }
}

/** As are those of a term with one document, which most terms of an id are. */
function isAscending({ values, length }: IntList): boolean {
  for (let at = 1; at < length; at++) if (values[at - 1]! > values[at]!) return false;
  return true;
}
