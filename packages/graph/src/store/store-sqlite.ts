// The SQLite store, through node:sqlite. One connection writes, one transaction at a time in order of arrival. A second
// one reads, so that reads never see uncommitted data. An in-memory database has one connection, where reads wait for
// an open transaction. Not here: the SQL.
import { isUtf8 } from 'node:buffer';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { codeOf } from '@lockstitch/kernel';
import { registerCaseInsensitiveMatch } from './case-insensitive-match.ts';
import { registerAggregates } from './aggregate-functions.ts';
import { registerBase64 } from './base64.ts';
import { registerDecimals } from './decimal-text.ts';
import { registerJsonTests } from './json-test.ts';
import { lengthLimitOf, LONGER_THAN_ANSWER } from './length-limit.ts';
import { createSharedRead, type SharedRead } from './shared-read.ts';
import { translateSqliteError } from './sqlite-error.ts';
import { createSqliteWriter } from './sqlite-writer.ts';
import { limitStatements, deadlineOf } from './statement-deadline.ts';
import { createStatementCache, type StatementCache } from './statement-cache.ts';
import { type MaybePromise, type Row, type Session, type SqlValue, type Statement, type Store } from './store.ts';
import { hasTemporaryFolder } from './temporary-folder.ts';
import { isLongerThan, TextTooLong } from './text-limit.ts';

/** Options of the SQLite store. */
export interface SqliteOptions {
  /** A file path, created if absent, or `:memory:`. */
  readonly file: string;
  /**
   * `full` (default) syncs to disk at each commit, so that acknowledged writes survive a power failure. `normal` leaves
   * the last commits to the operating system; they survive a crash of the process, not of the machine.
   */
  readonly durability?: 'full' | 'normal';
  /** How long a write waits for another writing process, without blocking reads; milliseconds, default 5000. */
  readonly busyTimeout?: number;
  /**
   * Time limit of a statement that filters through relations, in milliseconds; default 10,000. Nothing else can
   * interrupt a statement, because it blocks the thread.
   */
  readonly statementTime?: number;
  /**
   * Page cache of each connection in KiB; default 16384. SQLite's default of 2 MB is measurably slower. With 4 MB for
   * the writer, a short write takes 0.8 µs less, but an import of 100,000 rows 40 % longer.
   */
  readonly cacheSize?: number;
}

/** How long SQLite itself waits for a lock, blocking the process, in milliseconds; longer waits are in begin-transaction.ts. */
const BLOCKING_WAIT = 20;
/** Polling interval for other processes' commits, in milliseconds; Store.onCommit promises 50. */
const POLL_INTERVAL = 25;
/** Size of the statement cache of each connection. */
const STATEMENT_LIMIT = 500;
/**
 * Response length, in characters, from which it is read as bytes. Decoding a non-ASCII text and encoding it for the
 * socket takes 4 of 30 µs at 4 KB and 60 of 115 at 50 KB. ASCII is equally fast either way, and a text of 80 bytes is
 * 1.5 µs faster than bytes.
 */
const LONG_TEXT = 2048;
/** Page cache of the connection for background reads, which read each page once, in KiB. */
const BACKGROUND_CACHE = 512;
/** Bytes of the file mapped into memory. */
const MAP_SIZE = 256 * 1024 * 1024;

/**
 * Opens a SQLite database.
 *
 * @throws the driver's error if the file cannot be opened or is not a database
 */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const inMemory = options.file === ':memory:';
  const writer = openConnection(options, inMemory);
  const reader = inMemory ? undefined : openConnection(options, false);
  // Opening may wait for another process that is opening the file; afterwards no wait inside SQLite is long.
  for (const each of [writer, reader]) each?.exec(`PRAGMA busy_timeout = ${BLOCKING_WAIT}`);
  // SQLite keeps temporary data in memory until it exceeds its cache, also where it may be written to files. Told to use
  // memory alone, it allocates each row of a sort by itself: 4.8 ms instead of 3.9 for groups of 20,000 rows.
  if (!hasTemporaryFolder()) reader?.exec('PRAGMA temp_store = MEMORY');
  return createStore(options, writer, reader);
}

