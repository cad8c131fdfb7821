// Runs searches over a fixed set of segments: compiles the query, feeds each segment's matches to whatever the request needs,
// and puts the hits together. What a request means in JSON is not known here.
import { emptySegment } from '../index/empty-segment.ts';
import { explainQuery, printRewritten } from '../explain/explain-query.ts';
import type { FieldTypes } from '../query/lucene/nested-scope.ts';
import { searchError } from '../errors/search-errors.ts';
import { bothBits, countBits, hasBit, nextBit } from '../index/bits.ts';
import { encodeId } from '../index/ids.ts';
import type { Hit, SearchRequest, Searcher, SearchResult, SortKey } from './search-request.ts';
import type { Explanation } from '../query/explanation.ts';
import type { SegmentReader } from '../index/segment.ts';
import { SegmentView } from '../index/segment-view.ts';
import type { Similarity } from '../query/bm25.ts';
import { compile } from '../query/compile.ts';
import { NestedWeight } from '../query/nested.ts';
import type { Query } from '../query/query.ts';
import { scorerAt, type Weight } from '../query/scorer.ts';
import { TermWeight } from '../query/term.ts';
import { type QueryLimits, SharedStatistics, Statistics } from '../query/statistics.ts';
import type { Collector, SegmentCollector } from '../query/collector.ts';
import { OutOfTime, CollectorContext } from '../query/collector-context.ts';
import { runScorer } from '../query/run-scorer.ts';
import { collectUntil, outOfTime } from '../tasks/request-budget.ts';
import { FoundHit } from './found-hit.ts';
import { NumberSortedHits } from './number-sorted-hits.ts';
import { rootsOf, sortContext } from './sort-context.ts';
import { type ReadValue, valueReader } from './sort-values.ts';
import { type SortedHit, SortedHits } from './sorted-hits.ts';
import type { TieOrder } from '../query/tie-order.ts';
import { TopScoreCollector } from '../query/top-score-collector.ts';

/** The limits a searcher obeys. */
export interface SearchLimits extends QueryLimits {
  readonly maxResultWindow: number;
}

const DEFAULT_TOTAL = 10_000;
/** Views whose field statistics a searcher remembers; a few kilobytes each. */
const SHARED_VIEWS = 256;
const viewKeys = new WeakMap<Query, string>();

/** One text per view, computed once per object. */
function viewKey(view: Query): string {
  let key = viewKeys.get(view);
  if (key === undefined) viewKeys.set(view, (key = JSON.stringify(view)));
  return key;
}

export class IndexSearcher implements Searcher {
  readonly segments: readonly SegmentView[];
  readonly similarity: Similarity;
  readonly limits: SearchLimits;
  private readonly onRelease: (() => void) | undefined;
  private holders = 1;
  private readonly shared = new Map<string, SharedStatistics>();

  constructor(segments: readonly SegmentView[], similarity: Similarity, limits: SearchLimits, onRelease?: () => void) {
    this.segments = segments;
    this.similarity = similarity;
    this.limits = limits;
    this.onRelease = onRelease;
  }

  protected statistics(view: Query | undefined): Statistics {
    const { segments, similarity, limits } = this;
    if (view === undefined) return new Statistics(segments, similarity, limits, undefined, this.sharedFor(''));
    const key = viewKey(view);
    const bits = (segment: SegmentView): Int32Array => {
      const statistics = this.statistics(undefined);
      const found = compile(view, statistics).bits(segment);
      statistics.release();
      return found;
    };
    return new Statistics(segments, similarity, limits, { key, bits }, this.sharedFor(key));
  }

  /** What decides among equals; undefined: the order of the index. */
  protected ties(): TieOrder | undefined {
    return undefined;
  }

  /** What earlier searches of this searcher counted under the same view. */
  protected sharedFor(key: string): SharedStatistics {
    let shared = this.shared.get(key);
    if (shared === undefined) {
      if (this.shared.size >= SHARED_VIEWS) this.shared.clear();
      this.shared.set(key, (shared = new SharedStatistics()));
    }
    return shared;
  }

  private with<T>(view: Query | undefined, action: (statistics: Statistics) => T): T {
    const statistics = this.statistics(view);
    try {
      const result = action(statistics);
      statistics.raise();
      return result;
    } finally {
      statistics.release();
    }
  }

  docCount(view?: Query): number {
    return this.with(view, (statistics) => {
      let count = 0;
      for (const segment of this.segments) {
        const accept = rootsOf(segment, statistics.visible(segment));
        count += accept === undefined ? segment.docCount : countBits(accept);
      }
      return count;
    });
  }

