// Transactions on SQLite's one writing connection: one at a time, in order of arrival. Those that arrive while the event
// loop is at work on others share one COMMIT, and with it one wait for the disk (150 µs here, against 35 µs for the
// statements of a write): each is a savepoint that can fail alone, and none is acknowledged before the commit.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { createAppendedRows } from './appended-rows.ts';
import { beginNow } from './begin-now.ts';
import { lengthLimitOf } from './length-limit.ts';
import { translateSqliteError } from './sqlite-error.ts';
import { createStatementCache } from './statement-cache.ts';
import {
  type Attempt,
  type AttemptSession,
  AttemptUndone,
  ConstraintViolation,
  type MaybePromise,
  type Session,
  type Statement,
} from './store.ts';

/** Transactions that share a commit at most, so that none waits long for the others. */
const GROUP_LIMIT = 64;

/** Statements of attempts that are kept. */
const ATTEMPTED_LIMIT = 500;
/** How many attempts are careful after one had to be undone. */
const WARNED = 1000;

/** How transactions are run. */
export interface SqliteWriterOptions {
  /** Prepares a statement of an attempt, which may fail for whatever is unusual. */
  readonly prepareAttempt: (sql: string) => Statement;
  /** How long to wait for another process that writes, in milliseconds. */
  readonly busyTimeout: number;
  /** Whether transactions may share a commit. */
  readonly group: boolean;
  /** Called before each commit, whatever comes of it. */
  readonly beforeCommit: () => void;
  /** Called after each commit. */
  readonly onCommit: () => void;
}

/** The writing side of a store. */
export interface SqliteWriter {
  readonly transaction: <T>(work: (session: Session) => MaybePromise<T>) => Promise<T>;
  /** A transaction here and now; undefined when others are at it, or when the work threw. */
  readonly attempt: <T>(attempt: Attempt<T>) => Promise<T> | undefined;
  readonly script: (sql: string) => Promise<void>;
  /** Settles when the work that goes on now has ended; undefined when there is none. */
  open(): Promise<void> | undefined;
  /** Ends what has arrived, in order; everything later is refused. */
  close(): Promise<void>;
}

