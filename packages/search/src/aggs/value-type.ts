// Which type has a field that nobody mapped, where an aggregation gives documents a value for it (`missing`): that of `value_type`, or what
// the aggregation works with. Without a `missing` there is no value, and its type is no question.
import { asString, type Json, textOf } from '../json/json.ts';
import { parseDecimal } from '../text/number-format.ts';
import type { DateFormat } from '../mapping/date-format.ts';
import { parseDateMath } from '../mapping/date-math.ts';
import { createField, isNumeric, type MappedField } from '../mapping/field-type.ts';
import { readPoint } from '../mapping/geo.ts';
import { ipToTerm } from '../mapping/ip.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { UTC } from '../mapping/time-zone.ts';
import {
  contentError,
  illegalArgument,
  numberFormat,
  parseException,
  RequestError,
  shardArgument,
} from '../errors/request-error.ts';
import type { Aggregator, SegmentScope } from './aggregator.ts';
import { checkFormat, dateFormatOf, type OfDocuments } from './definition.ts';
import { columnField, unsuitable } from '../columns/values.ts';
import type { Family } from '../mapping/field-parameters.ts';

/** Elasticsearch's words for types of values: those of numbers mean the widest one. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'keyword',
  byte: 'long',
  short: 'long',
  integer: 'long',
  long: 'long',
  float: 'double',
  double: 'double',
  number: 'double',
  numeric: 'double',
  date: 'date',
  ip: 'ip',
  boolean: 'boolean',
};

/** @throws RequestError for a `value_type` that is no word for one */
export function checkValueType(kind: string, value: unknown): void {
  const asked = asString(value, 'value_type').toLowerCase();
  if (Object.hasOwn(TYPES, asked)) return;
  throw contentError(`[${kind}] failed to parse field [value_type]`, {
    type: 'illegal_argument_exception',
    reason: `Unknown value type [${asked}]`,
  });
}

/** What a definition says of its field. */
type OfField = Pick<OfDocuments, 'values' | 'unmapped' | 'options'>;

/** The families of fields that those types are; the others are numbers. */
const FAMILIES: Readonly<Record<string, Family>> = { keyword: 'keyword', date: 'date', ip: 'ip', boolean: 'boolean' };

/** The aggregation, with values of the type that its body asks for, or of the usual one; the same where there is none. */
export function withValueType(made: Aggregator, kind: string, body: Json, definition: OfField): Aggregator {
  const given = body['value_type'];
  const asked = given === undefined || given === null ? undefined : asString(given, 'value_type').toLowerCase();
  const type = asked === undefined ? definition.unmapped : TYPES[asked];
  const path = body['field'];
  if (definition.values === undefined || typeof path !== 'string') return made;
  const isGiven = body['missing'] !== undefined && body['missing'] !== null;
  const takes = (key: string): boolean => body[key] !== undefined && definition.options?.includes(key) === true;
  const hasFormat = takes('format');
  const hasZone = takes('time_zone');
  if (!isGiven && !hasFormat && !hasZone && asked === undefined) return made;
  const takesType = (type: string): boolean => definition.values?.includes(FAMILIES[type] ?? 'number') !== false;
  const typed = (scope: SegmentScope): SegmentScope => {
    const mapped = scope.mapping.field(path);
    if (mapped === undefined) {
      if (asked !== undefined && type !== undefined && !takesType(type))
        throw new RequestError(
          'SEARCH_SHARD_FAILURE',
          'illegal_argument_exception',
          `unmapped field is not supported for aggregation [${kind}]`,
          { phase: true, hint: `[value_type] [${asked}] is no type of the values that it takes` },
        );
      if (!isGiven || type === undefined) return scope;
      const field = createField(path, { type }, scope.mapping.analysis, undefined);
      checkMissing(field, body['missing'], hasFormat ? dateFormatOf(body) : undefined);
      return withField(scope, field);
    }
    if (asked !== undefined && type !== undefined) {
      checkType(asked, type, path, scope.mapping);
      if (!takesType(type)) {
        const isShown = hasFormat || mapped.family === 'boolean' || mapped.family === 'date';
        throw isGiven && isShown ? unsupportedOperation() : unsuitable(mapped, path, kind);
      }
    }
    const field = mapped.family === 'range' ? mapped : columnField(path, scope.mapping);
    if (field === undefined) return scope;
    // Numbers of texts have the format, not the texts.
    if (hasFormat && kind !== 'string_stats') checkFormat(body, path, field);
    if (hasZone && field.family !== 'date' && field.type !== 'date_range')
      throw shardArgument(`Field [${path}] of type [${field.type}] does not support custom time zones`);
    if (!isGiven) return scope;
    if (hasFormat && field.family === 'number') parseDecimal(textOf(body['format']), textOf(body['missing']));
    else checkMissing(field, body['missing'], hasFormat ? dateFormatOf(body) : undefined);
    return scope;
  };
  return Object.create(made, {
    open: { value: (scope: SegmentScope) => onShard(() => made.open(typed(scope))) },
    ...(made.openAll === undefined
      ? {}
      : { openAll: { value: (scope: SegmentScope) => onShard(() => made.openAll?.(typed(scope))) } }),
  });
}

/** A value for documents without one that is no number, of a field whose numbers are read in a format. */
function unsupportedOperation(): Error {
  return new RequestError(
    'SEARCH_SHARD_FAILURE',
    'unsupported_operation_exception',
    '[missing] is of another type than the values of the aggregation',
    { phase: true },
  );
}

/** @throws RequestError for a `missing` that is no value of a field */
function checkMissing(field: MappedField, missing: unknown, format: DateFormat | undefined): void {
  const text = textOf(missing);
  switch (field.family) {
    case 'number':
      if (text.trim() === '' || Number.isNaN(Number(text))) throw numberFormat(text);
      break;
    case 'date':
      if (text === '') throw parseException('cannot parse empty date');
      parseDateMath(text, format ?? field.format, { now: 0, zone: UTC });
      break;
    case 'boolean':
      if (!['true', 'false'].includes(text))
        throw illegalArgument(`Cannot parse boolean [${text}], expected either [true] or [false]`);
      break;
    case 'ip':
      if (ipToTerm(text) === undefined) throw illegalArgument(`'${text}' is not an IP string literal.`);
      break;
    case 'geo':
      readPoint(text);
      break;
    case 'range':
      throw illegalArgument(
        "Can't apply missing values on a class org.elasticsearch.search.aggregations.support.ValuesSource$Range",
      );
    default:
  }
}

/** What is wrong with a value shows only once the type of the field is known. */
export function onShard<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof RequestError) || error.details.phase !== undefined) throw error;
    throw new RequestError('SEARCH_SHARD_FAILURE', error.type, error.message, { ...error.details, phase: true });
  }
}

/** @throws RequestError for text fields that are requested as numbers */
function checkType(asked: string, type: string, path: string, mapping: Mapping): void {
  const field = columnField(path, mapping);
  const isNumber = type !== 'keyword' && type !== 'ip';
  if (isNumber && field !== undefined && !isNumeric(field))
    throw shardArgument(`Expected numeric type on field [${path}], but got [${field.type}] for the type [${asked}]`);
}

/** The same segment with one more field in its mapping. The score of the document at hand is read through it. */
function withField(scope: SegmentScope, field: MappedField): SegmentScope {
  const mapping = new Proxy(scope.mapping, {
    get(target, key) {
      if (key === 'field') return (name: string) => (name === field.path ? field : target.field(name));
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return Object.create(scope, { mapping: { value: mapping } });
}
