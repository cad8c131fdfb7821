// The statistics of scores that searches have asked for, by index, view and state of the data, so that a search that is like another
// is one request.
import { evictOldest } from '@lockstitch/kernel';
import { KnownStatistics } from '../cluster/visible-statistics.ts';
import { type IndexView, viewKey } from '../view/index-view.ts';
import type { ClusterIndexInfo } from './cluster-parts.ts';

/** Views at most, each with 10,000 terms of a hundred bytes at most. */
const MOST_VIEWS = 64;

export class KnownViews {
  readonly #known = new Map<string, KnownStatistics>();

  of({ alias, position }: ClusterIndexInfo, view: IndexView): KnownStatistics {
    const key = JSON.stringify([alias, position, viewKey(view)]);
    const found = this.#known.get(key) ?? new KnownStatistics();
    this.#known.delete(key);
    this.#known.set(key, found);
    evictOldest(this.#known, MOST_VIEWS);
    found.trim();
    return found;
  }
}
