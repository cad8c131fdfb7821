// Runs long work on the main thread in short slices, so that requests get their turn in between.
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Milliseconds at a stretch. A request takes several turns of the event loop and waits in each for one stretch; a turn costs
 * some ten microseconds, so much shorter ones would be felt by the work itself.
 */
const SLICE_MS = 1;

/** Runs a generator to its end, letting the event loop turn whenever a slice is used up. */
export async function drive<T>(work: Generator<void, T>, pause: () => Promise<unknown> = nextTurn): Promise<T> {
  let started = performance.now();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (performance.now() - started > SLICE_MS) {
      await pause();
      started = performance.now();
    }
  }
}

/** Runs asynchronous actions one after the other. */
export class Turnstile {
  private last: Promise<unknown> = Promise.resolve();

  run<T>(action: () => Promise<T>): Promise<T> {
    const result = this.last.then(action);
    this.last = result.catch(() => undefined);
    return result;
  }
}
