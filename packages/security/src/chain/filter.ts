// What a filter is: a named step that passes a request on or stops it. How filters are ordered is in order.ts, how
// they are run in chain.ts.
import type { MaybePromise } from '../maybe-promise.ts';
import type { Next, SecurityExchange } from './exchange.ts';

/**
 * One step of the chain.
 *
 * `handle` either passes the request on with `return next(exchange)`, or stops it: it calls `exchange.respond(…)` and
 * returns without calling `next`. Doing neither is an error that the chain answers with 500. What it throws reaches
 * the exception translation when that stands earlier in the chain, otherwise the adapter.
 */
export interface Filter {
  /** The name shown by `list()` and `explain()`; filters of ours are called like their position. */
  readonly name: string;
  handle(exchange: SecurityExchange, next: Next): MaybePromise<void>;
}
