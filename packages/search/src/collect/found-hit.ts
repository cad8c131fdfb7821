// A hit of a search. Its id is read lazily: otherwise, most of the cost of a search for a rare term would be ids
// that nobody reads.
import type { Hit, SortValue } from './search-request.ts';
import type { SegmentView } from '../index/segment-view.ts';

export class FoundHit implements Hit {
  readonly segment: SegmentView;
  readonly doc: number;
  readonly score: number;
  /** The position in the index; a searcher under a view replaces it by the position in the answer. */
  position: number;
  declare readonly sort?: readonly SortValue[];
  declare readonly collapse?: SortValue;

  /** @param sort,collapse left out where undefined */
  constructor(segment: SegmentView, doc: number, score: number, sort?: readonly SortValue[], collapse?: SortValue) {
    this.segment = segment;
    this.doc = doc;
    this.score = score;
    this.position = segment.base + doc;
    if (sort !== undefined) this.sort = sort;
    if (collapse !== undefined) this.collapse = collapse;
  }

  get id(): string {
    return this.segment.id(this.doc);
  }
}
