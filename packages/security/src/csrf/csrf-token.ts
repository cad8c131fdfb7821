// The CSRF token, and the attribute under which a request carries it.
import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { authenticationErrors } from '../errors/authentication-errors.ts';
import { attribute } from '../chain/exchange.ts';
import type { MaybePromise } from '../maybe-promise.ts';

/** A token and how to send it. */
export interface CsrfToken {
  /** Default: X-CSRF-TOKEN. */
  readonly headerName: string;
  /** Default: _csrf. */
  readonly parameterName: string;
  readonly token: string;
}

/** Deferred token: generated and saved at the first call of `obtain`, so that pages without forms start no session. */
export interface DeferredCsrfToken {
  obtain(): MaybePromise<CsrfToken>;
}

/** The request attribute `_csrf`. */
export const CSRF = attribute<DeferredCsrfToken>('_csrf');

/** Creates a token, a random UUID unless given. Its fields cannot be empty. */
export function createCsrfToken(parts: Partial<CsrfToken> = {}): CsrfToken {
  const { headerName = 'X-CSRF-TOKEN', parameterName = '_csrf', token = randomUUID() } = parts;
  for (const [what, value] of Object.entries({ headerName, parameterName, token })) {
    if (typeof value !== 'string' || value === '') throw authenticationErrors.create('SECURITY_CSRF_TOKEN', { what });
  }
  const made: CsrfToken = { headerName, parameterName, token };
  // Sent as JSON, but never logged. Not enumerable, so that the token stays an object of three fields.
  Object.defineProperty(made, inspect.custom, { value: () => `CsrfToken [${headerName}, Token=[PROTECTED]]` });
  return Object.freeze(made);
}
