// The response of a route, before it is written to a socket or returned in-process, and the response for an error. The
// graph and search routes format their own errors.
import { randomInt } from 'node:crypto';

import { isProductError, type Log, type ProductError } from '@lockstitch/kernel';

import { serverErrors } from '../errors.ts';
import { nodeHttp } from '../node-http.ts';

/** A response body is complete, or a stream that ends when the client leaves. */
export interface RouteResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array> | undefined;
  /** The body's bytes have no other owner: their memory can be freed after sending. */
  readonly ownsBytes?: boolean;
}

const OLD_CACHE_HEADERS = ['pragma', 'expires'] as const;

/** Headers of the chain that a response must not have: those against caching, for one that shared caches may keep. */
export function unwantedHeaders({ headers }: RouteResponse): readonly string[] {
  return headers['cache-control']?.startsWith('public') === true ? OLD_CACHE_HEADERS : [];
}

/** A response whose body is a text. */
export interface TextResponse extends RouteResponse {
  readonly body: string;
}

export function jsonResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): TextResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  };
}

/** Response with the error body of the specification: status, error, message, path, then code and hint. */
export function errorResponse(
  error: ProductError,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): TextResponse {
  const body = {
    status: error.status,
    error: nodeHttp.STATUS_CODES[error.status] ?? 'Error',
    message: error.message,
    path,
    code: error.code,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  };
  return jsonResponse(error.status, body, headers);
}

/**
 * Converts any thrown value to a response. Unexpected errors are masked: the client gets an id under which the log has
 * the error.
 */
export function failureResponse(error: unknown, path: string, log: Log): RouteResponse {
  if (isProductError(error) && error.status < 500) return errorResponse(error, path);
  // 503 is meant for the client and says when to retry; every other 5xx is our bug.
  if (isProductError(error) && error.status === 503) return errorResponse(error, path, { 'retry-after': '1' });
  const id = createErrorId();
  log.write('error', 'A request failed', { id, path, error });
  return errorResponse(serverErrors.create('SERVER_INTERNAL', { id }), path);
}

/** Letters and digits that are distinct when read aloud: no 0/O, 1/I/L, U/V. */
const ID_ALPHABET = '23456789ABCDEFGHJKMNPQRSTWXYZ';

/** Creates a short random id that links a client's error to the log: `7KQ2-M9XW`. */
export function createErrorId(): string {
  const letters = Array.from({ length: 8 }, () => ID_ALPHABET[randomInt(ID_ALPHABET.length)]).join('');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
