// Log-out: POST /logout ends the session, removes the CSRF token and the cookies. Only POST, and after the CSRF filter,
// so that an image on another page logs nobody out.
import { type AuditSink, silentAudit } from '../audit/audit.ts';
import { wantsJson } from '../authentication/entry-points.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import type { Csrf } from '../csrf/csrf.ts';
import type { Sessions } from '../session/sessions.ts';
import { redirect } from '../html/page.ts';
import { LOGOUT } from '../options/login-shapes.ts';
import { requireOptions } from '../options/shape.ts';

export interface LogoutOptions {
  readonly sessions: Sessions;
  readonly csrf?: Csrf | undefined;
  /** Default: /logout. */
  readonly path?: string;
  /** Default: /login?logout. */
  readonly target?: string;
  /** Further steps: remember-me removes its cookie here. */
  readonly handlers?: readonly ((exchange: SecurityExchange) => Promise<void>)[];
  readonly audit?: AuditSink;
}

/** Creates the filter; its position is `logout`. Programs that accept JSON get 204, browsers are redirected. */
export function createLogoutFilter(options: LogoutOptions): Filter {
  requireOptions('createLogoutFilter', LOGOUT, options);
  const { sessions, csrf, path = '/logout', target = '/login?logout', handlers = [], audit = silentAudit } = options;
  return {
    name: 'logout',
    handle(exchange, next) {
      if (exchange.method !== 'POST' || exchange.path !== path) return next(exchange);
      return (async () => {
        const username = exchange.principal.name;
        for (const handler of handlers) await handler(exchange);
        await csrf?.forget(exchange);
        await sessions.logOut(exchange);
        audit.record({ kind: 'logout', username, address: exchange.request.remoteAddress });
        if (wantsJson(exchange)) exchange.respond(204);
        else redirect(exchange, target);
      })();
    },
  };
}
