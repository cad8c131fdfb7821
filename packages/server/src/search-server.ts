// The standalone search server: Elasticsearch's REST API over its own indexes behind the security chain, without graph
// and console. All documents come in through the API.
import { setTimeout as sleep } from 'node:timers/promises';

import { type Log, silentLog } from '@lockstitch/kernel';
import { createEngine, createRestApi, fileDirectory, memoryDirectory } from '@lockstitch/search';
import { makeFolder, OWNER_FOLDER } from '@lockstitch/search/folder';
import { createDefaultUser, createSecurity, type Security } from '@lockstitch/security';

import { checkConfig } from './config/check-config.ts';
import type { GeneratedUser } from './config/environment.ts';
import { notWritable } from './data/data-lock.ts';
import type { RouteResponse } from './http/route-response.ts';
import type { Incoming } from './http/incoming.ts';
import { listen } from './http/listen.ts';
import { createListener } from './http/node-listener.ts';
import { health, readiness } from './http/health.ts';
import type { Handle, Methods } from './http/router.ts';

export interface SearchServerOptions {
  /** 0 takes a free port. */
  readonly port: number;
  readonly host: string;
  /** Folder of the indexes; undefined keeps them in memory. */
  readonly data: string | undefined;
  /** The only user; undefined requires no credentials, for loopback only. */
  readonly user: GeneratedUser | undefined;
  /** Milliseconds for which a stopping server still accepts requests. Default: 500. */
  readonly drainDelay?: number | undefined;
  /** Default: silent. */
  readonly log?: Log;
}

export interface SearchServer {
  readonly url: string;
  /** Name and password of the user; undefined without credentials. */
  readonly user: { readonly name: string; readonly password: string } | undefined;
  readonly indexes: number;
  /** Longest duration of `drain` in ms. */
  readonly maxDrain: number;
  /** `/readyz` returns 503, requests are accepted for `drainDelay` ms more, then `close`. */
  drain(): Promise<void>;
  /** Waits for requests in flight, then commits and closes everything. Idempotent. */
  close(): Promise<void>;
}

/** Elasticsearch's `http.max_content_length`. */
const BODY_LIMIT = { bytes: 100 * 1024 * 1024, key: 'bulkBodySize' } as const;

/**
 * Opens the indexes and starts to listen.
 *
 * @throws ProductError SEARCH_LOCKED, SEARCH_DAMAGED, SEARCH_FORMAT, SERVER_PORT_TAKEN, SERVER_DATA_NOT_WRITABLE, …;
 * everything opened before is closed again
 */
export async function startSearchServer(options: SearchServerOptions): Promise<SearchServer> {
  const { port, host, data, log = silentLog } = options;
  if (data !== undefined) {
    try {
      makeFolder(data, OWNER_FOLDER);
    } catch (error) {
      throw notWritable(data, error);
    }
  }
  const engine = await createEngine({
    directory: data === undefined ? memoryDirectory() : fileDirectory(data),
    log,
  });
  const rest = createRestApi(engine, { log });
  const closeEngine = async (): Promise<void> => {
    rest.close();
    await engine.close();
  };
  try {
    const { security, user } = buildSecurity(options.user, log);
    let ready = true;
    const status: ReadonlyMap<string, Methods> = new Map([
      ['/healthz', health],
      ['/readyz', readiness({ isDraining: () => !ready, look: () => Promise.resolve({ search: { isReady: true } }) })],
    ]);
    const answer: Handle = async (request): Promise<RouteResponse> => {
      const told = status.get(request.path)?.[request.method === 'HEAD' ? 'GET' : request.method]?.(request);
      if (told !== undefined) return told;
      const refusal = refuseForeign(request, user === undefined);
      if (refusal !== undefined) return refusal;
      const body = await request.readBody(BODY_LIMIT);
      const { method, encodedPath, query, headers } = request;
      const asked = { method, path: encodedPath, query, headers, signal: () => request.signal };
      const found = await rest.handle({ ...asked, ...(body === undefined ? {} : { body }) });
      return { status: found.status, headers: found.headers, body: found.bytes ?? found.body };
    };
    const listener = createListener({ security, answer, log, logRequests: false });
    const { limits } = checkConfig({}).config;
    const { drainDelay = limits.drainDelay } = options;
    const listening = await listen(listener, { port, host, limits });
    let closed: Promise<void> | undefined;
    const close = (): Promise<void> => {
      ready = false;
      return (closed ??= listening.close().then(closeEngine));
    };
    return {
      url: listening.url,
      user,
      indexes: engine.indices().length,
      maxDrain: drainDelay + limits.drainTimeout,
      async drain() {
        ready = false;
        listening.announceClose();
        await sleep(drainDelay);
        await close();
      },
      close,
    };
  } catch (error) {
    await closeEngine();
    throw error;
  }
}

