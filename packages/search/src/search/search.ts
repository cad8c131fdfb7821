// One search over one or several indices: queries read against each mapping, hits merged in order, aggregations over all
// of them, everything under each index's view. HTTP and URL parameters are the REST layer's.
import { javaDouble } from '../json/java-values.ts';
import {
  type Aggregator,
  BucketBudget,
  type Collect,
  type CollectAll,
  printAll,
  type SegmentScope,
} from '../aggs/aggregator.ts';
import { parseAggregations } from '../aggs/parse-aggs.ts';
import type { Collector } from '../query/collector.ts';
import { boosted } from '../dsl/boosted.ts';
import { parseQuery } from '../dsl/parse-query.ts';
import { globMatches } from '../text/glob.ts';
import { readAfter } from './search-after.ts';
import { createHighlighter } from '../highlight/highlight.ts';
import type { Searcher, SearchRequest, SearchResult, SortValue } from '../collect/search-request.ts';
import type { Query } from '../query/query.ts';
import { type RequestLimits, tick, withBudget } from '../tasks/request-budget.ts';
import { isShardFailure, searchFailure, shardArgument } from '../errors/request-error.ts';
import type { Json } from '../json/json.ts';
import type { PrintedJson } from '../json/print-json.ts';
import { checkSuggest, runSuggest } from '../suggest/suggest.ts';
import { indexLimits } from '../settings/index-limits.ts';
import { checkRescoreWindow, rescored, rescoreSize } from './rescore.ts';
import { printProfile } from './profile.ts';
import { type Narrow, readCollapse } from './collapse.ts';
import { readInnerHits } from './inner-hits.ts';
import { mergeHits } from './merge-hits.ts';
import type { Planned, Prepared, Queried } from './prepared-search.ts';
import { printHits } from './print-hits.ts';
import type { SearchBody } from './search-body.ts';
import { checkFetchLimits } from '../fetch/fetch-options.ts';
import type { ResolvedSort } from '../sort/resolved-sort.ts';
import { readSort } from '../sort/sort.ts';
import { type FailedIndex, FailingIndices } from './failing-indices.ts';
import { countShards, explainedQuery, type SearchTarget, type Target, targetQuery } from '../fetch/target.ts';
import { topHits } from './top-hits.ts';

/** Knobs that come from the URL or the cluster. */
export interface SearchOptions {
  readonly now: number;
  readonly maxBuckets: number;
  /** Aggregations of one request at most, those inside of others included. */
  readonly maxAggregations: number;
  /** What the request may spend. */
  readonly limits: RequestLimits;
  readonly typedKeys: boolean;
  readonly totalHitsAsInt: boolean;
  /** Answers of shards that Elasticsearch would reduce at a time; undefined: 512. */
  readonly reducedTogether?: number | undefined;
  /** Milliseconds that an attempt took before this one. */
  readonly spent?: number;
  /** What cannot be searched, as the response lists it. */
  readonly failures?: readonly object[] | undefined;
  /** Whether an index that fails makes the search fail, instead of being listed; scrolls want all. */
  readonly wantsAll?: boolean | undefined;
  /** Continues after these per-target positions: scrolling. */
  readonly scroll?: readonly (readonly SortValue[] | undefined)[] | undefined;
}

/** What a search answers, and where each index stands for the next page. */
export interface SearchOutcome {
  readonly response: Record<string, unknown> | PrintedJson;
  readonly hits: number;
  readonly positions: readonly (readonly SortValue[] | undefined)[];
}

type Outcome = SearchOutcome & { readonly response: Record<string, unknown> };

/** Runs a search. */
export function runSearch(body: SearchBody, targets: readonly SearchTarget[], options: SearchOptions): Outcome {
  return withBudget({ ...options.limits, timeout: body.timeout }, () => searchAll(body, targets, options));
}

