// A group commit: the transaction of SQLite's writing connection that concurrent writes share. Tracks who waits for the
// commit and handles its failure. Not here: when it is committed (sqlite-writer.ts).
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type AppendedRows, createAppendedRows } from './appended-rows.ts';
import { control, rollback } from './sqlite-control.ts';
import { translateSqliteError } from './sqlite-error.ts';
import { AttemptUndone, type Session } from './store.ts';

/** A write that is done and waits for the commit. */
interface Member {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Callbacks of a commit. */
export interface CommitListeners {
  /** Called before each commit, successful or not. */
  readonly beforeCommit: () => void;
  /** Called after each commit. */
  readonly onCommit: () => void;
}

/** The shared transaction. It is open from the first member's first statement until the commit. */
export class CommitGroup {
  isOpen = false;
  /** All members are attempts, which can be repeated. */
  onlyAttempts = false;
  readonly begin: StatementSync;
  /** Rows of attempts, inserted before the commit. */
  readonly appended: AppendedRows;
  readonly #database: DatabaseSync;
  readonly #listeners: CommitListeners;
  readonly #end: StatementSync;
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;
  readonly #undo: StatementSync;
  #members: Member[] = [];
  /** Number of members when newcomers were last counted. */
  #seen = 0;

  constructor(database: DatabaseSync, session: Session, listeners: CommitListeners) {
    this.#database = database;
    this.#listeners = listeners;
    this.begin = control(database, 'BEGIN IMMEDIATE');
    this.#end = control(database, 'COMMIT');
    this.#savepoint = control(database, 'SAVEPOINT member');
    this.#release = control(database, 'RELEASE member');
    this.#undo = control(database, 'ROLLBACK TO member');
    this.appended = createAppendedRows((sql) => session.prepare(sql));
  }

  get size(): number {
    return this.#members.length;
  }

  /** Members that joined since the last call. */
  countNewcomers(): number {
    const count = this.#members.length - this.#seen;
    this.#seen = this.#members.length;
    return count;
  }

  add(member: Member): void {
    this.#members.push(member);
  }

  /** Opens a savepoint for one member. */
  guard(): void {
    this.#savepoint.run();
  }

  endGuard(): void {
    this.#release.run();
  }

  /** Commits the transaction and settles all members. */
  commit(): void {
    this.insertAppended();
    if (!this.isOpen) return;
    const done = this.#forget();
    this.#listeners.beforeCommit();
    try {
      this.#end.run();
    } catch (error) {
      // For example a full disk: the transaction must not leak into the next one.
      rollback(this.#database);
      for (const member of done) member.reject(translateSqliteError(error));
      return;
    }
    this.#listeners.onCommit();
    for (const member of done) member.resolve();
  }

  /** On failure everything is rolled back. Each attempt is then repeated, and reports the error of its own row. */
  insertAppended(): void {
    if (this.appended.count() === 0) return;
    try {
      this.appended.insert();
    } catch (error) {
      rollback(this.#database);
      this.loseAll(this.onlyAttempts ? new AttemptUndone() : translateSqliteError(error));
    }
  }

  /** Rolls back a failed member. @param joins whether the transaction has earlier members */
  undoMember(joins: boolean, error: unknown): void {
    if (!this.#database.isTransaction) this.loseAll(error);
    else if (joins) {
      this.#undo.run();
      this.#release.run();
    } else {
      this.#database.exec('ROLLBACK');
      this.isOpen = false;
    }
  }

  /** On some errors (disk full, I/O) SQLite rolls back the whole transaction, so all members have lost their writes. */
  loseAll(error: unknown): void {
    const lost = this.#forget();
    this.appended.keep(0);
    for (const member of lost) member.reject(error);
  }

  #forget(): readonly Member[] {
    const members = this.#members;
    this.#members = [];
    this.#seen = 0;
    this.isOpen = false;
    return members;
  }
}
