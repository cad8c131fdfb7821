// In which order hits come: the `sort` of a request as keys of the engine, how sort values are shown, and how
// `search_after` reads them back.
import type { QueryContext } from '../dsl/context.ts';
import { parseInnerQuery } from '../dsl/parse-query.ts';
import type { SortKey, SortValue } from '../collect/search-request.ts';
import {
  asBoolean,
  asChoice,
  asInteger,
  asObject,
  asString,
  checkKeys,
  isObject,
  type Json,
  knownHere,
  textOf,
  tokenOf,
  toList,
} from '../json/json.ts';
import { checkToken, type MemberKind, unknownMember, within } from '../json/object-parser.ts';
import { compareKeys } from '../text/compare-keys.ts';
import { columnField } from '../columns/values.ts';
import { decimalFormat } from '../text/number-format.ts';
import { type DateFormat, dateFormat } from '../mapping/date-format.ts';
import { parseFineDateMath } from '../mapping/date-math.ts';
import { hasNanos, isNumeric, isWhole, type MappedField, printTerm, toNumber, toTerm } from '../mapping/field-type.ts';
import { metresIn, parsePoint } from '../mapping/geo.ts';
import { constantOf, isConstant } from '../mapping/metadata-fields.ts';
import { type FineInstant, fromPlace, nanosPath, nearestPlace, shownNanos, toFine } from '../mapping/nanos.ts';
import { UTC } from '../mapping/time-zone.ts';
import { RawJson } from '../json/print-json.ts';
import {
  asContentError,
  contentError,
  illegalArgument,
  isShardFailure,
  parsingError,
  queryShardError,
  RequestError,
  shardArgument,
  unsupported,
} from '../errors/request-error.ts';

/** A sort key with how its values look. */
export interface ResolvedSort {
  readonly key: SortKey;
  show(value: SortValue): unknown;
  read(value: unknown): SortValue;
  /** What is compared with the values of other indices; undefined: the value itself. */
  readonly across?: (value: SortValue) => AcrossValue;
}

/** A sort value among those of other indices. */
export type AcrossValue = SortValue | bigint;

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
  if (entries.length > MOST_KEYS) {
    throw illegalArgument(
      `Too many sort keys: [${entries.length}] were given and [${MOST_KEYS}] are the most. Every key is read for every hit; leave out those that never decide.`,
    );
  }
  return entries.flatMap((entry): ResolvedSort[] => {
    if (!Array.isArray(json) && (typeof entry === 'number' || typeof entry === 'boolean'))
      return [one(String(entry), {}, context)];
    if (typeof entry === 'string') return [one(entry, {}, context)];
    if (!isObject(entry))
      throw illegalArgument('malformed sort format, within the sort array, an object, or an actual string are allowed');
    return Object.entries(entry).map(([name, body]) => one(name, sortBody(body), context));
  });
}

/** @throws RequestError for what is neither options nor an order */
function sortBody(body: unknown): Json {
  if (isObject(body)) return body;
  if (typeof body !== 'string')
    throw contentError(
      `[field_sort] Expected START_OBJECT but was: ${Array.isArray(body) ? 'END_ARRAY' : 'END_OBJECT'}`,
    );
  return { order: direction(body) };
}

const identity = (value: SortValue): unknown => value;

function plain(key: SortKey): ResolvedSort {
  return {
    key,
    show: (value) => (value === Infinity ? 'Infinity' : value),
    read: (value) => (value === null ? null : typeof value === 'number' ? value : Number(value)),
  };
}

const MOST_LONG = new RawJson('9223372036854775807');
const LEAST_LONG = new RawJson('-9223372036854775808');

/** What stands for a missing number: the greatest or the least there is, as it comes last or first. */
function missingNumber(isWhole: boolean, order: 'asc' | 'desc', isFirst: boolean): unknown {
  const isGreatest = (order === 'asc') !== isFirst;
  if (isWhole) return isGreatest ? MOST_LONG : LEAST_LONG;
  return isGreatest ? 'Infinity' : '-Infinity';
}

