// The documents in which places of several sources may stand together: intervals and spans walk them alike, and say themselves what the
// places come to.
import { NO_MORE_DOCS } from '../index/segment.ts';

/** Documents of one segment, in order. */
export interface Candidates {
  readonly cost: number;
  /** The first candidate at or after a document; stays where it is when it is there or past it. */
  advance(target: number): number;
}

/** The documents of any of some sources. */
export function anyOf<T extends Candidates>(sources: readonly T[]): Candidates & { here(): readonly T[] } {
  let doc = -1;
  return {
    cost: sources.reduce((sum, source) => sum + source.cost, 0),
    advance: (target) =>
      (doc = sources.reduce((least, source) => Math.min(least, source.advance(target)), NO_MORE_DOCS)),
    /** The sources that have the document `advance` stopped at. */
    here: () => sources.filter((source) => source.advance(doc) === doc),
  };
}

/** The documents of all of some sources. */
export function allOf(sources: readonly Candidates[]): Candidates {
  const ordered = sources.toSorted((a, b) => a.cost - b.cost);
  return {
    cost: ordered[0]!.cost,
    advance(target) {
      let doc = target;
      for (let at = 0; at < ordered.length && doc !== NO_MORE_DOCS; at++) {
        const found = ordered[at]!.advance(doc);
        if (found === doc) continue;
        doc = found;
        at = -1;
      }
      return doc;
    },
  };
}
