// The first filter of every chain: refuses odd methods, hosts, message framings and targets, and leaves the canonical
// path on the exchange. What makes a target odd is in canonical-path.ts.
import { securityErrors } from '../errors/chain-errors.ts';
import { NO_READINGS, type Reading, type SecurityExchange } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import { type CanonicalTarget, canonicalTarget } from './canonical-path.ts';

export interface FirewallOptions {
  /** Methods that pass. Default: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS. */
  readonly allowedMethods?: readonly string[] | undefined;
  /** Host names (without port) that are served; others are refused, which stops DNS rebinding. Default: all. */
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
      if (!methods.has(request.method)) {
        throw securityErrors.create('SECURITY_METHOD_REFUSED', {
          method: request.method.slice(0, 32),
          allowed: [...methods].join(', '),
        });
      }
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

/** The readings that differ from the target and from each other. */
function readOthers(texts: readonly string[], target: Reading): readonly Reading[] {
  const others: Reading[] = [];
  for (const text of texts) {
    const reading = readTarget(text);
    const isSame = ({ path, query }: Reading): boolean => path === reading.path && query === reading.query;
    if (!isSame(target) && !others.some(isSame)) others.push(reading);
  }
  return others.length === 0 ? NO_READINGS : others;
}

/** Entries that could never be what a request says. @throws ProductError SECURITY_CONFIG_INVALID */
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
/** RFC 3986 §3.2.2 and §3.2.3: name, IPv4, or IPv6 in brackets, and a port. No comma: joined lines would have one. */
const HOST = /^(?:[\w.~!$&'()*+;=%-]*|\[[0-9a-f:.]+\])(?::\d*)?$/i;

/**
 * Refuses what servers in front and behind could read differently: more than one Host or one that is none (RFC 9112
 * §3.2), and any coding of the message but `chunked` alone (RFC 9112 §6.1). Conflicting lengths are the parser's.
 */
function checkFraming(exchange: SecurityExchange): void {
  const { rawHeaders } = exchange.request;
  let hosts = 0;
  let codings = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    // Of the lengths and first letters that matter there is one header each in practice; only those are folded.
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

/** Where the next request on such a connection begins is not sure, so there is none. */
function refuseFraming(
  exchange: SecurityExchange,
  code: 'SECURITY_HOST_REFUSED' | 'SECURITY_CODING_REFUSED',
  values: Readonly<Record<string, string>>,
): never {
  exchange.response.setHeader('Connection', 'close');
  throw securityErrors.create(code, values);
}

/** RFC 9112 §3.2.2: of an absolute target the authority counts, not the Host; two that differ are refused. */
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