/** Whether a value of `search_after` is that of a missing number. */
function isMissing(value: unknown): boolean {
  if (value === 'Infinity' || value === '-Infinity') return true;
  return (typeof value === 'number' || typeof value === 'string') && Math.abs(Number(value)) >= 2 ** 63;
}

/** A number that stands for missing ones. @throws RequestError for what is none, a date as well */
function givenNumber(value: unknown): number {
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
  if (typeof value === 'object' || Number.isNaN(number))
    throw new RequestError('SEARCH_SHARD_FAILURE', 'number_format_exception', `For input string: "${textOf(value)}"`, {
      phase: true,
    });
  return number;
}

/** The same as the key compares it. */
function readMissing(value: unknown, nanos: { read(value: unknown): number } | undefined): number {
  const number = givenNumber(value);
  return nanos === undefined ? number : nanos.read(typeof value === 'string' ? value : number);
}

/** How numbers of types that are not mapped would be shown. */
const UNMAPPED: Readonly<Record<string, 'whole' | 'fraction' | 'term'>> = {
  long: 'whole',
  integer: 'whole',
  short: 'whole',
  byte: 'whole',
  boolean: 'whole',
  date: 'whole',
  date_nanos: 'whole',
  token_count: 'whole',
  double: 'fraction',
  float: 'fraction',
  half_float: 'fraction',
  scaled_float: 'fraction',
  keyword: 'term',
  ip: 'term',
};

function unmappedSort(name: string, type: string, body: Json, order: 'asc' | 'desc'): ResolvedSort {
  const values = UNMAPPED[type];
  if (type === 'text')
    throw shardArgument(
      `Text fields are not optimised for operations that require per-document field data like aggregations and sorting, so these operations are disabled by default. Please use a keyword field instead of [${name}].`,
    );
  if (type === 'geo_point')
    throw shardArgument(`can't sort on geo_point field without using specific sorting feature, like geo_distance`);
  if (values === undefined) {
    if (!type.endsWith('_range')) throw shardArgument(`No mapper found for type [${type}]`);
    return { key: { kind: 'field', field: name, order, type: 'keyword' }, show: () => null, read: () => null };
  }
  const { missing } = body;
  const isGiven = missing !== undefined && missing !== '_first' && missing !== '_last';
  const shown = isGiven
    ? values === 'term'
      ? textOf(missing)
      : givenNumber(missing)
    : values === 'term'
      ? null
      : missingNumber(values === 'whole', order, missing === '_first');
  return {
    key: { kind: 'field', field: name, order, type: values === 'term' ? 'keyword' : 'number' },
    show: (value) => value ?? shown,
    read: (value) => (isMissing(value) ? null : (value as SortValue)),
  };
}

/** Reads one key; what is wrong in its options is worded as by Elasticsearch's parsers of objects. */
function one(name: string, body: Json, context: QueryContext): ResolvedSort {
  try {
    return oneKey(name, body, context);
  } catch (error) {
    if (context.parsesOnly === true && isShardFailure(error)) return plain({ kind: 'doc' });
    // What a parser of objects refuses is worded already.
    const isWorded = error instanceof RequestError && error.type === 'x_content_parse_exception';
    throw name === '_geo_distance' || isWorded
      ? error
      : asContentError(error, name === '_score' ? '_score' : 'field_sort');
  }
}

/** A direction beside the name of a field, which no parser of objects reads. */
function direction(text: string): string {
  if (!(ORDERS as readonly string[]).includes(text.toLowerCase()))
    throw illegalArgument(`No enum constant org.elasticsearch.search.sort.SortOrder.${text.toUpperCase()}`);
  return text;
}

const ORDERS = ['asc', 'desc'] as const;

