// How much the request that runs now may still spend: its time, and the terms of dictionaries that its patterns visit. A
// search runs from its start to its end without a pause, so there is one budget at a time, and it is not handed through
// every function but kept here while the request runs. What has no budget (the engine used directly) is not limited.
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
}

/** Clocks are asked once per so many terms. */
const STRIDE = 4096;

class RequestBudget {
  /** Until when documents are collected. */
  readonly collectUntil: number;
  /** Until when the answer must be there. A quarter of the time stays for what follows the collecting. */
  readonly answerUntil: number;
  readonly allowance: Allowance;
  terms = 0;

  constructor(allowance: Allowance) {
    const now = performance.now();
    const { time, timeout } = allowance;
    this.allowance = allowance;
    this.answerUntil = now + time;
    this.collectUntil = now + Math.min(time * 0.75, timeout === undefined || timeout < 0 ? Infinity : timeout);
  }
}

let current: RequestBudget | undefined;

/** Runs an action, which must not wait for anything, within an allowance; inside of another one that one counts. */
export function withBudget<T>(allowance: Allowance, action: () => T): T {
  if (current !== undefined) return action();
  current = new RequestBudget(allowance);
  try {
    return action();
  } finally {
    current = undefined;
  }
}

/** The time of `performance.now()` at which collecting documents ends. */
export function collectUntil(): number {
  return current?.collectUntil ?? Infinity;
}

/** @throws ProductError `SEARCH_TIMEOUT` when the request took all its time */
export function checkTime(): void {
  if (current !== undefined && performance.now() > current.answerUntil) throw outOfTime();
}

/** The refusal of a request that takes too long. */
export function outOfTime(): Error {
  return searchError('SEARCH_TIMEOUT', { limit: Math.round(current?.allowance.time ?? 0) });
}

/** Counts visited terms. @throws ProductError `SEARCH_TOO_MANY_VISITED_TERMS`, `SEARCH_TIMEOUT` */
export function visitTerms(count: number): void {
  if (current === undefined) return;
  const before = current.terms;
  current.terms += count;
  if (current.terms > current.allowance.terms) {
    throw searchError('SEARCH_TOO_MANY_VISITED_TERMS', { limit: current.allowance.terms });
  }
  if (Math.floor(before / STRIDE) !== Math.floor(current.terms / STRIDE)) checkTime();
}

/** Whether an error says that the request asks too much, which leniency about values does not cover. */
export function isLimit(error: unknown): boolean {
  return (
    isProductError(error) &&
    ['SEARCH_TIMEOUT', 'SEARCH_TOO_MANY_CLAUSES', 'SEARCH_TOO_MANY_VISITED_TERMS'].includes(error.code)
  );
}
