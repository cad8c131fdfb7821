// Counts the users of a segment: the index, searchers, merges, and documents that are read later. The last one to release the segment
// closes its file, once, and callbacks then drop what is kept for the segment elsewhere.
import type { SegmentCore } from './segment-core.ts';

/** Reference count of one segment; it begins with one user, the index. */
export class SegmentUse {
  #users = 1;
  #close: (() => void) | undefined;
  readonly #core: SegmentCore;

  constructor(core: SegmentCore) {
    this.#core = core;
  }

  /** Sets how to close the segment's file. */
  opened(close: () => void): void {
    if (this.#users === 0) close();
    else this.#close = close;
  }

  retain(): this {
    this.#users++;
    return this;
  }

  release(): void {
    this.#users--;
    if (this.#users === 0) this.end();
  }

  /** Closes the file although it may have users: the engine ends. */
  end(): void {
    this.#close?.();
    this.#close = undefined;
    unused(this.#core);
  }
}

const listeners = new WeakMap<object, Set<() => void>>();

/** Calls back once an object has no more users. */
export function whenUnused(used: object, listener: () => void): void {
  const known = listeners.get(used);
  if (known === undefined) listeners.set(used, new Set([listener]));
  else known.add(listener);
}

/** Calls the callbacks of an object that has no more users. */
export function unused(used: object): void {
  const known = listeners.get(used);
  listeners.delete(used);
  for (const listener of known ?? []) listener();
}
