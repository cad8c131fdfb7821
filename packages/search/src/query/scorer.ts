// The contracts of query execution, as in Lucene: a `Weight` is a query bound to the statistics of one search, a `Scorer` walks its
// matches in one segment.
import { checkTurn, tick } from '../tasks/request-budget.ts';
import type { Explanation } from './explanation.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import { emptyBits, hasBit, setBit } from '../index/bits.ts';
import type { CollectorContext } from './collector-context.ts';
import type { SearchErrorCode } from '../errors/search-errors.ts';

/** Maximum documents of a window. */
export const WINDOW = 2048;

/** Why a document could not be computed: an error code and its parameters, never a value of the document. */
export interface Failure {
  readonly code: SearchErrorCode;
  readonly values: Readonly<Record<string, string>>;
}

/**
 * Walks the matching documents of one segment in ascending order, deleted ones included. Starts at -1; `next` and `advance` return
 * `NO_MORE_DOCS` at the end and must not be called after it.
 *
 * Alternatively it returns windows, much faster if most matches of many clauses are wanted: `begin` instead of the first `next`, then
 * `window` instead of all others. A scorer is used in one way only.
 */
export abstract class Scorer {
  doc = -1;
  /** Estimated number of documents it will visit. */
  abstract readonly cost: number;
  abstract next(): number;
  /** The first match ≥ target; target is greater than `doc`. */
  abstract advance(target: number): number;
  /** The score of the current document, a float32. Called at most once per document. */
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

  /** Starts windows. @returns a lower bound of the first match, like `doc` after each window */
  begin(): number {
    return this.next();
  }

  /**
   * Writes the matches below a document in ascending order, and advances to that document.
   *
   * @param end at most `WINDOW` above `doc`
   * @param accept the documents that count; undefined: all
   * @param scores receives their scores; undefined: not needed
   * @returns their number
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

/** Buffers of a window. */
class WindowSpace {
  readonly docs = new Int32Array(WINDOW);
  readonly scores = new Float32Array(WINDOW);
}

const spaces: WindowSpace[] = [];

/** Lends buffers for windows; an action may borrow more before it ends. */
export function withWindowSpace(action: (docs: Int32Array, scores: Float32Array) => void): void {
  const space = spaces.pop() ?? new WindowSpace();
  try {
    action(space.docs, space.scores);
  } finally {
    spaces.push(space);
  }
}

/**
 * Reads a scorer document by document, for queries that may fail on one. Windows would compute documents that another clause excludes,
 * and whether a query reads windows depends on costs, which include hidden documents.
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

/** A query bound to one search. */
export abstract class Weight {
  /** The query's `_name`, for `matched_queries`. */
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

  /** The parts of the query, for names. */
  get parts(): readonly Weight[] {
    return [];
  }

  /** undefined: no match in this segment. */
  abstract scorer(segment: SegmentView): Scorer | undefined;

  /** Explains the score of a document; undefined if it does not match. */
  abstract explain(segment: SegmentView, doc: number): Explanation | undefined;

  /** Why a document does not match; undefined where the kind of query says it. */
  explainMiss(_segment: SegmentView, _doc: number): string | undefined {
    return undefined;
  }

  /**
   * Collects one segment with a loop of its own, faster than the generic one.
   *
   * @param accept the documents that count; undefined: all
   * @returns false if it has no such loop and has done nothing
   */
  bulkScore(_segment: SegmentView, _accept: Int32Array | undefined, _run: CollectorContext): boolean {
    return false;
  }

  /** Matches over the segments, deleted ones included, if known without a search; else -1. */
  shortcutCount(_segments: readonly SegmentView[]): number {
    return -1;
  }

  /** The matches of a segment; includes deleted ones unless they are computed. */
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

/** A scorer on the document; undefined if it does not match. */
export function scorerAt(weight: Weight, segment: SegmentView, doc: number): Scorer | undefined {
  const scorer = weight.scorer(segment);
  if (scorer === undefined) return undefined;
  return scorer.advance(doc) === doc ? scorer : undefined;
}
