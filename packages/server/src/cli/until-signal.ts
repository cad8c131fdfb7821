// Waits to be told to stop: for every verb that serves.

/** A terminal's Ctrl+C can arrive twice, from the terminal and from the process that started this one. */
const SAME_SIGNAL_MS = 200;
/** What a supervisor sends, what Ctrl+C sends, and what a terminal sends as it closes. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** The first of these signals; a later one, of whichever kind, ends the process at once. */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first: number | undefined;
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        first ??= performance.now();
        if (performance.now() - first > SAME_SIGNAL_MS) process.exit(130);
        resolve(signal);
      });
    }
  });
}

/**
 * Waits for the end of a server.
 *
 * @param patience time that it may take, in ms
 * @returns the exit code
 */
export async function stopWithin(patience: number, stop: Promise<void>): Promise<number> {
  // A database that does not answer must not hold up the process for good.
  setTimeout(() => process.exit(1), patience).unref();
  await stop;
  return 0;
}

/** The time that closing databases and indexes may take once all requests are answered, in ms. */
export const CLOSE_TIMEOUT = 10_000;
