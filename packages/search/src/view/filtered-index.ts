// Tells a filtered index, which shows what a view allows, from a real one. What it shows is decided in viewed-engine.ts.
import type { Index } from '../engine/engine-api.ts';
import type { IndexView } from './index-view.ts';

/** Marks a filtered index. */
export const FILTERED: unique symbol = Symbol('filtered');

/** The part of an index that a view shows. */
export interface FilteredIndex {
  readonly [FILTERED]: true;
  readonly view: IndexView;
  readonly base: Index;
}

const isFiltered = (index: Index | FilteredIndex): index is FilteredIndex => FILTERED in index;

/** The view of a filtered index; undefined for a real one. */
export function viewOfIndex(index: Index): IndexView | undefined {
  return isFiltered(index) ? index.view : undefined;
}

/** The real index behind a filtered one; a real one itself. */
export function wholeIndex(index: Index): Index {
  return isFiltered(index) ? index.base : index;
}
