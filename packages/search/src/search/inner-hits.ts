// `inner_hits` of nested queries: which elements of a nested field made a document match.
import type { Hit, Searcher, SortValue } from '../collect/search-request.ts';
import { createHighlighter } from '../highlight/highlight.ts';
import { parseQuery } from '../dsl/parse-query.ts';
import { asBoolean, asInteger, asObject, asString, isObject, type Json, textOf } from '../json/json.ts';
import type { Query } from '../query/query.ts';
import { docvalues, explainedIn, fetchHit, printExplanation, sourceFields, sourceOf } from '../fetch/fetch.ts';
import { shortFloat } from '../fetch/short-float.ts';
import { indexLimits } from '../settings/index-limits.ts';
import { RequestError, shardArgument } from '../errors/request-error.ts';
import { checkFetchLimits, type FetchOptions, readFetchOptions } from '../fetch/fetch-options.ts';
import { ownSortReader } from '../sort/own-sort-reader.ts';
import { compareSort, type ResolvedSort } from '../sort/resolved-sort.ts';
import { readSort } from '../sort/sort.ts';
import { filterSource, keptSource } from '../fetch/source-filter.ts';
import type { Target } from '../fetch/target.ts';

/** One `inner_hits` of a request. */
export interface InnerHitsPlan {
  readonly name: string;
  readonly path: string;
  readonly query: Query;
  readonly from: number;
  readonly size: number;
  readonly body: Json;
  /** Those of nested queries inside its query: each of its hits has them. */
  readonly children: readonly InnerHitsPlan[];
}

/** Finds the `inner_hits` of queries, one after the other. @throws RequestError for two of one name */
export function readInnerHits(queries: readonly unknown[], target: Target): InnerHitsPlan[] {
  const found: InnerHitsPlan[] = [];
  for (const each of queries) addInnerHits(each, target, found);
  return found;
}

/** The queries inside of others whose inner hits are shown (QueryBuilder.extractInnerHitBuilders). */
const INSIDE: Readonly<Record<string, readonly string[]>> = {
  // What must not match has no hits.
  bool: ['must', 'filter', 'should'],
  boosting: ['positive', 'negative'],
  constant_score: ['filter'],
  dis_max: ['queries'],
  function_score: ['query'],
  pinned: ['organic'],
};

function addInnerHits(query: unknown, target: Target, plans: InnerHitsPlan[]): void {
  if (Array.isArray(query)) for (const each of query) addInnerHits(each, target, plans);
  if (!isObject(query)) return;
  const [kind = '', body] = Object.entries(query)[0] ?? [];
  if (!isObject(body)) return;
  if (kind === 'wrapper')
    addInnerHits(JSON.parse(Buffer.from(textOf(body['query']), 'base64').toString()), target, plans);
  else if (kind === 'nested') addNested(body, target, plans);
  else for (const member of INSIDE[kind] ?? []) addInnerHits(body[member], target, plans);
}

/** A nested query; without inner hits of its own it shows none of those inside of it. */
function addNested({ inner_hits: body, path, query }: Json, target: Target, plans: InnerHitsPlan[]): void {
  if (!isObject(body) || typeof path !== 'string') return;
  if (body['seq_no_primary_term'] === true)
    throw new RequestError(
      'SEARCH_SHARD_FAILURE',
      'unsupported_operation_exception',
      'nested documents are not assigned sequence numbers',
      { phase: true },
    );
  const from = body['from'] === undefined ? 0 : asInteger(body['from'], 'from');
  const size = body['size'] === undefined ? 3 : asInteger(body['size'], 'size');
  const name = body['name'] === undefined ? path : asString(body['name'], 'name');
  const limits = indexLimits(target.index.definition);
  if (from + size > limits.innerResultWindow)
    throw shardArgument(
      `Inner result window is too large, the inner hit definition's [${body['name'] === undefined ? 'null' : name}]'s from + size must be less than or equal to: [${limits.innerResultWindow}] but was [${from + size}]. This limit can be set by changing the [index.max_inner_result_window] index level setting.`,
    );
  checkFetchLimits(readFetchOptions(body), limits);
  if (target.mapping.object(path)?.nested !== true) return;
  if (plans.some((plan) => plan.name === name))
    throw shardArgument(`[inner_hits] already contains an entry for key [${name}]`);
  const children: InnerHitsPlan[] = [];
  plans.push({ name, path, query: parseQuery(query, target.context), from, size, body, children });
  addInnerHits(query, target, children);
}

/** Where a hit is. */
type Place = Pick<Hit, 'segment' | 'doc'>;

