// Cooperative scheduler of the main thread: runs long work in short slices, so that requests run in between.
import { yieldTurn } from './event-loop-queue.ts';

/**
 * Milliseconds of a slice. A request takes several turns of the event loop and waits in each for one slice; a turn costs
 * some ten microseconds, so much shorter slices would slow the work itself.
 */
const SHORTEST_MS = 1;
/** Half of the 20 ms for which nothing may block the event loop. */
const LONGEST_MS = 8;
/** Slice of work that takes a few hundred milliseconds at most in all. */
const SLICE_MS = 3;

/** Work in slices. A yielded promise is awaited: the work resumes with its value, or its rejection is thrown there. */
export type Task<T> = Generator<void | Promise<unknown>, T, unknown>;

/**
 * Runs a generator to its end and yields to the event loop after each slice. A slice lasts half as long as the
 * turn before it: few requests hardly notice it, and a flood of requests leaves the work a third of the time. Half, so that
 * two such works do not lengthen each other's slices.
 */
export async function runTask<T>(
  work: Generator<void, T> | Task<T>,
  pause: () => Promise<unknown> = yieldTurn,
): Promise<T> {
  let started = performance.now();
  let slice = SHORTEST_MS;
  let step = work.next();
  for (;;) {
    if (step.done === true) return step.value;
    if (step.value !== undefined) {
      step = await step.value.then(
        (value) => work.next(value),
        (error: unknown) => work.throw(error),
      );
      started = performance.now();
      continue;
    }
    const paused = performance.now();
    if (paused - started > slice) {
      await pause();
      started = performance.now();
      slice = Math.min(Math.max((started - paused) / 2, SHORTEST_MS), LONGEST_MS);
    }
    step = work.next();
  }
}

/** Runs optional work in the background. Best effort: dropped when out of memory. */
export function runInBackground<T>(work: Generator<void, T>, keep: (made: T) => unknown): void {
  runTask(work).then(keep, () => undefined);
}

/** Runs work to its end without yielding: in a thread, or if there is little of it. */
export function runToEnd<T>(work: Generator<void, T>): T {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

/** Time slices of an asynchronous loop. */
export class TimeSlices {
  #until: number;

  /** @param begun whether this turn did as much work already: then the first slice is over at once */
  constructor(begun = false) {
    this.#until = begun ? -Infinity : performance.now() + SLICE_MS;
  }

  /** Yields to the event loop once the slice is over. Loops of a few microseconds a step ask `isOver` first: awaiting costs more. */
  async yield(): Promise<void> {
    if (!this.isOver) return;
    await yieldTurn();
    this.#until = performance.now() + SLICE_MS;
  }

  get isOver(): boolean {
    return performance.now() > this.#until;
  }
}
