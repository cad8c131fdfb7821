// The indexes of the schema as searches address them on the cluster: path, mapping, and the view of the caller.
import type { ClusterPlace } from '../cluster/compile-query.ts';
import type { Index } from '../engine/engine-api.ts';
import { searchError } from '../errors/search-errors.ts';
import { mappingOf, type SearchTarget } from '../fetch/target.ts';
import type { IndexView } from '../view/index-view.ts';
import { viewOfIndex, wholeIndex } from '../view/filtered-index.ts';
import type { ClusterApiParts, ClusterIndexInfo } from './cluster-parts.ts';

export class SearchedIndexes {
  readonly #indexes: ClusterApiParts['indexes'];
  readonly #check: (index: string) => void;

  /** @param check throws for an index that cannot be searched now */
  constructor(indexes: ClusterApiParts['indexes'], check: (index: string) => void) {
    this.#indexes = indexes;
    this.#check = check;
  }

  /** @throws ProductError SEARCH_INDEX_NOT_FOUND, SEARCH_CLUSTER_FAILED */
  infoOf({ target }: SearchTarget): ClusterIndexInfo {
    const { name } = target.index;
    this.#check(name);
    const found = this.#indexes().find((each) => each.name === name);
    if (found === undefined) throw searchError('SEARCH_INDEX_NOT_FOUND', { index: name });
    return found;
  }

  /** Those of these names that the schema has. @throws ProductError SEARCH_CLUSTER_FAILED */
  among(names: ReadonlySet<string>): readonly ClusterIndexInfo[] {
    const found = this.#indexes().filter(({ name }) => names.has(name));
    for (const { name } of found) this.#check(name);
    return found;
  }

  pathOf(target: SearchTarget): string {
    return searchPath(this.infoOf(target));
  }

  placeOf(asked: SearchTarget): ClusterPlace {
    return placeOf(this.infoOf(asked), asked.target.index);
  }
}

/** What a query of an index is compiled against. */
export function placeOf({ mode }: ClusterIndexInfo, index: Index): ClusterPlace {
  const base = wholeIndex(index);
  return { fields: mappingOf(base), view: viewOfIndex(index) ?? {}, similarity: base.settings, mode };
}

/**
 * The path of an index.
 *
 * @throws ProductError SEARCH_CLUSTER_FAILED for one that cannot be searched now: without it, an answer over several would be incomplete
 */
export function indexPath({ absence, alias, name }: ClusterIndexInfo): string {
  if (alias !== undefined) return `/${encodeURIComponent(alias)}`;
  const { hint, reason } = absence ?? {
    reason: `the index [${name}] is not there, or not known to this server yet`,
    hint: 'It is being built, or the cluster is away: "lockstitch index status" and the log of the server say which.',
  };
  throw searchError('SEARCH_CLUSTER_FAILED', { reason }, { hint });
}

/** The path of its searches. */
export function searchPath(info: ClusterIndexInfo): string {
  return `${indexPath(info)}/_search`;
}

export function viewOf({ target }: SearchTarget): IndexView {
  return viewOfIndex(target.index) ?? {};
}
