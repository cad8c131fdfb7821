// What a search warns of: options that a later version of Elasticsearch will not have, in its queries, sorts, aggregations and hits. Asked of
// the JSON, as no part of a search has to be understood for it.
import { placeOf } from '../../json/json-place.ts';
import { isObject, type Json, toList, textOf } from '../../json/json.ts';
import { warnOfFormat } from '../../mapping/mapping-warnings.ts';
import type { Call } from '../request/request.ts';

const OF_ID =
  'Loading the fielddata on the _id field is deprecated and will be removed in future versions. If you require sorting or aggregating on this field you should also include the id in the body of your documents, and map this field as a keyword field that has [doc_values] enabled';
const OF_TYPE =
  '[types removal] Using the _type field in queries and aggregations is deprecated, prefer to use a field instead.';

/** Takes a warning. */
export interface Warner {
  readonly warn: (text: string) => void;
  /** Warns of an option of a parser of objects, whose place the warning names. @param path the members around it; absent: not known */
  warnAt(parser: string, path: readonly string[] | undefined, text: string): void;
  /** Warns of what only an index notices. */
  warnOnShard(text: string): void;
}

/** Puts warnings into the answer to a request. @param hasIndex whether there is an index to notice something */
export function warnerOf({ request, warn }: Call, hasIndex: boolean): Warner {
  return {
    warn,
    warnAt: (parser, path, text) =>
      warn(`[${parser}]${path === undefined ? '[1:1]' : placeOf(request.body, path, true)} ${text}`),
    warnOnShard(text) {
      if (hasIndex) warn(text);
    },
  };
}

/** The members of compound queries in which others stand. */
const INSIDE: Readonly<Record<string, readonly string[]>> = {
  bool: ['must', 'mustNot', 'must_not', 'filter', 'should'],
  boosting: ['positive', 'negative'],
  constant_score: ['filter'],
  dis_max: ['queries'],
  field_masking_span: ['query'],
  function_score: ['query'],
  nested: ['query'],
  pinned: ['organic'],
  span_containing: ['big', 'little'],
  span_first: ['match'],
  span_multi: ['match'],
  span_near: ['clauses'],
  span_not: ['include', 'exclude'],
  span_or: ['clauses'],
  span_within: ['big', 'little'],
};

/** Warns of what stands in the body of a search. */
export function warnOfSearch(body: Json, to: Warner): void {
  const { aggs, aggregations, collapse, highlight, indices_boost: boosts, post_filter: filter, query, rescore } = body;
  warnOfQuery(query, to, ['query']);
  warnOfQuery(filter, to, ['post_filter']);
  for (const pass of toList(rescore ?? []))
    if (isObject(pass) && isObject(pass['query'])) warnOfQuery(pass['query']['rescore_query'], to);
  if (isObject(highlight)) warnOfQuery(highlight['highlight_query'], to);
  if (isObject(boosts)) to.warn('Object format in indices_boost is deprecated, please use array format instead');
  warnOfHits(body, to);
  if (isObject(collapse))
    for (const each of toList(collapse['inner_hits'] ?? [])) if (isObject(each)) warnOfHits(each, to);
  warnOfAggregations(aggs ?? aggregations, to);
}

/** Warns of what a list of hits says of itself: that of a search, of `inner_hits` and of `top_hits`. */
function warnOfHits(body: Json, to: Warner): void {
  const { _source: source, docvalue_fields: docvalues, sort } = body;
  if (isObject(source))
    for (const name of ['include', 'exclude'])
      if (source[name] !== undefined) to.warn(`Deprecated field [${name}] used, expected [${name}s] instead`);
  // They are read where a hit is shown.
  for (const each of body['size'] === 0 ? [] : toList(docvalues ?? [])) {
    warnOfField(isObject(each) ? each['field'] : each, to, true);
    if (isObject(each) && each['format'] === 'use_field_mapping')
      to.warn(
        "[use_field_mapping] is a special format that was only used to ease the transition to 7.x. It has become the default and shouldn't be set explicitly anymore.",
      );
  }
  for (const each of toList(sort ?? [])) {
    if (!isObject(each)) warnOfField(each, to, true);
    else for (const [name, options] of Object.entries(each)) warnOfSort(name, options, to);
  }
}

