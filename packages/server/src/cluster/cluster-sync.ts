// Sync of indexes on a cluster. For each definition of an index one of the servers that share the database leads: it writes. The others
// read from the cluster how far it has come. A server without a cluster goes on without searches, and tries again.
import { setTimeout as pause } from 'node:timers/promises';

import { didYouMean, isProductError, type Log, reasonOf } from '@lockstitch/kernel';
import type { Graph } from '@lockstitch/graph';

import type { ResolvedConfig } from '../config/config.ts';
import { serverErrors } from '../errors.ts';
import { type IndexerLeases, openIndexerLeases } from '../fleet/indexer-lease.ts';
import type { OnBuild } from '../sync/build-index.ts';
import type { CopiedIndexes } from '../sync/copy-indexes.ts';
import type { DocumentSource } from '../sync/document-source.ts';
import type { SchemaIndex } from '../sync/schema-index.ts';
import type { Fleet } from '../fleet/server-registry.ts';
import { createSearchablePosition } from '../sync/searchable-position.ts';
import type { IndexAhead, RebuildReport, Sync } from '../sync/sync.ts';
import type { SyncStatus } from '../sync/sync-status.ts';
import type { VerifyOptions, VerifyReport } from '../sync/verify-index.ts';
import { LATE, within } from '../within.ts';
import { type ClusterKind, checkCluster } from './check-cluster.ts';
import type { ClusterClient } from './cluster-client.ts';
import { ClusterStatus, troubleOf } from './cluster-status.ts';
import { ClusterTerm } from './cluster-term.ts';
import { Generations } from './generations.ts';
import { type ClusterLayout, definitionName, isDefinitionOf } from './index-definition.ts';
import type { LedIndex } from './led-index.ts';
import { type Look, ServedIndexes } from './served-indexes.ts';
import { TermPauses } from './term-pauses.ts';
import { SILENCE, unlessStalled } from './unless-stalled.ts';
import { UnusedGenerations } from './unused-generations.ts';

export interface ClusterSyncParts {
  readonly graph: Pick<Graph, 'model' | 'store' | 'feed' | 'sequencer'>;
  readonly client: ClusterClient;
  readonly kind: ClusterKind;
  /** Prefix of the names of all indexes and aliases. */
  readonly prefix: string;
  readonly layout: ClusterLayout;
  readonly source: DocumentSource;
  readonly wanted: readonly SchemaIndex[];
  readonly settings: Pick<ResolvedConfig['search'], 'refreshInterval' | 'commitInterval'>;
  /** Where several servers share the database. */
  readonly fleet: Fleet | undefined;
  readonly log: Log;
}

/** Milliseconds between two looks at the cluster; a shorter time while a request waits for a position. */
const LOOK = 1000;
const LOOK_AWAITED = 50;
/** Milliseconds between two renewals of the leases. */
const RENEW = 1500;
/** Milliseconds that work under way may take to end at a stop, before its connections are ended. */
const CLOSING = 3000;
/** Milliseconds between two looks for what nobody uses any more. */
const TIDY = 10_000;

/** Failures that pass: the server starts without searches. */
const PASSING: ReadonlySet<string> = new Set([
  'SERVER_CLUSTER_BEHIND',
  'SERVER_CLUSTER_BUSY',
  'SERVER_CLUSTER_FENCED',
  'SERVER_CLUSTER_REFUSED',
  'SERVER_CLUSTER_STALLED',
  'SERVER_CLUSTER_UNREACHABLE',
]);

export class ClusterSync implements Sync {
  readonly served: ServedIndexes;
  readonly #parts: ClusterSyncParts;
  readonly #generations: Generations;
  readonly #status: ClusterStatus;
  readonly #unused: UnusedGenerations;
  readonly #searchable = createSearchablePosition();
  readonly #stopping = new AbortController();
  readonly #pauses = new TermPauses();
  #leases: IndexerLeases | undefined;
  #renewing: NodeJS.Timeout | undefined;
  #isRenewing = false;
  /** Terms of this server, also those that have ended and are to be stopped. */
  #terms: readonly ClusterTerm[] = [];
  #running: Promise<void> | undefined;
  #tidying: Promise<void> = Promise.resolve();
  #tidyAt = 0;
  #isChecked = false;
  #trouble: string | undefined;

