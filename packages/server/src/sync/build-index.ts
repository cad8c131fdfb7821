// Fills an index from the data, as of a position of the feed: the first time, and again when the mapping has changed or the
// feed no longer reaches back to where the index stands.
import type { Engine, Index } from '@lockstitch/search';

import type { DocumentSource } from './document-source.ts';

/** An index that the schema asks for. */
export interface SchemaIndex {
  /** Name of the index: `photos`. */
  readonly name: string;
  /** The stored type it holds: `Photo`. */
  readonly type: string;
  /** Second segment of typed paths: `photo`. */
  readonly documentType: string;
  readonly mappings: Readonly<Record<string, unknown>>;
  readonly fingerprint: string;
}

/** What the owner keeps with an index. An index without `built` was cut off in the middle of a build. */
interface Ownership {
  readonly owner: 'schema';
  readonly fingerprint: string;
  readonly built: boolean;
}

/** Told while an index is built. */
export type OnBuild = (event: { readonly index: string; readonly done: number; readonly total: number }) => void;

const BATCH = 500;

/** Whether the index is there, whole and mapped as the schema says. */
export function isCurrent(engine: Engine, wanted: SchemaIndex): boolean {
  if (!engine.has(wanted.name)) return false;
  const ownership = ownershipOf(engine.index(wanted.name));
  if (ownership === undefined || !ownership.built || ownership.fingerprint !== wanted.fingerprint) return false;
  const custom = engine.index(wanted.name).definition.custom as { readonly typeName?: string };
  return custom.typeName === wanted.documentType;
}

/** Whether an index belongs to the schema, and not to a client that made it by REST. */
export function ownershipOf(index: Index): Ownership | undefined {
  const custom = index.definition.custom as { readonly lockstitch?: Ownership } | undefined;
  return custom?.lockstitch?.owner === 'schema' ? custom.lockstitch : undefined;
}

/**
 * Builds an index anew.
 *
 * @param position the feed's head before the first document is read: what changes meanwhile is applied again after it
 */
export async function buildIndex(
  engine: Engine,
  source: DocumentSource,
  wanted: SchemaIndex,
  position: number,
  signal: AbortSignal,
  onBuild: OnBuild,
): Promise<Index> {
  if (engine.has(wanted.name)) await engine.deleteIndex(wanted.name);
  const index = await engine.createIndex(wanted.name, {
    mappings: wanted.mappings,
    // The feed is what survives a crash; the index only has to know how far it had come.
    settings: { durability: 'async', refreshInterval: -1 },
    custom: ownershipCustom(wanted, false),
  });
  const total = await source.count(wanted.type);
  let done = 0;
  let after: string | undefined;
  for (;;) {
    signal.throwIfAborted();
    const documents = await source.byRange(wanted.type, after, BATCH);
    if (documents.length === 0) break;
    await applyAll(
      index,
      documents.map(({ key, source: bytes }) => ({ kind: 'index', id: key, source: bytes }) as const),
    );
    done += documents.length;
    after = documents.at(-1)!.key;
    onBuild({ index: wanted.name, done, total: Math.max(total, done) });
    // SQLite answers synchronously: give requests a turn between batches.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await index.apply([], { position });
  await index.refresh();
  await index.updateDefinition({ custom: ownershipCustom(wanted, true) });
  await index.commit();
  return index;
}

/** Applies writes and insists on all of them: a document that does not fit its own mapping is a fault of ours. */
export async function applyAll(
  index: Index,
  operations: Parameters<Index['apply']>[0],
  position?: number,
): Promise<void> {
  const results = await index.apply(operations, position === undefined ? {} : { position });
  for (const result of results) if (result.kind === 'failed') throw result.error;
}

function ownershipCustom(wanted: SchemaIndex, built: boolean): unknown {
  const lockstitch: Ownership = { owner: 'schema', fingerprint: wanted.fingerprint, built };
  // By its type name the REST API knows which typed paths lead to documents: /photos/photo/_search.
  return { lockstitch, typeName: wanted.documentType };
}
