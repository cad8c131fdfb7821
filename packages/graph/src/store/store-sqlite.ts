// How the engine talks to SQLite, through node:sqlite. One connection writes, one transaction at a time in order of
// arrival; a second one reads, so that a read never sees a transaction that is not committed. An in-memory database has
// one connection only, where reads wait for an open transaction instead. Not here: what the SQL says.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { graphErrors } from '../errors.ts';
import { createStatementCache, type StatementCache } from './statement-cache.ts';
import {
  ConstraintViolation,
  type MaybePromise,
  type Row,
  type Session,
  type SqlValue,
  type Statement,
  type Store,
} from './store.ts';

/** Where a SQLite store lives and how careful it is. */
export interface SqliteOptions {
  /** A file path, created when absent, or `:memory:`. */
  readonly file: string;
  /**
   * `full` (default) waits for the disk at each commit, so that an acknowledged write survives loss of power; `normal`
   * leaves the last moments to the operating system, which survives the death of the process but not of the machine.
   */
  readonly durability?: 'full' | 'normal';
  /** How long a write waits, without holding up reads, for another process that is writing; milliseconds, default 5000. */
  readonly busyTimeout?: number;
  /** Page cache of each connection in KiB; default 16384. SQLite's own default of 2 MB is measurably slower. */
  readonly cacheSize?: number;
}

/** How long SQLite itself waits for a lock, holding up the whole process, in milliseconds; longer waits are ours. */
const BLOCKING_WAIT = 20;
/** Pause before a busy database is asked again, in milliseconds. */
const BUSY_PAUSE = 10;
/** How often another process's commits are looked for, in milliseconds; the contract says 50. */
const POLL_INTERVAL = 25;
/** Statements kept prepared on each connection. */
const STATEMENT_LIMIT = 500;
/** Bytes of the file mapped into memory. */
const MAP_SIZE = 256 * 1024 * 1024;

/**
 * Opens a SQLite database.
 *
 * @throws the driver's error when the file cannot be opened or is no database
 */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const inMemory = options.file === ':memory:';
  const writer = openConnection(options, inMemory);
  const reader = inMemory ? undefined : openConnection(options, false);
  // Opening may wait for another process that is opening too; from now on nothing waits inside SQLite for long.
  for (const each of [writer, reader]) each?.exec(`PRAGMA busy_timeout = ${BLOCKING_WAIT}`);
  return createStore(options.file, writer, reader, options.busyTimeout ?? 5000);
}

