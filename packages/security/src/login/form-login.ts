// Form log-in: POST /login with username and password. Browsers are redirected; programs that accept JSON get 204, or
// the 401 body.
import { passwordAttempt } from '../authentication/authentication.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import { respondFailure, respondUnauthorized, wantsJson } from '../authentication/entry-points.ts';
import { AuthenticationFailure } from '../chain/authentication-failure.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import { trimJava } from '../chain/java-text.ts';
import { type FormLimits, readForm } from '../html/form.ts';
import { redirect } from '../html/page.ts';
import { completeLogin, type LoginParts } from './login-success.ts';
import { FORM_LOGIN } from '../options/login-shapes.ts';
import { requireOptions } from '../options/shape.ts';

export interface FormLoginOptions extends LoginParts {
  readonly authenticator: Authenticator;
  /** Action of the form. Default: /login. */
  readonly path?: string;
  /** Target after a failure. Default: /login?error. */
  readonly failureTarget?: string;
  /** Default: username. */
  readonly usernameParameter?: string;
  /** Default: password. */
  readonly passwordParameter?: string;
  /** Limits of the form. */
  readonly forms?: FormLimits | undefined;
  /** Called after a successful log-in with the form's fields; remember-me uses it. */
  readonly onSuccess?: (exchange: SecurityExchange, fields: URLSearchParams, username: string) => Promise<void>;
}

/**
 * Creates the filter; its position is `formLogin`. Reads only the body: a password in the query would end up in logs.
 */
export function createFormLoginFilter(options: FormLoginOptions): Filter {
  requireOptions('createFormLoginFilter', FORM_LOGIN, options);
  const { authenticator, path = '/login', usernameParameter = 'username', passwordParameter = 'password' } = options;
  const failureTarget = options.failureTarget ?? `${path}?error`;
  return {
    name: 'formLogin',
    handle(exchange, next) {
      if (exchange.method !== 'POST' || exchange.path !== path) return next(exchange);
      return (async () => {
        const fields = (await readForm(exchange, options.forms)) ?? new URLSearchParams();
        const username = trimJava(fields.get(usernameParameter) ?? '');
        const attempt = passwordAttempt(username, fields.get(passwordParameter) ?? '', {
          address: exchange.request.remoteAddress,
        });
        let target: string;
        try {
          const result = await authenticator.authenticate(exchange, attempt, 'form');
          target = await completeLogin(exchange, result, options);
          await options.onSuccess?.(exchange, fields, result.name);
        } catch (error) {
          if (!(error instanceof AuthenticationFailure)) throw error;
          // A page that says "wrong password" for a busy server or a blocked address would mislead, so these keep their
          // status.
          if (wantsJson(exchange) || error.status !== 401) return respondFailure(exchange, error, respondUnauthorized);
          return redirect(exchange, failureTarget);
        }
        if (wantsJson(exchange)) exchange.respond(204);
        else redirect(exchange, target);
      })();
    },
  };
}
