// Feed position up to which searches see all changes, and the callers that wait for it.

export interface SearchablePosition {
  readonly position: number;
  /** Advances the position and wakes its waiters. */
  reach(position: number): void;
  /** Goes back to a position, of an index that was restored. */
  goBack(position: number): void;
  /** Resolves to true once the position is searchable, to false after `timeout` ms. */
  waitFor(position: number, timeout: number): Promise<boolean>;
  /** Whether somebody waits. */
  readonly isAwaited: boolean;
  /** Wakes all waiters: the position will not advance any more. */
  end(): void;
}

export function createSearchablePosition(): SearchablePosition {
  let searchable = 0;
  const waiting = new Set<{ readonly position: number; readonly wake: () => void }>();
  return {
    get position() {
      return searchable;
    },
    reach(position) {
      searchable = Math.max(searchable, position);
      for (const waiter of waiting) if (waiter.position <= searchable) waiter.wake();
    },
    goBack(position) {
      searchable = Math.min(searchable, position);
    },
    get isAwaited() {
      return waiting.size > 0;
    },
    waitFor(position, timeout) {
      if (searchable >= position) return Promise.resolve(true);
      return new Promise((resolve) => {
        const end = (reached: boolean): void => {
          clearTimeout(timer);
          waiting.delete(waiter);
          resolve(reached);
        };
        const timer = setTimeout(() => end(false), timeout);
        const waiter = { position, wake: () => end(searchable >= position) };
        waiting.add(waiter);
      });
    },
    end() {
      for (const waiter of waiting) waiter.wake();
    },
  };
}
