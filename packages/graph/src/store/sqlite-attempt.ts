// Synchronous transactions on SQLite's writing connection, without a savepoint where none is needed; they make plain
// writes cheap. Anything unusual rolls them back, and the write is repeated through sqlite-writer.ts.
import type { DatabaseSync } from 'node:sqlite';
import type { CommitGroup } from './commit-group.ts';
import { createStatementCache } from './statement-cache.ts';
import { type Attempt, type AttemptSession, AttemptUndone, type MaybePromise, type Statement } from './store.ts';

/** Size of the statement cache of attempts. */
const ATTEMPTED_LIMIT = 500;
/** Attempts that take a savepoint after one was rolled back. */
const WARNED = 1000;

/**
 * Creates the function that runs attempts within a group. It returns a promise that the commit settles; undefined if
 * the work threw.
 */
export function createAttempts(
  database: DatabaseSync,
  group: CommitGroup,
  prepare: (sql: string) => Statement,
): <T>(attempt: Attempt<T>) => Promise<T> | undefined {
  /** Attempts that must take a savepoint, after one without rolled back others. */
  let warned = 0;
  let hasWritten = false;
  const statements = createStatementCache(ATTEMPTED_LIMIT, (sql) =>
    noteWrites(prepare(sql), () => (hasWritten = true)),
  );
  const { appended } = group;
  const session: AttemptSession = {
    prepare: (sql) => statements.get(sql),
    append: (into, values) => appended.append(into, values),
  };

  return <T>({ work, lost, careful }: Attempt<T>) => {
    const joins = group.isOpen;
    // A savepoint costs a tenth of a write, mostly for saving pages.
    const guarded = joins && (careful || !group.onlyAttempts || warned > 0);
    if (warned > 0) warned--;
    const before = appended.count();
    let finish: () => T;
    try {
      if (guarded) group.guard();
      else if (!joins) {
        group.begin.run();
        group.onlyAttempts = true;
      }
    } catch {
      // Another process is writing, or some other error: a transaction that can wait reports it.
      return undefined;
    }
    group.isOpen = true;
    hasWritten = false;
    try {
      finish = work(session);
      if (guarded) group.endGuard();
    } catch (error) {
      appended.keep(before);
      if (guarded || !joins || !database.isTransaction) group.undoMember(joins, error);
      // A failed statement leaves no changes, but an earlier one of the same attempt does.
      else if (hasWritten) {
        warned = WARNED;
        database.exec('ROLLBACK');
        group.loseAll(new AttemptUndone());
      }
      return undefined;
    }
    return new Promise<T>((resolve) => {
      group.add({ resolve: () => resolve(finish()), reject: (error) => resolve(afterwards(error, lost)) });
    });
  };
}

/** A statement that reports its writes. */
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

/** Asynchronously: `lost` may write, and must not do so while the lost transaction is being ended. */
async function afterwards<T>(reason: unknown, lost: (reason: unknown) => MaybePromise<T>): Promise<T> {
  await Promise.resolve();
  return lost(reason);
}
