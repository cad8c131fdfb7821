// In which order hits come: the `sort` of a request as keys of the engine, how sort values are shown, and how
// `search_after` reads them back.
import type { QueryContext } from '../dsl/context.ts';
import { parseQuery } from '../dsl/parse-query.ts';
import type { SortKey, SortValue } from '../index/search-request.ts';
import {
  asBoolean,
  asChoice,
  asObject,
  asString,
  checkKeys,
  isObject,
  type Json,
  onlyMember,
  toList,
} from '../json.ts';
import { compareKeys } from '../aggs/bucket-order.ts';
import { columnField } from '../aggs/values.ts';
import { decimalFormat } from '../aggs/number-format.ts';
import { dateFormat } from '../mapping/date-format.ts';
import { isNumeric, type MappedField, printTerm, toNumber, toTerm } from '../mapping/field-type.ts';
import { metresIn, parsePoint } from '../mapping/geo.ts';
import { illegalArgument, parsingError, queryShardError, unsupported } from '../request-error.ts';

/** A sort key with how its values look. */
export interface ResolvedSort {
  readonly key: SortKey;
  show(value: SortValue): unknown;
  read(value: unknown): SortValue;
}

/** Keys of one request's `sort` at most. */
const MOST_KEYS = 32;

/** Reads `sort`; empty when hits come by score. */
export function readSort(json: unknown, context: QueryContext): ResolvedSort[] {
  if (json === undefined || json === null) return [];
  const entries = toList(json);
  if (entries.length > MOST_KEYS) {
    throw illegalArgument(
      `Too many sort keys: [${entries.length}] were given and [${MOST_KEYS}] are the most. Every key is read for every hit; leave out those that never decide.`,
    );
  }
  return entries.map((entry) => {
    if (typeof entry === 'string') {
      const colon = entry.lastIndexOf(':');
      return colon > 0
        ? one(entry.slice(0, colon), { order: entry.slice(colon + 1) }, context)
        : one(entry, {}, context);
    }
    if (!isObject(entry))
      throw illegalArgument('malformed sort format, within the sort array, an object, or an actual string are allowed');
    const [name, body] = onlyMember(entry, 'sort');
    return one(name, typeof body === 'string' ? { order: body } : asObject(body, 'sort'), context);
  });
}

/** The options of a sort by a field. */
const FIELD_KEYS = [
  'order',
  'mode',
  'missing',
  'unmapped_type',
  'nested',
  'nested_path',
  'nested_filter',
  'numeric_type',
  'format',
];

const identity = (value: SortValue): unknown => value;

function plain(key: SortKey): ResolvedSort {
  return {
    key,
    show: identity,
    read: (value) => (value === null ? null : typeof value === 'number' ? value : Number(value)),
  };
}

function one(name: string, body: Json, context: QueryContext): ResolvedSort {
  const order = (fallback: 'asc' | 'desc'): 'asc' | 'desc' =>
    body['order'] === undefined ? fallback : asChoice(body['order'], 'order', ['asc', 'desc']);
  if (name === '_script') throw unsupported('sort by [_script]');
  if (name === '_score') {
    checkKeys(body, '_score', ['order']);
    // Shown as the shortest text of a 32-bit float; what comes back must be that float again.
    return { ...plain({ kind: 'score', order: order('desc') }), read: (value) => Math.fround(Number(value)) };
  }
  if (name === '_doc' || name === '_shard_doc' || name === '_id') checkKeys(body, 'field_sort', FIELD_KEYS);
  if (name === '_doc' || name === '_shard_doc') return plain({ kind: 'doc', order: order('asc') });
  if (name === '_id')
    return { key: { kind: 'id', order: order('asc') }, show: identity, read: (value) => String(value) };
  if (name === '_geo_distance') return geoSort(body, order('asc'), context);
  checkKeys(body, 'field_sort', FIELD_KEYS);
  if (name === '_index') throw unsupported('sort by [_index]');
  const field = columnField(name, context.mapping);
  if (field === undefined) {
    const type = body['unmapped_type'];
    if (type === undefined) throw queryShardError(`No mapping found for [${name}] in order to sort on`, context.index);
    const isText = type === 'keyword' || type === 'ip' || type === 'text';
    return {
      key: { kind: 'field', field: name, order: order('asc'), type: isText ? 'keyword' : 'number' },
      show: identity,
      read: (value) => value as SortValue,
    };
  }
  if (field.family === 'geo')
    throw illegalArgument(`can't sort on geo_point field without using specific sorting feature, like geo_distance`);
  return fieldSort(field, body, order('asc'), context);
}

