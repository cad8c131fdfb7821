// Runs long work on the main thread in short slices, so that requests get their turn in between.
import { nextTurn } from './turns.ts';

/**
 * Milliseconds at a stretch. A request takes several turns of the event loop and waits in each for one stretch; a turn costs
 * some ten microseconds, so much shorter ones would be felt by the work itself.
 */
const SHORTEST_MS = 1;
/** Half of the 20 ms that nothing may block the event loop for. */
const LONGEST_MS = 8;
/** Of what takes no more than some hundred milliseconds in all: no need to keep it from slowing others. */
const STRETCH_MS = 3;

/** Work in slices. Where it yields a promise, it goes on with what that resolves to, or what it is rejected with is thrown there. */
export type Slices<T> = Generator<void | Promise<unknown>, T, unknown>;

/**
 * Runs a generator to its end, letting the event loop turn whenever a stretch is over. A stretch lasts half as long as the
 * turn before it: with few requests it is hardly felt, and a flood of them leaves the work a third of the time. Half, so that
 * two such works do not lengthen each other's stretches.
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

/** Runs work that nobody waits for, and that can stay undone: for want of memory, it does. */
export function driveAside<T>(work: Generator<void, T>, keep: (made: T) => unknown): void {
  drive(work).then(keep, () => undefined);
}

/** Runs such work to its end at once: in a thread, or where there is little of it. */
export function finish<T>(work: Generator<void, T>): T {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

/** A loop's pauses on the main thread: where it awaits `pause`, the event loop turns once a stretch is over. */
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

/** Bytes that are copied at once: some 200 µs. */
const PIECE = 256 << 10;

/** Puts pieces of many megabytes together. */
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

/** The bytes over shared memory, with turns of the event loop in between where they must be copied. */
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
