// Finds the path that the router behind the chain will route, where frameworks cut `req.url` at a mount or a middleware
// rewrote it. A chain judges the whole path, never the rest after a mount. Where readings differ, the rules must allow
// each of them.
import { canonicalTarget } from '../firewall/canonical-path.ts';

/** A node:http request with the fields that frameworks add. */
export interface RoutedMessage {
  readonly url?: string | undefined;
  /** The part that mounts have cut off so far: Express. */
  readonly baseUrl?: unknown;
  /** The original URL: Express, Connect, Polka, Fastify. */
  readonly originalUrl?: unknown;
}

export interface RoutedTarget {
  readonly target: string;
  readonly sentTarget: string;
  readonly otherTargets?: readonly string[] | undefined;
  readonly targetUnknown?: string | undefined;
}

/** Origin of an absolute target: Express's routers count its characters. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/**
 * Reads the target.
 *
 * @param basePath mount path, for frameworks that do not report it; undefined: unknown
 */
export function readRouted(message: RoutedMessage, basePath: string | undefined): RoutedTarget {
  const { url = '', baseUrl, originalUrl } = message;
  const sent = typeof originalUrl === 'string' ? originalUrl : undefined;
  if (sent === url && (typeof baseUrl !== 'string' || baseUrl === '') && (basePath ?? '') === '')
    return { target: url, sentTarget: url };
  const origin = originOf(url);
  if (sent !== undefined && originOf(sent) !== '' && origin === '')
    return unknown(url, sent, 'its absolute form was rewritten on the way');
  const path = origin !== '' && url[origin.length] !== '/' ? `/${url.slice(origin.length)}` : url.slice(origin.length);
  if (path[0] !== '/') return unknown(url, sent, 'it was rewritten to something that is no path');
  const prefix = `${basePath ?? ''}${typeof baseUrl === 'string' ? baseUrl : ''}`;
  const target = `${origin}${prefix}${path}`;
  if (sent === undefined) return { target, sentTarget: target };
  // At its mount path, `/v1`, an Express handler gets `/`.
  if (prefix !== '' && isRoot(path) && sent === `${origin}${prefix}${path.slice(1)}`)
    return { target: sent, sentTarget: sent };
  if (sent === target) return { target, sentTarget: sent };
  const knowsPrefix = basePath !== undefined || typeof baseUrl === 'string';
  const others = knowsPrefix || sent.endsWith(path) ? [sent] : [sent, ...joined(sent, path)];
  return { target, sentTarget: sent, otherTargets: others };
}

/** URL for the router behind the chain: one spelling of each path, without the part that a mount has cut off. */
export function canonicalRest(url: string): string {
  const origin = originOf(url);
  const rest = canonicalTarget(url);
  if (rest.kind === 'refused') return url;
  const path = `${origin}${rest.encodedPath}`;
  return rest.query === '' ? path : `${path}?${rest.query}`;
}

/** The path of a URL, as Express matches it. */
export function pathOf(url: string): string {
  return url.slice(originOf(url).length).split('?', 1)[0]!;
}

function originOf(url: string): string {
  return url[0] === '/' ? '' : (ORIGIN.exec(url)?.[0] ?? '');
}

function isRoot(path: string): boolean {
  return path === '/' || path.startsWith('/?');
}

/** Connect and Polka cut the URL without reporting it: a rewritten path may follow any prefix of the old one. */
function joined(sent: string, path: string): readonly string[] {
  const [whole = ''] = sent.split('?', 1);
  const targets: string[] = [];
  for (let at = whole.indexOf('/', 1); at > 0; at = whole.indexOf('/', at + 1)) targets.push(whole.slice(0, at) + path);
  return [...targets, whole.replace(/\/$/, '') + path];
}

function unknown(target: string, sent: string | undefined, reason: string): RoutedTarget {
  return { target, sentTarget: sent ?? target, targetUnknown: reason };
}
