// The sort by a field that is mapped: which values it compares, and how they are shown and read.
import { byWord } from '@lockstitch/kernel';
import type { NestedSort, SortKey, SortValue } from '../collect/search-request.ts';
import type { QueryContext } from '../dsl/context.ts';
import { contentError, queryShardError, shardArgument, unsupported } from '../errors/request-error.ts';
import { javaFloat } from '../json/java-values.ts';
import { asChoice, asString, isObject, type Json, textOf, tokenOf } from '../json/json.ts';
import { type DateFormat, dateFormat } from '../mapping/date-format.ts';
import { isNumeric, isWhole, type MappedField, printTerm, toNumber, toTerm } from '../mapping/field-type.ts';
import { nanosPath } from '../mapping/nanos.ts';
import { decimalFormat } from '../text/number-format.ts';
import { givenNumber, isMissing, missingNumber } from './missing-number.ts';
import { nanosSort, scaleOf } from './nanos-sort.ts';
import { readNestedSort } from './nested-sort.ts';
import type { ResolvedSort } from './resolved-sort.ts';
import { MODES } from './sort-members.ts';

type Order = 'asc' | 'desc';
type Nanos = ReturnType<typeof nanosSort>;
type FieldKey = Extract<SortKey, { kind: 'field' }>;

/** Reads the options of a sort by a field. @throws RequestError for those that the field does not have */
export function fieldSort(field: MappedField, body: Json, order: Order, context: QueryContext): ResolvedSort {
  const isNumber = isNumeric(field);
  const asked = body['numeric_type'];
  if (!isNumber && asked !== undefined)
    throw queryShardError(
      `[numeric_type] option cannot be set on a non-numeric field, got ${field.type}`,
      context.index,
    );
  if (asked === 'date_nanos' && field.family !== 'date')
    throw shardArgument('trying to convert a known date time formatter to a nanosecond one, wrong field used?');
  const scale = scaleOf(field, asked);
  const nested = readNestedSort(body, context);
  const mode = readMode(field, body, scale, nested, context);
  const { missing } = body;
  if (isObject(missing) || Array.isArray(missing))
    throw contentError(`[field_sort] missing doesn't support values of type: ${tokenOf(missing)}`);
  const pattern = body['format'] === undefined ? undefined : asString(body['format'], 'format');
  const format = pattern === undefined || field.family !== 'date' ? undefined : dateFormat(pattern);
  const nanos = scale === 'values' ? undefined : nanosSort(field, scale, format, context);
  const isLong = isNumber && (asked === undefined ? isWhole(field) : asked !== 'double');
  const whole = isLong && scale === 'values' ? wholeOf(field, mode) : undefined;
  const isFloat = asked === undefined && (field.type === 'float' || field.type === 'half_float');
  const held = heldMissing(missing, field, nanos, isLong);
  const nothing = isNumber && pattern === undefined ? missingNumber(isLong, order, missing === '_first') : null;
  return {
    key: {
      kind: 'field',
      field: scale === 'ordinals' ? nanosPath(field.path) : field.path,
      order,
      type: isNumber ? 'number' : 'keyword',
      ...(mode === undefined ? {} : { mode }),
      ...(whole === undefined ? {} : { whole }),
      ...(held === undefined ? {} : { missing: held }),
      ...(nested === undefined ? {} : { nested }),
      ...(scale === 'nanos' ? { sinceEpoch: true } : {}),
    },
    show: shower(field, { nanos, format, pattern, nothing, isFloat: isFloat && pattern === undefined }),
    read: reader(field, { nanos, format, isFloat }),
    ...(nanos === undefined ? {} : { across: nanos.across }),
  };
}

/** @throws RequestError for a mode that values of this kind do not have */
function readMode(
  field: MappedField,
  body: Json,
  scale: ReturnType<typeof scaleOf>,
  nested: NestedSort | undefined,
  context: QueryContext,
): FieldKey['mode'] {
  if (body['mode'] === undefined) return undefined;
  const mode = asChoice(body['mode'], 'mode', MODES);
  if (mode === 'min' || mode === 'max') return mode;
  if (!isNumeric(field))
    throw queryShardError(`we only support AVG, MEDIAN and SUM on number based fields`, context.index);
  if (mode === 'median' && nested !== undefined) throw shardArgument('Unsupported sort mode: MEDIAN');
  if (scale === 'ordinals')
    throw unsupported(`[mode] [${mode}] of nanoseconds in a sort: [numeric_type] [date] has it of milliseconds, which`);
  return mode;
}

/** How values become integers, where integers are compared. */
function wholeOf(field: MappedField, mode: FieldKey['mode']): FieldKey['whole'] {
  if (!isWhole(field)) return 'cut';
  return mode === 'avg' || mode === 'median' ? 'rounded' : undefined;
}

/** Where documents without a value go, or what stands for it. */
function heldMissing(
  missing: unknown,
  field: MappedField,
  nanos: Nanos | undefined,
  isLong: boolean,
): FieldKey['missing'] {
  if (missing === undefined || missing === null || missing === '_last') return undefined;
  if (missing === '_first') return 'first';
  if (!isNumeric(field)) return { value: toTerm(field, missing) };
  const number = isLong ? Math.trunc(givenNumber(missing)) : givenNumber(missing);
  return { value: nanos === undefined ? number : nanos.read(typeof missing === 'string' ? missing : number) };
}

/** How values look. */
interface Look {
  readonly nanos: Nanos | undefined;
  readonly format: DateFormat | undefined;
  /** The pattern that the request gives. */
  readonly pattern?: string | undefined;
  /** What is shown for no value. */
  readonly nothing?: unknown;
  /** Whether values are floats of 32 bits or less. */
  readonly isFloat: boolean;
}

function shower(field: MappedField, { nanos, format, pattern, nothing, isFloat }: Look): ResolvedSort['show'] {
  const decimals = pattern === undefined || field.family !== 'number' ? undefined : decimalFormat(pattern);
  return (value) => {
    if (value === null) return nothing;
    if (typeof value === 'string') return printTerm(field, value);
    if (nanos !== undefined) return nanos.show(value);
    if (format !== undefined) return format.print(value);
    // Floats are compared, and shown, as such.
    if (isFloat) return Number(javaFloat(value));
    return decimals === undefined ? value : decimals(value);
  };
}

function reader(field: MappedField, { nanos, format, isFloat }: Look): ResolvedSort['read'] {
  if (!isNumeric(field)) return (value): SortValue => (value === null ? null : toTerm(field, value));
  return (value) => {
    if (value === null || isMissing(value, isWhole(field))) return null;
    if (nanos !== undefined) return nanos.read(value);
    if (typeof value === 'number') return isFloat ? Math.fround(value) : value;
    if (format !== undefined && typeof value === 'string') return format.parse(value) ?? toNumber(field, value);
    return toNumber(field, value);
  };
}

/** How numbers of types that are not mapped would be shown. */
const UNMAPPED: Readonly<Record<string, 'whole' | 'fraction' | 'term'>> = byWord({
  whole: 'long integer short byte boolean date date_nanos token_count',
  fraction: 'double float half_float scaled_float',
  term: 'keyword ip',
});

/** A sort by a field that an index does not have, by the type that the request gives it. */
export function unmappedSort(name: string, type: string, body: Json, order: Order): ResolvedSort {
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
  const isGiven = missing !== undefined && missing !== null && missing !== '_first' && missing !== '_last';
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
    read: (value) => (isMissing(value, values === 'whole') ? null : (value as SortValue)),
  };
}
