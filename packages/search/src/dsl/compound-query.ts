// Reads the queries that others stand in (bool, dis_max, nested and so on), and those that need no field.
import {
  asBoolean,
  asObject,
  asString,
  innerObjects,
  isObject,
  type Json,
  parseJson,
  textOf,
  toList,
} from '../json/json.ts';
import {
  asRewriteError,
  contentError,
  failedQuery,
  illegalArgument,
  isShardFailure,
  jsonParsing,
  parsingError,
} from '../errors/request-error.ts';
import { asParsingError, checkObject, within } from '../json/object-parser.ts';
import { minimumShouldMatch } from '../query/minimum-should-match.ts';
import type { Query } from '../query/query.ts';
import { checkExpensive, type QueryContext } from './context.ts';
import { functionScore } from './function-score.ts';
import type { QueryMembers } from './query-members.ts';
import { checkInnerHits, common, optionalNumber, type ParseQuery, queryBody, type Reader } from './read-body.ts';

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

export const bool: Reader = (json, context, depth, parse) => {
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
        for (const each of innerObjects(value)) clauses[key]!.push(unread.read(() => parse(each, context, depth)));
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

export const pinned: Reader = (json, context, depth, parse) => {
  const body = queryBody(json, 'pinned', { members: { ids: 'list', organic: 'object' } });
  if (body['ids'] === undefined) throw illegalArgument('ids cannot be null');
  if (body['organic'] === undefined) throw illegalArgument('organicQuery cannot be null');
  const ids = toList(body['ids']).map((id) => asString(id, 'ids'));
  if (ids.length > MOST_PINNED) throw illegalArgument(`Max of ${MOST_PINNED} ids exceeded: ${ids.length} provided.`);
  const organic = parse(body['organic'], context, depth);
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

export const nested: Reader = (json, context, depth, parse) => {
  const body = queryBody(json, 'nested', NESTED);
  if (body['path'] === undefined) throw illegalArgument("[nested] requires 'path' field");
  if (body['query'] === undefined) throw illegalArgument("[nested] requires 'query' field");
  const path = asString(body['path'], 'path');
  const object = context.mapping.object(path);
  const mode = body['score_mode'] === undefined ? 'avg' : readScoreMode(body['score_mode']);
  const query = parse(body['query'], context, depth);
  const inner = body['inner_hits'];
  if (isObject(inner)) checkInnerHits(inner);
  // A list and null are none.
  else if (inner !== undefined && inner !== null && !Array.isArray(inner))
    throw parsingError('[nested] query does not support [inner_hits]');
  checkExpensive(context, 'joining');
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
function readWrapped(text: string, context: QueryContext, depth: number, parse: ParseQuery): Query {
  try {
    if (!/^\s*\{/.test(text)) throw contentError('Failed to derive xcontent');
    return parse(parseJson(text), context, depth);
  } catch (error) {
    throw asRewriteError(error);
  }
}

const BOOSTING: QueryMembers = {
  members: { positive: 'object', negative: 'object', negative_boost: 'number' },
  nulls: 'ignored',
  lists: 'ignored',
};

export const matchAll: Reader = (json) => {
  const body = asObject(json, 'match_all');
  return asParsingError(() => {
    checkObject(body, 'match_all', { boost: 'number', _name: 'string' });
    return common(body, { kind: 'match_all' }, 'match_all');
  });
};

export const type: Reader = (json) => {
  const body = queryBody(json, 'type', { members: { value: 'any' }, refusal: "[type] filter doesn't support" });
  if (body['value'] === undefined || body['value'] === null)
    throw parsingError('[type] filter needs to be provided with a value for the type');
  return common(
    body,
    body['value'] === '_doc' ? { kind: 'match_all', ofRoots: true } : { kind: 'match_none', reason: '' },
  );
};

export const constantScore: Reader = (json, context, depth, parse) => {
  const body = queryBody(json, 'constant_score', {
    members: { filter: 'object' },
    tokenRefusal: 'unexpected token',
    nulls: 'token',
    lists: 'token',
  });
  const { filter } = body;
  if (filter === undefined) throw parsingError("[constant_score] requires a 'filter' element");
  const query = parse(filter, context, depth);
  return isNone(query) ? query : common(body, { kind: 'constant_score', query });
};

export const disMax: Reader = (json, context, depth, parse) => {
  const body = queryBody(json, 'dis_max', { members: { queries: 'anything', tie_breaker: 'number' } });
  const given = body['queries'];
  if (given === undefined) throw parsingError("[dis_max] requires 'queries' field with at least one clause");
  if (typeof given !== 'object' || given === null) throw parsingError('[dis_max] query does not support [queries]');
  // An empty list ends where a query should begin.
  const queries = toList(Array.isArray(given) && given.length === 0 ? [null] : given).map((each) =>
    parse(each, context, depth),
  );
  const tieBreaker = optionalNumber(body, 'tie_breaker') ?? 0;
  if (tieBreaker < 0 || tieBreaker > 1) throw failedQuery('tieBreakerMultiplier must be in [0, 1]', context.index);
  return common(body, { kind: 'dis_max', queries, tieBreaker });
};

export const boosting: Reader = (json, context, depth, parse) => {
  const body = queryBody(json, 'boosting', BOOSTING);
  const positive = body['positive'] === undefined ? undefined : parse(body['positive'], context, depth);
  const unread = new Unread();
  const negative =
    body['negative'] === undefined ? undefined : unread.read(() => parse(body['negative'], context, depth));
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
};

export const functionScoreQuery: Reader = (json, context, depth, parse) => {
  const query = functionScore(json, context, (inner) => parse(inner, context, depth));
  return query.kind === 'function_score' && isNone(query.query)
    ? query.query
    : common(withoutNulls(asObject(json, 'function_score')), query);
};

const withoutNulls = (body: Json): Json =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));

const BASE64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/;

export const wrapper: Reader = (json, context, depth, parse) => {
  const { query, ...others } = asObject(json, 'wrapper');
  if (Object.keys(others).length > 0 && query !== undefined)
    throw parsingError('[wrapper] malformed query, expected [END_OBJECT] but found [FIELD_NAME]');
  if (typeof query !== 'string') throw parsingError('[wrapper] query malformed');
  if (!BASE64.test(query.trim()))
    throw jsonParsing(
      'Failed to decode VALUE_STRING as base64 (MIME-NO-LINEFEEDS): Illegal character in base64 content',
    );
  if (query === '') throw illegalArgument('query source text cannot be null or empty');
  // What it wraps is read once indices are asked (WrapperQueryBuilder.doRewrite).
  if (context.parsesOnly === true) return { kind: 'match_none' };
  return readWrapped(Buffer.from(query, 'base64').toString('utf8'), context, depth, parse);
};

export const matchNone: Reader = (json) =>
  common(queryBody(json, 'match_none', { members: {}, nulls: 'ignored' }), { kind: 'match_none' });
