// How much the request that runs now may still spend: its time, the terms of dictionaries that its patterns visit, and on the main
// thread its turn of the event loop. A search runs from its start to its end without a pause, so there is one budget at a time, and it
// is not handed through every function but kept here while the request runs. What has no budget (the engine used directly) is not
// limited. Where a search goes that needs longer than a turn is decided elsewhere (thread/).
import { isProductError } from '@lockstitch/kernel';
import { searchError } from './errors.ts';

/** What one request may spend. */
export interface Allowance {
  /** Milliseconds. */
  readonly time: number;
  /** Terms that wildcards, prefixes, ranges and regular expressions of all its clauses visit together. */
  readonly terms: number;
  /** The request's own `timeout` in milliseconds: what was collected until then is answered. */
  readonly timeout?: number | undefined;
  /** Milliseconds of this turn of the event loop; once they are over, `TurnOver` is thrown. 0: at once. Unlimited by default. */
  readonly turn?: number | undefined;
  /** Whose request it is: one caller's long searches do not hold up those of others. All without a name are one. */
  readonly caller?: string | undefined;
  /** Becomes 1 in its first place when nobody waits for the answer any more; then the request is ended. */
  readonly cancelled?: Int32Array | undefined;
}

/** Ends a request that took its whole turn on the main thread: it restarts elsewhere. */
export class TurnOver extends Error {}

/** Bytes of sources that an answer made within a turn may hold: printing and sending more would take longer than the search. */
const BYTES_OF_A_TURN = 512 * 1024;

/** Clocks are asked once per so many terms. */
const STRIDE = 512;

class RequestBudget {
  /** Until when documents are collected. */
  readonly collectUntil: number;
  /** Until when the answer must be there. A quarter of the time stays for what follows the collecting. */
  readonly answerUntil: number;
  readonly allowance: Allowance;
  /** Until when the turn lasts. */
  readonly turnUntil: number;
  terms = 0;
  /** Each returns how many of the terms counted since it was last asked do not count. */
  readonly corrections: (() => number)[] = [];
  steps = 0;
  bytes = 0;

  constructor(allowance: Allowance) {
    const now = performance.now();
    const { time, timeout, turn = Infinity } = allowance;
    this.allowance = allowance;
    this.answerUntil = now + time;
    this.turnUntil = now + turn;
    this.collectUntil = now + Math.min(time * 0.75, timeout === undefined || timeout < 0 ? Infinity : timeout);
  }
}

let current: RequestBudget | undefined;

/** Runs an action, which must not wait for anything, within an allowance; inside of another one that one counts. */
export function withBudget<T>(allowance: Allowance, action: () => T): T {
  if (current !== undefined) return action();
  if (allowance.turn === 0) throw new TurnOver();
  current = new RequestBudget(allowance);
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
  if (current.allowance.cancelled?.[0] === 1) throw searchError('SEARCH_CANCELLED');
}

/** @throws TurnOver once the turn is over @throws ProductError `SEARCH_TIMEOUT` when the request took all its time; `SEARCH_CANCELLED` */
export function checkTime(): void {
  if (current === undefined) return;
  const now = performance.now();
  checkTurn(now);
  if (now > current.answerUntil) throw outOfTime();
}

/** Steps between two looks at the clock: some 100 µs of warm code, a few milliseconds of code that runs for the first time. */
const STEPS = 1 << 15;

/**
 * Counts the steps of a loop that has no clock of its own, and looks at it now and then.
 *
 * @param steps about how many nanoseconds it took, in warm code
 * @throws as `checkTime`
 */
export function spend(steps: number): void {
  if (current === undefined) return;
  current.steps += steps;
  if (current.steps < STEPS) return;
  current.steps = 0;
  checkTime();
}

/** What looking up a term in a dictionary takes, in steps. */
export const LOOKUP_STEPS = 512;

/** Counts bytes that go into the answer as they are stored. @throws TurnOver */
export function spendBytes(count: number): void {
  if (current === undefined) return;
  current.bytes += count;
  if (current.turnUntil !== Infinity && current.bytes > BYTES_OF_A_TURN) throw new TurnOver();
}

/** The refusal of a request that takes too long. */
export function outOfTime(): Error {
  return searchError('SEARCH_TIMEOUT', { limit: Math.round(current?.allowance.time ?? 0) });
}

/** Names what knows how many of the visited terms do not count: it is asked where a limit would be reached. */
export function correctVisits(correct: () => number): void {
  current?.corrections.push(correct);
}

/** Counts visited terms. @throws ProductError `SEARCH_TOO_MANY_VISITED_TERMS`, `SEARCH_TIMEOUT` */
export function visitTerms(count: number): void {
  if (current === undefined) return;
  const before = current.terms;
  current.terms += count;
  if (current.terms > current.allowance.terms) {
    for (const correct of current.corrections) current.terms -= correct();
  }
  if (current.terms > current.allowance.terms) {
    throw searchError('SEARCH_TOO_MANY_VISITED_TERMS', { limit: current.allowance.terms });
  }
  if (Math.floor(before / STRIDE) !== Math.floor(current.terms / STRIDE)) checkTime();
}

/** Whether an error says that the request asks too much, which leniency about values does not cover. */
export function isLimit(error: unknown): boolean {
  if (error instanceof TurnOver) return true;
  return (
    isProductError(error) &&
    ['SEARCH_TIMEOUT', 'SEARCH_CANCELLED', 'SEARCH_TOO_MANY_CLAUSES', 'SEARCH_TOO_MANY_VISITED_TERMS'].includes(
      error.code,
    )
  );
}
