// Which indexes on a cluster this server leads: what nobody leads it takes, in terms, and what it needs no more it gives back.
import { reasonOf } from '@lockstitch/kernel';

import type { SchemaIndex } from '../sync/schema-index.ts';
import { type IndexerLeases, openIndexerLeases } from '../fleet/indexer-lease.ts';
import type { Fleet } from '../fleet/server-registry.ts';
import { ClusterTerm, type ClusterTermParts } from './cluster-term.ts';
import { definitionName } from './index-definition.ts';
import type { NotedClaim } from './control-index.ts';
import type { LedIndex } from './led-index.ts';
import { PrefixClaim } from './prefix-claim.ts';
import { TermPauses } from './term-pauses.ts';
import { UnusedGenerations } from './unused-generations.ts';
import { Vacancies } from './vacancies.ts';

export interface LeadershipParts extends Omit<ClusterTermParts, 'database' | 'leads' | 'led' | 'onEnd' | 'readerName'> {
  /** Prefix of the names of all indexes and aliases. */
  readonly prefix: string;
  readonly wanted: readonly SchemaIndex[];
  /** Where several servers share the database. */
  readonly fleet: Fleet | undefined;
}

/** Milliseconds between two renewals of the leases. */
const RENEW = 1500;
/** Milliseconds for which a server that leads nothing leaves an index to one that leads others of its indexes. */
const HOLD_BACK = 3000;
/** Milliseconds between two looks for what nobody uses any more. */
const TIDY = 10_000;

export class Leadership {
  readonly #parts: LeadershipParts;
  readonly #unused: UnusedGenerations;
  readonly #pauses = new TermPauses();
  readonly #vacancies = new Vacancies();
  readonly #renewing: NodeJS.Timeout;
  #leases: IndexerLeases | undefined;
  #claim: PrefixClaim | undefined;
  #isRenewing = false;
  /** Why the leases could not be renewed last. */
  #unrenewed: string | undefined;
  #isEnded = false;
  #all: readonly ClusterTerm[] = [];
  #tidying: Promise<void> = Promise.resolve();
  #tidyAt = 0;

  constructor(parts: LeadershipParts) {
    const { generations, graph, log } = parts;
    this.#parts = parts;
    const used = (): Promise<ReadonlySet<string>> => this.#used();
    const readerName = this.#readerName;
    this.#unused = new UnusedGenerations({ generations, feed: graph.feed, used, readerName, log });
    this.#renewing = setInterval(() => void this.#renew(), RENEW).unref();
  }

  /** Opens the table of leaders; returns the identity of the database. */
  async open(): Promise<string> {
    const { fleet, graph, prefix } = this.#parts;
    this.#leases ??= await openIndexerLeases({ store: graph.store, prefix, server: fleet?.server });
    const leases = this.#leases;
    const { generations, layout } = this.#parts;
    this.#claim ??= new PrefixClaim({ control: generations.control, replicas: layout.replicas, leases });
    return leases.database;
  }

  /** Takes note of the claim that the cluster has, one look after the other. */
  async see(claim: NotedClaim | undefined): Promise<void> {
    await this.#claim?.see(claim);
  }

  /** Whether another application uses the prefix. */
  get isTaken(): boolean {
    return this.#claim?.isTaken === true;
  }

  /** Whether another application may use the prefix: this server leads nothing before that is known. */
  get isInDoubt(): boolean {
    return this.#claim?.isInDoubt === true;
  }

  /** Terms of this server, also those that have ended and are to be stopped. */
  get terms(): readonly ClusterTerm[] {
    return this.#all;
  }