function searchAll(
  body: SearchBody,
  targets: readonly SearchTarget[],
  options: SearchOptions,
  narrow: Narrow = (query) => query,
): Outcome {
  const started = performance.now();
  const failing = new FailingIndices(targets, options.wantsAll ?? options.scroll !== undefined);
  const single = targets.length === 1;
  // All indices read the search before one is searched: most failures cost nothing then.
  const queried = failing.each(targets, itself, (asked) => readQueries(body, asked, narrow));
  let aggregators = readAggregators(body, targets, options, narrow);
  const planned = failing.each(queried, targetOf, (each, at) => plan(body, each, options, { at, single }));
  if (failing.count > 0) aggregators = readAggregators(body, planned.map(targetOf), options, narrow);
  const read = failing.count;
  let prepared = failing.each(planned, targetOf, (each) => search(each, body, aggregators));
  const merged = mergeHits(prepared, body, single, options.scroll !== undefined);
  if (merged.length === 0 && body.highlight !== undefined)
    prepared = failing.each(prepared, targetOf, (each) => {
      createHighlighter(body.highlight!, each.query, each.target);
      return each;
    });
  if (failing.count > read && aggregators.length > 0) {
    // Sums and counts hold what an index gave before it failed. Hits do not: those found stay, even if the time is over by now.
    const fresh = (aggregators = readAggregators(body, prepared.map(targetOf), options, narrow));
    prepared = prepared.map((each) => {
      const { timedOut } = aggregate(each, fresh);
      return { ...each, result: { ...each.result, timedOut: timedOut || each.result.timedOut } };
    });
  }
  const left = prepared.map(targetOf);
  const response = printHits(body, prepared, merged, options, failing, (inner, within) => {
    const { scroll: _, ...shared } = options;
    return searchAll(inner, left, shared, (each, target) => within(narrow(each, target), target)).response['hits'];
  });
  // Of no index at all, Elasticsearch computes nothing.
  if (aggregators.length > 0 && targets.length > 0)
    response['aggregations'] = printAll(aggregators, 0, options.typedKeys);
  if (targets.length > 0 && body.suggest !== undefined) {
    const asked = prepared.map((each) => ({ ...targetOf(each), query: each.query }));
    const found = runSuggest(body.suggest, asked, options.typedKeys, body.fetch);
    if (Object.keys(found).length > 0) response['suggest'] = found;
  }
  if (body.profile) response['profile'] = printProfile(prepared, aggregators, performance.now() - started);
  const positions = prepared.map((_, at) => {
    const last = merged.findLast((each) => each.target === at);
    return last === undefined ? options.scroll?.[at] : last.hit.sort;
  });
  return {
    response: {
      took: Math.round((options.spent ?? 0) + performance.now() - started),
      timed_out: prepared.some((each) => each.result.timedOut),
      ...(body.terminateAfter === 0 || prepared.length === 0 ? {} : { terminated_early: endedEarly(prepared, body) }),
      ...reducePhases(body, targets, options),
      ...response,
    },
    hits: merged.length,
    positions,
  };
}

/** How often the answers of many shards would be reduced, which is not shown where it is once. */
function reducePhases(body: SearchBody, targets: readonly SearchTarget[], options: SearchOptions): Json {
  const { reducedTogether: most = 512, scroll } = options;
  const shards = targets.reduce((sum, { target }) => sum + countShards(target), 0);
  if (shards <= most || scroll !== undefined || (body.size === 0 && body.aggregations === undefined)) return {};
  let phases = 1;
  let held = 0;
  for (let shard = 0; shard < shards; shard++, held++) {
    // What was reduced before is one of the next.
    if (held + (phases > 1 ? 1 : 0) < most) continue;
    phases++;
    held = 0;
  }
  return { num_reduce_phases: phases };
}

/** Whether `terminate_after` ended the search of an index. A number below zero does before the first document. */
function endedEarly(prepared: readonly Prepared[], { terminateAfter }: SearchBody): boolean {
  return prepared.some(
    ({ result, searcher }) => result.terminatedEarly || (terminateAfter < 0 && searcher.segments.length > 0),
  );
}

const itself = (target: SearchTarget): SearchTarget => target;
const targetOf = ({ asked }: Queried): SearchTarget => asked;

/** Of a search without any index. */
const NO_FIELDS = { field: () => undefined, object: () => ({}) };

function readAggregators(
  body: SearchBody,
  targets: readonly SearchTarget[],
  options: SearchOptions,
  narrow: Narrow,
): readonly Aggregator[] {
  if (body.aggregations === undefined) return [];
  return ofShards(targets, () =>
    parseAggregations(body.aggregations, {
      budget: new BucketBudget(options.maxBuckets, body.profile),
      typedKeys: options.typedKeys,
      maxAggregations: options.maxAggregations,
      now: options.now,
      formatOf: (path) =>
        targets.map(({ target }) => target.mapping.field(path)).find((field) => field?.family === 'date')?.format,
      mapped: targets[0]?.target.mapping ?? NO_FIELDS,
      topHits: (name, meta, json) =>
        topHits(name, meta, json, {
          targets,
          queryOf: (target) => narrow(targetQuery(target, body.query), target),
          innerHitsOf: (target) => readInnerHits([body.query, body.postFilter], target),
          totalHitsAsInt: options.totalHitsAsInt,
        }),
    }),
  );
}

