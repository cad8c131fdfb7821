// Which documents a query finds, as sets of bits: for requests that do something with every one of them, in any order and without scores.
import { emptyBits, hasBit, nextBit, setBit } from '../index/bits.ts';
import type { SegmentReader } from '../index/segment.ts';
import { SegmentView } from '../index/segment-view.ts';
import type { Json } from '../json/json.ts';
import { type RequestLimits, checkTime, withBudget } from '../tasks/request-budget.ts';
import { type SearchTarget, targetQuery } from '../fetch/target.ts';

/**
 * By target and by segment the documents found, in the order of the segments, by their numbers in the stored segment: one thread may search
 * a copy of what a view shows, and another the segment. Not to be changed: they may be remembered elsewhere.
 */
export type Matches = readonly (readonly Int32Array[])[];

/** Finds them. @param query as a request gives it; all documents when it is undefined */
export function runMatches(query: Json | undefined, targets: readonly SearchTarget[], limits: RequestLimits): Matches {
  return withBudget(limits, () =>
    targets.map(({ target, searcher }) => {
      const parsed = targetQuery(target, query);
      return searcher.segments.map((segment) => {
        checkTime();
        return inStored(segment, searcher.matches(parsed, segment));
      });
    }),
  );
}

function inStored(segment: SegmentReader, found: Int32Array): Int32Array {
  const documents = segment instanceof SegmentView ? segment.core.documents : undefined;
  if (documents === undefined) return found;
  const bits = emptyBits((documents.at(-1) ?? 0) + 1);
  for (let doc = nextBit(found, 0); doc >= 0; doc = nextBit(found, doc + 1)) setBit(bits, documents[doc]!);
  return bits;
}

/** The documents of a segment that were found. */
export function* matchesIn(segment: SegmentReader, found: Int32Array): Generator<number, void> {
  const documents = segment instanceof SegmentView ? segment.core.documents : undefined;
  if (documents === undefined) {
    for (let doc = nextBit(found, 0); doc >= 0; doc = nextBit(found, doc + 1)) yield doc;
    return;
  }
  for (let doc = 0; doc < documents.length; doc++) if (hasBit(found, documents[doc]!)) yield doc;
}
