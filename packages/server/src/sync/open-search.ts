// Opens search for an application: the engine in the data folder, its REST API, and the sync of the schema's indexes.
// Only this folder knows both the graph and search.
import { createHash } from 'node:crypto';
import { join } from 'node:path';

import { type DocumentPolicy, embeddedPaths, type Graph, searchDocumentShape } from '@lockstitch/graph';
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
import { fieldOf, mappingOf, POLICY_FIELD, readInputs } from '../policy/document-inputs.ts';
import { createSearchPolicy, type SearchPolicy } from '../policy/search-policy.ts';
import { ownershipOf, type SchemaIndex } from './schema-index.ts';
import type { DocumentSource } from './document-source.ts';
import { buildMapping } from '../mapping/mapping.ts';
import { createSync, type Sync } from './sync.ts';

/** A REST request without the caller, who is a separate argument. */
export type SearchRequest = Omit<RestRequest, 'view' | 'caller'>;

export interface OpenedSearch {
  /** Handles a request with the caller's view. There is no other way to search. */
  handle(request: SearchRequest, principal: Principal): Promise<RestResponse>;
  readonly sync: Sync;
  close(): Promise<void>;
}

type Indexed = Pick<Graph, 'model' | 'store' | 'feed' | 'loadDocuments' | 'countDocuments'>;

export interface SearchParts {
  readonly graph: Indexed;
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
  const engine = await openEngine(folder, wanted, log, (index) => sync.damaged(index));
  const sync: Sync = createSync({
    graph,
    engine,
    source: createSource(graph, policy),
    wanted,
    settings: config.search,
    readerName,
    inMemory: folder === ':memory:',
    log,
  });
  const { maxSearchTime, maxBulkOperations, maxTurn } = config.search;
  const rest = createRestApi(engine, { log, maxSearchTime, maxBulkOperations, maxTurn });
  return {
    handle: (request, principal) =>
      rest.handle({ ...request, view: policy.viewOf(principal), caller: callerOf(principal) }),
    sync,
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
  log: Log,
  onDamage: (index: string) => void,
): Promise<Engine> {
  if (folder === ':memory:') return createEngine({ directory: memoryDirectory(), log });
  const engine = await createEngine({ directory: fileDirectory(join(folder, 'search')), log, onDamage });
  try {
    for (const { name, definition, reason } of engine.damaged()) {
      if (!wanted.some((index) => index.name === name) && !(definition && ownershipOf({ definition }))) continue;
      log.write('warn', 'A search index cannot be read and is built anew', { index: name, reason });
      await engine.deleteIndex(name);
    }
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** Returns the indexes that the schema defines. */
export function planIndexes({ model }: Pick<Graph, 'model'>, policy: SearchPolicy): readonly SchemaIndex[] {
  const wanted: SchemaIndex[] = [];
  for (const entity of model.entities.values()) {
    if (entity.searchIndex === undefined) continue;
    const shape = searchDocumentShape(model, entity);
    const documents = policy.documents(entity.name)!;
    wanted.push({
      name: entity.searchIndex.index,
      type: entity.name,
      documentType: entity.searchIndex.type,
      ...buildMapping(shape, new Map(documents.inputs.map((input) => [fieldOf(input), mappingOf(input)])), [
        entity.table,
        shape.map(({ list, typeName }) => [typeName, list]),
        embeddedPaths(model, entity).map(({ path, target }) => [
          target.table,
          ...path.map((relation) => [relation.target, relation.storage]),
        ]),
      ]),
      paths: shape.map((field) => field.path),
      dependencies: documents.dependencies,
      rules: fingerprintRules(documents),
    });
  }
  return wanted;
}

/**
 * Fingerprint of the read rules over a type's documents, and of how their inputs are stored. An index built under other
 * rules must not serve searches. Rules that apply to no document do not count.
 */
function fingerprintRules({ dependencies, rules }: DocumentPolicy): string {
  const given = [
    rules.map(({ of, path, text }) => [path, of, text]),
    dependencies.map(({ entities, field, path }) => [
      entities.map(({ table }) => table),
      [...path, entities.at(-1)!.fields.get(field)!].map((each) =>
        each.kind === 'relation'
          ? [each.name, each.target, each.storage]
          : each.kind === 'column'
            ? [each.name, each.typeName, each.storage, each.list]
            : each.name,
      ),
    ]),
  ];
  return createHash('sha256').update(JSON.stringify(given)).digest('hex').slice(0, 16);
}

/** Identity that owns a scroll; no other caller finds it. */
function callerOf({ authenticated, name }: Principal): string {
  return JSON.stringify([authenticated, name]);
}

/** Loads documents together with their policy fields. */
export function createSource(graph: Indexed, policy: SearchPolicy): DocumentSource {
  const encoder = new TextEncoder();
  const load: (...given: Parameters<Graph['loadDocuments']>) => ReturnType<DocumentSource['byKeys']> = async (
    type,
    range,
  ) => {
    const documents = await graph.loadDocuments(type, range);
    const rules = policy.documents(type)?.inputs ?? [];
    return documents.map(({ key, source, inputs }) => {
      if (inputs === undefined) return { key, source: encoder.encode(source) };
      // Appended to the document's own members. Every document has at least its key.
      const carried = JSON.stringify({ [POLICY_FIELD]: readInputs(rules, inputs) });
      return { key, source: encoder.encode(`${source.slice(0, -1)},${carried.slice(1)}`) };
    });
  };
  return {
    byKeys: (type, keys) => load(type, { keys }),
    byRange: (type, after, limit) => load(type, { after, limit }),
    count: (type) => graph.countDocuments(type),
  };
}
