// Opens the search side of an application: the engine in the data folder, its REST API, and the synchroniser that keeps the
// schema's indexes in step. With sync.ts the only place that knows graph and search together.
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, sep } from 'node:path';

import { type Graph, type Model, searchDocumentShape } from '@lockstitch/graph';
import { isProductError, type Log } from '@lockstitch/kernel';
import {
  createEngine,
  createRestApi,
  type Engine,
  fileDirectory,
  memoryDirectory,
  type RestApi,
} from '@lockstitch/search';

import type { ResolvedConfig } from '../config/config.ts';
import type { SchemaIndex } from './schema-index.ts';
import type { DocumentSource } from './document-source.ts';
import { buildMapping } from './mapping.ts';
import { createSync, type Sync } from './sync.ts';

/** The search side. */
export interface OpenedSearch {
  readonly rest: RestApi;
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
  const wanted = planIndexes(graph);
  const engine = await openWhole(folder, wanted, log);
  const sync = createSync({
    graph,
    engine,
    source: createSource(graph),
    wanted,
    settings: config.search,
    readerName,
    inMemory: folder === ':memory:',
    log,
  });
  const rest = createRestApi(engine, { log });
  return {
    rest,
    sync,
    async close() {
      rest.close();
      await sync.close();
      await engine.close();
    },
  };
}

/**
 * Opens the engine. A damaged index of the schema, or one in a format of another version, is dropped: it holds nothing that
 * the data does not, and is built anew. An index that a client filled is never dropped; then the start is refused.
 */
async function openWhole(folder: string, wanted: readonly SchemaIndex[], log: Log): Promise<Engine> {
  if (folder === ':memory:') return createEngine({ directory: memoryDirectory(), log });
  const path = join(folder, 'search');
  for (;;) {
    try {
      return await createEngine({ directory: fileDirectory(path), log });
    } catch (error) {
      if (!isProductError(error) || !REBUILT.has(error.code)) throw error;
      const file = error.message.split(path + sep)[1] ?? '';
      // Built aside, an index lives in a folder with a number: `photos@2`.
      const folder = /^[^[\]/\\]+(?=[/\\])/.exec(file)?.[0] ?? '';
      const broken = wanted.find(({ name }) => encodeURIComponent(name) === folder.split('@')[0]);
      if (broken === undefined) throw error;
      log.write('warn', 'A search index cannot be read and is built anew', {
        index: broken.name,
        reason: error.message,
      });
      await rm(join(path, folder), { recursive: true, force: true });
    }
  }
}

const REBUILT: ReadonlySet<string> = new Set(['SEARCH_DAMAGED', 'SEARCH_FORMAT']);

/** The indexes that the schema asks for. */
function planIndexes({ model }: Graph): readonly SchemaIndex[] {
  const rules = fingerprintRules(model);
  const wanted: SchemaIndex[] = [];
  for (const entity of model.entities.values()) {
    if (entity.searchIndex === undefined) continue;
    const shape = searchDocumentShape(model, entity);
    wanted.push({
      name: entity.searchIndex.index,
      type: entity.name,
      documentType: entity.searchIndex.type,
      ...buildMapping(shape),
      paths: shape.map((field) => field.path),
      rules,
    });
  }
  return wanted;
}

/** A short text that differs whenever some read rule does: an index made under other rules must not answer. */
function fingerprintRules({ entities }: Model): string {
  const rules = [...entities.values()].flatMap((entity) => [
    [entity.name, entity.auth?.read],
    ...[...entity.fields.values()].map((field) => [`${entity.name}.${field.name}`, field.auth?.read]),
  ]);
  const given = rules.filter(([, rule]) => rule !== undefined);
  return createHash('sha256').update(JSON.stringify(given)).digest('hex').slice(0, 16);
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
