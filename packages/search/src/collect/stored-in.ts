// Reads a document of a segment, as of the last refresh or as of the latest write.
import type { StoredDocument } from '../index/operation.ts';
import type { Searcher } from './search-request.ts';
import type { SegmentReader } from '../index/segment.ts';

/** Finds a document by its id; undefined when the searcher does not hold it. The searcher is released once the document was read. */
export function storedIn(searcher: Searcher, id: string): StoredDocument | undefined {
  let isLater = false;
  try {
    const place = searcher.find(id);
    if (place === undefined) return undefined;
    const { segment, doc } = place;
    const about = {
      id,
      version: segment.version(doc),
      seqNo: segment.seqNo(doc),
      primaryTerm: segment.primaryTerm(doc),
      routing: segment.routing(doc),
    };
    isLater = true;
    return storedDocument(segment, doc, about, () => searcher.release());
  } finally {
    if (!isLater) searcher.release();
  }
}

/** Releases the segments of documents that were never read. */
const unread = new FinalizationRegistry<() => void>((release) => release());

/**
 * A document with its source: read at once, or later if it is large.
 *
 * @param release lets go of the segment; called once, when the source was read or nobody can read it any more
 */
export function storedDocument(
  segment: Pick<SegmentReader, 'source' | 'readSource'>,
  doc: number,
  about: Omit<StoredDocument, 'source' | 'readSource'>,
  release: () => void,
): StoredDocument {
  let source: Uint8Array | (() => Promise<Uint8Array>);
  try {
    source = segment.readSource(doc);
  } catch (error) {
    release();
    throw error;
  }
  if (source instanceof Uint8Array) {
    release();
    return { ...about, source };
  }
  const token = {};
  let found: Uint8Array | undefined;
  const done = (bytes: Uint8Array): Uint8Array => {
    if (found === undefined) {
      unread.unregister(token);
      release();
    }
    return (found = bytes);
  };
  const read = source;
  const document: StoredDocument = {
    ...about,
    get source() {
      return found ?? done(segment.source(doc));
    },
    readSource: async () => found ?? done(await read()),
  };
  unread.register(document, release, token);
  return document;
}
