// What the running request may still use: time, terms of dictionaries, and on the main thread its turn of the event loop. A search runs
// without a pause, so there is one budget at a time: it is kept here and not passed through every function. Code without a budget (the
// engine used directly) is not limited. A search that needs longer than a turn goes on in a thread (thread/).
import { isProductError } from '@lockstitch/kernel';
import { searchError } from '../errors/search-errors.ts';

/** Limits of one request. */
export interface RequestLimits {
  /** Milliseconds. */
  readonly time: number;
  /** Terms that wildcards, prefixes, ranges and regular expressions of all its clauses visit together. */
  readonly terms: number;
  /** Bytes that values read for its clauses may take together: 256 MiB by default, 30 million values of features. */
  readonly memory?: number | undefined;
  /** The request's own `timeout` in milliseconds: the response holds what was collected until then. */
  readonly timeout?: number | undefined;
  /** Milliseconds of this turn of the event loop; once they are over, `TurnOver` is thrown. 0: at once. Unlimited by default. */
  readonly turn?: number | undefined;
  /** Identifies the caller: long searches of one caller do not delay those of others. Requests without a name share one. */
  readonly caller?: string | undefined;
  /** Its first element becomes 1 when the client is gone; then the request ends. */
  readonly cancelled?: Int32Array | undefined;
}

/** Ends a request that used up its turn on the main thread; it starts again in a thread. */
export class TurnOver extends Error {}

/** Bytes of sources that an answer made within a turn may hold: printing and sending more would take longer than the search. */
const BYTES_OF_A_TURN = 512 * 1024;

const MEMORY_OF_A_REQUEST = 256 * 1024 * 1024;

/** Terms between two looks at the clock. */
const STRIDE = 512;

class RequestBudget {
  /** Until when documents are collected. */
  readonly collectUntil: number;
  /** Until when the answer must be there. A quarter of the time stays for what follows the collecting. */
  readonly answerUntil: number;
  readonly limits: RequestLimits;
  /** Until when the turn lasts. */
  readonly turnUntil: number;
  terms = 0;
  /** Each returns how many of the terms counted since it was last asked do not count. */
  readonly corrections: (() => number)[] = [];
  ticks = 0;
  bytes = 0;
  memory = 0;

  constructor(limits: RequestLimits) {
    const now = performance.now();
    const { time, timeout, turn = Infinity } = limits;
    this.limits = limits;
    this.answerUntil = now + time;
    this.turnUntil = now + turn;
    this.collectUntil = now + Math.min(time * 0.75, timeout === undefined || timeout < 0 ? Infinity : timeout);
  }
}

let current: RequestBudget | undefined;

/** Runs a synchronous action within limits. Inside another such action the outer limits hold. */
export function withBudget<T>(limits: RequestLimits, action: () => T): T {
  if (current !== undefined) return action();
  if (limits.turn === 0) throw new TurnOver();
  current = new RequestBudget(limits);
  try {
    return action();
  } finally {
    current = undefined;
  }
}

/** The time of `performance.now()` at which collecting documents ends, or the turn, if that is earlier. */
export function collectUntil(): number {
  return current === undefined ? Infinity : Math.min(current.collectUntil, current.turnUntil);
}

/** @throws TurnOver once the turn is over @throws ProductError `SEARCH_CANCELLED` */
export function checkTurn(now = performance.now()): void {
  if (current === undefined) return;
  if (now > current.turnUntil) throw new TurnOver();
  if (current.limits.cancelled?.[0] === 1) throw searchError('SEARCH_CANCELLED');
}

/** @throws TurnOver once the turn is over @throws ProductError `SEARCH_TIMEOUT` when the request took all its time; `SEARCH_CANCELLED` */
export function checkTime(): void {
  if (current === undefined) return;
  const now = performance.now();
  checkTurn(now);
  if (now > current.answerUntil) throw outOfTime();
}

/** Ticks between two looks at the clock: about 100 µs of warm code, a few milliseconds of code that runs for the first time. */
const TICKS = 1 << 15;

/**
 * Counts work of a loop, and checks the time once per `TICKS`.
 *
 * @param ticks estimated nanoseconds of warm code since the last call
 * @throws as `checkTime`
 */
export function tick(ticks: number): void {
  if (current === undefined) return;
  current.ticks += ticks;
  if (current.ticks < TICKS) return;
  current.ticks = 0;
  checkTime();
}

/** Ticks of looking up a term in a dictionary. */
export const LOOKUP_TICKS = 512;

/** Counts bytes that go into the answer as they are stored. @throws TurnOver */
export function countBytes(count: number): void {
  if (current === undefined) return;
  current.bytes += count;
  if (current.turnUntil !== Infinity && current.bytes > BYTES_OF_A_TURN) throw new TurnOver();
}

/**
 * Counts memory that is held until the request ends.
 *
 * @param bytes must not depend on what the caller may not see
 * @param what names it in the error
 * @throws ProductError `SEARCH_MEMORY`
 */
export function countMemory(bytes: number, what: string): void {
  if (current === undefined) return;
  const { memory: limit = MEMORY_OF_A_REQUEST } = current.limits;
  current.memory += bytes;
  if (current.memory <= limit) return;
  const values = { label: 'request', what, wanted: current.memory, limit };
  throw searchError('SEARCH_MEMORY', values, { hint: 'Ask for less at once: fewer clauses, or fewer indices.' });
}

/** The refusal of a request that takes too long. */
export function outOfTime(): Error {
  return searchError('SEARCH_TIMEOUT', { limit: Math.round(current?.limits.time ?? 0) });
}

/** Adds a function that returns how many visited terms do not count. It is called when a limit would be reached. */
export function correctVisits(correct: () => number): void {
  current?.corrections.push(correct);
}

/** Counts visited terms. @throws ProductError `SEARCH_TOO_MANY_VISITED_TERMS`, `SEARCH_TIMEOUT` */
export function visitTerms(count: number): void {
  if (current === undefined) return;
  const before = current.terms;
  current.terms += count;
  if (current.terms > current.limits.terms) {
    for (const correct of current.corrections) current.terms -= correct();
  }
  if (current.terms > current.limits.terms)
    throw searchError('SEARCH_TOO_MANY_VISITED_TERMS', { limit: current.limits.terms });
  if (Math.floor(before / STRIDE) !== Math.floor(current.terms / STRIDE)) checkTime();
}

/** Tells limits that were reached from other errors: `lenient` does not cover them. */
export function isLimit(error: unknown): boolean {
  if (error instanceof TurnOver) return true;
  return (
    isProductError(error) &&
    [
      'SEARCH_TIMEOUT',
      'SEARCH_CANCELLED',
      'SEARCH_MEMORY',
      'SEARCH_TOO_MANY_CLAUSES',
      'SEARCH_TOO_MANY_VISITED_TERMS',
    ].includes(error.code)
  );
}
