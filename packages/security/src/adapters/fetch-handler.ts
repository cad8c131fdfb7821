// The adapter for Fetch: `(Request) => Promise<Response>`, as Hono, Deno and workers have it. A Request holds a URL that
// the platform has already normalised (dot segments resolved, backslashes turned, absolute form): what a client wrote
// can no longer be seen here, so the firewall judges, and rules and handler both see, the normalised path.
import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';
import { isProductError } from '@lockstitch/kernel';
import { securityErrors } from '../errors/chain-errors.ts';
import { SecurityExchange } from '../chain/exchange.ts';
import { HeaderList } from '../chain/header-list.ts';
import type { SecurityRequest } from '../chain/request.ts';
import type { Security } from '../config/create-security.ts';
import type { PathComparison } from '../match/path-view.ts';
import { canonicalUrl } from './node-request.ts';
import { canonicalRest, type RoutedMessage } from './routed-target.ts';
import { FETCH } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** The application. The request's URL is canonical; `exchange` tells who asks. */
export type FetchApplication<Rest extends readonly unknown[]> = (
  request: Request,
  exchange: SecurityExchange,
  ...rest: Rest
) => Response | Promise<Response>;

export interface FetchOptions<Rest extends readonly unknown[]> {
  /** The peer's address, from what the platform passes beside the request. Default: unknown. */
  readonly remoteAddress?: ((request: Request, ...rest: Rest) => string) | undefined;
  /** How the router behind compares paths. Default: exactly. */
  readonly matching?: Partial<PathComparison> | undefined;
  /**
   * Where this handler is mounted, when the router around it cuts the URL, as Hono's `mount` does: `/v1`. A Request does
   * not tell. Default: unknown; inside of another `fetchHandler` the rules must then allow its path as well.
   */
  readonly basePath?: string | undefined;
}

/** The request around the present one, for handlers inside of handlers. */
const AROUND = new AsyncLocalStorage<SecurityExchange>();

/** Puts a security layer around a Fetch application. */
export function fetchHandler<Rest extends readonly unknown[] = readonly []>(
  security: Security,
  application: FetchApplication<Rest>,
  options: FetchOptions<Rest> = {},
): (request: Request, ...rest: Rest) => Promise<Response> {
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
    await exchange.finish();
    const { answer } = exchange;
    if (answer === undefined) return withHeaders(response!, head);
    const body = request.method === 'HEAD' || NO_BODY.has(answer.status) ? null : (answer.body ?? null);
    const headers = new Headers();
    for (const [name, value] of head.toEntries()) headers.append(name, value);
    return new Response(body as ConstructorParameters<typeof Response>[0], { status: answer.status, headers });
  };
}

/** The URL of the message that `@hono/node-server` made the Request of, where it hands that on. */
function incomingUrl(rest: readonly unknown[]): string | undefined {
  const [environment] = rest as readonly [{ readonly incoming?: RoutedMessage } | undefined];
  const incoming = typeof environment === 'object' ? environment?.incoming : undefined;
  const url = incoming?.originalUrl ?? incoming?.url;
  return typeof url === 'string' ? url : undefined;
}

/** Whether two chains judge one request: an application may as well send a request of its own through another chain. */
function sameCaller(request: SecurityRequest, around: SecurityExchange | undefined): boolean {
  if (around === undefined || request.method !== around.method) return false;
  return ['authorization', 'cookie'].every((name) => request.header(name) === around.request.header(name));
}

/** Statuses whose responses cannot have a body (Fetch §null body status). */
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Adds the chain's headers; those that the application, or a chain inside of this one, set itself stay. */
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

  /** @param sent what the client may have asked for, and the router may have routed, instead */
  constructor(request: Request, remoteAddress: string, basePath: string, sent: string | undefined) {
    this.#request = request;
    this.method = request.method;
    this.remoteAddress = remoteAddress;
    this.secure = request.url.startsWith('https:');
    const authority = request.url.indexOf('://') + 3;
    const path = request.url.indexOf('/', authority);
    const user = request.url.indexOf('@', authority);
    // User information is refused by the firewall, which sees the whole target then; no Request could be made of it anyway
    // (Fetch §Request constructor).
    if (user >= 0 && (path < 0 || user < path)) this.#target = request.url;
    else this.#target = path < 0 ? '/' : request.url.slice(path).split('#', 1)[0]!;
    this.target = basePath === '' ? this.#target : basePath + this.#target;
    // A mount gives `/` for `/v1` and for `/v1/`.
    const root = basePath !== '' && /^\/(?:\?|$)/.test(this.#target) ? basePath + this.#target.slice(1) : undefined;
    const other = sent ?? root;
    this.otherTargets = other === undefined ? undefined : [other];
  }

  get rawHeaders(): readonly string[] {
    return (this.#rawHeaders ??= [...this.#request.headers].flat());
  }

  header(name: string): string | undefined {
    // Without a Host header the URL's authority says which host was asked.
    const value = this.#request.headers.get(name) ?? (name === 'host' ? new URL(this.#request.url).host : undefined);
    // Fetch joins repeats with a comma and a blank; the first value decides, except where a comma is part of one value.
    return value === undefined || !FIRST_ONLY.has(name) ? value : value.split(', ', 1)[0];
  }

  /** Without headers and body. */
  [inspect.custom](): string {
    return `FetchRequest [${this.method} ${this.target.split('?', 1)[0]!}]`;
  }

  async readBody(limit: number): Promise<Uint8Array> {
    if (this.#body !== undefined) return this.#body;
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const chunk of (this.#request.body ?? []) as AsyncIterable<Uint8Array>) {
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

  /** The request for the application: the canonical URL, and the body again when the chain has read it. */
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

/** Headers that carry one credential; of several, only the first counts. */
const FIRST_ONLY: ReadonlySet<string> = new Set(['authorization', 'x-csrf-token', 'x-xsrf-token', 'origin', 'host']);