  search(request: SearchRequest): SearchResult {
    const { from = 0, size = 10, sort = [], collapse } = request;
    if (from + size > this.limits.maxResultWindow)
      throw searchError('SEARCH_RESULT_WINDOW', { limit: this.limits.maxResultWindow, window: from + size });
    // Without hits nothing is scored, whatever `from` is.
    const window = size === 0 ? 0 : from + size;
    if (request.searchAfter !== undefined && request.searchAfter.length !== Math.max(1, sort.length))
      throw searchError('SEARCH_SORT_VALUES', { actual: request.searchAfter.length, wanted: Math.max(1, sort.length) });
    const byScore =
      request.searchAfter === undefined &&
      collapse === undefined &&
      (sort.length === 0 || (sort.length === 1 && sort[0]!.kind === 'score' && sort[0]!.order !== 'asc'));
    return this.with(request.view, (statistics) => {
      const deadline = Math.min(
        collectUntil(),
        request.timeout === undefined ? Infinity : performance.now() + request.timeout,
      );
      const weight = compile(request.query, statistics);
      const postFilter = request.postFilter === undefined ? undefined : compile(request.postFilter, statistics);
      const collectors = request.collectors ?? [];
      if (postFilter !== undefined && collectors.length > 0) {
        const first = new CollectorContext(undefined, 0, deadline);
        this.pass(weight, statistics, undefined, first, collectors, request);
        first.release();
      }
      const ties = this.ties();
      const top = byScore && window > 0 ? TopScoreCollector.take(this.bounded(window), ties) : undefined;
      const keys: readonly SortKey[] = sort.length === 0 ? [{ kind: 'score' }] : sort;
      const sorted =
        byScore || window === 0
          ? undefined
          : (NumberSortedHits.for(request, keys, window, this.segments, ties) ??
            new SortedHits({
              keys,
              size: window,
              after: request.searchAfter,
              collapse,
              trackScores: request.trackScores === true || sort.length === 0,
              ties,
              context: sortContext(this.segments, statistics),
            }));
      const track = request.trackTotalHits ?? DEFAULT_TOTAL;
      const countUpTo = track === true ? Infinity : track === false ? 0 : track + 1;
      const known = this.knownCount(request, weight, statistics);
      const run = new CollectorContext(top, known >= 0 ? 0 : countUpTo, deadline);
      const sinks: Collector[] = postFilter === undefined ? [...collectors] : [];
      if (sorted !== undefined) sinks.unshift(sorted);
      // What is wrong with a field of an aggregation is wrong without documents, too.
      if (this.segments.length === 0) for (const collector of collectors) collector.segment(emptySegment());
      const skip = sinks.length === 0 && top === undefined && (known >= 0 || track === false);
      const ended = skip
        ? { timedOut: false, terminatedEarly: false }
        : this.pass(weight, statistics, postFilter, run, sinks, request);
      run.release();
      const hits =
        top !== undefined
          ? this.topHits(top, from, sort.length > 0)
          : (sorted?.sorted() ?? []).slice(from).map((hit) => toHit(hit, sort.length > 0, collapse !== undefined));
      const best = top === undefined ? (sorted?.maxScore ?? Number.NaN) : top.count === 0 ? Number.NaN : top.scores[0]!;
      if (top !== undefined) TopScoreCollector.giveBack(top);
      const counted = known >= 0 ? known : run.hits;
      const total =
        track === false
          ? undefined
          : track !== true && counted > track
            ? ({ value: track, relation: 'gte' } as const)
            : ({ value: counted, relation: 'eq' } as const);
      return { hits, total, maxScore: best, ...ended };
    });
  }

  /** A page is never larger than the index. */
  private bounded(window: number): number {
    const documents = this.segments.reduce((sum, segment) => sum + segment.docCount, 0);
    return Math.max(1, Math.min(window, documents));
  }

  /** The number of hits where postings tell it without a pass; else -1. */
  private knownCount(request: SearchRequest, weight: Weight, statistics: Statistics): number {
    if (request.minScore !== undefined || request.postFilter !== undefined || request.terminateAfter) return -1;
    const { query } = request;
    let all = true;
    for (const segment of this.segments) {
      if (segment.roots !== undefined) return -1;
      all &&= statistics.visible(segment) === undefined;
    }
    if (all) return weight.shortcutCount(this.segments);
    if (!statistics.restricted) return -1;
    // The statistics of a view were counted on exactly the documents that are hits.
    if (query.kind === 'match_all') return statistics.viewedCount();
    return weight instanceof TermWeight ? weight.viewedCount : -1;
  }