/** A transaction whose work is done and that waits for the commit. */
interface Member {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Job {
  /** Runs when its turn has come; never throws. */
  readonly run: () => MaybePromise<void>;
  /** Must not share a transaction with others. */
  readonly alone: boolean;
}

/** Creates the writer of a connection. */
export function createSqliteWriter(
  database: DatabaseSync,
  session: Session,
  options: SqliteWriterOptions,
): SqliteWriter {
  const begin = control(database, 'BEGIN IMMEDIATE');
  const end = control(database, 'COMMIT');
  const savepoint = control(database, 'SAVEPOINT member');
  const release = control(database, 'RELEASE member');
  const undo = control(database, 'ROLLBACK TO member');
  const jobs: Job[] = [];
  let members: Member[] = [];
  /** How many there were when the commit was last due. */
  let seen = 0;
  let isOpen = false;
  /** Whether all who share the transaction are attempts, which can be made again. */
  let onlyAttempts = false;
  /** How many attempts take a savepoint, after one that had none took others down with it. */
  let warned = 0;
  let hasWritten = false;
  const attempted = createStatementCache(ATTEMPTED_LIMIT, (sql) =>
    noteWrites(options.prepareAttempt(sql), () => (hasWritten = true)),
  );
  /** Of attempts that wait for the commit. */
  const appended = createAppendedRows((sql) => session.prepare(sql));
  const attemptSession: AttemptSession = {
    prepare: (sql) => attempted.get(sql),
    append: (into, values) => appended.append(into, values),
  };
  let isBusy = false;
  let running: Promise<void> | undefined;
  let due: NodeJS.Immediate | undefined;
  let closed = false;

  function enqueue(job: Job): void {
    jobs.push(job);
    work();
  }

  function work(): void {
    while (!isBusy) {
      const job = jobs.shift();
      if (job === undefined) return;
      if (job.alone) commit();
      isBusy = true;
      const result = job.run();
      if (result === undefined) {
        afterJob();
        continue;
      }
      running = result.then(() => {
        running = undefined;
        afterJob();
        work();
      });
    }
  }

  function afterJob(): void {
    isBusy = false;
    if (members.length === 0) return;
    if (!options.group || members.length >= GROUP_LIMIT) commit();
    // Once the requests that have arrived are all seen to, before the loop waits for more.
    else due ??= setImmediate(commitDue);
  }

  function commitDue(): void {
    due = undefined;
    // Asynchronous work goes on: its end looks again.
    if (isBusy) return;
    // Requests come in by handfuls: while more than one joins in a turn of the loop, the next turn is waited for.
    const joined = members.length - seen;
    seen = members.length;
    if (joined > 1) due = setImmediate(commitDue);
    else commit();
  }

  function commit(): void {
    if (due !== undefined) clearImmediate(due);
    due = undefined;
    insertAppended();
    if (!isOpen) return;
    const done = members;
    members = [];
    seen = 0;
    isOpen = false;
    options.beforeCommit();
    try {
      end.run();
    } catch (error) {
      // A full disk: the transaction must not leak into the next one.
      rollback(database);
      for (const member of done) member.reject(translateSqliteError(error));
      return;
    }
    options.onCommit();
    for (const member of done) member.resolve();
  }

  /** Where that fails nothing is left of anybody: each attempt is made again, and tells what is wrong with its own row. */
  function insertAppended(): void {
    if (appended.count() === 0) return;
    try {
      appended.insert();
    } catch (error) {
      rollback(database);
      loseAll(onlyAttempts ? new AttemptUndone() : translateSqliteError(error));
    }
  }

  function runMember<T>(
    task: (session: Session) => MaybePromise<T>,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
  ): MaybePromise<void> {
    // What came before stands before it, in the feed too.
    insertAppended();
    const joins = isOpen;
    const fail = (error: unknown): void => {
      undoMember(joins, error);
      reject(error);
    };
    const succeed = (value: T): void => {
      if (joins) release.run();
      members.push({ resolve: () => resolve(value), reject });
    };
    const start = (): MaybePromise<void> => {
      isOpen = true;
      onlyAttempts = false;
      try {
        if (joins) savepoint.run();
        const result = task(session);
        if (result instanceof Promise) return result.then(succeed, fail);
        succeed(result);
      } catch (error) {
        fail(error);
      }
      return undefined;
    };
    if (joins) return start();
    try {
      const begun = beginNow(database, begin, options.busyTimeout);
      return begun === undefined ? start() : begun.then(start, reject);
    } catch (error) {
      reject(error);
      return undefined;
    }
  }

  function undoMember(joins: boolean, error: unknown): void {
    if (!database.isTransaction) loseAll(error);
    else if (joins) {
      undo.run();
      release.run();
    } else {
      database.exec('ROLLBACK');
      isOpen = false;
    }
  }

  function attempt<T>({ work, lost, careful }: Attempt<T>): Promise<T> | undefined {
    if (closed || isBusy || jobs.length > 0) return undefined;
    const joins = isOpen;
    // A savepoint costs a tenth of a write, its memory of former pages most of all.
    const guarded = joins && (careful || !onlyAttempts || warned > 0);
    if (warned > 0) warned--;
    const before = appended.count();
    let finish: () => T;
    try {
      if (guarded) savepoint.run();
      else if (!joins) {
        begin.run();
        onlyAttempts = true;
      }
    } catch {
      // Another process writes, or whatever else is wrong: a transaction that can wait will tell.
      return undefined;
    }
    isOpen = true;
    hasWritten = false;
    try {
      finish = work(attemptSession);
      if (guarded) release.run();
    } catch (error) {
      appended.keep(before);
      if (guarded || !joins || !database.isTransaction) undoMember(joins, error);
      // A statement that fails leaves nothing behind; one that went before it does.
      else if (hasWritten) undoAttempts();
      return undefined;
    }
    return new Promise((resolve) => {
      members.push({ resolve: () => resolve(finish()), reject: (error) => resolve(afterwards(error, lost)) });
      afterJob();
    });
  }

  function undoAttempts(): void {
    warned = WARNED;
    database.exec('ROLLBACK');
    loseAll(new AttemptUndone());
  }

  /** On some errors (disk full, I/O) SQLite rolls everything back by itself: those who shared it have lost as well. */
  function loseAll(error: unknown): void {
    const lost = members;
    members = [];
    seen = 0;
    isOpen = false;
    appended.keep(0);
    for (const member of lost) member.reject(error);
  }

  return {
    attempt,
    open: () => running,
    transaction: (task) =>
      new Promise((resolve, reject) => {
        if (closed) reject(closedError());
        else enqueue({ alone: false, run: () => runMember(task, resolve, reject) });
      }),
    script: (sql) =>
      new Promise((resolve, reject) => {
        const run = (): Promise<void> =>
          runScript(database, sql, options).then(() => {
            options.onCommit();
            resolve();
          }, reject);
        if (closed) reject(closedError());
        else enqueue({ alone: true, run });
      }),
    close: () => {
      closed = true;
      return new Promise((resolve) => {
        enqueue({ alone: true, run: () => resolve() });
      });
    },
  };
}

/**
 * A statement about transactions. Its result carries the last row's id like any other, and one beyond 2^53 would make it
 * throw after it has run.
 */
function control(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}

/** The same statement, which says when it has written. */
function noteWrites(statement: Statement, wrote: () => void): Statement {
  const after = <T>(result: T): T => {
    wrote();
    return result;
  };
  return {
    ...statement,
    run: (values) => after(statement.run(values)),
    insert: (values) => after(statement.insert(values)),
  };
}

/** Never at once: what is done instead may write, and would do so amid the end of the transaction that was lost. */
async function afterwards<T>(reason: unknown, lost: (reason: unknown) => MaybePromise<T>): Promise<T> {
  await Promise.resolve();
  return lost(reason);
}

function closedError(): Error {
  return new Error('The store is closed.');
}

function rollback(database: DatabaseSync): void {
  if (database.isTransaction) database.exec('ROLLBACK');
}

// Rebuilding a table drops the old one, which would set off ON DELETE actions; enforcement can only be switched outside
// a transaction (SQLite, "Making Other Kinds Of Table Schema Changes").
async function runScript(
  database: DatabaseSync,
  sql: string,
  { busyTimeout, beforeCommit }: SqliteWriterOptions,
): Promise<void> {
  lengthLimitOf(database).set();
  database.exec('PRAGMA foreign_keys = OFF');
  try {
    await beginNow(database, control(database, 'BEGIN IMMEDIATE'), busyTimeout);
    database.exec(sql);
    const broken = database.prepare('PRAGMA foreign_key_check').get();
    if (broken !== undefined) throw new ConstraintViolation('foreignKey', String(broken['table']), [], undefined);
    beforeCommit();
    database.exec('COMMIT');
  } catch (error) {
    rollback(database);
    throw translateSqliteError(error);
  } finally {
    database.exec('PRAGMA foreign_keys = ON');
  }
}
