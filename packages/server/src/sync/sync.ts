// Keeps the indexes of the schema in step with the data: builds what is missing, follows the feed, commits its position
// together with the index, and says how far behind it is. What a search may show is not decided here.
import type { Graph } from '@lockstitch/graph';
import { didYouMean, type Log } from '@lockstitch/kernel';
import type { Engine, Index } from '@lockstitch/search';

import type { ResolvedConfig } from '../config/config.ts';
import { serverErrors } from '../errors.ts';
import { type BuildContext, buildIndex, type OnBuild } from './build-index.ts';
import { createCommitter } from './commit-beside.ts';
import type { DocumentSource } from './document-source.ts';
import { type Embeddings, findEmbeddings } from './embeddings.ts';
import { applyNext, type FollowContext } from './follow-feed.ts';
import { createFollowing } from './following.ts';
import { createSearchable } from './searchable.ts';
import { createPace, createTurns, pause } from './turns.ts';
import { isCurrent, mayServeMeanwhile, ownershipOf, type SchemaIndex } from './schema-index.ts';
import { ageOf, reachesBack } from './wait-for-more.ts';
import { type VerifyContext, type VerifyOptions, type VerifyReport, verifyIndex } from './verify-index.ts';

/** How one index stands. */
export interface IndexStatus {
  readonly name: string;
  readonly type: string;
  readonly documents: number;
  /** On disk; in memory for an index that is kept there. */
  readonly bytes: number;
  /**
   * `rebuilding`: it follows the data while its successor is built; `stale`: it answers as the data was before the schema
   * changed until its successor is built. Where nothing runs: `outdated` and `missing` are built by the next start.
   */
  readonly state: 'current' | 'rebuilding' | 'stale' | 'outdated' | 'missing';
}

/** How the indexes stand. */
export interface SyncStatus {
  readonly indexes: readonly IndexStatus[];
  /** Newest position of the feed. */
  readonly head: number;
  /** Position up to which everything is searchable. */
  readonly position: number;
  /** Position up to which everything is on disk. */
  readonly committed: number;
  /** Changes not searchable yet. */
  readonly lag: number;
  /** Age of the oldest change that is not searchable yet. */
  readonly lagSeconds: number;
  /** Why following or committing fails for now; it is tried again. */
  readonly trouble: string | undefined;
}

