// Fills an index from the data beside the one that answers, and puts it in that one's place in one step: the first time,
// when the mapping has changed, when the feed no longer reaches back to where the index stands, and when somebody asks.
import type { Feed } from '@lockstitch/graph';
import type { Engine, Index } from '@lockstitch/search';

import type { DocumentSource } from './document-source.ts';
import { applyNext, type FollowContext } from './follow-feed.ts';

/** An index that the schema asks for. */
export interface SchemaIndex {
  /** Name of the index: `photos`. */
  readonly name: string;
  /** The stored type it holds: `Photo`. */
  readonly type: string;
  /** Second segment of typed paths: `photo`. */
  readonly documentType: string;
  readonly mappings: Readonly<Record<string, unknown>>;
  /** Differs whenever documents or their mapping do. */
  readonly fingerprint: string;
  /** Dotted paths of the documents' fields. */
  readonly paths: readonly string[];
  /** Differs whenever a read rule of the schema does. */
  readonly rules: string;
}

/** What the owner keeps with an index. */
interface Ownership {
  readonly owner: 'schema';
  readonly fingerprint: string;
  readonly paths: readonly string[];
  readonly rules: string;
}

/** Told while an index is built. */
export type OnBuild = (event: { readonly index: string; readonly done: number; readonly total: number }) => void;

/** Documents read and written at a time: SQLite answers synchronously, and requests wait for so many (3 ms). */
const BATCH = 200;

/** Whether the index is there and holds what the schema says. */
export function isCurrent(engine: Engine, wanted: SchemaIndex): boolean {
  const ownership = former(engine, wanted);
  return ownership?.fingerprint === wanted.fingerprint && ownership.rules === wanted.rules;
}

/**
 * Whether searches may be answered from the index as it is while its successor is built: it must show no field that the
 * new schema would not, and under no other rules.
 */
export function mayServeMeanwhile(engine: Engine, wanted: SchemaIndex): boolean {
  const ownership = former(engine, wanted);
  return (
    ownership !== undefined &&
    ownership.rules === wanted.rules &&
    ownership.paths.every((path) => wanted.paths.includes(path))
  );
}

function former(engine: Engine, wanted: SchemaIndex): Ownership | undefined {
  if (!engine.has(wanted.name)) return undefined;
  const index = engine.index(wanted.name);
  const custom = index.definition.custom as { readonly typeName?: string } | undefined;
  return custom?.typeName === wanted.documentType ? ownershipOf(index) : undefined;
}

/** Whether an index belongs to the schema, and not to a client that made it by REST. */
export function ownershipOf(index: Index): Ownership | undefined {
  const custom = index.definition.custom as { readonly lockstitch?: Ownership } | undefined;
  return custom?.lockstitch?.owner === 'schema' ? custom.lockstitch : undefined;
}

/** What building needs. */
export interface BuildContext {
  readonly engine: Engine;
  readonly feed: Feed;
  readonly source: DocumentSource;
  readonly follow: FollowContext;
  /** Name under which the feed is kept for the build. */
  readonly readerName: string;
  readonly signal: AbortSignal;
  /** Runs work while nothing else is applied. */
  readonly exclusively: <T>(work: () => Promise<T>) => Promise<T>;
  /** How far the indexes that answer have come; the new one may not be behind it. */
  readonly applied: () => number;
  /** Told, within the exclusive work, that the index has taken its place. */
  readonly adopt: (wanted: SchemaIndex, index: Index) => void;
}

/** Builds an index anew. The former one, if any, answers until the new one has caught up with it. */
export async function buildIndex(context: BuildContext, wanted: SchemaIndex, onBuild: OnBuild): Promise<Index> {
  const { engine, feed, exclusively, applied, adopt } = context;
  const reader = feed.reader(`${context.readerName}/${wanted.name}`);
  // Before the first document is read: what changes meanwhile is applied again after it.
  const start = await feed.head();
  await reader.advance(start);
  const index = await engine.createAside(wanted.name, {
    mappings: wanted.mappings,
    // The feed is what survives a crash; the index only has to know how far it had come.
    settings: { durability: 'async', refreshInterval: -1 },
    custom: ownershipCustom(wanted),
  });
  try {
    await fill(context, wanted, index, onBuild);
    await index.apply([], { position: start });
    const follow: FollowContext = { ...context.follow, indexes: new Map([[wanted.type, index]]) };
    const catchUp = async (): Promise<void> => {
      while (index.position < applied()) await applyNext(follow, index.position, context.signal);
    };
    // Most of it while others go on; the rest, which is little then, while they wait.
    await catchUp();
    await index.commit();
    await exclusively(async () => {
      await catchUp();
      await index.refresh();
      await engine.replaceIndex(index);
      adopt(wanted, index);
    });
    return index;
  } catch (error) {
    await engine.discardAside(index).catch(() => undefined);
    throw error;
  } finally {
    await reader.remove().catch(() => undefined);
  }
}

async function fill(
  { source, signal }: BuildContext,
  wanted: SchemaIndex,
  index: Index,
  onBuild: OnBuild,
): Promise<void> {
  const total = await source.count(wanted.type);
  let done = 0;
  let after: string | undefined;
  onBuild({ index: wanted.name, done, total });
  for (;;) {
    signal.throwIfAborted();
    const documents = await source.byRange(wanted.type, after, BATCH);
    if (documents.length === 0) return;
    await applyAll(
      index,
      documents.map(({ key, source: bytes }) => ({ kind: 'index', id: key, source: bytes }) as const),
    );
    done += documents.length;
    after = documents.at(-1)!.key;
    onBuild({ index: wanted.name, done, total: Math.max(total, done) });
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Applies writes and insists on all of them: a document that does not fit its own mapping is a fault of ours. */
export async function applyAll(index: Index, operations: Parameters<Index['apply']>[0]): Promise<void> {
  const results = await index.apply(operations);
  for (const result of results) if (result.kind === 'failed') throw result.error;
}

function ownershipCustom(wanted: SchemaIndex): unknown {
  const { fingerprint, paths, rules } = wanted;
  const lockstitch: Ownership = { owner: 'schema', fingerprint, paths, rules };
  // By its type name the REST API knows which typed paths lead to documents: /photos/photo/_search.
  return { lockstitch, typeName: wanted.documentType };
}
