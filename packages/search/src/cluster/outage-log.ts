// Says once that a search cluster gives no whole answers, and once that it does again: a line for each search would flood the log of a
// server whose cluster is away.
import type { Log } from '@lockstitch/kernel';

/** What is said of a request without a whole answer. */
export interface Unanswered {
  readonly method: string;
  readonly path: string;
  readonly reason: string;
  readonly error: unknown;
}

/** Milliseconds without a failure after which an answer ends an outage: while one node of several is away, answers and failures alternate. */
const CALM = 5000;

export class OutageLog {
  readonly #log: Log;
  readonly #now: () => number;
  readonly #reasons = new Set<string>();
  #count = 0;
  #began = 0;
  #latest = 0;

  /** @param now the monotonic clock, in milliseconds */
  constructor(log: Log, now = (): number => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  /** Writes a line for the first failure of an outage, and for each further reason. */
  failed(failure: Unanswered): void {
    this.#latest = this.#now();
    if (this.#count++ === 0) this.#began = this.#latest;
    if (this.#reasons.has(failure.reason)) return;
    this.#reasons.add(failure.reason);
    this.#log.write('warn', 'The search cluster gave no whole answer', { ...failure });
  }

  answered(): void {
    if (this.#count === 0 || this.#now() - this.#latest < CALM) return;
    const seconds = Math.round((this.#latest - this.#began) / 1000);
    this.#log.write('info', 'The search cluster gives whole answers again', { failed: this.#count, seconds });
    this.#count = 0;
    this.#reasons.clear();
  }
}
