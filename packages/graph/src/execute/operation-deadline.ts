// The deadline and cancellation of one operation: it times out, or the caller disconnects. Statements, graphql-js and
// further mutation fields check it. Not here: cancelling statements (store/).
import { graphErrors } from '../errors.ts';
import type { MaybePromise, Session, Statement, Stop, Store } from '../store/store.ts';
import type { GraphContext } from './contracts.ts';

/** Shorter operations never check for cancellation: a check costs 3 µs, a timer 1 µs. */
const GRACE = 20;
/** Milliseconds that a cancelled statement may take to end. */
const LAST_WORDS = 1000;

/** The deadline and cancellation of an operation. */
export interface OperationDeadline extends Stop {
  /**
   * The result of `work`, whose end ends the operation; or the result of `failed` for an error, or if the work
   * continues after cancellation.
   */
  guard<T>(work: Promise<T>, failed: (error: unknown) => T): Promise<T>;
  /** For graphql-js and resolvers. */
  readonly signal: AbortSignal;
  /** The operation has ended. */
  settle(): void;
}

/** Starts the time limit of an operation, in milliseconds. */
export function startDeadline(context: Pick<GraphContext, 'signal'>, milliseconds: number): OperationDeadline {
  return new Timed(context, milliseconds);
}

class Timed implements OperationDeadline {
  reason: Error | undefined = undefined;
  readonly #context: Pick<GraphContext, 'signal'>;
  readonly #limit: number;
  readonly #listeners = new Set<() => void>();
  /** By `performance.now()`. */
  readonly #deadline: number;
  #timer: NodeJS.Timeout | undefined;
  #watched: AbortSignal | undefined;
  #abort: AbortController | undefined;

  constructor(context: Pick<GraphContext, 'signal'>, limit: number) {
    this.#context = context;
    this.#limit = limit;
    this.#deadline = performance.now() + limit;
    this.#timer = setTimeout(() => this.#watch(), Math.min(GRACE, limit));
  }

  onStop(listener: () => void): void {
    this.#listeners.add(listener);
  }

  forget(listener: () => void): void {
    this.#listeners.delete(listener);
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.reason !== undefined) this.#abort.abort(this.reason);
      // A resolver may check it immediately.
      else if (this.#watched === undefined) this.#watchCaller();
    }
    return this.#abort.signal;
  }

  guard<T>(work: Promise<T>, failed: (error: unknown) => T): Promise<T> {
    return new Promise((resolve) => {
      const settle = (outcome: T): void => {
        this.settle();
        resolve(outcome);
      };
      this.onStop(() => {
        // The actual result is better than a timeout error.
        const timer = setTimeout(() => settle(failed(this.reason)), LAST_WORDS);
        void work.finally(() => clearTimeout(timer)).catch(() => undefined);
      });
      work.then(settle, (error: unknown) => settle(failed(error)));
    });
  }

  settle(): void {
    clearTimeout(this.#timer);
    this.#listeners.clear();
    this.#watched?.removeEventListener('abort', this.#left);
  }

  #watch(): void {
    // A busy event loop calls this late. The delay counts against the limit.
    const rest = this.#deadline - performance.now();
    if (rest <= 0) return this.#end(tooSlow(this.#limit));
    this.#timer = setTimeout(() => this.#end(tooSlow(this.#limit)), rest);
    return this.#watchCaller();
  }

  #watchCaller(): void {
    if (this.#watched !== undefined) return;
    const { signal } = this.#context;
    if (signal === undefined) return;
    this.#watched = signal;
    if (signal.aborted) this.#left();
    else signal.addEventListener('abort', this.#left, { once: true });
  }

  readonly #left = (): void => this.#end(graphErrors.create('GRAPH_CANCELLED'));

  #end(reason: Error): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    clearTimeout(this.#timer);
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
    this.#abort?.abort(reason);
  }
}

function tooSlow(limit: number): Error {
  return graphErrors.create('GRAPH_TOO_SLOW', { limit });
}

/** A store for cancellable work: no statement starts after cancellation, and a running one is cancelled if possible. */
export function storeUntil(store: Store, stop: Stop): Store {
  return {
    ...store,
    prepare: (sql) => statementUntil(store.prepare(sql), stop),
    transaction: (work) =>
      store.transaction((session) => {
        check(stop);
        return work(sessionUntil(session, stop));
      }),
  };
}

function sessionUntil(session: Session, stop: Stop): Session {
  return { prepare: (sql) => statementUntil(session.prepare(sql), stop) };
}

function statementUntil(statement: Statement, stop: Stop): Statement {
  const unlessStopped = <T>(run: () => MaybePromise<T>): MaybePromise<T> => {
    check(stop);
    return run();
  };
  return {
    text: (values, limit) => unlessStopped(() => statement.text(values, limit, stop)),
    rows: (values) => unlessStopped(() => statement.rows(values, stop)),
    run: (values) => unlessStopped(() => statement.run(values, stop)),
    insert: (values) => unlessStopped(() => statement.insert(values, stop)),
  };
}

function check({ reason }: Stop): void {
  if (reason !== undefined) throw reason;
}
