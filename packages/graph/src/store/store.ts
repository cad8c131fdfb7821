// The contract between the engine and a database. One file each implements it: store-sqlite.ts and store-postgres.ts.
// SQLite answers synchronously and PostgreSQL does not; `MaybePromise` keeps the synchronous path free of promises,
// which is a measured part of the throughput.

export type MaybePromise<T> = T | Promise<T>;

/** A value that can be bound to a statement. Whole numbers are bound as integers, others as floating point. */
export type SqlValue = string | number | bigint | boolean | null | Uint8Array;

/** A row as an array, in the order of the selected columns. */
export type Row = readonly unknown[];

/** Says when work is to end early: its time is over, or nobody waits for it any more. */
export interface Stop {
  /** Why, once it is. */
  readonly reason: Error | undefined;
  /** Calls back once when it is. */
  onStop(listener: () => void): void;
  /** Does not call that listener back. */
  forget(listener: () => void): void;
}

/**
 * One SQL text, prepared once and run often. Parameters are written `?` on SQLite and `$1`, `$2` … on PostgreSQL.
 * PostgreSQL cancels a statement that is under way when `stop` says so, and it throws the reason; SQLite holds the thread
 * until a statement is done, so nothing can reach it.
 */
export interface Statement {
  /**
   * Runs it and returns the first column of the first row, as the text that the database prints; null when there is no row.
   * A text of more than `limit` bytes in UTF-8 is refused with TextTooLong: SQLite builds nothing longer, PostgreSQL sends it first.
   */
  text(values: readonly SqlValue[], limit?: number, stop?: Stop): MaybePromise<string | null>;
  /**
   * The same for a text that goes out unread: a long one may come as its bytes in UTF-8, always sound ones, which spares
   * decoding and encoding it. Absent where that is no shorter.
   */
  readonly textOrBytes?: (values: readonly SqlValue[], limit?: number) => string | Buffer | null;
  /** Runs it and returns every row. */
  rows(values: readonly SqlValue[], stop?: Stop): MaybePromise<readonly Row[]>;
  /** Runs it for its effect and returns the number of rows changed. */
  run(values: readonly SqlValue[], stop?: Stop): MaybePromise<number>;
  /**
   * Inserts one row and returns the whole number that the database gave it as its key. On PostgreSQL the text returns that
   * column; on SQLite it returns nothing, because RETURNING doubles the cost of an insert (2.6 µs without, 5.1 with).
   */
  insert(values: readonly SqlValue[], stop?: Stop): MaybePromise<number | bigint>;
}

/** A place statements run: the store itself (each alone) or a transaction. */
export interface Session {
  prepare(sql: string): Statement;
}

/** The session of attempts: the same every time, so that what is prepared on it may be kept. */
export interface AttemptSession extends Session {
  /**
   * Has a row inserted once its attempt stands, at the latest just before the commit, in the order of these calls: together
   * with those of others who share the commit, which costs less. `into` is an INSERT up to its VALUES. Absent where each
   * statement is to be seen.
   */
  readonly append?: (into: string, values: readonly SqlValue[]) => AppendedRow;
}

/** A row that is inserted later. */
export interface AppendedRow {
  /** The whole number that the database gave it as its key; 0 until the commit. */
  readonly key: number;
}

/** Work that is done at once. */
export interface Attempt<T> {
  /** Writes. What it returns is called after the commit, for the result, and must not throw. */
  readonly work: (session: AttemptSession) => () => T;
  /** Makes the result instead when nothing of it was committed after all: AttemptUndone, or why the commit failed. */
  readonly lost: (error: unknown) => MaybePromise<T>;
  /** Work that may well throw after it has written. It costs a savepoint. */
  readonly careful: boolean;
}

/** A database. */
export interface Store extends Session {
  readonly dialect: 'sqlite' | 'postgres';
  /** Where the data is, fit to show: a file path, or a URL without its password. */
  readonly description: string;
  /**
   * Only where the database answers at once (SQLite): writes in a transaction here and now, and resolves when that is
   * committed. Undefined when it cannot begin at once, or when `work` threw; the database is then as it was. Where work that
   * was not careful had written before it threw, those who shared its transaction are undone with it, and told AttemptUndone.
   */
  readonly attempt: (<T>(attempt: Attempt<T>) => Promise<T> | undefined) | undefined;
  /**
   * Runs `work` in one write transaction: committed before the promise resolves, rolled back when `work` throws. SQLite
   * runs one at a time in order of arrival. `work` must use the session it is given and finish all its statements before it returns.
   * A statement prepared on the store never sees what an open transaction has written; on an in-memory SQLite store it
   * waits for that transaction instead, so `work` must not await one.
   */
  readonly transaction: <T>(work: (session: Session) => MaybePromise<T>) => Promise<T>;
  /**
   * Runs a script of statements outside the statement cache (schema changes), all of it or nothing, after the
   * transactions that arrived before it. Foreign keys are not enforced inside, and checked at its end.
   */
  readonly script: (sql: string) => Promise<void>;
  /**
   * Calls `listener` when data may have been committed: at once for transactions of this store, within 50 ms for those
   * of other processes. It may be called without a change. Returns the way to stop.
   */
  onCommit(listener: () => void): () => void;
  /** A number that changes when another process has committed; absent where a database does not tell. It takes 2 µs. */
  readonly otherCommits?: () => number;
  /** Ends running transactions in order and closes; later calls throw. */
  close(): Promise<void>;
}

/** Of an attempt nothing is left, through no fault of its own: it may be made again. */
export class AttemptUndone extends Error {
  override readonly name = 'AttemptUndone';
}

/** What a statement throws when the data refused it; everything else a driver throws is passed on as it is. */
export class ConstraintViolation extends Error {
  /** `value`: it does not fit its column's type; `trigger`: a trigger raised an error. */
  readonly kind: 'unique' | 'foreignKey' | 'notNull' | 'check' | 'exclusion' | 'value' | 'trigger';
  /** As far as the database names them; empty when it does not. */
  readonly table: string | undefined;
  readonly columns: readonly string[];
  /** Its name; in SQLite the text of a check that has none. */
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
