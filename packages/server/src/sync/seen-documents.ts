// Compares documents of the data with those that an index holds.
import { lookUp } from '@lockstitch/kernel';
import type { Searcher } from '@lockstitch/search';

/** Looks up documents in one snapshot of an index, and tracks which ones were never looked up. */
export function createSeen(searcher: Searcher) {
  const marks = new Map(searcher.segments.map((segment) => [segment, new Uint8Array(segment.docCount)]));
  return {
    source(id: string): Uint8Array | undefined {
      const place = searcher.find(id);
      if (place === undefined) return undefined;
      lookUp(marks, place.segment)[place.doc] = 1;
      return place.segment.source(place.doc);
    },
    *others(limit: number): Generator<readonly string[]> {
      let ids: string[] = [];
      for (const [segment, mark] of marks) {
        const live = searcher.visible(segment);
        for (let doc = 0; doc < mark.length; doc++) {
          if (mark[doc] === 1 || (live !== undefined && ((live[doc >>> 5]! >>> (doc & 31)) & 1) === 0)) continue;
          ids.push(segment.id(doc));
          if (ids.length < limit) continue;
          yield ids;
          ids = [];
        }
      }
      if (ids.length > 0) yield ids;
    },
  };
}

/** Whether two sources are the same bytes. */
export function isEqual(left: Uint8Array, right: Uint8Array | undefined): boolean {
  return right !== undefined && Buffer.compare(left, right) === 0;
}
