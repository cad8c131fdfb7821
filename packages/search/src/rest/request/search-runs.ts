// Where searches and counts run: over the indices of the engine, or on a search cluster.
import type { SearchTarget } from '../../fetch/target.ts';
import type { Counted, SearchOutcome } from '../../search/search.ts';
import type { RequestLimits } from '../../tasks/request-budget.ts';
import { answer } from '../../thread/answer.ts';
import type { InputOf } from '../../thread/search-jobs.ts';

/** What a run may spend, and when it began. */
export interface RunOptions {
  readonly now: number;
  readonly limits: RequestLimits;
  /** How long an open search lives without being asked, in milliseconds, where the search belongs to one. */
  readonly keepAlive?: number | undefined;
}

type Signal = (() => AbortSignal) | undefined;

export interface SearchRuns {
  search(
    input: InputOf<'search'>,
    targets: readonly SearchTarget[],
    options: RunOptions,
    signal: Signal,
  ): Promise<SearchOutcome>;
  count(
    input: InputOf<'count'>,
    targets: readonly SearchTarget[],
    options: RunOptions,
    signal: Signal,
  ): Promise<Counted>;
  /** Keeps the present state of the targets for a point in time. */
  hold(targets: readonly SearchTarget[], options: RunOptions): Promise<void>;
  /** Lets go of what was kept for targets: for a point in time, or between the pages of a scroll. */
  letGo(targets: readonly SearchTarget[]): void;
}

/** Over the indices of the engine, whose open searchers keep a state. */
export const ENGINE_RUNS: SearchRuns = {
  search: (input, targets, options, signal) => answer('search', input, targets, options, signal),
  count: (input, targets, options, signal) => answer('count', input, targets, options, signal),
  hold: () => Promise.resolve(),
  letGo: () => undefined,
};
