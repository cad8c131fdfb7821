// What one document, nested elements included, is ordered by among hits that are sorted after they were collected: the value of a
// sort key in the document's own columns.
import { hasBit } from '../index/bits.ts';
import type { Searcher, SortValue } from '../collect/search-request.ts';
import type { KeywordColumn, NumberColumn, SegmentReader } from '../index/segment.ts';
import { geoReader, joinValues } from '../collect/sort-values.ts';
import { unsupported } from '../errors/request-error.ts';
import type { ResolvedSort } from './sort.ts';

/** Where the document is. */
export interface Place {
  readonly searcher: Searcher;
  readonly segment: SegmentReader;
}

/** The value; of several that which the mode of the key says. @throws RequestError for what takes more than the document's own columns */
export function ownSortValue(sort: ResolvedSort, place: Place, doc: number, score: number, where: string): SortValue {
  const { key } = sort;
  if (key.kind === 'score') return score;
  if (key.kind === 'doc' && place.searcher.tiesById !== true) return place.segment.base + doc;
  if (key.kind === 'doc' || key.kind === 'id' || key.kind === 'key') return place.segment.id(doc);
  if (key.kind === 'constant') return key.value;
  if (key.kind === 'geo_distance') return geoReader(key, place.segment)(doc, score);
  if (key.nested?.filter !== undefined) throw unsupported(`a filter of nested elements in the sort of ${where}`);
  const mode = key.mode ?? (key.order === 'desc' ? 'max' : 'min');
  const column = key.type === 'number' ? place.segment.number(key.field) : place.segment.keyword(key.field);
  const missing = typeof key.missing === 'object' ? key.missing.value : null;
  if (column === undefined) return missing;
  const docs = key.nested === undefined ? [doc] : elementsOf(place.segment, doc, key.nested.path);
  const values = docs.flatMap((each) => valuesOf(column, each)).sort((a, b) => a - b);
  if (values.length === 0) return missing;
  if (column.kind === 'keyword') return column.terms.term((mode === 'max' ? values.at(-1)! : values[0]!) - 1);
  const value = joinValues(key.whole === 'cut' ? values.map(Math.trunc) : values, mode);
  return key.whole === undefined ? value : Math.round(value);
}

/** The numbers of a document, or its terms by their places from 1 on. */
function valuesOf(column: NumberColumn | KeywordColumn, doc: number): readonly number[] {
  const { starts } = column;
  const [from, to] = starts === undefined ? [doc, doc + 1] : [starts[doc]!, starts[doc + 1]!];
  if (starts === undefined && column.exists !== undefined && !hasBit(column.exists, doc)) return [];
  if (column.kind === 'number') return Array.from(column.values.subarray(from, to));
  return Array.from(column.ordinals.subarray(from, to)).filter((ordinal) => ordinal > 0);
}

/** The elements of a nested field below a document; an element stands for itself. */
function elementsOf(segment: SegmentReader, doc: number, path: string): readonly number[] {
  if (segment.nestedPath(doc) !== undefined) return [doc];
  const found: number[] = [];
  for (let child = doc - 1; child >= 0 && segment.nestedPath(child) !== undefined; child--)
    if (segment.nestedPath(child) === path) found.push(child);
  return found;
}
