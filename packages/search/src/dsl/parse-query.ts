// Request JSON → query tree: which query types there are, which members each knows, and how compound queries nest.
// Everything not known is refused by name. Full-text and single-field questions are built in the files beside.
import { wordsOf } from '@lockstitch/kernel';
import {
  asBoolean,
  asObject,
  asString,
  isObject,
  nearest,
  onlyMember,
  parseJson,
  textOf,
  toList,
  innerObjects,
} from '../json/json.ts';
import type { Query } from '../query/query.ts';
import {
  asRewriteError,
  contentError,
  failedQuery,
  illegalArgument,
  isShardFailure,
  jsonParsing,
  parsingError,
  unsupported,
  unwrapFailedQuery,
} from '../errors/request-error.ts';
import { asParsingError, checkObject, within } from '../json/object-parser.ts';
import { checkExpensive, type QueryContext } from './context.ts';
import { createQueryError } from './field-query.ts';
import { distanceFeature, rankFeature, termsSet } from './feature-query.ts';
import { moreLikeThis } from './more-like-this-query.ts';
import { functionScore } from './function-score.ts';
import { geoBox, geoDistance, geoPolygon } from './geo-query.ts';
import { intervals } from './intervals-query.ts';
import { minimumShouldMatch } from '../query/minimum-should-match.ts';
import type { QueryMembers } from './query-members.ts';
import { SPAN_READERS } from './span-query.ts';
import { checkInnerHits, common, optionalNumber, queryBody, type Reader, startObject } from './read-body.ts';
import { exists, fuzzy, ids, patternReader, range, term, terms } from './read-term-query.ts';
import { matchReader, multiMatch, queryString, simpleQueryString } from './read-text-query.ts';

/** How deep queries may nest. */
const MAX_DEPTH = 60;

/** Reads a query object. @throws RequestError naming what is not understood */
export function parseQuery(json: unknown, surroundings: QueryContext, depth = 0): Query {
  const context = depth === 0 ? { ...surroundings, clauses: { count: 0 } } : surroundings;
  if (depth > MAX_DEPTH) throw illegalArgument(`The query is nested deeper than ${MAX_DEPTH} levels`);
  if (!isObject(json)) throw parsingError(`[_na] query malformed, must start with start_object`);
  const [type, body] = onlyMember(json, 'query');
  const reader = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (reader === undefined) {
    if (UNSUPPORTED.includes(type)) throw unsupported(`query [${type}]`);
    throw parsingError(`unknown query [${type}]${nearest(type, [...Object.keys(READERS), ...UNSUPPORTED])}`, {
      causedBy: { type: 'named_object_not_found_exception', reason: `unknown field [${type}]` },
    });
  }
  try {
    return reader(startObject(body, type), context, depth + 1);
  } catch (error) {
    if (context.parsesOnly !== true) throw createQueryError(error, context);
    if (!isShardFailure(error)) throw error;
    return { kind: 'match_none' };
  }
}

/** Parses a query inside a part of a search, such as an aggregation: errors of an index are reported unchanged. */
export function parseInnerQuery(json: unknown, context: QueryContext): Query {
  try {
    return parseQuery(json, context);
  } catch (error) {
    throw unwrapFailedQuery(error);
  }
}

/** Query types of Elasticsearch 7.10 that this engine does not have. */
const UNSUPPORTED = wordsOf(`
  script script_score percolate has_child has_parent parent_id geo_shape shape common`);

/** The query types that are understood; for docs/compatibility.md. */
export function queryTypes(): { readonly supported: readonly string[]; readonly refused: readonly string[] } {
  return { supported: Object.keys(READERS).sort(), refused: UNSUPPORTED.toSorted() };
}

const BOOL = {
  must: 'objectsOrNull',
  filter: 'objectsOrNull',
  should: 'objectsOrNull',
  must_not: 'objectsOrNull',
  mustNot: 'objectsOrNull',
  minimum_should_match: 'value',
  boost: 'number',
  _name: 'string',
  adjust_pure_negative: 'boolean',
} as const;

