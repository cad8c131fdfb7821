// The part that all log-in filters share: limits before the hash, the manager, audit and logging. Filters differ in how
// they read credentials and how they respond.
import { type Log, type Principal, silentLog } from '@lockstitch/kernel';
import { type AuditSink, auditName, silentAudit } from '../audit/audit.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import type { AttemptLimiter } from '../limits/attempt-limiter.ts';
import type { Authentication } from './authentication.ts';
import { AuthenticationFailure } from '../chain/authentication-failure.ts';
import type { AuthenticationManager } from './manager.ts';
import { AUTHENTICATOR } from '../options/login-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** Authenticates the attempt of a request. */
export interface Authenticator {
  /** @param mechanism for the audit: `basic`, `form` @throws AuthenticationFailure unless it succeeds */
  authenticate(exchange: SecurityExchange, attempt: Authentication, mechanism: string): Promise<Authentication>;
  /**
   * Returns the result if it is known synchronously: a password proven a moment ago, and no failed attempts. Audited
   * like any success.
   */
  recognise(
    exchange: SecurityExchange,
    attempt: Authentication,
    mechanism: string,
    line?: string,
  ): Authentication | undefined;
  /** The same for a whole header line that was recognised before, without parsing it. */
  recall(exchange: SecurityExchange, line: string, mechanism: string): Principal | undefined;
  /** Records a failure before there was an attempt: a header that does not parse. */
  refused(exchange: SecurityExchange, failure: AuthenticationFailure, mechanism: string, username?: string): void;
}

export interface AuthenticatorOptions {
  readonly manager: AuthenticationManager;
  readonly attempts?: AttemptLimiter | undefined;
  readonly audit?: AuditSink;
  readonly log?: Log;
}

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  requireOptions('createAuthenticator', AUTHENTICATOR, options);
  const { manager, attempts, audit = silentAudit, log = silentLog } = options;
  const refused: Authenticator['refused'] = (exchange, failure, mechanism, username) => {
    audit.record({
      kind: 'authentication-failure',
      username: username === undefined ? undefined : auditName(username),
      mechanism,
      code: failure.code,
      address: exchange.request.remoteAddress,
      method: exchange.method,
      path: exchange.path,
    });
  };
  const succeeded = (exchange: SecurityExchange, username: string, mechanism: string): void => {
    if (audit === silentAudit) return;
    audit.record({
      kind: 'authentication-success',
      username,
      mechanism,
      address: exchange.request.remoteAddress,
      method: exchange.method,
      path: exchange.path,
    });
  };
  const isClear = ({ request }: SecurityExchange, name: string): boolean =>
    attempts === undefined || attempts.isQuiet() || attempts.isClear(name, request.remoteAddress);
  return {
    refused,
    recognise(exchange, attempt, mechanism, line) {
      if (!isClear(exchange, attempt.name)) return undefined;
      const result = manager.recognise?.(attempt, line);
      if (result !== undefined) succeeded(exchange, result.name, mechanism);
      return result;
    },
    recall(exchange, line, mechanism) {
      const recalled = manager.recall?.(line);
      if (recalled === undefined || !isClear(exchange, recalled.name)) return undefined;
      succeeded(exchange, recalled.user.username, mechanism);
      return recalled.user.toPrincipal();
    },
    async authenticate(exchange, attempt, mechanism) {
      const address = exchange.request.remoteAddress;
      try {
        // The owner need not wait for guesses that are being compared.
        const proven = attempts?.lookUp(attempt.name, address, () => manager.recognise?.(attempt));
        if (proven !== undefined) {
          succeeded(exchange, proven.name, mechanism);
          return proven;
        }
        const isKnown = attempts?.isKnown(attempt.name, address) === true;
        const check = () => manager.authenticate(isKnown ? attempt.ofKnownClient() : attempt);
        const result = await (attempts === undefined ? check() : attempts.run(attempt.name, address, check, isWrong));
        succeeded(exchange, result.name, mechanism);
        return result;
      } catch (error) {
        const failure =
          error instanceof AuthenticationFailure
            ? error
            : new AuthenticationFailure('SECURITY_AUTHENTICATION_SERVICE', { cause: error });
        if (failure.status >= 500) {
          const reason = failure.cause instanceof Error ? failure.cause.message : undefined;
          log.write(failure.status === 503 ? 'warn' : 'error', failure.message, {
            code: failure.code,
            mechanism,
            reason,
          });
        }
        refused(exchange, failure, mechanism, attempt.name);
        throw failure;
      }
    },
  };
}

/** Returns whether the credentials were wrong, rather than the server at fault. */
function isWrong(error: unknown): boolean {
  return error instanceof AuthenticationFailure && (error.code === 'SECURITY_BAD_CREDENTIALS' || error.isAccountStatus);
}
