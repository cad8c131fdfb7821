// The transaction of SQLite's writing connection that those who arrive together share: who waits for its commit, and what becomes
// of all when it fails. Not here: when it is committed (sqlite-writer.ts).
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type AppendedRows, createAppendedRows } from './appended-rows.ts';
import { control, rollback } from './sqlite-control.ts';
import { translateSqliteError } from './sqlite-error.ts';
import { AttemptUndone, type Session } from './store.ts';

/** A transaction whose work is done and that waits for the commit. */
interface Member {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Who is told of a commit. */
export interface CommitListeners {
  /** Called before each commit, whatever comes of it. */
  readonly beforeCommit: () => void;
  /** Called after each commit. */
  readonly onCommit: () => void;
}

/** The shared transaction; it is open from the first statement of the first member until the commit. */
export class CommitGroup {
  isOpen = false;
  /** Whether all who share the transaction are attempts, which can be made again. */
  onlyAttempts = false;
  readonly begin: StatementSync;
  /** Rows of attempts that are inserted before the commit. */
  readonly appended: AppendedRows;
  readonly #database: DatabaseSync;
  readonly #listeners: CommitListeners;
  readonly #end: StatementSync;
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;
  readonly #undo: StatementSync;
  #members: Member[] = [];
  /** How many there were when newcomers were last counted. */
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

  /** How many have joined since it was last asked. */
  countNewcomers(): number {
    const count = this.#members.length - this.#seen;
    this.#seen = this.#members.length;
    return count;
  }

  add(member: Member): void {
    this.#members.push(member);
  }

  /** From here on the statements of one member can be undone alone. */
  guard(): void {
    this.#savepoint.run();
  }

  endGuard(): void {
    this.#release.run();
  }

  /** Commits what is open, and tells everybody who waits. */
  commit(): void {
    this.insertAppended();
    if (!this.isOpen) return;
    const done = this.#forget();
    this.#listeners.beforeCommit();
    try {
      this.#end.run();
    } catch (error) {
      // A full disk: the transaction must not leak into the next one.
      rollback(this.#database);
      for (const member of done) member.reject(translateSqliteError(error));
      return;
    }
    this.#listeners.onCommit();
    for (const member of done) member.resolve();
  }

  /** Where that fails nothing is left of anybody: each attempt is made again, and tells what is wrong with its own row. */
  insertAppended(): void {
    if (this.appended.count() === 0) return;
    try {
      this.appended.insert();
    } catch (error) {
      rollback(this.#database);
      this.loseAll(this.onlyAttempts ? new AttemptUndone() : translateSqliteError(error));
    }
  }

  /** Undoes the statements of one who failed. @param joins whether others came before it in the same transaction */
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

  /** On some errors (disk full, I/O) SQLite rolls everything back by itself: those who shared it have lost as well. */
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