const bool: Reader = (json, context, depth) => {
  const body = asObject(json, 'bool');
  checkObject(body, 'bool', BOOL);
  const must: Query[] = [];
  const filter: Query[] = [];
  const should: Query[] = [];
  const mustNot: Query[] = [];
  const clauses: Readonly<Record<string, Query[]>> = { must, filter, should, must_not: mustNot, mustNot };
  const unread = new Unread();
  // In the order of the request, as the first mistake is told.
  for (const [key, value] of Object.entries(body))
    if (Object.hasOwn(clauses, key) && value !== null)
      within('bool', key, () => {
        for (const each of innerObjects(value)) clauses[key]!.push(unread.read(() => parseQuery(each, context, depth)));
      });
  if (must.length + filter.length + should.length + mustNot.length === 0)
    return common(body, { kind: 'match_all' }, 'bool');
  const minimum = body['minimum_should_match'];
  const needed = minimum === undefined || minimum === null ? undefined : minimumShouldMatch(minimum, should.length);
  if (needed !== undefined && needed > should.length && should.length > 0)
    return common(body, { kind: 'match_none' }, 'bool');
  // Only exclusions: everything else matches, with a constant score of 0 as Lucene's filter clauses give.
  const none = noneOf([...must, ...filter], must.length + filter.length === 0 ? should : []);
  if (none !== undefined) return common(body, none);
  unread.check();
  const pure = must.length + filter.length + should.length === 0;
  const adjusts = body['adjust_pure_negative'];
  if (pure && adjusts !== undefined && !asBoolean(adjusts, 'adjust_pure_negative'))
    return common(body, { kind: 'match_none' }, 'bool');
  const clausesOf: Query = {
    kind: 'boolean',
    ...(must.length > 0 ? { must } : {}),
    ...(filter.length > 0 ? { filter } : pure ? { filter: [{ kind: 'match_all' }] } : {}),
    ...(should.length > 0 ? { should } : {}),
    ...(mustNot.length > 0 ? { mustNot } : {}),
    ...(needed === undefined || should.length === 0 ? {} : { minimumShouldMatch: needed }),
  };
  return common(body, clausesOf, 'bool');
};

/**
 * Clauses that an index refuses. Elasticsearch rewrites queries before it asks an index for them: beside a clause that finds nothing, what is
 * wrong with another one is not noticed.
 */
class Unread {
  #error: unknown;

  /** Reads a clause; one that an index refuses is replaced until `check`. */
  read(parse: () => Query): Query {
    try {
      return parse();
    } catch (error) {
      if (!isShardFailure(error)) throw error;
      this.#error ??= error;
      return { kind: 'match_all' };
    }
  }

