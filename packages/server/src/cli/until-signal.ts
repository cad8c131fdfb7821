// Waits for a stop signal.

/** Ctrl+C can arrive twice: from the terminal and from the parent process. */
const SAME_SIGNAL_MS = 200;
/** Sent by supervisors, by Ctrl+C, and by a terminal that closes. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Resolves to the first of these signals. A later one, of any kind, ends the process at once. */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first: number | undefined;
    for (const signal of SIGNALS)
      process.on(signal, () => {
        first ??= performance.now();
        if (performance.now() - first > SAME_SIGNAL_MS) process.exit(130);
        resolve(signal);
      });
  });
}

/**
 * Waits for a server to stop.
 *
 * @param timeout in ms
 * @returns the exit code
 */
export async function stopWithin(timeout: number, stop: Promise<void>): Promise<number> {
  // A database that does not respond must not keep the process running.
  setTimeout(() => process.exit(1), timeout).unref();
  await stop;
  return 0;
}

/** Time limit for closing databases and indexes after all requests are answered, in ms. */
export const CLOSE_TIMEOUT = 10_000;
