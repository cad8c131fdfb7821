// Ranges that are values, as histograms take them: a document is counted in every bucket that one of its ranges meets.
import { hasBit } from '../index/bits.ts';
import type { MappedField } from '../mapping/field-type.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { SegmentScope } from './aggregator.ts';
import { columnField, noColumn, terms, unsuitable } from '../columns/values.ts';

/** Calls back once a range of a document. */
export type EachRange = (doc: number, take: (from: number, to: number) => void) => void;

/** The field at a path when it holds ranges. @throws RequestError when a histogram cannot read them */
export function rangeField(path: string, typeName: string, mapping: Mapping): MappedField | undefined {
  const field = mapping.field(path);
  if (field?.family !== 'range') return undefined;
  if (!field.docValues) throw noColumn(field, mapping);
  if (field.type === 'ip_range' || (field.type === 'date_range') !== (typeName === 'date_histogram'))
    throw unsuitable(field, path, typeName);
  return field;
}

/** The field at a path, ranges among them, checked to have a column; undefined when nobody mapped it. */
export function anyColumn(path: string, mapping: Mapping): MappedField | undefined {
  const field = mapping.field(path);
  return field?.family === 'range' && field.docValues ? field : columnField(path, mapping);
}

/** The ranges of a field in a segment; undefined when no document has any. */
export function ranges({ segment }: SegmentScope, field: MappedField): EachRange | undefined {
  const column = segment.geo(field.path);
  if (column === undefined) return undefined;
  const { lat: lows, lon: highs, starts, exists } = column;
  return (doc, take) => {
    if (starts === undefined && exists !== undefined && !hasBit(exists, doc)) return;
    const end = starts === undefined ? doc + 1 : starts[doc + 1]!;
    for (let at = starts === undefined ? doc : starts[doc]!; at < end; at++) take(lows[at]!, highs[at]!);
  };
}

/** The ranges of a field in a segment as texts, those of addresses among them; undefined when no document has any. */
export function rangeTexts(
  scope: SegmentScope,
  field: MappedField,
): ((doc: number, take: (range: string) => void) => void) | undefined {
  if (field.type === 'ip_range') {
    const source = terms(scope, field, undefined);
    return source && ((doc, take) => source.each(doc, (ordinal) => take(source.term(ordinal))));
  }
  const each = ranges(scope, field);
  return each && ((doc, take) => each(doc, (from, to) => take(`${from},${to}`)));
}
