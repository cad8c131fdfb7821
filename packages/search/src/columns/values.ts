// What an aggregation reads of a document: the numbers or terms of a field, by columns, with a stand-in for documents
// that have none. A field without a column is refused with the way out.
import type { QueryContext } from '../dsl/context.ts';
import { hasBit } from '../index/bits.ts';
import {
  fielddataPath,
  hasColumn,
  hasFielddata,
  type MappedField,
  toNumber,
  toTerm,
  isWhole,
} from '../mapping/field-type.ts';
import type { DateFormat } from '../mapping/date-format.ts';
import { dateText, parseDateMath } from '../mapping/date-math.ts';
import type { TimeZone } from '../mapping/time-zone.ts';
import type { KeywordColumn, SegmentReader } from '../index/segment.ts';
import type { Point } from '../mapping/geo.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { constantOf, isConstant, isMetadata } from '../mapping/metadata-fields.ts';
import { shardArgument } from '../errors/request-error.ts';

/** Where values are read. */
export interface ValueScope {
  readonly segment: SegmentReader;
  readonly context: Pick<QueryContext, 'index' | 'now'>;
}

/** Calls back once a value of a document; the values come in ascending order. */
export type EachNumber = (doc: number, take: (value: number) => void) => void;

/** Calls back once a point of a document. */
export type EachPoint = (doc: number, take: (lat: number, lon: number) => void) => void;

/** Terms of a field in one segment, by ordinals (`missing` has the ordinal −1 … see `term`). */
export interface TermSource {
  readonly kind: 'term';
  each(doc: number, take: (ordinal: number) => void): void;
  term(ordinal: number): string;
  readonly size: number;
  /** The column behind it, for reading without a call a value; undefined when there is none. */
  readonly column: KeywordColumn | undefined;
}

/** The refusal of a field that has no column. */
export function noColumn(field: MappedField, mapping: Mapping): Error {
  if (field.type === 'rank_feature' || field.type === 'rank_features')
    return shardArgument(`[${field.type}] fields do not support sorting, scripting or aggregating`);
  if (isMetadata(field) || field.family === 'completion' || field.type === 'search_as_you_type')
    return shardArgument(`Fielddata is not supported on field [${field.path}] of type [${field.type}]`);
  if (field.family !== 'text')
    return shardArgument(
      `Can't load fielddata on [${field.path}] because fielddata is unsupported on fields of type [${field.type}]. Use doc values instead.`,
    );
  const exact = [...mapping.fields.values()].find(
    (other) => other.path.startsWith(`${field.path}.`) && other.family === 'keyword' && hasColumn(other),
  );
  const way = exact === undefined ? '' : ` Use [${exact.path}], the keyword sub-field of [${field.path}].`;
  return shardArgument(
    `Text fields are not optimised for operations that require per-document field data like aggregations and sorting, so these operations are disabled by default. Please use a keyword field instead. Alternatively, set fielddata=true on [${field.path}] in order to load field data by uninverting the inverted index. Note that this can use significant memory.${way}`,
  );
}

/** The refusal of a field whose values an aggregation cannot take; `path` is what the request calls it, or an alias of it. */
export function unsuitable(field: MappedField, path: string, aggregation: string): Error {
  // Columns beside a field have names that no field has.
  const name = field.path.includes('..') ? path : field.path;
  return shardArgument(`Field [${name}] of type [${field.type}] is not supported for aggregation [${aggregation}]`);
}

/** The field at a path, checked to have a column; undefined when nobody mapped it. */
export function columnField(path: string, mapping: Mapping): MappedField | undefined {
  const field = mapping.field(path);
  if (field === undefined) return undefined;
  if (hasFielddata(field)) return { ...field, path: fielddataPath(field.path), family: 'keyword' };
  // Their values are read as those of a keyword would be.
  if (field.family === 'constant' || field.family === 'id') return { ...field, family: 'keyword' };
  if (field.family !== 'geo' && !hasColumn(field)) throw noColumn(field, mapping);
  return field;
}

