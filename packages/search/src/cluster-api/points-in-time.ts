// Points in time on the cluster: one per index of an open search.
import { isProductError } from '@lockstitch/kernel';
import { SEARCH_VERDICTS } from '../cluster/search-verdicts.ts';
import { KnownStatistics } from '../cluster/visible-statistics.ts';
import type { SearchTarget } from '../fetch/target.ts';
import type { Json } from '../json/json.ts';
import { reasonOf } from '../query/cluster/verdict.ts';
import { notOnCluster } from './check-offered.ts';
import type { ClusterApiParts } from './cluster-parts.ts';
import type { ClusterRequests } from './cluster-requests.ts';
import { indexPath, type SearchedIndexes } from './searched-indexes.ts';

/** An index at a point in time. */
export interface PointInTime {
  /** Each answer may bring a new one. */
  id: string;
  readonly known: KnownStatistics;
}

type Targets = readonly SearchTarget[];

export class PointsInTime {
  readonly #engine: ClusterApiParts['engine'];
  readonly #open = new WeakMap<Targets, readonly PointInTime[]>();

  constructor(engine: ClusterApiParts['engine']) {
    this.#engine = engine;
  }

  of(targets: Targets): readonly PointInTime[] | undefined {
    return this.#open.get(targets);
  }

  /** Opens one per index; those that were opened before an error are known to `remove`. */
  async open(targets: Targets, indexes: SearchedIndexes, requests: ClusterRequests): Promise<void> {
    const isElastic = this.#engine === 'elasticsearch';
    const opened: PointInTime[] = [];
    this.#open.set(targets, opened);
    for (const each of targets) {
      const endpoint = isElastic ? '_pit' : '_search/point_in_time';
      const path = `${indexPath(indexes.infoOf(each))}/${endpoint}?keep_alive=${requests.keepAlive}`;
      const { json } = await requests.ask({ method: 'POST', path, isRepeatable: false }).catch((error: unknown) => {
        // An engine without points in time takes the path for another one.
        throw isProductError(error) && error.code === 'SEARCH_CLUSTER_REFUSED' ? unsupported() : error;
      });
      const id = json[isElastic ? 'id' : 'pit_id'];
      if (typeof id !== 'string') throw unsupported();
      opened.push({ id, known: new KnownStatistics() });
    }
  }

  /** Forgets those of a search; returns the requests that close them. */
  remove(targets: Targets): readonly { readonly path: string; readonly body: Json }[] {
    const ids = (this.#open.get(targets) ?? []).map(({ id }) => id);
    this.#open.delete(targets);
    if (this.#engine === 'elasticsearch') return ids.map((id) => ({ path: '/_pit', body: { id } }));
    return ids.length === 0 ? [] : [{ path: '/_search/point_in_time', body: { pit_id: ids } }];
  }
}

function unsupported(): Error {
  return notOnCluster('a point in time', reasonOf(SEARCH_VERDICTS.pit));
}
