// Matches the patterns of case-insensitive filters (plan/case-insensitive-pattern.ts) on SQLite, which has no regular
// expressions.
import type { DatabaseSync } from 'node:sqlite';

/** The SQL function: `lockstitch_matches(text, pattern)`. */
export const MATCHES = 'lockstitch_matches';

/** Size of the cache of compiled patterns; compiling two per row took 20 µs a row. */
const KEPT = 500;

/**
 * Registers the function on a connection.
 *
 * @param checkTime throws after the statement's deadline; a filter may have thousands of patterns
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
