// Who still uses a segment: the index, the states that searches hold, merges, and documents that are read later. Its file is closed with the
// last of them, at once and no second time; whatever else keeps something for the segment is told then.
import type { SegmentCore } from './segment-core.ts';

/** The users of one segment. */
export class SegmentUse {
  #users = 1;
  #close: (() => void) | undefined;
  readonly #core: SegmentCore;

  constructor(core: SegmentCore) {
    this.#core = core;
  }

  /** Says how the file is closed that the segment has from now on. */
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

  /** Closes the file whoever still reads it: the engine ends. */
  end(): void {
    this.#close?.();
    this.#close = undefined;
    unused(this.#core);
  }
}

const listeners = new WeakMap<object, Set<() => void>>();

/** Calls back once nobody uses something any more. */
export function whenUnused(used: object, listener: () => void): void {
  const known = listeners.get(used);
  if (known === undefined) listeners.set(used, new Set([listener]));
  else known.add(listener);
}

/** Tells that nobody uses something any more. */
export function unused(used: object): void {
  const known = listeners.get(used);
  listeners.delete(used);
  for (const listener of known ?? []) listener();
}
