// HTTP Basic (RFC 7617) as Spring Security reads it: case-insensitive scheme, one space, standard Base64, UTF-8, split
// at the first colon, nothing trimmed. A malformed header is 401 even where no log-in is needed.
import type { SecurityExchange } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import { trimJava } from '../chain/java-text.ts';
import type { EntryPoint } from '../chain/error-handling.ts';
import { fromBase64 } from '../password/password-encoder.ts';
import { type Authentication, passwordAttempt } from './authentication.ts';
import type { Authenticator } from './authenticator.ts';
import { basicEntryPoint, respondFailure } from './entry-points.ts';
import { AuthenticationFailure } from '../chain/authentication-failure.ts';
import { BASIC } from '../options/login-shapes.ts';
import { requireOptions } from '../options/shape.ts';

export interface BasicOptions {
  readonly authenticator: Authenticator;
  /** Default: Realm. */
  readonly realm?: string;
  /** Responds to failures. Default: 401 with a challenge and the error body. */
  readonly entryPoint?: EntryPoint;
}

/** Creates the filter; its position is `basic`. A success holds for the request and starts no session. */
export function createBasicFilter(options: BasicOptions): Filter {
  requireOptions('createBasicFilter', BASIC, options);
  const { authenticator, entryPoint = basicEntryPoint(options) } = options;
  return {
    name: 'basic',
    handle(exchange, next) {
      const header = exchange.request.header('authorization');
      if (header === undefined || !isBasic(header)) return next(exchange);
      const current = exchange.authentication;
      const recalled = current === undefined ? authenticator.recall(exchange, header, 'basic') : undefined;
      if (recalled !== undefined) {
        exchange.authentication = { principal: recalled, login: 'full' };
        return next(exchange);
      }
      let attempt: Authentication;
      try {
        attempt = parseBasic(header, exchange);
      } catch (error) {
        if (!(error instanceof AuthenticationFailure)) throw error;
        authenticator.refused(exchange, error, 'basic');
        return respondFailure(exchange, error, entryPoint);
      }
      // A user who is logged in and whose browser still sends its old Basic header is not authenticated again.
      if (current !== undefined && current.login === 'full' && current.principal.name === attempt.name)
        return next(exchange);
      const known = authenticator.recognise(exchange, attempt, 'basic', header);
      if (known !== undefined) {
        exchange.authentication = { principal: known.principal, login: 'full' };
        return next(exchange);
      }
      return (async () => {
        let result: Authentication;
        try {
          result = await authenticator.authenticate(exchange, attempt, 'basic');
        } catch (error) {
          exchange.authentication = undefined;
          return respondFailure(exchange, error as AuthenticationFailure, entryPoint);
        }
        exchange.authentication = { principal: result.principal, login: 'full' };
        await next(exchange);
      })();
    },
  };
}

function isBasic(header: string): boolean {
  return header.startsWith('Basic') || header.slice(0, 5).toLowerCase() === 'basic';
}

/** Parses the header; each way to be malformed has its own message. */
function parseBasic(header: string, exchange: SecurityExchange): Authentication {
  const value = trimJava(header);
  if (value.length === 5) throw malformed('Empty basic authentication token');
  const bytes = value[5] === ' ' ? fromBase64(value.slice(6)) : undefined;
  if (bytes === undefined) throw malformed('Failed to decode basic authentication token');
  const token = bytes.toString('utf8');
  const colon = token.indexOf(':');
  if (colon === -1) throw malformed('Invalid basic authentication token');
  return passwordAttempt(token.slice(0, colon), token.slice(colon + 1), { address: exchange.request.remoteAddress });
}

function malformed(reason: string): AuthenticationFailure {
  return new AuthenticationFailure('SECURITY_BASIC_MALFORMED', { values: { reason } });
}
