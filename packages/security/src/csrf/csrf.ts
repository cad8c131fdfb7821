// Rejects writes that do not carry their caller's CSRF token. Runs before authentication: a forged request is rejected
// with 403, whatever user it claims.
import { type AuditSink, silentAudit } from '../audit/audit.ts';
import { authenticationErrors } from '../errors/authentication-errors.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import { type AccessDeniedHandler, respondForbidden } from '../chain/error-handling.ts';
import { equalTexts } from '../password/password-encoder.ts';
import { CSRF, type CsrfToken, type DeferredCsrfToken } from './csrf-token.ts';
import type { CsrfTokenRepository } from './csrf-token-repository.ts';
import { maskToken, unmaskToken } from './masked-token.ts';
import { type FormLimits, hasForm, readForm } from '../html/form.ts';
import { CSRF as CSRF_OPTIONS } from '../options/login-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** Safe methods (RFC 9110 §9.2.1) need no token. Case-sensitive. */
const SAFE = new Set(['GET', 'HEAD', 'TRACE', 'OPTIONS']);

type Refusal = 'SECURITY_CSRF_MISSING' | 'SECURITY_CSRF_INVALID' | 'SECURITY_CSRF_EXPIRED';

export interface CsrfOptions {
  readonly repository: CsrfTokenRepository;
  /** Requests that need no token, by path or otherwise. */
  readonly ignoring?: readonly ((exchange: SecurityExchange) => boolean)[];
  /** Masks the token in each response (BREACH). Default: false, as in Spring Security 5.8. */
  readonly masked?: boolean;
  /** Path that returns the token; named in error messages. Default: /csrf. */
  readonly endpoint?: string;
  readonly accessDenied?: AccessDeniedHandler;
  /** Limits of a form that is read for the parameter. */
  readonly forms?: FormLimits | undefined;
  readonly audit?: AuditSink;
}

/** CSRF protection of a chain. */
export interface Csrf {
  /** Its position is `csrf`. */
  readonly filter: Filter;
  /** Its position is `csrfEndpoint`: responds to GET with headerName, parameterName and token. */
  readonly endpointFilter: Filter;
  /** Replaces the token after log-in, so that a token known before is worthless. */
  renew(exchange: SecurityExchange): Promise<void>;
  /** Removes the token at log-out. */
  forget(exchange: SecurityExchange): Promise<void>;
}

export function createCsrf(options: CsrfOptions): Csrf {
  requireOptions('createCsrf', CSRF_OPTIONS, options);
  const { repository, ignoring = [], masked = false, endpoint = '/csrf', accessDenied = respondForbidden } = options;
  const { forms, audit = silentAudit } = options;

  const isIgnored = (exchange: SecurityExchange): boolean => ignoring.some((ignored) => ignored(exchange));

  const shown = (token: CsrfToken): CsrfToken => (masked ? { ...token, token: maskToken(token.token) } : token);

  const start = async (exchange: SecurityExchange): Promise<CsrfToken> => {
    const kept = await repository.load(exchange);
    if (kept !== undefined) return shown(kept);
    const made = repository.generate(exchange);
    await repository.save(exchange, made);
    return shown(made);
  };

  const matches = (kept: CsrfToken, sent: string): boolean => {
    if (!masked) return equalTexts(kept.token, sent);
    const plain = unmaskToken(sent, Buffer.byteLength(kept.token, 'utf8'));
    return plain !== undefined && equalTexts(kept.token, plain);
  };

  /** The header counts if present, even empty; otherwise the query parameter, then that of an urlencoded body. */
  const outsideOfForm = (exchange: SecurityExchange, names: CsrfToken): string | undefined =>
    exchange.request.header(names.headerName.toLowerCase()) ?? exchange.parameter(names.parameterName);

  const refuse = async (exchange: SecurityExchange, names: CsrfToken, code: Refusal): Promise<void> => {
    audit.record({
      kind: 'csrf-refused',
      username: exchange.principal.name,
      code,
      address: exchange.request.remoteAddress,
      method: exchange.method,
      path: exchange.path,
    });
    const { headerName: header, parameterName: parameter } = names;
    const values = { method: exchange.method, endpoint, carrier: repository.carrier, header, parameter };
    await accessDenied(exchange, authenticationErrors.create(code, values));
  };

  return {
    filter: {
      name: 'csrf',
      handle(exchange, next) {
        exchange.set(CSRF, new TokenOnDemand(start, exchange));
        if (SAFE.has(exchange.method) || (ignoring.length > 0 && exchange.everyReading(isIgnored)))
          return next(exchange);
        return (async () => {
          const kept = await repository.load(exchange);
          // Without a saved token nothing can match; a generated one has the names under which it would be sent.
          const names = kept ?? repository.generate(exchange);
          const outside = outsideOfForm(exchange, names);
          // A form is read only if its token can be right.
          if (outside === undefined && kept === undefined && hasForm(exchange))
            return refuse(exchange, names, 'SECURITY_CSRF_EXPIRED');
          const sent = outside ?? (await readForm(exchange, forms))?.get(names.parameterName) ?? '';
          if (sent === '') return refuse(exchange, names, 'SECURITY_CSRF_MISSING');
          if (kept === undefined || !matches(kept, sent)) return refuse(exchange, names, 'SECURITY_CSRF_INVALID');
          await next(exchange);
        })();
      },
    },
    endpointFilter: {
      name: 'csrfEndpoint',
      handle(exchange, next) {
        if (exchange.path !== endpoint || exchange.method !== 'GET') return next(exchange);
        return (async () => {
          const { headerName, parameterName, token } = await start(exchange);
          exchange.response.setHeader('Cache-Control', 'no-store');
          exchange.respond(200, JSON.stringify({ headerName, parameterName, token }), 'application/json;charset=UTF-8');
        })();
      },
    },
    async renew(exchange) {
      if ((await repository.load(exchange)) === undefined) return;
      await repository.save(exchange, repository.generate(exchange));
    },
    forget: async (exchange) => repository.save(exchange, undefined),
  };
}

/** Not a closure over the exchange: those outlived their requests (see `createSecurity`). */
class TokenOnDemand implements DeferredCsrfToken {
  readonly #start: (exchange: SecurityExchange) => Promise<CsrfToken>;
  readonly #exchange: SecurityExchange;

  constructor(start: (exchange: SecurityExchange) => Promise<CsrfToken>, exchange: SecurityExchange) {
    this.#start = start;
    this.#exchange = exchange;
  }

  obtain(): Promise<CsrfToken> {
    return this.#start(this.#exchange);
  }
}
