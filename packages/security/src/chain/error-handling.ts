// How a request is refused: the errors that mean "who are you" and "you may not", the handlers that answer them, and
// the one JSON body both share. Which handler answers is decided by the exception translation.
import { isProductError, ProductError } from '@lockstitch/kernel';
import type { SecurityExchange } from './exchange.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import { nodeHttp } from '../node-http.ts';

/** Raised when a request needs a user and has none, or its credentials are wrong. Answered by an entry point. */
export class AuthenticationError extends ProductError {
  override readonly name: string = 'AuthenticationError';
}

/** Raised when the request's user may not do what was asked. */
export class AccessDeniedError extends ProductError {
  override readonly name: string = 'AccessDeniedError';
}

/** Starts authentication: a 401 with a challenge, a redirect to the login page. Must call `exchange.respond`. */
export type EntryPoint = (exchange: SecurityExchange, error: ProductError) => MaybePromise<void>;

/** Answers a request that its user may not make. Must call `exchange.respond`. */
export type AccessDeniedHandler = (exchange: SecurityExchange, error: ProductError) => MaybePromise<void>;

/** Answers with the product's error body: `status`, `error`, `message`, `path`, then `code` and `hint`. */
export function respondError(exchange: SecurityExchange, error: ProductError, status: number = error.status): void {
  const body = {
    status,
    error: nodeHttp.STATUS_CODES[status] ?? 'Error',
    message: error.message,
    // A refused target has no canonical path; it is named as it came, without its query.
    path: exchange.path === '' ? exchange.request.target.split('?', 1)[0] : exchange.path,
    code: error.code,
    ...(error.hint === undefined ? undefined : { hint: error.hint }),
  };
  if (status === 503 && exchange.response.getHeader('Retry-After') === undefined) {
    exchange.response.setHeader('Retry-After', '1');
  }
  exchange.respond(status, JSON.stringify(body), 'application/json;charset=UTF-8');
}

/** The access-denied handler used when none is configured: 403 with the error body. */
export const respondForbidden: AccessDeniedHandler = (exchange, error) => respondError(exchange, error, 403);

/** Answers any thrown value: a refusal of ours with its own status, everything else with a masked 500. */
export function respondThrown(exchange: SecurityExchange, thrown: unknown): void {
  // 501 and 503 are no faults to hide but answers: not understood; a store is away, try again.
  if (isProductError(thrown) && (thrown.status < 500 || thrown.status === 501 || thrown.status === 503))
    return respondError(exchange, thrown);
  const masked = new ProductError({
    code: 'SECURITY_INTERNAL',
    status: 500,
    message: 'The request failed inside the server.',
  });
  respondError(exchange, masked);
}
