// `inner_hits` of nested queries: which elements of a nested field made a document match.
import type { Hit, Searcher, SortValue } from '../collect/search-request.ts';
import { createHighlighter } from '../highlight/highlight.ts';
import { parseQuery } from '../dsl/parse-query.ts';
import { asBoolean, asInteger, asObject, asString, isObject, type Json } from '../json/json.ts';
import type { Query } from '../query/query.ts';
import { docvalues, fetchHit, shortFloat, sourceOf } from '../fetch/fetch.ts';
import { indexLimits } from '../settings/index-limits.ts';
import { shardArgument, unsupported } from '../errors/request-error.ts';
import { checkFetchLimits, readFetchOptions } from '../fetch/fetch-options.ts';
import { ownSortValue } from '../sort/own-sort-value.ts';
import { compareSort, readSort, type ResolvedSort } from '../sort/sort.ts';
import { filterSource } from '../fetch/source-filter.ts';
import type { Target } from '../fetch/target.ts';

/** One `inner_hits` of a request. */
export interface InnerHitsPlan {
  readonly name: string;
  readonly path: string;
  readonly query: Query;
  readonly from: number;
  readonly size: number;
  readonly body: Json;
}

/** Finds the `inner_hits` anywhere in a query. */
export function readInnerHits(query: unknown, target: Target): InnerHitsPlan[] {
  const found: InnerHitsPlan[] = [];
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(walk);
    if (!isObject(value)) return;
    const nested = value['nested'];
    if (isObject(nested) && isObject(nested['inner_hits']) && typeof nested['path'] === 'string') {
      const body = nested['inner_hits'];
      if (body['explain'] === true) throw unsupported('[explain] in the inner_hits of a nested query');
      const from = body['from'] === undefined ? 0 : asInteger(body['from'], 'from');
      const size = body['size'] === undefined ? 3 : asInteger(body['size'], 'size');
      const name = body['name'] === undefined ? nested['path'] : asString(body['name'], 'name');
      const limits = indexLimits(target.index.definition);
      if (from + size > limits.innerResultWindow)
        throw shardArgument(
          `Inner result window is too large, the inner hit definition's [${name}]'s from + size must be less than or equal to: [${limits.innerResultWindow}] but was [${from + size}]. This limit can be set by changing the [index.max_inner_result_window] index level setting.`,
        );
      checkFetchLimits(readFetchOptions(body), limits);
      if (target.mapping.object(nested['path'])?.nested === true) {
        found.push({
          name,
          path: nested['path'],
          query: parseQuery(nested['query'], target.context),
          from,
          size,
          body,
        });
      }
    }
    Object.values(value).forEach(walk);
  };
  walk(query);
  return found;
}

/** The inner hits of one hit. */
export function innerHitsOf(
  plans: readonly InnerHitsPlan[],
  target: Target,
  searcher: Searcher,
  hit: Hit,
  asInt: boolean,
): Json {
  const found: Record<string, unknown> = {};
  const source = sourceOf(hit.segment, hit.doc);
  for (const plan of plans) {
    const inner = searcher.innerHits(plan.query, plan.path, hit.segment, hit.doc);
    const options = readFetchOptions(plan.body);
    const shows = plan.body['track_scores'] !== undefined && asBoolean(plan.body['track_scores'], 'track_scores');
    const keys = readSort(plan.body['sort'], target.context);
    const highlighter =
      plan.body['highlight'] === undefined
        ? undefined
        : createHighlighter(asObject(plan.body['highlight'], 'highlight'), plan.query, target);
    const ordered = inner.map((each) => ({
      ...each,
      values: keys.map((key) =>
        ownSortValue(key, { searcher, segment: hit.segment }, each.doc, each.score, 'the inner_hits of a nested query'),
      ),
    }));
    if (keys.length > 0) ordered.sort((a, b) => compareAll(keys, a.values, b.values) || a.doc - b.doc);
    const best = inner.reduce((max, each) => Math.max(max, each.score), -Infinity);
    found[plan.name] = {
      hits: {
        total: asInt ? inner.length : { value: inner.length, relation: 'eq' },
        max_score: keys.length === 0 || shows ? shortFloat(best) : null,
        hits: ordered.slice(plan.from, plan.from + plan.size).map(({ doc, score, values }) => {
          const base: Record<string, unknown> = fetchHit(
            target,
            searcher,
            hit.segment,
            hit.doc,
            keys.length === 0 || shows ? score : Number.NaN,
            { ...options, docvalueFields: [], source: { enabled: false, includes: [], excludes: [] } },
            undefined,
          );
          const columns = docvalues(target, hit.segment, doc, options.docvalueFields);
          const { field, element } = elementAt(source, plan.path, hit, doc);
          const fragments = highlighter?.highlight(around(plan.path, element)) ?? {};
          return {
            ...base,
            ...(Object.keys(columns).length === 0
              ? {}
              : { fields: { ...(base['fields'] as Json | undefined), ...columns } }),
            _nested: field,
            ...(Object.keys(fragments).length === 0 ? {} : { highlight: fragments }),
            ...(keys.length === 0 ? {} : { sort: values.map((value, at) => keys[at]!.show(value)) }),
            ...(options.source.enabled && isObject(element) ? { _source: filterSource(element, options.source) } : {}),
          };
        }),
      },
    };
  }
  return found;
}

function compareAll(keys: readonly ResolvedSort[], a: readonly SortValue[], b: readonly SortValue[]): number {
  for (const [at, { key }] of keys.entries()) {
    const compared = compareSort(
      a[at]!,
      b[at]!,
      key.kind === 'field' ? key.missing : undefined,
      key.order === 'desc' || (key.kind === 'score' && key.order === undefined),
    );
    if (compared !== 0) return compared;
  }
  return 0;
}

/** A source that holds one element of a nested field alone. */
export function around(path: string, element: unknown): Json {
  return path
    .split('.')
    .reverse()
    .reduce((inner: unknown, name) => ({ [name]: inner }), element) as Json;
}

/** Where an element stands in its document, and its part of the source. */
function elementAt(
  source: Json,
  path: string,
  hit: Hit,
  doc: number,
): { readonly field: Json; readonly element: unknown } {
  const { segment } = hit;
  const chain: { path: string; offset: number }[] = [];
  for (let at = doc; segment.nestedPath(at) !== undefined; at = segment.parentOf(at)) {
    chain.unshift({ path: segment.nestedPath(at)!, offset: segment.nestedOffset(at) });
  }
  let element: unknown = source;
  let above = '';
  for (const link of chain) {
    const rest = above === '' ? link.path : link.path.slice(above.length + 1);
    for (const step of rest.split('.')) element = isObject(element) ? element[step] : undefined;
    if (Array.isArray(element)) element = (element as readonly unknown[])[link.offset];
    above = link.path;
  }
  let field: Json | undefined;
  for (const link of chain.toReversed()) {
    const parent = chain[chain.indexOf(link) - 1]?.path;
    const name = parent === undefined ? link.path : link.path.slice(parent.length + 1);
    field = { field: name, offset: link.offset, ...(field === undefined ? {} : { _nested: field }) };
  }
  return { field: field ?? { field: path, offset: 0 }, element };
}
