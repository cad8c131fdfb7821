// Shared parts of query parsers: members of a body with their types, the field of a query, boost and name.
import { asBoolean, asNumber, asObject, asString, isObject, type Json } from '../json/json.ts';
import type { Query } from '../query/query.ts';
import { failedQuery, illegalArgument, parsingError, RequestError } from '../errors/request-error.ts';
import { checkObject, within } from '../json/object-parser.ts';
import type { QueryContext } from './context.ts';
import { type QueryMembers, readMembers } from './query-members.ts';
import { boosted } from './boosted.ts';

export type ParseQuery = (json: unknown, context: QueryContext, depth: number) => Query;

/** Reads a query that no other stands in. */
export type LeafReader = (body: unknown, context: QueryContext) => Query;

/** @param parse reads the queries that stand in it */
export type Reader = (body: unknown, context: QueryContext, depth: number, parse: ParseQuery) => Query;

/** The refusal of a boost below zero. @param type of the query */
export function negativeBoost(type: string): RequestError {
  return illegalArgument(`negative [boost] are not allowed in [${type}], use a value between 0 and 1 to deboost`);
}

/** @param parser name of Elasticsearch's object parser that reads `boost`; absent if Elasticsearch reads it by hand */
export function common(body: Json, query: Query, parser?: string): Query {
  const boost = body['boost'] === undefined ? 1 : asNumber(body['boost'], 'boost');
  if (boost < 0) {
    const error = negativeBoost(query.kind);
    if (parser === undefined) throw error;
    within(parser, 'boost', () => {
      throw error;
    });
  }
  if (!Number.isFinite(Math.fround(boost))) throw failedQuery('boost must be a positive float, got Infinity');
  const name = body['_name'];
  const weighted = boosted(query, boost);
  return name === undefined ? weighted : { ...weighted, name: asString(name, '_name') };
}

/** The body of a query that Elasticsearch reads member by member, without a parser of objects. `boost` and `_name` stand in each. */
export function queryBody(json: unknown, type: string, query: QueryMembers): Json {
  return readMembers(startObject(json, type), type, withCommon(query));
}

function withCommon(query: QueryMembers): QueryMembers {
  return { ...query, members: { ...query.members, boost: 'number', _name: 'text' } };
}

/** @throws RequestError for a query whose body is no object */
export function startObject(json: unknown, type: string): Json {
  if (!isObject(json)) throw parsingError(`[${type}] query malformed, no start_object after query name`);
  return json;
}

/** Full-text queries, whose parsers check the token of each member. */
const OF_TEXT = ['match', 'match_phrase', 'match_phrase_prefix', 'match_bool_prefix'];

/** Queries whose parsers take what stands for the value, whatever it is. */
const OF_ONE_TOKEN = [...OF_TEXT, 'prefix', 'wildcard', 'regexp', 'common'];

/** `{ "<field>": value }` or `{ "<field>": { … } }`. */
export function fieldBody(json: unknown, type: string, short: string, query: QueryMembers): readonly [string, Json] {
  const object = asObject(json, type);
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
  if (keys.length > 1)
    throw parsingError(`[${type}] query doesn't support multiple fields, found [${keys[0]}] and [${keys[1]}]`);
  const name = keys[0]!;
  const value = object[name];
  if (name === '' && type !== 'match' && type !== 'match_phrase_prefix')
    throw illegalArgument(ofText ? `[${type}] requires fieldName` : 'field name is null or empty');
  if (!isObject(value)) {
    if (Array.isArray(value))
      throw OF_ONE_TOKEN.includes(type)
        ? new RequestError('SEARCH_PARSING', 'illegal_state_exception', "Can't get text on a START_ARRAY")
        : parsingError(`[${type}] query does not support arrays`);
    if (value === null) throw absent();
    return [name, { [short]: value }];
  }
  const body = readMembers(value, type, withCommon(query));
  if (body[short] === undefined || body[short] === null) throw absent(value[short] === null);
  return [name, body];
}

/** The body of a query of one field, in which a member may have another name. The last one counts. */
export function withAlias(json: unknown, from: string, to: string): unknown {
  if (!isObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([name, body]) => [
      name,
      isObject(body)
        ? Object.fromEntries(Object.entries(body).map(([key, value]) => [key === from ? to : key, value]))
        : body,
    ]),
  );
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
