// One term of leadership: while it lasts, this server follows the feed into some indexes on the cluster, builds, compares and replaces
// them. It ends when another server may lead; nothing of it is written after that.
import type { Graph } from '@lockstitch/graph';
import { isProductError, type Log, lookUp } from '@lockstitch/kernel';

import type { ResolvedConfig } from '../config/config.ts';
import type { ApplyContext } from '../sync/apply-changes.ts';
import { type ApplyWorker, createApplyWorker } from '../sync/apply-worker.ts';
import { type BuildContext, buildIndex, type OnBuild } from '../sync/build-index.ts';
import { compareWithData } from '../sync/compare-with-data.ts';
import { type Committer, createCommitter } from '../sync/committer.ts';
import { findDependencyPaths } from '../sync/dependency-paths.ts';
import type { DocumentSource } from '../sync/document-source.ts';
import { createFeedCursor, type FeedCursor } from '../sync/feed-cursor.ts';
import { reachesBack } from '../sync/feed-position.ts';
import { holdsMark } from '../sync/follow-feed.ts';
import { type BuildProgress, createIndexRebuilder, type IndexRebuilder } from '../sync/index-rebuilder.ts';
import { createPace } from '../sync/pace.ts';
import type { SchemaIndex } from '../sync/schema-index.ts';
import { sleep } from '../sync/sleep.ts';
import type { SearchablePosition } from '../sync/searchable-position.ts';
import type { RebuildReport } from '../sync/sync.ts';
import { createTaskTracker } from '../sync/task-tracker.ts';
import type { VerifyOptions, VerifyReport } from '../sync/verify-index.ts';
import type { ClusterClient } from './cluster-client.ts';
import type { ClusterTarget } from './cluster-target.ts';
import { GenerationWriter } from './generation-writer.ts';
import type { Generations } from './generations.ts';
import type { ClusterLayout } from './index-definition.ts';
import type { LedIndex } from './led-index.ts';
import type { Look, ServedIndexes } from './served-indexes.ts';

export interface ClusterTermParts {
  readonly graph: Pick<Graph, 'model' | 'store' | 'feed' | 'sequencer'>;
  readonly client: ClusterClient;
  readonly generations: Generations;
  readonly served: ServedIndexes;
  readonly source: DocumentSource;
  readonly led: readonly LedIndex[];
  readonly settings: Pick<ResolvedConfig['search'], 'refreshInterval' | 'commitInterval'>;
  readonly layout: ClusterLayout;
  /** Name of the reader of the feed for a definition: one for all servers, which read on where the leader before was. */
  readonly readerName: (definition: string) => string;
  readonly database: string;
  /** Whether this server is sure to lead an index. */
  readonly leads: (led: LedIndex) => boolean;
  readonly searchable: SearchablePosition;
  /** Called when searches find more than before. */
  readonly onReach: () => void;
  /** Called once it ends before it is stopped. */
  readonly onEnd: () => void;
  readonly log: Log;
}

/** Documents of one request, of a small batch and of a large one: a request to a cluster takes milliseconds. */
const BATCH = { smallest: 100, largest: 500 } as const;
/** Milliseconds before a server builds what it could not build at its start. */
const RETRY = 2000;

export class ClusterTerm {
  readonly #parts: ClusterTermParts;
  /** By type. */
  readonly #led: ReadonlyMap<string, LedIndex>;
  /** Generations that follow the feed, by type. */
  readonly #targets = new Map<string, ClusterTarget>();
  readonly #writer: GenerationWriter;
  /** Types whose generation has to be built. */
  readonly #stale = new Set<string>();
  readonly #stopping = new AbortController();
  readonly #tasks = createTaskTracker();
  readonly #apply: ApplyContext;
  readonly #cursor: FeedCursor;
  readonly #committer: Committer;
  readonly #rebuilder: IndexRebuilder<ClusterTarget>;
  readonly #worker: ApplyWorker;
  #running: Promise<void> = Promise.resolve();
  #isFollowing = false;
  /** Number of publications that have begun or ended. */
  published = 0;
  /** Position that was noted in the cluster. */
  #noted = 0;
  /** Why the cluster takes no writes for now. */
  #pause: string | undefined;

