// Up to which position of the feed searches see everything, and who waits for that to grow. What makes it grow is not decided here.

/** A position that only grows, and those who wait for it. */
export interface Searchable {
  readonly position: number;
  /** Everything up to here is searchable. */
  reach(position: number): void;
  /** Resolves with true once that position is searchable, with false when `timeout` ms are over before. */
  waitFor(position: number, timeout: number): Promise<boolean>;
  /** Nothing more will be searchable: answers all who wait. */
  end(): void;
}

/** Makes one; nothing is searchable yet. */
export function createSearchable(): Searchable {
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
