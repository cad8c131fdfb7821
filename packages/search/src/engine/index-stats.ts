// What an index tells of itself in numbers: documents, bytes, and how often it has done what.
import type { IndexSearcher } from '../collect/searcher.ts';
import { countBits } from '../index/bits.ts';
import type { Durability } from './durability.ts';
import type { IndexStats } from './engine-api.ts';
import type { DocumentsWriter } from './documents-writer.ts';

/** How often an index has done what since it was opened. */
export interface IndexCounters {
  refresh: number;
  flush: number;
  merge: number;
  search: number;
}

/**
 * The figures of an index.
 *
 * @param acknowledged the sequence number of the latest write that can no longer be refused
 * @param searcher as of the last refresh
 */
export function indexStats(
  documents: DocumentsWriter,
  acknowledged: number,
  durability: Durability,
  searcher: IndexSearcher,
  counters: IndexCounters,
): IndexStats {
  let docs = 0;
  let deleted = 0;
  let bytes = 0;
  let contentBytes = 0;
  for (const segment of searcher.segments) {
    docs += segment.liveRoots();
    if (segment.live !== undefined) deleted += segment.docCount - countBits(segment.live);
  }
  // Not what was made of a segment for searches: the size of a store would tell what others search.
  for (const { begun, bytes: inFile, core, file } of documents.segments) {
    contentBytes += core.contentBytes;
    bytes += file === undefined ? core.contentBytes + (begun?.sourcesBytes ?? 0) : inFile;
  }
  return {
    docs,
    deleted,
    segments: searcher.segments.length,
    bytes,
    memoryBytes: documents.memory,
    contentBytes,
    pending: documents.pending,
    translogOperations: durability.operations,
    translogBytes: durability.bytes,
    maxSeqNo: acknowledged,
    indexTotal: documents.indexed,
    deleteTotal: documents.deleted,
    refreshTotal: counters.refresh,
    flushTotal: counters.flush,
    mergeTotal: counters.merge,
    searchTotal: counters.search,
  };
}
