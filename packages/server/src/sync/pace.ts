// Pacing of background work between requests.

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
export function createPace({ smallest, largest } = { smallest: SMALLEST, largest: LARGEST }): Pace {
  let size = smallest;
  return {
    get size() {
      return size;
    },
    isBehind(behind) {
      size = behind ? Math.min(size * 2, largest) : smallest;
    },
    rest: () => new Promise((resolve) => setImmediate(resolve)),
  };
}
