// `top_hits`: the best documents of each bucket, by score or by a sort of columns, printed as hits.
import { keptSource } from '../fetch/source-filter.ts';
import type { Aggregator, SegmentScope } from '../aggs/aggregator.ts';
import { byId } from '../aggs/by-id.ts';
import type { QueryContext } from '../dsl/context.ts';
import { createHighlighter } from '../highlight/highlight.ts';
import type { SortValue } from '../collect/search-request.ts';
import { asBoolean, asObject, isObject, type Json, knownHere, textOf, toList, tokenOf } from '../json/json.ts';
import { coercedInteger } from '../json/object-parser.ts';
import { withoutNarrowing } from '../query/lucene/nested-scope.ts';
import type { Query } from '../query/query.ts';
import { illegalArgument, parsingError, shardArgument } from '../errors/request-error.ts';
import { explainedIn, fetchHit, printExplanation, sourceOf } from '../fetch/fetch.ts';
import { shortFloat } from '../fetch/short-float.ts';
import { indexLimits } from '../settings/index-limits.ts';
import { checkFetchLimits, type FetchOptions, readFetchOptions, SUB_HITS_KEYS } from '../fetch/fetch-options.ts';
import { around, innerHitsOf, type InnerHitsPlan } from './inner-hits.ts';
import { ownSortReader } from '../sort/own-sort-reader.ts';
import { compareSort, type ResolvedSort } from '../sort/resolved-sort.ts';
import { readSort } from '../sort/sort.ts';
import type { SearchTarget, Target } from '../fetch/target.ts';

/** A document of a bucket. */
interface Entry {
  readonly scope: SegmentScope;
  readonly doc: number;
  readonly score: number;
}

/** Members that are one value each. */
const SCALARS = ['from', 'size', 'version', 'seq_no_primary_term', 'explain', 'track_scores'];

/** The search that the aggregation is part of. */
export interface AroundTopHits {
  readonly targets: readonly SearchTarget[];
  /** What the documents were found by, for highlighting. */
  readonly queryOf: (target: Target) => Query;
  /** The inner hits that all hits of the search show. */
  readonly innerHitsOf: (target: Target) => readonly InnerHitsPlan[];
  readonly totalHitsAsInt: boolean;
}

/** Reads the body of the aggregation. */
export function topHits(name: string, meta: Json | undefined, body: Json, search: AroundTopHits): Aggregator {
  const { targets } = search;
  for (const [key, value] of Object.entries(body))
    if (!SUB_HITS_KEYS.includes(key) || (SCALARS.includes(key) && (value === null || typeof value === 'object')))
      throw parsingError(`Unknown key for a ${tokenOf(value)} in [${key}].`, knownHere(key, SUB_HITS_KEYS));
  const highlight = body['highlight'] === undefined ? undefined : asObject(body['highlight'], 'highlight');
  const from = body['from'] === undefined ? 0 : coercedInteger(body['from'], 'from');
  const size = body['size'] === undefined ? 3 : coercedInteger(body['size'], 'size');
  for (const [key, value] of Object.entries({ from, size }))
    if (value < 0) throw illegalArgument(`[${key}] must be greater than or equal to 0. Found [${value}] in [${name}]`);
  const window = Math.min(...targets.map(({ target }) => indexLimits(target.index.definition).innerResultWindow));
  if (from + size > window)
    throw shardArgument(
      `Top hits result window is too large, the top hits aggregator [${name}]'s from + size must be less than or equal to: [${window}] but was [${from + size}]. This limit can be set by changing the [index.max_inner_result_window] index level setting.`,
    );
  if (from + size === 0)
    throw shardArgument('numHits must be > 0; please use TotalHitCountCollector if you just need the total hit count');
  const hasSort = toList(body['sort'] ?? []).length > 0;
  const options = readFetchOptions(body);
  for (const { target } of targets) checkFetchLimits(options, indexLimits(target.index.definition));
  const shows = body['track_scores'] !== undefined && asBoolean(body['track_scores'], 'track_scores');
  const sort = body['sort'];
  const kept: (Sorted[] | undefined)[] = [];
  const openKeys = (scope: SegmentScope): OpenKeys => {
    const { target } = targets.find(({ searcher }) => searcher === scope.searcher)!;
    const keys = readSort(sort, target.context);
    return { target, keys, readers: keys.map((key) => ownSortReader(key, scope)) };
  };
  return {
    name,
    typeName: 'top_hits',
    meta,
    needsScores: true,
    open(scope) {
      // What cannot be read fails the search of its index, not what the others answer.
      const opened = openKeys(scope);
      return (doc, bucket) => {
        const { score } = scope;
        const values = opened.readers.map((read) => read(doc, score));
        (kept[bucket] ??= []).push({ ...opened, entry: { scope, doc, score }, values });
      };
    },
    result(bucket) {
      const found = [...(kept[bucket] ?? [])].sort(compareSorted);
      const best = found.reduce((max, { entry }) => Math.max(max, entry.score), -Infinity);
      return {
        hits: {
          total: search.totalHitsAsInt ? found.length : { value: found.length, relation: 'eq' },
          max_score: !hasSort || shows || isByScore(sort) ? shortFloat(best) : null,
          hits: found.slice(from, from + size).map((sorted) => shownHit(sorted, { options, highlight, shows, search })),
        },
      };
    },
  };
}

