// Enforces the deadline of SQLite statements. A statement blocks the thread, so Node cannot interrupt it. Statements
// that may take long check the deadline themselves, by an SQL function that throws. It is called for one in 128 of the
// rows that a filter two relations deep tests or that are grouped, for one in 128 scans of related rows at deeper levels,
// and once per root field if there are several that do more than look up a row. A call takes 0.1 µs.
import type { DatabaseSync } from 'node:sqlite';
import { graphErrors } from '../errors.ts';

/** The name of the SQL function. */
export const DEADLINE_FUNCTION = 'lockstitch_in_time';

/** How the names of all functions of the engine begin; several of them check the deadline. */
const FUNCTIONS = 'lockstitch_';

/** The deadline of a connection's statements, which run one after the other. */
interface StatementDeadline {
  /** Call at the start of a statement. */
  begin(): void;
  /** Throws the error of a check that the driver lost: node:sqlite does so if the statement has aggregates of its own. */
  end(): void;
}

const times = new WeakMap<DatabaseSync, StatementDeadline>();

/** The deadline of a statement that checks it; undefined for others. */
export function deadlineOf(database: DatabaseSync, sql: string): StatementDeadline | undefined {
  return sql.includes(FUNCTIONS) ? times.get(database) : undefined;
}

/**
 * Registers the function on a connection; `limit` in milliseconds.
 *
 * @returns the check for other SQL functions; it throws GRAPH_TOO_SLOW
 */
export function limitStatements(database: DatabaseSync, limit: number): () => void {
  let started = 0;
  let failure: Error | undefined;
  const check = (): void => {
    const now = performance.now();
    if (started === 0) started = now;
    else if (now - started > limit) throw (failure = graphErrors.create('GRAPH_TOO_SLOW', { limit }));
  };
  // A deterministic function would be called once, before all rows.
  database.function(DEADLINE_FUNCTION, { deterministic: false }, () => {
    check();
    return 1;
  });
  times.set(database, {
    begin() {
      started = 0;
      failure = undefined;
    },
    end() {
      if (failure !== undefined) throw failure;
    },
  });
  return check;
}