  /** Feeds the matches of every segment to the run and the collectors. */
  private pass(
    weight: Weight,
    statistics: Statistics,
    postFilter: Weight | undefined,
    run: CollectorContext,
    collectors: readonly Collector[],
    request: Pick<SearchRequest, 'minScore' | 'terminateAfter'>,
  ): { readonly timedOut: boolean; readonly terminatedEarly: boolean } {
    const stopAt =
      request.terminateAfter === undefined || request.terminateAfter === 0 ? undefined : request.terminateAfter;
    run.sinksNeedScores = collectors.some((collector) => collector.needsScores);
    try {
      for (const segment of this.segments) {
        run.checkTime();
        let accept = rootsOf(segment, statistics.visible(segment));
        if (postFilter !== undefined) accept = bothBits(accept, postFilter.bits(segment));
        const sinks: SegmentCollector[] = [];
        for (const collector of collectors) {
          const sink = collector.segment(segment);
          if (sink !== undefined) sinks.push(sink);
        }
        run.sinks = sinks;
        run.top?.enter(segment);
        if (request.minScore === undefined && stopAt === undefined && weight.bulkScore(segment, accept, run)) continue;
        const scorer = weight.collecting(segment);
        if (scorer !== undefined) runScorer(scorer, segment, accept, run, { minScore: request.minScore, stopAt });
        if (run.stopped) return { timedOut: false, terminatedEarly: true };
      }
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error;
      return { timedOut: true, terminatedEarly: false };
    }
    return { timedOut: false, terminatedEarly: false };
  }

  private topHits(top: TopScoreCollector, from: number, withSort: boolean): Hit[] {
    top.order();
    const hits: Hit[] = [];
    for (let i = from; i < top.count; i++) {
      const position = top.positions[i]!;
      const score = top.scores[i]!;
      const segment = this.segmentAt(position);
      hits.push(new FoundHit(segment, position - segment.base, score, withSort ? [score] : undefined));
    }
    return hits;
  }

