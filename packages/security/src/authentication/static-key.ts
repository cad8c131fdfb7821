// Static keys in the Authorization header instead of HTTP Basic, for a few known machines.
import { createHash, timingSafeEqual } from 'node:crypto';
import { createPrincipal } from '@lockstitch/kernel';
import { type AuditSink, silentAudit } from '../audit/audit.ts';
import type { Filter } from '../chain/filter.ts';
import type { EntryPoint } from '../chain/error-handling.ts';
import { authenticationErrors } from '../errors/authentication-errors.ts';
import { respondFailure, respondUnauthorized } from './entry-points.ts';
import { AuthenticationFailure } from '../chain/authentication-failure.ts';
import { STATIC_KEY_FILTER } from '../options/login-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** A key and its principal. */
export interface StaticKey {
  readonly key: string;
  /** Default: static-key. */
  readonly name?: string;
  /** Default: none. */
  readonly authorities?: readonly string[];
}

export interface StaticKeyOptions {
  readonly keys: readonly StaticKey[];
  /** Default: authorization. The header's whole value is the key. */
  readonly header?: string;
  readonly entryPoint?: EntryPoint;
  readonly audit?: AuditSink;
}

/** Creates the filter; its position is `staticKey`. Every request of the chain needs a key. */
export function createStaticKeyFilter(options: StaticKeyOptions): Filter {
  requireOptions('createStaticKeyFilter', STATIC_KEY_FILTER, options);
  const { entryPoint = respondUnauthorized, audit = silentAudit } = options;
  const header = (options.header ?? 'authorization').toLowerCase();
  if (options.keys.length === 0 || options.keys.some(({ key }) => key.trim() === '' || key !== key.trim())) {
    const what = 'Static keys: at least one key is needed, and none may be empty or have blanks around it.';
    throw authenticationErrors.create('SECURITY_SETTING', { what });
  }
  // Hashes have equal length, so comparing them reveals nothing about the key's length.
  const keys = options.keys.map(({ key, name = 'static-key', authorities = [] }) => ({
    hash: sha256(key),
    principal: createPrincipal(name, authorities),
  }));
  return {
    name: 'staticKey',
    handle(exchange, next) {
      const sent = sha256(exchange.request.header(header) ?? '');
      // All keys are compared, so that the time does not reveal which one came close.
      const match = keys.filter(({ hash }) => timingSafeEqual(hash, sent))[0];
      const facts = { address: exchange.request.remoteAddress, method: exchange.method, path: exchange.path };
      if (match === undefined) {
        const failure = new AuthenticationFailure('SECURITY_KEY_INVALID');
        audit.record({
          kind: 'authentication-failure',
          username: undefined,
          mechanism: 'static-key',
          code: failure.code,
          ...facts,
        });
        return respondFailure(exchange, failure, entryPoint);
      }
      audit.record({
        kind: 'authentication-success',
        username: match.principal.name,
        mechanism: 'static-key',
        ...facts,
      });
      exchange.authentication = { principal: match.principal, login: 'full' };
      return next(exchange);
    },
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
