// The contract between the engine and a database. One file each implements it: store-sqlite.ts and store-postgres.ts.
// SQLite answers synchronously and PostgreSQL does not; `MaybePromise` keeps the synchronous path free of promises,
// which is a measured part of the throughput.

export type MaybePromise<T> = T | Promise<T>;

/** A value that can be bound to a statement. */
export type SqlValue = string | number | bigint | boolean | null | Uint8Array;

/** A row as an array, in the order of the selected columns. */
export type Row = readonly unknown[];

/** One SQL text, prepared once and run often. */
export interface Statement {
  /** Runs it and returns the first column of the first row, as text; null when there is no row. */
  text(values: readonly SqlValue[]): MaybePromise<string | null>;
  /** Runs it and returns every row. */
  rows(values: readonly SqlValue[]): MaybePromise<readonly Row[]>;
  /** Runs it for its effect and returns the number of rows changed. */
  run(values: readonly SqlValue[]): MaybePromise<number>;
}

/** A place statements run: the store itself (each alone) or a transaction. */
export interface Session {
  prepare(sql: string): Statement;
}

/** A database. */
export interface Store extends Session {
  readonly dialect: 'sqlite' | 'postgres';
  /** Where the data is, fit to show: a file path, or a URL without its password. */
  readonly description: string;
  /**
   * Runs `work` in one write transaction: committed when it returns, rolled back when it throws. SQLite runs one at a
   * time in order of arrival. `work` must use the session it is given and finish all its statements before it returns.
   */
  transaction<T>(work: (session: Session) => MaybePromise<T>): Promise<T>;
  /** Runs a script of statements outside the statement cache (schema changes). */
  script(sql: string): Promise<void>;
  close(): Promise<void>;
}