function oneKey(name: string, body: Json, context: QueryContext): ResolvedSort {
  const order = (fallback: 'asc' | 'desc'): 'asc' | 'desc' =>
    body['order'] === undefined ? fallback : asChoice(body['order'], 'order', ORDERS);
  if (name === '_script') throw unsupported('sort by [_script]');
  if (name === '_score') {
    checkKeys(body, '_score', ['order']);
    // Shown as the shortest text of a 32-bit float; what comes back must be that float again.
    return { ...plain({ kind: 'score', order: order('desc') }), read: (value) => Math.fround(Number(value)) };
  }
  if (name === '_geo_distance') return geoSort(body, order('asc'), context);
  checkMembers(body, context);
  if (name === '_doc' || name === '_shard_doc') return plain({ kind: 'doc', order: order('asc') });
  if (name === '_id') {
    checkTextOptions(body, name, context);
    return { key: { kind: 'id', order: order('asc') }, show: identity, read: (value) => String(value) };
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
      show: identity,
      read: (value) => (value === null ? null : textOf(value)),
    };
  }
  if (field.family === 'geo')
    throw shardArgument(`can't sort on geo_point field without using specific sorting feature, like geo_distance`);
  return fieldSort(field, body, order('asc'), context);
}

const MODES = ['min', 'max', 'sum', 'avg', 'median'] as const;

const NUMERIC_TYPES = ['long', 'double', 'date', 'date_nanos'];

/** What tokens the options of a sort by a field begin with. */
const KINDS: Readonly<Record<string, MemberKind>> = {
  order: 'string',
  mode: 'string',
  missing: 'value',
  unmapped_type: 'string',
  nested: 'object',
  nested_path: 'string',
  nested_filter: 'object',
  numeric_type: 'string',
  format: 'string',
};

/** Reads the options in their order. @throws RequestError for what no mapping makes right */
function checkMembers(body: Json, context: QueryContext): void {
  for (const [key, value] of Object.entries(body)) {
    const kind = Object.hasOwn(KINDS, key) ? KINDS[key] : undefined;
    if (kind === undefined) throw unknownMember('field_sort', key, Object.keys(KINDS));
    checkToken('field_sort', key, value, kind);
    const text = String(value).toLowerCase();
    within('field_sort', key, () => {
      if (key === 'order') direction(text);
      if (key === 'mode' && !(MODES as readonly string[]).includes(text))
        throw illegalArgument(`Unknown SortMode [${textOf(value)}]`);
      if (key === 'numeric_type' && !NUMERIC_TYPES.includes(text))
        throw illegalArgument(
          `invalid value for [numeric_type], must be [long, double, date, date_nanos], got ${textOf(value)}`,
        );
      if (key === 'nested_filter') nestedFilter(value, context);
      if (key === 'nested') checkNested(value as Json, context);
    });
  }
  if (body['nested'] !== undefined && (body['nested_path'] !== undefined || body['nested_filter'] !== undefined))
    throw illegalArgument('Setting both nested_path/nested_filter and nested not allowed');
}

function checkNested(nested: Json, context: QueryContext): void {
  for (const [key, value] of Object.entries(nested)) {
    if (key === 'filter') nestedFilter(value, context);
    else if (key === 'max_children') asInteger(value, key);
    else if (key === 'nested') checkNested(asObject(value, key), context);
    else if (key !== 'path')
      throw illegalArgument(`malformed nested sort format, unknown field name [${key}]`, knownHere(key, NESTED_KEYS));
  }
}

/** @throws RequestError for a filter that cannot be read, whatever index it would be of */
function nestedFilter(value: unknown, context: QueryContext): void {
  try {
    parseInnerQuery(value, context);
  } catch (error) {
    if (!(error instanceof RequestError) || isShardFailure(error) || error.code === 'SEARCH_UNSUPPORTED') throw error;
    throw parsingError('Expected nested_filter element.', {
      causedBy: { type: error.type, reason: error.message },
    });
  }
}

/** @throws RequestError for options that texts do not have */
function checkTextOptions(body: Json, type: string, { index }: QueryContext): void {
  if (body['numeric_type'] !== undefined)
    throw queryShardError(`[numeric_type] option cannot be set on a non-numeric field, got ${type}`, index);
  if (['avg', 'median', 'sum'].includes(textOf(body['mode']).toLowerCase()))
    throw queryShardError(`we only support AVG, MEDIAN and SUM on number based fields`, index);
}

const NESTED_KEYS = ['path', 'filter', 'max_children', 'nested'];

