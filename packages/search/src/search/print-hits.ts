// What a search answers of its hits: each as the body asks for it, their number, the best score, and the shards that answered.
import type { Hit, SearchResult } from '../collect/search-request.ts';
import { isShardFailure, reduceError, RequestError } from '../errors/request-error.ts';
import { fetchHit, printExplanation, sourceOf } from '../fetch/fetch.ts';
import { shortFloat } from '../fetch/short-float.ts';
import { createHighlighter, type Highlighter } from '../highlight/highlight.ts';
import { type Json, toList } from '../json/json.ts';
import { hasNamedQuery } from '../query/walk-query.ts';
import { checkTime } from '../tasks/request-budget.ts';
import { collapseField, groupsOf, type Narrow } from './collapse.ts';
import type { FailingIndices } from './failing-indices.ts';
import { countShards } from '../fetch/target.ts';
import { innerHitsOf, type InnerHitsPlan, readInnerHits } from './inner-hits.ts';
import type { MergedHit } from './merge-hits.ts';
import type { Prepared } from './prepared-search.ts';
import { explainRescore } from './rescore.ts';
import type { SearchBody } from './search-body.ts';

/** How many shards answered. @param failures of those that did not, one for each index @param failed how many these are */
export function shardsOf(successful: number, failures: readonly object[] = [], failed = failures.length): Json {
  return { total: successful + failed, successful, skipped: 0, failed, ...(failed === 0 ? {} : { failures }) };
}

/** The options of a search that its hits are printed by. */
interface PrintOptions {
  readonly scroll?: unknown;
  readonly totalHitsAsInt: boolean;
  readonly failures?: readonly object[] | undefined;
}

export function printHits(
  body: SearchBody,
  prepared: readonly Prepared[],
  merged: readonly MergedHit[],
  options: PrintOptions,
  failing: FailingIndices,
  searchInner: (inner: SearchBody, narrow: Narrow) => unknown,
): Record<string, unknown> {
  const highlighters = new Map<number, Highlighter>();
  const inner = new Map<number, readonly InnerHitsPlan[]>();
  const named = prepared.map(({ query }) => hasNamedQuery(query));
  const printHit = (at: number, hit: Hit): Json => {
    checkTime();
    const { target, searcher, query, sort } = prepared[at]!;
    const printed = fetchHit(target, searcher, hit.segment, hit.doc, hit.score, body.fetch, query);
    if (body.fetch.explain && body.rescore.length > 0) {
      const first = searcher.explainAs(target.mapping, query, hit.segment, hit.doc);
      printed['_explanation'] = printExplanation(explainRescore(hit, first, body.rescore, target, searcher));
    }
    if (body.highlight !== undefined) {
      let highlighter = highlighters.get(at);
      if (highlighter === undefined)
        highlighters.set(at, (highlighter = createHighlighter(body.highlight, query, target)));
      const fragments = highlighter.highlight(sourceOf(hit.segment, hit.doc));
      if (Object.keys(fragments).length > 0) printed['highlight'] = fragments;
    }
    if (hit.sort !== undefined && body.sort !== undefined) {
      const shown =
        options.scroll === undefined || readLength(body.sort) === hit.sort.length
          ? hit.sort
          : hit.sort.slice(0, readLength(body.sort));
      printed['sort'] = shown.map((value, key) =>
        typeof value === 'number' && sort[key]!.key.kind === 'score' ? shortFloat(value) : sort[key]!.show(value),
      );
    }
    if (body.collapse !== undefined && (hit.collapse ?? null) !== null)
      printed['fields'] = { ...(printed['fields'] as Json | undefined), ...collapseField(body.collapse, hit, target) };
    const names = named[at] === true ? searcher.matchedNames(query, hit.segment, hit.doc) : [];
    if (names.length > 0) printed['matched_queries'] = names;
    let plans = inner.get(at);
    if (plans === undefined) inner.set(at, (plans = readInnerHits([body.query, body.postFilter], target)));
    if (plans.length > 0) printed['inner_hits'] = innerHitsOf(plans, target, searcher, hit, options.totalHitsAsInt);
    if (body.collapse?.['inner_hits'] !== undefined) {
      const groups = expanded(() => groupsOf(body, hit, searchInner));
      printed['inner_hits'] = { ...(printed['inner_hits'] as Json | undefined), ...groups };
    }
    return printed;
  };
  // The hits of an index that fails at showing them are left out and stay counted, as that index was searched.
  const hits = failing.each(
    merged,
    (each) => prepared[each.target]!.asked,
    ({ hit, target }) => printHit(target, hit),
  );
  const failures = [...(options.failures ?? []), ...failing.list];
  const successful = prepared
    .filter(({ asked }) => !failing.has(asked))
    .reduce((sum, { asked }) => sum + countShards(asked.target), 0);
  return {
    _shards: shardsOf(successful, failures, (options.failures?.length ?? 0) + failing.shards),
    hits: {
      ...printTotal(
        prepared.map((each) => each.result),
        body,
        options.totalHitsAsInt,
      ),
      max_score: prepared.length === 0 ? 0 : maxScore(prepared),
      hits,
    },
  };
}

/** Groups are searched once all shards have answered: what fails there is no failure of one. */
function expanded<T>(search: () => T): T {
  try {
    return search();
  } catch (error) {
    if (!(error instanceof RequestError) || !isShardFailure(error)) throw error;
    throw new RequestError(error.code, error.type, error.message, { ...error.details, phase: 'reduce' });
  }
}

function readLength(sort: unknown): number {
  return toList(sort).length;
}

function printTotal(results: readonly SearchResult[], body: SearchBody, asInt: boolean): Record<string, unknown> {
  if (body.trackTotalHits === false) return asInt ? { total: -1 } : {};
  if (results.length === 0) return { total: asInt ? 0 : { value: 0, relation: 'eq' } };
  // Elasticsearch notices it once all shards have answered.
  if (typeof body.trackTotalHits === 'number' && body.trackTotalHits < 0)
    throw reduceError(`value must be >= 0, got ${body.trackTotalHits}`, 'illegal_argument_exception');
  const limit = typeof body.trackTotalHits === 'number' ? body.trackTotalHits : Infinity;
  let value = 0;
  let relation: 'eq' | 'gte' = 'eq';
  for (const { total } of results) {
    value += total?.value ?? 0;
    if (total?.relation === 'gte') relation = 'gte';
  }
  if (value > limit) {
    value = limit;
    relation = 'gte';
  }
  return { total: asInt ? value : { value, relation } };
}

function maxScore(prepared: readonly Prepared[]): number | null {
  // As Elasticsearch answers where a pattern fits no index.
  if (prepared.length === 0) return 0;
  const best = Math.max(
    ...prepared.map(({ result }) => (Number.isNaN(result.maxScore) ? -Infinity : result.maxScore)),
    -Infinity,
  );
  return shortFloat(best);
}
