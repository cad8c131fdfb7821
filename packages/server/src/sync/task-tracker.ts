// Background work that has to end before the sync closes.

/** Tracks promises that no caller awaits until the end. */
export interface TaskTracker {
  /** Tracks a promise and returns it. */
  readonly run: <T>(work: Promise<T>) => Promise<T>;
  /** Resolves when all tracked promises have settled. */
  settled(): Promise<void>;
}

export function createTaskTracker(): TaskTracker {
  const underWay = new Set<Promise<unknown>>();
  return {
    run(work) {
      // The caller of `run` handles errors.
      const ended: Promise<unknown> = work.catch(() => undefined).then(() => underWay.delete(ended));
      underWay.add(ended);
      return work;
    },
    async settled() {
      await Promise.all(underWay);
    },
  };
}
