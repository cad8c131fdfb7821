// Sync of indexes on a cluster. For each definition of an index one of the servers that share the database leads: it writes. The others
// read from the cluster how far it has come. A server without a cluster goes on without searches, and tries again.
import { setTimeout as pause } from 'node:timers/promises';

import { isProductError, type Log, reasonOf } from '@lockstitch/kernel';
import type { Graph } from '@lockstitch/graph';
import type { Absence } from '@lockstitch/search/cluster';

import type { ResolvedConfig } from '../config/config.ts';
import { serverErrors } from '../errors.ts';
import type { OnBuild } from '../sync/build-index.ts';
import type { CopiedIndexes } from '../sync/copy-indexes.ts';
import type { DocumentSource } from '../sync/document-source.ts';
import type { SchemaIndex } from '../sync/schema-index.ts';
import type { Fleet } from '../fleet/server-registry.ts';
import { createSearchablePosition } from '../sync/searchable-position.ts';
import { aheadOf, selectIndexes } from '../sync/select-indexes.ts';
import type { IndexAhead, RebuildReport, Sync } from '../sync/sync.ts';
import type { SyncStatus } from '../sync/sync-status.ts';
import type { VerifyOptions, VerifyReport } from '../sync/verify-index.ts';
import { LATE, within } from '../within.ts';
import { type ClusterKind, checkCluster } from './check-cluster.ts';
import { type ClusterClient, SILENCE } from './cluster-client.ts';
import { ClusterStatus, troubleOf } from './cluster-status.ts';
import type { ClusterTerm } from './cluster-term.ts';
import { Generations } from './generations.ts';
import { type ClusterLayout, definitionName, isDefinitionOf } from './index-definition.ts';
import { Leadership } from './leadership.ts';
import { ServedIndexes } from './served-indexes.ts';
import { unlessStalled } from './unless-stalled.ts';

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
const LOOK_IN_DOUBT = 250;
/** Milliseconds after which a start no longer waits for what somebody may have left who was killed; 4 s are enough in this database. */
const DOUBT = 6000;
/** Milliseconds that work under way may take to end at a stop, before its connections are ended. */
const CLOSING = 3000;

const TAKEN: Absence = {
  reason: 'another application uses the prefix of the indexes of this one',
  hint: 'Give this application a prefix of its own (SEARCH_PREFIX), or stop the other one: this one goes on within 20 seconds then. Its log names the prefix.',
};

/** Failures that pass: the server starts without searches. */
const PASSING: ReadonlySet<string> = new Set([
  'SERVER_CLUSTER_BEHIND',
  'SERVER_CLUSTER_BUSY',
  'SERVER_CLUSTER_FENCED',
  'SERVER_CLUSTER_REFUSED',
  'SERVER_CLUSTER_STALLED',
  'SERVER_CLUSTER_TAKEN',
  'SERVER_CLUSTER_UNREACHABLE',
]);

export class ClusterSync implements Sync {
  readonly served: ServedIndexes;
  readonly #parts: ClusterSyncParts;
  readonly #generations: Generations;
  readonly #status: ClusterStatus;
  readonly #leadership: Leadership;
  readonly #searchable = createSearchablePosition();
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #isChecked = false;
  #trouble: string | undefined;

  constructor(parts: ClusterSyncParts) {
    const { client, graph, layout, prefix, wanted } = parts;
    this.#parts = parts;
    const generations = new Generations(client, prefix);
    this.#generations = generations;
    const { feed } = graph;
    const followed = (): Promise<ReadonlySet<string>> => this.#leadership.followed();
    const served = new ServedIndexes({
      generations,
      feed,
      wanted,
      layout,
      followed,
      isTaken: () => this.#leadership.isTaken,
    });
    this.served = served;
    this.#status = new ClusterStatus({ graph, client, served, wanted, layout });
    const onReach = (): void => this.#reach();
    this.#leadership = new Leadership({ ...parts, generations, served, searchable: this.#searchable, onReach });
  }

