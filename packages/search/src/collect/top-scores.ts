// The k best documents by score, earlier documents first among equals: a heap over typed arrays, its root the worst of them.

/** Collects the best. `min` is the score a further document must exceed; -1 until there are k. */
export class TopScores {
  readonly size: number;
  readonly scores: Float32Array;
  readonly positions: Float64Array;
  count = 0;
  min: number;

  constructor(size: number) {
    this.size = size;
    this.scores = new Float32Array(size + 1);
    this.positions = new Float64Array(size + 1);
    this.min = size === 0 ? Infinity : -1;
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
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= size) break;
      if (
        child + 1 < size &&
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
    this.min = scores[0]!;
  }

  /** The documents from a place on, best first. */
  sorted(from = 0): { readonly position: number; readonly score: number }[] {
    const hits: { position: number; score: number }[] = [];
    for (let i = 0; i < this.count; i++) hits.push({ position: this.positions[i]!, score: this.scores[i]! });
    hits.sort((a, b) => b.score - a.score || a.position - b.position);
    return from === 0 ? hits : hits.slice(from);
  }
}
