// How the engine talks to SQLite, through node:sqlite. One connection writes, one transaction at a time in order of
// arrival; a second one reads, so that a read never sees a transaction that is not committed. An in-memory database has
// one connection only, where reads wait for an open transaction instead. Not here: what the SQL says.
import { isUtf8 } from 'node:buffer';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { registerCaseInsensitiveMatch } from './case-insensitive-match.ts';
import { registerDecimals } from './decimal-text.ts';
import { lengthLimitOf, LONGER_THAN_ANSWER } from './length-limit.ts';
import { createSharedRead, type SharedRead } from './shared-read.ts';
import { translateSqliteError } from './sqlite-error.ts';
import { createSqliteWriter } from './sqlite-writer.ts';
import { limitStatements, timeOf } from './statement-time.ts';
import { createStatementCache, type StatementCache } from './statement-cache.ts';
import { type MaybePromise, type Row, type Session, type SqlValue, type Statement, type Store } from './store.ts';
import { isLongerThan, TextTooLong } from './text-limit.ts';

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
  /**
   * How long a statement may filter through related objects, in milliseconds; default 10,000. Nothing else can end one:
   * it holds the thread until it is done.
   */
  readonly statementTime?: number;
  /**
   * Page cache of each connection in KiB; default 16384. SQLite's own default of 2 MB is measurably slower; with 4 MB for the writer
   * a short write takes 0.8 µs less, and an import of 100,000 rows two fifths more.
   */
  readonly cacheSize?: number;
}

/** How long SQLite itself waits for a lock, holding up the whole process, in milliseconds; longer waits are ours. */
const BLOCKING_WAIT = 20;
/** How often another process's commits are looked for, in milliseconds; the contract says 50. */
const POLL_INTERVAL = 25;
/** Statements kept prepared on each connection. */
const STATEMENT_LIMIT = 500;
/**
 * Characters from which an answer comes as bytes. To decode a text that is not ASCII and to encode it for the socket takes
 * 4 µs of 30 at 4 KB and 60 of 115 at 50 KB; an ASCII text comes as quickly either way, and one of 80 bytes 1.5 µs sooner as a
 * text.
 */
const LONG_TEXT = 2048;
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
  // What does not fit the cache of a read stays in memory. A writer would pay for it at each savepoint, a tenth of a write.
  reader?.exec('PRAGMA temp_store = MEMORY');
  return createStore(options.file, writer, reader, options.busyTimeout ?? 5000);
}

function openConnection(options: SqliteOptions, inMemory: boolean): DatabaseSync {
  // Not imported as a module: a Node that has none could not load this one, and say what it lacks.
  const { DatabaseSync: Database } = process.getBuiltinModule('node:sqlite');
  const database = new Database(options.file, {
    timeout: 5000,
    enableForeignKeyConstraints: true,
  });
  registerCaseInsensitiveMatch(database, limitStatements(database, options.statementTime ?? 10_000));
  registerDecimals(database);
  database.exec(`PRAGMA cache_size = -${options.cacheSize ?? 16_384}`);
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
  const shared = reader === undefined ? undefined : createSharedRead(reader);
  const reading: StatementCache<Statement> =
    reader === undefined || shared === undefined
      ? createStatementCache(STATEMENT_LIMIT, (sql) => createWaitingStatement(writing.get(sql), () => writes.open()))
      : createStatementCache(STATEMENT_LIMIT, (sql) => createReadStatement(reader, shared, sql, writes.transaction));
  const session: Session = { prepare: (sql) => writing.get(sql) };
  const endReads = (): void => shared?.end();
  const commits = createCommitWatch(reader, endReads);
  const writes = createSqliteWriter(writer, session, {
    prepareAttempt: (sql) => createStatement(writer, sql, true),
    busyTimeout,
    // Reads of an in-memory database see what is written but not committed: nothing may stay open.
    group: reader !== undefined,
    beforeCommit: endReads,
    onCommit: () => commits.announce(),
  });
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    await writes.close();
    commits.stop();
    endReads();
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
    ...(reader === undefined ? {} : { otherCommits: createOtherCommits(writer) }),
    close: () => (closing ??= close()),
  };
}

/** On the connection that writes, data_version changes by the commits of other connections alone: those of other processes. */
function createOtherCommits(writer: DatabaseSync): () => number {
  const version = writer.prepare('PRAGMA data_version');
  return () => Number(version.get()?.['data_version']);
}

interface CommitWatch {
  announce(): void;
  readonly listen: (listener: () => void) => () => void;
  stop(): void;
}