function fieldSort(field: MappedField, body: Json, order: 'asc' | 'desc', context: QueryContext): ResolvedSort {
  const numeric = isNumeric(field);
  const given = isObject(body['nested']) ? body['nested'] : undefined;
  if (given !== undefined) {
    checkKeys(given, 'nested', NESTED_KEYS);
    for (const key of ['max_children', 'nested'])
      if (given[key] !== undefined) throw unsupported(`[${key}] in the [nested] of a sort`);
  }
  if (!isNumeric(field) && body['numeric_type'] !== undefined)
    throw queryShardError(
      `[numeric_type] option cannot be set on a non-numeric field, got ${field.type}`,
      context.index,
    );
  const scale = scaleOf(field, body['numeric_type']);
  const nestedPath =
    given === undefined
      ? body['nested_path'] === undefined
        ? undefined
        : asString(body['nested_path'], 'nested_path')
      : given['path'] === undefined
        ? undefined
        : asString(given['path'], 'nested.path');
  if (nestedPath !== undefined && context.mapping.object(nestedPath)?.nested !== true) {
    const isObject = context.mapping.object(nestedPath) !== undefined;
    throw queryShardError(
      isObject
        ? `[nested] nested object under path [${nestedPath}] is not of nested type`
        : `[nested] failed to find nested object under path [${nestedPath}]`,
      context.index,
    );
  }
  const filter = given?.['filter'] ?? body['nested_filter'];
  const mode = body['mode'] === undefined ? undefined : asChoice(body['mode'], 'mode', MODES);
  if (!numeric && mode !== undefined && mode !== 'min' && mode !== 'max') {
    throw queryShardError(`we only support AVG, MEDIAN and SUM on number based fields`, context.index);
  }
  if (mode === 'median' && nestedPath !== undefined) throw shardArgument('Unsupported sort mode: MEDIAN');
  if (scale === 'places' && mode !== undefined && mode !== 'min' && mode !== 'max')
    throw unsupported(`[mode] [${mode}] of nanoseconds in a sort: [numeric_type] [date] has it of milliseconds, which`);
  const missing = body['missing'];
  if (isObject(missing) || Array.isArray(missing))
    throw contentError(`[field_sort] missing doesn't support values of type: ${tokenOf(missing)}`);
  const pattern = body['format'] === undefined ? undefined : asString(body['format'], 'format');
  const format = pattern === undefined || field.family !== 'date' ? undefined : dateFormat(pattern);
  const decimals = pattern === undefined || field.family !== 'number' ? undefined : decimalFormat(pattern);
  const nanos = scale === 'places' || scale === 'nanos' ? nanosSort(field, scale, format, context) : undefined;
  const asked = body['numeric_type'];
  const isLong = asked === undefined ? isWhole(field) : asked !== 'double';
  const nothing = numeric ? missingNumber(isLong, order, missing === '_first') : null;
  const show = (value: SortValue): unknown => {
    if (value === null) return pattern === undefined ? nothing : null;
    if (typeof value === 'number') {
      if (nanos !== undefined) return nanos.show(value);
      if (format !== undefined) return format.print(value);
      if (decimals !== undefined) return decimals(value);
      return value;
    }
    return printTerm(field, value);
  };
  const read = (value: unknown): SortValue => {
    if (value === null || (numeric && isMissing(value))) return null;
    if (nanos !== undefined) return nanos.read(value);
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
      field: scale === 'places' ? nanosPath(field.path) : field.path,
      order,
      type: numeric ? 'number' : 'keyword',
      ...(mode === undefined ? {} : { mode }),
      ...(!numeric || !isLong || scale !== 'values'
        ? {}
        : isWhole(field)
          ? mode === 'avg' || mode === 'median'
            ? { whole: 'rounded' as const }
            : {}
          : { whole: 'cut' as const }),
      ...(missing === undefined || missing === '_last'
        ? {}
        : {
            missing:
              missing === '_first'
                ? 'first'
                : {
                    value: numeric ? readMissing(missing, nanos) : toTerm(field, missing),
                  },
          }),
      ...(nestedPath === undefined
        ? {}
        : {
            nested: { path: nestedPath, ...(filter === undefined ? {} : { filter: parseInnerQuery(filter, context) }) },
          }),
    },
    show,
    read,
    ...(nanos === undefined ? {} : { across: nanos.across }),
  };
}

