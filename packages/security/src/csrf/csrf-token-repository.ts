// Generates, saves and loads CSRF tokens. One file per design: in the session, in a cookie, bound to a client
// identifier; each optionally with an expiry.
import type { SecurityExchange } from '../chain/exchange.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { CsrfToken } from './csrf-token.ts';

/** Repository of the token that a request must send. */
export interface CsrfTokenRepository {
  /** Generates a token without saving it. */
  generate(exchange: SecurityExchange): CsrfToken;
  /** Saves the token for the caller of this request; undefined removes it. */
  save(exchange: SecurityExchange, token: CsrfToken | undefined): MaybePromise<void>;
  /** Loads the token of the caller of this request. */
  load(exchange: SecurityExchange): MaybePromise<CsrfToken | undefined>;
  /** What ties a token to its caller, for error messages: `cookie JSESSIONID`. */
  readonly carrier: string;
}
