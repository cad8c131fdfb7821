// Applies a batch of the feed to the indexes: finds the affected documents, reads their current state, and writes each
// once. Documents are read as they are now, so applying a batch twice is harmless.
import type { Feed, Store } from '@lockstitch/graph';
import { type Log, lookUp } from '@lockstitch/kernel';
import type { Index } from '@lockstitch/search';

import type { DocumentSource } from './document-source.ts';
import { type Affected, type DependencyPaths, findAffected, type Hop } from './dependency-paths.ts';
import { ownerKeys } from './owner-keys.ts';
import type { Pace } from './pace.ts';
import { logRejected, toOperation, writeDocuments } from './write-documents.ts';

export interface ApplyContext {
  readonly feed: Feed;
  readonly store: Store;
  readonly source: DocumentSource;
  readonly dependencyPaths: DependencyPaths;
  /** By type. */
  readonly indexes: ReadonlyMap<string, Index>;
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
  for (const change of changes) {
    await dirty.add(change.type, change.key);
    for (const affected of findAffected(context.dependencyPaths, change)) await addDocuments(context, affected, dirty);
  }
  await dirty.flush();
  for (const index of context.indexes.values()) {
    if (index.position < last.position) await index.apply([], { position: last.position });
  }
  return last.position;
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
  /** Marks a document as dirty, and writes a batch once enough of its type are. */
  add(type: string, key: string): Promise<void>;
  flush(): Promise<void>;
}

function createDirtyDocuments({ indexes, source, pace, log }: ApplyContext, signal: AbortSignal): DirtyDocuments {
  const keys = new Map<string, Set<string>>();
  const write = async (type: string, batch: Set<string>): Promise<void> => {
    keys.delete(type);
    signal.throwIfAborted();
    const documents = new Map((await source.byKeys(type, [...batch])).map((document) => [document.key, document]));
    const index = lookUp(indexes, type);
    const rejected = await writeDocuments(
      index,
      [...batch].map((key) => toOperation(key, documents.get(key))),
    );
    logRejected(log, index, rejected);
    await pace.rest();
  };
  const met = new Set<string>();
  return {
    isFirst(what) {
      if (met.has(what)) return false;
      met.add(what);
      return true;
    },
    async add(type, key) {
      if (!indexes.has(type)) return;
      const batch = keys.get(type) ?? new Set();
      keys.set(type, batch.add(key));
      if (batch.size >= pace.size) await write(type, batch);
    },
    async flush() {
      for (const [type, batch] of keys) await write(type, batch);
    },
  };
}
