// Sync of one process: builds missing indexes, follows the feed, commits the position together with the indexes, and
// reports the lag. What a search may show is decided in policy/.
import { dirname } from 'node:path';

import type { Feed } from '@lockstitch/graph';
import { isProductError } from '@lockstitch/kernel';
import type { Engine, Index } from '@lockstitch/search';

import { serverErrors } from '../errors.ts';
import type { ApplyContext } from './apply-changes.ts';
import { type ApplyWorker, createApplyWorker } from './apply-worker.ts';
import { type BuildContext, buildIndex, type OnBuild } from './build-index.ts';
import { classifyIndexes } from './classify-indexes.ts';
import { type Committer, createCommitter } from './committer.ts';
import { compareWithData } from './compare-with-data.ts';
import { type CopiedIndexes, copyIndexes } from './copy-indexes.ts';
import { findDependencyPaths } from './dependency-paths.ts';
import { createFeedCursor, type FeedCursor } from './feed-cursor.ts';
import { createIndexRebuilder, type IndexRebuilder } from './index-rebuilder.ts';
import { EmbeddedTarget, FormerEmbeddedTarget } from './index-target.ts';
import { createPace } from './pace.ts';
import { createShadow, ownershipOf, type SchemaIndex } from './schema-index.ts';
import { createSearchablePosition } from './searchable-position.ts';
import { aheadOf, selectIndexes } from './select-indexes.ts';
import type { IndexAhead, RebuildReport, Sync, SyncParts } from './sync.ts';
import { readStatus, type SyncStatus } from './sync-status.ts';
import { createTaskTracker } from './task-tracker.ts';
import type { VerifyOptions, VerifyReport } from './verify-index.ts';

/** Sync with the indexes of the embedded engine. */
export interface EmbeddedSync extends Sync {
  /** Why an index must not be read now; undefined if it may be. One that stands still would show what was deleted or hidden since. */
  withheld(name: string): string | undefined;
}

/** Creates a sync; nothing happens before `start`. */
export function createSync(parts: SyncParts): EmbeddedSync {
  return new IndexSync(parts);
}

class IndexSync implements EmbeddedSync {
  readonly #parts: SyncParts;
  readonly #engine: Engine;
  readonly #feed: Feed;
  readonly #wanted: readonly SchemaIndex[];
  readonly #byName: ReadonlyMap<string, SchemaIndex>;
  /** Indexes that follow the feed, by type. */
  readonly #indexes = new Map<string, EmbeddedTarget>();
  /** Types whose index has to be built. One that follows the feed meanwhile is that of a former schema, and is searched; others are not. */
  readonly #stale = new Set<string>();
  /** Stale types whose index has a damaged file. */
  readonly #damaged = new Set<string>();
  /** Names of indexes found damaged before the start completed. */
  readonly #damagedBeforeStart = new Set<string>();
  readonly #stopping = new AbortController();
  readonly #searchable = createSearchablePosition();
  readonly #tasks = createTaskTracker();
  readonly #apply: ApplyContext;
  readonly #cursor: FeedCursor;
  readonly #committer: Committer;
  readonly #rebuilder: IndexRebuilder<EmbeddedTarget>;
  readonly #worker: ApplyWorker;
  #running: Promise<void> | undefined;

