// Which of several servers writes to the indexes on a cluster: each definition of an index has a row in the database, and the holder of
// the row writes, as long as it renews it. Each new holder gets a larger number (epoch). Times are the database's and, for the holder,
// those of its own monotonic clock.
import { randomUUID } from 'node:crypto';

import type { Store } from '@lockstitch/graph';

import { createOwnTable } from './own-table.ts';

const TABLE = 'lockstitch_indexers';
/** The row that holds the identity of the database, and which server gave the claim of the prefix back last; no definition is called so. */
const IDENTITY = '';
/** Seconds after which a row that was not renewed may be taken. */
const TERM = 8;
/** Milliseconds that its holder may use of them. What it sent last and arrives later is refused by the cluster: the next holder takes its alias away. */
const OWN_TERM = 5000;

export interface IndexerLeasesParts {
  readonly store: Store;
  /** Of the names of all indexes: each prefix has rows of its own. */
  readonly prefix: string;
  /** Name of this server where others may hold rows; without others each row is taken from any holder. */
  readonly server: string | undefined;
}

/** The rows of one prefix, by definition of an index. */
export interface IndexerLeases {
  /** Identity of the database. */
  readonly database: string;
  /** Identity of this server. */
  readonly self: string;
  /** Whether this server is sure to hold the row with this epoch. */
  isHeld(definition: string, epoch: number): boolean;
  /**
   * Takes the rows that nobody holds; creates those that are missing.
   *
   * @param atLeast the smallest epoch that may be given
   * @returns the epochs of the rows that it got
   */
  acquire(definitions: readonly string[], atLeast: number): Promise<ReadonlyMap<string, number>>;
  /** Renews every row that this server holds. */
  renew(): Promise<void>;
  /** Every definition whose row a server holds, this one or another. */
  followed(): Promise<ReadonlySet<string>>;
  /** Identities of the servers that hold a row, this one or others. */
  holders(): Promise<ReadonlySet<string>>;
  /** Name of another server that holds a row. */
  otherHolder(definition: string): Promise<string | undefined>;
  /** Every definition that has a row. */
  definitions(): Promise<readonly string[]>;
  /** Gives rows back. */
  release(definitions: readonly string[]): Promise<void>;
  /** Notes that this server has given the claim of the prefix back on which it wrote this number last. */
  giveBack(beat: number): Promise<void>;
  /** Whether a server of this database, and not of a copy, has given a claim back. */
  isGivenBack(claim: { readonly holder: string; readonly beat: number }): Promise<boolean>;
  /** Deletes the row of a definition, which this server holds and nobody uses any more. */
  remove(definition: string): Promise<void>;
}

/** Opens the rows, in a table that is created when it is missing. */
export async function openIndexerLeases(parts: IndexerLeasesParts): Promise<IndexerLeases> {
  const { prefix, store } = parts;
  const time = store.dialect === 'sqlite' ? 'TEXT' : 'TIMESTAMPTZ';
  await createOwnTable(
    store,
    `CREATE TABLE IF NOT EXISTS ${TABLE} (prefix TEXT NOT NULL, definition TEXT NOT NULL, database TEXT NOT NULL,
      epoch BIGINT NOT NULL, holder TEXT, server TEXT, expires ${time}, PRIMARY KEY (prefix, definition))`,
  );
  const insert = `INSERT INTO ${TABLE} (prefix, definition, database, epoch) VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING`;
  await store.transaction((session) => prepare(store, session, insert).run([prefix, IDENTITY, randomUUID()]));
  const read = `SELECT database FROM ${TABLE} WHERE prefix = ? AND definition = ?`;
  const [[database] = []] = await prepare(store, store, read).rows([prefix, IDENTITY]);
  return new RowLeases(parts, String(database));
}

