// Background work: waiting for its end, its pace beside requests, pauses that end with a signal.

/** Work that nobody need wait for until the end. */
export interface Background {
  /** Gives the work back, and remembers it until it has ended. */
  readonly run: <T>(work: Promise<T>) => Promise<T>;
  /** Resolves when all of it has ended, well or not. */
  settled(): Promise<void>;
}

/** Makes an empty one. */
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

/** How much to do at a stretch, so that requests get their turn and the work its share. */
export interface Pace {
  /** Documents to read and write next. */
  readonly size: number;
  /** Says whether more changes wait than were taken: then much is being written, and the next pieces are larger. */
  isBehind(behind: boolean): void;
  /** Lets requests in. */
  rest(): Promise<void>;
}

// Measured: a writer's request takes three or four turns of the event loop and waits in each for what is done here, so the
// pieces are small: 25 documents take 0.8 ms, and cost no more each than in batches of 500. But under a flood of writes each
// turn takes long, and pieces of that size would get a tenth of the time.
const SMALLEST = 25;
const LARGEST = 250;

/** Makes a pace that is slow as long as few changes wait. One change of very many documents leaves it slow. */
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

/** Resolves after a time, or as soon as the signal fires. */
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