  async start(onBuild: OnBuild, rebuild: readonly string[] = []): Promise<void> {
    const { fleet, layout, log, wanted } = this.#parts;
    // Before the first search: nobody drops what is searched then.
    await fleet?.useIndexes(wanted.map((index) => this.#generations.searchAlias(definitionName(index, layout))));
    await this.#open();
    const first = this.#firstSteps();
    try {
      await this.#unlessStalled(first);
      const starting = this.#leadership.terms.map((term) => term.start(onBuild, rebuild));
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

  /** Reads the identity of the database. */
  async #open(): Promise<string> {
    const database = await this.#leadership.open();
    this.served.database = database;
    return database;
  }

  async ahead(): Promise<IndexAhead | undefined> {
    const databasePosition = await this.#parts.graph.feed.head();
    const database = await this.#open();
    // Without the cluster nothing is known, and nothing of it is overwritten.
    const look = await within(this.served.look(), SILENCE).catch((): typeof LATE => LATE);
    if (look === LATE) return undefined;
    const positions = [...look.published].flatMap(([definition, generation]) => {
      const index = this.#parts.wanted.find((each) => isDefinitionOf(each, definition))?.name;
      const at = look.positions.get(generation);
      // What another database has built says nothing of this one.
      if (index === undefined || at?.database !== database) return [];
      return [{ index, indexPosition: at.position }];
    });
    return aheadOf(positions, databasePosition);
  }

  get position(): number {
    return this.#searchable.position;
  }

  waitFor(position: number, timeout: number): Promise<boolean> {
    return this.#searchable.waitFor(position, timeout);
  }

  /** Why nothing is searched; undefined where it lies with an index. */
  get absence(): Absence | undefined {
    return this.#leadership.isTaken ? TAKEN : undefined;
  }

  async status(): Promise<SyncStatus> {
    const isRunning = this.#running !== undefined;
    // Before the start nothing has been looked at, and sizes are those of what is served.
    const look = isRunning ? LATE : await within(this.served.look(), SILENCE).catch((): typeof LATE => LATE);
    const position = look === LATE ? this.#searchable.position : (this.served.position ?? 0);
    const terms = this.#leadership.terms.filter(({ isOver }) => !isOver);
    return this.#status.read({ isRunning, position, terms, trouble: this.#trouble });
  }

  schemaIndex(name: string): SchemaIndex | undefined {
    return this.#parts.wanted.find((index) => index.name === name);
  }

  select(names: readonly string[]): readonly SchemaIndex[] {
    return selectIndexes(this.#parts.wanted, names);
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
    this.#leadership.end();
    this.#searchable.end();
    const ended = this.#end();
    if ((await within(ended, CLOSING)) !== LATE) return;
    // What is under way waits for a cluster that says nothing.
    this.#parts.client.close();
    await ended;
  }

  async #end(): Promise<void> {
    await this.#running;
    await this.#leadership.close();
  }

  /** Deletes the indexes, after `close`. */
  async discard(): Promise<void> {
    for (const index of this.#parts.wanted)
      for (const { name } of await this.#generations.all(definitionName(index, this.#parts.layout)))
        await this.#generations.drop(name);
    await this.#generations.control.drop();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let next = performance.now() + LOOK;
    while (!signal.aborted) {
      // A server that leads knows how far it is.
      const isAwaited =
        this.#searchable.isAwaited && this.#parts.wanted.some((index) => !this.#leadership.termOf(index));
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
      for (const term of this.#leadership.terms) term.follow();
      if (isAwaited) await pause(LOOK_AWAITED, undefined, { signal }).catch(() => undefined);
      next = performance.now() + LOOK;
    }
  }

  /** The first step; while searches lack an index, others until it is known who uses the prefix. */
  async #firstSteps(): Promise<void> {
    const until = performance.now() + DOUBT;
    for (;;) {
      await this.#step();
      const lacks = this.#parts.wanted.some(({ name }) => this.served.get(name) === undefined);
      if (!lacks || !this.#leadership.isInDoubt || performance.now() > until || this.#stopping.signal.aborted) return;
      await pause(LOOK_IN_DOUBT);
    }
  }

  /** Looks at the cluster, and leads the indexes that nobody leads. */
  async #step(): Promise<void> {
    const { client, kind, layout, prefix } = this.#parts;
    if (!this.#isChecked) {
      await checkCluster(client, prefix, layout.scores, kind);
      this.#isChecked = true;
    }
    await this.#leadership.endOver();
    const before = this.#leadership.terms.map((term) => ({ term, noted: term.positions, published: term.published }));
    const look = await this.served.look();
    await this.#leadership.see(look.claim);
    if (this.#leadership.isTaken) {
      this.served.clear();
      this.#leadership.endTerms();
      throw serverErrors.create('SERVER_CLUSTER_TAKEN', { prefix });
    }
    for (const { noted, published, term } of before) {
      // What was read before an index was replaced says nothing.
      if (term.published === published) term.watch(look, noted);
    }
    this.#reach();
    await this.#leadership.take(look.epoch + 1);
  }

  #reach(): void {
    const { position } = this.served;
    if (position === undefined) return;
    if (position < this.#searchable.position) this.#searchable.goBack(position);
    else this.#searchable.reach(position);
  }

  #unlessStalled<T>(work: Promise<T>): Promise<T> {
    return unlessStalled(work, this.#parts.client, () => troubleOf(this.#leadership.terms));
  }

  /** @throws ProductError SERVER_CLUSTER_UNREACHABLE, SERVER_CLUSTER_LED where another server leads, SERVER_INDEX_FAILED */
  async #requireTerm(index: SchemaIndex): Promise<ClusterTerm> {
    await this.#parts.client.json({ method: 'GET', path: '/', isRepeatable: true, within: SILENCE });
    for (const until = performance.now() + DOUBT; ;) {
      const term = this.#leadership.termOf(index);
      if (term !== undefined) return term;
      const leader = await this.#leadership.otherLeader(index);
      if (leader !== undefined) throw serverErrors.create('SERVER_CLUSTER_LED', { index: index.name, leader });
      if (performance.now() > until || this.#stopping.signal.aborted) break;
      // The next term begins within seconds.
      await pause(LOOK_AWAITED);
    }
    throw serverErrors.create('SERVER_INDEX_FAILED', { reason: this.#trouble ?? 'this server does not write yet' });
  }
}