function openConnection(options: SqliteOptions, inMemory: boolean): DatabaseSync {
  // Not imported statically: a Node without node:sqlite could not load this module and report the requirement.
  const { DatabaseSync: Database } = process.getBuiltinModule('node:sqlite');
  const database = new Database(options.file, {
    timeout: 5000,
    enableForeignKeyConstraints: true,
  });
  const checkTime = limitStatements(database, options.statementTime ?? 10_000);
  registerCaseInsensitiveMatch(database, checkTime);
  registerDecimals(database);
  registerJsonTests(database, checkTime);
  registerBase64(database);
  registerAggregates(database, checkTime);
  database.exec(`PRAGMA cache_size = -${options.cacheSize ?? 16_384}`);
  if (!inMemory)
    database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${options.durability === 'normal' ? 'NORMAL' : 'FULL'}; ` +
        `PRAGMA mmap_size = ${MAP_SIZE}`,
    );
  return database;
}

function createStore(options: SqliteOptions, writer: DatabaseSync, reader: DatabaseSync | undefined): Store {
  const { file, busyTimeout = 5000 } = options;
  const writing = createStatementCache(STATEMENT_LIMIT, (sql) => createStatement(writer, sql));
  const shared = reader === undefined ? undefined : createSharedRead(reader);
  const reading: StatementCache<Statement> =
    reader === undefined || shared === undefined
      ? createStatementCache(STATEMENT_LIMIT, (sql) => createWaitingStatement(writing.get(sql), () => writes.open()))
      : createStatementCache(STATEMENT_LIMIT, (sql) => createReadStatement(reader, shared, sql, writes.transaction));
  const session: Session = { prepare: (sql) => writing.get(sql) };
  const endReads = (): void => shared?.end();
  const commits = createCommitListener(reader, endReads);
  const writes = createSqliteWriter(writer, session, {
    prepareAttempt: (sql) => createStatement(writer, sql, true),
    busyTimeout,
    // Reads of an in-memory database see uncommitted writes, so no transaction may stay open.
    group: reader !== undefined,
    beforeCommit: endReads,
    onCommit: () => commits.announce(),
  });
  const background = reader === undefined ? undefined : new BackgroundReader(options);
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    await writes.close();
    commits.stop();
    endReads();
    background?.close();
    reader?.close();
    writer.close();
  }

  return {
    dialect: 'sqlite',
    description: file,
    prepare: (sql) => reading.get(sql),
    attempt: writes.attempt,
    transaction: writes.transaction,
    script: writes.script,
    onCommit: commits.listen,
    ...(background === undefined ? {} : { background, otherCommits: createOtherCommits(writer) }),
    close: () => (closing ??= close()),
  };
}

/** Reads on a connection of its own, which the first statement opens; see Store.background. */
class BackgroundReader implements Session {
  readonly #options: SqliteOptions;
  #connection: DatabaseSync | undefined;

  constructor(options: SqliteOptions) {
    this.#options = options;
  }

  prepare(sql: string): Statement {
    if (this.#connection === undefined) {
      this.#connection = openConnection({ ...this.#options, cacheSize: BACKGROUND_CACHE }, false);
      this.#connection.exec(`PRAGMA busy_timeout = ${BLOCKING_WAIT}; PRAGMA query_only = ON`);
    }
    return createStatement(this.#connection, sql);
  }

  close(): void {
    this.#connection?.close();
  }
}

/** On the writing connection, data_version changes only with commits of other connections, that is, other processes. */
function createOtherCommits(writer: DatabaseSync): () => number {
  const version = writer.prepare('PRAGMA data_version');
  return () => Number(version.get()?.['data_version']);
}

interface CommitListener {
  announce(): void;
  readonly listen: (listener: () => void) => () => void;
  stop(): void;
}

// PRAGMA data_version changes when another connection has committed. It reads one counter in shared memory (2 µs) and
// is polled only while there are listeners. The timer does not keep the process alive.
function createCommitListener(reader: DatabaseSync | undefined, endReads: () => void): CommitListener {
  const listeners = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  const versionOf = reader?.prepare('PRAGMA data_version');
  let version: unknown;
  const announce = (): void => {
    for (const listener of listeners) listener();
  };
  const readVersion = (): unknown => {
    try {
      return versionOf?.get()?.['data_version'];
    } catch {
      // A read reports the problem of the file.
      return undefined;
    }
  };
  const poll = (): void => {
    // The version is constant inside a transaction.
    endReads();
    const now = readVersion();
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
        endReads();
        version = readVersion();
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

interface SqliteStatement extends Statement {
  readonly text: (values: readonly SqlValue[], limit?: number) => string | null;
  /** The first column of the first row, unconverted; undefined without a row. */
  readonly first: (values: readonly SqlValue[], limit?: number) => unknown;
}

/** `withinAnswer`: its statements may fail with TextTooLong on rows longer than the last response's limit. */
function createStatement(database: DatabaseSync, sql: string, withinAnswer = false): SqliteStatement {
  const length = lengthLimitOf(database);
  const statement = prepare(database, sql);
  statement.setReturnArrays(true);
  const time = deadlineOf(database, sql);
  const begin = (): void => {
    if (!withinAnswer) length.set();
    time?.begin();
  };
  const allRows = (values: readonly SqlValue[]): readonly Row[] => {
    const bound = toInput(values);
    begin();
    try {
      const rows = rowsOf(statement, bound);
      time?.end();
      return rows;
    } catch (error) {
      if (isOutOfRange(error)) return allWithBigInts(statement, bound);
      throw translateSqliteError(error);
    }
  };
  const get = (values: readonly SqlValue[], limit?: number): unknown => {
    // SQLite builds no longer text or row. Concatenation fails immediately; an aggregate first reads all its rows.
    length.set(limit);
    time?.begin();
    try {
      const row = statement.get(...toInput(values)) as unknown as Row | undefined;
      time?.end();
      return row?.[0];
    } catch (error) {
      if (!isOutOfRange(error)) throw translateSqliteError(error);
      return allWithBigInts(statement, toInput(values))[0]?.[0];
    }
  };
  const first = (values: readonly SqlValue[], limit?: number): unknown => {
    try {
      return get(values, limit);
    } catch (error) {
      if (limit === undefined || !(error instanceof TextTooLong)) throw error;
      // The limit may have been exceeded by a value that was only read, for example of a hidden row, and not by the
      // response.
      const found = get(values, limit + LONGER_THAN_ANSWER);
      if (isLonger(found, limit)) throw error;
      return found;
    }
  };
  return {
    text: (values, limit) => toText(first(values, limit) as Scalar),
    first,
    rows: allRows,
    run(values) {
      begin();
      try {
        return Number(statement.run(...toInput(values)).changes);
      } catch (error) {
        if (!isOutOfRange(error)) throw translateSqliteError(error);
        // The statement has run. The value beyond 2^53 is the id of an earlier insert, which every result contains.
        return Number(lastOf(database, 'changes'));
      }
    },
    insert(values) {
      begin();
      try {
        const { lastInsertRowid } = statement.run(...toInput(values));
        if (Number.isSafeInteger(lastInsertRowid)) return lastInsertRowid;
      } catch (error) {
        // The driver rejects ids beyond 2^53; the row has been inserted.
        if (!isOutOfRange(error)) throw translateSqliteError(error);
      }
      return lastOf(database, 'last_insert_rowid');
    },
  };
}

function lastOf(database: DatabaseSync, what: 'changes' | 'last_insert_rowid'): bigint {
  const last = database.prepare(`SELECT ${what}()`);
  last.setReadBigInts(true);
  return Object.values(last.get() ?? {})[0] as bigint;
}

/** For a database with one connection: waits until no transaction is open. */
function createWaitingStatement(statement: Statement, open: () => Promise<void> | undefined): Statement {
  function whenFree<T>(run: () => MaybePromise<T>): MaybePromise<T> {
    const blocking = open();
    return blocking === undefined ? run() : blocking.then(() => whenFree(run));
  }
  return {
    text: (values, limit) => whenFree(() => statement.text(values, limit)),
    rows: (values) => whenFree(() => statement.rows(values)),
    run: (values) => whenFree(() => statement.run(values)),
    insert: (values) => whenFree(() => statement.insert(values)),
  };
}

/** Reads on the reading connection; a single write runs in its own transaction. */
function createReadStatement(
  reader: DatabaseSync,
  shared: SharedRead,
  sql: string,
  transaction: Store['transaction'],
): Statement {
  const statement = createStatement(reader, sql);
  // Most statements never return a long text; those that do are likely to do so again.
  let wasLong = false;
  let readLong: ReadText | undefined;
  return {
    text(values, limit) {
      shared.begin();
      return statement.text(values, limit);
    },
    textOrBytes(values, limit) {
      shared.begin();
      const read = wasLong ? (readLong ??= createBytesReader(reader, sql) ?? statement.text) : statement.text;
      const found = read(values, limit);
      wasLong = found !== null && found.length >= LONG_TEXT;
      return found;
    },
    rows(values) {
      shared.begin();
      return statement.rows(values);
    },
    run: (values) => transaction((session) => session.prepare(sql).run(values)),
    insert: (values) => transaction((session) => session.prepare(sql).insert(values)),
  };
}

function isLonger(found: unknown, bytes: number): boolean {
  if (typeof found === 'string') return isLongerThan(found, bytes);
  return found instanceof Uint8Array && found.byteLength > bytes;
}

type Scalar = string | number | bigint | null | undefined;

function toText(value: Scalar): string | null {
  return value === undefined || value === null ? null : String(value);
}

/** Whether texts are stored in UTF-8, which is sent unchanged; another program may have created the file in UTF-16. */
function isInUtf8(database: DatabaseSync): boolean {
  return Object.values(database.prepare('PRAGMA encoding').get() ?? {})[0] === 'UTF-8';
}

type ReadText = (values: readonly SqlValue[], limit?: number) => string | Buffer | null;

/** Reads the text of a statement as bytes. Undefined for UTF-16, and if the cast exceeds SQLite's nesting limit. */
function createBytesReader(database: DatabaseSync, sql: string): ReadText | undefined {
  if (!isInUtf8(database)) return undefined;
  let statement: SqliteStatement;
  try {
    statement = createStatement(database, `SELECT CAST((${sql}) AS BLOB)`);
  } catch {
    // The cast exceeds the nesting limit; the statement is read as text.
    return undefined;
  }
  return (values, limit) => {
    const found = statement.first(values, limit) as Uint8Array | null;
    if (found === null) return null;
    const bytes = Buffer.from(found.buffer, found.byteOffset, found.byteLength);
    // Other programs may write invalid UTF-8; decoding replaces the invalid bytes.
    return isUtf8(bytes) ? bytes : Buffer.from(bytes.toString());
  };
}

function prepare(database: DatabaseSync, sql: string): StatementSync {
  // Preparing may have to read the schema.
  lengthLimitOf(database).set();
  try {
    return database.prepare(sql);
  } catch (error) {
    throw translateSqliteError(error);
  }
}

// node:sqlite binds a number as REAL, which never equals a text key and prints as `5.0` in JSON. Integers are therefore
// bound as BigInt, which becomes INTEGER; a REAL column converts them back.
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
  return error instanceof RangeError && codeOf(error) === 'ERR_OUT_OF_RANGE';
}

/** The rows of a statement, which returns arrays (`setReturnArrays`); Node's types know objects only. */
const rowsOf = (statement: StatementSync, values: readonly SQLInputValue[]): readonly Row[] =>
  statement.all(...values) as unknown as readonly Row[];

/** Integers beyond 2^53 become BigInts, others numbers. */
function allWithBigInts(statement: StatementSync, values: SQLInputValue[]): readonly Row[] {
  statement.setReadBigInts(true);
  try {
    return rowsOf(statement, values).map((row) => row.map(narrowBigInt));
  } finally {
    statement.setReadBigInts(false);
  }
}

function narrowBigInt(value: SqlValue): SqlValue {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
