// A document as of the last refresh, found by its id: what a searcher has of it.
import type { StoredDocument } from './operation.ts';
import type { Searcher } from './search-request.ts';

/** Reads it; undefined when the searcher does not hold it. */
export function storedIn(searcher: Searcher, id: string): StoredDocument | undefined {
  const place = searcher.find(id);
  if (place === undefined) return undefined;
  const { segment, doc } = place;
  return {
    id,
    source: segment.source(doc),
    version: segment.version(doc),
    seqNo: segment.seqNo(doc),
    primaryTerm: segment.primaryTerm(doc),
    routing: segment.routing(doc),
  };
}
