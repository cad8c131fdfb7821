// How SQLite matches the patterns of filters that do not tell small letters from capital ones (plan/letter-case.ts): it has no
// regular expressions of its own.
import type { DatabaseSync } from 'node:sqlite';

/** The function's name in SQL: `lockstitch_matches(text, pattern)`. */
export const MATCHES = 'lockstitch_matches';

/** Registers the function on a connection. */
export function registerMatches(database: DatabaseSync): void {
  let source: unknown;
  let pattern: RegExp | undefined;
  database.function(MATCHES, { deterministic: true }, (text, given) => {
    if (typeof text !== 'string' || typeof given !== 'string') return null;
    if (pattern === undefined || given !== source) {
      pattern = new RegExp(given, 'u');
      source = given;
    }
    return pattern.test(text) ? 1 : 0;
  });
}
