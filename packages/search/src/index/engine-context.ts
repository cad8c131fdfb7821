// What the indices of one engine share: caches with a budget each, and counts of work under way. Every segment names the context of its
// engine, so that two engines in one process never evict each other's entries (ADR 0043).

/** Shared state of one engine, by the class that keeps it. */
export class EngineContext {
  readonly #parts = new Map<new () => unknown, unknown>();

  /** The part of a class; made at its first use. */
  part<Part>(kind: new () => Part): Part {
    let found = this.#parts.get(kind) as Part | undefined;
    if (found === undefined) this.#parts.set(kind, (found = new kind()));
    return found;
  }
}
