// How a request that nobody is authenticated for is answered: a Basic challenge, a way to the login page, or the plain
// body. `negotiate` chooses by what the caller accepts, with Spring's table.
import { authenticationErrors } from '../errors/authentication-errors.ts';
import { type AuthenticationFailure, publicFailure } from '../chain/authentication-failure.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import { type EntryPoint, respondError } from '../chain/error-handling.ts';

/** Answers 401 with the error body and no challenge. */
export const respondUnauthorized: EntryPoint = (exchange, error) => respondError(exchange, error, 401);

/**
 * Answers 401 with `WWW-Authenticate: Basic`. A script's request (X-Requested-With: XMLHttpRequest) gets no challenge,
 * so that the browser does not open its password box over the page.
 *
 * @param options.realm default: Realm
 */
export function basicEntryPoint(options: { readonly realm?: string } = {}): EntryPoint {
  const { realm = 'Realm' } = options;
  if (realm === '') throw setting('realmName must be specified: the realm of HTTP Basic is empty.');
  // RFC 9110 §11.5: the realm is a quoted-string; what is not printable ASCII cannot stand in it.
  if (!/^[\x20-\x7e]+$/.test(realm)) throw setting(`The realm "${realm}" has characters a header cannot carry.`);
  const challenge = `Basic realm="${realm.replace(/["\\]/g, '\\$&')}"`;
  return (exchange, error) => {
    if (!isScript(exchange)) exchange.response.setHeader('WWW-Authenticate', challenge);
    return respondError(exchange, error, 401);
  };
}

/**
 * Sends the browser to the login page with 302.
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

/** What is to be chosen from. */
export interface NegotiatedEntryPoints {
  readonly login: EntryPoint;
  /** For programs. Default: 401 with the error body. */
  readonly other?: EntryPoint;
  /** Remembers the request, so that log-in can come back to it. */
  readonly remember?: (exchange: SecurityExchange) => void;
}

/** Chooses between the login page and the answer for programs. Every choice may remember the request first. */
export function negotiate(options: NegotiatedEntryPoints): EntryPoint {
  const { login, other = respondUnauthorized, remember } = options;
  return (exchange, error) => {
    remember?.(exchange);
    return wantsPage(exchange) ? login(exchange, error) : other(exchange, error);
  };
}

const PAGE_TYPES = ['application/xhtml+xml', 'image/*', 'text/html', 'text/plain'];
const PROGRAM_TYPES = [
  'application/atom+xml',
  'application/x-www-form-urlencoded',
  'application/json',
  'application/octet-stream',
  'application/xml',
  'multipart/form-data',
  'text/xml',
];

/**
 * Whether the caller is a person with a browser rather than a program: HTML, images or plain text among what is accepted,
 * or only types that say nothing. Anything (all types), no Accept header, or a script's mark mean a program.
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

/** Whether JSON is asked for by name and no page is. */
export function wantsJson(exchange: SecurityExchange): boolean {
  return (
    !wantsPage(exchange) &&
    (isScript(exchange) ||
      acceptedTypes(exchange).some((type) => type !== '*/*' && compatible(type, 'application/json')))
  );
}

/** Whether a page's script says it made the request. */
export function isScript(exchange: SecurityExchange): boolean {
  return exchange.request.header('x-requested-with')?.toLowerCase() === 'xmlhttprequest';
}

/** The media types of Accept, without parameters; empty when there is no header. At most 32 are looked at. */
export function acceptedTypes(exchange: SecurityExchange): readonly string[] {
  const header = exchange.request.header('accept');
  if (header === undefined || header.trim() === '') return [];
  return header
    .split(',', 32)
    .map((part) => part.split(';', 1)[0]!.trim().toLowerCase())
    .filter((type) => type !== '');
}

/** Wildcards on either side match, except the bare wildcard for everything, which says nothing about what is wanted. */
function compatible(accepted: string, type: string): boolean {
  if (accepted === '*/*') return false;
  if (accepted === type) return true;
  const [main, sub] = accepted.split('/');
  const [typeMain, typeSub] = type.split('/');
  return main === typeMain && (sub === '*' || typeSub === '*');
}

/** Answers a failed attempt: 401 through the entry point, anything else (429, 500, 503) with its own status and Retry-After. */
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
