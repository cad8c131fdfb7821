// The second factor: users that have one need a one-time password after their first factor, in a header or in a form. With a
// session it is asked for once.
import { type AuditSink, silentAudit } from '../audit/audit.ts';
import { callStore } from '../stores/call-store.ts';
import { respondFailure, respondUnauthorized, wantsPage } from '../authentication/entry-points.ts';
import { AuthenticationFailure, type FailureCode } from '../chain/authentication-failure.ts';
import type { Next, SecurityExchange } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import { hiddenCsrfInput } from '../csrf/hidden-input.ts';
import type { AttemptLimiter } from '../limits/attempt-limiter.ts';
import { type FormLimits, readForm } from '../html/form.ts';
import { escapeHtml, redirect, respondPage } from '../html/page.ts';
import type { Session } from '../session/session.ts';
import type { Sessions } from '../session/sessions.ts';
import type { OneTimeVerifier } from './totp.ts';
import { ONE_TIME } from '../options/login-shapes.ts';
import { requireOptions } from '../options/shape.ts';

export interface OneTimeOptions {
  readonly verifier: OneTimeVerifier;
  /** With sessions, one code holds for the session. */
  readonly sessions?: Sessions;
  /** Counts wrong codes; otherwise six digits are guessed in a day. */
  readonly attempts: AttemptLimiter;
  /** Default: X-One-Time-Password. */
  readonly header?: string;
  /** Action of the form. Default: /login/one-time. */
  readonly path?: string;
  /** Limits of the form. */
  readonly forms?: FormLimits | undefined;
  readonly audit?: AuditSink;
  /** Called after a right code that holds for the session; remember-me uses it. */
  readonly onPassed?: ((exchange: SecurityExchange) => Promise<void>) | undefined;
}

/** Session value: the user for whom a code was right. A session can change to another user, who has another second factor. */
const PASSED = 'oneTime';
const VERIFIER = 'verifier of one-time passwords';

/** Creates the filter; its position is `oneTime`, after every first factor. */
export function createOneTimeFilter(options: OneTimeOptions): Filter {
  requireOptions('createOneTimeFilter', ONE_TIME, options);
  const step = new OneTimeStep(options);
  return {
    name: 'oneTime',
    handle(exchange, next) {
      if (exchange.authentication === undefined || exchange.authentication.login === 'anonymous') return next(exchange);
      return step.handle(exchange, next);
    },
  };
}

class OneTimeStep {
  readonly #options: OneTimeOptions;
  readonly #header: string;
  readonly #path: string;
  readonly #audit: AuditSink;

  constructor(options: OneTimeOptions) {
    this.#options = options;
    this.#header = options.header ?? 'X-One-Time-Password';
    this.#path = options.path ?? '/login/one-time';
    this.#audit = options.audit ?? silentAudit;
  }

  async handle(exchange: SecurityExchange, next: Next): Promise<void> {
    const session = this.#ownSession(exchange);
    if (session?.get(PASSED) === exchange.principal.name) return next(exchange);
    const { forms, onPassed, verifier } = this.#options;
    if (!(await callStore(VERIFIER, () => verifier.isRequired(exchange.principal)))) return next(exchange);
    const posted = session !== undefined && exchange.method === 'POST' && exchange.path === this.#path;
    const code = posted
      ? (await readForm(exchange, forms))?.get('code')
      : exchange.request.header(this.#header.toLowerCase());
    if (code === undefined || code === null) return this.#ask(exchange, undefined);
    try {
      await this.#check(exchange, code);
    } catch (error) {
      if (!(error instanceof AuthenticationFailure)) throw error;
      return this.#ask(exchange, error);
    }
    if (session !== undefined) {
      session.set(PASSED, exchange.principal.name);
      await onPassed?.(exchange);
      await session.changeId();
    }
    if (posted) redirect(exchange, '/');
    else await next(exchange);
  }

  /** The session of this user; undefined if Basic authenticated another user than the session's. */
  #ownSession(exchange: SecurityExchange): Session | undefined {
    const session = this.#options.sessions?.current(exchange);
    return session?.principal?.name === exchange.principal.name ? session : undefined;
  }

  /** @throws AuthenticationFailure unless the code is right */
  async #check(exchange: SecurityExchange, code: string): Promise<void> {
    const { attempts, verifier } = this.#options;
    const { name } = exchange.principal;
    // Another chain of this request has used the code.
    const used = `${code} ${name}`;
    if (exchange.ofRequest(verifier) === used) return;
    const address = exchange.request.remoteAddress;
    const facts = { address, method: exchange.method, path: exchange.path, mechanism: 'one-time' };
    const isFailure = (error: unknown): boolean => error instanceof AuthenticationFailure && error.status === 401;
    try {
      // Counted under another name, so that wrong codes do not lock the password and a right password forgives none.
      await attempts.run(`one-time ${name}`, address, () => this.#verify(exchange, code), isFailure);
    } catch (error) {
      if (error instanceof AuthenticationFailure)
        this.#audit.record({ kind: 'authentication-failure', username: name, code: error.code, ...facts });
      throw error;
    }
    exchange.keepForRequest(verifier, used);
    this.#audit.record({ kind: 'authentication-success', username: name, ...facts });
  }

  async #verify({ principal }: SecurityExchange, code: string): Promise<void> {
    const isRight = await callStore(VERIFIER, () => this.#options.verifier.verify(principal, code.replaceAll(' ', '')));
    if (!isRight) throw this.#failure('SECURITY_ONE_TIME_INVALID');
  }

  /** Asks a person by a form, a program by 401. */
  async #ask(exchange: SecurityExchange, wrong: AuthenticationFailure | undefined): Promise<void> {
    const error = wrong ?? this.#failure('SECURITY_ONE_TIME_REQUIRED');
    const isPerson = this.#options.sessions !== undefined && wantsPage(exchange) && error.status === 401;
    exchange.authentication = undefined;
    if (!isPerson) return respondFailure(exchange, error, respondUnauthorized);
    respondPage(
      exchange,
      'One-time password',
      `${wrong === undefined ? '' : '<p role="alert">This code is wrong, too old, or used already.</p>'}
<form method="post" action="${escapeHtml(this.#path)}">
<label>Six digits of your authenticator <input type="text" name="code" inputmode="numeric" autocomplete="one-time-code" required autofocus></label>
${await hiddenCsrfInput(exchange)}<button type="submit">Continue</button>
</form>`,
    );
  }

  #failure(code: FailureCode): AuthenticationFailure {
    return new AuthenticationFailure(code, { values: { header: this.#header } });
  }
}
