// Opens search with the embedded engine: the engine in the data folder, its REST API, and the sync of the schema's indexes.
// Only this folder knows both the graph and search.
import { join } from 'node:path';

import type { Log } from '@lockstitch/kernel';
import { createEngine, createRestApi, type Engine, fileDirectory, memoryDirectory } from '@lockstitch/search';

import { createSearchPolicy } from '../policy/search-policy.ts';
import { ownershipOf, type SchemaIndex } from './schema-index.ts';
import { createGraphSource } from './graph-source.ts';
import { createSync, type EmbeddedSync } from './index-sync.ts';
import { callerOf, type OpenedSearch, type SearchParts } from './opened-search.ts';
import { planIndexes } from './plan-indexes.ts';

/** Opens search. The indexes follow the data once `sync.start` is called. */
export async function openEmbeddedSearch({
  graph,
  folder,
  config,
  readerName,
  log,
}: SearchParts): Promise<OpenedSearch> {
  const policy = createSearchPolicy(graph.model);
  const wanted = planIndexes(graph, policy);
  const { maxSearchTime, maxBulkOperations, maxTurn, memoryBudget } = config.search;
  const onDamage = (index: string): void => sync.damaged(index);
  const engine = await openEngine(folder, wanted, { log, onDamage, memoryBudget });
  const sync: EmbeddedSync = createSync({
    graph,
    engine,
    source: createGraphSource(graph, policy),
    wanted,
    settings: config.search,
    readerName,
    inMemory: folder === ':memory:',
    log,
  });
  const withheld = (index: string): string | undefined => sync.withheld(index);
  const rest = createRestApi(engine, { log, maxSearchTime, maxBulkOperations, maxTurn });
  return {
    handle: (request, principal) =>
      rest.handle({ ...request, view: policy.viewOf(principal), withheld, caller: callerOf(principal) }),
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
