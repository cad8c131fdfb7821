// Keeps the indexes of the schema in step with the data: builds what is missing, follows the feed, commits its position
// together with the index, and says how far behind it is. What a search may show is not decided here.
import type { Feed, Graph } from '@lockstitch/graph';
import type { Log } from '@lockstitch/kernel';
import type { Engine, Index } from '@lockstitch/search';

import type { ResolvedConfig } from '../config/config.ts';
import { buildIndex, isCurrent, type OnBuild, ownershipOf, type SchemaIndex } from './build-index.ts';
import type { DocumentSource } from './document-source.ts';
import { type Embeddings, findEmbeddings } from './embeddings.ts';
import { applyNext, type FollowContext } from './follow-feed.ts';

/** How one index stands. */
export interface IndexStatus {
  readonly name: string;
  readonly type: string;
  readonly documents: number;
}

/** How the indexes stand. */
export interface SyncStatus {
  readonly indexes: readonly IndexStatus[];
  /** Newest position of the feed. */
  readonly head: number;
  /** Position up to which everything is searchable. */
  readonly position: number;
  /** Changes not searchable yet. */
  readonly lag: number;
  /** Why following has stopped for now; it is tried again. */
  readonly trouble: string | undefined;
}

/** The synchroniser of one process. */
export interface Sync {
  /** Builds what is missing and catches up, then goes on following. @param onBuild told while an index is built */
  start(onBuild: OnBuild): Promise<void>;
  /** Position up to which everything is searchable. */
  readonly position: number;
  /** Resolves with true once that position is searchable, with false when `timeout` ms are over before. */
  waitFor(position: number, timeout: number): Promise<boolean>;
  status(): Promise<SyncStatus>;
  /** The index of the schema with that name. */
  schemaIndex(name: string): SchemaIndex | undefined;
  /** Stops following, commits, and resolves. */
  close(): Promise<void>;
}

/** What a synchroniser is made of. */
export interface SyncParts {
  readonly graph: Pick<Graph, 'model' | 'store' | 'feed'>;
  readonly engine: Engine;
  readonly source: DocumentSource;
  readonly wanted: readonly SchemaIndex[];
  /** Dotted paths of the documents' fields, by type. */
  readonly documentPaths: ReadonlyMap<string, readonly string[]>;
  readonly settings: ResolvedConfig['search'];
  /** Name under which this index says how far it has read, so that the feed is kept for it. */
  readonly readerName: string;
  readonly log: Log;
}

const RETRY_MS = 1000;

/** Makes a synchroniser; nothing happens before `start`. */
export function createSync(parts: SyncParts): Sync {
  const { engine, graph, log, settings, wanted } = parts;
  const { feed } = graph;
  const embeddings: Embeddings = findEmbeddings(graph.model, parts.documentPaths);
  const byName = new Map(wanted.map((index) => [index.name, index]));
  const indexes = new Map<string, Index>();
  const stopping = new AbortController();
  const { signal } = stopping;
  const waiting = new Set<{ readonly position: number; readonly wake: () => void }>();
  const context: FollowContext = { feed, store: graph.store, source: parts.source, embeddings, indexes };
  let applied = 0;
  let searchable = 0;
  let committed = 0;
  let trouble: string | undefined;
  let following: Promise<void> | undefined;

  const refresh = async (): Promise<void> => {
    const target = applied;
    for (const index of indexes.values()) await index.refresh();
    searchable = target;
    for (const waiter of waiting) if (waiter.position <= searchable) waiter.wake();
  };

  const commit = async (): Promise<void> => {
    if (committed === applied) return;
    const target = applied;
    for (const index of indexes.values()) await index.commit();
    committed = target;
    await feed.reader(parts.readerName).advance(target);
    await feed.trim();
  };

  const rebuild = async (index: SchemaIndex, onBuild: OnBuild): Promise<void> => {
    const position = await feed.head();
    indexes.set(index.type, await buildIndex(engine, parts.source, index, position, signal, onBuild));
  };

  /** Deletes what an earlier schema asked for, builds what is missing, and finds where to go on reading. */
  const prepare = async (onBuild: OnBuild): Promise<void> => {
    for (const index of engine.indices()) {
      if (ownershipOf(index) !== undefined && !byName.has(index.name)) await engine.deleteIndex(index.name);
    }
    const head = await feed.head();
    for (const index of wanted) {
      // An index ahead of the feed belongs to another database.
      if (isCurrent(engine, index) && engine.index(index.name).position <= head) {
        indexes.set(index.type, engine.index(index.name));
      } else await rebuild(index, onBuild);
    }
    applied = Math.min(head, ...[...indexes.values()].map((index) => index.position));
    committed = applied;
    searchable = applied;
    await feed.reader(parts.readerName).advance(applied);
  };

  const catchUp = async (): Promise<void> => {
    let lastRefresh = Date.now();
    for (;;) {
      const reached = await applyNext(context, applied, signal);
      if (reached === applied) break;
      applied = reached;
      if (Date.now() - lastRefresh >= settings.refreshInterval) {
        await refresh();
        lastRefresh = Date.now();
      }
    }
    if (searchable < applied) await refresh();
  };

  const follow = async (): Promise<void> => {
    let lastCommit = Date.now();
    while (!signal.aborted) {
      try {
        await catchUp();
        trouble = undefined;
        if (Date.now() - lastCommit >= settings.commitInterval) {
          await commit();
          lastCommit = Date.now();
        }
        await waitForMore(feed, applied, committed === applied ? undefined : settings.commitInterval, signal);
      } catch (error) {
        if (signal.aborted) return;
        trouble = error instanceof Error ? error.message : String(error);
        log.write('error', 'The search index cannot follow the data; trying again', { position: applied, error });
        if ((error as { code?: string }).code === 'GRAPH_FEED_TRIMMED') await rebuildAll().catch(() => undefined);
        await sleep(RETRY_MS, signal);
      }
    }
  };

  const rebuildAll = async (): Promise<void> => {
    for (const index of wanted) await rebuild(index, () => undefined);
    applied = Math.min(...[...indexes.values()].map((index) => index.position));
  };

  return {
    async start(onBuild) {
      await prepare(onBuild);
      await catchUp();
      following = follow();
    },
    get position() {
      return searchable;
    },
    waitFor(position, timeout) {
      if (searchable >= position) return Promise.resolve(true);
      return new Promise((resolve) => {
        const end = (reached: boolean): void => {
          clearTimeout(timer);
          waiting.delete(waiter);
          resolve(reached);
        };
        const timer = setTimeout(() => end(false), timeout);
        const waiter = { position, wake: () => end(true) };
        waiting.add(waiter);
      });
    },
    async status() {
      const head = await feed.head();
      return {
        indexes: wanted.map(({ name, type }) => ({ name, type, documents: indexes.get(type)?.stats().docs ?? 0 })),
        head,
        position: searchable,
        lag: indexes.size === 0 ? 0 : Math.max(0, head - searchable),
        trouble,
      };
    },
    schemaIndex: (name) => byName.get(name),
    async close() {
      stopping.abort();
      await following;
      for (const waiter of waiting) waiter.wake();
      await commit().catch((error: unknown) => {
        // What is not committed is read from the feed again at the next start.
        log.write('warn', 'The search index was not committed at the end', { error });
      });
    },
  };
}

/** Waits for a change, at most `timeout` ms; ends quietly when stopping. */
async function waitForMore(feed: Feed, after: number, timeout: number | undefined, signal: AbortSignal): Promise<void> {
  const ends = timeout === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
  await feed.wait(after, ends).catch((error: unknown) => {
    if (!ends.aborted) throw error;
  });
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
