// The contract of the sync: keeps the indexes of the schema in step with the data. Implemented in index-sync.ts.
import type { Graph } from '@lockstitch/graph';
import type { Log } from '@lockstitch/kernel';
import type { Engine } from '@lockstitch/search';

import type { ResolvedConfig } from '../config/config.ts';
import type { OnBuild } from './build-index.ts';
import type { CopiedIndexes } from './copy-indexes.ts';
import type { DocumentSource } from './document-source.ts';
import type { SchemaIndex } from './schema-index.ts';
import type { SyncStatus } from './sync-status.ts';
import type { VerifyOptions, VerifyReport } from './verify-index.ts';

/** Result of a rebuild. */
export interface RebuildReport {
  readonly index: string;
  readonly documents: number;
}

/** An index ahead of the database: the database lost changes, or is another one. */
export interface IndexAhead {
  readonly index: string;
  /** Last change that the index has seen. */
  readonly indexPosition: number;
  /** Last change that the database knows. */
  readonly databasePosition: number;
}

/** Sync of one process. */
export interface Sync {
  /**
   * Builds missing indexes, catches up, then follows the feed in the background. An index with an old schema is rebuilt
   * in the background; it serves searches meanwhile if it exposes nothing that the new schema hides.
   *
   * @param onBuild reports progress while an index is built
   * @param rebuild names of indexes to rebuild even if they are current
   */
  start(onBuild: OnBuild, rebuild?: readonly string[]): Promise<void>;
  /** Returns the index that is furthest ahead of the database; undefined if none is. To be asked before the start. */
  ahead(): Promise<IndexAhead | undefined>;
  /** Position up to which everything is searchable. */
  readonly position: number;
  /** Resolves to true once the position is searchable, to false after `timeout` ms. */
  waitFor(position: number, timeout: number): Promise<boolean>;
  status(): Promise<SyncStatus>;
  /** Returns the schema's index with this name. */
  schemaIndex(name: string): SchemaIndex | undefined;
  /**
   * Returns the schema's indexes with these names; all of them if no name is given.
   *
   * @throws ProductError SERVER_INDEX_UNKNOWN
   */
  select(names: readonly string[]): readonly SchemaIndex[];
  /** Builds a shadow index and swaps it in; searches go on. @throws ProductError SERVER_INDEX_BUSY */
  rebuild(index: SchemaIndex, onBuild: OnBuild): Promise<RebuildReport>;
  /** Compares an index with the data and repairs it if asked to. @throws ProductError SERVER_INDEX_BUSY */
  verify(index: SchemaIndex, options: VerifyOptions): Promise<VerifyReport>;
  /**
   * Copies the indexes that clients made, and with `all` those of the schema, into a new folder in the data folder.
   *
   * @throws ProductError SERVER_INDEX_IN_MEMORY
   */
  copy(all: boolean): Promise<CopiedIndexes>;
  /** Rebuilds an index of the schema that was found damaged during a search, merge or verification. */
  damaged(name: string): void;
  /** Stops following, commits, and resolves. */
  close(): Promise<void>;
}

export interface SyncParts {
  readonly graph: Pick<Graph, 'model' | 'store' | 'feed' | 'sequencer'>;
  readonly engine: Engine;
  readonly source: DocumentSource;
  readonly wanted: readonly SchemaIndex[];
  readonly settings: ResolvedConfig['search'];
  /** Reader name under which the feed is kept for the indexes. */
  readonly readerName: string;
  /** Whether the indexes, and so their reader, end with the process. */
  readonly inMemory: boolean;
  readonly log: Log;
}
