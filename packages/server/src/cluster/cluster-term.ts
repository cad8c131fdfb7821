// One term of leadership: while it lasts, this server follows the feed into the indexes on the cluster, builds, compares and replaces
// them. It ends when another server may lead; nothing of it is written after that.
import type { Graph } from '@lockstitch/graph';
import { isProductError, type Log, Mutex } from '@lockstitch/kernel';

import type { ResolvedConfig } from '../config/config.ts';
import { serverErrors } from '../errors.ts';
import type { ApplyContext } from '../sync/apply-changes.ts';
import { type ApplyWorker, createApplyWorker } from '../sync/apply-worker.ts';
import { type BuildContext, buildIndex, type OnBuild } from '../sync/build-index.ts';
import { type Committer, createCommitter } from '../sync/committer.ts';
import { findDependencyPaths } from '../sync/dependency-paths.ts';
import type { DocumentSource } from '../sync/document-source.ts';
import { createFeedCursor, type FeedCursor } from '../sync/feed-cursor.ts';
import { reachesBack } from '../sync/feed-position.ts';
import { holdsMark } from '../sync/follow-feed.ts';
import { type BuildProgress, createIndexRebuilder, type IndexRebuilder } from '../sync/index-rebuilder.ts';
import { createPace } from '../sync/pace.ts';
import { ownedCustom, type SchemaIndex } from '../sync/schema-index.ts';
import type { SearchablePosition } from '../sync/searchable-position.ts';
import { sleep } from '../sync/sleep.ts';
import type { RebuildReport } from '../sync/sync.ts';
import { createTaskTracker } from '../sync/task-tracker.ts';
import { type VerifyOptions, type VerifyReport, verifyIndex } from '../sync/verify-index.ts';
import type { ClusterClient } from './cluster-client.ts';
import { ClusterTarget } from './cluster-target.ts';
import type { Generations } from './generations.ts';
import type { ClusterLayout, Look, ServedIndexes } from './served-indexes.ts';

export interface ClusterTermParts {
  readonly graph: Pick<Graph, 'model' | 'store' | 'feed' | 'sequencer'>;
  readonly client: ClusterClient;
  readonly generations: Generations;
  readonly served: ServedIndexes;
  readonly source: DocumentSource;
  readonly wanted: readonly SchemaIndex[];
  readonly settings: Pick<ResolvedConfig['search'], 'refreshInterval' | 'commitInterval'>;
  readonly layout: ClusterLayout;
  readonly readerName: string;
  readonly searchable: SearchablePosition;
  readonly database: string;
  readonly epoch: number;
  /** Whether servers with another schema run, which may search generations that were replaced. */
  readonly isShared: () => Promise<boolean>;
  /** Whether this server is sure to lead. */
  readonly leads: () => boolean;
  /** Called once it ends before it is stopped. */
  readonly onEnd: () => void;
  readonly log: Log;
}

/** Documents of one request, of a small batch and of a large one: a request to a cluster takes milliseconds. */
const BATCH = { smallest: 100, largest: 500 } as const;
/** Milliseconds for which a generation that was replaced is kept at least: other servers of the schema notice in that time. */
const KEPT = 60_000;

export class ClusterTerm {
  readonly #parts: ClusterTermParts;
  /** Generations that follow the feed, by type. */
  readonly #targets = new Map<string, ClusterTarget>();
  readonly #uuids = new Map<ClusterTarget, string>();
  /** Types whose generation is searched but no longer follows the feed. */
  readonly #stale = new Set<string>();
  /** A position that is noted late would be refused as that of another server. */
  readonly #noting = new Mutex();
  readonly #stopping = new AbortController();
  readonly #tasks = createTaskTracker();
  readonly #apply: ApplyContext;
  readonly #cursor: FeedCursor;
  readonly #committer: Committer;
  readonly #rebuilder: IndexRebuilder<ClusterTarget>;
  readonly #worker: ApplyWorker;
  #running: Promise<void> = Promise.resolve();
  /** Number of publications that have begun or ended. */
  published = 0;
  /** Position that was noted in the cluster. */
  #noted = 0;
  /** Why the cluster takes no writes for now. */
  #pause: string | undefined;

