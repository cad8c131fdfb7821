// One search of one index on a cluster: its request, and the hits of the answer. What is wrong with the search itself was found before.
import { isProductError } from '@lockstitch/kernel';
import { isObject, type Json } from '../json/json.ts';
import type { Planned } from '../search/prepared-search.ts';
import type { SearchBody } from '../search/search-body.ts';
import type { ClusterCompiler } from '../query/cluster/cluster-compiler.ts';
import { MATCH_ALL } from '../query/cluster/leaves.ts';
import { parseQuery } from '../dsl/parse-query.ts';
import { searchError } from '../errors/search-errors.ts';
import { type CompiledAggregations, compileAggregations } from './compile-aggregations.ts';
import { type BucketCheck, bucketCheck } from './bucket-limit.ts';
import { type ClusterPlace, compileRows, filtersOf } from './compile-query.ts';
import { compileScored } from './compile-scored.ts';
import { compileSort } from './compile-sort.ts';
import { SEARCH_VERDICTS } from './search-verdicts.ts';
import { reasonOf } from '../query/cluster/verdict.ts';
import { documentsOf, type FoundDocument } from './raw-sources.ts';
import type { KnownStatistics } from './visible-statistics.ts';
import type { WholeAnswer } from './whole-answer.ts';

/** Hits of one answer at most (`index.max_result_window`). */
const MOST_HITS = 10_000;

/** Sends the body of a search. */
export type SendSearch = (body: Json) => Promise<WholeAnswer>;

interface Sending {
  /** Asks for hits and aggregations. */
  readonly send: SendSearch;
  /** Asks for what has to be known before. */
  readonly count: SendSearch;
  readonly maxBuckets: number;
}

export interface ClusterHit {
  readonly document: FoundDocument;
  /** NaN where none was computed. */
  readonly score: number;
}

/** What a cluster found in one index. */
export interface ClusterFound {
  readonly hits: readonly ClusterHit[];
  readonly total: { readonly value: number; readonly relation: 'eq' | 'gte' } | undefined;
  /** NaN where it is not known. */
  readonly maxScore: number;
  readonly scrollId: string | undefined;
  /** The point in time that the next request names. */
  readonly pitId: string | undefined;
  readonly aggregations: Json | undefined;
}

/**
 * Searches.
 *
 * @throws ProductError SEARCH_NOT_ON_CLUSTER
 */
export async function searchTarget(
  planned: Planned,
  body: SearchBody,
  place: ClusterPlace,
  known: KnownStatistics,
  { count, maxBuckets, send }: Sending,
): Promise<ClusterFound> {
  const rows = compileRows(place);
  const { ownSort, request } = planned;
  const { from = 0, size = 0 } = request;
  const filters = filtersOf(place);
  const computed = aggregationsOf(planned, body, place, rows);
  const order = compileSort(
    ownSort.map(({ key }) => key),
    request.searchAfter,
    filters,
  );
  const isScored = scores(planned, body);
  // What is refused is refused before the cluster is asked anything.
  const filter = isScored ? undefined : filters.filter(planned.query);
  const postFilter = planned.postFilter && filters.filter(planned.postFilter);
  const collapse = collapseOf(planned, place);
  const check =
    body.aggregations &&
    bucketCheck(body.aggregations, narrowed(planned.query, filters), filters, maxBuckets, planned.target.context.now);
  const [query] = await Promise.all([
    filter ? undefined : compileScored(planned.query, place, known, rows, async (json) => (await count(json)).json),
    check && checkBuckets(check, rows, count),
  ]);
  const answer = await send({
    query: { bool: query === undefined ? { filter: [filter, rows] } : { must: [query], filter: [rows] } },
    from,
    size,
    sort: order.sort,
    track_total_hits: body.trackTotalHits,
    ...(order.after === undefined ? {} : { search_after: order.after }),
    // The best score of all hits is known where the first hit has it.
    ...(isScored && (body.trackScores || from > 0) ? { track_scores: true } : {}),
    ...(postFilter && { post_filter: postFilter }),
    ...(body.minScore === undefined ? {} : { min_score: body.minScore }),
    ...collapse,
    ...(computed === undefined ? {} : { aggs: computed.json }),
  });
  return readFound(answer, computed);
}

