// Cooperative scheduler of the main thread: runs long work in short slices, so that requests run in between.
import { nextTurn } from './turns.ts';

/**
 * Milliseconds of a slice. A request takes several turns of the event loop and waits in each for one slice; a turn costs
 * some ten microseconds, so much shorter slices would slow the work itself.
 */
const SHORTEST_MS = 1;
/** Half of the 20 ms for which nothing may block the event loop. */
const LONGEST_MS = 8;
/** Slice of work that takes a few hundred milliseconds at most in all. */
const STRETCH_MS = 3;

/** Work in slices. A yielded promise is awaited: the work resumes with its value, or its rejection is thrown there. */
export type Slices<T> = Generator<void | Promise<unknown>, T, unknown>;

/**
 * Runs a generator to its end and yields to the event loop after each slice. A slice lasts half as long as the
 * turn before it: few requests hardly notice it, and a flood of requests leaves the work a third of the time. Half, so that
 * two such works do not lengthen each other's slices.
 */
export async function drive<T>(
  work: Generator<void, T> | Slices<T>,
  pause: () => Promise<unknown> = nextTurn,
): Promise<T> {
  let started = performance.now();
  let stretch = SHORTEST_MS;
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
    if (paused - started > stretch) {
      await pause();
      started = performance.now();
      stretch = Math.min(Math.max((started - paused) / 2, SHORTEST_MS), LONGEST_MS);
    }
    step = work.next();
  }
}

/** Runs optional work in the background. Best effort: dropped when out of memory. */
export function driveAside<T>(work: Generator<void, T>, keep: (made: T) => unknown): void {
  drive(work).then(keep, () => undefined);
}

/** Runs work to its end without yielding: in a thread, or if there is little of it. */
export function finish<T>(work: Generator<void, T>): T {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

/** Time slices of an asynchronous loop: `pause` yields to the event loop once the slice is over. */
export class Stretches {
  #until: number;

  /** @param begun whether something that takes about as long has been done in this turn already: then the first pause is one */
  constructor(begun = false) {
    this.#until = begun ? -Infinity : performance.now() + STRETCH_MS;
  }

  /** Resolves at once within a stretch. Ask `isOver` before where this is awaited for every few microseconds of work. */
  async pause(): Promise<void> {
    if (!this.isOver) return;
    await nextTurn();
    this.#until = performance.now() + STRETCH_MS;
  }

  get isOver(): boolean {
    return performance.now() > this.#until;
  }
}

/** Bytes that are copied at a time: some 200 µs. */
const PIECE = 256 << 10;

/** Concatenates pieces of many megabytes. */
export async function joined(parts: readonly Uint8Array[], stretches: Stretches): Promise<Uint8Array> {
  const whole = Buffer.allocUnsafeSlow(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length; at += PIECE) {
      if (stretches.isOver) await stretches.pause();
      const piece = part.subarray(at, at + PIECE);
      whole.set(piece, end);
      end += piece.length;
    }
  }
  return whole;
}

/** Returns the bytes in shared memory; copies in slices if needed. */
export async function sharedCopy(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.buffer instanceof SharedArrayBuffer) return bytes;
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  const stretches = new Stretches();
  for (let at = 0; at < bytes.length; at += PIECE) {
    if (stretches.isOver) await stretches.pause();
    copy.set(bytes.subarray(at, at + PIECE), at);
  }
  return copy;
}
