// A filter: a named step that passes a request on or stops it. Order is order.ts, execution is compose.ts.
import type { MaybePromise } from '../maybe-promise.ts';
import type { Next, SecurityExchange } from './exchange.ts';

/**
 * One step of the chain. `handle` either passes the request on with `return next(exchange)`, or stops it: it calls
 * `exchange.respond(…)` and returns without calling `next`. Doing neither is an error, answered with 500. A thrown
 * error reaches the exception translation filter if that comes earlier in the chain, otherwise the adapter.
 */
export interface Filter {
  /** Shown by `list()` and `explain()`; built-in filters are named after their position. */
  readonly name: string;
  handle(exchange: SecurityExchange, next: Next): MaybePromise<void>;
}
