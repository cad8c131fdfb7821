// Lucene's PriorityQueue, step by step: among equals, what it keeps and in which order follows from how it sifts.

/** Keeps the greatest of what it is offered, the least of them at its root. */
export class LuceneHeap<T> {
  readonly #limit: number;
  readonly #isLess: (a: T, b: T) => boolean;
  readonly #heap: T[] = [];

  constructor(limit: number, isLess: (a: T, b: T) => boolean) {
    this.#limit = limit;
    this.#isLess = isLess;
  }

  /** `insertWithOverflow`: of equals the newer one stays. */
  offer(value: T): void {
    const heap = this.#heap;
    if (heap.length < this.#limit) {
      heap.push(value);
      this.#up(heap.length - 1);
      return;
    }
    const [least] = heap;
    if (least === undefined || this.#isLess(value, least)) return;
    heap[0] = value;
    this.#down();
  }

  /** Takes all out, the greatest first. */
  sorted(): T[] {
    const heap = this.#heap;
    const found: T[] = [];
    for (let [root] = heap; root !== undefined; [root] = heap) {
      found.push(root);
      const last = heap.pop();
      if (last !== undefined && heap.length > 0) {
        heap[0] = last;
        this.#down();
      }
    }
    return found.reverse();
  }

  #up(from: number): void {
    const heap = this.#heap;
    const moving = heap[from]!;
    let at = from;
    for (let parent = (at - 1) >> 1; at > 0 && this.#isLess(moving, heap[parent]!); parent = (at - 1) >> 1) {
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = moving;
  }

  #down(): void {
    const heap = this.#heap;
    const moving = heap[0]!;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child + 1 < heap.length && this.#isLess(heap[child + 1]!, heap[child]!)) child++;
      if (child >= heap.length || !this.#isLess(heap[child]!, moving)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = moving;
  }
}
