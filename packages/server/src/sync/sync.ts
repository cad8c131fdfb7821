// Keeps the indexes of the schema in step with the data: builds what is missing, follows the feed, commits its position
// together with the index, and says how far behind it is. What a search may show is not decided here.
import type { Graph } from '@lockstitch/graph';
import { didYouMean, isProductError, type Log } from '@lockstitch/kernel';
import type { Engine, Index } from '@lockstitch/search';

import type { ResolvedConfig } from '../config/config.ts';
import { serverErrors } from '../errors.ts';
import { createApplying } from './applying.ts';
import { type BuildContext, buildIndex, type OnBuild } from './build-index.ts';
import { createCommitter } from './commit-beside.ts';
import type { DocumentSource } from './document-source.ts';
import { type Embeddings, findEmbeddings } from './embeddings.ts';
import type { FollowContext } from './follow-feed.ts';
import { createFollowing } from './following.ts';
import { createRebuilding } from './rebuilding.ts';
import { createSearchable } from './searchable.ts';
import { ownershipOf, type SchemaIndex } from './schema-index.ts';
import { sortIndexes } from './sort-indexes.ts';
import { readStatus, type SyncStatus } from './sync-status.ts';
import { createBackground, createPace } from './turns.ts';
import { type VerifyOptions, type VerifyReport, verifyIndex } from './verify-index.ts';

/** What a rebuild did to an index. */
export interface RebuildReport {
  readonly index: string;
  readonly documents: number;
}

/** An index that is ahead of the database: that has lost changes, or is another one. */
export interface IndexAhead {
  readonly index: string;
  /** The last change that the index has seen. */
  readonly indexPosition: number;
  /** The last change that the database knows. */
  readonly databasePosition: number;
}

/** The synchroniser of one process. */
export interface Sync {
  /**
   * Builds what is missing and catches up, then goes on following. An index whose schema has changed answers as it is, where
   * it shows nothing that it should not, and is built anew meanwhile.
   *
   * @param onBuild told while an index is built
   * @param anew names of indexes to build anew although they are current
   */
  start(onBuild: OnBuild, anew?: readonly string[]): Promise<void>;
  /** The index that has seen more changes than the database has; undefined, when none has. To be asked before the start. */
  ahead(): Promise<IndexAhead | undefined>;
  /** Position up to which everything is searchable. */
  readonly position: number;
  /** Resolves with true once that position is searchable, with false when `timeout` ms are over before. */
  waitFor(position: number, timeout: number): Promise<boolean>;
  status(): Promise<SyncStatus>;
  /** The index of the schema with that name. */
  schemaIndex(name: string): SchemaIndex | undefined;
  /**
   * The indexes of the schema with those names; all, when none is given.
   *
   * @throws ProductError SERVER_INDEX_UNKNOWN
   */
  select(names: readonly string[]): readonly SchemaIndex[];
  /** Rebuilds an index in a shadow index and puts it in place; searches go on. @throws ProductError SERVER_INDEX_BUSY */
  rebuild(index: SchemaIndex, onBuild: OnBuild): Promise<RebuildReport>;
  /** Compares an index with the data, and mends it unless told not to. @throws ProductError SERVER_INDEX_BUSY */
  verify(index: SchemaIndex, options: VerifyOptions): Promise<VerifyReport>;
  /** Rebuilds an index of the schema that was found damaged while it was searched, merged or verified. */
  damaged(name: string): void;
  /** Stops following, commits, and resolves. */
  close(): Promise<void>;
}

/** What a synchroniser is made of. */
export interface SyncParts {
  readonly graph: Pick<Graph, 'model' | 'store' | 'feed'>;
  readonly engine: Engine;
  readonly source: DocumentSource;
  readonly wanted: readonly SchemaIndex[];
  readonly settings: ResolvedConfig['search'];
  /** Name under which this index says how far it has read, so that the feed is kept for it. */
  readonly readerName: string;
  /** Whether the index is gone with the process, and its reader with it. */
  readonly inMemory: boolean;
  readonly log: Log;
}

