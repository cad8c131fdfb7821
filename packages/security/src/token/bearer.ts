// Bearer tokens (RFC 6750): `Authorization: Bearer <token>`, in the header only. The verifier knows their format.
import { type Log, silentLog } from '@lockstitch/kernel';
import type { Principal } from '@lockstitch/kernel';
import { type AuditSink, silentAudit } from '../audit/audit.ts';
import { respondFailure } from '../authentication/entry-points.ts';
import { AuthenticationFailure } from '../chain/authentication-failure.ts';
import type { Filter } from '../chain/filter.ts';
import { type EntryPoint, respondError } from '../chain/error-handling.ts';
import type { TokenVerifier } from './jwt.ts';
import { BEARER } from '../options/login-shapes.ts';
import { requireOptions } from '../options/shape.ts';

export interface BearerOptions {
  readonly verifier: TokenVerifier;
  readonly entryPoint?: EntryPoint;
  readonly audit?: AuditSink;
  readonly log?: Log;
}

/** Responds with 401 and the challenge of RFC 6750 §3. */
export const bearerEntryPoint: EntryPoint = (exchange, error) => {
  const challenge = error.code === 'SECURITY_TOKEN_INVALID' ? 'Bearer error="invalid_token"' : 'Bearer';
  exchange.response.setHeader('WWW-Authenticate', challenge);
  return respondError(exchange, error, 401);
};

/** Creates the filter; its position is `bearer`. Ignores other schemes; a bad token is 401 even on open paths. */
export function createBearerFilter(options: BearerOptions): Filter {
  requireOptions('createBearerFilter', BEARER, options);
  const { verifier, entryPoint = bearerEntryPoint, audit = silentAudit, log = silentLog } = options;
  return {
    name: 'bearer',
    handle(exchange, next) {
      const header = exchange.request.header('authorization');
      if (header === undefined || header.slice(0, 6).toLowerCase() !== 'bearer') return next(exchange);
      return (async () => {
        const facts = {
          address: exchange.request.remoteAddress,
          method: exchange.method,
          path: exchange.path,
          mechanism: 'bearer',
        };
        let principal: Principal;
        try {
          // RFC 6750 §2.1: b64token.
          const token = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(header)?.[1];
          if (token === undefined)
            throw new AuthenticationFailure('SECURITY_TOKEN_INVALID', {
              values: { reason: 'the header cannot be read' },
            });
          principal = await verifier.verify(token);
        } catch (error) {
          const failure =
            error instanceof AuthenticationFailure
              ? error
              : new AuthenticationFailure('SECURITY_AUTHENTICATION_SERVICE', { cause: error });
          if (failure.status >= 500)
            log.write(failure.status === 503 ? 'warn' : 'error', 'The keys of bearer tokens cannot be had.', {
              code: failure.code,
            });
          audit.record({ kind: 'authentication-failure', username: undefined, code: failure.code, ...facts });
          return respondFailure(exchange, failure, entryPoint);
        }
        audit.record({ kind: 'authentication-success', username: principal.name, ...facts });
        exchange.authentication = { principal, login: 'full' };
        await next(exchange);
      })();
    },
  };
}
