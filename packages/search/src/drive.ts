// Runs long work on the main thread in short slices, so that requests get their turn in between.
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Milliseconds at a stretch. A request takes several turns of the event loop and waits in each for one stretch; a turn costs
 * some ten microseconds, so much shorter ones would be felt by the work itself.
 */
const SHORTEST_MS = 1;
/** Half of the 20 ms that nothing may block the event loop for. */
const LONGEST_MS = 8;

/**
 * Runs a generator to its end, letting the event loop turn whenever a stretch is over. A stretch lasts half as long as the
 * turn before it: with few requests it is hardly felt, and a flood of them leaves the work a third of the time. Half, so that
 * two such works do not lengthen each other's stretches.
 */
export async function drive<T>(work: Generator<void, T>, pause: () => Promise<unknown> = nextTurn): Promise<T> {
  let started = performance.now();
  let stretch = SHORTEST_MS;
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    const paused = performance.now();
    if (paused - started > stretch) {
      await pause();
      started = performance.now();
      stretch = Math.min(Math.max((started - paused) / 2, SHORTEST_MS), LONGEST_MS);
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
