// Opens the search side of an application: the engine in the data folder, its REST API, and the synchroniser that keeps the
// schema's indexes in step. With sync.ts the only place that knows graph and search together.
import { join } from 'node:path';

import { type Graph, searchDocumentShape } from '@lockstitch/graph';
import type { Log } from '@lockstitch/kernel';
import { openEngine, Mapping, standardAnalysis, fileDirectory, memoryDirectory } from '@lockstitch/search';

import type { ResolvedConfig } from '../config/config.ts';
import { serverErrors } from '../errors.ts';
import type { SearchApi } from '../routes/search.ts';
import type { SchemaIndex } from './build-index.ts';
import type { DocumentSource } from './document-source.ts';
import { buildMapping } from './mapping.ts';
import { createSync, type Sync } from './sync.ts';

/** The search side. */
export interface OpenedSearch {
  readonly rest: SearchApi;
  readonly sync: Sync;
  close(): Promise<void>;
}

/** What it is opened with. */
export interface SearchParts {
  readonly graph: Graph;
  /** The data folder, or `:memory:`. */
  readonly folder: string;
  readonly config: ResolvedConfig;
  readonly readerName: string;
  readonly log: Log;
}

/** Opens it; the indexes are followed once `sync.start` is called. */
export async function openSearch({ graph, folder, config, readerName, log }: SearchParts): Promise<OpenedSearch> {
  const directory = folder === ':memory:' ? memoryDirectory() : fileDirectory(join(folder, 'search'));
  const engine = await openEngine({
    directory,
    log,
    mapperFactory: ({ mappings }) => new Mapping(mappings, standardAnalysis),
  });
  const { wanted, documentPaths } = planIndexes(graph);
  const sync = createSync({
    graph,
    engine,
    source: createSource(graph),
    wanted,
    documentPaths,
    settings: config.search,
    readerName,
    log,
  });
  return {
    rest: { handle: () => Promise.reject(serverErrors.create('SERVER_STARTING')) },
    sync,
    async close() {
      await sync.close();
      await engine.close();
    },
  };
}

/** The indexes that the schema asks for, with the dotted paths of their documents by type. */
function planIndexes({ model }: Graph): {
  readonly wanted: readonly SchemaIndex[];
  readonly documentPaths: ReadonlyMap<string, readonly string[]>;
} {
  const wanted: SchemaIndex[] = [];
  const documentPaths = new Map<string, readonly string[]>();
  for (const entity of model.entities.values()) {
    if (entity.searchIndex === undefined) continue;
    const shape = searchDocumentShape(model, entity);
    documentPaths.set(
      entity.name,
      shape.map((field) => field.path),
    );
    wanted.push({
      name: entity.searchIndex.index,
      type: entity.name,
      documentType: entity.searchIndex.type,
      ...buildMapping(shape),
    });
  }
  return { wanted, documentPaths };
}

function createSource(graph: Graph): DocumentSource {
  const encoder = new TextEncoder();
  const load: (...given: Parameters<Graph['loadDocuments']>) => ReturnType<DocumentSource['byKeys']> = async (
    type,
    range,
  ) => {
    const documents = await graph.loadDocuments(type, range);
    return documents.map(({ key, source }) => ({ key, source: encoder.encode(source) }));
  };
  return {
    byKeys: (type, keys) => load(type, { keys }),
    byRange: (type, after, limit) => load(type, { after, limit }),
    count: (type) => graph.countDocuments(type),
  };
}