/** What a shard would refuse is not refused where there is none. */
function ofShards(targets: readonly SearchTarget[], read: () => readonly Aggregator[]): readonly Aggregator[] {
  try {
    return read();
  } catch (error) {
    if (targets.length > 0 || !isShardFailure(error)) throw error;
    return [];
  }
}

/**
 * Reads a search for each of its indices, without running it.
 *
 * @throws RequestError for what is wrong with it
 */
export function planSearch(
  body: SearchBody,
  targets: readonly SearchTarget[],
  options: SearchOptions,
): readonly Planned[] {
  const single = targets.length === 1;
  return targets.map((asked, at) =>
    plan(
      body,
      readQueries(body, asked, (query) => query),
      options,
      { at, single },
    ),
  );
}

/** Reads queries and the sort for one index. @throws RequestError for what its mapping refuses */
function readQueries(body: SearchBody, asked: SearchTarget, narrow: Narrow): Queried {
  const { target } = asked;
  const read = body.fetch.explain ? explainedQuery(asked, body.query) : targetQuery(target, body.query);
  const query = isSuggestOnly(body)
    ? ({ kind: 'match_none' } as const)
    : boostedFor(target, narrow(read, target), body.indicesBoost);
  const postFilter = body.postFilter === undefined ? undefined : parseQuery(body.postFilter, target.context);
  return { asked, query, postFilter, ownSort: readSort(body.sort, target.context) };
}

/** Reads the rest of a search for one index, in the order of Elasticsearch. @throws RequestError for what its settings refuse, and for parts that do not go together */
function plan(
  body: SearchBody,
  { asked, ownSort, postFilter, query }: Queried,
  options: SearchOptions,
  { at, single }: { readonly at: number; readonly single: boolean },
): Planned {
  const { target, searcher } = asked;
  if (body.suggest !== undefined) checkSuggest(body.suggest, asked);
  const limits = indexLimits(target.index.definition);
  checkFetchLimits(body.fetch, limits);
  const isScroll = options.scroll !== undefined;
  const sort = isScroll ? withTieBreak(ownSort) : ownSort;
  const after = isScroll ? options.scroll[at] : readAfter(body, sort);
  if (body.slice !== undefined && !isScroll) throw searchFailure('`slice` cannot be used outside of a scroll context');
  const collapse = readCollapse(body, target);
  const window = body.from + body.size;
  if (window > target.index.settings.maxResultWindow && !isScroll) {
    throw shardArgument(
      `Result window is too large, from + size must be less than or equal to: [${target.index.settings.maxResultWindow}] but was [${window}]. See the scroll api for a more efficient way to request large data sets. This limit can be set by changing the [index.max_result_window] index level setting.`,
    );
  }
  if (body.rescore.length > 0 && ownSort.length > 0)
    throw shardArgument('Cannot use [sort] option in conjunction with [rescore].');
  checkRescoreWindow(body.rescore, limits.rescoreWindow ?? target.index.settings.maxResultWindow);
  const rescores = isRescored(body);
  const found = rescores
    ? rescoreSize(body.rescore, body.from + body.size)
    : single
      ? body.size
      : body.from + body.size;
  const request: SearchRequest = {
    query,
    from: rescores || !single ? 0 : body.from,
    size: found,
    ...(sort.length === 0 ? {} : { sort: sort.map((each) => each.key) }),
    ...(after === undefined ? {} : { searchAfter: after }),
    trackTotalHits: body.trackTotalHits,
    trackScores: body.trackScores || sort.some((each) => each.key.kind === 'score'),
    ...(body.minScore === undefined ? {} : { minScore: body.minScore }),
    ...(postFilter === undefined ? {} : { postFilter }),
    ...(collapse === undefined ? {} : { collapse }),
    terminateAfter: body.terminateAfter,
  };
  return { asked, target, searcher, query, postFilter, sort, ownSort, request };
}

/** Searches one index, and feeds the aggregations with its documents. */
function search(planned: Planned, body: SearchBody, aggregators: readonly Aggregator[]): Prepared {
  const { target, searcher, ownSort } = planned;
  const result = aggregate(planned, aggregators);
  const scored = isRescored(body) ? again(result, body, target, searcher) : result;
  return { ...planned, result: withoutScores(scored, ownSort, body) };
}

