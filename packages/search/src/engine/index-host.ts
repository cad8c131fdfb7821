// What an index needs to know from outside itself: its engine's clock, log and limits, and the defaults of its settings.
import type { Clock, Log } from '@lockstitch/kernel';
import type { EngineContext } from '../index/engine-context.ts';
import type { MapperFactory } from './engine-api.ts';
import type { IndexSettings } from '../settings/index-definition.ts';

/** The defaults of an index's settings. */
export const defaultSettings: Required<IndexSettings> = {
  k1: 1.2,
  b: 0.75,
  scaleByK1: true,
  durability: 'request',
  syncInterval: 5000,
  refreshInterval: 1000,
  maxResultWindow: 10_000,
  maxTermsCount: 65_536,
  takesAll: false,
  sort: [],
};

/** What an index needs from its engine. */
export interface IndexHost {
  readonly clock: Clock;
  readonly log: Log;
  readonly context: EngineContext;
  readonly mapperFactory: MapperFactory;
  readonly maxDocumentBytes: number;
  readonly maxClauses: number;
  readonly maxQueryDepth: number;
  /** Bytes of a buffer from which it is flushed without waiting for a refresh. */
  readonly bufferBytes: number;
  /** @throws ProductError `SEARCH_MEMORY` when so many bytes more would pass the budget */
  checkMemory(bytes: number): void;
  /** A file of an index was found damaged while it was used. */
  damaged(index: object): void;
  /** An index takes no more writes until it was opened again. */
  failed(index: object): void;
}