function fieldSort(field: MappedField, body: Json, order: 'asc' | 'desc', context: QueryContext): ResolvedSort {
  const numeric = isNumeric(field);
  const path = field.nestedPath;
  const given = isObject(body['nested']) ? body['nested'] : undefined;
  if (given !== undefined) {
    checkKeys(given, 'nested', ['path', 'filter', 'max_children', 'nested']);
    for (const key of ['max_children', 'nested'])
      if (given[key] !== undefined) throw unsupported(`[${key}] in the [nested] of a sort`);
  }
  checkNumericType(field, body['numeric_type']);
  const nestedPath =
    given === undefined
      ? body['nested_path'] === undefined
        ? path
        : asString(body['nested_path'], 'nested_path')
      : asString(given['path'], 'nested.path');
  const filter = given?.['filter'] ?? body['nested_filter'];
  const mode =
    body['mode'] === undefined ? undefined : asChoice(body['mode'], 'mode', ['min', 'max', 'sum', 'avg', 'median']);
  if (!numeric && mode !== undefined && mode !== 'min' && mode !== 'max') {
    throw illegalArgument(`we only support AVG, MEDIAN and SUM on number based fields`);
  }
  const missing = body['missing'];
  const pattern = body['format'] === undefined ? undefined : asString(body['format'], 'format');
  const format = pattern === undefined || field.family !== 'date' ? undefined : dateFormat(pattern);
  const decimals = pattern === undefined || field.family !== 'number' ? undefined : decimalFormat(pattern);
  const show = (value: SortValue): unknown => {
    if (typeof value === 'number') {
      if (format !== undefined) return format.print(value);
      if (decimals !== undefined) return decimals(value);
      return field.family === 'boolean' ? value === 1 : value;
    }
    return value === null ? null : printTerm(field, value);
  };
  const read = (value: unknown): SortValue => {
    if (value === null) return null;
    if (numeric) {
      if (typeof value === 'number') return value;
      if (format !== undefined && typeof value === 'string') return format.parse(value) ?? toNumber(field, value);
      return toNumber(field, value);
    }
    return toTerm(field, value);
  };
  return {
    key: {
      kind: 'field',
      field: field.path,
      order,
      type: numeric ? 'number' : 'keyword',
      ...(mode === undefined ? {} : { mode }),
      ...(missing === undefined || missing === '_last'
        ? {}
        : {
            missing:
              missing === '_first' ? 'first' : { value: numeric ? toNumber(field, missing) : toTerm(field, missing) },
          }),
      ...(nestedPath === undefined
        ? {}
        : { nested: { path: nestedPath, ...(filter === undefined ? {} : { filter: parseQuery(filter, context) }) } }),
    },
    show,
    read,
  };
}

/** @throws RequestError where sorting by the values as they are would not be what is asked */
function checkNumericType(field: MappedField, value: unknown): void {
  if (value === undefined) return;
  if (!isNumeric(field))
    throw illegalArgument(`[numeric_type] option cannot be set on a non-numeric field, got ${field.type}`);
  if (asChoice(value, 'numeric_type', ['long', 'double', 'date', 'date_nanos']) === 'date_nanos')
    throw unsupported('[numeric_type] [date_nanos] in a sort');
}

function geoSort(body: Json, order: 'asc' | 'desc', context: QueryContext): ResolvedSort {
  const known = ['order', 'unit', 'mode', 'distance_type', 'ignore_unmapped', 'validation_method', 'nested'];
  if (body['nested'] !== undefined) throw unsupported('[nested] in a sort by [_geo_distance]');
  const plane =
    body['distance_type'] !== undefined &&
    asChoice(body['distance_type'], 'distance_type', ['arc', 'plane']) === 'plane';
  if (body['validation_method'] !== undefined) asChoice(body['validation_method'], 'validation_method', ['strict']);
  const names = Object.keys(body).filter((key) => !known.includes(key));
  if (names.length !== 1)
    throw parsingError(
      `[_geo_distance] exactly one field with points is needed, and there are [${names.join(', ')}]; known here: ${known.join(', ')}`,
    );
  const field = context.mapping.field(names[0]!);
  const isIgnored =
    body['ignore_unmapped'] !== undefined && asBoolean(body['ignore_unmapped'], 'ignore_unmapped') && !field;
  if (field?.family !== 'geo' && !isIgnored)
    throw queryShardError(`failed to find mapper for [${names[0]}] for geo distance based sort`, context.index);
  const value = body[names[0]!];
  const isPair = Array.isArray(value) && typeof value[0] === 'number';
  const points = (isPair ? [value] : toList(value)).map(parsePoint);
  const mode = body['mode'] === undefined ? undefined : asChoice(body['mode'], 'mode', ['min', 'max', 'avg', 'median']);
  return plain({
    kind: 'geo_distance',
    field: field?.path ?? names[0]!,
    points,
    order,
    ...(plane ? { plane } : {}),
    unit: body['unit'] === undefined ? 1 : metresIn(asString(body['unit'], 'unit')),
    ...(mode === undefined ? {} : { mode }),
  });
}

/** Orders two values of one sort key; missing ones come last unless `missing` says `first`. */
export function compareSort(a: SortValue, b: SortValue, missing: unknown, descending: boolean): number {
  if (a === null || b === null) {
    if (a === b) return 0;
    const first = missing === 'first';
    return (a === null) === first ? -1 : 1;
  }
  const compared = compareKeys(a, b);
  return descending ? -compared : compared;
}
