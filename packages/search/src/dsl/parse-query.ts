// Request JSON → query tree. Which types of queries there are, and who reads each, says query-types.ts.
import {
  illegalArgument,
  isShardFailure,
  parsingError,
  unsupported,
  unwrapFailedQuery,
} from '../errors/request-error.ts';
import { asNumber, isObject, nearest, onlyMember } from '../json/json.ts';
import type { Query } from '../query/query.ts';
import type { QueryContext } from './context.ts';
import { createQueryError } from './field-query.ts';
import { QUERY_TYPES, REFUSED_QUERIES } from './query-types.ts';
import { negativeBoost, startObject } from './read-body.ts';

/** How deep queries may nest. */
const MAX_DEPTH = 60;

/** Reads a query object. @throws RequestError naming what is not understood */
export function parseQuery(json: unknown, surroundings: QueryContext, depth = 0): Query {
  const context = depth === 0 ? { ...surroundings, clauses: { count: 0 } } : surroundings;
  if (depth > MAX_DEPTH) throw illegalArgument(`The query is nested deeper than ${MAX_DEPTH} levels`);
  if (!isObject(json)) throw parsingError(`[_na] query malformed, must start with start_object`);
  const [type, body] = onlyMember(json, 'query');
  const reader = Object.hasOwn(QUERY_TYPES, type) ? QUERY_TYPES[type]?.read : undefined;
  if (reader === undefined) {
    if (REFUSED_QUERIES.includes(type)) throw unsupported(`query [${type}]`);
    throw parsingError(`unknown query [${type}]${nearest(type, [...Object.keys(QUERY_TYPES), ...REFUSED_QUERIES])}`, {
      causedBy: { type: 'named_object_not_found_exception', reason: `unknown field [${type}]` },
    });
  }
  try {
    const query = reader(startObject(body, type), context, depth + 1, parseQuery);
    checkBoost(type, body);
    return query;
  } catch (error) {
    if (context.parsesOnly !== true) throw createQueryError(error, context);
    if (!isShardFailure(error)) throw error;
    checkBoost(type, body);
    return { kind: 'match_none' };
  }
}

/** A query that stands for no document without an index has no place to look at its boost. @throws RequestError for one below zero */
function checkBoost(type: string, body: unknown): void {
  const boost = isObject(body) ? body['boost'] : undefined;
  if (boost === undefined || boost === null || typeof boost === 'object' || Number(boost) >= 0) return;
  if (asNumber(boost, 'boost') < 0) throw negativeBoost(type);
}

/** Parses a query inside a part of a search, such as an aggregation: errors of an index are reported unchanged. */
export function parseInnerQuery(json: unknown, context: QueryContext): Query {
  try {
    return parseQuery(json, context);
  } catch (error) {
    throw unwrapFailedQuery(error);
  }
}