function buildSecurity(
  wanted: GeneratedUser | undefined,
  log: Log,
): { readonly security: Security; readonly user: SearchServer['user'] } {
  // No CSRF tokens: Elasticsearch clients do not know them. Nothing is lost: there is no form, session or cookie to
  // abuse, and `refuseForeign` rejects what a page could send with remembered Basic credentials.
  const shared = { formLogin: false, csrf: false, sessions: false, log } as const;
  if (wanted === undefined) {
    const rules = [{ any: true, access: 'permitAll' }] as const;
    return { security: createSecurity({ ...shared, users: [], ...noLogIn(), rules }), user: undefined };
  }
  const { username, password, store, encoder } = createDefaultUser({
    username: wanted.name,
    ...(wanted.password === undefined ? {} : { password: wanted.password }),
  });
  // Only for these methods: an index may have these names too.
  const probes = { ant: ['/healthz', '/readyz'], access: 'permitAll' } as const;
  const rules = [
    { ...probes, method: 'GET' },
    { ...probes, method: 'HEAD' },
    { any: true, access: 'authenticated' },
  ] as const;
  const security = createSecurity({
    ...shared,
    users: store,
    passwordEncoder: encoder,
    httpBasic: { realm: 'Lockstitch search' },
    rules,
  });
  return { security, user: { name: username, password } };
}

/** No user can log in, but the chain still requires a password encoder. */
function noLogIn() {
  return { httpBasic: false, passwordEncoder: createDefaultUser().encoder } as const;
}

const JSON_TYPE = /^(?:application\/(?:json|x-ndjson)|application\/vnd\.elasticsearch\+(?:json|x-ndjson))$/;

/**
 * Rejects what a page of another site can make a browser send: forms and plain texts, which need no permission of the
 * server (Fetch §CORS-safelisted request-header), and writes that name another origin. Without credentials the Host
 * must be this machine, or a foreign name could be pointed at it (DNS rebinding).
 */
function refuseForeign({ method, headers }: Incoming, isOpen: boolean): RouteResponse | undefined {
  const { host = '' } = headers;
  if (isOpen && !isLoopbackName(hostName(host)))
    return refusal(403, 'security_exception', `Host [${host}] is not this machine; --open answers to localhost only`);
  if (method === 'GET' || method === 'HEAD') return undefined;
  const site = headers['sec-fetch-site'] ?? 'none';
  const origin = headers['origin'];
  if ((site !== 'none' && site !== 'same-origin') || (origin !== undefined && originHost(origin) !== host))
    return refusal(403, 'security_exception', 'requests of pages of another origin are refused');
  const type = headers['content-type'];
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (type === undefined ? !hasBody : JSON_TYPE.test(type.split(';')[0]!.trim().toLowerCase())) return undefined;
  return refusal(
    406,
    'media_type_header_exception',
    `Content-Type header [${type ?? ''}] is not supported; send application/json or application/x-ndjson`,
  );
}

function refusal(status: number, type: string, reason: string): RouteResponse {
  const body = JSON.stringify({ error: { root_cause: [{ type, reason }], type, reason }, status });
  return { status, headers: { 'content-type': 'application/json; charset=UTF-8' }, body };
}

/** Returns whether a name or address means this machine. */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '::1' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name);
}

function hostName(host: string): string {
  return host.replace(/:\d+$/, '');
}

function originHost(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : '';
}
