// Task tracking and pacing for background work.

/** Tracks promises that no caller awaits until the end. */
export interface Background {
  /** Tracks a promise and returns it. */
  readonly run: <T>(work: Promise<T>) => Promise<T>;
  /** Resolves when all tracked promises have settled. */
  settled(): Promise<void>;
}

export function createBackground(): Background {
  const underWay = new Set<Promise<unknown>>();
  return {
    run(work) {
      const ended: Promise<unknown> = work.catch(() => undefined).then(() => underWay.delete(ended));
      underWay.add(ended);
      return work;
    },
    async settled() {
      await Promise.all(underWay);
    },
  };
}

/** Batch size of background work, so that requests are not delayed and the work still progresses. */
export interface Pace {
  /** Number of documents to read and write next. */
  readonly size: number;
  /** Tells whether more changes are pending than were read; the next batches are then larger. */
  isBehind(behind: boolean): void;
  /** Yields to the event loop. */
  rest(): Promise<void>;
}

// Measured: a write request takes three or four turns of the event loop and waits in each for the work done here, so
// batches are small. 25 documents take 0.8 ms, and cost no more each than in batches of 500. Under a flood of writes
// each turn is long, and batches of that size would get a tenth of the time.
const SMALLEST = 25;
const LARGEST = 250;

/**
 * Creates a pace that grows while changes are pending. One change that affects very many documents does not make it
 * grow.
 */
export function createPace(): Pace {
  let size = SMALLEST;
  return {
    get size() {
      return size;
    },
    isBehind(behind) {
      size = behind ? Math.min(size * 2, LARGEST) : SMALLEST;
    },
    rest: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

/** Resolves after a time, or as soon as the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end, { once: true });
  });
}
