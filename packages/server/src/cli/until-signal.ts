// Waits to be told to stop: for every verb that serves.

/** A terminal's Ctrl+C can arrive twice, from the terminal and from the process that started this one. */
const SAME_SIGNAL_MS = 500;

/** The first SIGTERM or SIGINT; a later one ends the process at once. */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        const first = performance.now();
        process.on(signal, () => {
          if (performance.now() - first > SAME_SIGNAL_MS) process.exit(130);
        });
        resolve(signal);
      });
    }
  });
}
