// The first filter of every chain: rejects unusual methods, hosts, message framings and ambiguous targets, and sets the
// canonical path on the exchange. Targets are parsed in canonical-path.ts.
import { securityErrors } from '../errors/chain-errors.ts';
import { NO_READINGS, type Reading, type SecurityExchange } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import { type CanonicalTarget, canonicalTarget } from './canonical-path.ts';

export interface FirewallOptions {
  /** Allowed methods. Default: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS. */
  readonly allowedMethods?: readonly string[] | undefined;
  /** Allowed host names (without port); others are rejected, which stops DNS rebinding. Default: all. */
  readonly allowedHosts?: readonly string[] | undefined;
}

export const DEFAULT_ALLOWED_METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export function createFirewallFilter(options: FirewallOptions = {}): Filter {
  checkOptions(options);
  const methods = new Set(options.allowedMethods ?? DEFAULT_ALLOWED_METHODS);
  const hosts =
    options.allowedHosts === undefined ? undefined : new Set(options.allowedHosts.map((host) => host.toLowerCase()));
  return {
    name: 'firewall',
    handle(exchange, next) {
      const { request } = exchange;
      if (!methods.has(request.method))
        throw securityErrors.create('SECURITY_METHOD_REFUSED', {
          method: request.method.slice(0, 32),
          allowed: [...methods].join(', '),
        });
      checkFraming(exchange);
      if (hosts !== undefined) checkHost(exchange, hosts);
      if (request.targetUnknown !== undefined) throw targetRefused(request.targetUnknown);
      const target = readTarget(request.target);
      if (request.target.charCodeAt(0) !== SLASH) checkAuthority(exchange);
      exchange.path = target.path;
      exchange.encodedPath = target.encodedPath;
      exchange.query = target.query;
      if (request.otherTargets !== undefined) exchange.otherReadings = readOthers(request.otherTargets, target);
      return next(exchange);
    },
  };
}

/** @throws ProductError SECURITY_TARGET_REFUSED */
function readTarget(text: string): CanonicalTarget {
  const target = canonicalTarget(text);
  if (target.kind === 'refused') throw targetRefused(target.reason);
  return target;
}

function targetRefused(reason: string): Error {
  return securityErrors.create('SECURITY_TARGET_REFUSED', { reason });
}

/** Readings that differ from the target and from each other. */
function readOthers(texts: readonly string[], target: Reading): readonly Reading[] {
  const others: Reading[] = [];
  for (const text of texts) {
    const reading = readTarget(text);
    const isSame = ({ path, query }: Reading): boolean => path === reading.path && query === reading.query;
    if (!isSame(target) && !others.some(isSame)) others.push(reading);
  }
  return others.length === 0 ? NO_READINGS : others;
}

/** Rejects entries that no request could match. @throws ProductError SECURITY_CONFIG_INVALID */
function checkOptions({ allowedMethods = [], allowedHosts = [] }: FirewallOptions): void {
  const refuse = (reason: string): never => {
    throw securityErrors.create('SECURITY_CONFIG_INVALID', { reason });
  };
  for (const method of allowedMethods) {
    if (!/^[A-Z][A-Z-]*$/.test(method))
      refuse(`firewall.allowedMethods has "${method}"; methods are words in upper case`);
  }
  for (const host of allowedHosts) {
    if (host === '' || !HOST.test(host) || /[^\]]:\d*$|\]:/.test(host))
      refuse(`firewall.allowedHosts has "${host}"; write the name or address alone, without scheme, port or path`);
  }
}

const SLASH = 0x2f;
const SMALL_H = 0x68;
const SMALL_T = 0x74;
/** RFC 3986 §3.2.2 and §3.2.3: name, IPv4, or IPv6 in brackets, and a port. No comma, which would mean joined lines. */
const HOST = /^(?:[\w.~!$&'()*+;=%-]*|\[[0-9a-f:.]+\])(?::\d*)?$/i;

/**
 * Rejects framing that servers could interpret differently: several or malformed Host headers (RFC 9112 §3.2), and any
 * transfer coding except `chunked` alone (RFC 9112 §6.1). The HTTP parser rejects conflicting lengths.
 */
function checkFraming(exchange: SecurityExchange): void {
  const { rawHeaders } = exchange.request;
  let hosts = 0;
  let codings = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    // In practice only one header has each relevant length and first letter; only those are lower-cased.
    const first = name.charCodeAt(0) | 0x20;
    if (name.length === 4 && first === SMALL_H && (name === 'Host' || name.toLowerCase() === 'host')) {
      hosts += 1;
      const host = rawHeaders[index + 1]!;
      if (hosts > 1 || !HOST.test(host)) refuseFraming(exchange, 'SECURITY_HOST_REFUSED', { host: host.slice(0, 64) });
    } else if (name.length === 17 && first === SMALL_T && name.toLowerCase() === 'transfer-encoding') {
      codings += 1;
      const coding = rawHeaders[index + 1]!;
      if (codings > 1 || coding.trim().toLowerCase() !== 'chunked')
        refuseFraming(exchange, 'SECURITY_CODING_REFUSED', { coding: coding.slice(0, 64) });
    }
  }
}

/** The start of the next request on such a connection is uncertain, so the connection is closed. */
function refuseFraming(
  exchange: SecurityExchange,
  code: 'SECURITY_HOST_REFUSED' | 'SECURITY_CODING_REFUSED',
  values: Readonly<Record<string, string>>,
): never {
  exchange.response.setHeader('Connection', 'close');
  throw securityErrors.create(code, values);
}

/**
 * RFC 9112 §3.2.2: of an absolute target the authority counts, not the Host; if they differ, the request is rejected.
 */
function checkAuthority({ request }: SecurityExchange): void {
  const authority = /^https?:\/\/([^/?]*)/i.exec(request.target)?.[1]?.toLowerCase();
  const host = request.header('host')?.toLowerCase();
  if (host === undefined || authority === host) return;
  throw securityErrors.create('SECURITY_TARGET_REFUSED', { reason: 'its authority is not that of the Host header' });
}

function checkHost(exchange: SecurityExchange, hosts: ReadonlySet<string>): void {
  const host = exchange.request.header('host') ?? '';
  const name = host.replace(/:\d+$/, '').toLowerCase();
  if (!hosts.has(name)) throw securityErrors.create('SECURITY_HOST_REFUSED', { host: host.slice(0, 64) });
}
