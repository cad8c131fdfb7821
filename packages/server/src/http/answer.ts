// What a route answers, before it is written to a socket or handed to a caller in the process, and how a failure becomes
// such an answer. Routes of the graph and of search shape their refusals by their own conventions; this is for the rest.
import { randomInt } from 'node:crypto';

import { isProductError, type Log, type ProductError } from '@lockstitch/kernel';

import { serverErrors } from '../errors.ts';
import { nodeHttp } from './node-http.ts';

/** A response: whole, or a stream of pieces that ends when the client leaves. */
export interface RouteResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array> | undefined;
  /** The body is bytes that nobody else holds: once they are sent, their memory can be given back. */
  readonly ownsBytes?: boolean;
}

/** A JSON response. */
export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): RouteResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  };
}

/** The body of a refusal, as the specification shapes it: status, error, message, path; then code and hint. */
export function errorAnswer(
  error: ProductError,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): RouteResponse {
  const body = {
    status: error.status,
    error: nodeHttp.STATUS_CODES[error.status] ?? 'Error',
    message: error.message,
    path,
    code: error.code,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  };
  return jsonAnswer(error.status, body, headers);
}

/**
 * Turns anything thrown into an answer. What is no refusal of ours is masked: the client gets an id, the log has the
 * error under it.
 */
export function failureAnswer(error: unknown, path: string, log: Log): RouteResponse {
  if (isProductError(error) && error.status < 500) return errorAnswer(error, path);
  // 503 tells when to come back and is meant for the client; every other 5xx is a fault of ours.
  if (isProductError(error) && error.status === 503) return errorAnswer(error, path, { 'retry-after': '1' });
  const id = createErrorId();
  log.write('error', 'A request failed', { id, path, error });
  return errorAnswer(serverErrors.create('SERVER_INTERNAL', { id }), path);
}

/** Letters and digits that cannot be taken for one another when read out: no 0/O, 1/I/L, U/V. */
const ID_ALPHABET = '23456789ABCDEFGHJKMNPQRSTWXYZ';

/** A short random id that links what a client saw to the log: `7KQ2-M9XW`. */
export function createErrorId(): string {
  const letters = Array.from({ length: 8 }, () => ID_ALPHABET[randomInt(ID_ALPHABET.length)]).join('');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