/** Gives the database another identity: a restored copy takes no index of the original for its own, nor the original one of the copy. */
export async function forgetIndexers(store: Store): Promise<void> {
  const find =
    store.dialect === 'sqlite'
      ? 'SELECT 1 FROM sqlite_master WHERE name = ?'
      : 'SELECT 1 FROM pg_class WHERE relname = ?';
  const [found] = await prepare(store, store, find).rows([TABLE]);
  if (found !== undefined) await store.script(`DELETE FROM ${TABLE}`);
}

class RowLeases implements IndexerLeases {
  readonly database: string;
  readonly #parts: IndexerLeasesParts;
  readonly self = randomUUID();
  /** By definition; times by the monotonic clock, which goes on while the process is stopped, but not while its machine sleeps: then the fence of the cluster is what holds. */
  readonly #held = new Map<string, { readonly epoch: number; readonly until: number }>();

  constructor(parts: IndexerLeasesParts, database: string) {
    this.#parts = parts;
    this.database = database;
  }

  isHeld(definition: string, epoch: number): boolean {
    const held = this.#held.get(definition);
    return held?.epoch === epoch && performance.now() < held.until;
  }

  async acquire(definitions: readonly string[], atLeast: number): Promise<ReadonlyMap<string, number>> {
    const { prefix, server, store } = this.#parts;
    if (definitions.length === 0) return new Map();
    const begin = performance.now();
    const places = definitions.map(() => '?').join();
    const isFree = server === undefined ? '' : `AND (holder IS NULL OR expires IS NULL OR expires < ${this.#now})`;
    const rowOf = definitions.map(() => '(?, ?, ?, 0)').join();
    // Of servers that ask at the same time one goes first and gets all that is free: one writer is easier to operate than several.
    const turn = `SELECT 1 FROM ${TABLE} WHERE prefix = ? AND definition = ? ${store.dialect === 'sqlite' ? '' : 'FOR UPDATE'}`;
    const create = `INSERT INTO ${TABLE} (prefix, definition, database, epoch) VALUES ${rowOf} ON CONFLICT DO NOTHING`;
    const take = `UPDATE ${TABLE} SET epoch = CASE WHEN epoch + 1 < ? THEN ? ELSE epoch + 1 END, holder = ?, server = ?,
      expires = ${this.#end} WHERE prefix = ? AND definition IN (${places}) ${isFree} RETURNING definition, epoch`;
    const rows = await store.transaction(async (session) => {
      await prepare(store, session, turn).rows([prefix, IDENTITY]);
      const made = definitions.flatMap((definition) => [prefix, definition, this.database]);
      await prepare(store, session, create).run(made);
      const values = [atLeast, atLeast, this.self, server ?? null, prefix, ...definitions];
      return prepare(store, session, take).rows(values);
    });
    const taken = rows.map(([definition, epoch]) => [String(definition), Number(epoch)] as const);
    for (const [definition, epoch] of taken) this.#hold(definition, epoch, begin);
    return new Map(taken);
  }

