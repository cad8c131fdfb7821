// Shared parts of query parsers: members of a body with their types, the field of a query, boost and name.
import { asBoolean, asNumber, asObject, asString, isObject, type Json, knownHere, tokenOf } from '../json/json.ts';
import type { Query } from '../query/query.ts';
import { illegalArgument, parsingError, type RequestError, unsupported } from '../errors/request-error.ts';
import { checkObject, within } from '../json/object-parser.ts';
import type { QueryContext } from './context.ts';
import { boosted } from './text-query.ts';

export type Reader = (body: unknown, context: QueryContext, depth: number) => Query;

/** @param parser name of Elasticsearch's object parser that reads `boost`; absent if Elasticsearch reads it by hand */
export function common(body: Json, query: Query, parser?: string): Query {
  const boost = body['boost'] === undefined ? 1 : asNumber(body['boost'], 'boost');
  if (boost < 0) {
    const error = illegalArgument(
      `negative [boost] are not allowed in [${query.kind}], use a value between 0 and 1 to deboost`,
    );
    if (parser === undefined) throw error;
    within(parser, 'boost', () => {
      throw error;
    });
  }
  const name = body['_name'];
  const weighted = boosted(query, boost);
  return name === undefined ? weighted : { ...weighted, name: asString(name, '_name') };
}

/** Queries whose errors use another name. */
const REFUSED_AS: Readonly<Record<string, string>> = {
  more_like_this: '[mlt] query does not support',
  simple_query_string: '[simple_query_string] unsupported field',
  type: "[type] filter doesn't support",
};

/** Reads the body of a query that Elasticsearch reads member by member, without an object parser. */
export function queryBody(json: unknown, type: string, known: readonly string[]): Json {
  const body = startObject(json, type);
  const unknown = Object.keys(body).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw parsingError(
      `${REFUSED_AS[type] ?? `[${type}] query does not support`} [${unknown}]`,
      knownHere(unknown, known),
    );
  return body;
}

/** @throws RequestError for a query whose body is no object */
export function startObject(json: unknown, type: string): Json {
  if (!isObject(json)) throw parsingError(`[${type}] query malformed, no start_object after query name`);
  return json;
}

/** Full-text queries, whose parsers check the token of each member. */
const OF_TEXT = ['match', 'match_phrase', 'match_phrase_prefix', 'match_bool_prefix'];
const NUMBERS = ['boost', 'prefix_length', 'max_expansions', 'slop', 'max_determinized_states'];
const FLAGS = [
  'case_insensitive',
  'lenient',
  'transpositions',
  'fuzzy_transpositions',
  'auto_generate_synonyms_phrase_query',
];

/** @throws RequestError for an option that the query does not have, or whose value it does not take */
function checkOption(type: string, key: string, value: unknown, known: readonly string[]): void {
  if (OF_TEXT.includes(type) && (typeof value === 'object' || value === undefined))
    throw parsingError(`[${type}] unknown token [${tokenOf(value)}] after [${key}]`);
  if (!known.includes(key)) throw parsingError(`[${type}] query does not support [${key}]`, knownHere(key, known));
  if (typeof value !== 'string') return;
  if (NUMBERS.includes(key)) asNumber(value, key);
  if (FLAGS.includes(key)) asBoolean(value, key);
}

/** `{ "<field>": value }` or `{ "<field>": { … } }`. */
export function fieldBody(
  body: unknown,
  type: string,
  short: string,
  known: readonly string[],
): readonly [string, Json] {
  const object = asObject(body, type);
  const ofText = OF_TEXT.includes(type);
  const absent = (isNull = false): RequestError =>
    type === 'match'
      ? parsingError('No text specified for text query')
      : type === 'fuzzy' && isNull
        ? parsingError(`[fuzzy] unexpected token [VALUE_NULL] after [value]`)
        : illegalArgument(ofText ? `[${type}] requires query value` : 'value cannot be null');
  // Some clients put `boost` and `_name` beside the field; Elasticsearch accepts them for a few types only.
  const keys = Object.keys(object);
  if (keys.length === 0)
    throw type === 'match'
      ? absent()
      : illegalArgument(ofText ? `[${type}] requires fieldName` : 'field name is null or empty');
  if (keys.length > 1) {
    throw parsingError(`[${type}] query doesn't support multiple fields, found [${keys[0]}] and [${keys[1]}]`);
  }
  const name = keys[0]!;
  const value = object[name];
  if (name === '' && type !== 'match' && type !== 'match_phrase_prefix')
    throw illegalArgument(ofText ? `[${type}] requires fieldName` : 'field name is null or empty');
  if (!isObject(value)) {
    if (Array.isArray(value)) throw parsingError(`[${type}] query does not support arrays`);
    if (value === null) throw absent();
    return [name, { [short]: value }];
  }
  for (const key of Object.keys(value)) checkOption(type, key, value[key], known);
  if (value[short] === undefined || value[short] === null) throw absent(value[short] === null);
  return [name, value];
}

/** Members of `inner_hits`. */
const INNER_HITS = {
  name: 'string',
  ignore_unmapped: 'boolean',
  from: 'number',
  size: 'number',
  sort: 'objects',
  _source: 'any',
  version: 'boolean',
  seq_no_primary_term: 'boolean',
  explain: 'boolean',
  docvalue_fields: 'any',
  stored_fields: 'any',
  highlight: 'object',
  track_scores: 'boolean',
  fields: 'any',
} as const;
const OF_COLLAPSE = { ...INNER_HITS, collapse: 'object' } as const;

/** @throws RequestError for an invalid member of `inner_hits` */
export function checkInnerHits(body: Json, isOfCollapse = false): void {
  checkObject(body, 'inner_hits', isOfCollapse ? OF_COLLAPSE : INNER_HITS);
  for (const key of ['from', 'size'])
    within('inner_hits', key, () => {
      if (body[key] !== undefined && asNumber(body[key], key) < 0)
        throw illegalArgument(`illegal ${key} value, at least 0 or higher`);
    });
}

export function optionalString(body: Json, key: string): string | undefined {
  return body[key] === undefined || body[key] === null ? undefined : asString(body[key], key);
}

export function optionalBoolean(body: Json, key: string, fallback: boolean): boolean {
  return body[key] === undefined ? fallback : asBoolean(body[key], key);
}

export function optionalNumber(body: Json, key: string): number | undefined {
  return body[key] === undefined ? undefined : asNumber(body[key], key);
}

/** Unsupported members that would change the result. */
export function refuse(body: Json, ...keys: readonly string[]): void {
  for (const key of keys) if (body[key] !== undefined) throw unsupported(`[${key}]`);
}

export function required(body: Json, key: string, type: string): unknown {
  if (body[key] === undefined) throw parsingError(`[${type}] requires '${key}' query to be set`);
  return body[key];
}
