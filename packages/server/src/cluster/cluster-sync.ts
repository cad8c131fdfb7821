// Sync of indexes on a cluster. One of the servers that share the database leads: it writes. The others read from the cluster how far it
// has come. A server without a cluster goes on without searches, and tries again.
import { setTimeout as pause } from 'node:timers/promises';

import { didYouMean, isProductError, type Log, reasonOf } from '@lockstitch/kernel';
import type { Graph } from '@lockstitch/graph';

import type { ResolvedConfig } from '../config/config.ts';
import { serverErrors } from '../errors.ts';
import { type IndexerLease, openIndexerLease } from '../fleet/indexer-lease.ts';
import type { OnBuild } from '../sync/build-index.ts';
import type { CopiedIndexes } from '../sync/copy-indexes.ts';
import type { DocumentSource } from '../sync/document-source.ts';
import type { SchemaIndex } from '../sync/schema-index.ts';
import type { Fleet } from '../fleet/server-registry.ts';
import { createSearchablePosition } from '../sync/searchable-position.ts';
import type { IndexAhead, RebuildReport, Sync } from '../sync/sync.ts';
import { findHead, type IndexStatus, readLag, type SyncStatus } from '../sync/sync-status.ts';
import type { VerifyOptions, VerifyReport } from '../sync/verify-index.ts';
import { LATE, within } from '../within.ts';
import { type ClusterKind, checkCluster } from './check-cluster.ts';
import type { ClusterClient } from './cluster-client.ts';
import { ClusterTerm } from './cluster-term.ts';
import { Generations } from './generations.ts';
import { type ClusterLayout, ServedIndexes } from './served-indexes.ts';
import { SILENCE, unlessStalled } from './unless-stalled.ts';

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
/** Milliseconds between two renewals of the lease. */
const RENEW = 1500;
/** Milliseconds that sizes may take to be read. */
const SIZES_WAIT = 500;
/** Milliseconds that work under way may take to end at a stop, before its connections are ended. */
const CLOSING = 3000;
/** Milliseconds that a term must last, not to be followed by a longer and longer pause. */
const LASTING = 60_000;
const LONGEST_PAUSE = 300_000;
/** Milliseconds that servers of a former schema search what nobody writes any more: the time of a deploy. */
const LONGEST_BEHIND = 300_000;

