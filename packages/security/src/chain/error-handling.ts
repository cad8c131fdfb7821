// Errors for "not authenticated" and "denied", the handlers that respond to them, and their shared JSON body. Which
// handler runs is decided by the exception translation filter.
import { isProductError, ProductError } from '@lockstitch/kernel';
import type { SecurityExchange } from './exchange.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import { nodeHttp } from '../node-http.ts';

/** Thrown if a request needs a user and has none, or its credentials are wrong. Handled by an entry point. */
export class AuthenticationError extends ProductError {
  override readonly name: string = 'AuthenticationError';
}

/** Thrown if the user is not allowed to make the request. */
export class AccessDeniedError extends ProductError {
  override readonly name: string = 'AccessDeniedError';
}

/** Starts authentication: a 401 with a challenge, or a redirect to the login page. Must call `exchange.respond`. */
export type EntryPoint = (exchange: SecurityExchange, error: ProductError) => MaybePromise<void>;

/** Responds to a request that is denied. Must call `exchange.respond`. */
export type AccessDeniedHandler = (exchange: SecurityExchange, error: ProductError) => MaybePromise<void>;

/** Responds with the error body: `status`, `error`, `message`, `path`, then `code` and `hint`. */
export function respondError(exchange: SecurityExchange, error: ProductError, status: number = error.status): void {
  const body = {
    status,
    error: nodeHttp.STATUS_CODES[status] ?? 'Error',
    message: error.message,
    // A rejected target has no canonical path; it is shown as it came, without its query.
    path: exchange.path === '' ? exchange.request.target.split('?', 1)[0] : exchange.path,
    code: error.code,
    ...(error.hint === undefined ? undefined : { hint: error.hint }),
  };
  if (status === 503 && exchange.response.getHeader('Retry-After') === undefined)
    exchange.response.setHeader('Retry-After', '1');
  exchange.respond(status, JSON.stringify(body), 'application/json;charset=UTF-8');
}

/** Default access-denied handler: 403 with the error body. */
export const respondForbidden: AccessDeniedHandler = (exchange, error) => respondError(exchange, error, 403);

/** Responds to any thrown value: an expected error with its own status, anything else with a masked 500. */
export function respondThrown(exchange: SecurityExchange, thrown: unknown): void {
  // 501 and 503 are not faults to hide: not implemented; a store is unavailable, retry.
  if (isProductError(thrown) && (thrown.status < 500 || thrown.status === 501 || thrown.status === 503))
    return respondError(exchange, thrown);
  const masked = new ProductError({
    code: 'SECURITY_INTERNAL',
    status: 500,
    message: 'The request failed inside the server.',
  });
  respondError(exchange, masked);
}
