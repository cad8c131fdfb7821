// Writers and a searcher that keep account of what was acknowledged: each mutation creates, changes or deletes many notes.
import { setTimeout as sleep } from 'node:timers/promises';
import { AS_USER } from './app.ts';
import type { Balancer } from './balancer.ts';

export interface LoadOptions {
  readonly writers: number;
  /** Notes of one mutation. */
  readonly rows: number;
  /** Notes written a second by all writers together; 0: as many as they can. */
  readonly rate: number;
}

/** Of so many batches one is deleted again, and one changed. */
const DELETED = 5;
const CHANGED = 5;
/** Milliseconds after a failed request. */
const REST = 20;
/** Milliseconds between two searches. */
const SEARCH_PAUSE = 50;

const CREATE = 'mutation ($input: [CreateNoteInput!]!) { createNotes(input: $input) { id } }';
const UPDATE =
  'mutation ($ids: [ID!]!, $likes: Int) { updateNotes(where: { id: { in: $ids } }, input: { likes: $likes }) }';
const DELETE = 'mutation ($ids: [ID!]!) { deleteNotes(where: { id: { in: $ids } }) }';
const DELETE_TITLES = 'mutation ($titles: [String!]!) { deleteNotes(where: { title: { in: $titles } }) }';

interface Answered {
  readonly data?: Readonly<Record<string, unknown>> | null;
}

/** The load of the fleet, and what it knows of the data. */
export class Load {
  /** Titles of notes that were acknowledged, with their likes. */
  readonly acknowledged = new Map<string, number>();
  readonly deleted = new Set<string>();
  /** Titles that may be there or not: their request failed. */
  readonly unknown = new Set<string>();
  /** Rows created, changed and deleted, and requests for them. */
  rows = 0;
  mutations = 0;
  searches = 0;
  /** Requests that failed, whatever the fleet had to bear. */
  failures = 0;
  /** What failed while all was in order. */
  readonly faults: string[] = [];
  isOrderly = true;
  readonly #balancer: Balancer;
  readonly #options: LoadOptions;
  readonly #until = new AbortController();
  #work: readonly Promise<void>[] = [];
  #lastWrite = performance.now();
  #longestGap = 0;

  constructor(balancer: Balancer, options: LoadOptions) {
    this.#balancer = balancer;
    this.#options = options;
  }

  start(): void {
    const { writers } = this.#options;
    this.#lastWrite = performance.now();
    this.#work = [this.#search(), ...Array.from({ length: writers }, (_, writer) => this.#write(writer))];
  }

  async stop(): Promise<void> {
    this.#until.abort();
    await Promise.all(this.#work);
  }

  /** Milliseconds of the longest time without an acknowledged write since it was last asked. */
  takeLongestGap(): number {
    const gap = Math.max(this.#longestGap, performance.now() - this.#lastWrite);
    this.#longestGap = 0;
    return gap;
  }

  /** @throws Error for an answer that is no success: whether the mutation was done is then unknown */
  async mutate(query: string, variables: object): Promise<Readonly<Record<string, unknown>>> {
    const body = JSON.stringify({ query, variables });
    const { status, text } = await this.#balancer.send('/graphql', { method: 'POST', headers: AS_USER, body });
    const { data } = (status === 200 ? JSON.parse(text) : {}) as Answered;
    if (data === undefined || data === null || text.includes('"errors"'))
      throw new Error(`${status} ${text.slice(0, 200)}`);
    const now = performance.now();
    this.#longestGap = Math.max(this.#longestGap, now - this.#lastWrite);
    this.#lastWrite = now;
    this.mutations += 1;
    return data;
  }

  /** Deletes notes of these titles, of all writers. */
  async deleteNotes(titles: readonly string[]): Promise<void> {
    for (const title of titles) {
      this.unknown.add(title);
      this.acknowledged.delete(title);
    }
    while (!(await this.mutate(DELETE_TITLES, { titles }).catch(() => undefined))) await sleep(REST);
    for (const title of titles) {
      this.unknown.delete(title);
      this.deleted.add(title);
    }
  }

  async #write(writer: number): Promise<void> {
    const { rate, rows, writers } = this.#options;
    const { signal } = this.#until;
    const interval = rate === 0 ? 0 : (rows * writers * 1000) / rate;
    let next = performance.now() + Math.random() * interval;
    for (let batch = 0; !signal.aborted; batch++) {
      const wait = next - performance.now();
      if (wait > 0) await sleep(wait, undefined, { signal }).catch(() => undefined);
      next = Math.max(next + interval, performance.now() - interval);
      if (signal.aborted) return;
      const titles = Array.from({ length: rows }, (_, row) => `w${writer}n${batch}r${row}`);
      try {
        await this.#writeBatch(titles, batch);
      } catch (error) {
        for (const title of titles) {
          if (!this.deleted.has(title)) this.unknown.add(title);
          this.acknowledged.delete(title);
        }
        await this.#note('write', error);
      }
    }
  }

  async #writeBatch(titles: readonly string[], batch: number): Promise<void> {
    const input = titles.map((title) => ({ title, likes: 0, author: 'ada' }));
    const { createNotes } = await this.mutate(CREATE, { input });
    const ids = (createNotes as readonly { readonly id: string }[]).map(({ id }) => id);
    for (const title of titles) if (!this.#isOthers(title)) this.acknowledged.set(title, 0);
    this.rows += titles.length;
    if (batch % DELETED === 0) {
      await this.mutate(DELETE, { ids });
      for (const title of titles) {
        this.acknowledged.delete(title);
        this.deleted.add(title);
      }
      this.rows += titles.length;
    } else if (batch % CHANGED === 1) {
      await this.mutate(UPDATE, { ids, likes: batch });
      for (const title of titles) if (!this.#isOthers(title)) this.acknowledged.set(title, batch);
      this.rows += titles.length;
    }
  }

  /** Whether `deleteNotes` has taken it. */
  #isOthers(title: string): boolean {
    return this.unknown.has(title) || this.deleted.has(title);
  }

  async #search(): Promise<void> {
    while (!this.#until.signal.aborted) {
      try {
        const { status } = await this.#balancer.send('/notes/_search?q=title:w0n1r1', { headers: AS_USER });
        if (status !== 200) throw new Error(String(status));
        this.searches += 1;
        await sleep(SEARCH_PAUSE);
      } catch (error) {
        await this.#note('search', error);
      }
    }
  }

  /** What fails in order is a fault; what fails around others is expected. */
  async #note(what: string, error: unknown): Promise<void> {
    this.failures += 1;
    if (this.isOrderly) this.faults.push(`${what}: ${String(error)}`);
    await sleep(REST);
  }
}
