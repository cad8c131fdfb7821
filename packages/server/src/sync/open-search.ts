// Opens search for an application: the engine in the data folder, its REST API, and the sync of the schema's indexes.
// Only this folder knows both the graph and search.
import { join } from 'node:path';

import type { Log, Principal } from '@lockstitch/kernel';
import {
  createEngine,
  createRestApi,
  type Engine,
  fileDirectory,
  memoryDirectory,
  type RestRequest,
  type RestResponse,
} from '@lockstitch/search';

import type { ResolvedConfig } from '../config/config.ts';
import { createSearchPolicy } from '../policy/search-policy.ts';
import { ownershipOf, type SchemaIndex } from './schema-index.ts';
import { createGraphSource, type IndexedGraph } from './graph-source.ts';
import { createSync } from './index-sync.ts';
import { planIndexes } from './plan-indexes.ts';
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
}

export interface SearchParts {
  readonly graph: IndexedGraph;
  /** The data folder, or `:memory:`. */
  readonly folder: string;
  readonly config: Pick<ResolvedConfig, 'search'>;
  readonly readerName: string;
  readonly log: Log;
}

/** Opens search. The indexes follow the data once `sync.start` is called. */
export async function openSearch({ graph, folder, config, readerName, log }: SearchParts): Promise<OpenedSearch> {
  const policy = createSearchPolicy(graph.model);
  const wanted = planIndexes(graph, policy);
  const { maxSearchTime, maxBulkOperations, maxTurn, memoryBudget } = config.search;
  const onDamage = (index: string): void => sync.damaged(index);
  const engine = await openEngine(folder, wanted, { log, onDamage, memoryBudget });
  const sync: Sync = createSync({
    graph,
    engine,
    source: createGraphSource(graph, policy),
    wanted,
    settings: config.search,
    readerName,
    inMemory: folder === ':memory:',
    log,
  });
  const rest = createRestApi(engine, { log, maxSearchTime, maxBulkOperations, maxTurn });
  return {
    handle: (request, principal) =>
      rest.handle({ ...request, view: policy.viewOf(principal), caller: callerOf(principal) }),
    sync,
    damaged: () =>
      engine.damaged().length +
      engine.indices().filter(({ damage }) => damage !== undefined).length +
      (engine.metadataDamage === undefined ? 0 : 1),
    memory: () => ({
      used: engine.indices().reduce((sum, index) => sum + index.stats().memoryBytes, 0),
      limit: memoryBudget,
    }),
    async close() {
      rest.close();
      await sync.close();
      await engine.close();
    },
  };
}

/**
 * Opens the engine. A damaged index of the schema, or one in another version's format, is dropped: it holds only copies
 * of the data and is rebuilt. An index that a client filled is never dropped; it is not served until the client deletes
 * it.
 */
async function openEngine(
  folder: string,
  wanted: readonly SchemaIndex[],
  options: { readonly log: Log; readonly onDamage: (index: string) => void; readonly memoryBudget: number },
): Promise<Engine> {
  const { log, memoryBudget } = options;
  if (folder === ':memory:') return createEngine({ directory: memoryDirectory(), log, memoryBudget });
  const engine = await createEngine({ directory: fileDirectory(join(folder, 'search')), ...options });
  try {
    for (const { name, definition, reason } of engine.damaged()) {
      if (!wanted.some((index) => index.name === name) && !(definition && ownershipOf({ definition }))) continue;
      log.write('warn', 'A search index cannot be read and is rebuilt', { index: name, reason });
      await engine.deleteIndex(name);
    }
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** Identity that owns a scroll; no other caller finds it. */
function callerOf({ authenticated, name }: Principal): string {
  return JSON.stringify([authenticated, name]);
}
