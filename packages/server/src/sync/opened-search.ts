// The contract of search in an application, whichever engine it has: a REST API under the view of the caller, and the sync of its indexes.
import type { Log, Principal } from '@lockstitch/kernel';
import type { RestRequest, RestResponse } from '@lockstitch/search';

import type { ResolvedConfig } from '../config/config.ts';
import type { IndexedGraph } from './graph-source.ts';
import type { Sync } from './sync.ts';

/** A REST request without the caller, who is a separate argument. */
export type SearchRequest = Omit<RestRequest, 'view' | 'caller'>;

export interface OpenedSearch {
  /** Handles a request with the caller's view. There is no other way to search. */
  handle(request: SearchRequest, principal: Principal): Promise<RestResponse>;
  readonly sync: Sync;
  /** Number of indexes, also of clients, that have a damaged or missing file; the file of templates counts as one. */
  damaged(): number;
  /** Bytes that all indexes take in memory, and may take. */
  memory(): { readonly used: number; readonly limit: number };
  close(): Promise<void>;
  /** Closes, and deletes the indexes of a copy that nobody needs any more. Absent where they end with the process. */
  discard?(): Promise<void>;
}

export interface SearchParts {
  readonly graph: IndexedGraph;
  /** The data folder, or `:memory:`. */
  readonly folder: string;
  readonly config: Pick<ResolvedConfig, 'search'>;
  readonly readerName: string;
  readonly log: Log;
}

/** Identity that owns a scroll; no other caller finds it. */
export function callerOf({ authenticated, name }: Principal): string {
  return JSON.stringify([authenticated, name]);
}
