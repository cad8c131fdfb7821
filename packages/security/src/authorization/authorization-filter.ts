// The last filter: finds the rule that decides and applies it. Denials are thrown; the exception translation filter
// before it responds.
import type { Decision, Log } from '@lockstitch/kernel';
import { securityErrors } from '../errors/chain-errors.ts';
import {
  type CurrentAuthentication,
  type Next,
  NO_READINGS,
  type Reading,
  type SecurityExchange,
} from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import { AccessDeniedError } from '../chain/error-handling.ts';
import { viewPath } from '../match/path-view.ts';
import { type AccessRequest, decideAccess, decidePlain } from './access.ts';
import { ANONYMOUS_AUTHENTICATION } from './anonymous-filter.ts';
import type { RuleIndex } from './rule-index.ts';

export interface AuthorizationOptions {
  readonly index: RuleIndex;
  /** Denies requests that no rule selects. Default: false, they are allowed. */
  readonly denyUnmatched: boolean;
  readonly log: Log;
  /** Called on every denial, before the response. */
  readonly onDenied?: ((exchange: SecurityExchange) => void) | undefined;
}

const NONE: Readonly<Record<string, string>> = Object.freeze({});

export function createAuthorizationFilter(options: AuthorizationOptions): Filter {
  const { index, denyUnmatched, log, onDenied } = options;

  const settle = (decision: Decision, exchange: SecurityExchange, next: Next): MaybePromise<void> => {
    if (decision.granted) return next(exchange);
    if (decision.error !== undefined)
      log.write('error', 'An access rule failed and therefore refused the request.', {
        path: exchange.path,
        error: decision.error instanceof Error ? decision.error.message : 'not an error object',
      });
    onDenied?.(exchange);
    throw accessDenied(exchange.principal.name);
  };

  const decide = async (exchange: SecurityExchange, { path, query }: Reading): Promise<Decision> => {
    const rule = index.find(exchange.method, path, query);
    if (rule === undefined) return { granted: !denyUnmatched };
    const authentication = exchange.authentication ?? ANONYMOUS_AUTHENTICATION;
    const variables = rule.matcher.variables(viewPath(path));
    return decideAccess(rule.access, { ...accessRequest(exchange, authentication), path, query, variables });
  };

  /** For a rewritten path the rules of each reading have to grant access. */
  const allOthers = async (exchange: SecurityExchange, next: Next): Promise<void> => {
    const { otherReadings } = exchange;
    for (const reading of otherReadings) {
      const decision = await decide(exchange, reading);
      if (!decision.granted) return settle(decision, exchange, next);
    }
    exchange.otherReadings = NO_READINGS;
    try {
      await filter.handle(exchange, next);
    } finally {
      exchange.otherReadings = otherReadings;
    }
  };

  const filter: Filter = {
    name: 'authorization',
    handle(exchange, next) {
      if (exchange.otherReadings.length > 0) return allOthers(exchange, next);
      const rule = index.find(exchange.method, exchange.path, exchange.query);
      if (rule === undefined) return settle({ granted: !denyUnmatched }, exchange, next);
      const { access, matcher } = rule;
      if (access.kind === 'permitAll') return next(exchange);
      const authentication = exchange.authentication ?? ANONYMOUS_AUTHENTICATION;
      if (access.kind !== 'expression' && access.kind !== 'function')
        return settle(decidePlain(access, authentication), exchange, next);
      if (matcher.hasVariables && (access.kind === 'function' || access.needsVariables))
        exchange.variables = matcher.variables(viewPath(exchange.path));
      const decision = decideAccess(access, accessRequest(exchange, authentication));
      return decision instanceof Promise
        ? decision.then((settled) => settle(settled, exchange, next))
        : settle(decision, exchange, next);
    },
  };
  return filter;
}

/** The error of a denied request. */
export function accessDenied(user: string): AccessDeniedError {
  const { code, status, message, hint } = securityErrors.create('SECURITY_FORBIDDEN', { user });
  return new AccessDeniedError({ code, status, message, hint });
}

function accessRequest(exchange: SecurityExchange, authentication: CurrentAuthentication): AccessRequest {
  return {
    authentication,
    method: exchange.method,
    path: exchange.path,
    query: exchange.query,
    remoteAddress: exchange.request.remoteAddress,
    variables: exchange.variables ?? NONE,
    header: (name) => exchange.request.header(name.toLowerCase()),
  };
}
