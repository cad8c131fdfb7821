// What searches share between requests: limits and open cursors; and the indices one request has opened.
import type { Identity } from '../cluster/identity.ts';
import type { ClusterSettings } from './cluster-settings.ts';
import type { Cursors } from './cursors.ts';
import type { SearchOptions } from '../../search/search.ts';
import type { Tasks } from './tasks.ts';
import { targetOf } from './index-names.ts';
import type { Found } from './resolve-indices.ts';
import type { Call } from './request.ts';
import type { SearchTarget } from '../../fetch/target.ts';
import type { IndexSearcher } from '../../collect/searcher.ts';
import { viewOfIndex, wholeIndex } from '../../view/filtered-index.ts';
import { searchUnder } from '../../view/viewed-searcher.ts';
import type { SearchBody } from '../../search/search-body.ts';
import type { RequestLimits } from '../../tasks/request-budget.ts';
import type { SearchBackend } from './search-backend.ts';

/** What searches share between requests. */
export interface SearchState {
  readonly identity: Identity;
  readonly cursors: Cursors;
  readonly settings: ClusterSettings;
  readonly maxAggregations: number;
  readonly maxBulkOperations: number;
  readonly limits: RequestLimits;
  readonly tasks: Tasks;
  readonly backend: SearchBackend;
}

/** What a search may cost. */
export function limitsOf({
  state: { settings, maxAggregations, limits },
  request: { caller },
}: Call): Pick<SearchOptions, 'maxBuckets' | 'maxAggregations' | 'limits'> {
  const own = caller === undefined ? limits : { ...limits, caller };
  return { maxBuckets: settings.maxBuckets, maxAggregations, limits: own };
}

/** Opens the indices for a search. */
export function openTargets(found: readonly Found[], call: Call, slice?: SearchBody['slice']): SearchTarget[] {
  const opened: SearchTarget[] = [];
  try {
    for (const each of found) opened.push(openTarget(each, call, slice));
  } catch (error) {
    releaseTargets(opened);
    throw error;
  }
  return opened;
}

function openTarget(each: Found, call: Call, slice: SearchBody['slice']): SearchTarget {
  const target = targetOf(each, call, slice);
  const state = wholeIndex(target.index).searcher() as IndexSearcher;
  const view = viewOfIndex(target.index);
  let searcher = view === undefined ? state : undefined;
  // What a view shows is worked out on first use, which is part of the search and of its time.
  return {
    target,
    state,
    get searcher() {
      return (searcher ??= searchUnder(state, view!));
    },
  };
}

/** Lets go of them. */
export function releaseTargets(targets: readonly SearchTarget[]): void {
  for (const { state } of targets) state.release();
}

/** Whose an open search is: the caller and what they see, both now as when it was opened. */
export function ownerOf(targets: readonly SearchTarget[], { request }: Call): string {
  const views = targets.map(({ target }) => [target.index.name, request.view?.(target.index.name) ?? null]);
  return JSON.stringify([request.caller ?? null, views]);
}