function openConnection(options: SqliteOptions, inMemory: boolean): DatabaseSync {
  const database = new DatabaseSync(options.file, {
    timeout: 5000,
    enableForeignKeyConstraints: true,
  });
  database.exec(`PRAGMA cache_size = -${options.cacheSize ?? 16_384}; PRAGMA temp_store = MEMORY`);
  if (!inMemory) {
    database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${options.durability === 'normal' ? 'NORMAL' : 'FULL'}; ` +
        `PRAGMA mmap_size = ${MAP_SIZE}`,
    );
  }
  return database;
}

function createStore(file: string, writer: DatabaseSync, reader: DatabaseSync | undefined, busyTimeout: number): Store {
  const writing = createStatementCache(STATEMENT_LIMIT, (sql) => createStatement(writer, sql));
  const reading: StatementCache<Statement> =
    reader === undefined
      ? createStatementCache(STATEMENT_LIMIT, (sql) => createWaitingStatement(writing.get(sql), () => open))
      : createStatementCache(STATEMENT_LIMIT, (sql) => createReadStatement(reader, sql, transaction));
  const session: Session = { prepare: (sql) => writing.get(sql) };
  const commits = createCommitWatch(reader);
  /** Settles when everything that arrived so far is done. */
  let queue: Promise<void> = Promise.resolve();
  /** The transaction that is open now, if its work is asynchronous; reads on the same connection wait for it. */
  let open: Promise<void> | undefined;
  let waiting = 0;
  let closed = false;

  function inOrder<T>(task: () => MaybePromise<T>): Promise<T> {
    if (closed) return Promise.reject(new Error('The store is closed.'));
    waiting++;
    // Nobody before us: start at once, without a turn of the event loop.
    const result = waiting === 1 ? attempt(task) : queue.then(task);
    const settled = (): void => {
      waiting--;
    };
    queue = result.then(settled, settled);
    return result;
  }

  function transaction<T>(work: (session: Session) => MaybePromise<T>): Promise<T> {
    return inOrder(() => {
      const begun = begin(writer, busyTimeout);
      return begun === undefined ? runTransaction(work) : begun.then(() => runTransaction(work));
    });
  }

  function runTransaction<T>(work: (session: Session) => MaybePromise<T>): MaybePromise<T> {
    let result: MaybePromise<T>;
    try {
      result = work(session);
    } catch (error) {
      rollback(writer);
      throw error;
    }
    if (!(result instanceof Promise)) return commit(result);
    const finished = result.then(commit, (error: unknown) => {
      rollback(writer);
      throw error;
    });
    const release = (): void => {
      open = undefined;
    };
    open = finished.then(release, release);
    return finished;
  }

  function commit<T>(result: T): T {
    try {
      writer.exec('COMMIT');
    } catch (error) {
      // A deferred constraint or a full disk: the transaction is still open and must not leak into the next one.
      rollback(writer);
      throw translate(error);
    }
    commits.announce();
    return result;
  }

  return {
    dialect: 'sqlite',
    description: file,
    prepare: (sql) => reading.get(sql),
    transaction,
    script: (sql) =>
      inOrder(async () => {
        await runScript(writer, sql, busyTimeout);
        commits.announce();
      }),
    onCommit: commits.listen,
    async close() {
      if (closed) return;
      closed = true;
      await queue;
      commits.stop();
      reader?.close();
      writer.close();
    },
  };
}

function attempt<T>(task: () => MaybePromise<T>): Promise<T> {
  try {
    return Promise.resolve(task());
  } catch (error) {
    return Promise.reject(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Opens a write transaction: at once, or as soon as no other process has one. */
function begin(database: DatabaseSync, busyTimeout: number): Promise<void> | undefined {
  try {
    database.exec('BEGIN IMMEDIATE');
    return undefined;
  } catch (error) {
    if (!isBusy(error)) throw error;
    return beginLater(database, busyTimeout);
  }
}

// Inside SQLite the wait would stop the event loop, and with it every read and whatever the other writer waits for if it
// lives in this process.
async function beginLater(database: DatabaseSync, busyTimeout: number): Promise<void> {
  const deadline = performance.now() + busyTimeout;
  while (performance.now() < deadline) {
    await setTimeout(BUSY_PAUSE);
    try {
      database.exec('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  }
  throw graphErrors.create('GRAPH_STORE_BUSY', { seconds: busyTimeout / 1000 });
}

/** SQLITE_BUSY, in any of its extended forms. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && ((error.errcode as number) & 0xff) === 5;
}

function rollback(database: DatabaseSync): void {
  // SQLite rolls back by itself on some errors (disk full, I/O); a second ROLLBACK would then hide the first error.
  if (database.isTransaction) database.exec('ROLLBACK');
}

// Rebuilding a table drops the old one, which would set off ON DELETE actions; enforcement can only be switched outside
// a transaction (SQLite, "Making Other Kinds Of Table Schema Changes").
async function runScript(database: DatabaseSync, sql: string, busyTimeout: number): Promise<void> {
  database.exec('PRAGMA foreign_keys = OFF');
  try {
    await begin(database, busyTimeout);
    database.exec(sql);
    const broken = database.prepare('PRAGMA foreign_key_check').get();
    if (broken !== undefined) throw new ConstraintViolation('foreignKey', String(broken['table']), [], undefined);
    database.exec('COMMIT');
  } catch (error) {
    rollback(database);
    throw translate(error);
  } finally {
    database.exec('PRAGMA foreign_keys = ON');
  }
}

interface CommitWatch {
  announce(): void;
  readonly listen: (listener: () => void) => () => void;
  stop(): void;
}

// PRAGMA data_version changes when another connection has committed; it is a read of one counter in shared memory
// (2 µs), asked only while somebody listens. The timer does not keep the process alive.
function createCommitWatch(reader: DatabaseSync | undefined): CommitWatch {
  const listeners = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  const versionOf = reader?.prepare('PRAGMA data_version');
  let version: unknown;
  const announce = (): void => {
    for (const listener of listeners) listener();
  };
  const poll = (): void => {
    const now = versionOf?.get()?.['data_version'];
    if (now === version) return;
    version = now;
    announce();
  };
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    announce,
    listen(listener) {
      listeners.add(listener);
      if (versionOf !== undefined && timer === undefined) {
        version = versionOf.get()?.['data_version'];
        timer = setInterval(poll, POLL_INTERVAL).unref();
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
    stop() {
      listeners.clear();
      stop();
    },
  };
}

function createStatement(database: DatabaseSync, sql: string): Statement {
  const statement = prepare(database, sql);
  statement.setReturnArrays(true);
  const allRows = (values: readonly SqlValue[]): readonly Row[] => {
    const bound = toInput(values);
    try {
      return statement.all(...bound) as unknown as readonly Row[];
    } catch (error) {
      if (isOutOfRange(error)) return allWithBigInts(statement, bound);
      throw translate(error);
    }
  };
  return {
    text(values) {
      try {
        return firstText(statement.get(...toInput(values)) as unknown as Row | undefined);
      } catch (error) {
        if (!isOutOfRange(error)) throw translate(error);
        return firstText(allWithBigInts(statement, toInput(values))[0]);
      }
    },
    rows: allRows,
    run(values) {
      try {
        return Number(statement.run(...toInput(values)).changes);
      } catch (error) {
        throw translate(error);
      }
    },
  };
}

/** For a database with one connection: as soon as no transaction is open. */
function createWaitingStatement(statement: Statement, open: () => Promise<void> | undefined): Statement {
  function whenFree<T>(run: () => MaybePromise<T>): MaybePromise<T> {
    const blocking = open();
    return blocking === undefined ? run() : blocking.then(() => whenFree(run));
  }
  return {
    text: (values) => whenFree(() => statement.text(values)),
    rows: (values) => whenFree(() => statement.rows(values)),
    run: (values) => whenFree(() => statement.run(values)),
  };
}

/** Reads on the reading connection; a single statement run for its effect is a transaction of its own. */
function createReadStatement(reader: DatabaseSync, sql: string, transaction: Store['transaction']): Statement {
  return {
    ...createStatement(reader, sql),
    run: (values) => transaction((session) => session.prepare(sql).run(values)),
  };
}

function firstText(row: Row | undefined): string | null {
  const value = row?.[0] as string | number | bigint | null | undefined;
  return value === undefined || value === null ? null : String(value);
}

function prepare(database: DatabaseSync, sql: string): StatementSync {
  try {
    return database.prepare(sql);
  } catch (error) {
    throw translate(error);
  }
}

// node:sqlite binds a number as REAL, which never equals a text key and prints as `5.0` in JSON: whole numbers go in as
// BigInt, which it binds as INTEGER. A REAL column turns them back.
function toInput(values: readonly SqlValue[]): SQLInputValue[] {
  const inputs: SQLInputValue[] = new Array<SQLInputValue>(values.length);
  for (let index = 0; index < values.length; index++) {
    const value = values[index]!;
    if (typeof value === 'number') inputs[index] = Number.isSafeInteger(value) ? BigInt(value) : value;
    else if (typeof value === 'boolean') inputs[index] = value ? 1n : 0n;
    else inputs[index] = value;
  }
  return inputs;
}

function isOutOfRange(error: unknown): boolean {
  return error instanceof RangeError && (error as { code?: unknown }).code === 'ERR_OUT_OF_RANGE';
}

/** Integers beyond 2^53 come as BigInt, the others as numbers. */
function allWithBigInts(statement: StatementSync, values: SQLInputValue[]): readonly Row[] {
  statement.setReadBigInts(true);
  try {
    const rows = statement.all(...values) as unknown as readonly Row[];
    return rows.map((row) => row.map(narrowBigInt));
  } finally {
    statement.setReadBigInts(false);
  }
}

function narrowBigInt(value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** SQLite's extended result codes (https://www.sqlite.org/rescode.html) to what the engine knows. */
const VIOLATIONS: Readonly<Record<number, ConstraintViolation['kind']>> = {
  275: 'check',
  787: 'foreignKey',
  1299: 'notNull',
  1555: 'unique',
  1811: 'foreignKey',
  2067: 'unique',
  2579: 'unique',
};

function translate(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error;
  const kind = VIOLATIONS[error.errcode as number];
  if (kind === undefined) return error;
  // "UNIQUE constraint failed: photos.a, photos.b"; foreign keys name nothing.
  const named = /constraint failed: (.+)$/.exec(error.message)?.[1] ?? '';
  const columns = named.split(', ').filter((name) => name.includes('.'));
  const table = columns[0]?.split('.')[0];
  return new ConstraintViolation(
    kind,
    table,
    columns.map((name) => name.slice(name.indexOf('.') + 1)),
    error,
  );
}
