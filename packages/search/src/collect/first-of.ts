// Selects the first k of many in some order, without sorting the rest: a heap with the last of the k on top.

/** Collects the first `limit` of what it is offered. */
export class FirstOf<T> {
  readonly #limit: number;
  readonly #compare: (a: T, b: T) => number;
  readonly #heap: T[] = [];

  constructor(limit: number, compare: (a: T, b: T) => number) {
    this.#limit = limit;
    this.#compare = compare;
  }

  offer(value: T): void {
    const heap = this.#heap;
    const compare = this.#compare;
    if (heap.length < this.#limit) {
      let at = heap.push(value) - 1;
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (compare(heap[parent]!, value) >= 0) break;
        heap[at] = heap[parent]!;
        at = parent;
      }
      heap[at] = value;
      return;
    }
    if (heap.length === 0 || compare(value, heap[0]!) >= 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && compare(heap[child + 1]!, heap[child]!) > 0) child++;
      if (compare(heap[child]!, value) <= 0) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = value;
  }

  /** Once there are `limit`, the last of them: only what comes before it still gets in. */
  get last(): T | undefined {
    return this.#heap.length === this.#limit ? this.#heap[0] : undefined;
  }

  /** What was kept, in order. */
  sorted(): T[] {
    return this.#heap.toSorted(this.#compare);
  }
}
