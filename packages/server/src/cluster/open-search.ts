// Opens search with the engine that the configuration names.
import { openEmbeddedSearch } from '../sync/open-embedded-search.ts';
import type { OpenedSearch } from '../sync/opened-search.ts';
import { type ClusterSearchParts, openClusterSearch } from './open-cluster-search.ts';

/** The indexes follow the data once `sync.start` is called. */
export function openSearch(parts: ClusterSearchParts): Promise<OpenedSearch> {
  const { engine } = parts.config.search;
  return engine === 'embedded' ? openEmbeddedSearch(parts) : openClusterSearch(parts, engine);
}
