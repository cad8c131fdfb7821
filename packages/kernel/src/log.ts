// Logging as a dependency. The server decides where lines go; a library used alone stays silent by default.

import type { Clock } from './clock.ts';

/** The severities, mildest first. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Takes one event: a sentence and facts. Secrets never go in; callers pass names and ids, not credentials. */
export interface Log {
  write(level: LogLevel, message: string, facts?: Readonly<Record<string, unknown>>): void;
}

/** Drops everything. */
export const silentLog: Log = { write: () => undefined };

/** Milliseconds for which a line that says the same is only counted. */
const REPEAT_MS = 10_000;

/**
 * The same log, but of lines with the same message, code and reason one in ten seconds, with `repeated` for those left out: a store that
 * is away says so with each request. Lines without a code pass.
 */
export function limitRepeats(log: Log, clock: Clock): Log {
  const seen = new Map<string, { at: number; repeated: number }>();
  return {
    write(level, message, facts) {
      if (facts?.['code'] === undefined) return log.write(level, message, facts);
      const key = JSON.stringify([level, message, facts['code'], facts['reason']]);
      const now = clock.now();
      const last = seen.get(key);
      if (last !== undefined && now - last.at < REPEAT_MS) {
        last.repeated += 1;
        return undefined;
      }
      // Reasons may quote what differs each time.
      if (seen.size >= 100) seen.clear();
      seen.set(key, { at: now, repeated: 0 });
      const repeated = last?.repeated ?? 0;
      return log.write(level, message, repeated === 0 ? facts : { ...facts, repeated });
    },
  };
}
