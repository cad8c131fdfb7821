// Since when each definition of an index has had no leader, without a break.

export class Vacancies {
  /** By definition, by the monotonic clock. */
  #since: ReadonlyMap<string, number> = new Map();

  /**
   * Notes which definitions nobody leads now; every other one has a leader.
   *
   * @param now by the monotonic clock
   */
  note(vacant: readonly string[], now: number): void {
    this.#since = new Map(vacant.map((definition) => [definition, this.#since.get(definition) ?? now]));
  }

  /** Milliseconds for which nobody has led a definition; 0 where somebody does. */
  lasting(definition: string, now: number): number {
    return now - (this.#since.get(definition) ?? now);
  }
}
