// A document that a segment holds, as of the last refresh or as of the latest write.
import type { StoredDocument } from './operation.ts';
import type { Searcher } from './search-request.ts';
import type { SegmentReader } from './segment.ts';

/** Finds a document by its id; undefined when the searcher does not hold it. */
export function storedIn(searcher: Searcher, id: string): StoredDocument | undefined {
  const place = searcher.find(id);
  if (place === undefined) return undefined;
  const { segment, doc } = place;
  return storedDocument(segment, doc, {
    id,
    version: segment.version(doc),
    seqNo: segment.seqNo(doc),
    primaryTerm: segment.primaryTerm(doc),
    routing: segment.routing(doc),
  });
}

/** A document with its source: read at once, or later if it is large. */
export function storedDocument(
  segment: Pick<SegmentReader, 'source' | 'readSource'>,
  doc: number,
  about: Omit<StoredDocument, 'source' | 'readSource'>,
): StoredDocument {
  const source = segment.readSource(doc);
  if (source instanceof Uint8Array) return { ...about, source };
  return {
    ...about,
    get source() {
      return segment.source(doc);
    },
    readSource: source,
  };
}
