// Collects the k documents with the best scores. Ties are broken by doc id, or by key under a view. A heap over typed arrays, its
// root the worst of them.
import { type KeyOrder, placeOf } from '../index/key-order.ts';
import type { SegmentView } from '../index/segment-view.ts';
import type { TieOrder } from './tie-order.ts';

/** Maximum size of arrays that are reused: allocating them took an eighth of a search for a rare term. */
const KEPT = 1024;
let spare: TopScoreCollector | undefined;

/** Stretches of documents of which every 32 are looked at for a key that comes early enough. */
const STRETCH = 64;

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);

/** The highest float32 below a score. */
function below(score: number): number {
  if (score <= 0) return -1;
  float[0] = score;
  bits[0]!--;
  return float[0];
}

/** Where keys decide among equals: the segment at hand. */
export class TiedSegment {
  readonly ties: TieOrder;
  readonly segment: SegmentView;
  /** The order of its keys. */
  readonly keys: KeyOrder;
  /** The first place in that order that is too late; -1: to be looked for. */
  late = -1;

  constructor(ties: TieOrder, segment: SegmentView) {
    this.ties = ties;
    this.segment = segment;
    this.keys = ties.within(segment);
  }
}

/**
 * Collects the best. `min` is the score a further document must exceed; -1 until there are k. Where keys decide among equals, that is
 * just below the score of the worst: what equals it may still get in.
 */
export class TopScoreCollector {
  size: number;
  readonly scores: Float32Array;
  readonly positions: Float64Array;
  count = 0;
  min: number;
  ties: TieOrder | undefined;
  /** Of the segment at hand, where keys decide. */
  tied: TiedSegment | undefined;

  private constructor(size: number) {
    this.size = size;
    this.scores = new Float32Array(size + 1);
    this.positions = new Float64Array(size + 1);
    this.min = size === 0 ? Infinity : -1;
  }

  /** One for k documents; to be given back. @param ties decides among equals; undefined: what is offered first */
  static take(size: number, ties?: TieOrder): TopScoreCollector {
    const top = this.takeSpare(size);
    top.ties = ties;
    return top;
  }

  private static takeSpare(size: number): TopScoreCollector {
    const top = spare;
    if (top === undefined || top.scores.length <= size) return new TopScoreCollector(size);
    spare = undefined;
    top.size = size;
    top.count = 0;
    top.min = size === 0 ? Infinity : -1;
    return top;
  }

  /** Ends the use of one. */
  static giveBack(top: TopScoreCollector): void {
    top.ties = undefined;
    top.tied = undefined;
    if (top.scores.length <= KEPT) spare = top;
  }

  /** Whether no further document with a score ≤ `min` can get in. */
  get full(): boolean {
    return this.count === this.size;
  }

  /** The documents that follow are of a segment. */
  enter(segment: SegmentView): void {
    this.tied = this.ties && new TiedSegment(this.ties, segment);
  }

  /** Whether any of the documents `first … last` of the segment at hand can get in, of which none scores higher than `bound`. */
  admits(bound: number, first: number, last: number): boolean {
    if (bound <= this.min) return false;
    const { tied } = this;
    if (tied === undefined || this.count < this.size || bound > this.scores[0]!) return true;
    const { lowest } = tied.keys;
    const late = this.latest(tied);
    if (lowest === undefined) return first < late;
    const end = last >>> 5;
    if (end - (first >>> 5) > STRETCH) return true;
    for (let word = first >>> 5; word <= end; word++) if (lowest[word]! < late) return true;
    return false;
  }

  /** Once there are k: the first place in the order of the segment's keys at which an equal of the worst is too late. */
  latest(tied: TiedSegment): number {
    if (tied.late < 0) tied.late = tied.ties.boundIn(tied.segment, this.positions[0]!);
    return tied.late;
  }

  private offerTied(tied: TiedSegment, score: number, position: number): void {
    const { scores, positions, size } = this;
    const { ties } = tied;
    if (this.count < size) {
      let i = this.count++;
      while (i > 0) {
        const parent = (i - 1) >> 1;
        if (scores[parent]! < score || (scores[parent] === score && ties.compare(positions[parent]!, position) > 0))
          break;
        scores[i] = scores[parent]!;
        positions[i] = positions[parent]!;
        i = parent;
      }
      scores[i] = score;
      positions[i] = position;
      if (this.count < size) return;
    } else {
      if (score < scores[0]!) return;
      if (score === scores[0] && placeOf(tied.keys, position - tied.segment.base) >= this.latest(tied)) return;
      this.sinkTied(ties, size, score, position);
    }
    this.min = below(scores[0]!);
    tied.late = -1;
  }

  /** Offers a document; positions ascend over all calls. */
  offer(score: number, position: number): void {
    const { tied } = this;
    if (tied !== undefined) {
      this.offerTied(tied, score, position);
      return;
    }
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
    const { scores, positions, ties } = this;
    for (let last = this.count - 1; last > 0; last--) {
      const score = scores[last]!;
      const position = positions[last]!;
      scores[last] = scores[0]!;
      positions[last] = positions[0]!;
      if (ties === undefined) this.#sink(last, score, position);
      else this.sinkTied(ties, last, score, position);
    }
  }

  /** As `#sink`, which has no comparison to call. */
  private sinkTied(ties: TieOrder, length: number, score: number, position: number): void {
    const { scores, positions } = this;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= length) break;
      if (
        child + 1 < length &&
        (scores[child + 1]! < scores[child]! ||
          (scores[child + 1] === scores[child] && ties.compare(positions[child + 1]!, positions[child]!) > 0))
      )
        child++;
      if (scores[child]! > score || (scores[child] === score && ties.compare(positions[child]!, position) < 0)) break;
      scores[i] = scores[child]!;
      positions[i] = positions[child]!;
      i = child;
    }
    scores[i] = score;
    positions[i] = position;
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
      )
        child++;
      if (scores[child]! > score || (scores[child] === score && positions[child]! < position)) break;
      scores[i] = scores[child]!;
      positions[i] = positions[child]!;
      i = child;
    }
    scores[i] = score;
    positions[i] = position;
  }
}