  constructor(parts: ClusterTermParts) {
    const { graph, led, log, readerName, settings, source } = parts;
    const { feed } = graph;
    const { signal } = this.#stopping;
    this.#parts = parts;
    const onPause = (type: string): void => {
      this.#pause = `The search cluster takes no writes for now (${type}).`;
    };
    const onTaken = (): void => {
      this.#pause = undefined;
    };
    this.#writer = new GenerationWriter({ ...parts, feed, bulk: { signal, onPause, onTaken } });
    this.#led = new Map(led.map((each) => [each.index.type, each]));
    const wanted = led.map(({ index }) => index);
    const dependencyPaths = findDependencyPaths(graph.model, new Map(wanted.map((index) => [index.type, index])));
    const pace = createPace(BATCH);
    this.#apply = { feed, store: graph.store, source, dependencyPaths, indexes: this.#targets, pace, log };
    const cursor = createFeedCursor(this.#apply, signal);
    this.#cursor = cursor;
    this.#committer = createCommitter({
      feed,
      indexes: this.#targets,
      readerNames: led.map(({ definition }) => readerName(definition)),
      interval: settings.commitInterval,
      applied: () => this.#noted,
      signal,
      inBackground: this.#tasks.run,
      log,
    });
    const refresh = (): Promise<void> => this.#guarded(() => this.#refresh());
    const build = (index: SchemaIndex, onBuild: OnBuild): Promise<ClusterTarget> =>
      this.#guarded(() => buildIndex(this.#buildContext(lookUp(this.#led, index.type)), index, onBuild));
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

