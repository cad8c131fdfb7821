// Breaks ties between documents with equal sort values.
import { compareKeys } from '../text/compare-keys.ts';
import type { SegmentScope } from './aggregator.ts';

/** The order of equals where that of the index must not be told. */
export function byId(
  a: { readonly scope: SegmentScope; readonly doc: number },
  b: { readonly scope: SegmentScope; readonly doc: number },
): number {
  if (a.scope.searcher.tiesById !== true) return 0;
  const idOf = ({ scope: { segment }, doc }: typeof a): string => segment.id(segment.rootOf(doc));
  return compareKeys(idOf(a), idOf(b));
}
