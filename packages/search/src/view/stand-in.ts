// Whether an index is one, or stands for the part of one that a view shows: for those who must know. What it shows is viewed-engine.ts.
import type { Index } from '../engine/engine-api.ts';
import type { IndexView } from './index-view.ts';

/** Marks what stands for a part of an index. */
export const STANDS_IN: unique symbol = Symbol('stands in');

/** What stands for a part of an index. */
export interface StandIn {
  readonly [STANDS_IN]: true;
  readonly view: IndexView;
  readonly base: Index;
}

const isStandIn = (index: Index | StandIn): index is StandIn => STANDS_IN in index;

/** The view that an index stands under. */
export function viewOfIndex(index: Index): IndexView | undefined {
  return isStandIn(index) ? index.view : undefined;
}

/** The index of which a view shows a part; of one that is under none, itself. */
export function wholeIndex(index: Index): Index {
  return isStandIn(index) ? index.base : index;
}
