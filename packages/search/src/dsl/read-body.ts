// What readers of queries share: members of a body with their types, the field that a query is about, boost and name.
import { asBoolean, asNumber, asObject, asString, isObject, type Json, nearOrKnown } from '../json.ts';
import type { Query } from '../query/query.ts';
import { illegalArgument, parsingError, unsupported } from '../request-error.ts';
import type { QueryContext } from './context.ts';
import { boosted } from './text-query.ts';

export type Reader = (body: unknown, context: QueryContext, depth: number) => Query;

export function common(body: Json, query: Query): Query {
  const boost = body['boost'] === undefined ? 1 : asNumber(body['boost'], 'boost');
  if (boost < 0)
    throw illegalArgument(
      `negative [boost] are not allowed in [${query.kind}], use a value between 0 and 1 to deboost`,
    );
  const name = body['_name'];
  const weighted = boosted(query, boost);
  return name === undefined ? weighted : { ...weighted, name: asString(name, '_name') };
}

/** `{ "<field>": value }` or `{ "<field>": { … } }`. */
export function fieldBody(
  body: unknown,
  type: string,
  short: string,
  known: readonly string[],
): readonly [string, Json] {
  const object = asObject(body, type);
  // Some clients put `boost` and `_name` beside the field; Elasticsearch accepts them for a few types only.
  const keys = Object.keys(object);
  if (keys.length === 0) throw illegalArgument(`[${type}] query malformed, no field given`);
  if (keys.length > 1) {
    throw parsingError(`[${type}] query doesn't support multiple fields, found [${keys[0]}] and [${keys[1]}]`);
  }
  const name = keys[0]!;
  const value = object[name];
  if (!isObject(value)) {
    if (Array.isArray(value)) throw parsingError(`[${type}] query does not support arrays`);
    if (value === null) throw illegalArgument(`No value specified for ${type} query`);
    return [name, { [short]: value }];
  }
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) {
      throw parsingError(`[${type}] query does not support [${key}]${nearOrKnown(key, known)}`);
    }
  }
  if (value[short] === undefined || value[short] === null) {
    throw illegalArgument(`No ${short === 'query' ? 'text' : 'value'} specified for ${type} query`);
  }
  return [name, value];
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

/** Members that would change what is found and that this engine does not have. */
export function refuse(body: Json, ...keys: readonly string[]): void {
  for (const key of keys) if (body[key] !== undefined) throw unsupported(`[${key}]`);
}

export function required(body: Json, key: string, type: string): unknown {
  if (body[key] === undefined) throw parsingError(`[${type}] requires '${key}' query to be set`);
  return body[key];
}