  constructor(parts: ClusterSyncParts) {
    const { client, graph, layout, log, prefix, wanted } = parts;
    this.#parts = parts;
    const generations = new Generations(client, prefix);
    this.#generations = generations;
    const { feed } = graph;
    const followed = async (): Promise<ReadonlySet<string>> => (await this.#leases?.followed()) ?? new Set();
    this.served = new ServedIndexes({ generations, feed, wanted, layout, followed });
    this.#status = new ClusterStatus({ graph, client, served: this.served, wanted });
    const { readerName } = this;
    this.#unused = new UnusedGenerations({ generations, feed, used: () => this.#used(), readerName, log });
  }

  async start(onBuild: OnBuild, rebuild: readonly string[] = []): Promise<void> {
    const { fleet, log, wanted } = this.#parts;
    // Before the first search: nobody drops what is searched then.
    await fleet?.useIndexes(wanted.map((index) => this.#generations.searchAlias(this.#definitionOf(index))));
    await this.#openLeases();
    this.#renewing = setInterval(() => void this.#renew(), RENEW).unref();
    const first = this.#step();
    try {
      await this.#unlessStalled(first);
      const starting = this.#terms.map((term) => term.start(onBuild, rebuild));
      this.#running = this.#run();
      await this.#unlessStalled(Promise.all(starting));
      if (rebuild.length > 0) for (const index of this.select(rebuild)) await this.#requireTerm(index);
    } catch (error) {
      if (!isProductError(error) || !PASSING.has(error.code) || rebuild.length > 0) {
        await this.close();
        throw error;
      }
      this.#trouble = reasonOf(error);
      log.write('error', 'Search is unavailable until the search cluster can be used; trying again', { error });
    }
    // After a stall, what it began goes on.
    this.#running ??= first.catch(() => undefined).then(() => this.#run());
  }

  async #openLeases(): Promise<IndexerLeases> {
    const { fleet, graph, prefix } = this.#parts;
    this.#leases ??= await openIndexerLeases({ store: graph.store, prefix, server: fleet?.server });
    this.served.database = this.#leases.database;
    return this.#leases;
  }

  async ahead(): Promise<IndexAhead | undefined> {
    const databasePosition = await this.#parts.graph.feed.head();
    const { database } = await this.#openLeases();
    // Without the cluster nothing is known, and nothing of it is overwritten.
    const look = await within(this.served.look(), SILENCE).catch((): typeof LATE => LATE);
    if (look === LATE) return undefined;
    const furthest = [...look.published]
      .flatMap(([definition, generation]) => {
        const index = this.#parts.wanted.find((each) => isDefinitionOf(each, definition))?.name;
        const at = look.positions.get(generation);
        // What another database has built says nothing of this one.
        if (index === undefined || at?.database !== database) return [];
        return [{ index, indexPosition: at.position, databasePosition }];
      })
      .toSorted((a, b) => b.indexPosition - a.indexPosition)[0];
    return furthest !== undefined && furthest.indexPosition > databasePosition ? furthest : undefined;
  }

  get position(): number {
    return this.#searchable.position;
  }

  waitFor(position: number, timeout: number): Promise<boolean> {
    return this.#searchable.waitFor(position, timeout);
  }

  async status(): Promise<SyncStatus> {
    const isRunning = this.#running !== undefined;
    // Before the start nothing has been looked at, and sizes are those of what is served.
    const look = isRunning ? LATE : await within(this.served.look(), SILENCE).catch((): typeof LATE => LATE);
    const position = look === LATE ? this.#searchable.position : (this.served.position ?? 0);
    const terms = this.#terms.filter(({ isOver }) => !isOver);
    return this.#status.read({ isRunning, position, terms, trouble: this.#trouble });
  }

  schemaIndex(name: string): SchemaIndex | undefined {
    return this.#parts.wanted.find((index) => index.name === name);
  }

  select(names: readonly string[]): readonly SchemaIndex[] {
    const { wanted } = this.#parts;
    const known = wanted.map(({ name }) => name);
    return names.length === 0
      ? wanted
      : names.map((index) => {
          const found = this.schemaIndex(index);
          if (found !== undefined) return found;
          const suggestion = didYouMean(index, known);
          throw serverErrors.create('SERVER_INDEX_UNKNOWN', { index, suggestion, known: known.join(', ') || 'none' });
        });
  }

  async rebuild(index: SchemaIndex, onBuild: OnBuild): Promise<RebuildReport> {
    const term = await this.#requireTerm(index);
    return this.#unlessStalled(term.rebuild(index, onBuild));
  }

  async verify(index: SchemaIndex, options: VerifyOptions): Promise<VerifyReport> {
    const term = await this.#requireTerm(index);
    const stalled = new AbortController();
    const signal = AbortSignal.any([stalled.signal, ...(options.signal === undefined ? [] : [options.signal])]);
    return this.#unlessStalled(term.verify(index, { ...options, signal })).finally(() => stalled.abort());
  }

  /** The indexes are backed up by snapshots of the cluster, or built again. */
  copy(): Promise<CopiedIndexes> {
    return Promise.reject(serverErrors.create('SERVER_INDEX_ON_CLUSTER'));
  }

  /** The cluster keeps and repairs its files. */
  damaged(): void {}

  async close(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#renewing);
    for (const term of this.#terms) term.end();
    this.#searchable.end();
    const ended = this.#end();
    if ((await within(ended, CLOSING)) !== LATE) return;
    // What is under way waits for a cluster that says nothing.
    this.#parts.client.close();
    await ended;
  }

  async #end(): Promise<void> {
    await this.#running;
    await this.#tidying;
    // Another server need not wait for the end of the terms then.
    for (const term of this.#terms) await this.#endTerm(term);
  }

  /** Deletes the indexes, after `close`. */
  async discard(): Promise<void> {
    for (const index of this.#parts.wanted)
      for (const { name } of await this.#generations.all(this.#definitionOf(index))) await this.#generations.drop(name);
    await this.#generations.dropPositions();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let next = performance.now() + LOOK;
    while (!signal.aborted) {
      // A server that leads knows how far it is.
      const isAwaited = this.#searchable.isAwaited && this.#parts.wanted.some((index) => !this.#termOf(index));
      if (performance.now() < next && !isAwaited) {
        await pause(LOOK_AWAITED, undefined, { signal }).catch(() => undefined);
        continue;
      }
      try {
        await this.#step();
        if (this.#trouble !== undefined) this.#parts.log.write('info', 'The search cluster can be used again');
        this.#trouble = undefined;
      } catch (error) {
        if (signal.aborted) return;
        const reason = reasonOf(error);
        if (reason !== this.#trouble)
          this.#parts.log.write('error', 'The search cluster cannot be used; trying again', { error });
        this.#trouble = reason;
      }
      for (const term of this.#terms) term.follow();
      if (isAwaited) await pause(LOOK_AWAITED, undefined, { signal }).catch(() => undefined);
      next = performance.now() + LOOK;
    }
  }

  /** Looks at the cluster, and leads the indexes that nobody leads. */
  async #step(): Promise<void> {
    const { client, kind, layout, prefix, wanted } = this.#parts;
    if (!this.#isChecked) {
      await checkCluster(client, prefix, layout.scores, kind);
      this.#isChecked = true;
    }
    for (const term of this.#terms) if (term.isOver) await this.#endTerm(term);
    const before = this.#terms.map((term) => ({ term, noted: term.positions, published: term.published }));
    const look = await this.served.look();
    for (const { noted, published, term } of before) {
      // What was read before an index was replaced says nothing.
      if (term.published === published) term.watch(look, noted);
    }
    this.#reach();
    await this.#lead(
      wanted.map((index) => ({ index, definition: this.#definitionOf(index), isFormer: false })),
      look,
    );
    await this.#leadFormer(look);
    this.#tidy();
  }

  /**
   * While this server builds an index, goes on with the generation of an older definition that may be searched meanwhile, where no living
   * server needs it: it would show what is deleted or hidden from now on.
   */
  async #leadFormer(look: Look): Promise<void> {
    const { served } = this;
    const candidates = this.#parts.wanted.flatMap((index) => {
      const definition = served.former.get(index.name)?.definition;
      return definition === undefined || !this.#termOf(index) ? [] : [{ index, definition, isFormer: true }];
    });
    const former = this.#terms.filter(({ led }) => led.some(({ isFormer }) => isFormer));
    if (candidates.length === 0 && former.length === 0) return;
    const used = await this.#used();
    for (const term of former) {
      const isDone = term.led.every(({ index }) => served.get(index.name)?.isCurrent === true);
      // A server that needs it has come back, and leads it itself.
      if (isDone || term.isIdle || term.led.some(({ definition }) => used.has(definition))) term.end();
    }
    await this.#lead(
      candidates.filter(({ definition }) => !used.has(definition)),
      look,
    );
  }

  /** Leads those of the indexes that nobody leads. */
  async #lead(wanted: readonly Omit<LedIndex, 'epoch'>[], { epoch: seen }: Look): Promise<void> {
    const isLed = (definition: string): boolean =>
      this.#terms.some(({ led }) => led.some((each) => each.definition === definition));
    const leases = this.#leases;
    const free = wanted.filter(({ definition }) => !isLed(definition) && this.#pauses.mayBegin(definition));
    if (leases === undefined || free.length === 0) return;
    const taken = await leases.acquire(
      free.map(({ definition }) => definition),
      seen + 1,
    );
    const led = free.flatMap((each): readonly LedIndex[] => {
      const epoch = taken.get(each.definition);
      return epoch === undefined ? [] : [{ ...each, epoch }];
    });
    // Another application that takes one of the indexes again and again ends its term, and not that of the others.
    const { false: calm = [], true: troubled = [] } = Object.groupBy(led, ({ definition }) =>
      this.#pauses.isTroubled(definition) ? 'true' : 'false',
    );
    try {
      for (const group of [calm, ...troubled.map((each) => [each])])
        if (group.length > 0) await this.#begin(leases, group);
    } finally {
      await leases.release(led.map(({ definition }) => definition).filter((definition) => !isLed(definition)));
    }
  }

  async #begin(leases: IndexerLeases, led: readonly LedIndex[]): Promise<void> {
    const { client, graph, layout, log, settings, source } = this.#parts;
    const begin = performance.now();
    const definitions = led.map(({ definition }) => definition);
    log.write('info', 'This server writes to the search cluster', { indexes: definitions.join(', ') });
    const term = new ClusterTerm({
      graph,
      client,
      generations: this.#generations,
      served: this.served,
      source,
      led,
      settings,
      layout,
      readerName: this.readerName,
      searchable: this.#searchable,
      database: leases.database,
      leads: ({ definition, epoch }) => leases.isHeld(definition, epoch),
      onReach: () => this.#reach(),
      onEnd: () => this.#pauses.ended(definitions, performance.now() - begin),
      log,
    });
    this.#terms = [...this.#terms, term];
    try {
      this.#stopping.signal.throwIfAborted();
      await term.takeOver();
    } catch (error) {
      term.end();
      await this.#endTerm(term);
      throw error;
    }
  }

  async #endTerm(term: ClusterTerm): Promise<void> {
    await term.stop();
    this.#terms = this.#terms.filter((each) => each !== term);
    // A database that does not answer takes the rows back by itself.
    await this.#leases?.release(term.led.map(({ definition }) => definition)).catch(() => undefined);
  }

  #reach(): void {
    const { position } = this.served;
    if (position === undefined) return;
    if (position < this.#searchable.position) this.#searchable.goBack(position);
    else this.#searchable.reach(position);
  }

  async #renew(): Promise<void> {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    await this.#leases?.renew().catch(() => undefined);
    this.#isRenewing = false;
    for (const term of this.#terms) if (!term.leads) term.end();
  }

  #tidy(): void {
    const leases = this.#leases;
    if (leases === undefined || this.#terms.length === 0 || performance.now() < this.#tidyAt) return;
    this.#tidyAt = Infinity;
    const written = new Map(this.#terms.flatMap((term) => [...term.written]));
    this.#tidying = this.#unused.drop(leases, written).then(() => void (this.#tidyAt = performance.now() + TIDY));
  }

  /** The definitions that living servers search. */
  async #used(): Promise<ReadonlySet<string>> {
    const { fleet, wanted } = this.#parts;
    const start = this.#generations.searchAlias('');
    const others = [...((await fleet?.usedIndexes()) ?? [])].filter((alias) => alias.startsWith(start));
    return new Set([
      ...wanted.map((index) => this.#definitionOf(index)),
      ...others.map((alias) => alias.slice(start.length)),
    ]);
  }

  /** Name of the reader of the feed for a definition. */
  readonly readerName = (definition: string): string => `cluster-${this.#generations.searchAlias(definition)}`;

  #definitionOf(index: SchemaIndex): string {
    return definitionName(index, this.#parts.layout);
  }

  /** The term of this server in which it leads an index of its schema. */
  #termOf({ name }: SchemaIndex): ClusterTerm | undefined {
    return this.#terms.find(
      ({ isOver, led }) => !isOver && led.some(({ index, isFormer }) => index.name === name && !isFormer),
    );
  }

  #unlessStalled<T>(work: Promise<T>): Promise<T> {
    return unlessStalled(work, this.#parts.client, () => troubleOf(this.#terms));
  }

  /** @throws ProductError SERVER_CLUSTER_UNREACHABLE, SERVER_CLUSTER_LED where another server leads, SERVER_INDEX_FAILED */
  async #requireTerm(index: SchemaIndex): Promise<ClusterTerm> {
    await this.#parts.client.json({ method: 'GET', path: '/', isRepeatable: true, within: SILENCE });
    const definition = this.#definitionOf(index);
    for (const until = performance.now() + SILENCE; ;) {
      const term = this.#termOf(index);
      if (term !== undefined) return term;
      const leader = await this.#leases?.otherHolder(definition);
      if (leader !== undefined) throw serverErrors.create('SERVER_CLUSTER_LED', { index: index.name, leader });
      if (performance.now() > until || this.#stopping.signal.aborted) break;
      // The next term begins within seconds.
      await pause(LOOK_AWAITED);
    }
    throw serverErrors.create('SERVER_INDEX_FAILED', { reason: this.#trouble ?? 'this server does not write yet' });
  }
}
