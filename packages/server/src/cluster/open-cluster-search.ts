// Opens search for an application whose indexes lie on a cluster.
import { readFileSync } from 'node:fs';
import { evictOldest, reasonOf } from '@lockstitch/kernel';
import type { IndexDefinition } from '@lockstitch/search';
import { type ClusterIndexInfo, createClusterApi } from '@lockstitch/search/cluster';

import type { ResolvedConfig } from '../config/config.ts';
import { variableOf } from '../config/database-address.ts';
import { serverErrors } from '../errors.ts';
import type { Fleet } from '../fleet/server-registry.ts';
import { createSearchPolicy } from '../policy/search-policy.ts';
import { createGraphSource } from '../sync/graph-source.ts';
import { callerOf, type OpenedSearch, type SearchParts } from '../sync/opened-search.ts';
import { planIndexes } from '../sync/plan-indexes.ts';
import { definitionOf, ownedCustom } from '../sync/schema-index.ts';
import { ClusterClient, type ClusterAuth, type ClusterOptions } from './cluster-client.ts';
import { ClusterSync } from './cluster-sync.ts';
import type { ClusterKind } from './check-cluster.ts';

export interface ClusterSearchParts extends SearchParts {
  /** Where several servers share the database. */
  readonly fleet?: Fleet | undefined;
}

/** Opens search on the cluster. Nothing is asked of it before `sync.start`. */
export async function openClusterSearch(
  { config, fleet, graph, log }: ClusterSearchParts,
  kind: ClusterKind,
): Promise<OpenedSearch> {
  const { search } = config;
  const { prefix, replicas, scores, shards } = search;
  const policy = createSearchPolicy(graph.model);
  const wanted = planIndexes(graph, policy);
  const options = clusterOptionsOf(search);
  const client = new ClusterClient(options);
  // Slow searches take no places of the index writer, whose client asks the cluster all the time.
  const searches = new ClusterClient({ ...options, watch: client });
  const sync = new ClusterSync({
    graph,
    client,
    kind,
    prefix,
    layout: { scores, shards, replicas },
    source: createGraphSource(graph, policy),
    wanted,
    settings: search,
    fleet,
    log,
  });
  const definitions = new Map<string, IndexDefinition>();
  const define = (generation: string, definition: () => IndexDefinition): IndexDefinition => {
    const known = definitions.get(generation) ?? definition();
    definitions.set(generation, known);
    evictOldest(definitions, 4 * wanted.length);
    return known;
  };
  const api = await createClusterApi({
    engine: kind,
    maxSearchTime: search.maxSearchTime,
    log,
    ask: (request) => searches.request(request),
    indexes: () =>
      wanted.map((index): ClusterIndexInfo => {
        const { name } = index;
        const served = sync.served.get(name);
        if (served === undefined) {
          const definition = define(name, () => definitionOf(index.mappings, ownedCustom(index)));
          return { name, alias: undefined, absence: sync.absence, definition, mode: scores, position: 0 };
        }
        const { custom, generation, mappings, position } = served;
        const definition = define(generation, () => definitionOf(mappings, custom));
        return { name, alias: generation, definition, mode: served.scores, position };
      }),
  });
  const close = async (): Promise<void> => {
    await api.close();
    await sync.close();
  };
  return {
    handle: (request, principal) =>
      api.handle({ ...request, view: policy.viewOf(principal), caller: callerOf(principal) }),
    sync,
    damaged: () => 0,
    memory: () => ({ used: 0, limit: 0 }),
    async close() {
      await close();
      for (const each of [client, searches]) each.close();
    },
    async discard() {
      await close();
      await sync.discard();
      for (const each of [client, searches]) each.close();
    },
  };
}

/** How the cluster of a configuration is reached. @throws ProductError SERVER_CLUSTER_UNNAMED, SERVER_CLUSTER_CA */
export function clusterOptionsOf(search: ResolvedConfig['search']): ClusterOptions {
  const auth = authOf(search);
  return {
    nodes: search.nodes ?? [],
    ...(auth === undefined ? {} : { auth }),
    ...(search.ca === undefined ? {} : { ca: readCertificates(search.ca) }),
  };
}

/** @throws ProductError SERVER_CLUSTER_UNNAMED for a variable that is not set */
function authOf({ auth }: ResolvedConfig['search']): ClusterAuth | undefined {
  const { apiKey, password, username } = auth ?? {};
  for (const value of [apiKey, password, username]) {
    const variable = value === undefined ? undefined : variableOf(value);
    if (variable !== undefined) throw serverErrors.create('SERVER_CLUSTER_UNNAMED', { variable });
  }
  if (apiKey !== undefined) return { kind: 'apiKey', key: apiKey };
  return username === undefined || password === undefined ? undefined : { kind: 'basic', username, password };
}

function readCertificates(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw serverErrors.create('SERVER_CLUSTER_CA', { file, reason: reasonOf(error) }, { cause: error });
  }
}