function aggregate({ target, searcher, request }: Planned, aggregators: readonly Aggregator[]): SearchResult {
  const locals = aggregators.filter((each) => each.isGlobal !== true);
  const globals = aggregators.filter((each) => each.isGlobal === true);
  const result = searcher.search(
    locals.length === 0 ? request : { ...request, collectors: [collectorFor(locals, target, searcher)] },
  );
  if (globals.length > 0) searcher.collect({ kind: 'match_all' }, [collectorFor(globals, target, searcher)]);
  return result;
}

function isRescored(body: SearchBody): boolean {
  return body.rescore.length > 0 && body.size > 0;
}

/** How many documents match. */
export interface Counted {
  readonly count: number;
  /** The indices that could not be asked. */
  readonly failures: readonly FailedIndex[];
}

/** How many documents match, over all targets. */
export function runCount(json: unknown, targets: readonly SearchTarget[], limits: RequestLimits): Counted {
  return withBudget(limits, () => {
    const failing = new FailingIndices(targets, false);
    const counts = failing.each(targets, itself, ({ target, searcher }) => searcher.count(targetQuery(target, json)));
    return { count: counts.reduce((sum, count) => sum + count, 0), failures: failing.list };
  });
}

function boostedFor(target: Target, query: Query, boosts: SearchBody['indicesBoost']): Query {
  const found = boosts.find(
    ([pattern]) =>
      globMatches(pattern, target.index.name) || target.context.aliases.some((alias) => globMatches(pattern, alias)),
  );
  if (found !== undefined && found[1] < 0)
    throw shardArgument(`boost must be a positive float, got ${javaDouble(found[1])}`);
  return found === undefined ? query : boosted(query, found[1]);
}

/** Whether only suggestions are asked for: such a search finds no documents. */
function isSuggestOnly(body: SearchBody): boolean {
  return body.suggest !== undefined && body.query === undefined && body.aggregations === undefined;
}

/** A result with the scores that its order or `track_scores` asks for; others are known where aggregations need them. */
export function withoutScores(result: SearchResult, sort: readonly ResolvedSort[], body: SearchBody): SearchResult {
  const byScore = sort.length === 0;
  if (byScore && body.collapse === undefined) return result;
  const maxScore = body.trackScores && body.collapse === undefined ? result.maxScore : Number.NaN;
  if (byScore || body.trackScores || sort.some(({ key }) => key.kind === 'score')) return { ...result, maxScore };
  return { ...result, maxScore, hits: result.hits.map((hit) => ({ ...hit, score: Number.NaN })) };
}

/** A result with its hits scored again. */
function again(result: SearchResult, body: SearchBody, target: Target, searcher: Searcher): SearchResult {
  const hits = rescored(result.hits, body.rescore, target, searcher);
  return { ...result, hits, maxScore: hits[0]?.score ?? Number.NaN };
}

function withTieBreak(sort: readonly ResolvedSort[]): readonly ResolvedSort[] {
  const plain = (key: ResolvedSort['key']): ResolvedSort => ({
    key,
    show: (value) => value,
    read: (value) => value as SortValue,
  });
  const keys = sort.length === 0 ? [plain({ kind: 'score', order: 'desc' })] : [...sort];
  return keys.some((each) => each.key.kind === 'doc') ? keys : [...keys, plain({ kind: 'doc' })];
}

/** Feeds the aggregations of a request with the documents of one index. */
function collectorFor(aggregators: readonly Aggregator[], target: Target, searcher: Searcher): Collector {
  const needsScores = aggregators.some((each) => each.needsScores);
  return {
    needsScores,
    segment(segment) {
      const scope: SegmentScope = {
        segment,
        searcher,
        mapping: target.mapping,
        context: target.context,
        score: Number.NaN,
      };
      const leaves: Collect[] = [];
      const batches: CollectAll[] = [];
      for (const each of aggregators) {
        const batch = each.openAll?.(scope);
        if (batch !== undefined) {
          batches.push(batch);
          continue;
        }
        const leaf = each.open(scope);
        if (leaf !== undefined) leaves.push(leaf);
      }
      if (leaves.length === 0 && batches.length === 0) return undefined;
      if (leaves.length === 0) {
        const collectWithin = (docs: Int32Array, count: number, within: Int32Array | undefined): void => {
          for (const batch of batches) batch(docs, count, within);
        };
        return { collect: (docs, count) => collectWithin(docs, count, undefined), collectWithin };
      }
      return {
        collect(docs, count, scores) {
          for (const batch of batches) batch(docs, count, undefined);
          for (let at = 0; at < count; at++) {
            tick(256);
            if (scores !== undefined) scope.score = scores[at]!;
            for (const leaf of leaves) leaf(docs[at]!, 0);
          }
        },
      };
    },
  };
}