  /** Whether this server is sure to lead all of its indexes. */
  get leads(): boolean {
    return this.led.every(this.#parts.leads);
  }

  get led(): readonly LedIndex[] {
    return this.#parts.led;
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

  /** By definition, the generations that it writes or builds. */
  get written(): ReadonlyMap<string, ReadonlySet<string>> {
    return new Map(this.led.map((each) => [each.definition, this.#writer.generationsOf(each)]));
  }

  /** Whether it follows the feed with anything, or builds. */
  get isIdle(): boolean {
    return this.#targets.size === 0 && this.#stale.size === 0;
  }

  isRebuilding(index: SchemaIndex): boolean {
    return this.#rebuilder.isRebuilding(index);
  }

  buildProgress(index: SchemaIndex): BuildProgress | undefined {
    return this.#rebuilder.progress(index);
  }

  /** Takes the generations over that are there. What can no longer follow the feed is not searched any more. */
  takeOver(): Promise<void> {
    return this.#guarded(() => this.#prepare());
  }

  /** Follows the feed in the background, and builds what is missing, unless it has begun to. */
  follow(): void {
    if (this.#isFollowing || this.isOver) return;
    this.#isFollowing = true;
    this.#running = this.#worker.run();
    void this.#tasks.run(this.#rebuilder.replaceStale(() => undefined));
  }

  /** As `follow`, at the start of the server: waits until it has caught up, and has built what searches lack or what is asked for. */
  async start(onBuild: OnBuild, rebuild: readonly string[]): Promise<void> {
    if (this.isOver) return;
    this.#isFollowing = true;
    await this.#worker.catchUp().catch((error: unknown) => {
      this.end();
      throw error;
    });
    this.#running = this.#worker.run();
    try {
      for (const { index, isFormer } of this.led) {
        const isMissing = this.#stale.has(index.type) && this.#parts.served.get(index.name) === undefined;
        if (isMissing || (rebuild.includes(index.name) && !isFormer))
          await this.#tasks.run(this.#rebuilder.build(index, onBuild));
      }
      await this.#guarded(() => this.#refresh());
    } finally {
      void this.#tasks.run(this.#replaceStaleLater(onBuild));
    }
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
  watch({ positions, published }: Look, noted: ReadonlyMap<string, number>): void {
    for (const [type, { generation, name }] of this.#targets) {
      const { definition, isFormer } = lookUp(this.#led, type);
      const found = published.get(definition);
      const served = this.#parts.served.get(name);
      const isSame =
        found === generation &&
        (isFormer || served?.generation === generation) &&
        (positions.get(generation)?.position ?? -1) >= (noted.get(generation) ?? 0);
      if (isSame || this.isOver) continue;
      const message = 'An index on the search cluster is not the one that this server wrote; it is looked at again';
      this.#parts.log.write('warn', message, { index: name, generation: found ?? 'none' });
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
    if (this.leads) await this.#committer.now().catch(() => undefined);
  }

  async #prepare(): Promise<void> {
    const { generations, graph, layout, led, log, served } = this.#parts;
    const { positions, published } = await served.look(true);
    const head = await graph.feed.head();
    for (const each of led) {
      const { definition, epoch, index } = each;
      const generation = published.get(definition);
      const at = generation === undefined ? undefined : positions.get(generation);
      const isOther = at?.mark !== undefined && !(await holdsMark(graph.feed, at.position, at.mark));
      const known = served.get(index.name);
      const found = known?.definition === definition && known.generation === generation ? known : undefined;
      if (found !== undefined && !isOther && (await reachesBack(graph.feed, found.position))) {
        await generations.lead(found.generation, epoch);
        await generations.setReplicas(found.generation, layout.replicas);
        this.#adopt(index.type, this.#writer.target(each, found, found.position));
        continue;
      }
      if (found !== undefined) await this.#withdraw(each, found.generation);
      if (!each.isFormer) this.#stale.add(index.type);
      if (at !== undefined && (isOther || at.position > head || at.database !== this.#parts.database))
        log.write('warn', 'The database is older than its index on the search cluster, or another one; it is rebuilt', {
          index: index.name,
          indexPosition: at.position,
          databasePosition: head,
        });
    }
    if (this.#targets.size === 0) this.#cursor.position = head;
    await this.#refresh();
    this.#committer.position = this.#cursor.position;
    for (const { definition } of led)
      await graph.feed.reader(this.#parts.readerName(definition)).advance(this.#cursor.position);
  }

  /** Takes a generation out of the searches that cannot be gone on with: it would show what was deleted or hidden since. */
  async #withdraw(led: LedIndex, generation: string): Promise<void> {
    const { definition, epoch, index } = led;
    this.#parts.served.forget(index.name, generation);
    this.#writer.mustLead(led);
    await this.#parts.generations.withdraw(definition, generation, epoch);
  }

  /** Follows the feed with a generation. Called while nothing is applied. */
  #adopt(type: string, target: ClusterTarget): void {
    const { position } = this.#cursor;
    const former = this.#targets.get(type);
    if (former !== undefined) this.#writer.forget(former);
    this.#cursor.position = this.#targets.size === 0 ? target.position : Math.min(position, target.position);
    this.#targets.set(type, target);
    this.#stale.delete(type);
  }

  #buildContext(led: LedIndex): BuildContext<ClusterTarget> {
    const { graph, readerName, served, source } = this.#parts;
    const { definition, index } = led;
    return {
      shadows: {
        create: () => this.#writer.create(led),
        settle: (target) => target.refresh(),
        publish: async (_, target) => {
          await target.refresh();
          await this.#writer.note(led, target, target.position);
          this.published++;
          const made = await this.#writer.publish(led, target);
          this.#adopt(index.type, target);
          this.published++;
          served.set(index.name, made);
          this.#parts.onReach();
        },
        discard: (target) => this.#writer.discard(led, target),
      },
      feed: graph.feed,
      source,
      apply: this.#apply,
      readerName: readerName(definition),
      signal: this.#stopping.signal,
      exclusively: this.#cursor.exclusively,
      applied: () => this.#cursor.position,
    };
  }

  async #refresh(): Promise<void> {
    const { mark, position } = this.#cursor;
    // One that was published lately may be further on than the others.
    const reached = [...this.#targets].map(([type, target]) => ({
      led: lookUp(this.#led, type),
      target,
      at: target.position,
    }));
    await Promise.all(reached.map(({ target }) => target.refresh()));
    for (const { led } of reached) this.#writer.mustLead(led);
    const note = ({ at, led, target }: (typeof reached)[number]): Promise<void> =>
      at > position ? this.#writer.note(led, target, at) : this.#writer.note(led, target, position, mark);
    await Promise.all(reached.map(note));
    // Not where the database has gone back meanwhile.
    if (this.#cursor.position < position) return;
    this.#noted = Math.max(this.#noted, position);
    this.#parts.onReach();
  }

  /** Because the feed does not go on from the positions: what is there is not searched any more, and built again. */
  async #rebuildAll(): Promise<void> {
    await this.#cursor.exclusively(async () => {
      const head = await this.#parts.graph.feed.head();
      const former = [...this.#targets];
      this.#targets.clear();
      for (const [, target] of former) this.#writer.forget(target);
      this.#cursor.position = head;
      this.#committer.position = Math.min(this.#committer.position, head);
      this.#noted = Math.min(this.#noted, head);
      this.#parts.searchable.goBack(head);
      for (const { index, isFormer } of this.#parts.led) if (!isFormer) this.#stale.add(index.type);
      try {
        for (const [type, { generation }] of former) await this.#withdraw(lookUp(this.#led, type), generation);
      } catch (error) {
        // The next term looks at what is there.
        this.end();
        throw error;
      }
    });
    void this.#tasks.run(this.#rebuilder.replaceStale(() => undefined));
  }

  /** What the start could not build would hardly be built at once. */
  async #replaceStaleLater(onBuild: OnBuild): Promise<void> {
    await sleep(RETRY, this.#stopping.signal);
    await this.#rebuilder.replaceStale(onBuild);
  }

  async #verifyOrRebuild(wanted: SchemaIndex, options: VerifyOptions): Promise<VerifyReport> {
    let isOverwritten = false;
    const report = await this.#rebuilder.verifying(wanted, async () => {
      const superseded = (): number => this.#targets.get(wanted.type)?.superseded ?? 0;
      const before = superseded();
      const { sequencer } = this.#parts.graph;
      const refresh = (): Promise<void> => this.#refresh();
      const followed = { apply: this.#apply, cursor: this.#cursor, sequencer, refresh, signal: this.#stopping.signal };
      const found = await compareWithData(followed, wanted, options);
      isOverwritten = superseded() > before;
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
}
