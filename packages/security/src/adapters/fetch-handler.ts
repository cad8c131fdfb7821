// Adapter for Fetch: `(Request) => Promise<Response>`, as in Hono, Deno and workers. The platform has already
// normalised a Request's URL (dot segments, backslashes, absolute form), so the original spelling is lost. Firewall,
// rules and handler all see the normalised path.
import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';
import { isProductError, membersIn, required } from '@lockstitch/kernel';
import { securityErrors } from '../errors/chain-errors.ts';
import { SecurityExchange } from '../chain/exchange.ts';
import { HeaderList } from '../chain/header-list.ts';
import type { SecurityRequest } from '../chain/request.ts';
import type { Security } from '../config/create-security.ts';
import type { PathComparison } from '../match/path-view.ts';
import { canonicalUrl } from './node-request.ts';
import { canonicalRest } from './routed-target.ts';
import { FETCH, SECURITY_LAYER } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** The application. The request's URL is canonical; `exchange` has the caller. */
export type FetchApplication<Rest extends readonly unknown[]> = (
  request: Request,
  exchange: SecurityExchange,
  ...rest: Rest
) => Response | Promise<Response>;

export interface FetchOptions<Rest extends readonly unknown[]> {
  /** Returns the peer's address from what the platform passes beside the request. Default: unknown. */
  readonly remoteAddress?: ((request: Request, ...rest: Rest) => string) | undefined;
  /** How the application's router compares paths. Default: exactly. */
  readonly matching?: Partial<PathComparison> | undefined;
  /**
   * Mount path, if the outer router cuts the URL, as Hono's `mount` does: `/v1`. A Request does not report it. Default:
   * unknown; inside another `fetchHandler` the rules must then allow its path as well.
   */
  readonly basePath?: string | undefined;
}

/** Exchange of the enclosing handler, for nested handlers. */
const AROUND = new AsyncLocalStorage<SecurityExchange>();

/** Wraps a Fetch application in a security layer. */
export function fetchHandler<Rest extends readonly unknown[] = readonly []>(
  security: Security,
  application: FetchApplication<Rest>,
  options: FetchOptions<Rest> = {},
): (request: Request, ...rest: Rest) => Promise<Response> {
  requireOptions('fetchHandler(security)', SECURITY_LAYER, security);
  requireOptions('fetchHandler', FETCH, options);
  const matched = options.matching === undefined ? security : security.withMatching(options.matching);
  return async (request, ...rest) => {
    const head = new HeaderList();
    const around = AROUND.getStore();
    const address = options.remoteAddress?.(request, ...rest) ?? '';
    const sent = options.basePath === undefined ? (around?.request.target ?? incomingUrl(rest)) : undefined;
    const source = new FetchRequest(request, address, options.basePath ?? '', sent);
    const exchange = new SecurityExchange(source, head, sameCaller(source, around) ? around : undefined);
    let response: Response | undefined;
    await matched.run(exchange, () =>
      AROUND.run(exchange, async () => {
        response = await application(source.toRequest(exchange), exchange, ...rest);
      }),
    );
    await exchange.finish()?.catch(exchange.onLateError);
    const { answer } = exchange;
    if (answer === undefined) return withHeaders(required(response, 'the response of the application'), head);
    const body = request.method === 'HEAD' || NO_BODY.has(answer.status) ? null : (answer.body ?? null);
    const headers = new Headers();
    for (const [name, value] of head.toEntries()) headers.append(name, value);
    return new Response(body as ConstructorParameters<typeof Response>[0], { status: answer.status, headers });
  };
}

/** URL of the node message from which `@hono/node-server` made the Request, if available. */
function incomingUrl(rest: readonly unknown[]): string | undefined {
  const { originalUrl, url: routed } = membersIn(membersIn(rest[0])['incoming']);
  const url = originalUrl ?? routed;
  return typeof url === 'string' ? url : undefined;
}

/**
 * Returns whether two chains judge the same request. An application may also send a request of its own through another
 * chain.
 */
function sameCaller(request: SecurityRequest, around: SecurityExchange | undefined): boolean {
  if (around === undefined || request.method !== around.method) return false;
  return ['authorization', 'cookie'].every((name) => request.header(name) === around.request.header(name));
}

