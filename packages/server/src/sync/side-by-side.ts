// Runs a bounded number of jobs side by side.

export class SideBySide {
  readonly #limit: number;
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  /** @param limit jobs at once */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Starts a job; resolves once there is room for another one. @throws the first error of a job */
  async add(job: () => Promise<void>): Promise<void> {
    const running = job()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
    if (this.#running.size >= this.#limit) await Promise.race(this.#running);
    this.#check();
  }

  /** Resolves once every job has ended. @throws the first error of a job */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
    this.#check();
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