/** What a rebuild did to an index. */
export interface RebuildReport {
  readonly index: string;
  readonly documents: number;
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
  /** Builds an index anew, aside, and puts it in place; searches go on. @throws ProductError SERVER_INDEX_BUSY */
  rebuild(index: SchemaIndex, onBuild: OnBuild): Promise<RebuildReport>;
  /** Compares an index with the data, and mends it unless told not to. @throws ProductError SERVER_INDEX_BUSY */
  verify(index: SchemaIndex, options: VerifyOptions): Promise<VerifyReport>;
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

const RETRY_MS = 1000;
const MOST_RETRY_FACTOR = 30;
/** Makes a synchroniser; nothing happens before `start`. */
export function createSync(parts: SyncParts): Sync {
  const { engine, graph, log, settings, wanted } = parts;
  const { feed } = graph;
  const embeddings: Embeddings = findEmbeddings(graph.model, new Map(wanted.map((index) => [index.type, index])));
  const byName = new Map(wanted.map((index) => [index.name, index]));
  /** What follows the feed, by type. */
  const indexes = new Map<string, Index>();
  /** Types whose index is from an earlier schema: it answers, but follows no more. */
  const stale = new Set<string>();
  /** Names of indexes that are being built anew or verified. */
  const busy = new Map<string, 'rebuilding' | 'verifying'>();
  /** The latest build of each, by name; most have ended. */
  const building = new Map<string, Promise<Index>>();
  const stopping = new AbortController();
  const { signal } = stopping;
  const searchable = createSearchable();
  const follow: FollowContext = {
    feed,
    store: graph.store,
    source: parts.source,
    embeddings,
    indexes,
    pace: createPace(),
    log,
  };
  const exclusively = createTurns();
  let applied = 0;
  let running: Promise<void> | undefined;
  const background = new Set<Promise<unknown>>();
  const inBackground = <T>(work: Promise<T>): Promise<T> => {
    const ended: Promise<unknown> = work.catch(() => undefined).then(() => background.delete(ended));
    background.add(ended);
    return work;
  };
  const committer = createCommitter({
    feed,
    indexes,
    readerName: parts.readerName,
    interval: settings.commitInterval,
    applied: () => applied,
    signal,
    inBackground,
    log,
  });

  const refresh = async (): Promise<void> => {
    const target = applied;
    for (const index of indexes.values()) await index.refresh();
    // What an index of an earlier schema does not hold is not searchable yet.
    if (stale.size > 0) return;
    searchable.reach(target);
  };

  const build = (index: SchemaIndex, onBuild: OnBuild): Promise<Index> =>
    claim(index, 'rebuilding', () => {
      const built = buildIndex(buildContext, index, onBuild);
      building.set(index.name, built);
      return built;
    });

  const buildContext: BuildContext = {
    engine,
    feed,
    source: parts.source,
    follow,
    readerName: parts.readerName,
    signal,
    exclusively,
    applied: () => applied,
    adopt(index, built) {
      // The first to be there says where following begins.
      applied = indexes.size === 0 ? built.position : Math.min(applied, built.position);
      indexes.set(index.type, built);
      stale.delete(index.type);
    },
  };

  async function claim<T>(index: SchemaIndex, what: 'rebuilding' | 'verifying', work: () => Promise<T>): Promise<T> {
    const now = busy.get(index.name);
    if (now !== undefined) throw serverErrors.create('SERVER_INDEX_BUSY', { index: index.name, now });
    busy.set(index.name, what);
    try {
      return await work();
    } finally {
      busy.delete(index.name);
    }
  }

  /** Deletes what an earlier schema asked for, builds what is missing, and finds where to go on reading. */
  const prepare = async (onBuild: OnBuild, anew: readonly string[]): Promise<void> => {
    for (const index of engine.indices()) {
      if (ownershipOf(index) !== undefined && !byName.has(index.name)) await engine.deleteIndex(index.name);
    }
    const head = await feed.head();
    const missing: SchemaIndex[] = [];
    for (const index of wanted) {
      // An index ahead of the feed belongs to another database.
      const isOurs = engine.has(index.name) && engine.index(index.name).position <= head;
      if (!isOurs || anew.includes(index.name) || !mayServeMeanwhile(engine, index)) missing.push(index);
      else if (isCurrent(engine, index) && (await reachesBack(feed, engine.index(index.name).position))) {
        indexes.set(index.type, engine.index(index.name));
      } else stale.add(index.type);
    }
    applied = Math.min(head, ...[...indexes.values()].map((index) => index.position));
    for (const index of missing) await build(index, onBuild);
    committer.position = applied;
    const answering = wanted.filter(({ name }) => engine.has(name)).map(({ name }) => engine.index(name).position);
    searchable.reach(Math.min(applied, ...answering));
    await feed.reader(parts.readerName).advance(applied);
  };

  const applySome = (): Promise<boolean> =>
    exclusively(async () => {
      const reached = await applyNext(follow, applied, signal);
      const some = reached !== applied;
      applied = reached;
      return some;
    });

  /** Why a successor cannot be built for now. */
  let buildTrouble: string | undefined;

  /**
   * The feed no longer reaches back to where the indexes stand, or one of them takes no more writes: only the data itself tells what they
   * should hold. What they hold answers meanwhile.
   */
  const startOver = async (): Promise<void> => {
    await exclusively(async () => {
      applied = await feed.head();
      for (const type of indexes.keys()) stale.add(type);
      indexes.clear();
    });
    void inBackground(replaceStale(() => undefined));
  };

  const following = createFollowing({
    feed,
    settings,
    committer,
    applied: () => applied,
    applySome,
    refresh,
    startOver,
    signal,
    log,
  });

  /** Builds the successors of what answers from an earlier schema. */
  const replaceStale = async (onBuild: OnBuild): Promise<void> => {
    for (const index of wanted) {
      for (let attempt = 1; stale.has(index.type) && !signal.aborted; attempt++) {
        try {
          await build(index, onBuild);
          buildTrouble = undefined;
          await refresh();
          log.write('info', 'A search index was built anew', { index: index.name });
        } catch (error) {
          if (signal.aborted) return;
          buildTrouble = error instanceof Error ? error.message : String(error);
          log.write('error', 'A search index cannot be built anew; trying again', { index: index.name, error });
          // Where the disk is full each attempt fills it once more.
          await pause(RETRY_MS * Math.min(attempt, MOST_RETRY_FACTOR), signal);
        }
      }
    }
  };

  const verify = async (wantedIndex: SchemaIndex, options: VerifyOptions): Promise<VerifyReport> => {
    const { name, type } = wantedIndex;
    const index = (): Index => {
      const found = indexes.get(type);
      if (found === undefined) throw serverErrors.create('SERVER_INDEX_BUSY', { index: name, now: 'rebuilding' });
      return found;
    };
    // Up to where the feed is now: under steady writing its end is never reached.
    const applyRest = async (): Promise<void> => {
      const head = await feed.head();
      while (applied < head) applied = await applyNext(follow, applied, signal);
    };
    const settled: VerifyContext['settled'] = (work) => exclusively(() => applyRest().then(work));
    // What only waits to be applied should not look like a difference, not even at first sight.
    await exclusively(applyRest);
    await refresh();
    const { source } = parts;
    const context = { feed, source, embeddings, index, settled, signal, applied: () => applied };
    const report = await verifyIndex(context, wantedIndex, options);
    if (report.mended > 0) {
      await refresh();
      await index().commit();
    }
    return report;
  };

  const leastPosition = (): number =>
    Math.min(...wanted.map(({ name }) => (engine.has(name) ? engine.index(name).position : 0)));

  const stateOf = (index: SchemaIndex): IndexStatus['state'] => {
    if (!engine.has(index.name)) return 'missing';
    if (busy.get(index.name) === 'rebuilding') return stale.has(index.type) ? 'stale' : 'rebuilding';
    if (stale.has(index.type)) return 'stale';
    return isCurrent(engine, index) ? 'current' : 'outdated';
  };

  return {
    async start(onBuild, anew = []) {
      await prepare(onBuild, anew);
      await following.catchUp();
      running = following.run();
      void inBackground(replaceStale(onBuild));
    },
    get position() {
      return searchable.position;
    },
    waitFor: (position, timeout) => searchable.waitFor(position, timeout),
    async status() {
      const head = await feed.head();
      // Before the start only what is on disk is known.
      const position = running === undefined ? Math.min(head, leastPosition()) : searchable.position;
      const lag = wanted.length === 0 ? 0 : Math.max(0, head - position);
      return {
        indexes: wanted.map((index) => {
          const stats = engine.has(index.name) ? engine.index(index.name).stats() : undefined;
          const { docs: documents = 0, bytes = 0 } = stats ?? {};
          return { name: index.name, type: index.type, documents, bytes, state: stateOf(index) };
        }),
        head,
        position,
        committed: running === undefined ? position : committer.position,
        lag,
        lagSeconds: lag === 0 ? 0 : await ageOf(feed, position),
        trouble: following.trouble ?? committer.trouble ?? buildTrouble,
      };
    },
    schemaIndex: (name) => byName.get(name),
    select(names) {
      if (names.length === 0) return wanted;
      return names.map((name) => {
        const found = byName.get(name);
        if (found !== undefined) return found;
        throw serverErrors.create('SERVER_INDEX_UNKNOWN', {
          index: name,
          suggestion: didYouMean(name, [...byName.keys()]),
          known: [...byName.keys()].join(', ') || 'none',
        });
      });
    },
    async rebuild(index, onBuild) {
      const built = await inBackground(build(index, onBuild));
      await refresh();
      return { index: index.name, documents: built.stats().docs };
    },
    async verify(index, options) {
      // A successor that is being built is what should be compared.
      await building.get(index.name)?.catch(() => undefined);
      return inBackground(claim(index, 'verifying', () => verify(index, options)));
    },
    async close() {
      stopping.abort();
      if (running === undefined) return;
      await running;
      await Promise.all(background);
      searchable.end();
      await committer.now().catch((error: unknown) => {
        // What is not committed is read from the feed again at the next start.
        log.write('warn', 'The search index was not committed at the end', { error });
      });
      if (parts.inMemory)
        await feed
          .reader(parts.readerName)
          .remove()
          .catch(() => undefined);
    },
  };
}