  async renew(): Promise<void> {
    if (this.#held.size === 0) return;
    const { prefix, store } = this.#parts;
    const begin = performance.now();
    const before = [...this.#held];
    // By name: a row that was taken or given back while the database did not answer has no term, and must expire.
    const sql = `UPDATE ${TABLE} SET expires = ${this.#end} WHERE prefix = ? AND holder = ?
      AND definition IN (${before.map(() => '?').join()}) RETURNING definition, epoch`;
    const values = [prefix, this.self, ...before.map(([definition]) => definition)];
    const rows = await store.transaction((session) => prepare(store, session, sql).rows(values));
    const held = new Map(rows.map(([definition, epoch]) => [String(definition), Number(epoch)]));
    for (const [definition, known] of before) {
      // Taken again or given back meanwhile: the answer is about the former epoch.
      if (this.#held.get(definition) !== known) continue;
      if (held.get(definition) === known.epoch) this.#hold(definition, known.epoch, begin);
      else this.#held.delete(definition);
    }
  }

  async followed(): Promise<ReadonlySet<string>> {
    const { server } = this.#parts;
    if (server === undefined) return new Set(this.#held.keys());
    return new Set((await this.#rows()).map(({ definition }) => definition));
  }

  async holders(): Promise<ReadonlySet<string>> {
    return new Set((await this.#rows()).map(({ holder }) => holder));
  }

  async otherHolder(wanted: string): Promise<string | undefined> {
    if (this.#parts.server === undefined) return undefined;
    const found = (await this.#rows()).find(({ definition }) => definition === wanted);
    return found === undefined || found.holder === this.self ? undefined : found.server;
  }

  async #rows(): Promise<readonly Readonly<Record<'definition' | 'holder' | 'server', string>>[]> {
    const { prefix, store } = this.#parts;
    const sql = `SELECT definition, holder, server FROM ${TABLE} WHERE prefix = ? AND holder IS NOT NULL AND expires >= ${this.#now}`;
    const rows = await prepare(store, store, sql).rows([prefix]);
    return rows.map(([definition, holder, server]) => ({
      definition: String(definition),
      holder: String(holder),
      server: String(server),
    }));
  }

  async definitions(): Promise<readonly string[]> {
    const { prefix, store } = this.#parts;
    const sql = `SELECT definition FROM ${TABLE} WHERE prefix = ? AND definition <> ?`;
    return (await prepare(store, store, sql).rows([prefix, IDENTITY])).map(([definition]) => String(definition));
  }

  async release(definitions: readonly string[]): Promise<void> {
    // All of them first: what the database is not told expires.
    const held = definitions.filter((definition) => this.#held.delete(definition));
    await this.#write(`UPDATE ${TABLE} SET holder = NULL, expires = NULL`, held);
  }

  async giveBack(beat: number): Promise<void> {
    const { prefix, store } = this.#parts;
    const sql = `UPDATE ${TABLE} SET holder = ?, epoch = ? WHERE prefix = ? AND definition = ?`;
    await store.transaction((session) => prepare(store, session, sql).run([this.self, beat, prefix, IDENTITY]));
  }

  async isGivenBack({ beat, holder }: { readonly holder: string; readonly beat: number }): Promise<boolean> {
    const { prefix, store } = this.#parts;
    const sql = `SELECT 1 FROM ${TABLE} WHERE prefix = ? AND definition = ? AND holder = ? AND epoch = ?`;
    return (await prepare(store, store, sql).rows([prefix, IDENTITY, holder, beat])).length > 0;
  }

  async remove(definition: string): Promise<void> {
    this.#held.delete(definition);
    await this.#write(`DELETE FROM ${TABLE}`, [definition]);
  }

  #hold(definition: string, epoch: number, begin: number): void {
    const until = this.#parts.server === undefined ? Infinity : begin + OWN_TERM;
    this.#held.set(definition, { epoch, until });
  }

  /** The time of the database: SQLite serves one process, which has the rows whatever the time is. */
  get #now(): string {
    return this.#parts.store.dialect === 'sqlite' ? 'CURRENT_TIMESTAMP' : 'clock_timestamp()';
  }

  get #end(): string {
    return this.#parts.store.dialect === 'sqlite' ? 'NULL' : `clock_timestamp() + interval '${TERM} seconds'`;
  }

  /** Changes rows of this server. */
  async #write(change: string, definitions: readonly string[]): Promise<void> {
    if (definitions.length === 0) return;
    const { prefix, store } = this.#parts;
    const sql = `${change} WHERE prefix = ? AND holder = ? AND definition IN (${definitions.map(() => '?').join()})`;
    await store.transaction((session) => prepare(store, session, sql).run([prefix, this.self, ...definitions]));
  }
}

/** Prepares a text with `?`, as SQLite has it, for either database. */
function prepare(store: Store, session: Pick<Store, 'prepare'>, sql: string): ReturnType<Store['prepare']> {
  let at = 0;
  return session.prepare(store.dialect === 'sqlite' ? sql : sql.replaceAll('?', () => `$${++at}`));
}
