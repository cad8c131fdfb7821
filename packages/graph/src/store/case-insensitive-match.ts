// How SQLite matches the patterns of filters that do not tell small letters from capital ones (plan/case-insensitive-pattern.ts): it has no
// regular expressions of its own.
import type { DatabaseSync } from 'node:sqlite';

/** The function's name in SQL: `lockstitch_matches(text, pattern)`. */
export const MATCHES = 'lockstitch_matches';

/** Patterns whose expressions are kept: made anew for each row, those of a filter with two of them took 20 µs a row. */
const KEPT = 500;

/**
 * Registers the function on a connection.
 *
 * @param checkTime throws when the time of the statement is over: a filter may hold thousands of patterns
 */
export function registerCaseInsensitiveMatch(database: DatabaseSync, checkTime: () => void): void {
  const patterns = new Map<string, RegExp>();
  let source: unknown;
  let pattern: RegExp | undefined;
  database.function(MATCHES, { deterministic: true }, (text, given) => {
    if (typeof text !== 'string' || typeof given !== 'string') return null;
    checkTime();
    if (pattern === undefined || given !== source) {
      pattern = patterns.get(given);
      if (pattern === undefined) {
        if (patterns.size >= KEPT) patterns.clear();
        patterns.set(given, (pattern = new RegExp(given, 'u')));
      }
      source = given;
    }
    return pattern.test(text) ? 1 : 0;
  });
}
