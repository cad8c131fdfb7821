// Applies a stretch of the feed to the indexes: which documents it touches, their state now, one write each. Documents are
// read as they are when they are read, so applying a stretch twice does no harm and nothing needs undoing.
import type { Change, Feed, Store } from '@lockstitch/graph';
import type { Index } from '@lockstitch/search';

import type { DocumentSource } from './document-source.ts';
import { type Embeddings, findAffected } from './embeddings.ts';
import { ownerKeys } from './owner-keys.ts';
import { toOperation, writeDocuments } from './write-documents.ts';

/** What applying needs. */
export interface FollowContext {
  readonly feed: Feed;
  readonly store: Store;
  readonly source: DocumentSource;
  readonly embeddings: Embeddings;
  /** By type. */
  readonly indexes: ReadonlyMap<string, Index>;
}

/** Changes taken from the feed at a time, and documents read and written at a time. */
const BATCH = 500;

/**
 * Applies what follows a position.
 *
 * @returns the position reached; the same when nothing follows
 */
export async function applyNext(context: FollowContext, after: number, signal: AbortSignal): Promise<number> {
  const changes = await context.feed.read(after, BATCH);
  const last = changes.at(-1);
  if (last === undefined) return after;
  const touched = createTouched(context, signal);
  const lookedUp = new Set<string>();
  for (const change of changes) {
    await touched.add(change.type, change.key);
    const affected = findAffected(context.embeddings, change);
    for (const { type, key } of affected.keys) await touched.add(type, key);
    for (const embedding of affected.lookups) {
      // The same object changed twice in a stretch has its owners read once.
      const once = JSON.stringify([embedding.owner.name, embedding.relation.name, change.type, change.key]);
      if (lookedUp.has(once)) continue;
      lookedUp.add(once);
      await addOwners(context, embedding, change, touched);
    }
  }
  await touched.flush();
  for (const index of context.indexes.values()) {
    if (index.position < last.position) await index.apply([], { position: last.position });
  }
  return last.position;
}

async function addOwners(
  { store }: FollowContext,
  embedding: Parameters<typeof ownerKeys>[1],
  change: Change,
  touched: Touched,
): Promise<void> {
  let after: string | undefined;
  for (;;) {
    const keys = await ownerKeys(store, embedding, change, after, BATCH);
    for (const key of keys) await touched.add(embedding.owner.name, key);
    if (keys.length < BATCH) return;
    after = keys.at(-1);
  }
}

interface Touched {
  /** Notes a document; writes a batch when enough of its type have come together. */
  add(type: string, key: string): Promise<void>;
  flush(): Promise<void>;
}

function createTouched({ indexes, source }: FollowContext, signal: AbortSignal): Touched {
  const keys = new Map<string, Set<string>>();
  const write = async (type: string, batch: Set<string>): Promise<void> => {
    keys.delete(type);
    signal.throwIfAborted();
    const documents = new Map((await source.byKeys(type, [...batch])).map((document) => [document.key, document]));
    await writeDocuments(
      indexes.get(type)!,
      [...batch].map((key) => toOperation(key, documents.get(key))),
    );
    await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    async add(type, key) {
      if (!indexes.has(type)) return;
      const batch = keys.get(type) ?? new Set();
      keys.set(type, batch.add(key));
      if (batch.size >= BATCH) await write(type, batch);
    },
    async flush() {
      for (const [type, batch] of keys) await write(type, batch);
    },
  };
}
