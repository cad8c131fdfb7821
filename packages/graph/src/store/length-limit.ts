// How long a text or row may be on one connection of SQLite at a time. To set the limit takes 0.1 µs, so it stays as the last
// statement needed it: most of those that answer a request have the same one.
import type { DatabaseSync } from 'node:sqlite';

/** SQLite's own bound in bytes, and the least that it can be set to without refusing its own rows. */
const LONGEST_TEXT = 1_000_000_000;
const SHORTEST_LIMIT = 1000;

/**
 * How much longer than its answer may be what a statement looks at. SQLite has one limit for what it builds and what it reads, and
 * a condition reads rows that no answer holds, hidden ones among them.
 */
export const LONGER_THAN_ANSWER = 64 * 1024 * 1024;

/** The limit of a connection. */
export interface LengthLimit {
  /** Before each statement: it keeps no longer text; without a number, whatever SQLite can keep. */
  set(bytes?: number): void;
}

const limits = new WeakMap<DatabaseSync, LengthLimit>();

/** The limit of a connection; the same one each time. */
export function lengthLimitOf(database: DatabaseSync): LengthLimit {
  let limit = limits.get(database);
  if (limit === undefined) limits.set(database, (limit = createLengthLimit(database)));
  return limit;
}

function createLengthLimit(database: DatabaseSync): LengthLimit {
  let now = LONGEST_TEXT;
  return {
    set(bytes) {
      const wanted = Math.min(LONGEST_TEXT, Math.max(bytes ?? LONGEST_TEXT, SHORTEST_LIMIT));
      if (wanted === now) return;
      database.limits.length = wanted;
      now = wanted;
    },
  };
}