// PRAGMA data_version changes when another connection has committed; it is a read of one counter in shared memory
// (2 µs), asked only while somebody listens. The timer does not keep the process alive.
function createCommitWatch(reader: DatabaseSync | undefined, endReads: () => void): CommitWatch {
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
      // Whoever reads is told what is wrong with the file.
      return undefined;
    }
  };
  const poll = (): void => {
    // Inside a transaction the version never changes.
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
  /** The first column of the first row, as it comes; undefined without a row. */
  readonly first: (values: readonly SqlValue[], limit?: number) => unknown;
}

/**
 * `withinAnswer`: its statements may fail with TextTooLong on rows that are longer than the last answer was allowed to be.
 */
function createStatement(database: DatabaseSync, sql: string, withinAnswer = false): SqliteStatement {
  const length = lengthLimitOf(database);
  const statement = prepare(database, sql);
  statement.setReturnArrays(true);
  const time = timeOf(database, sql);
  const begin = (): void => {
    if (!withinAnswer) length.set();
    time?.begin();
  };
  const allRows = (values: readonly SqlValue[]): readonly Row[] => {
    const bound = toInput(values);
    begin();
    try {
      return statement.all(...bound) as unknown as readonly Row[];
    } catch (error) {
      if (isOutOfRange(error)) return allWithBigInts(statement, bound);
      throw translateSqliteError(error);
    }
  };
  const get = (values: readonly SqlValue[], limit?: number): unknown => {
    // SQLite keeps no longer text or row: concatenation fails at once, an aggregate reads its rows to their end and then
    // fails.
    length.set(limit);
    time?.begin();
    try {
      return (statement.get(...toInput(values)) as unknown as Row | undefined)?.[0];
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
      // Perhaps it was not the answer that is too long, but a value that was only looked at: of a hidden row, say.
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
        // It has run; what is beyond 2^53 is the id of a row inserted before, which every result tells.
        return Number(lastOf(database, 'changes'));
      }
    },
    insert(values) {
      begin();
      try {
        const { lastInsertRowid } = statement.run(...toInput(values));
        if (Number.isSafeInteger(lastInsertRowid)) return lastInsertRowid;
      } catch (error) {
        // The driver refuses to tell what is beyond 2^53; the row is there.
        if (!isOutOfRange(error)) throw translateSqliteError(error);
      }
      return lastOf(database, 'last_insert_rowid');
    },
  };
}

function lastOf(database: DatabaseSync, what: 'changes' | 'last_insert_rowid'): bigint {
  const last = database.prepare(`SELECT ${what}()`);
  last.setReadBigInts(true);
  return Object.values(last.get()!)[0] as bigint;
}

/** For a database with one connection: as soon as no transaction is open. */
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

/** Reads on the reading connection; a single statement run for its effect is a transaction of its own. */
function createReadStatement(
  reader: DatabaseSync,
  shared: SharedRead,
  sql: string,
  transaction: Store['transaction'],
): Statement {
  const statement = createStatement(reader, sql);
  // Most statements never answer a long text; those that do will do so again.
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

/** Whether texts are kept as the bytes that are sent. A file that another program has made may keep them in UTF-16. */
function isInUtf8(database: DatabaseSync): boolean {
  return Object.values(database.prepare('PRAGMA encoding').get()!)[0] === 'UTF-8';
}

type ReadText = (values: readonly SqlValue[], limit?: number) => string | Buffer | null;

/** Reads the text of a statement as bytes; undefined where it is kept otherwise, and where that is more than SQLite can nest. */
function createBytesReader(database: DatabaseSync, sql: string): ReadText | undefined {
  if (!isInUtf8(database)) return undefined;
  let statement: SqliteStatement;
  try {
    statement = createStatement(database, `SELECT CAST((${sql}) AS BLOB)`);
  } catch {
    return undefined;
  }
  return (values, limit) => {
    const found = statement.first(values, limit) as Uint8Array | null;
    if (found === null) return null;
    const bytes = Buffer.from(found.buffer, found.byteOffset, found.byteLength);
    // What other programs write need not be UTF-8; as a text it is mended.
    return isUtf8(bytes) ? bytes : Buffer.from(bytes.toString());
  };
}

function prepare(database: DatabaseSync, sql: string): StatementSync {
  // The schema may have to be read.
  lengthLimitOf(database).set();
  try {
    return database.prepare(sql);
  } catch (error) {
    throw translateSqliteError(error);
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