  constructor(parts: SyncParts) {
    const { engine, graph, log, readerName, settings, source, wanted } = parts;
    const { feed } = graph;
    const { signal } = this.#stopping;
    this.#parts = parts;
    this.#engine = engine;
    this.#feed = feed;
    this.#wanted = wanted;
    this.#byName = new Map(wanted.map((index) => [index.name, index]));
    const dependencyPaths = findDependencyPaths(graph.model, new Map(wanted.map((index) => [index.type, index])));
    const indexes = this.#indexes;
    this.#apply = { feed, store: graph.store, source, dependencyPaths, indexes, pace: createPace(), log };
    const cursor = createFeedCursor(this.#apply, signal);
    this.#cursor = cursor;
    const applied = (): number => cursor.position;
    const interval = settings.commitInterval;
    const inBackground = this.#tasks.run;
    const readerNames = [readerName];
    const keptFrom = (): number => Math.min(...[...indexes.values()].map(({ index }) => index.position));
    this.#committer = createCommitter({
      feed,
      indexes,
      readerNames,
      interval,
      applied,
      keptFrom,
      signal,
      inBackground,
      log,
    });
    const refresh = (): Promise<void> => this.#refresh();
    const stale = this.#stale;
    const build = (index: SchemaIndex, onBuild: OnBuild): Promise<EmbeddedTarget> =>
      buildIndex(this.#buildContext(), index, onBuild);
    this.#rebuilder = createIndexRebuilder({ wanted, stale, build, refresh, signal, log });
    this.#worker = createApplyWorker({
      feed,
      settings,
      committer: this.#committer,
      applied,
      applyBatch: cursor.advance,
      refresh,
      rebuildAll: () => this.#rebuildAll(),
      reopen: () => this.#reopen(),
      signal,
      log,
    });
  }

  async start(onBuild: OnBuild, rebuild: readonly string[] = []): Promise<void> {
    await this.#prepare(onBuild, rebuild);
    await this.#worker.catchUp();
    this.#running = this.#worker.run();
    for (const name of this.#damagedBeforeStart) this.damaged(name);
    this.#replaceStale(onBuild);
  }

  async ahead(): Promise<IndexAhead | undefined> {
    const databasePosition = await this.#feed.head();
    const engine = this.#engine;
    const positions = this.#wanted
      .filter(({ name }) => engine.has(name) && ownershipOf(engine.index(name)) !== undefined)
      .map(({ name }) => ({ index: name, indexPosition: engine.index(name).position }));
    return aheadOf(positions, databasePosition);
  }

  get position(): number {
    return this.#searchable.position;
  }

  waitFor(position: number, timeout: number): Promise<boolean> {
    return this.#searchable.waitFor(position, timeout);
  }

  async status(): Promise<SyncStatus> {
    const { isRebuilding, progress } = this.#rebuilder;
    const reached = this.#running && {
      applied: this.#cursor.position,
      position: this.#searchable.position,
      committed: this.#committer.position,
    };
    const { sequencer } = this.#parts.graph;
    const known = { engine: this.#engine, feed: this.#feed, wanted: this.#wanted, sequencer };
    const isWithheld = ({ name }: SchemaIndex): boolean => this.withheld(name) !== undefined;
    const parts = { ...known, stale: this.#stale, isRebuilding, isWithheld, progress };
    const status = await readStatus(parts, reached);
    const trouble =
      this.#worker.trouble ??
      this.#committer.trouble ??
      this.#rebuilder.trouble ??
      this.#damageTrouble() ??
      status.trouble;
    return { ...status, trouble };
  }

  withheld(name: string): string | undefined {
    const type = this.#byName.get(name)?.type;
    if (type === undefined || !this.#stale.has(type) || this.#indexes.has(type)) return undefined;
    return 'it is being built from the data, and searched again once that is done';
  }

  schemaIndex(name: string): SchemaIndex | undefined {
    return this.#byName.get(name);
  }

  select(names: readonly string[]): readonly SchemaIndex[] {
    return selectIndexes(this.#wanted, names);
  }

  async rebuild(index: SchemaIndex, onBuild: OnBuild): Promise<RebuildReport> {
    const { index: built } = await this.#tasks.run(this.#rebuilder.build(index, onBuild));
    await this.#refresh();
    return { index: index.name, documents: built.stats().docs };
  }

  verify(index: SchemaIndex, options: VerifyOptions): Promise<VerifyReport> {
    return this.#tasks.run(this.#verifyOrRebuild(index, options));
  }

  copy(all: boolean): Promise<CopiedIndexes> {
    const { folder } = this.#engine;
    if (folder === undefined) throw serverErrors.create('SERVER_INDEX_IN_MEMORY', { folder: ':memory:' });
    return this.#tasks.run(copyIndexes(this.#engine, dirname(folder), all));
  }

  damaged(name: string): void {
    const index = this.#byName.get(name);
    if (index === undefined || this.#stopping.signal.aborted || this.#damaged.has(index.type)) return;
    if (this.#running === undefined) {
      this.#damagedBeforeStart.add(name);
      return;
    }
    this.#parts.log.write('error', 'A search index is damaged and is being rebuilt', { index: name });
    this.#damaged.add(index.type);
    this.#stale.add(index.type);
    this.#indexes.delete(index.type);
    this.#replaceStale(() => undefined);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    if (this.#running === undefined) return;
    await this.#running;
    await this.#tasks.settled();
    this.#searchable.end();
    const { inMemory, log, readerName } = this.#parts;
    await this.#committer.now().catch((error: unknown) => {
      // Uncommitted changes are read from the feed again at the next start.
      log.write('warn', 'The search index was not committed at the end', { error });
    });
    if (!inMemory) return;
    await this.#feed
      .reader(readerName)
      .remove()
      .catch((error: unknown) =>
        log.write('warn', 'The feed keeps changes for a search index that is gone', { error }),
      );
  }

  /** Classifies the indexes, builds missing ones, and sets the position to continue from. */
  async #prepare(onBuild: OnBuild, rebuild: readonly string[]): Promise<void> {
    const { log, readerName } = this.#parts;
    const engine = this.#engine;
    const lost = await this.ahead();
    if (lost !== undefined)
      log.write(
        'warn',
        `The database is older than its search index: it knows ${lost.databasePosition} changes, the index ${lost.index} has seen ${lost.indexPosition}. ` +
          'Later changes are lost, or it is another database; the index is rebuilt from the database',
        { ...lost },
      );
    const head = await this.#feed.head();
    const classified = await classifyIndexes(engine, this.#feed, this.#wanted, head, rebuild);
    for (const type of classified.stale) this.#stale.add(type);
    for (const [type, index] of classified.followed) this.#indexes.set(type, this.#targetOf(type, index));
    this.#cursor.position = Math.min(head, ...[...this.#indexes.values()].map((index) => index.position));
    for (const index of classified.missing) await this.#rebuilder.build(index, onBuild);
    this.#committer.position = this.#cursor.position;
    const present = this.#wanted.filter(({ name }) => engine.has(name)).map(({ name }) => engine.index(name).position);
    this.#searchable.reach(Math.min(this.#cursor.position, ...present));
    await this.#feed.reader(readerName).advance(this.#cursor.position);
  }

  #buildContext(): BuildContext<EmbeddedTarget> {
    const { readerName, source } = this.#parts;
    return {
      shadows: {
        create: async (wanted) => new EmbeddedTarget(await createShadow(this.#engine, wanted)),
        settle: (target) => target.commit(),
        publish: async ({ type }, target) => {
          await target.index.refresh();
          await this.#engine.replaceIndex(target.index);
          this.#adopt(type, target);
        },
        discard: ({ index }) => this.#engine.discardShadow(index),
      },
      feed: this.#feed,
      source,
      apply: this.#apply,
      readerName,
      signal: this.#stopping.signal,
      exclusively: this.#cursor.exclusively,
      applied: () => this.#cursor.position,
    };
  }

  #targetOf(type: string, index: Index): EmbeddedTarget {
    return this.#stale.has(type) ? new FormerEmbeddedTarget(index) : new EmbeddedTarget(index);
  }

  /** Follows the feed with a new index. Called while nothing is applied. */
  #adopt(type: string, built: EmbeddedTarget): void {
    // The first index sets the position to continue from.
    this.#cursor.position = this.#indexes.size === 0 ? built.position : Math.min(this.#cursor.position, built.position);
    this.#indexes.set(type, built);
    this.#stale.delete(type);
    this.#damaged.delete(type);
  }

  async #refresh(): Promise<void> {
    const target = this.#cursor.position;
    for (const { index } of this.#indexes.values()) await index.refresh();
    // An index of a former schema lacks fields of what it has: such changes are not searchable yet.
    if (this.#stale.size > 0) return;
    this.#searchable.reach(target);
  }

  /**
   * Rebuilds every index, because the feed does not go on from their position. The old indexes are not searched any more.
   */
  async #rebuildAll(): Promise<void> {
    await this.#cursor.exclusively(async () => {
      const head = await this.#feed.head();
      this.#cursor.position = head;
      this.#committer.position = Math.min(this.#committer.position, head);
      this.#searchable.goBack(head);
      for (const type of this.#indexes.keys()) this.#stale.add(type);
      this.#indexes.clear();
    });
    this.#replaceStale(() => undefined);
  }

  #replaceStale(onBuild: OnBuild): void {
    void this.#tasks.run(this.#rebuilder.replaceStale(onBuild));
  }

  /** Takes over indexes that the engine reopened after a lack of memory; such an index may be some changes behind. */
  #reopen(): Promise<void> {
    return this.#cursor.exclusively(() => {
      for (const [type, { index }] of this.#indexes) {
        const reopened = this.#engine.indices().find(({ name }) => name === index.name);
        if (reopened === undefined || reopened === index) continue;
        this.#indexes.set(type, this.#targetOf(type, reopened));
        this.#cursor.position = Math.min(this.#cursor.position, reopened.position);
      }
      return Promise.resolve();
    });
  }

  /** Verifies an index. If a file turns out to be damaged, rebuilds the index and verifies that. */
  async #verifyOrRebuild(index: SchemaIndex, options: VerifyOptions): Promise<VerifyReport> {
    const { sequencer } = this.#parts.graph;
    const refresh = (): Promise<void> => this.#refresh();
    const followed = { apply: this.#apply, cursor: this.#cursor, sequencer, refresh, signal: this.#stopping.signal };
    const verify = (): Promise<VerifyReport> =>
      this.#rebuilder.verifying(index, () => {
        // One of a former schema is not compared, but replaced.
        if (this.#stale.has(index.type))
          throw serverErrors.create('SERVER_INDEX_BUSY', { index: index.name, now: 'rebuilding' });
        return compareWithData(followed, index, options);
      });
    try {
      return await verify();
    } catch (error) {
      if (!isProductError(error, 'SEARCH_DAMAGED')) throw error;
      // A rebuild may be running already; `verifying` waits for it.
      await this.#rebuilder.build(index, options.onProgress).catch((busy: unknown) => {
        if (!isProductError(busy, 'SERVER_INDEX_BUSY')) throw busy;
      });
      return { ...(await verify()), rebuilt: error.message };
    }
  }

  #damageTrouble(): string | undefined {
    const names = this.#wanted.filter(({ type }) => this.#damaged.has(type)).map(({ name }) => name);
    return names.length === 0 ? undefined : `Damaged, and being rebuilt: ${names.join(', ')}.`;
  }
}