  private segmentAt(position: number): SegmentView {
    let low = 0;
    let high = this.segments.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.segments[middle]!.base <= position) low = middle;
      else high = middle - 1;
    }
    return this.segments[low]!;
  }

  sortValues(key: SortKey, reader: SegmentReader): ReadValue {
    return this.with(undefined, (statistics) =>
      valueReader(key, this.own(reader), sortContext(this.segments, statistics)),
    );
  }

  collect(query: Query, collectors: readonly Collector[], view?: Query): void {
    this.with(view, (statistics) => {
      const run = new CollectorContext(undefined, 0, collectUntil());
      const { timedOut } = this.pass(compile(query, statistics), statistics, undefined, run, collectors, {});
      run.release();
      if (timedOut) throw outOfTime();
    });
  }

  count(query: Query, view?: Query): number {
    const { total, timedOut } = this.search({ query, view, size: 0, trackTotalHits: true });
    if (timedOut) throw outOfTime();
    return total?.value ?? 0;
  }

  matches(query: Query, reader: SegmentReader, view?: Query): Int32Array {
    const segment = this.own(reader);
    return this.with(view, (statistics) =>
      this.matchesAmong(query, segment, statistics, rootsOf(segment, statistics.visible(segment))),
    );
  }

  matchesWithElements(query: Query, reader: SegmentReader): Int32Array {
    const segment = this.own(reader);
    return this.with(undefined, (statistics) =>
      this.matchesAmong(query, segment, statistics, statistics.visible(segment)),
    );
  }

  private matchesAmong(
    query: Query,
    segment: SegmentView,
    statistics: Statistics,
    documents: Int32Array | undefined,
  ): Int32Array {
    const weight = compile(query, statistics);
    const bits = weight.bits(segment);
    // The order of documents must not decide which failure is reported.
    if (statistics.hasFailed) for (const other of this.segments) if (other !== segment) weight.bits(other);
    return bothBits(bits, documents) ?? bits;
  }

  visible(reader: SegmentReader, view?: Query): Int32Array | undefined {
    const segment = this.own(reader);
    return this.with(view, (statistics) => statistics.visible(segment));
  }

  find(id: string, view?: Query): { readonly segment: SegmentReader; readonly doc: number } | undefined {
    const encoded = encodeId(id);
    for (const segment of this.segments.toReversed()) {
      const doc = segment.core.find(encoded);
      if (doc < 0 || (segment.live !== undefined && !hasBit(segment.live, doc))) continue;
      const visible = this.visible(segment, view);
      return visible === undefined || hasBit(visible, doc) ? { segment, doc } : undefined;
    }
    return undefined;
  }

  explain(query: Query, reader: SegmentReader, doc: number, view?: Query): Explanation | undefined {
    const segment = this.own(reader);
    return this.with(view, (statistics) => {
      const accept = rootsOf(segment, statistics.visible(segment));
      if (accept !== undefined && !hasBit(accept, doc)) return undefined;
      statistics.narrowTo(segment, doc);
      return compile(query, statistics).explain(segment, doc);
    });
  }

  explainAs(
    types: FieldTypes,
    query: Query,
    reader: SegmentReader,
    doc: number,
    path?: string,
  ): Explanation | undefined {
    const segment = this.own(reader);
    return this.with(undefined, (statistics) => {
      const accept = rootsOf(segment, statistics.visible(segment));
      const root = segment.rootOf(doc);
      if (accept !== undefined && !hasBit(accept, root)) return undefined;
      statistics.narrowTo(segment, root);
      return explainQuery(query, types, statistics, segment, doc, path);
    });
  }

  rewriteAs(types: FieldTypes, query: Query): string {
    return this.with(undefined, (statistics) => printRewritten(query, types, statistics));
  }

  matchedNames(query: Query, reader: SegmentReader, doc: number, view?: Query): readonly string[] {
    const segment = this.own(reader);
    return this.with(view, (statistics) => {
      const names: string[] = [];
      statistics.narrowTo(segment, doc);
      const visit = (weight: Weight): void => {
        if (weight.name !== undefined && scorerAt(weight, segment, doc) !== undefined) names.push(weight.name);
        // Parts of a nested query match hidden documents, not this one.
        if (!(weight instanceof NestedWeight)) weight.parts.forEach(visit);
      };
      visit(compile(query, statistics));
      return names;
    });
  }

  innerHits(
    query: Query,
    path: string,
    reader: SegmentReader,
    root: number,
    view?: Query,
  ): readonly { readonly doc: number; readonly score: number }[] {
    const segment = this.own(reader);
    const elements = segment.core.documentsOfPath(path);
    if (elements === undefined) return [];
    return this.with(view, (statistics) => {
      statistics.narrowTo(segment, root);
      const scorer = compile(query, statistics, path).scorer(segment);
      const found: { doc: number; score: number }[] = [];
      if (scorer === undefined) return found;
      let first = root;
      while (first > 0 && (segment.roots === undefined || !hasBit(segment.roots, first - 1))) first--;
      for (let doc = nextBit(elements, first); doc >= 0 && doc < root; doc = nextBit(elements, doc + 1)) {
        if (scorer.doc < doc) scorer.advance(doc);
        if (scorer.doc !== doc) continue;
        scorer.check(true);
        found.push({ doc, score: scorer.score() });
      }
      if (statistics.hasFailed) this.failAlike(query, path, view);
      return found.sort((a, b) => b.score - a.score || a.doc - b.doc);
    });
  }

  /** Throws the one failure of all elements of a path, whichever of them was computed first. */
  private failAlike(query: Query, path: string, view: Query | undefined): void {
    this.with(view, (statistics) => {
      const weight = compile(query, statistics, path);
      for (const segment of this.segments) {
        const run = new CollectorContext(undefined, 0);
        const scorer = weight.collecting(segment);
        if (scorer !== undefined) runScorer(scorer, segment, statistics.visible(segment), run, { minScore: -Infinity });
        run.release();
      }
    });
  }

  private own(reader: SegmentReader): SegmentView {
    if (reader instanceof SegmentView) return reader;
    return this.segments.find((segment) => segment.name === reader.name)!;
  }

  /** Counts one more who has to release it. */
  retain(): this {
    this.holders++;
    return this;
  }

  release(): void {
    this.holders--;
    if (this.holders === 0) this.onRelease?.();
  }
}

/** The visible roots; undefined: all documents. */

function toHit({ segment, doc, score, values, group }: SortedHit, withSort: boolean, withGroup: boolean): Hit {
  return new FoundHit(segment, doc, score, withSort ? values : undefined, withGroup ? (group ?? null) : undefined);
}
