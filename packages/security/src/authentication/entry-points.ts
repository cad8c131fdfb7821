// Responses to unauthenticated requests: a Basic challenge, a redirect to the login page, or the plain body.
// `negotiate` chooses by the Accept header, with Spring's table.
import { wordsOf } from '@lockstitch/kernel';
import { authenticationErrors } from '../errors/authentication-errors.ts';
import { type AuthenticationFailure, publicFailure } from '../chain/authentication-failure.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import { type EntryPoint, respondError } from '../chain/error-handling.ts';

/** Responds with 401 and the error body, without a challenge. */
export const respondUnauthorized: EntryPoint = (exchange, error) => respondError(exchange, error, 401);

/**
 * Responds with 401 and `WWW-Authenticate: Basic`. A script's request (X-Requested-With: XMLHttpRequest) gets no
 * challenge, so that the browser does not open its password dialog over the page.
 *
 * @param options.realm default: Realm
 */
export function basicEntryPoint(options: { readonly realm?: string } = {}): EntryPoint {
  const { realm = 'Realm' } = options;
  if (realm === '') throw setting('realmName must be specified: the realm of HTTP Basic is empty.');
  // RFC 9110 §11.5: the realm is a quoted-string, which cannot contain non-printable or non-ASCII characters.
  if (!/^[\x20-\x7e]+$/.test(realm)) throw setting(`The realm "${realm}" has characters a header cannot carry.`);
  const challenge = `Basic realm="${realm.replace(/["\\]/g, '\\$&')}"`;
  return (exchange, error) => {
    if (!isScript(exchange)) exchange.response.setHeader('WWW-Authenticate', challenge);
    return respondError(exchange, error, 401);
  };
}

/**
 * Redirects the browser to the login page with 302.
 *
 * @param options.loginPage a path; default: /login
 */
export function loginEntryPoint(options: { readonly loginPage?: string } = {}): EntryPoint {
  const { loginPage = '/login' } = options;
  return (exchange) => {
    exchange.response.setHeader('Location', loginPage);
    exchange.respond(302);
  };
}

export interface NegotiatedEntryPoints {
  readonly login: EntryPoint;
  /** For programs. Default: 401 with the error body. */
  readonly other?: EntryPoint;
  /** Saves the request, so that log-in can return to it. */
  readonly remember?: (exchange: SecurityExchange) => void;
}

/** Chooses between the login page and the response for programs. Both may save the request first. */
export function negotiate(options: NegotiatedEntryPoints): EntryPoint {
  const { login, other = respondUnauthorized, remember } = options;
  return (exchange, error) => {
    remember?.(exchange);
    return wantsPage(exchange) ? login(exchange, error) : other(exchange, error);
  };
}

const PAGE_TYPES = ['application/xhtml+xml', 'image/*', 'text/html', 'text/plain'];
const PROGRAM_TYPES = wordsOf(`
  application/atom+xml application/x-www-form-urlencoded application/json application/octet-stream application/xml
  multipart/form-data text/xml`);

/**
 * Returns whether the caller is a browser: HTML, images or plain text are accepted, or only unspecific types.
 * Any type, no Accept header, or a script's mark mean a program.
 */
export function wantsPage(exchange: SecurityExchange): boolean {
  if (isScript(exchange)) return false;
  const accepted = acceptedTypes(exchange);
  if (accepted.some((type) => PAGE_TYPES.some((page) => compatible(type, page)))) return true;
  return !(
    accepted.length === 0 ||
    accepted.some((type) => type === '*/*' || PROGRAM_TYPES.some((each) => compatible(type, each)))
  );
}

/** Returns whether JSON is accepted by name, and no page. */
export function wantsJson(exchange: SecurityExchange): boolean {
  return (
    !wantsPage(exchange) &&
    (isScript(exchange) ||
      acceptedTypes(exchange).some((type) => type !== '*/*' && compatible(type, 'application/json')))
  );
}

/** Returns whether a page's script marked the request as its own. */
export function isScript(exchange: SecurityExchange): boolean {
  return exchange.request.header('x-requested-with')?.toLowerCase() === 'xmlhttprequest';
}

/** Media types of Accept without parameters; empty without the header. At most 32 are read. */
export function acceptedTypes(exchange: SecurityExchange): readonly string[] {
  const header = exchange.request.header('accept');
  if (header === undefined || header.trim() === '') return [];
  return header
    .split(',', 32)
    .map((part) => part.split(';', 1)[0]!.trim().toLowerCase())
    .filter((type) => type !== '');
}

/** Wildcards on either side match, except the one for any type, which says nothing about what is wanted. */
function compatible(accepted: string, type: string): boolean {
  if (accepted === '*/*') return false;
  if (accepted === type) return true;
  const [main, sub] = accepted.split('/');
  const [typeMain, typeSub] = type.split('/');
  return main === typeMain && (sub === '*' || typeSub === '*');
}

/**
 * Responds to a failed attempt: 401 through the entry point, others (429, 500, 503) with their own status and
 * Retry-After.
 */
export function respondFailure(
  exchange: SecurityExchange,
  failure: AuthenticationFailure,
  entryPoint: EntryPoint,
): ReturnType<EntryPoint> {
  if (failure.retryAfter !== undefined) exchange.response.setHeader('Retry-After', String(failure.retryAfter));
  if (failure.status !== 401) return respondError(exchange, failure);
  return entryPoint(exchange, publicFailure(failure) as AuthenticationFailure);
}

function setting(what: string): Error {
  return authenticationErrors.create('SECURITY_SETTING', { what });
}
