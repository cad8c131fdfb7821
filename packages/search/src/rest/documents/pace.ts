// Throttles a copy, an update or a deletion by query: documents per second, which can be changed while it runs, and cancellation.
import { setTimeout as delay } from 'node:timers/promises';
import { type Json, notANumber } from '../../json/json.ts';
import { illegalArgument } from '../../errors/request-error.ts';
import { type Call, param } from '../request/request.ts';

/** Milliseconds of one wait: a rate may be next to nothing. */
const LONGEST_WAIT = 2 ** 31 - 1;

/** Of one request. */
export class Pace {
  /** Documents a second. */
  #perSecond: number;
  #changed = new AbortController();
  /** Why it ends before its end. */
  cancelled: string | undefined;
  /** Milliseconds waited. */
  throttled = 0;
  /** When the wait ends, by the clock of `performance`. */
  #until = 0;
  /** What has been done, for who asks about the task. */
  status: () => Json = () => ({});

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** -1: as fast as it goes. */
  get perSecond(): number {
    return this.#perSecond === Infinity ? -1 : this.#perSecond;
  }

  /** Milliseconds until it goes on. */
  get left(): number {
    return Math.max(0, Math.round(this.#until - performance.now()));
  }

  /** Changes the rate, also of a wait. */
  rethrottle(perSecond: number): void {
    this.#perSecond = perSecond;
    this.#wake();
  }

  cancel(reason: string): void {
    this.cancelled = reason;
    this.#perSecond = Infinity;
    this.#wake();
  }

  #wake(): void {
    this.#changed.abort();
    this.#changed = new AbortController();
  }

  /** Waits until so many documents may be followed by others. @param since when the first of them was begun, by the clock of `performance` */
  async rest(documents: number, since: number, gone: AbortSignal | undefined): Promise<void> {
    const begun = performance.now();
    for (;;) {
      gone?.throwIfAborted();
      this.#until = since + (documents * 1000) / this.#perSecond;
      const left = Math.min(this.#until - performance.now(), LONGEST_WAIT);
      if (!(left > 0)) break;
      const { signal } = this.#changed;
      const stops = gone === undefined ? signal : AbortSignal.any([signal, gone]);
      await delay(left, undefined, { signal: stops }).catch(() => undefined);
    }
    this.#until = 0;
    this.throttled += Math.round(performance.now() - begun);
  }
}

/** The rate that a request asks for. @throws RequestError for what is none */
export function perSecondOf(call: Call): number | undefined {
  const text = param(call, 'requests_per_second');
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value === -1) return Infinity;
  if (value > 0) return value;
  throw illegalArgument(
    '[requests_per_second] must be a float greater than 0. Use -1 to disable throttling.',
    Number.isNaN(value) ? { causedBy: notANumber(text) } : {},
  );
}