function warnOfSort(name: string, options: unknown, to: Warner): void {
  warnOfField(name, to, true);
  if (!isObject(options)) return;
  const isGeo = name === '_geo_distance';
  if (options['nested_path'] !== undefined)
    to.warn(`[nested_path] has been deprecated in fav${isGeo ? 'ou' : 'o'}r of the [nested] parameter`);
  if (options['nested_filter'] !== undefined)
    to.warn(`[nested_filter] has been deprecated in favour ${isGeo ? 'of' : 'for'} the [nested] parameter`);
}

/** Warns of a field. @param isRead whether its values are read, and not its terms looked up */
function warnOfField(name: unknown, to: Warner, isRead = false): void {
  if (name === '_type') to.warnOnShard(OF_TYPE);
  if (name === '_id' && isRead) to.warnOnShard(OF_ID);
}

function warnOfAggregations(aggs: unknown, to: Warner): void {
  if (!isObject(aggs)) return;
  for (const each of Object.values(aggs)) {
    if (!isObject(each)) continue;
    for (const [type, body] of Object.entries(each)) {
      if (type === 'aggs' || type === 'aggregations') warnOfAggregations(body, to);
      else if (type !== 'meta' && isObject(body)) warnOfAggregation(type, body, to);
    }
  }
}

function warnOfAggregation(type: string, body: Json, to: Warner): void {
  warnOfField(body['field'], to, true);
  if (typeof body['format'] === 'string') warnOfFormat(body['format'], to.warn);
  for (const order of toList(body['order'] ?? []))
    for (const key of ['_term', '_time'])
      if (isObject(order) && key in order)
        to.warn(`Deprecated aggregation order key [${key}] used, replaced by [_key]`);
  switch (type) {
    case 'filter':
      warnOfQuery(body, to);
      break;
    case 'filters':
    case 'adjacency_matrix':
      for (const query of Object.values(Object(body['filters']) as object)) warnOfQuery(query, to);
      break;
    case 'significant_terms':
    case 'significant_text':
      warnOfQuery(body['background_filter'], to);
      break;
    case 'top_hits':
      warnOfHits(body, to);
      break;
    case 'cardinality':
      if (body['rehash'] !== undefined)
        to.warnAt(
          type,
          undefined,
          'Deprecated field [rehash] used, replaced by [no replacement - values will always be rehashed]',
        );
      break;
    case 'date_histogram':
      if (body['interval'] !== undefined)
        to.warn(
          '[interval] on [date_histogram] is deprecated, use [fixed_interval] or [calendar_interval] in the future.',
        );
      break;
    case 'moving_avg':
      to.warn('The moving_avg aggregation has been deprecated in favor of the moving_fn aggregation.');
      break;
    case 'composite':
      for (const source of toList(body['sources'] ?? [])) if (isObject(source)) warnOfAggregations(source, to);
      break;
  }
}

/** Warns of what stands in a query and in those inside of it. @param path the members around it; absent: not known */
export function warnOfQuery(json: unknown, to: Warner, path?: readonly string[]): void {
  if (Array.isArray(json)) for (const each of json) warnOfQuery(each, to);
  if (!isObject(json)) return;
  const [type, body] = Object.entries(json)[0] ?? [];
  if (type === undefined || !isObject(body)) return;
  warnOfOptions(type, body, to, path && [...path, type]);
  if (type === 'wrapper') warnOfQuery(wrappedOf(body['query']), to);
  for (const member of Object.hasOwn(INSIDE, type) ? INSIDE[type]! : [])
    warnOfQuery(body[member], to, path && [...path, type, member]);
}

