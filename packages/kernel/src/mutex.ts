// Mutual exclusion of asynchronous actions.

/** Runs asynchronous actions one after the other, in the order in which they were asked for. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#last.then(action);
    // The caller of an action gets its error; the next action only waits.
    this.#last = result.catch(() => undefined);
    return result;
  }
}
