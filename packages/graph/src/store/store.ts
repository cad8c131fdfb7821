// The interface between the engine and a database, implemented by store-sqlite.ts and store-postgres.ts. SQLite is
// synchronous, PostgreSQL is not; `MaybePromise` keeps the synchronous path free of promises, a measured part of the
// throughput.

export type MaybePromise<T> = T | Promise<T>;

/** A value to bind. Integers are bound as integers, other numbers as floating point. */
export type SqlValue = string | number | bigint | boolean | null | Uint8Array;

/** A row as an array, in the order of the selected columns. */
export type Row = readonly SqlValue[];

/** A cancellation signal: the operation timed out, or its caller has disconnected. */
export interface Stop {
  /** The reason, once cancelled. */
  readonly reason: Error | undefined;
  /** Calls `listener` once on cancellation. */
  onStop(listener: () => void): void;
  /** Removes the listener. */
  forget(listener: () => void): void;
}

/**
 * A prepared SQL text. Parameters are `?` on SQLite and `$1`, `$2` … on PostgreSQL. PostgreSQL cancels a running
 * statement on `stop` and throws its reason. SQLite blocks the thread until a statement is done, so it cannot be
 * cancelled.
 */
export interface Statement {
  /**
   * Returns the first column of the first row as text; null without a row. A text longer than `limit` bytes of UTF-8
   * throws TextTooLong: SQLite does not build it, PostgreSQL sends it first.
   */
  text(values: readonly SqlValue[], limit?: number, stop?: Stop): MaybePromise<string | null>;
  /**
   * The same for a text that is sent unread: a long one may be returned as valid UTF-8 bytes, which saves decoding and
   * encoding. Absent if that is no faster.
   */
  readonly textOrBytes?: (values: readonly SqlValue[], limit?: number) => string | Buffer | null;
  /** Returns every row. */
  rows(values: readonly SqlValue[], stop?: Stop): MaybePromise<readonly Row[]>;
  /** Runs a write and returns the number of changed rows. */
  run(values: readonly SqlValue[], stop?: Stop): MaybePromise<number>;
  /**
   * Inserts one row and returns its generated integer key. On PostgreSQL the text has a RETURNING clause. On SQLite it
   * has none, because RETURNING doubles the cost of an insert (2.6 µs without, 5.1 with).
   */
  insert(values: readonly SqlValue[], stop?: Stop): MaybePromise<number | bigint>;
}

/** Where statements run: the store (each alone) or a transaction. */
export interface Session {
  prepare(sql: string): Statement;
}

/** The session of attempts; always the same, so that prepared statements may be cached. */
export interface AttemptSession extends Session {
  /**
   * Inserts a row before the commit, in the order of the calls, batched with rows of other attempts. `into` is an
   * INSERT up to VALUES. Absent if each statement is observed.
   */
  readonly append?: (into: string, values: readonly SqlValue[]) => AppendedRow;
}

/** A row that is inserted later. */
export interface AppendedRow {
  /** The generated integer key; 0 until the commit. */
  readonly key: number;
}

/** Synchronous work in a transaction. */
export interface Attempt<T> {
  /** Writes. The returned function is called after the commit for the result; it must not throw. */
  readonly work: (session: AttemptSession) => () => T;
  /** Produces the result if nothing was committed: with AttemptUndone, or the commit's error. */
  readonly lost: (error: unknown) => MaybePromise<T>;
  /** The work may throw after it has written, so it needs a savepoint. */
  readonly careful: boolean;
}

/** A database. */
export interface Store extends Session {
  readonly dialect: 'sqlite' | 'postgres';
  /** Location of the data for messages: a file path, or a URL without its password. */
  readonly description: string;
  /** Schema for the engine's own tables beside unmanaged ones, last in the search path; absent: no schemas (SQLite). */
  readonly ownSchema?: string;
  /**
   * Only on a synchronous database (SQLite): runs `work` in a transaction immediately, and resolves when it is
   * committed. Undefined if it cannot begin or `work` threw; the database is then unchanged. If work that is not
   * `careful` throws after writing, other attempts of its transaction are rolled back too and receive AttemptUndone.
   */
  readonly attempt: (<T>(attempt: Attempt<T>) => Promise<T> | undefined) | undefined;
  /**
   * Runs `work` in one write transaction: committed before the promise resolves, rolled back if `work` throws. SQLite
   * runs one at a time, in order of arrival. `work` must use the given session and await all its statements. A
   * statement prepared on the store never sees the transaction's writes; on an in-memory SQLite store it waits for the
   * transaction, so `work` must not await one.
   */
  readonly transaction: <T>(work: (session: Session) => MaybePromise<T>) => Promise<T>;
  /** Runs `work` on one connection, without a transaction. PostgreSQL only. */
  readonly onConnection?: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
  /**
   * Runs a script (schema changes) outside the statement cache, atomically, after earlier transactions. Foreign keys
   * are not enforced inside, but checked at its end.
   */
  readonly script: (sql: string) => Promise<void>;
  /**
   * Runs work that no other server on this database does at the same time: migrations and seeds. Absent: one process has
   * the database. `onWait` is called once if another server's work takes more than five seconds. It rejects as soon as
   * the lock is lost.
   */
  readonly exclusively?: <T>(work: () => Promise<T>, onWait?: () => void) => Promise<T>;
  /**
   * Calls `listener` after possible commits: immediately for this store, within 50 ms for other processes. It may be
   * called without a change. Returns the function that removes the listener.
   */
  onCommit(listener: () => void): () => void;
  /**
   * For reads that no request waits for. On SQLite it has a connection of its own: prepared statements use up the memory
   * that SQLite sets aside per connection, and five more made every statement of requests 10 % slower (bench `graph`).
   * Absent: use the store.
   */
  readonly background?: Session;
  /** A number that changes when another process has committed; absent if the database does not tell. Takes 2 µs. */
  readonly otherCommits?: () => number;
  /** Use of the pool of connections at this moment; absent: there is no pool (SQLite). */
  readonly pool?: () => PoolUse;
  /** Finishes running transactions in order and closes; later calls throw. */
  close(): Promise<void>;
}

/** Numbers of connections. */
export interface PoolUse {
  /** That run a statement or a transaction. */
  readonly busy: number;
  /** Largest possible number. */
  readonly most: number;
  /** Statements and transactions that wait for one. */
  readonly waiting: number;
}

/** An attempt was rolled back because of another one; it may be repeated. */
export class AttemptUndone extends Error {
  override readonly name = 'AttemptUndone';
}

/** Thrown by a statement that violates a constraint; other driver errors are passed on. */
export class ConstraintViolation extends Error {
  /** `value`: the value does not fit its column's type; `trigger`: a trigger raised an error; `privilege`: no right. */
  readonly kind: 'unique' | 'foreignKey' | 'notNull' | 'check' | 'exclusion' | 'value' | 'trigger' | 'privilege';
  /** As far as the database names them; else empty. */
  readonly table: string | undefined;
  readonly columns: readonly string[];
  /** Its name; on SQLite the text of an unnamed check. */
  readonly constraint: string | undefined;

  constructor(
    kind: ConstraintViolation['kind'],
    table: string | undefined,
    columns: readonly string[],
    cause: unknown,
    constraint?: string,
  ) {
    super(`${kind} constraint violated`, { cause });
    this.name = 'ConstraintViolation';
    this.kind = kind;
    this.table = table;
    this.columns = columns;
    this.constraint = constraint;
  }
}
