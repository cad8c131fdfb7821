// Which of many cursors stand on the next document, without asking each of them: a prefix may stand for a thousand terms of which a
// document has ten.
import type { Cursor } from '../index/postings.ts';

/** Cursors that move together: the least of their documents, and who stands there. */
export class CursorHeap<Each extends Cursor> {
  /** The root is on the least document. */
  readonly #heap: Each[];
  readonly #here: Each[] = [];
  readonly #pending: number[] = [];

  /** @param cursors none of which has moved */
  constructor(cursors: readonly Each[]) {
    this.#heap = [...cursors];
  }

  /** Moves all to a document or the first one after it; answers the least they stand on. */
  advance(target: number): number {
    const heap = this.#heap;
    for (;;) {
      const first = heap[0]!;
      if (first.doc >= target) return first.doc;
      first.advance(target);
      this.#sink(first);
    }
  }

  /** Those on the least document, in no order. Valid until the next move. */
  here(): readonly Each[] {
    const heap = this.#heap;
    const here = this.#here;
    const pending = this.#pending;
    const { doc } = heap[0]!;
    here.length = 0;
    pending.push(0);
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      if (at >= heap.length || heap[at]!.doc !== doc) continue;
      here.push(heap[at]!);
      pending.push(2 * at + 1, 2 * at + 2);
    }
    return here;
  }

  #sink(moving: Each): void {
    const heap = this.#heap;
    const { doc } = moving;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.doc < heap[child]!.doc) child++;
      if (heap[child]!.doc >= doc) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = moving;
  }
}
