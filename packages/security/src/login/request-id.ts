// Rejects requests without a Request-Id, before authentication, for systems that trace every request. Off by default.
import { authenticationErrors } from '../errors/authentication-errors.ts';
import type { Filter } from '../chain/filter.ts';
import { isBlankJava } from '../chain/java-text.ts';
import { respondError } from '../chain/error-handling.ts';
import { REQUEST_ID } from '../options/login-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/**
 * Creates the filter; its position is `requestId`. A missing or blank header is 400.
 *
 * @param options.header default: Request-Id
 */
export function createRequestIdFilter(options: { readonly header?: string } = {}): Filter {
  requireOptions('createRequestIdFilter', REQUEST_ID, options);
  const { header = 'Request-Id' } = options;
  const name = header.toLowerCase();
  return {
    name: 'requestId',
    handle(exchange, next) {
      const id = exchange.request.header(name);
      if (id !== undefined && !isBlankJava(id)) return next(exchange);
      return respondError(exchange, authenticationErrors.create('SECURITY_REQUEST_ID_MISSING', { header }));
    },
  };
}
