// How a statement of SQLite ends when its time is over. Node has no way to interrupt one from outside, as it holds the thread;
// so statements that could take long ask from inside, by a function that throws. Asked once for each row that such a
// condition is tried on it costs 0.2 µs: up to a quarter of a filter two relations deep, once before each of several root fields,
// and nothing anywhere else.
import type { DatabaseSync } from 'node:sqlite';
import { graphErrors } from '../errors.ts';
import { MATCHES } from './case-insensitive-match.ts';

/** The function's name in SQL. */
export const IN_TIME = 'lockstitch_in_time';

/** The time of the statements of one connection, which run one after the other. */
interface StatementTime {
  /** A statement begins. */
  begin(): void;
}

const times = new WeakMap<DatabaseSync, StatementTime>();

/** The time of a statement that asks for it; undefined for all others, which need not say when they begin. */
export function timeOf(database: DatabaseSync, sql: string): StatementTime | undefined {
  return sql.includes(IN_TIME) || sql.includes(MATCHES) ? times.get(database) : undefined;
}

/**
 * Registers the function on a connection; `limit` in milliseconds.
 *
 * @returns the same for other functions that statements call: it throws GRAPH_TOO_SLOW
 */
export function limitStatements(database: DatabaseSync, limit: number): () => void {
  let started = 0;
  const check = (): void => {
    const now = performance.now();
    if (started === 0) started = now;
    else if (now - started > limit) throw graphErrors.create('GRAPH_TOO_SLOW', { limit });
  };
  // Not deterministic: else it would be asked once, before everything.
  database.function(IN_TIME, { deterministic: false }, () => {
    check();
    return 1;
  });
  times.set(database, {
    begin() {
      started = 0;
    },
  });
  return check;
}
