// How an operation is watched while it is answered: phases, the statements of the database, who answered. Tracing (tracing.ts)
// and explaining (explain.ts) are both made of this; without either of them nothing here runs.
import type { MaybePromise, Session, SqlValue, Statement, Store } from '../store/store.ts';

export type Phase = 'parse' | 'validate' | 'compile' | 'execute';

/** Is told what goes on. */
export interface Observer {
  /** Runs a phase; a promise is its end. */
  phase<T>(name: Phase, work: () => T): T;
  /** Which operation of the document it is. */
  operation(kind: string, name: string | undefined): void;
  /** Who answers: one statement (a field, in a mutation), or graphql-js with statements of its own. */
  answeredBy(who: 'statement' | 'graphql-js'): void;
  /** Runs a statement of the database. */
  statement<T>(sql: string, values: readonly SqlValue[], run: () => MaybePromise<T>): MaybePromise<T>;
}

/** Runs a phase, watched or not. */
export function inPhase<T>(observer: Observer | undefined, name: Phase, work: () => T): T {
  return observer === undefined ? work() : observer.phase(name, work);
}

/** Calls `tell` when the work has come to an end, with the error if it was one. */
export function finish<T>(work: () => T, tell: (error?: unknown) => void): T {
  try {
    const result = work();
    if (result instanceof Promise) return settled(result, tell) as T;
    tell();
    return result;
  } catch (error) {
    tell(error);
    throw error;
  }
}

async function settled<T>(work: Promise<T>, tell: (error?: unknown) => void): Promise<T> {
  try {
    const result = await work;
    tell();
    return result;
  } catch (error) {
    tell(error);
    throw error;
  }
}

/** The same database, each statement of which an observer is told. */
export function observeStore(store: Store, observer: Pick<Observer, 'statement'>): Store {
  const observed = (session: Session): Session => ({
    prepare(sql) {
      const statement = session.prepare(sql);
      const run = <T>(values: readonly SqlValue[], work: () => MaybePromise<T>): MaybePromise<T> =>
        observer.statement(sql, values, work);
      return {
        text: (values, limit, stop) => run(values, () => statement.text(values, limit, stop)),
        rows: (values, stop) => run(values, () => statement.rows(values, stop)),
        run: (values, stop) => run(values, () => statement.run(values, stop)),
        insert: (values, stop) => run(values, () => statement.insert(values, stop)),
      } satisfies Statement;
    },
  });
  const { attempt } = store;
  // What is prepared on the session of an attempt may be kept: it is one and the same. Without `append` each statement is seen.
  let attempted: Session | undefined;
  return {
    ...store,
    ...observed(store),
    transaction: (work) => store.transaction((session) => work(observed(session))),
    attempt:
      attempt === undefined
        ? undefined
        : ({ work, ...rest }) => attempt({ ...rest, work: (session) => work((attempted ??= observed(session))) }),
  };
}