  /** @throws RequestError for the first refusal */
  check(): void {
    if (this.#error !== undefined) throw this.#error;
  }
}

/** The clause that makes a boolean query match nothing, so that it is not built (BoolQueryBuilder.doRewrite). */
function noneOf(required: readonly Query[], optional: readonly Query[]): Query | undefined {
  if (optional.length > 0 && optional.every(isNone)) return { kind: 'match_none' };
  return required.find(isNone);
}

/** Whether a query asks for nothing, or for a field that is not mapped. */
function isNone(query: Query): boolean {
  return query.kind === 'match_none' && query.reason === undefined;
}

/** Ids that are pinned at most. */
const MOST_PINNED = 100;
/** The scores of pinned documents begin above this float, which is more than any query gives (PinnedQueryBuilder). */
const MOST_ORGANIC = 0x7f000000;

const pinned: Reader = (json, context, depth) => {
  const body = queryBody(json, 'pinned', { members: { ids: 'list', organic: 'object' } });
  if (body['ids'] === undefined) throw illegalArgument('ids cannot be null');
  if (body['organic'] === undefined) throw illegalArgument('organicQuery cannot be null');
  const ids = toList(body['ids']).map((id) => asString(id, 'ids'));
  if (ids.length > MOST_PINNED) throw illegalArgument(`Max of ${MOST_PINNED} ids exceeded: ${ids.length} provided.`);
  const organic = parseQuery(body['organic'], context, depth);
  if (ids.length === 0) return common(body, organic);
  const float = new DataView(new ArrayBuffer(4));
  const pins = ids.map((id, at): Query => {
    float.setInt32(0, MOST_ORGANIC + 1 + ids.length - at);
    return { kind: 'ids', ids: [id], boost: float.getFloat32(0) };
  });
  return common(body, { kind: 'dis_max', queries: [{ kind: 'dis_max', queries: pins }, organic] });
};

const SCORE_MODES = ['avg', 'max', 'min', 'sum', 'none'] as const;

function readScoreMode(value: unknown): (typeof SCORE_MODES)[number] {
  const mode = SCORE_MODES.find((each) => each === value);
  if (mode === undefined) throw illegalArgument(`No score mode for child query [${textOf(value)}] found`);
  return mode;
}

const NESTED: QueryMembers = {
  members: { path: 'text', query: 'object', score_mode: 'text', ignore_unmapped: 'flag', inner_hits: 'object' },
  nulls: 'ignored',
  lists: 'ignored',
};

const nested: Reader = (json, context, depth) => {
  const body = queryBody(json, 'nested', NESTED);
  if (body['path'] === undefined) throw illegalArgument("[nested] requires 'path' field");
  if (body['query'] === undefined) throw illegalArgument("[nested] requires 'query' field");
  const path = asString(body['path'], 'path');
  const object = context.mapping.object(path);
  const mode = body['score_mode'] === undefined ? 'avg' : readScoreMode(body['score_mode']);
  const query = parseQuery(body['query'], context, depth);
  const inner = body['inner_hits'];
  if (isObject(inner)) checkInnerHits(inner);
  // A list and null are none.
  else if (inner !== undefined && inner !== null && !Array.isArray(inner))
    throw parsingError('[nested] query does not support [inner_hits]');
  checkExpensive(context, '[joining] queries');
  if (object?.nested !== true) {
    if (
      body['ignore_unmapped'] !== undefined &&
      asBoolean(body['ignore_unmapped'], 'ignore_unmapped') &&
      object === undefined
    )
      return common(body, { kind: 'match_none', reason: '' });
    throw failedQuery(
      object === undefined
        ? `[nested] failed to find nested object under path [${path}]`
        : `[nested] nested object under path [${path}] is not of nested type`,
      context.index,
      'illegal_state_exception',
    );
  }
  return common(body, {
    kind: 'nested',
    path,
    query,
    scoreMode: mode,
  });
};

/** Reads the query in a `wrapper`. */
function readWrapped(text: string, context: QueryContext, depth: number): Query {
  try {
    if (!/^\s*\{/.test(text)) throw contentError('Failed to derive xcontent');
    return parseQuery(parseJson(text), context, depth);
  } catch (error) {
    throw asRewriteError(error);
  }
}

const BOOSTING: QueryMembers = {
  members: { positive: 'object', negative: 'object', negative_boost: 'number' },
  nulls: 'ignored',
  lists: 'ignored',
};

const READERS: Readonly<Record<string, Reader>> = {
  ...SPAN_READERS,
  match_all(json) {
    const body = asObject(json, 'match_all');
    return asParsingError(() => {
      checkObject(body, 'match_all', { boost: 'number', _name: 'string' });
      return common(body, { kind: 'match_all' }, 'match_all');
    });
  },
  match_none: (json) =>
    common(queryBody(json, 'match_none', { members: {}, nulls: 'ignored' }), { kind: 'match_none' }),
  match: matchReader('match', 'match'),
  match_phrase: matchReader('match_phrase', 'phrase'),
  match_phrase_prefix: matchReader('match_phrase_prefix', 'phrase_prefix'),
  match_bool_prefix: matchReader('match_bool_prefix', 'bool_prefix'),
  multi_match: multiMatch,
  query_string: queryString,
  simple_query_string: simpleQueryString,
  term,
  terms,
  range,
  exists,
  prefix: patternReader('prefix'),
  wildcard: patternReader('wildcard'),
  regexp: patternReader('regexp'),
  fuzzy,
  ids,
  intervals,
  terms_set: termsSet,
  more_like_this: moreLikeThis,
  distance_feature: distanceFeature,
  rank_feature: rankFeature,
  type(json) {
    const body = queryBody(json, 'type', { members: { value: 'any' }, refusal: "[type] filter doesn't support" });
    if (body['value'] === undefined || body['value'] === null)
      throw parsingError('[type] filter needs to be provided with a value for the type');
    return common(
      body,
      body['value'] === '_doc' ? { kind: 'match_all', ofRoots: true } : { kind: 'match_none', reason: '' },
    );
  },
  bool,
  constant_score(json, context, depth) {
    const body = queryBody(json, 'constant_score', {
      members: { filter: 'object' },
      tokenRefusal: 'unexpected token',
      nulls: 'token',
      lists: 'token',
    });
    const { filter } = body;
    if (filter === undefined) throw parsingError("[constant_score] requires a 'filter' element");
    const query = parseQuery(filter, context, depth);
    return isNone(query) ? query : common(body, { kind: 'constant_score', query });
  },
  dis_max(json, context, depth) {
    const body = queryBody(json, 'dis_max', { members: { queries: 'anything', tie_breaker: 'number' } });
    const given = body['queries'];
    if (given === undefined) throw parsingError("[dis_max] requires 'queries' field with at least one clause");
    // An empty list ends where a query should begin.
    const queries = toList(Array.isArray(given) && given.length === 0 ? [null] : given).map((each) =>
      parseQuery(each, context, depth),
    );
    return common(body, { kind: 'dis_max', queries, tieBreaker: optionalNumber(body, 'tie_breaker') ?? 0 });
  },
  boosting(json, context, depth) {
    const body = queryBody(json, 'boosting', BOOSTING);
    const positive = body['positive'] === undefined ? undefined : parseQuery(body['positive'], context, depth);
    const unread = new Unread();
    const negative =
      body['negative'] === undefined ? undefined : unread.read(() => parseQuery(body['negative'], context, depth));
    if (positive === undefined) throw parsingError("[boosting] query requires 'positive' query to be set'");
    if (negative === undefined) throw parsingError("[boosting] query requires 'negative' query to be set'");
    const negativeBoost = optionalNumber(body, 'negative_boost');
    if (negativeBoost === undefined || negativeBoost < 0)
      throw parsingError("[boosting] query requires 'negative_boost' to be set to be a positive value'");
    if (isNone(positive)) return positive;
    unread.check();
    return common(body, {
      kind: 'boosting',
      positive,
      negative,
      negativeBoost,
    });
  },
  function_score(json, context, depth) {
    const query = functionScore(json, context, (inner) => parseQuery(inner, context, depth));
    return query.kind === 'function_score' && isNone(query.query)
      ? query.query
      : common(asObject(json, 'function_score'), query);
  },
  nested,
  geo_distance: (json, context) => common(asObject(json, 'geo_distance'), geoDistance(json, context)),
  geo_polygon: (json, context) => common(asObject(json, 'geo_polygon'), geoPolygon(json, context)),
  pinned,
  geo_bounding_box: (json, context) => common(asObject(json, 'geo_bounding_box'), geoBox(json, context)),
  wrapper(json, context, depth) {
    const { query, ...others } = asObject(json, 'wrapper');
    if (Object.keys(others).length > 0 && query !== undefined)
      throw parsingError('[wrapper] malformed query, expected [END_OBJECT] but found [FIELD_NAME]');
    if (typeof query !== 'string') throw parsingError('[wrapper] query malformed');
    const wrong = /[^\w+/=-]/.exec(query.trim())?.[0];
    if (wrong !== undefined)
      throw jsonParsing(
        `Failed to decode VALUE_STRING as base64 (MIME-NO-LINEFEEDS): Illegal character (code 0x${wrong.charCodeAt(0).toString(16)}) in base64 content`,
      );
    if (query === '') throw illegalArgument('query source text cannot be null or empty');
    // What it wraps is read once indices are asked (WrapperQueryBuilder.doRewrite).
    if (context.parsesOnly === true) return { kind: 'match_none' };
    return readWrapped(Buffer.from(query, 'base64').toString('utf8'), context, depth);
  },
};
