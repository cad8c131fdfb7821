// Heap of cursors by document: a prefix may stand for a thousand terms of which a document has ten, and only these are visited.
import type { Cursor } from '../index/postings.ts';

/** Cursors that move together, as a heap: the lowest document and the cursors on it. */
export class CursorHeap<Each extends Cursor> {
  /** The root is on the lowest document. */
  readonly #heap: Each[];
  readonly #here: Each[] = [];
  readonly #pending: number[] = [];

  /** @param cursors new ones, before their first document */
  constructor(cursors: readonly Each[]) {
    this.#heap = [...cursors];
  }

  /** Advances all to a document or the first one after it. @returns the lowest document */
  advance(target: number): number {
    const heap = this.#heap;
    for (;;) {
      const first = heap[0]!;
      if (first.doc >= target) return first.doc;
      first.advance(target);
      this.#sink(first);
    }
  }

  /** The cursors on the lowest document, unordered. Valid until the next move. */
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
