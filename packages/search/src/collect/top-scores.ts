// The k best documents by score, earlier documents first among equals: a heap over typed arrays, its root the worst of them.

/** Arrays up to this size are kept for the next search: allocating them was an eighth of what a rare term costs. */
const KEPT = 1024;
let spare: TopScores | undefined;

/** Collects the best. `min` is the score a further document must exceed; -1 until there are k. */
export class TopScores {
  size: number;
  readonly scores: Float32Array;
  readonly positions: Float64Array;
  count = 0;
  min: number;

  private constructor(size: number) {
    this.size = size;
    this.scores = new Float32Array(size + 1);
    this.positions = new Float64Array(size + 1);
    this.min = size === 0 ? Infinity : -1;
  }

  /** One for k documents; to be given back. */
  static take(size: number): TopScores {
    const top = spare;
    if (top === undefined || top.scores.length <= size) return new TopScores(size);
    spare = undefined;
    top.size = size;
    top.count = 0;
    top.min = size === 0 ? Infinity : -1;
    return top;
  }

  /** Ends the use of one. */
  static giveBack(top: TopScores): void {
    if (top.scores.length <= KEPT) spare = top;
  }

  /** Whether no further document with a score ≤ `min` can get in. */
  get full(): boolean {
    return this.count === this.size;
  }

  /** Offers a document; positions ascend over all calls. */
  offer(score: number, position: number): void {
    const { scores, positions, size } = this;
    if (this.count < size) {
      let i = this.count++;
      while (i > 0) {
        const parent = (i - 1) >> 1;
        if (scores[parent]! < score || (scores[parent] === score && positions[parent]! > position)) break;
        scores[i] = scores[parent]!;
        positions[i] = positions[parent]!;
        i = parent;
      }
      scores[i] = score;
      positions[i] = position;
      if (this.count === size) this.min = scores[0]!;
      return;
    }
    if (score <= this.min) return;
    this.#sink(size, score, position);
    this.min = scores[0]!;
  }

  /** Puts `scores` and `positions` in order, best first; nothing can be offered any more. */
  order(): void {
    const { scores, positions } = this;
    for (let last = this.count - 1; last > 0; last--) {
      const score = scores[last]!;
      const position = positions[last]!;
      scores[last] = scores[0]!;
      positions[last] = positions[0]!;
      this.#sink(last, score, position);
    }
  }

  /** Puts a document into the heap of the first `length` places in the root's stead. */
  #sink(length: number, score: number, position: number): void {
    const { scores, positions } = this;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= length) break;
      if (
        child + 1 < length &&
        (scores[child + 1]! < scores[child]! ||
          (scores[child + 1] === scores[child] && positions[child + 1]! > positions[child]!))
      ) {
        child++;
      }
      if (scores[child]! > score || (scores[child] === score && positions[child]! < position)) break;
      scores[i] = scores[child]!;
      positions[i] = positions[child]!;
      i = child;
    }
    scores[i] = score;
    positions[i] = position;
  }
}
