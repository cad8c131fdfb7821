// Applies a batch of the feed to the indexes: finds the affected documents, reads their current state, and writes each
// once. Documents are read as they are now, so applying a batch twice is harmless. The next documents are read while others are written,
// where the index takes writes side by side.
import type { Feed, Store } from '@lockstitch/graph';
import { type Log, lookUp } from '@lockstitch/kernel';
import type { Operation } from '@lockstitch/search';

import type { DocumentSource } from './document-source.ts';
import { type Affected, type DependencyPaths, findAffected, type Hop } from './dependency-paths.ts';
import type { IndexTarget } from './index-target.ts';
import { ownerKeys } from './owner-keys.ts';
import type { Pace } from './pace.ts';
import { isEqual } from './seen-documents.ts';
import { SideBySide } from './side-by-side.ts';
import { logRejected, toOperation } from './write-documents.ts';

export interface ApplyContext {
  readonly feed: Pick<Feed, 'head' | 'read'>;
  readonly store: Store;
  readonly source: DocumentSource;
  readonly dependencyPaths: DependencyPaths;
  /** By type. */
  readonly indexes: ReadonlyMap<string, IndexTarget>;
  readonly pace: Pace;
  readonly log: Log;
}

/** Changes read from the feed, and owner keys looked up, per document of a batch. */
const CHANGES = 4;

/**
 * Applies the changes after a position.
 *
 * @returns the new position; the same position if there are no changes
 */
export async function applyBatch(context: ApplyContext, after: number, signal: AbortSignal): Promise<number> {
  const limit = CHANGES * context.pace.size;
  const changes = await context.feed.read(after, limit);
  context.pace.isBehind(changes.length === limit);
  const last = changes.at(-1);
  if (last === undefined) return after;
  const dirty = createDirtyDocuments(context, signal);
  try {
    for (const change of changes) {
      if (change.operation === 'invalidated') {
        await dirty.flush();
        await compareTypes(context, change.type, signal);
        continue;
      }
      await dirty.add(change.type, change.key);
      for (const affected of findAffected(context.dependencyPaths, change))
        await addDocuments(context, affected, dirty);
    }
    await dirty.flush();
  } catch (error) {
    // What is under way must not outlive a batch that fails, and its errors come after the one that ended it.
    await dirty.ended().catch(() => undefined);
    throw error;
  }
  for (const index of context.indexes.values()) {
    if (index.position < last.position) await index.reach(last.position);
  }
  return last.position;
}

/** Compares every document of a type, and of the types whose documents depend on it, with the data. */
async function compareTypes(context: ApplyContext, changed: string, signal: AbortSignal): Promise<void> {
  const owners = context.dependencyPaths.get(changed) ?? [];
  for (const type of new Set([changed, ...owners.map(({ path }) => path[0]!.owner.name)])) {
    const index = context.indexes.get(type);
    if (index !== undefined) await compareIndex(context, type, index, signal);
  }
}

async function compareIndex(
  { source, pace, log }: ApplyContext,
  type: string,
  index: IndexTarget,
  signal: AbortSignal,
): Promise<void> {
  const write = async (operations: readonly Operation[], version: number): Promise<void> => {
    logRejected(log, index, await index.write(operations, version));
    signal.throwIfAborted();
    await pace.rest();
  };
  const held = await index.open();
  try {
    let after: string | undefined;
    for (;;) {
      const version = await index.version();
      const range = await source.byRange(type, after, CHANGES * pace.size);
      if (range.length === 0) break;
      const sources = await held.sources(range.map(({ key }) => key));
      const differing = range.filter((document, at) => !isEqual(index.comparable(document.source), sources[at]));
      await write(
        differing.map((document) => toOperation(document.key, document)),
        version,
      );
      after = range.at(-1)!.key;
    }
    for await (const keys of held.others(CHANGES * pace.size)) {
      const version = await index.version();
      const documents = new Map((await source.byKeys(type, keys)).map((document) => [document.key, document]));
      await write(
        keys.map((key) => toOperation(key, documents.get(key))),
        version,
      );
    }
  } finally {
    held.release();
  }
}

/** Follows the relations back from an object to the documents that depend on it. */
async function addDocuments(
  context: ApplyContext,
  { dependencyPath, key, level }: Affected,
  dirty: DirtyDocuments,
): Promise<void> {
  const { path } = dependencyPath;
  if (level === 0) {
    await dirty.add(path[0]!.owner.name, key);
    return;
  }
  const hop = path[level - 1]!;
  // Owners of an object are read once per batch, however often it occurs.
  if (!dirty.isFirst(JSON.stringify([path[0]!.owner.name, path.slice(0, level).map(nameOf), hop.target.name, key])))
    return;
  let after: string | undefined;
  for (;;) {
    const limit = CHANGES * context.pace.size;
    const keys = await ownerKeys(context.store, hop, { type: hop.target.name, key }, after, limit);
    for (const owner of keys) await addDocuments(context, { dependencyPath, level: level - 1, key: owner }, dirty);
    if (keys.length < limit) return;
    after = keys.at(-1);
  }
}

function nameOf({ owner, relation }: Hop): string {
  return `${owner.name}.${relation.name}`;
}

interface DirtyDocuments {
  /** Returns whether the value occurs for the first time in this batch. */
  isFirst(met: string): boolean;
  /** Marks a document as dirty, and begins to write a batch once enough of its type are. */
  add(type: string, key: string): Promise<void>;
  /** Writes all that are dirty; resolves once every write has ended. */
  flush(): Promise<void>;
  /** Resolves once every write has ended. */
  ended(): Promise<void>;
}

function createDirtyDocuments({ indexes, source, pace, log }: ApplyContext, signal: AbortSignal): DirtyDocuments {
  const keys = new Map<string, Set<string>>();
  const writes = new SideBySide(Math.min(...[...indexes.values()].map(({ writesAtOnce }) => writesAtOnce)));
  const underWay = new Set<{ readonly type: string; readonly batch: ReadonlySet<string> }>();
  const write = async (type: string, batch: Set<string>): Promise<void> => {
    keys.delete(type);
    signal.throwIfAborted();
    const index = lookUp(indexes, type);
    const version = await index.version();
    const documents = new Map((await source.byKeys(type, [...batch])).map((document) => [document.key, document]));
    await writes.add(async () => {
      const written = { type, batch };
      underWay.add(written);
      try {
        const operations = [...batch].map((key) => toOperation(key, documents.get(key)));
        logRejected(log, index, await index.write(operations, version));
      } finally {
        underWay.delete(written);
      }
    });
    await pace.rest();
  };
  /** Its row was read after all changes of the batch, so it has them all. */
  const isUnderWay = (type: string, key: string): boolean =>
    underWay.values().some((each) => each.type === type && each.batch.has(key));
  const met = new Set<string>();
  return {
    isFirst(what) {
      if (met.has(what)) return false;
      met.add(what);
      return true;
    },
    async add(type, key) {
      if (!indexes.has(type) || isUnderWay(type, key)) return;
      const batch = keys.get(type) ?? new Set();
      keys.set(type, batch.add(key));
      if (batch.size >= pace.size) await write(type, batch);
    },
    async flush() {
      for (const [type, batch] of keys) await write(type, batch);
      await writes.ended();
    },
    ended: () => writes.ended(),
  };
}
