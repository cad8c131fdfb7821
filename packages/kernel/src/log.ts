// Logging as a dependency. The server decides where lines go; a library used alone stays silent by default.

/** The severities, mildest first. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Takes one event: a sentence and facts. Secrets never go in; callers pass names and ids, not credentials. */
export interface Log {
  write(level: LogLevel, message: string, facts?: Readonly<Record<string, unknown>>): void;
}

/** Drops everything. */
export const silentLog: Log = { write: () => undefined };
