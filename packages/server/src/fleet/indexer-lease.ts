// Which of several servers writes to the indexes on a cluster: the holder of a row in the database, as long as it renews it. Each new
// holder gets a larger number (epoch). Times are the database's and, for the holder, those of its own monotonic clock.
import { randomUUID } from 'node:crypto';

import type { Store } from '@lockstitch/graph';

import { createOwnTable } from './own-table.ts';

const TABLE = 'lockstitch_indexers';
/** Seconds after which a row that was not renewed may be taken. */
const TERM = 8;
/** Milliseconds that its holder may use of them. What it sent last and arrives later is refused by the cluster: the next holder takes its alias away. */
const OWN_TERM = 5000;

export interface IndexerLeaseParts {
  readonly store: Store;
  /** What is written to. */
  readonly name: string;
  /** Name of this server where others may hold it; without others it is taken from any holder. */
  readonly server: string | undefined;
}

export interface IndexerLease {
  /** Identity of the database; it is created with the row. */
  readonly database: string;
  /** The epoch, while this server is sure to hold it. */
  readonly epoch: number | undefined;
  /**
   * Takes the row if nobody holds it.
   *
   * @param atLeast the smallest epoch that may be given
   * @param from servers from which it is taken while they hold it
   */
  acquire(atLeast: number, from?: readonly string[]): Promise<number | undefined>;
  /** Returns whether this server holds it on. */
  renew(): Promise<boolean>;
  /** Name of the server that holds it. */
  holder(): Promise<string | undefined>;
  release(): Promise<void>;
}

/** Opens the row, in a table that is created when it is missing. */
export async function openIndexerLease(parts: IndexerLeaseParts): Promise<IndexerLease> {
  const { name, store } = parts;
  const time = store.dialect === 'sqlite' ? 'TEXT' : 'TIMESTAMPTZ';
  await createOwnTable(
    store,
    `CREATE TABLE IF NOT EXISTS ${TABLE} (name TEXT PRIMARY KEY, database TEXT NOT NULL, epoch BIGINT NOT NULL,
      holder TEXT, server TEXT, expires ${time})`,
  );
  const insert = `INSERT INTO ${TABLE} (name, database, epoch) VALUES (?, ?, 0) ON CONFLICT (name) DO NOTHING`;
  await store.transaction((session) => prepare(store, session, insert).run([name, randomUUID()]));
  const [[database] = []] = await prepare(store, store, `SELECT database FROM ${TABLE} WHERE name = ?`).rows([name]);
  return new RowLease(parts, String(database));
}

class RowLease implements IndexerLease {
  readonly database: string;
  readonly #parts: IndexerLeaseParts;
  readonly #self = randomUUID();
  #epoch: number | undefined;
  /** By the monotonic clock, which goes on while the process is stopped, but not while its machine sleeps: then the fence of the cluster is what holds. */
  #until = 0;

  constructor(parts: IndexerLeaseParts, database: string) {
    this.#parts = parts;
    this.database = database;
  }

  get epoch(): number | undefined {
    return performance.now() < this.#until ? this.#epoch : undefined;
  }

  async acquire(atLeast: number, from: readonly string[] = []): Promise<number | undefined> {
    const { name, server, store } = this.#parts;
    const begin = performance.now();
    const isTheirs = from.length === 0 ? '' : `OR server IN (${from.map(() => '?').join()})`;
    const isFree =
      server !== undefined ? `(holder IS NULL OR expires IS NULL OR expires < ${this.#now} ${isTheirs})` : '1 = 1';
    const sql = `UPDATE ${TABLE} SET epoch = CASE WHEN epoch + 1 < ? THEN ? ELSE epoch + 1 END, holder = ?, server = ?,
      expires = ${this.#end} WHERE name = ? AND ${isFree}`;
    const taken = await this.#write(sql, [atLeast, atLeast, this.#self, server ?? null, name, ...from]);
    if (taken === 0) return undefined;
    const read = `SELECT epoch FROM ${TABLE} WHERE name = ? AND holder = ?`;
    const [[epoch] = []] = await prepare(store, store, read).rows([name, this.#self]);
    if (epoch === undefined) return undefined;
    this.#holdFrom(begin);
    return (this.#epoch = Number(epoch));
  }

  async renew(): Promise<boolean> {
    const epoch = this.#epoch;
    if (epoch === undefined) return false;
    const begin = performance.now();
    const sql = `UPDATE ${TABLE} SET expires = ${this.#end} WHERE name = ? AND holder = ? AND epoch = ?`;
    const isHeld = (await this.#write(sql, [this.#parts.name, this.#self, epoch])) > 0;
    // Taken again meanwhile: the answer is about the former epoch.
    if (this.#epoch !== epoch) return isHeld;
    if (isHeld) this.#holdFrom(begin);
    else this.#epoch = undefined;
    return isHeld;
  }

  async holder(): Promise<string | undefined> {
    const { name, server: own, store } = this.#parts;
    if (own === undefined) return undefined;
    const sql = `SELECT server FROM ${TABLE} WHERE name = ? AND holder <> ? AND expires >= ${this.#now}`;
    const [[server] = []] = await prepare(store, store, sql).rows([name, this.#self]);
    return server === undefined ? undefined : String(server);
  }

  async release(): Promise<void> {
    this.#until = 0;
    this.#epoch = undefined;
    const sql = `UPDATE ${TABLE} SET holder = NULL, expires = NULL WHERE name = ? AND holder = ?`;
    await this.#write(sql, [this.#parts.name, this.#self]);
  }

  #holdFrom(begin: number): void {
    this.#until = this.#parts.server !== undefined ? begin + OWN_TERM : Infinity;
  }

  /** The time of the database: SQLite serves one process, which has the row whatever the time is. */
  get #now(): string {
    return this.#parts.store.dialect === 'sqlite' ? 'CURRENT_TIMESTAMP' : 'clock_timestamp()';
  }

  get #end(): string {
    return this.#parts.store.dialect === 'sqlite' ? 'NULL' : `clock_timestamp() + interval '${TERM} seconds'`;
  }

  async #write(sql: string, values: readonly (string | number | null)[]): Promise<number> {
    const { store } = this.#parts;
    return store.transaction((session) => prepare(store, session, sql).run(values));
  }
}

/** Prepares a text with `?`, as SQLite has it, for either database. */
function prepare(store: Store, session: Pick<Store, 'prepare'>, sql: string): ReturnType<Store['prepare']> {
  let at = 0;
  return session.prepare(store.dialect === 'sqlite' ? sql : sql.replaceAll('?', () => `$${++at}`));
}
