// Observes an operation: phases, statements, executor. Tracing (tracing.ts) and explanations (explain.ts) use it;
// without them none of it runs.
import type { MaybePromise, Session, SqlValue, Statement, Store } from '../store/store.ts';

export type Phase = 'parse' | 'validate' | 'compile' | 'execute';

/** Receives the events of an operation. */
export interface Observer {
  /** Runs a phase; a promise ends it. */
  phase<T>(name: Phase, work: () => T): T;
  /** The operation of the document. */
  operation(kind: string, name: string | undefined): void;
  /** The executor: one statement (per field, in a mutation), or graphql-js with its own statements. */
  answeredBy(who: 'statement' | 'graphql-js'): void;
  /** Runs a database statement. */
  statement<T>(sql: string, values: readonly SqlValue[], run: () => MaybePromise<T>): MaybePromise<T>;
}

/** Runs a phase, observed or not. */
export function inPhase<T>(observer: Observer | undefined, name: Phase, work: () => T): T {
  return observer === undefined ? work() : observer.phase(name, work);
}

/** Calls `tell` at the end of the work, with the error if it failed. */
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

/** A store whose statements are observed. */
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
  // Statements prepared on the session of an attempt may be cached, since the session is always the same. Without
  // `append`, each statement is observed.
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