  constructor(parts: ClusterTermParts) {
    const { graph, log, readerName, settings, source, wanted } = parts;
    const { feed } = graph;
    const { signal } = this.#stopping;
    this.#parts = parts;
    const dependencyPaths = findDependencyPaths(graph.model, new Map(wanted.map((index) => [index.type, index])));
    const pace = createPace(BATCH);
    this.#apply = { feed, store: graph.store, source, dependencyPaths, indexes: this.#targets, pace, log };
    const cursor = createFeedCursor(this.#apply, signal);
    this.#cursor = cursor;
    this.#committer = createCommitter({
      feed,
      indexes: this.#targets,
      readerName,
      interval: settings.commitInterval,
      applied: () => this.#noted,
      signal,
      inBackground: this.#tasks.run,
      log,
    });
    const refresh = (): Promise<void> => this.#guarded(() => this.#refresh());
    const build = (index: SchemaIndex, onBuild: OnBuild): Promise<ClusterTarget> =>
      this.#guarded(() => buildIndex(this.#buildContext(), index, onBuild));
    this.#rebuilder = createIndexRebuilder({ wanted, stale: this.#stale, build, refresh, signal, log });
    this.#worker = createApplyWorker({
      feed,
      settings,
      committer: this.#committer,
      applied: () => cursor.position,
      applyBatch: () => this.#guarded(cursor.advance),
      refresh,
      rebuildAll: () => this.#rebuildAll(),
      reopen: () => Promise.resolve(),
      signal,
      log,
    });
  }

  /** Whether it has ended, because another server may lead. */
  get isOver(): boolean {
    return this.#stopping.signal.aborted;
  }

  get applied(): number {
    return this.#cursor.position;
  }

  get committed(): number {
    return this.#committer.position;
  }

  get trouble(): string | undefined {
    return this.#worker.trouble ?? this.#pause ?? this.#committer.trouble ?? this.#rebuilder.trouble;
  }

  isStale({ type }: SchemaIndex): boolean {
    return this.#stale.has(type);
  }

  isRebuilding(index: SchemaIndex): boolean {
    return this.#rebuilder.isRebuilding(index);
  }

  buildProgress(index: SchemaIndex): BuildProgress | undefined {
    return this.#rebuilder.progress(index);
  }

  /** Takes the indexes over, builds missing ones, catches up, then follows the feed in the background. */
  async start(onBuild: OnBuild, rebuild: readonly string[]): Promise<void> {
    await this.#guarded(() => this.#prepare(onBuild, rebuild));
    await this.#worker.catchUp();
    this.#running = this.#worker.run();
    this.#replaceStale(onBuild);
    void this.#tasks.run(this.#dropUnused());
  }

  /** The positions that were noted, by generation. */
  get positions(): ReadonlyMap<string, number> {
    return new Map([...this.#targets.values()].map(({ generation, noted }) => [generation, noted]));
  }

  /**
   * Whether the cluster still has what this server wrote; ends the term if not.
   *
   * @param noted `positions` before it was looked at
   */
  watch({ named, positions }: Look, noted: ReadonlyMap<string, number>): void {
    for (const target of this.#targets.values()) {
      const generation = named.get(target.name);
      const position = positions.get(target.name)?.position ?? -1;
      const isSame =
        generation === target.generation &&
        this.#parts.served.get(target.name)?.generation === generation &&
        position >= (noted.get(generation) ?? 0);
      if (isSame || this.isOver) continue;
      const message = 'An index on the search cluster is not the one that this server wrote; it is looked at again';
      this.#parts.log.write('warn', message, { index: target.name, generation: generation ?? 'none' });
      this.end();
    }
  }

  async rebuild(index: SchemaIndex, onBuild: OnBuild): Promise<RebuildReport> {
    const built = await this.#tasks.run(this.#rebuilder.build(index, onBuild));
    await this.#refresh();
    return { index: index.name, documents: await built.count() };
  }

  verify(index: SchemaIndex, options: VerifyOptions): Promise<VerifyReport> {
    return this.#tasks.run(this.#guarded(() => this.#verifyOrRebuild(index, options)));
  }

  /** Ends what is under way, without waiting for it. */
  end(): void {
    if (this.isOver) return;
    this.#stopping.abort();
    this.#parts.onEnd();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#tasks.settled();
    // What is not noted is read from the feed again.
    if (this.#parts.leads()) await this.#committer.now().catch(() => undefined);
  }

  async #prepare(onBuild: OnBuild, rebuild: readonly string[]): Promise<void> {
    const { epoch, generations, graph, layout, log, readerName, served, wanted } = this.#parts;
    await generations.prepare(layout.replicas);
    const { named, positions } = await served.look(true);
    const head = await graph.feed.head();
    const missing: SchemaIndex[] = [];
    for (const index of wanted) {
      const at = positions.get(index.name);
      const isOther = at?.mark !== undefined && !(await holdsMark(graph.feed, at.position, at.mark));
      const found = isOther ? undefined : served.get(index.name);
      const isNamed = found !== undefined && named.get(index.name) === found.generation;
      const reaches = isNamed && found.isCurrent && (await reachesBack(graph.feed, found.position));
      if (found === undefined || rebuild.includes(index.name)) missing.push(index);
      else if (!reaches) this.#stale.add(index.type);
      else {
        await generations.lead(found.generation, epoch);
        await generations.setReplicas(found.generation, layout.replicas);
        this.#adopt(index.type, this.#target(index, found.generation, found.uuid, found.position));
      }
      const isForeign = at !== undefined && (isOther || at.position > head || at.database !== this.#parts.database);
      if (found === undefined && isForeign)
        log.write('warn', 'The database is older than its index on the search cluster, or another one; it is rebuilt', {
          index: index.name,
          indexPosition: at.position,
          databasePosition: head,
        });
    }
    if (this.#targets.size === 0) this.#cursor.position = head;
    for (const index of missing) await this.#rebuilder.build(index, onBuild);
    await this.#refresh();
    this.#committer.position = this.#cursor.position;
    await graph.feed.reader(readerName).advance(this.#cursor.position);
  }

  #target({ name }: SchemaIndex, generation: string, uuid: string, position: number): ClusterTarget {
    const { client, epoch, generations, graph } = this.#parts;
    const target = new ClusterTarget({
      client,
      feed: graph.feed,
      name,
      generation,
      alias: generations.writeAlias(generation, epoch),
      position,
      mustLead: () => this.#mustLead(),
      bulk: {
        signal: this.#stopping.signal,
        onPause: (type) => (this.#pause = `The search cluster takes no writes for now (${type}).`),
        onTaken: () => (this.#pause = undefined),
      },
    });
    this.#uuids.set(target, uuid);
    return target;
  }

  /** Follows the feed with a generation. Called while nothing is applied. */
  #adopt(type: string, target: ClusterTarget): void {
    const { position } = this.#cursor;
    this.#cursor.position = this.#targets.size === 0 ? target.position : Math.min(position, target.position);
    this.#targets.set(type, target);
    this.#stale.delete(type);
  }

  #buildContext(): BuildContext<ClusterTarget> {
    const { epoch, generations, graph, readerName, served, source } = this.#parts;
    return {
      shadows: {
        create: async (wanted) => {
          this.#mustLead();
          const generation = await generations.create(wanted.name, generations.newName(), served.definition(wanted));
          try {
            await generations.lead(generation, epoch);
            const uuid = (await generations.describe(generation))?.uuid ?? '';
            return this.#target(wanted, generation, uuid, 0);
          } catch (error) {
            await generations.drop(generation).catch(() => undefined);
            throw error;
          }
        },
        settle: (target) => target.refresh(),
        publish: (wanted, target) => this.#publish(wanted, target),
        discard: ({ generation, name }) => generations.discard(name, generation),
      },
      feed: graph.feed,
      source,
      apply: this.#apply,
      readerName,
      signal: this.#stopping.signal,
      exclusively: this.#cursor.exclusively,
      applied: () => this.#cursor.position,
    };
  }

  async #publish(wanted: SchemaIndex, target: ClusterTarget): Promise<void> {
    const { epoch, generations, layout, served } = this.#parts;
    const { generation, name, position } = target;
    await target.refresh();
    await this.#notePosition(target, position);
    this.#mustLead();
    this.published++;
    const former = await generations.publish(name, generation, epoch);
    this.#adopt(wanted.type, target);
    this.published++;
    served.set(name, {
      generation,
      uuid: this.#uuids.get(target) ?? '',
      mappings: wanted.mappings,
      custom: ownedCustom(wanted),
      scores: layout.scores,
      position,
      isCurrent: true,
    });
    const ours = former.filter((index) => generations.isOurs(name, index));
    void this.#tasks.run(this.#drop(ours));
  }

  async #drop(generations: readonly string[]): Promise<void> {
    const { signal } = this.#stopping;
    if (generations.length === 0) return;
    // A database that does not answer does not say that nobody uses them.
    do await sleep(KEPT, signal);
    while (!signal.aborted && (await this.#parts.isShared().catch(() => true)));
    // The next leader drops what is left.
    for (const generation of generations) if (!signal.aborted) await this.#parts.generations.drop(generation);
  }

  /** Drops what a server left that was killed, unless something is being built. */
  async #dropUnused(): Promise<void> {
    const { generations, wanted } = this.#parts;
    const own = new Set([...this.#targets.values()].map(({ generation }) => generation));
    const unused: string[] = [];
    for (const { name } of wanted) unused.push(...(await generations.unused(name)));
    // A build that has begun meanwhile is younger than this term.
    await this.#drop(unused.filter((generation) => !own.has(generation) && !this.#isBuilding(generation)));
  }

  #isBuilding(generation: string): boolean {
    return [...this.#uuids.keys()].some((target) => target.generation === generation);
  }

  async #refresh(): Promise<void> {
    const { mark, position } = this.#cursor;
    // One that was published lately may be further on than the others.
    const reached = [...this.#targets.values()].map((target) => ({ target, position: target.position }));
    await Promise.all(reached.map(({ target }) => target.refresh()));
    this.#mustLead();
    const note = (one: (typeof reached)[number]): Promise<void> =>
      one.position > position
        ? this.#notePosition(one.target, one.position)
        : this.#notePosition(one.target, position, mark);
    await Promise.all(reached.map(note));
    // Not where the database has gone back meanwhile.
    if (this.#cursor.position < position) return;
    this.#noted = Math.max(this.#noted, position);
    // Changes that a stale index lacks are not searchable yet.
    if (this.#stale.size === 0) this.#parts.searchable.reach(position);
  }

  #notePosition(target: ClusterTarget, position: number, mark?: string): Promise<void> {
    return this.#noting.run(async () => {
      if (position < target.noted) return;
      const { database, epoch, generations, served } = this.#parts;
      const uuid = this.#uuids.get(target) ?? '';
      await generations.setPosition(target.generation, { position, epoch, database, uuid, mark });
      target.noted = position;
      served.reach(target.name, target.generation, position);
    });
  }

  /** As in the embedded engine, because the feed does not go on from the positions. */
  async #rebuildAll(): Promise<void> {
    await this.#cursor.exclusively(async () => {
      const head = await this.#parts.graph.feed.head();
      this.#cursor.position = head;
      this.#committer.position = Math.min(this.#committer.position, head);
      this.#noted = Math.min(this.#noted, head);
      this.#parts.searchable.goBack(head);
      for (const type of this.#targets.keys()) this.#stale.add(type);
      this.#targets.clear();
    });
    this.#replaceStale(() => undefined);
  }

  #replaceStale(onBuild: OnBuild): void {
    void this.#tasks.run(this.#rebuilder.replaceStale(onBuild));
  }

  async #verifyOrRebuild(wanted: SchemaIndex, options: VerifyOptions): Promise<VerifyReport> {
    let isOverwritten = false;
    const report = await this.#rebuilder.verifying(wanted, async () => {
      const index = (): ClusterTarget => {
        const found = this.#targets.get(wanted.type);
        if (found !== undefined) return found;
        throw serverErrors.create('SERVER_INDEX_BUSY', { index: wanted.name, now: 'rebuilding' });
      };
      const { caughtUp } = this.#cursor;
      await this.#parts.graph.sequencer?.catchUp();
      await caughtUp(() => Promise.resolve());
      await this.#refresh();
      const { dependencyPaths, feed, source } = this.#apply;
      const applied = (): number => this.#cursor.position;
      const before = index().superseded;
      const context = { feed, source, dependencyPaths, index, caughtUp, signal: this.#stopping.signal, applied };
      const found = await verifyIndex(context, wanted, options);
      isOverwritten = index().superseded > before;
      if (found.mended > 0) await this.#refresh();
      return found;
    });
    if (!isOverwritten) return report;
    // A version of somebody else's write would keep out the changes to come.
    await this.#rebuilder.build(wanted, options.onProgress);
    await this.#refresh();
    return { ...report, rebuilt: 'Somebody else wrote documents with versions that are too large.' };
  }

  /** Ends the term when another server has taken over. */
  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      this.#pause = undefined;
      return result;
    } catch (error) {
      if (isProductError(error, 'SERVER_CLUSTER_FENCED')) this.end();
      throw error;
    }
  }

  #mustLead(): void {
    if (!this.#parts.leads()) throw serverErrors.create('SERVER_CLUSTER_FENCED', { alias: 'its term is over' });
  }
}
