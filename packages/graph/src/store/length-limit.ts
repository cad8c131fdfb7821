// Limits the length of texts and rows on one SQLite connection. Setting the limit takes 0.1 µs, so it keeps its value
// until a statement needs another; most requests have the same.
import type { DatabaseSync } from 'node:sqlite';

/** SQLite's maximum in bytes, and the smallest limit at which its own schema rows still fit. */
const LONGEST_TEXT = 1_000_000_000;
const SHORTEST_LIMIT = 1000;

/**
 * How much longer than the response a value may be that a statement reads. SQLite has one limit for what it builds and
 * reads, and a condition also reads rows that are not in the response, hidden ones included.
 */
export const LONGER_THAN_ANSWER = 64 * 1024 * 1024;

/** The limit of a connection. */
export interface LengthLimit {
  /** Sets the limit before a statement; without `bytes`, SQLite's maximum. */
  set(bytes?: number): void;
}

const limits = new WeakMap<DatabaseSync, LengthLimit>();

/** The limit of a connection; always the same object. */
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
