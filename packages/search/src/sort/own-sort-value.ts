// What one document, nested elements included, is ordered by among hits that are sorted after they were collected: the value of a
// sort key in the document's own columns.
import { hasBit } from '../index/bits.ts';
import type { Searcher, SortValue } from '../collect/search-request.ts';
import type { SegmentReader } from '../index/segment.ts';
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
  const { starts } = column;
  const [from, to] = starts === undefined ? [doc, doc + 1] : [starts[doc]!, starts[doc + 1]!];
  if (starts === undefined && column.exists !== undefined && !hasBit(column.exists, doc)) return missing;
  if (from === to) return missing;
  if (column.kind === 'number') {
    const values = Array.from(column.values.subarray(from, to));
    const value = joinValues(key.whole === 'cut' ? values.map(Math.trunc) : values, mode);
    return key.whole === undefined ? value : Math.round(value);
  }
  const at = mode === 'max' ? to - 1 : from;
  const entry = column.ordinals[at]!;
  return entry === 0 ? missing : column.terms.term(entry - 1);
}