/** The inner hits of one hit. @param within the element whose own elements are meant; undefined: those of the document */
export function innerHitsOf(
  plans: readonly InnerHitsPlan[],
  target: Target,
  searcher: Searcher,
  hit: Place,
  asInt: boolean,
  within?: number,
): Json {
  const source = keptSource(target.mapping, sourceOf(hit.segment, hit.doc));
  const found: Record<string, unknown> = {};
  for (const plan of plans) {
    const all = searcher.innerHits(plan.query, plan.path, hit.segment, hit.doc);
    const inner = within === undefined ? all : all.filter(({ doc }) => liesIn(hit.segment, doc, within));
    const options = readFetchOptions(plan.body);
    const tracks = plan.body['track_scores'] !== undefined && asBoolean(plan.body['track_scores'], 'track_scores');
    const keys = readSort(plan.body['sort'], target.context);
    const { highlight } = plan.body;
    const highlighter =
      highlight === undefined ? undefined : createHighlighter(asObject(highlight, 'highlight'), plan.query, target);
    const readers = keys.map((key) => ownSortReader(key, { searcher, segment: hit.segment }));
    const ordered = inner.map((each) => ({ ...each, values: readers.map((read) => read(each.doc, each.score)) }));
    if (keys.length > 0) ordered.sort((a, b) => compareAll(keys, a.values, b.values) || a.doc - b.doc);
    const best = inner.reduce((max, each) => Math.max(max, each.score), -Infinity);
    const shown = ordered.slice(plan.from, plan.from + plan.size);
    // Beyond the last hit by score, Lucene counts none (TopScoreDocCollector.newTopDocs).
    const total = keys.length === 0 && plan.size > 0 && shown.length === 0 ? 0 : inner.length;
    found[plan.name] = {
      hits: {
        total: asInt ? total : { value: total, relation: 'eq' },
        max_score: inner.length > 0 && plan.size > 0 && (keys.length === 0 || tracks) ? shortFloat(best) : null,
        hits: shown.map(({ doc, score, values }) => {
          const element = elementAt(source, plan.path, hit.segment, doc);
          const fragments = highlighter?.highlight(element.source) ?? {};
          return {
            ...elementHit(target, searcher, hit, doc, keys.length === 0 ? score : Number.NaN, plan, options, element),
            ...(Object.keys(fragments).length === 0 ? {} : { highlight: fragments }),
            ...(keys.length === 0 ? {} : { sort: values.map((value, at) => keys[at]?.show(value)) }),
            ...(plan.children.length === 0
              ? {}
              : { inner_hits: innerHitsOf(plan.children, target, searcher, hit, asInt, doc) }),
          };
        }),
      },
    };
  }
  return found;
}

/** What a hit shows of one element. */
function elementHit(
  target: Target,
  searcher: Searcher,
  { doc: root, segment }: Place,
  doc: number,
  score: number,
  { path, query }: InnerHitsPlan,
  options: FetchOptions,
  element: Element,
): Json {
  const bare = { ...options, ...NOTHING };
  const fields = {
    ...docvalues(target, segment, doc, options.docvalueFields),
    ...sourceFields(target, element.source, options, path),
  };
  const filtered = options.source.enabled && isObject(element.value) && filterSource(element.source, options.source);
  return {
    ...(options.explain ? explainedIn(target) : {}),
    ...fetchHit(target, searcher, segment, root, score, bare, undefined),
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
    _nested: element.field,
    ...(filtered === false ? {} : { _source: innermost(filtered, path) }),
    ...(options.explain
      ? { _explanation: printExplanation(searcher.explainAs(target.mapping, query, segment, doc, path)) }
      : {}),
  };
}

/** The source is the element's, and elements have ids whatever is stored of them. */
const NOTHING = {
  docvalueFields: [],
  explain: false,
  fields: [],
  storedFields: undefined,
  source: { enabled: false, includes: [], excludes: [] },
} as const;

/** What is left of an element in a filtered source. */
function innermost(source: unknown, path: string): unknown {
  let inner = source;
  for (const name of path.split('.')) inner = isObject(inner) ? inner[name] : undefined;
  return inner ?? {};
}

function liesIn(segment: Hit['segment'], doc: number, ancestor: number): boolean {
  for (let at = doc; segment.nestedPath(at) !== undefined; at = segment.parentOf(at)) if (at === ancestor) return true;
  return false;
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

/** One element of a nested field. */
interface Element {
  /** Where it stands in its document. */
  readonly field: Json;
  readonly value: unknown;
  /** A source that holds it alone. */
  readonly source: Json;
}

function elementAt(source: Json, path: string, segment: Hit['segment'], doc: number): Element {
  const chain: { path: string; offset: number }[] = [];
  for (let at = doc, name = segment.nestedPath(at); name !== undefined; name = segment.nestedPath(at)) {
    chain.unshift({ path: name, offset: segment.nestedOffset(at) });
    at = segment.parentOf(at);
  }
  let value: unknown = source;
  let above = '';
  for (const link of chain) {
    const rest = above === '' ? link.path : link.path.slice(above.length + 1);
    for (const step of rest.split('.')) value = isObject(value) ? value[step] : undefined;
    if (Array.isArray(value)) value = (value as readonly unknown[])[link.offset];
    above = link.path;
  }
  let field: Json | undefined;
  for (const link of chain.toReversed()) {
    const parent = chain[chain.indexOf(link) - 1]?.path;
    const name = parent === undefined ? link.path : link.path.slice(parent.length + 1);
    field = { field: name, offset: link.offset, ...(field === undefined ? {} : { _nested: field }) };
  }
  return { field: field ?? { field: path, offset: 0 }, value, source: around(path, value) };
}