/** Statuses whose responses cannot have a body (Fetch §null body status). */
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Adds the chain's headers. Headers that the application or an inner chain set stay. */
function withHeaders(response: Response, head: HeaderList): Response {
  const headers = new Headers(response.headers);
  const own = new Set(headers.keys());
  const vary = headers.get('vary') ?? '';
  const cookies = new Set(headers.getSetCookie().map(cookieName));
  for (const [name, value] of head.toEntries()) {
    const lower = name.toLowerCase();
    const isKnown = lower === 'vary' ? vary.includes(value) : cookies.has(cookieName(value));
    if (lower === 'set-cookie' || lower === 'vary' ? !isKnown : !own.has(lower)) headers.append(name, value);
  }
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

function cookieName(line: string): string {
  return line.split('=', 1)[0]!;
}

class FetchRequest implements SecurityRequest {
  readonly method: string;
  readonly target: string;
  readonly otherTargets: readonly string[] | undefined;
  readonly remoteAddress: string;
  readonly secure: boolean;
  readonly #request: Request;
  #rawHeaders: readonly string[] | undefined = undefined;
  readonly #target: string;
  #body: Uint8Array<ArrayBuffer> | undefined = undefined;

  /** @param sent what the client may have requested, and the router may have routed, instead */
  constructor(request: Request, remoteAddress: string, basePath: string, sent: string | undefined) {
    this.#request = request;
    this.method = request.method;
    this.remoteAddress = remoteAddress;
    this.secure = request.url.startsWith('https:');
    const authority = request.url.indexOf('://') + 3;
    const path = request.url.indexOf('/', authority);
    const user = request.url.indexOf('@', authority);
    // The firewall rejects user information, so it has to see the whole target. No Request could be made of it anyway
    // (Fetch §Request constructor).
    if (user >= 0 && (path < 0 || user < path)) this.#target = request.url;
    else this.#target = path < 0 ? '/' : request.url.slice(path).split('#', 1)[0]!;
    this.target = basePath === '' ? this.#target : basePath + this.#target;
    // A mount passes `/` for both `/v1` and `/v1/`.
    const root = basePath !== '' && /^\/(?:\?|$)/.test(this.#target) ? basePath + this.#target.slice(1) : undefined;
    const other = sent ?? root;
    this.otherTargets = other === undefined ? undefined : [other];
  }

  get rawHeaders(): readonly string[] {
    return (this.#rawHeaders ??= [...this.#request.headers].flat());
  }

  header(name: string): string | undefined {
    // Without a Host header the URL's authority is the requested host.
    const value = this.#request.headers.get(name) ?? (name === 'host' ? new URL(this.#request.url).host : undefined);
    // Fetch joins repeated headers with ", ". The first value decides, unless a comma is part of one value.
    return value === undefined || !FIRST_ONLY.has(name) ? value : value.split(', ', 1)[0];
  }

  /** Leaves out headers and body. */
  [inspect.custom](): string {
    return `FetchRequest [${this.method} ${this.target.split('?', 1)[0]!}]`;
  }

  async readBody(limit: number): Promise<Uint8Array> {
    if (this.#body !== undefined) return this.#body;
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const chunk of this.#request.body ?? []) {
        size += chunk.length;
        if (size > limit) throw securityErrors.create('SECURITY_BODY_TOO_LARGE', { limit });
        chunks.push(chunk);
      }
    } catch (cause) {
      throw isProductError(cause) ? cause : securityErrors.create('SECURITY_BODY_INCOMPLETE', {}, { cause });
    }
    this.#body = new Uint8Array(Buffer.concat(chunks));
    return this.#body;
  }

  /** The request for the application: with the canonical URL, and with the body if the chain has read it. */
  toRequest(exchange: SecurityExchange): Request {
    const target = this.target === this.#target ? canonicalUrl(exchange) : canonicalRest(this.#target);
    const url = new URL(target, this.#request.url).href;
    if (this.#body !== undefined) {
      const { method, headers, signal } = this.#request;
      return new Request(url, { method, headers, signal, body: this.#body });
    }
    return url === this.#request.url ? this.#request : new Request(url, this.#request);
  }
}

/** Headers with one credential; of several, only the first counts. */
const FIRST_ONLY: ReadonlySet<string> = new Set(['authorization', 'x-csrf-token', 'x-xsrf-token', 'origin', 'host']);
