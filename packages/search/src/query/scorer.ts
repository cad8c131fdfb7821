// The contracts of query execution: a `Weight` is a query bound to one search (its statistics are fixed), a `Scorer` walks its
// matches in one segment. One file per kind of query implements them; the loops that matter have shortcuts of their own.
import { checkTurn, tick } from '../tasks/request-budget.ts';
import type { Explanation } from './explanation.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import { emptyBits, hasBit, setBit } from '../index/bits.ts';
import type { Run } from './run.ts';
import type { SearchErrorCode } from '../errors/search-errors.ts';

/** Documents that a window spans at most. */
export const WINDOW = 2048;

/** Why a value of a document could not be computed: a code of the catalogue and the words of its message, never a value of the document. */
export interface Failure {
  readonly code: SearchErrorCode;
  readonly values: Readonly<Record<string, string>>;
}

/**
 * Walks the matching documents of one segment in ascending order, deleted ones included. Starts on -1; `next` and
 * `advance` answer `NO_MORE_DOCS` at the end and must not be called again after it.
 *
 * Or gives them by windows, which takes a fraction of the time where nearly all of many clauses are wanted: `begin` instead of the first
 * `next`, then `window` instead of all others. One scorer is used in one way only.
 */
export abstract class Scorer {
  doc = -1;
  /** About how many documents it will visit. */
  abstract readonly cost: number;
  abstract next(): number;
  /** The first match ≥ target; target is greater than `doc`. */
  abstract advance(target: number): number;
  /** The score of the current document, a float32. Asked at most once a document. */
  abstract score(): number;

  /**
   * Reports a failure that leaves unknown whether the current document matches. Called for collected documents only, before `score`, and
   * not by windows.
   *
   * @param _scored whether `score` follows
   */
  check(_scored: boolean): void {
    // Most scorers compute nothing that could fail.
  }

  /** Begins with windows; answers where the first match is at the earliest, as `doc` says it after each window. */
  begin(): number {
    return this.next();
  }

  /**
   * Writes the matches below a document, in ascending order, and goes to that document.
   *
   * @param end above `doc`, by `WINDOW` at most
   * @param accept the documents that count; undefined: all
   * @param scores takes their scores, which need not be worked out without it
   * @returns how many there are
   */
  window(end: number, accept: Int32Array | undefined, docs: Int32Array, scores: Float32Array | undefined): number {
    let count = 0;
    let walked = 0;
    let { doc } = this;
    while (doc < end) {
      if ((++walked & 127) === 0) checkTurn();
      if (accept === undefined || hasBit(accept, doc)) {
        docs[count] = doc;
        if (scores !== undefined) scores[count] = this.score();
        count++;
      }
      doc = this.next();
    }
    return count;
  }
}

/** What a window is written to. */
class WindowSpace {
  readonly docs = new Int32Array(WINDOW);
  readonly scores = new Float32Array(WINDOW);
}

const spaces: WindowSpace[] = [];

/** Lends a place for windows; an action may need another before it is done. */
export function withWindowSpace(action: (docs: Int32Array, scores: Float32Array) => void): void {
  const space = spaces.pop() ?? new WindowSpace();
  try {
    action(space.docs, space.scores);
  } finally {
    spaces.push(space);
  }
}

/**
 * Reads a scorer one document at a time, for queries that may fail on a document. Windows would compute documents that another clause
 * excludes, and whether a query reads windows depends on costs, which count hidden documents.
 */
class WalkedScorer extends Scorer {
  readonly cost: number;
  private readonly inner: Scorer;

  constructor(inner: Scorer) {
    super();
    this.inner = inner;
    this.cost = inner.cost;
  }

  next(): number {
    return (this.doc = this.inner.next());
  }

  advance(target: number): number {
    return (this.doc = this.inner.advance(target));
  }

  score(): number {
    return this.inner.score();
  }

  override window(
    end: number,
    accept: Int32Array | undefined,
    docs: Int32Array,
    scores: Float32Array | undefined,
  ): number {
    const { inner } = this;
    let count = 0;
    let walked = 0;
    let { doc } = inner;
    while (doc < end) {
      if ((++walked & 127) === 0) checkTurn();
      if (accept === undefined || hasBit(accept, doc)) {
        docs[count] = doc;
        inner.check(scores !== undefined);
        if (scores !== undefined) scores[count] = inner.score();
        count++;
      }
      doc = inner.next();
    }
    this.doc = doc;
    return count;
  }
}

/** A query within one search. */
export abstract class Weight {
  /** The query's `name`, to report which parts matched. */
  name: string | undefined;
  #mayFail: boolean | undefined;

  /** Whether this query, or a part of it, may fail on a document (computing-weight.ts). */
  get mayFail(): boolean {
    return (this.#mayFail ??= this.parts.some((part) => part.mayFail));
  }

  /** The scorer for a collector, which reads every match. */
  collecting(segment: SegmentView): Scorer | undefined {
    const scorer = this.scorer(segment);
    return scorer === undefined || !this.mayFail ? scorer : new WalkedScorer(scorer);
  }

  /** The parts, for names and explanations. */
  get parts(): readonly Weight[] {
    return [];
  }

  /** undefined: no match in this segment. */
  abstract scorer(segment: SegmentView): Scorer | undefined;

  /** How the score of a document comes about; undefined when it does not match. */
  abstract explain(segment: SegmentView, doc: number): Explanation | undefined;

  /**
   * Runs over one segment faster than the generic loop, when it can.
   *
   * @param accept the documents that count; undefined: all
   * @returns false when it cannot, with nothing done
   */
  run(_segment: SegmentView, _accept: Int32Array | undefined, _run: Run): boolean {
    return false;
  }

  /** How many documents match over the segments, deleted ones included, where that is known without looking; else -1. */
  shortcutCount(_segments: readonly SegmentView[]): number {
    return -1;
  }

  /** The matching documents of a segment, deleted ones included where nothing is computed of them. */
  bits(segment: SegmentView): Int32Array {
    const bits = emptyBits(segment.docCount);
    const scorer = this.collecting(segment);
    if (scorer === undefined) return bits;
    withWindowSpace((docs) => {
      for (let doc = scorer.begin(); doc !== NO_MORE_DOCS; doc = scorer.doc) {
        const count = scorer.window(doc + WINDOW, undefined, docs, undefined);
        tick(16 * count);
        for (let i = 0; i < count; i++) setBit(bits, docs[i]!);
      }
    });
    return bits;
  }
}

/** The scorers of those queries that can match in the segment. */
export function scorersOf(weights: readonly Weight[], segment: SegmentView): Scorer[] {
  const scorers: Scorer[] = [];
  for (const weight of weights) {
    const scorer = weight.scorer(segment);
    if (scorer !== undefined) scorers.push(scorer);
  }
  return scorers;
}

/** Whether a scorer of the segment stops at the document, and the scorer. */
export function scorerAt(weight: Weight, segment: SegmentView, doc: number): Scorer | undefined {
  const scorer = weight.scorer(segment);
  if (scorer === undefined) return undefined;
  return scorer.advance(doc) === doc ? scorer : undefined;
}