/** Makes a synchroniser; nothing happens before `start`. */
export function createSync(parts: SyncParts): Sync {
  const { engine, graph, log, settings, source, wanted } = parts;
  const { feed } = graph;
  const embeddings: Embeddings = findEmbeddings(graph.model, new Map(wanted.map((index) => [index.type, index])));
  const byName = new Map(wanted.map((index) => [index.name, index]));
  /** What follows the feed, by type. */
  const indexes = new Map<string, Index>();
  /** Types whose index is from an earlier schema: it answers, but follows no more. */
  const stale = new Set<string>();
  /** Those of them that are stale because a file is damaged. */
  const broken = new Set<string>();
  /** Names of indexes that were found damaged before the start was done. */
  const foundEarly = new Set<string>();
  const stopping = new AbortController();
  const { signal } = stopping;
  const searchable = createSearchable();
  const follow: FollowContext = { feed, store: graph.store, source, embeddings, indexes, pace: createPace(), log };
  const applying = createApplying(follow, signal);
  const { exclusively, settled } = applying;
  const applied = (): number => applying.position;
  let running: Promise<void> | undefined;
  const background = createBackground();
  const inBackground = background.run;
  const { readerName } = parts;
  const interval = settings.commitInterval;
  const committer = createCommitter({ feed, indexes, readerName, interval, applied, signal, inBackground, log });

  const refresh = async (): Promise<void> => {
    const target = applied();
    for (const index of indexes.values()) await index.refresh();
    // What an index of an earlier schema does not hold is not searchable yet.
    if (stale.size > 0) return;
    searchable.reach(target);
  };

  const buildContext: BuildContext = {
    engine,
    feed,
    source,
    follow,
    readerName,
    signal,
    exclusively,
    applied,
    adopt(index, built) {
      // The first to be there says where following begins.
      applying.position = indexes.size === 0 ? built.position : Math.min(applied(), built.position);
      indexes.set(index.type, built);
      stale.delete(index.type);
      broken.delete(index.type);
    },
  };
  const rebuilding = createRebuilding({
    wanted,
    stale,
    build: (index, onBuild) => buildIndex(buildContext, index, onBuild),
    refresh,
    signal,
    log,
  });

  const ahead = async (): Promise<IndexAhead | undefined> => {
    const databasePosition = await feed.head();
    const found = wanted
      .filter(({ name }) => engine.has(name) && ownershipOf(engine.index(name)) !== undefined)
      .map(({ name }) => ({ index: name, indexPosition: engine.index(name).position, databasePosition }))
      .toSorted((a, b) => b.indexPosition - a.indexPosition)[0];
    return found !== undefined && found.indexPosition > databasePosition ? found : undefined;
  };

  /** Sorts what is there, builds what is missing, and finds where to go on reading. */
  const prepare = async (onBuild: OnBuild, anew: readonly string[]): Promise<void> => {
    const lost = await ahead();
    if (lost !== undefined)
      log.write(
        'warn',
        `The database is older than its search index: it knows ${lost.databasePosition} changes, the index ${lost.index} has seen ${lost.indexPosition}. ` +
          'Later changes are lost, or it is another database; the index is built anew from what there is',
        { ...lost },
      );
    const head = await feed.head();
    const sorted = await sortIndexes(engine, feed, wanted, head, anew);
    for (const [type, index] of sorted.current) indexes.set(type, index);
    for (const type of sorted.stale) stale.add(type);
    applying.position = Math.min(head, ...[...indexes.values()].map((index) => index.position));
    for (const index of sorted.missing) await rebuilding.build(index, onBuild);
    committer.position = applied();
    const answering = wanted.filter(({ name }) => engine.has(name)).map(({ name }) => engine.index(name).position);
    searchable.reach(Math.min(applied(), ...answering));
    await feed.reader(readerName).advance(applied());
  };

  /**
   * The feed no longer reaches back to where the indexes stand: only the data itself tells what they should hold. What they hold answers
   * meanwhile.
   */
  const startOver = async (): Promise<void> => {
    await exclusively(async () => {
      applying.position = await feed.head();
      for (const type of indexes.keys()) stale.add(type);
      indexes.clear();
    });
    void inBackground(rebuilding.replaceStale(() => undefined));
  };

  /** The engine opens an index again that there was no room for: the same index by another object, and perhaps some changes back. */
  const renew = (): Promise<void> =>
    exclusively(() => {
      for (const [type, index] of indexes) {
        const now = engine.indices().find(({ name }) => name === index.name);
        if (now === undefined || now === index) continue;
        indexes.set(type, now);
        applying.position = Math.min(applied(), now.position);
      }
      return Promise.resolve();
    });

  const following = createFollowing({
    feed,
    settings,
    committer,
    applied,
    applySome: applying.some,
    refresh,
    startOver,
    renew,
    signal,
    log,
  });

  const verify = async (wantedIndex: SchemaIndex, options: VerifyOptions): Promise<VerifyReport> => {
    const { name, type } = wantedIndex;
    const index = (): Index => {
      const found = indexes.get(type);
      if (found === undefined) throw serverErrors.create('SERVER_INDEX_BUSY', { index: name, now: 'rebuilding' });
      return found;
    };
    // What only waits to be applied should not look like a difference, not even at first sight.
    await settled(() => Promise.resolve());
    await refresh();
    const context = { feed, source, embeddings, index, settled, signal, applied };
    const report = await verifyIndex(context, wantedIndex, options);
    if (report.mended > 0) {
      await refresh();
      await index().commit();
    }
    return report;
  };

  /** Damage ends a comparison: the index is rebuilt, and compared then. */
  const verifyWhole = async (index: SchemaIndex, options: VerifyOptions): Promise<VerifyReport> => {
    try {
      return await rebuilding.verifying(index, () => verify(index, options));
    } catch (error) {
      if (!isProductError(error) || error.code !== 'SEARCH_DAMAGED') throw error;
      // Unless it is under way already, which is waited for.
      await rebuilding.build(index, options.onProgress).catch((busy: unknown) => {
        if (!isProductError(busy) || busy.code !== 'SERVER_INDEX_BUSY') throw busy;
      });
      const report = await rebuilding.verifying(index, () => verify(index, options));
      return { ...report, rebuilt: error.message };
    }
  };

  const damage = (): string | undefined => {
    const names = wanted.filter(({ type }) => broken.has(type)).map(({ name }) => name);
    return names.length === 0 ? undefined : `Damaged, and being built anew: ${names.join(', ')}.`;
  };

  const sync: Sync = {
    ahead,
    async start(onBuild, anew = []) {
      await prepare(onBuild, anew);
      await following.catchUp();
      running = following.run();
      for (const name of foundEarly) sync.damaged(name);
      void inBackground(rebuilding.replaceStale(onBuild));
    },
    get position() {
      return searchable.position;
    },
    waitFor: (position, timeout) => searchable.waitFor(position, timeout),
    async status() {
      const { isRebuilding } = rebuilding;
      const reached = running && {
        applied: applied(),
        position: searchable.position,
        committed: committer.position,
      };
      const status = await readStatus({ engine, feed, wanted, stale, isRebuilding }, reached);
      return {
        ...status,
        trouble: following.trouble ?? committer.trouble ?? rebuilding.trouble ?? damage() ?? status.trouble,
      };
    },
    schemaIndex: (name) => byName.get(name),
    select: (names) => (names.length === 0 ? wanted : names.map((name) => named(byName, name))),
    async rebuild(index, onBuild) {
      const built = await inBackground(rebuilding.build(index, onBuild));
      await refresh();
      return { index: index.name, documents: built.stats().docs };
    },
    verify: (index, options) => inBackground(verifyWhole(index, options)),
    damaged(name) {
      const index = byName.get(name);
      if (index === undefined || signal.aborted || stale.has(index.type)) return;
      if (running === undefined) {
        foundEarly.add(name);
        return;
      }
      log.write('error', 'A search index is damaged and is built anew', { index: name });
      broken.add(index.type);
      stale.add(index.type);
      indexes.delete(index.type);
      void inBackground(rebuilding.replaceStale(() => undefined));
    },
    async close() {
      stopping.abort();
      if (running === undefined) return;
      await running;
      await background.settled();
      searchable.end();
      await committer.now().catch((error: unknown) => {
        // What is not committed is read from the feed again at the next start.
        log.write('warn', 'The search index was not committed at the end', { error });
      });
      if (parts.inMemory)
        await feed
          .reader(readerName)
          .remove()
          .catch(() => undefined);
    },
  };
  return sync;
}

/** @throws ProductError SERVER_INDEX_UNKNOWN */
function named(indexes: ReadonlyMap<string, SchemaIndex>, name: string): SchemaIndex {
  const found = indexes.get(name);
  if (found !== undefined) return found;
  const known = [...indexes.keys()];
  throw serverErrors.create('SERVER_INDEX_UNKNOWN', {
    index: name,
    suggestion: didYouMean(name, known),
    known: known.join(', ') || 'none',
  });
}