/** The number that stands for missing ones, which the type of the field does not round: a date may be computed; of whole numbers it is no more than a long holds. */
function missingNumber(field: MappedField, missing: unknown, now: number): number {
  if (field.family === 'date') return parseDateMath(dateText(missing), field.format, { now });
  if (field.family !== 'number') return toNumber(field, missing);
  const number = toNumber({ ...field, type: 'double' }, missing);
  if (!isWhole(field)) return number;
  return Math.min(Math.max(number, -(2 ** 63)), 2 ** 63);
}

/** Numbers of a field in a segment; undefined when no document can have any. */
export function numbers(scope: ValueScope, field: MappedField, missing: unknown): EachNumber | undefined {
  const fallback = missing === undefined ? undefined : missingNumber(field, missing, scope.context.now);
  const column = scope.segment.number(field.path);
  if (column === undefined) return fallback === undefined ? undefined : (_, take) => take(fallback);
  const { values, starts, exists } = column;
  if (starts !== undefined)
    return (doc, take) => {
      const from = starts[doc]!;
      const to = starts[doc + 1]!;
      if (from === to) {
        if (fallback !== undefined) take(fallback);
      } else for (let at = from; at < to; at++) take(values[at]!);
    };
  if (exists === undefined) return (doc, take) => take(values[doc]!);
  return (doc, take) => {
    if (hasBit(exists, doc)) take(values[doc]!);
    else if (fallback !== undefined) take(fallback);
  };
}

/** The field as a request reads dates that names a format: `missing` is written as the answer prints them. */
export function readIn(field: MappedField, format: DateFormat | undefined, zone: TimeZone): MappedField {
  if (format === undefined || field.family !== 'date') return field;
  return { ...field, format: { ...format, parse: (text) => format.parse(text, zone) } };
}

/** Points of a field in a segment; undefined when no document can have any. */
export function points(
  scope: ValueScope,
  field: MappedField | undefined,
  missing: Point | undefined,
): EachPoint | undefined {
  const column = field === undefined ? undefined : scope.segment.geo(field.path);
  if (column === undefined) return missing === undefined ? undefined : (_, take) => take(missing.lat, missing.lon);
  const { exists, starts, lat, lon } = column;
  return (doc, take) => {
    const none = starts === undefined && exists !== undefined && !hasBit(exists, doc);
    const [from, to] = none ? [0, 0] : starts === undefined ? [doc, doc + 1] : [starts[doc]!, starts[doc + 1]!];
    if (from === to && missing !== undefined) take(missing.lat, missing.lon);
    for (let at = from; at < to; at++) take(lat[at]!, lon[at]!);
  };
}

/** Terms of a field in a segment; undefined when no document can have any. */
export function terms(scope: ValueScope, field: MappedField, missing: unknown): TermSource | undefined {
  if (isConstant(field)) {
    const constant = constantOf(field, scope.context.index);
    if (constant === undefined) return undefined;
    return { kind: 'term', each: (_, take) => take(0), term: () => constant, size: 1, column: undefined };
  }
  if (field.type === '_id') {
    const { segment } = scope;
    const term = (doc: number): string => segment.id(doc);
    return {
      kind: 'term',
      each: (doc, take) => take(segment.rootOf(doc)),
      term,
      size: segment.docCount,
      column: undefined,
    };
  }
  const fallback = missing === undefined ? undefined : toTerm(field, missing);
  const column = scope.segment.keyword(field.path);
  if (column === undefined)
    return fallback === undefined
      ? undefined
      : { kind: 'term', each: (_, take) => take(0), term: () => fallback, size: 1, column };
  const { ordinals, starts, terms: dictionary } = column;
  const size = dictionary.size;
  return {
    kind: 'term',
    size: size + 1,
    column,
    term: (ordinal) => (fallback !== undefined && ordinal === size ? fallback : dictionary.term(ordinal)),
    each(doc, take) {
      if (starts === undefined) {
        const entry = ordinals[doc]!;
        if (entry > 0) take(entry - 1);
        else if (fallback !== undefined) take(size);
        return;
      }
      let any = false;
      for (let at = starts[doc]!; at < starts[doc + 1]!; at++) {
        const entry = ordinals[at]!;
        if (entry > 0) {
          any = true;
          take(entry - 1);
        }
      }
      if (!any && fallback !== undefined) take(size);
    },
  };
}