/** The query as a filter; all documents where its scores alone can be sent. */
function narrowed(query: Planned['query'], filters: ClusterCompiler): Json {
  try {
    return filters.filter(query);
  } catch (error) {
    if (isProductError(error) && error.code === 'SEARCH_NOT_ON_CLUSTER') return MATCH_ALL;
    throw error;
  }
}

async function checkBuckets({ aggregations, judge }: BucketCheck, rows: Json, count: SendSearch): Promise<void> {
  const { json } = await count({
    size: 0,
    track_total_hits: false,
    query: { bool: { filter: [rows] } },
    aggs: aggregations,
  });
  judge(isObject(json['aggregations']) ? json['aggregations'] : {});
}

/** How many visible documents a query finds. */
export async function countTarget(query: Planned['query'], place: ClusterPlace, send: SendSearch): Promise<number> {
  const filter = [filtersOf(place).filter(query), compileRows(place)];
  const { total } = readFound(await send({ size: 0, track_total_hits: true, query: { bool: { filter } } }), undefined);
  if (total?.relation !== 'eq') throw new TypeError('the answer of the cluster has no total');
  return total.value;
}

/** The visible documents of some keys. */
export async function fetchDocuments(
  keys: readonly string[],
  place: ClusterPlace,
  send: SendSearch,
): Promise<readonly FoundDocument[]> {
  const found: FoundDocument[] = [];
  for (let from = 0; from < keys.length; from += MOST_HITS) {
    const ids = keys.slice(from, from + MOST_HITS);
    const filter = [filtersOf(place).filter({ kind: 'ids', ids }), compileRows(place)];
    const { hits } = readFound(await send({ size: ids.length, query: { bool: { filter } } }), undefined);
    found.push(...hits.map(({ document }) => document));
  }
  return found;
}

/** Whether a search shows or compares scores. */
function scores({ ownSort, request }: Planned, body: SearchBody): boolean {
  if (body.minScore !== undefined) return true;
  if (request.size === 0) return false;
  return ownSort.length === 0 || body.trackScores || ownSort.some(({ key }) => key.kind === 'score');
}

function aggregationsOf(
  { target }: Planned,
  { aggregations }: SearchBody,
  place: ClusterPlace,
  rows: Json,
): CompiledAggregations | undefined {
  if (aggregations === undefined || Object.keys(aggregations).length === 0) return undefined;
  return compileAggregations(aggregations, {
    compiler: filtersOf(place),
    rows,
    parseQuery: (json) => parseQuery(json, target.context),
  });
}

function collapseOf({ request: { collapse } }: Planned, place: ClusterPlace): Json {
  if (collapse === undefined) return {};
  if (filtersOf(place).fields.guard(collapse.field) !== undefined)
    throw searchError('SEARCH_NOT_ON_CLUSTER', {
      what: `collapse by the field [${collapse.field}]`,
      reason: reasonOf(SEARCH_VERDICTS.collapse),
    });
  return { collapse: { field: collapse.field } };
}

/** Reads the hits of an answer. @throws TypeError for one that is none */
export function readFound({ json, text }: WholeAnswer, computed: CompiledAggregations | undefined): ClusterFound {
  const { _scroll_id: scrollId, aggregations, hits, pit_id: pitId } = json;
  const list = isObject(hits) ? hits['hits'] : undefined;
  if (!isObject(hits) || !Array.isArray(list) || !list.every(isObject))
    throw new TypeError('the answer of the cluster has no hits');
  const documents = documentsOf(text, list);
  const found = documents.map((document, at) => ({ document, score: numberOr(list[at]!['_score']) }));
  return {
    hits: found,
    total: totalOf(hits['total']),
    maxScore: numberOr(hits['max_score'], found[0]?.score),
    scrollId: textOr(scrollId),
    pitId: textOr(pitId),
    aggregations: computed?.read(isObject(aggregations) ? aggregations : {}),
  };
}

/** @throws TypeError for one that is none */
export function totalOf(total: unknown): ClusterFound['total'] {
  if (!isObject(total)) return undefined;
  const { relation = 'eq', value } = total;
  if (typeof value !== 'number' || (relation !== 'eq' && relation !== 'gte'))
    throw new TypeError('the answer of the cluster has a total that is none');
  return { value, relation };
}

function numberOr(value: unknown, other = Number.NaN): number {
  return typeof value === 'number' ? value : other;
}

function textOr(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
