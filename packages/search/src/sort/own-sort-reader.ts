// What documents, elements of nested fields among them, are ordered by when they are sorted after they were collected.
import type { Searcher, SortValue } from '../collect/search-request.ts';
import type { SegmentReader } from '../index/segment.ts';
import type { ResolvedSort } from './resolved-sort.ts';

/** Where documents are. */
export interface Place {
  readonly searcher: Searcher;
  readonly segment: SegmentReader;
}

/** Reads the value of a key for documents of a segment. */
export function ownSortReader({ key }: ResolvedSort, place: Place): (doc: number, score: number) => SortValue {
  const { searcher, segment } = place;
  if ((key.kind === 'doc' && searcher.tiesById === true) || key.kind === 'key') return (doc) => segment.id(doc);
  return searcher.sortValues(key, segment);
}
