// Spring's ExceptionTranslationFilter: without a user, an authentication error or denial goes to the entry point; with
// a user, a denial goes to the access-denied handler (403). Other errors pass through.
import { securityErrors } from '../errors/chain-errors.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import {
  AccessDeniedError,
  type AccessDeniedHandler,
  AuthenticationError,
  type EntryPoint,
} from '../chain/error-handling.ts';

export interface ExceptionTranslationOptions {
  readonly entryPoint: EntryPoint;
  readonly accessDenied: AccessDeniedHandler;
  /** Runs before the entry point: saves the request to return to after log-in. */
  readonly saveRequest?: ((exchange: SecurityExchange) => MaybePromise<void>) | undefined;
}

export function createExceptionTranslationFilter(options: ExceptionTranslationOptions): Filter {
  const { entryPoint, accessDenied, saveRequest } = options;

  const start = (exchange: SecurityExchange, error: AuthenticationError): MaybePromise<void> => {
    const saved = saveRequest?.(exchange);
    return saved instanceof Promise ? saved.then(() => entryPoint(exchange, error)) : entryPoint(exchange, error);
  };

  const translate = (exchange: SecurityExchange, thrown: unknown): MaybePromise<void> => {
    if (exchange.response.headersSent) throw thrown;
    // An unavailable store says nothing about the caller; logging in would not help.
    if (thrown instanceof AuthenticationError && thrown.status !== 503) return start(exchange, thrown);
    if (!(thrown instanceof AccessDeniedError)) throw thrown;
    // As in Spring, a remembered user is asked to log in where only a full log-in would do.
    if (exchange.authentication?.login === 'full') return accessDenied(exchange, thrown);
    return start(exchange, unauthenticated());
  };

  return {
    name: 'exceptionTranslation',
    handle(exchange, next) {
      try {
        const rest = next(exchange);
        return rest instanceof Promise ? rest.catch((error: unknown) => translate(exchange, error)) : rest;
      } catch (error) {
        return translate(exchange, error);
      }
    },
  };
}

function unauthenticated(): AuthenticationError {
  const { code, status, message, hint } = securityErrors.create('SECURITY_UNAUTHENTICATED');
  return new AuthenticationError({ code, status, message, hint });
}
