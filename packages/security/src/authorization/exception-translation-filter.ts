// Turns refusals thrown behind it into answers: nobody logged in → the entry point starts authentication; somebody
// logged in → 403 by the access-denied handler. Everything else passes through.
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
  /** Runs before the entry point: keeps the request to return to after log-in. */
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
    // A store that is away says nothing about who asks: no log-in would help.
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
