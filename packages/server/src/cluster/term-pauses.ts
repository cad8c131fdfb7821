// When a server may lead an index again after a term has ended. Neither two applications that take the same indexes from each other, nor
// a takeover that fails, must do so all the time.

/** Milliseconds that a term must last, not to be followed by a longer and longer pause. */
const LASTING = 60_000;
const SHORTEST_PAUSE = 1000;
const LONGEST_PAUSE = 300_000;

interface Ended {
  /** Terms that ended early, one after the other. */
  readonly early: number;
  /** By the monotonic clock. */
  readonly notBefore: number;
}

export class TermPauses {
  /** By definition of an index. */
  readonly #ended = new Map<string, Ended>();

  mayBegin(definition: string): boolean {
    return performance.now() >= (this.#ended.get(definition)?.notBefore ?? 0);
  }

  /** Whether the latest term ended early. */
  isTroubled(definition: string): boolean {
    return (this.#ended.get(definition)?.early ?? 0) > 0;
  }

  /** Notes that a term has ended. @param lasted milliseconds */
  ended(definitions: readonly string[], lasted: number): void {
    for (const definition of definitions) {
      const early = lasted > LASTING ? 0 : (this.#ended.get(definition)?.early ?? 0) + 1;
      const notBefore = performance.now() + Math.min(SHORTEST_PAUSE * 2 ** early, LONGEST_PAUSE);
      this.#ended.set(definition, { early, notBefore });
    }
  }
}
