// Executes the searches and counts of the REST API: over the indices of the engine, or on a search cluster.
import type { SearchTarget } from '../../fetch/target.ts';
import type { Counted, SearchOutcome } from '../../search/search.ts';
import type { RequestLimits } from '../../tasks/request-budget.ts';
import { answer } from '../../thread/answer.ts';
import type { InputOf } from '../../thread/search-jobs.ts';

/** Limits of one search or count, and when it began. */
export interface RunOptions {
  readonly now: number;
  readonly limits: RequestLimits;
  /** Milliseconds that an open search lives without a request, if the search belongs to one. */
  readonly keepAlive?: number | undefined;
}

/** Returns the signal that the client is gone. */
export type CallerSignal = (() => AbortSignal) | undefined;

export interface SearchBackend {
  search(
    input: InputOf<'search'>,
    targets: readonly SearchTarget[],
    options: RunOptions,
    signal: CallerSignal,
  ): Promise<SearchOutcome>;
  count(
    input: InputOf<'count'>,
    targets: readonly SearchTarget[],
    options: RunOptions,
    signal: CallerSignal,
  ): Promise<Counted>;
  /** Opens a point in time: keeps the present state of the targets until `release`. */
  openPointInTime(targets: readonly SearchTarget[], options: RunOptions): Promise<void>;
  /** Releases what is kept for the targets of a point in time or a scroll. */
  release(targets: readonly SearchTarget[]): void;
}

/** Searches the indices of the engine. Their open searchers keep the state of a cursor. */
export const EMBEDDED_BACKEND: SearchBackend = {
  search: (input, targets, options, signal) => answer('search', input, targets, options, signal),
  count: (input, targets, options, signal) => answer('count', input, targets, options, signal),
  openPointInTime: () => Promise.resolve(),
  release: () => undefined,
};