/** What a sort by a field compares: the values as they are, milliseconds that are told as nanoseconds, or the places of nanoseconds. */
function scaleOf(field: MappedField, value: unknown): 'values' | 'nanos' | 'places' {
  const own = hasNanos(field) ? 'places' : 'values';
  if (value === undefined) return own;
  const asked = asChoice(value, 'numeric_type', ['long', 'double', 'date', 'date_nanos']);
  if (asked === 'date') return 'values';
  return asked === 'date_nanos' && field.type === 'date' ? 'nanos' : own;
}

/** How nanoseconds are shown, read and compared. @param scale what the column has: milliseconds, or places */
function nanosSort(
  field: MappedField,
  scale: 'nanos' | 'places',
  format: DateFormat | undefined,
  context: QueryContext,
): {
  show(value: number): unknown;
  read(value: unknown): number;
  readonly across: (value: SortValue) => AcrossValue;
} {
  const since = (value: number): bigint => {
    if (scale === 'places') return fromPlace(value);
    if (value < 0)
      throw shardArgument(
        `A date of [${field.path}] is before the epoch in 1970 and cannot be converted to nanoseconds. Sort with [numeric_type] [date].`,
      );
    const millis = Math.floor(value);
    return BigInt(millis) * 1_000_000n + BigInt(Math.round((value - millis) * 1_000_000));
  };
  return {
    show(value) {
      if (format === undefined) return shownNanos(since(value));
      const { millis, nanos } = toFine(since(value));
      return format.print(millis, UTC, nanos);
    },
    read(value) {
      let instant: FineInstant;
      if (typeof value === 'number' && !Number.isInteger(value))
        throw illegalArgument(`[${value}] is no whole number of nanoseconds, by which [${field.path}] is sorted`);
      if (typeof value === 'number' || (typeof value === 'string' && /^\d{16,19}$/.test(value)))
        instant = toFine(BigInt(value));
      else instant = parseFineDateMath(asString(value, field.path), format ?? field.format, { now: context.now });
      // Between two milliseconds a column of them has nothing.
      return scale === 'places' ? nearestPlace(instant) : instant.millis + instant.nanos / 1_000_000;
    },
    across: (value) => (typeof value === 'number' ? since(value) : value),
  };
}

function geoSort(body: Json, order: 'asc' | 'desc', context: QueryContext): ResolvedSort {
  const known = ['order', 'unit', 'mode', 'distance_type', 'ignore_unmapped', 'validation_method', 'nested'];
  if (body['nested'] !== undefined) throw unsupported('[nested] in a sort by [_geo_distance]');
  const plane =
    body['distance_type'] !== undefined &&
    asChoice(body['distance_type'], 'distance_type', ['arc', 'plane']) === 'plane';
  if (body['validation_method'] !== undefined) asChoice(body['validation_method'], 'validation_method', ['strict']);
  const names = Object.keys(body).filter((key) => !known.includes(key));
  if (names.length === 0) throw illegalArgument('Geo distance sorting needs at least one point.');
  if (names.length > 1)
    throw parsingError(
      `[_geo_distance] exactly one field with points is needed, and there are [${names.join(', ')}]; known here: ${known.join(', ')}`,
    );
  const field = context.mapping.field(names[0]!);
  const isIgnored =
    body['ignore_unmapped'] !== undefined && asBoolean(body['ignore_unmapped'], 'ignore_unmapped') && !field;
  if (field?.family !== 'geo' && !isIgnored)
    throw shardArgument(`failed to find mapper for [${names[0]}] for geo distance based sort`);
  const value = body[names[0]!];
  const isPair = Array.isArray(value) && typeof value[0] === 'number';
  const points = (isPair ? [value] : toList(value)).map((each) => parsePoint(each));
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
export function compareSort(a: AcrossValue, b: AcrossValue, missing: unknown, descending: boolean): number {
  if (a === null || b === null) {
    if (a === b) return 0;
    const first = missing === 'first';
    return (a === null) === first ? -1 : 1;
  }
  const compared = typeof a === 'bigint' || typeof b === 'bigint' ? Number(a > b) - Number(a < b) : compareKeys(a, b);
  return descending ? -compared : compared;
}