/** The query in a `wrapper`; undefined where it is none, which the search refuses. */
function wrappedOf(encoded: unknown): unknown {
  try {
    return JSON.parse(Buffer.from(textOf(encoded), 'base64').toString());
  } catch {
    return undefined;
  }
}

/** Members of `simple_query_string` that are no more. */
const OF_SIMPLE: Readonly<Record<string, string>> = {
  all_fields: 'Set [fields] to `*` instead',
  locale: 'Decision is now made by the analyzer',
  lowercase_expanded_terms: 'Decision is now made by the analyzer',
};

function warnOfOptions(type: string, body: Json, to: Warner, path: readonly string[] | undefined): void {
  switch (type) {
    case 'bool':
      if (body['mustNot'] !== undefined)
        to.warnAt('bool', path && [...path, 'mustNot'], 'Deprecated field [mustNot] used, expected [must_not] instead');
      break;
    case 'ids':
      if (body['type'] !== undefined) to.warn('[types removal] Types are deprecated in [ids] queries.');
      break;
    case 'type':
      to.warnOnShard('[types removal] Type queries are deprecated, prefer to filter on a field instead.');
      break;
    case 'common':
      to.warn(
        'Deprecated field [common] used, replaced by [[match] query which can efficiently skip blocks of documents if the total number of hits is not tracked]',
      );
      break;
    case 'multi_match':
      warnOfCutoff(type, body, to);
      break;
    case 'exists':
      warnOfField(body['field'], to);
      break;
    case 'more_like_this':
      if (
        [...toList(body['like'] ?? []), ...toList(body['unlike'] ?? [])].some(
          (each) => isObject(each) && '_type' in each,
        )
      )
        to.warn(
          '[types removal] Types are deprecated in [more_like_this] queries. The type should no longer be specified in the [like] and [unlike] sections.',
        );
      break;
    case 'query_string':
      if (/\b_type:/.test(textOf(body['query'])) || body['default_field'] === '_type') to.warnOnShard(OF_TYPE);
      break;
    case 'simple_query_string':
      for (const [name, instead] of Object.entries(OF_SIMPLE))
        if (body[name] !== undefined) to.warn(`Deprecated field [${name}] used, replaced by [${instead}]`);
      break;
    case 'function_score':
      warnOfFunctions(body, to);
      break;
    case 'nested':
      if (isObject(body['inner_hits'])) warnOfHits(body['inner_hits'], to);
      break;
    default:
      for (const [field, options] of Object.entries(body)) {
        warnOfField(field, to);
        if (type === 'match' && isObject(options)) warnOfCutoff(type, options, to);
        if (type === 'range' && isObject(options) && typeof options['format'] === 'string')
          warnOfFormat(options['format'], to.warn);
        if (type === 'terms' && isObject(options) && options['type'] !== undefined)
          to.warnAt(
            'terms_lookup',
            path && [...path, field, 'type'],
            'Deprecated field [type] used, this field is unused and will be removed entirely',
          );
      }
  }
}

function warnOfCutoff(type: string, { cutoff_frequency: cutoff }: Json, to: Warner): void {
  if (cutoff !== undefined)
    to.warn(
      `Deprecated field [cutoff_frequency] used, replaced by [you can omit this option, the [${type}] query can skip block of documents efficiently if the total number of hits is not tracked]`,
    );
}

function warnOfFunctions(body: Json, to: Warner): void {
  for (const each of [body, ...toList(body['functions'] ?? [])]) {
    if (!isObject(each)) continue;
    if (each !== body) warnOfQuery(each['filter'], to);
    const random = each['random_score'];
    if (!isObject(random) || random['seed'] === undefined || random['field'] !== undefined) continue;
    to.warn('As of version 7.0 Elasticsearch will require that a [field] parameter is provided when a [seed] is set');
    to.warnOnShard(OF_ID);
  }
}