const SILENT = 'The search cluster does not answer.';

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
  readonly #searchable = createSearchablePosition();
  readonly #stopping = new AbortController();
  #lease: IndexerLease | undefined;
  #renewing: NodeJS.Timeout | undefined;
  #isRenewing = false;
  #term: ClusterTerm | undefined;
  #running: Promise<void> | undefined;
  #isChecked = false;
  #trouble: string | undefined;
  #sizes: ReadonlyMap<string, Pick<IndexStatus, 'bytes' | 'documents'>> = new Map();
  /** Terms that ended early, one after the other, and when the next may begin. */
  #early = 0;
  #notBefore = 0;

  constructor(parts: ClusterSyncParts) {
    const { client, graph, layout, prefix, wanted } = parts;
    this.#parts = parts;
    this.#generations = new Generations(client, prefix);
    const { feed } = graph;
    const longestBehind = LONGEST_BEHIND;
    this.served = new ServedIndexes({ generations: this.#generations, feed, wanted, layout, longestBehind });
  }

  async start(onBuild: OnBuild, rebuild: readonly string[] = []): Promise<void> {
    const { fleet, log } = this.#parts;
    // Before the first search: nobody drops what is searched then.
    await fleet?.useIndexes(this.served.fingerprint);
    await this.#openLease();
    this.#renewing = setInterval(() => void this.#renew(), RENEW).unref();
    const first = this.#step(onBuild, rebuild);
    try {
      await this.#unlessStalled(first);
      if (rebuild.length > 0) await this.#requireTerm();
    } catch (error) {
      if (!isProductError(error) || !PASSING.has(error.code) || rebuild.length > 0) {
        await this.close();
        throw error;
      }
      this.#trouble = reasonOf(error);
      log.write('error', 'Search is unavailable until the search cluster can be used; trying again', { error });
    }
    // After a stall, what it began goes on.
    this.#running = first.catch(() => undefined).then(() => this.#run());
  }

  async #openLease(): Promise<IndexerLease> {
    const { fleet, graph, prefix } = this.#parts;
    const parts = { store: graph.store, name: `search:${prefix}`, server: fleet?.server };
    this.#lease ??= await openIndexerLease(parts);
    this.served.database = this.#lease.database;
    return this.#lease;
  }

  async ahead(): Promise<IndexAhead | undefined> {
    const databasePosition = await this.#parts.graph.feed.head();
    const { database } = await this.#openLease();
    // Without the cluster nothing is known, and nothing of it is overwritten.
    const look = await within(this.served.look(), SILENCE).catch(() => LATE);
    if (look === LATE) return undefined;
    const { positions } = look as Awaited<ReturnType<ServedIndexes['look']>>;
    const furthest = [...positions]
      // What another database has built says nothing of this one.
      .filter(([, at]) => at.database === database)
      .map(([index, { position }]) => ({ index, indexPosition: position, databasePosition }))
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
    const { graph, wanted } = this.#parts;
    const term = this.#term;
    // Before the start nothing has been looked at, and sizes are those of what is served.
    const look = this.#running === undefined ? within(this.served.look(), SILENCE) : undefined;
    const seen = await look?.catch((): typeof LATE => LATE);
    const sizes = await within(this.#readSizes(), SIZES_WAIT).catch((): undefined => undefined);
    if (sizes !== LATE && sizes !== undefined) this.#sizes = sizes;
    const isAway = sizes === undefined || this.#parts.client.silence > SILENCE;
    const position = seen === undefined || seen === LATE ? this.#searchable.position : (this.served.position ?? 0);
    const head = await findHead(graph.feed, { applied: term?.applied ?? position, position });
    const lag = await readLag({ ...graph, hasIndexes: wanted.length > 0 }, head, position);
    return {
      indexes: wanted.map((index) => {
        const { bytes = 0, documents = 0 } = this.#sizes.get(index.name) ?? {};
        const state = this.#stateOf(index, isAway);
        const building = term?.buildProgress(index);
        return { name: index.name, type: index.type, documents, bytes, state, building };
      }),
      position,
      committed: term?.committed ?? position,
      ...lag,
      trouble: this.#trouble ?? term?.trouble ?? lag.trouble ?? (isAway ? SILENT : undefined),
      leads: term !== undefined && !term.isOver,
    };
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
    const term = await this.#requireTerm();
    return this.#unlessStalled(term.rebuild(index, onBuild));
  }

  async verify(index: SchemaIndex, options: VerifyOptions): Promise<VerifyReport> {
    const term = await this.#requireTerm();
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
    this.#searchable.end();
    const ended = this.#end();
    if ((await within(ended, CLOSING)) !== LATE) return;
    // What is under way waits for a cluster that says nothing.
    this.#parts.client.close();
    await ended;
  }

  async #end(): Promise<void> {
    await this.#running;
    await this.#endTerm();
    // Another server need not wait for the end of the term then.
    await this.#lease?.release().catch(() => undefined);
  }

  /** Deletes the indexes, after `close`. */
  async discard(): Promise<void> {
    for (const { name } of this.#parts.wanted) {
      const named = (await this.#generations.look([name])).current.get(name);
      const all = [...(named === undefined ? [] : [named]), ...(await this.#generations.unused(name))];
      for (const generation of all)
        if (this.#generations.isOurs(name, generation)) await this.#generations.drop(generation);
    }
    await this.#generations.dropPositions();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let next = performance.now() + LOOK;
    while (!signal.aborted) {
      // A server that leads knows how far it is.
      const isAwaited = this.#searchable.isAwaited && this.#term === undefined;
      if (performance.now() < next && !isAwaited) {
        await pause(LOOK_AWAITED, undefined, { signal }).catch(() => undefined);
        continue;
      }
      try {
        await this.#step(() => undefined, []);
        if (this.#trouble !== undefined) this.#parts.log.write('info', 'The search cluster can be used again');
        this.#trouble = undefined;
      } catch (error) {
        if (signal.aborted) return;
        const reason = reasonOf(error);
        if (reason !== this.#trouble)
          this.#parts.log.write('error', 'The search cluster cannot be used; trying again', { error });
        this.#trouble = reason;
      }
      if (isAwaited) await pause(LOOK_AWAITED, undefined, { signal }).catch(() => undefined);
      next = performance.now() + LOOK;
    }
  }

  /** Looks at the cluster, and leads if nobody does. */
  async #step(onBuild: OnBuild, rebuild: readonly string[]): Promise<void> {
    const { client, kind, layout, prefix } = this.#parts;
    if (!this.#isChecked) {
      await checkCluster(client, prefix, layout.scores, kind);
      this.#isChecked = true;
    }
    if (this.#term?.isOver === true) await this.#endTerm();
    const { positions: noted, published } = this.#term ?? {};
    const look = await this.served.look();
    if (this.#term !== undefined) {
      // What was read before an index was replaced says nothing.
      if (this.#term.published === published && noted !== undefined) this.#term.watch(look, noted);
      return;
    }
    const { position } = this.served;
    if (position !== undefined) {
      if (position < this.#searchable.position) this.#searchable.goBack(position);
      else this.#searchable.reach(position);
    }
    if (performance.now() < this.#notBefore) return;
    const taken = await this.#lease?.acquire(look.epoch + 1, await this.#replaceable());
    if (taken !== undefined) await this.#lead(taken, onBuild, rebuild);
  }

  /**
   * Servers that give way to this one. They cannot build its indexes, and a balancer that waits for its searches would not end them.
   */
  async #replaceable(): Promise<readonly string[]> {
    const { fleet, wanted } = this.#parts;
    const lacksNone = wanted.every(({ name }) => this.served.get(name)?.isCurrent === true);
    return lacksNone || fleet === undefined ? [] : fleet.older();
  }

  async #lead(epoch: number, onBuild: OnBuild, rebuild: readonly string[]): Promise<void> {
    const { client, fleet, graph, layout, log, prefix, settings, source, wanted } = this.#parts;
    const begin = performance.now();
    const lease = this.#lease!;
    log.write('info', 'This server writes to the search cluster', { epoch });
    const backOff = (): void => {
      this.#early = performance.now() - begin > LASTING ? 0 : this.#early + 1;
      // Neither two applications that take the same indexes from each other, nor a build that fails, must do so all the time.
      this.#notBefore = performance.now() + Math.min(LOOK * 2 ** this.#early, LONGEST_PAUSE);
    };
    const term = new ClusterTerm({
      graph,
      client,
      generations: this.#generations,
      served: this.served,
      source,
      wanted,
      settings,
      layout,
      // One for all servers: they read on where the leader before was.
      readerName: `cluster-${prefix}`,
      searchable: this.#searchable,
      database: lease.database,
      epoch,
      isShared: async () => ((await fleet?.others()) ?? []).length > 0,
      leads: () => lease.epoch === epoch,
      onEnd: backOff,
      log,
    });
    this.#term = term;
    const stop = (): void => term.end();
    this.#stopping.signal.addEventListener('abort', stop, { once: true });
    try {
      await term.start(onBuild, rebuild);
    } catch (error) {
      if (!term.isOver) backOff();
      await this.#endTerm();
      throw error;
    }
  }

  async #endTerm(): Promise<void> {
    const term = this.#term;
    await term?.stop();
    this.#term = undefined;
  }

  async #renew(): Promise<void> {
    const term = this.#term;
    if (term === undefined || term.isOver || this.#isRenewing) return;
    this.#isRenewing = true;
    const isHeld = await this.#lease?.renew().catch(() => this.#lease?.epoch !== undefined);
    this.#isRenewing = false;
    // The next term may have begun meanwhile.
    if (isHeld === false) term.end();
  }

  #unlessStalled<T>(work: Promise<T>): Promise<T> {
    return unlessStalled(work, this.#parts.client, () => this.#term?.trouble);
  }

  /** @throws ProductError SERVER_CLUSTER_UNREACHABLE, SERVER_CLUSTER_LED where another server leads, SERVER_INDEX_FAILED */
  async #requireTerm(): Promise<ClusterTerm> {
    await this.#parts.client.json({ method: 'GET', path: '/', isRepeatable: true, within: SILENCE });
    for (const until = performance.now() + SILENCE; ;) {
      if (this.#term !== undefined && !this.#term.isOver) return this.#term;
      const leader = await this.#lease?.holder();
      if (leader !== undefined) throw serverErrors.create('SERVER_CLUSTER_LED', { leader });
      if (performance.now() > until || this.#stopping.signal.aborted) break;
      // The next term begins within seconds.
      await pause(LOOK_AWAITED);
    }
    throw serverErrors.create('SERVER_INDEX_FAILED', { reason: this.#trouble ?? 'this server does not write yet' });
  }

  #stateOf(index: SchemaIndex, isAway: boolean): IndexStatus['state'] {
    const served = this.served.get(index.name);
    if (served === undefined || isAway) return 'missing';
    if (this.#term?.isStale(index) === true) return 'stale';
    if (this.#term?.isRebuilding(index) === true) return 'rebuilding';
    return served.isCurrent ? 'current' : this.#running === undefined ? 'outdated' : 'stale';
  }

  /** By index. */
  async #readSizes(): Promise<ReadonlyMap<string, Pick<IndexStatus, 'bytes' | 'documents'>>> {
    const generations = this.#parts.wanted.flatMap(({ name }) => {
      const served = this.served.get(name);
      return served === undefined ? [] : ([[name, served.generation]] as const);
    });
    if (generations.length === 0) return new Map();
    const path = `/${generations.map(([, generation]) => generation).join(',')}/_stats/docs,store`;
    const { indices = {} } = (await this.#parts.client.json({ method: 'GET', path, isRepeatable: true })) as Stats;
    return new Map(
      generations.map(([name, generation]) => {
        const { primaries } = indices[generation] ?? {};
        return [name, { documents: primaries?.docs?.count ?? 0, bytes: primaries?.store?.size_in_bytes ?? 0 }];
      }),
    );
  }
}

interface Stats {
  readonly indices?: Readonly<
    Record<
      string,
      {
        readonly primaries?: {
          readonly docs?: { readonly count?: number };
          readonly store?: { readonly size_in_bytes?: number };
        };
      }
    >
  >;
}
