// The second factor: whoever proved a password and has a second factor gets nowhere before the one-time password, sent
// in a header by programs, or in a form by people. With a session it is asked for once.
import { type AuditSink, silentAudit } from '../audit/audit.ts';
import { callStore } from '../stores/call-store.ts';
import { respondFailure, respondUnauthorized, wantsPage } from '../authentication/entry-points.ts';
import { AuthenticationFailure, type FailureCode } from '../chain/authentication-failure.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import { CSRF } from '../csrf/csrf-token.ts';
import type { AttemptLimiter } from '../limits/attempt-limiter.ts';
import { type FormLimits, readForm } from '../html/form.ts';
import { escapeHtml, redirect, respondPage } from '../html/page.ts';
import type { Sessions } from '../session/sessions.ts';
import type { OneTimeVerifier } from './totp.ts';
import { ONE_TIME } from '../options/login-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** The settings. */
export interface OneTimeOptions {
  readonly verifier: OneTimeVerifier;
  /** With sessions, one code is good for the session. */
  readonly sessions?: Sessions;
  /** Counts wrong codes: six digits are guessed in a day without. */
  readonly attempts: AttemptLimiter;
  /** Default: X-One-Time-Password. */
  readonly header?: string;
  /** Where the form for people goes. Default: /login/one-time. */
  readonly path?: string;
  /** What is read of the form. */
  readonly forms?: FormLimits | undefined;
  readonly audit?: AuditSink;
  /** Told when a code was right and is good for the session; remember-me listens here. */
  readonly onPassed?: ((exchange: SecurityExchange) => Promise<void>) | undefined;
}

/** In the session: for whom a code was right. A session can go on to another user, whose second factor that is not. */
const PASSED = 'oneTime';

/** Makes the filter; it stands at `oneTime`, behind every first factor. */
export function createOneTimeFilter(options: OneTimeOptions): Filter {
  requireOptions('createOneTimeFilter', ONE_TIME, options);
  const {
    verifier,
    sessions,
    attempts,
    header = 'X-One-Time-Password',
    path = '/login/one-time',
    audit = silentAudit,
  } = options;

  /** The session counts only when it is the one of this user, not when Basic stands on top of somebody else's. */
  const ownSession = (exchange: SecurityExchange) => {
    const session = sessions?.current(exchange);
    return session?.principal?.name === exchange.principal.name ? session : undefined;
  };

  const check = async (exchange: SecurityExchange, code: string): Promise<void> => {
    const { name } = exchange.principal;
    // Another chain of this very request has used the code up.
    const used = `${code} ${name}`;
    if (exchange.ofRequest(verifier) === used) return;
    // Counted under a name of its own, so that wrong codes do not lock the password and a right password forgives none.
    const counted = `one-time ${name}`;
    const facts = {
      address: exchange.request.remoteAddress,
      method: exchange.method,
      path: exchange.path,
      mechanism: 'one-time',
    };
    const verify = async (): Promise<void> => {
      const isRight = await callStore('verifier of one-time passwords', () =>
        verifier.verify(exchange.principal, code.replaceAll(' ', '')),
      );
      if (!isRight) throw failure('SECURITY_ONE_TIME_INVALID');
    };
    try {
      await attempts.run(
        counted,
        exchange.request.remoteAddress,
        verify,
        (error) => error instanceof AuthenticationFailure && error.status === 401,
      );
    } catch (error) {
      if (error instanceof AuthenticationFailure) {
        audit.record({ kind: 'authentication-failure', username: name, code: error.code, ...facts });
      }
      throw error;
    }
    exchange.keepForRequest(verifier, used);
    audit.record({ kind: 'authentication-success', username: name, ...facts });
  };

  const failure = (code: FailureCode): AuthenticationFailure => new AuthenticationFailure(code, { values: { header } });

  const ask = async (exchange: SecurityExchange, wrong: AuthenticationFailure | undefined): Promise<void> => {
    const error = wrong ?? failure('SECURITY_ONE_TIME_REQUIRED');
    const person = sessions !== undefined && wantsPage(exchange) && error.status === 401;
    exchange.authentication = undefined;
    if (!person) return respondFailure(exchange, error, respondUnauthorized);
    const token = await exchange.get(CSRF)?.obtain();
    const hidden =
      token === undefined
        ? ''
        : `<input type="hidden" name="${escapeHtml(token.parameterName)}" value="${escapeHtml(token.token)}">`;
    respondPage(
      exchange,
      'One-time password',
      `${wrong === undefined ? '' : '<p role="alert">This code is wrong, too old, or used already.</p>'}
<form method="post" action="${escapeHtml(path)}">
<label>Six digits of your authenticator <input type="text" name="code" inputmode="numeric" autocomplete="one-time-code" required autofocus></label>
${hidden}<button type="submit">Continue</button>
</form>`,
    );
  };

  return {
    name: 'oneTime',
    handle(exchange, next) {
      if (exchange.authentication === undefined || exchange.authentication.login === 'anonymous') return next(exchange);
      return (async () => {
        const session = ownSession(exchange);
        if (session?.get(PASSED) === exchange.principal.name) return next(exchange);
        const isRequired = await callStore('verifier of one-time passwords', () =>
          verifier.isRequired(exchange.principal),
        );
        if (!isRequired) return next(exchange);
        const posted = session !== undefined && exchange.method === 'POST' && exchange.path === path;
        const code = posted
          ? (await readForm(exchange, options.forms))?.get('code')
          : exchange.request.header(header.toLowerCase());
        if (code === undefined || code === null) return ask(exchange, undefined);
        try {
          await check(exchange, code);
        } catch (error) {
          if (!(error instanceof AuthenticationFailure)) throw error;
          return ask(exchange, error);
        }
        if (session !== undefined) {
          session.set(PASSED, exchange.principal.name);
          await options.onPassed?.(exchange);
          await session.changeId();
        }
        if (posted) redirect(exchange, '/');
        else await next(exchange);
      })();
    },
  };
}
