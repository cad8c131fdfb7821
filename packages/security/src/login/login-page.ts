// The default login page and the log-out confirmation. Applications with their own pages leave these out.
import type { SecurityExchange } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import { hiddenCsrfInput } from '../csrf/hidden-input.ts';
import { escapeHtml, respondPage } from '../html/page.ts';
import { LOGIN_PAGE, LOGOUT_PAGE } from '../options/login-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** A link to log in elsewhere, shown below the form. */
export interface LoginLink {
  /** A path of this server: /oauth2/authorization/github. */
  readonly href: string;
  readonly label: string;
}

export interface LoginPageOptions {
  /** Path of the page and of its form's action. Default: /login. */
  readonly path?: string;
  /** Default: Please sign in. */
  readonly title?: string;
  /** Whether there is a form for user name and password. Default: true. */
  readonly form?: boolean;
  /** Shows "Stay signed in". Default: false. */
  readonly rememberMe?: boolean;
  readonly links?: readonly LoginLink[];
}

/** Creates the filter; its position is `loginPage`. Responds to GET on its path. */
export function createLoginPageFilter(options: LoginPageOptions = {}): Filter {
  requireOptions('createLoginPageFilter', LOGIN_PAGE, options);
  const { path = '/login', title = 'Please sign in', form = true, rememberMe = false, links = [] } = options;
  return {
    name: 'loginPage',
    handle(exchange, next) {
      if (exchange.path !== path || (exchange.method !== 'GET' && exchange.method !== 'HEAD')) return next(exchange);
      return (async () => {
        const hidden = await hiddenCsrfInput(exchange);
        const fields = `<form method="post" action="${escapeHtml(path)}">
<label>User name <input type="text" name="username" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus></label>
<label>Password <input type="password" name="password" autocomplete="current-password" required></label>
${rememberMe ? '<label class="check"><input type="checkbox" name="remember-me"> Stay signed in</label>' : ''}
${hidden}<button type="submit">Sign in</button>
</form>`;
        const elsewhere = links.map(
          ({ href, label }) => `<a class="button" href="${escapeHtml(href)}">${escapeHtml(label)}</a>`,
        );
        respondPage(exchange, title, [notice(exchange), form ? fields : '', ...elsewhere].join('\n'));
      })();
    },
  };
}

/** Creates the filter; its position is `logoutPage`. Asks on GET, because only a POST with the token logs out. */
export function createLogoutPageFilter(options: { readonly path?: string } = {}): Filter {
  requireOptions('createLogoutPageFilter', LOGOUT_PAGE, options);
  const { path = '/logout' } = options;
  return {
    name: 'logoutPage',
    handle(exchange, next) {
      if (exchange.path !== path || (exchange.method !== 'GET' && exchange.method !== 'HEAD')) return next(exchange);
      return (async () => {
        const hidden = await hiddenCsrfInput(exchange);
        const content = `<form method="post" action="${escapeHtml(path)}">${hidden}<button type="submit">Sign out</button></form>`;
        respondPage(exchange, 'Do you want to sign out?', content);
      })();
    },
  };
}

function notice(exchange: SecurityExchange): string {
  if (exchange.parameter('error') !== undefined)
    return '<p role="alert">Signing in did not succeed. Check the user name and the password, then try again.</p>';
  return exchange.parameter('logout') === undefined ? '' : '<p role="status">You have been signed out.</p>';
}