/** The keys of the sort, opened on a segment. */
interface OpenKeys {
  readonly target: Target;
  readonly keys: readonly ResolvedSort[];
  readonly readers: readonly ((doc: number, score: number) => SortValue)[];
}

/** A document with what it is sorted by. */
interface Sorted extends OpenKeys {
  readonly entry: Entry;
  readonly values: readonly SortValue[];
}

function compareSorted(a: Sorted, b: Sorted): number {
  if (a.keys.length === 0) return b.entry.score - a.entry.score || byId(a.entry, b.entry);
  for (const [at, { key, across = same }] of a.keys.entries()) {
    const compared = compareSort(
      across(a.values[at] ?? null),
      (b.keys[at]?.across ?? same)(b.values[at] ?? null),
      key.kind === 'field' ? key.missing : undefined,
      key.order === 'desc',
    );
    if (compared !== 0) return compared;
  }
  return byId(a.entry, b.entry);
}

/** What hits show. */
interface Shown {
  readonly options: FetchOptions;
  readonly highlight: Json | undefined;
  /** Whether scores show beside a sort. */
  readonly shows: boolean;
  readonly search: AroundTopHits;
}

function shownHit({ entry, target, keys, values }: Sorted, { options, highlight, shows, search }: Shown): Json {
  const { queryOf, totalHitsAsInt } = search;
  const { segment, searcher } = entry.scope;
  const nested = segment.nestedPath(entry.doc);
  const root = segment.rootOf(entry.doc);
  const hit: Record<string, unknown> = fetchHit(
    target,
    searcher,
    segment,
    root,
    keys.length === 0 || shows ? entry.score : Number.NaN,
    options,
    undefined,
  );
  if (options.explain) Object.assign(hit, explained(entry.scope, root, queryOf(target), target));
  if (nested !== undefined) {
    hit['_nested'] = { field: nested, offset: segment.nestedOffset(entry.doc) };
    const kept = keptSource(target.mapping, sourceOf(segment, root));
    const inner = nestedSource(kept, nested, segment.nestedOffset(entry.doc));
    if (options.source.enabled) hit['_source'] = inner;
  }
  if (highlight !== undefined) {
    const whole = sourceOf(segment, root);
    const shown =
      nested === undefined ? whole : around(nested, nestedSource(whole, nested, segment.nestedOffset(entry.doc)));
    const fragments = createHighlighter(highlight, queryOf(target), target).highlight(shown);
    if (Object.keys(fragments).length > 0) hit['highlight'] = fragments;
  }
  const plans = nested === undefined ? search.innerHitsOf(target) : [];
  if (plans.length > 0)
    hit['inner_hits'] = innerHitsOf(plans, target, searcher, { segment, doc: root }, totalHitsAsInt);
  return keys.length === 0 ? hit : { ...hit, sort: values.map((value, at) => keys[at]!.show(value)) };
}

/** How a document was found. Elements of nested fields are hits here too: the query is not narrowed to whole documents, and all are every document. */
function explained({ searcher, segment }: SegmentScope, root: number, query: Query, target: Target): Json {
  const explanation = printExplanation(searcher.explainAs(withoutNarrowing(target.mapping), query, segment, root));
  return {
    ...explainedIn(target),
    _explanation:
      query.kind === 'match_all' && isObject(explanation) ? { ...explanation, description: '*:*' } : explanation,
  };
}

/** Reads the body of the aggregation for its mistakes only. */
export function parseTopHits(name: string, meta: Json | undefined, body: Json, context: QueryContext): Aggregator {
  readSort(body['sort'], context);
  return topHits(name, meta, body, {
    targets: [],
    queryOf: () => ({ kind: 'match_none' }),
    innerHitsOf: () => [],
    totalHitsAsInt: false,
  });
}

/** Whether the order asked for is the usual one, by which scores are known. */
function isByScore(sort: unknown): boolean {
  const [only, ...more] = toList(sort);
  if (more.length > 0) return false;
  if (only === '_score') return true;
  const own = isObject(only) && Object.keys(only).length === 1 ? only['_score'] : undefined;
  const order = isObject(own) ? (own['order'] ?? 'desc') : own;
  return own !== undefined && textOf(order).toLowerCase() === 'desc';
}

const same = (value: SortValue): SortValue => value;

function nestedSource(source: Json, path: string, offset: number): unknown {
  let value: unknown = source;
  for (const step of path.split('.')) value = isObject(value) ? value[step] : undefined;
  return Array.isArray(value) ? value[offset] : value;
}
