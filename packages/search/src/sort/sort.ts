// In which order hits come: the `sort` of a request as keys of the engine, how sort values are shown, and how
// `search_after` reads them back.
import { columnField } from '../columns/values.ts';
import type { QueryContext } from '../dsl/context.ts';
import {
  asContentError,
  contentError,
  illegalArgument,
  isShardFailure,
  queryShardError,
  RequestError,
  shardArgument,
  unsupported,
} from '../errors/request-error.ts';
import { asChoice, asString, checkKeys, isObject, type Json, textOf, toList } from '../json/json.ts';
import { constantOf, isConstant } from '../mapping/metadata-fields.ts';
import { fieldSort, unmappedSort } from './field-sort.ts';
import { geoSort } from './geo-sort.ts';
import { plainSort, type ResolvedSort } from './resolved-sort.ts';
import { checkMembers, checkTextOptions, direction, ORDERS } from './sort-members.ts';

/** Keys of one request's `sort` at most. */
const MOST_KEYS = 32;

/** Reads `sort`; empty when hits come by score, which is no sort of its own. */
export function readSort(json: unknown, context: QueryContext): ResolvedSort[] {
  const keys = readSortKeys(json, context);
  const [only] = keys;
  return keys.length === 1 && only!.key.kind === 'score' && only!.key.order === 'desc' ? [] : keys;
}

/** Reads `sort`, whatever it says. */
export function readSortKeys(json: unknown, context: QueryContext): ResolvedSort[] {
  if (json === undefined || json === null) return [];
  const entries = toList(json);
  if (entries.length > MOST_KEYS)
    throw illegalArgument(
      `Too many sort keys: [${entries.length}] were given and [${MOST_KEYS}] are the most. Every key is read for every hit; leave out those that never decide.`,
    );
  return entries.flatMap((entry): ResolvedSort[] => {
    if (!Array.isArray(json) && (typeof entry === 'number' || typeof entry === 'boolean'))
      return [one(String(entry), {}, context, true)];
    if (typeof entry === 'string') return [one(entry, {}, context, true)];
    if (!isObject(entry))
      throw illegalArgument('malformed sort format, within the sort array, an object, or an actual string are allowed');
    return Object.entries(entry).map(([name, body]) =>
      isObject(body) ? one(name, body, context) : one(name, { order: orderIn(body) }, context, true),
    );
  });
}

/** @throws RequestError for what is neither options nor an order */
function orderIn(body: unknown): string {
  if (typeof body !== 'string')
    throw contentError(
      `[field_sort] Expected START_OBJECT but was: ${Array.isArray(body) ? 'END_ARRAY' : 'END_OBJECT'}`,
    );
  return direction(body);
}

/**
 * Reads one key; what is wrong in its options is worded as by Elasticsearch's parsers of objects.
 *
 * @param isPlain whether it is a name without options: then it is that of a field, or `_score`
 */
function one(name: string, body: Json, context: QueryContext, isPlain = false): ResolvedSort {
  try {
    return oneKey(name, body, context, isPlain);
  } catch (error) {
    if (context.parsesOnly === true && isShardFailure(error)) return plainSort({ kind: 'doc' });
    // What a parser of objects refuses is worded already.
    const isWorded = error instanceof RequestError && error.type === 'x_content_parse_exception';
    throw name === '_geo_distance' || isWorded
      ? error
      : asContentError(error, name === '_score' ? '_score' : 'field_sort');
  }
}

function oneKey(name: string, body: Json, context: QueryContext, isPlain: boolean): ResolvedSort {
  const order = (fallback: 'asc' | 'desc'): 'asc' | 'desc' =>
    body['order'] === undefined ? fallback : asChoice(body['order'], 'order', ORDERS);
  if (name === '_script' && !isPlain) throw unsupported('sort by [_script]');
  if (name === '_score') {
    checkKeys(body, '_score', ['order']);
    // Shown as the shortest text of a 32-bit float; what comes back must be that float again.
    return { ...plainSort({ kind: 'score', order: order('desc') }), read: (value) => Math.fround(Number(value)) };
  }
  if (name === '_geo_distance' && !isPlain) return geoSort(body, context);
  checkMembers(body, context);
  if (name === '_doc' || name === '_shard_doc') return plainSort({ kind: 'doc', order: order('asc') });
  if (name === '_id') {
    checkTextOptions(body, name, context);
    return { key: { kind: 'id', order: order('asc') }, show: (value) => value, read: (value) => textOf(value) };
  }
  const field = columnField(name, context.mapping);
  if (field === undefined) {
    const type = body['unmapped_type'];
    if (type === undefined) throw queryShardError(`No mapping found for [${name}] in order to sort on`, context.index);
    return unmappedSort(name, asString(type, 'unmapped_type'), body, order('asc'));
  }
  if (field.type === 'binary') throw shardArgument("can't sort on binary field");
  const constant = isConstant(field) ? constantOf(field, context.index) : undefined;
  if (constant !== undefined) {
    checkTextOptions(body, field.type, context);
    return {
      key: { kind: 'constant', value: constant, order: order('asc') },
      show: (value) => value,
      read: (value) => (value === null ? null : textOf(value)),
    };
  }
  if (field.family === 'geo')
    throw shardArgument(`can't sort on geo_point field without using specific sorting feature, like geo_distance`);
  return fieldSort(field, body, order('asc'), context);
}
