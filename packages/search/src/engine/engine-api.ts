// The engine as its users see it: a set of named indices in one directory. Implemented in `engine.ts`; nothing here
// knows JSON requests.
import type { IndexDefinition, IndexSettings } from '../settings/index-definition.ts';
import type { DocumentMapper } from '../index/indexed-document.ts';
import type { OperationResult, StoredDocument, Write } from '../index/operation.ts';
import type { Searcher } from '../collect/search-request.ts';

/** Makes the mapper of an index from its stored definition; called on creation and on opening. */
export type MapperFactory = (definition: IndexDefinition, indexName: string) => DocumentMapper;

/** Counters of one index. */
export interface IndexStats {
  /** Live root documents, as of the last refresh. */
  readonly docs: number;
  /** Deleted documents not yet merged away. */
  readonly deleted: number;
  readonly segments: number;
  /** Bytes of the segments on disk (in memory for a memory directory). */
  readonly bytes: number;
  readonly memoryBytes: number;
  /** Bytes of segments in memory without structures made for searches, whose size would tell what others search. */
  readonly contentBytes: number;
  /** Operations not yet searchable. */
  readonly pending: number;
  readonly translogOperations: number;
  readonly translogBytes: number;
  /** The sequence number of the latest write that can no longer be refused, -1 without one. */
  readonly maxSeqNo: number;
  readonly indexTotal: number;
  readonly deleteTotal: number;
  readonly refreshTotal: number;
  readonly flushTotal: number;
  readonly mergeTotal: number;
  readonly searchTotal: number;
}

/** Counters of an index that is not there, or tells none of its own. */
export const NO_STATS: IndexStats = {
  docs: 0,
  deleted: 0,
  segments: 0,
  bytes: 0,
  memoryBytes: 0,
  contentBytes: 0,
  pending: 0,
  translogOperations: 0,
  translogBytes: 0,
  maxSeqNo: -1,
  indexTotal: 0,
  deleteTotal: 0,
  refreshTotal: 0,
  flushTotal: 0,
  mergeTotal: 0,
  searchTotal: 0,
};

/** One index. */
export interface Index {
  readonly name: string;
  /** Unique to this creation of the index. */
  readonly uuid: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly definition: IndexDefinition;
  readonly settings: Required<IndexSettings>;
  /** Leaves of one query at most, as the engine was told. */
  readonly maxClauses: number;
  readonly mapper: DocumentMapper;
  /** Damage found in its files while it was in use; the rest is still served. */
  readonly damage?: string | undefined;
  /** The position given with the last committed or applied batch; 0 at first. */
  readonly position: number;
  /** The position that survives a crash for certain: that of the last commit or translog sync. */
  readonly durablePosition: number;
  /**
   * Applies writes in order and answers one result each. They are durable as the setting says when the promise resolves,
   * and searchable after the next refresh. `position` (of a change feed, say) is kept together with them: after a crash
   * exactly the batches up to `position` are there. Updates that produce more than 16 MB of sources are several batches, one of which may be
   * refused (429) where those before it were done; the last of them takes `position`.
   *
   * @throws ProductError `SEARCH_DISK_FULL` when the batch could not be written; then nothing of it is acknowledged
   */
  apply(operations: readonly Write[], options?: { readonly position?: number }): Promise<readonly OperationResult[]>;
  /**
   * The document as the latest write left it. Where that write may still be refused, a promise that waits until it is on disk.
   *
   * @throws ProductError `SEARCH_DISK_FULL` when the write was refused, until the index takes writes again
   */
  get(id: string): StoredDocument | undefined | Promise<StoredDocument | undefined>;
  /** Makes every write so far searchable. */
  refresh(): Promise<void>;
  /** Writes segments, definition and position durably, then empties the translog. */
  commit(): Promise<void>;
  /** Merges down to at most so many segments and drops deleted documents. 1 by default. */
  forceMerge(options?: { readonly maxSegments?: number; readonly onlyExpungeDeletes?: boolean }): Promise<void>;
  /** A searcher over the last refresh. Release it when done. @param counts whether `stats` counts it as a search; default: true */
  searcher(counts?: boolean): Searcher;
  /** Stores a changed mapping, settings or aliases durably. */
  updateDefinition(change: Partial<IndexDefinition>): Promise<void>;
  stats(): IndexStats;
}

/** An index whose files cannot be read: it is not served, and its name stays taken until it is deleted. */
export interface DamagedIndex {
  readonly name: string;
  /** Undefined where its manifest cannot be read. */
  readonly uuid: string | undefined;
  readonly definition: IndexDefinition | undefined;
  /** Which file is damaged, and how. */
  readonly reason: string;
}

/** The engine. */
export interface Engine {
  /** Where its files lie; undefined in memory. */
  readonly folder: string | undefined;
  /** The host's own value, kept beside the indices; undefined until first set. */
  readonly metadata: unknown;
  /** Why `metadata` cannot be read; undefined if it can. Unreadable metadata counts as never set, and cannot be replaced. */
  readonly metadataDamage: string | undefined;
  /** Replaces `metadata`, a JSON value; durable when the promise resolves. */
  updateMetadata(value: unknown): Promise<void>;
  createIndex(name: string, definition?: IndexDefinition): Promise<Index>;
  /**
   * Creates a shadow index, which no search finds until `replaceIndex` puts it in place. If that never happens, the next opening of the
   * engine deletes it.
   */
  createShadow(name: string, definition?: IndexDefinition): Promise<Index>;
  /**
   * Commits a shadow index and replaces the index of its name by it, if there is one, in one durable step. Searches that are open on the
   * former index keep their state.
   */
  replaceIndex(shadow: Index): Promise<void>;
  /** Discards a shadow index. */
  discardShadow(shadow: Index): Promise<void>;
  /** Deletes an index, a damaged one too. */
  deleteIndex(name: string): Promise<void>;
  /** @throws ProductError `SEARCH_INDEX_NOT_FOUND`; `SEARCH_INDEX_RED` for a damaged one */
  index(name: string): Index;
  /** Whether the name is taken, also by a damaged index. */
  has(name: string): boolean;
  /** Indices that are served, sorted by name. */
  indices(): readonly Index[];
  /** Damaged indices, sorted by name. */
  damaged(): readonly DamagedIndex[];
  /**
   * Copies indices, and what is kept beside them, into an empty folder that an engine can open. Each is as it was at one moment of the
   * call, with all writes acknowledged before it. Damaged ones are copied as they are; one that is deleted meanwhile is left out.
   * Segments become hard links where the file system has them.
   *
   * @param isWanted which indices, by name
   * @returns the names of those copied
   * @throws ProductError `SEARCH_NOT_WRITABLE` for an engine in memory
   */
  snapshot(folder: string, isWanted: (name: string) => boolean): Promise<readonly string[]>;
  /** Commits every index and closes the files. */
  close(): Promise<void>;
}
