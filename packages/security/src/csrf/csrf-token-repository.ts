// Generates, keeps and finds CSRF tokens. The designs are one a file: in the session, in a cookie, bound to a client
// identifier; any of them with an expiry.
import type { SecurityExchange } from '../chain/exchange.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { CsrfToken } from './csrf-token.ts';

/** Keeps the token that a request must bring. */
export interface CsrfTokenRepository {
  /** Makes a new token; keeps nothing. */
  generate(exchange: SecurityExchange): CsrfToken;
  /** Keeps the token for the caller of this request; undefined removes it. */
  save(exchange: SecurityExchange, token: CsrfToken | undefined): MaybePromise<void>;
  /** The token kept for the caller of this request. */
  load(exchange: SecurityExchange): MaybePromise<CsrfToken | undefined>;
  /** What ties a token to its caller, as named in refusals: `cookie JSESSIONID`. */
  readonly carrier: string;
}
