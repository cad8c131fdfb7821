// Transactions of SQLite's writing connection that are made here and now, without a savepoint where nothing would need it: what
// makes a plain write cheap. Whatever is unusual undoes them, and they are made again by the long way. Not here: that way
// (sqlite-writer.ts).
import type { DatabaseSync } from 'node:sqlite';
import type { CommitGroup } from './commit-group.ts';
import { createStatementCache } from './statement-cache.ts';
import { type Attempt, type AttemptSession, AttemptUndone, type MaybePromise, type Statement } from './store.ts';

/** Statements of attempts that are kept. */
const ATTEMPTED_LIMIT = 500;
/** How many attempts are careful after one had to be undone. */
const WARNED = 1000;

/** Makes attempts that join a group: the promise of the outcome, which the commit settles; undefined when the work threw. */
export function createAttempts(
  database: DatabaseSync,
  group: CommitGroup,
  prepare: (sql: string) => Statement,
): <T>(attempt: Attempt<T>) => Promise<T> | undefined {
  /** How many attempts take a savepoint, after one that had none took others down with it. */
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
    // A savepoint costs a tenth of a write, its memory of former pages most of all.
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
      // Another process writes, or whatever else is wrong: a transaction that can wait will tell.
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
      // A statement that fails leaves nothing behind; one that went before it does.
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
