// Order and rest for work that goes on in the background: one piece after the other, pauses that end with a signal.

/** Runs asynchronous work one after the other. */
export function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

/** How much to do at a stretch, so that requests get their turn and the work its share. */
export interface Pace {
  /** Documents to read and write next. */
  readonly size: number;
  /** Lets requests in. */
  rest(): Promise<void>;
}

// Measured: a writer's request takes three or four turns of the event loop and waits in each for what is done here, so the
// pieces are small: 25 documents take 0.8 ms, and cost no more each than in batches of 500. But under a flood of requests each
// rest takes long, and pieces of that size would get a tenth of the time: they grow with the rest before them.
const SMALLEST = 25;
const LARGEST = 250;
const PER_MS = 30;

/** Makes a pace that is as long as the rests are. */
export function createPace(): Pace {
  let size = SMALLEST;
  return {
    get size() {
      return size;
    },
    async rest() {
      const began = performance.now();
      await new Promise((resolve) => setImmediate(resolve));
      size = Math.min(Math.max(Math.round((performance.now() - began) * PER_MS), SMALLEST), LARGEST);
    },
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