  /** The term of this server in which it leads an index of its schema. */
  termOf({ name }: SchemaIndex): ClusterTerm | undefined {
    return this.#all.find(
      ({ isOver, led }) => !isOver && led.some(({ index, isFormer }) => index.name === name && !isFormer),
    );
  }

  /** Every definition that a living server follows the feed with. */
  async followed(): Promise<ReadonlySet<string>> {
    return (await this.#leases?.followed()) ?? new Set();
  }

  /** Name of another server that leads an index of the schema. */
  async otherLeader(index: SchemaIndex): Promise<string | undefined> {
    return this.#leases?.otherHolder(this.#definitionOf(index));
  }

  /** Stops the terms that have ended. */
  async endOver(): Promise<void> {
    for (const term of this.#all) if (term.isOver) await this.#endTerm(term);
  }

  /** Takes over what nobody leads. @param atLeast the smallest epoch of a new term */
  async take(atLeast: number): Promise<void> {
    const own = this.#parts.wanted.map((index) => ({ index, definition: this.#definitionOf(index), isFormer: false }));
    const free = await this.#free(own.map(({ definition }) => definition));
    await this.#lead(
      own.filter(({ definition }) => free.has(definition)),
      atLeast,
    );
    await this.#leadFormer(atLeast);
    this.#tidy();
  }

  /** Ends every term, without waiting for it. */
  end(): void {
    this.#isEnded = true;
    clearInterval(this.#renewing);
    this.endTerms();
  }

  /** Ends the present terms, without waiting for them. */
  endTerms(): void {
    for (const term of this.#all) term.end();
  }

  /** Stops every term, after `end`. Another server need not wait for the end of a lease then. */
  async close(): Promise<void> {
    await this.#tidying;
    for (const term of this.#all) await this.#endTerm(term);
  }

  /**
   * While this server builds an index, goes on with the generation of an older definition that may be searched meanwhile, where no living
   * server needs it: it would show what is deleted or hidden from now on.
   */
  async #leadFormer(atLeast: number): Promise<void> {
    const { served, wanted } = this.#parts;
    const candidates = wanted.flatMap((index) => {
      const definition = served.formerOf(index.name)?.definition;
      return definition === undefined || !this.termOf(index) ? [] : [{ index, definition, isFormer: true }];
    });
    const former = this.#former;
    if (candidates.length === 0 && former.length === 0) return;
    const used = await this.#used();
    for (const term of former) {
      const isDone = term.led.every(({ index }) => served.get(index.name)?.isCurrent === true);
      if (isDone || term.isIdle) term.end();
    }
    this.#leaveTo(used);
    await this.#lead(
      candidates.filter(({ definition }) => !used.has(definition)),
      atLeast,
    );
    // Once more, after the mark is written and before the first document (ADR 0060): a server of that schema may have come meanwhile.
    if (this.#former.length > 0) this.#leaveTo(await this.#used());
  }

  get #former(): readonly ClusterTerm[] {
    return this.#all.filter(({ isOver, led }) => !isOver && led.some(({ isFormer }) => isFormer));
  }

  /** Ends the terms over what a server needs that has come back, and leads it itself. */
  #leaveTo(used: ReadonlySet<string>): void {
    for (const term of this.#former) if (term.led.some(({ definition }) => used.has(definition))) term.end();
  }

  /** Definitions that nobody leads. What was led before is left for a while to the server that leads the others: one writer is easier to operate. */
  async #free(definitions: readonly string[]): Promise<ReadonlySet<string>> {
    const leases = this.#leases;
    if (leases === undefined) return new Set();
    const isAllLed = definitions.every((definition) => this.#isLed(definition));
    // A server that leads all need not ask.
    const followed = isAllLed ? new Set(definitions) : await leases.followed();
    const free = definitions.filter((definition) => !followed.has(definition));
    const now = performance.now();
    this.#vacancies.note(free, now);
    if (this.#all.length > 0 || free.length === definitions.length || free.length === 0) return new Set(free);
    const known = new Set(await leases.definitions());
    return new Set(
      free.filter((definition) => !known.has(definition) || this.#vacancies.lasting(definition, now) >= HOLD_BACK),
    );
  }

  #isLed(definition: string): boolean {
    return this.#all.some(({ led }) => led.some((each) => each.definition === definition));
  }

  /** Leads those of the indexes that nobody leads. */
  async #lead(wanted: readonly Omit<LedIndex, 'epoch'>[], atLeast: number): Promise<void> {
    const leases = this.#leases;
    const free = wanted.filter(({ definition }) => !this.#isLed(definition) && this.#pauses.mayBegin(definition));
    if (leases === undefined || free.length === 0 || this.#isEnded) return;
    if ((await this.#claim?.take()) !== true) return;
    const taken = await leases.acquire(
      free.map(({ definition }) => definition),
      atLeast,
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
      await leases.release(led.map(({ definition }) => definition).filter((definition) => !this.#isLed(definition)));
      if (this.#all.length === 0) await this.#claim?.release().catch(() => undefined);
    }
  }

  async #begin(leases: IndexerLeases, led: readonly LedIndex[]): Promise<void> {
    const begin = performance.now();
    const definitions = led.map(({ definition }) => definition);
    this.#parts.log.write('info', 'This server writes to the search cluster', { indexes: definitions.join(', ') });
    const term = new ClusterTerm({
      ...this.#parts,
      led,
      readerName: this.#readerName,
      database: leases.database,
      leads: ({ definition, epoch }) => leases.isHeld(definition, epoch),
      onEnd: () => this.#pauses.ended(definitions, performance.now() - begin),
    });
    this.#all = [...this.#all, term];
    try {
      await term.takeOver();
    } catch (error) {
      term.end();
      await this.#endTerm(term);
      throw error;
    }
  }

  async #endTerm(term: ClusterTerm): Promise<void> {
    await term.stop();
    this.#all = this.#all.filter((each) => each !== term);
    // Before the rows: without them the next leader takes the claim for that of somebody who may live.
    if (this.#all.length === 0) await this.#claim?.release().catch(() => undefined);
    // A database that does not answer takes the rows back by itself.
    await this.#leases?.release(term.led.map(({ definition }) => definition)).catch(() => undefined);
  }

  async #renew(): Promise<void> {
    // First: a database that does not answer, or a process that was stopped, has lost the rows before anybody is told.
    this.#endLost();
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    try {
      await this.#leases?.renew();
      this.#unrenewed = undefined;
    } catch (error) {
      this.#unrenewed = reasonOf(error);
    } finally {
      this.#isRenewing = false;
    }
    this.#endLost();
    // A term that has ended may take long to stop: to the other servers its renewals would be those of another application.
    // A cluster that does not answer fails the work that needs it, and is reported there.
    if (this.#all.some((term) => !term.isOver && term.leads)) await this.#claim?.renew().catch(() => undefined);
  }

  #endLost(): void {
    for (const term of this.#all) {
      if (term.leads || term.isOver) continue;
      const indexes = term.led.map(({ definition }) => definition).join(', ');
      const reason = this.#unrenewed ?? 'another server may have it, since it was not renewed in time';
      this.#parts.log.write('warn', 'This server no longer writes to the search cluster', { indexes, reason });
      term.end();
    }
  }

  #tidy(): void {
    const leases = this.#leases;
    if (leases === undefined || this.#all.length === 0 || performance.now() < this.#tidyAt) return;
    this.#tidyAt = Infinity;
    const written = new Map(this.#all.flatMap((term) => [...term.written]));
    this.#tidying = this.#unused.drop(leases, written).then(() => void (this.#tidyAt = performance.now() + TIDY));
  }

  /** The definitions that living servers search. */
  async #used(): Promise<ReadonlySet<string>> {
    const { fleet, generations, wanted } = this.#parts;
    const start = generations.searchAlias('');
    const others = [...((await fleet?.usedIndexes()) ?? [])].filter((alias) => alias.startsWith(start));
    return new Set([
      ...wanted.map((index) => this.#definitionOf(index)),
      ...others.map((alias) => alias.slice(start.length)),
    ]);
  }

  /** Name of the reader of the feed for a definition. */
  readonly #readerName = (definition: string): string => `cluster-${this.#parts.generations.searchAlias(definition)}`;

  #definitionOf(index: SchemaIndex): string {
    return definitionName(index, this.#parts.layout);
  }
}
