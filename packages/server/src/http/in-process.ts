// Requests without a socket, through the same chain and routes, for tests and for programs that embed an application.
import type { Log } from '@lockstitch/kernel';
import { CSP_NONCE, type Security, type SecurityRequest } from '@lockstitch/security';

import { serverErrors } from '../errors.ts';
import type { Handle } from './router.ts';
import { failureResponse, unwantedHeaders } from './route-response.ts';
import { type BodyLimit, unpackBody } from './body.ts';

/** A request as a value. */
export interface AppRequest {
  /** Default GET. */
  readonly method?: string;
  /** The raw request target: path and query, not normalised. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Default 127.0.0.1. */
  readonly remoteAddress?: string;
  readonly signal?: AbortSignal;
}

/** A response as a value. Header names are in lower case; `set-cookie` holds its lines separated by newlines. */
export interface AppResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The body as text. */
  text(): string;
}

/** Creates the function that handles request values. */
export function createInProcess(
  security: Security,
  answer: Handle,
  log: Log,
): (request: AppRequest) => Promise<AppResponse> {
  return async (given) => {
    const request = toSecurityRequest(given);
    const outcome = await security.handle(request);
    if (outcome.kind === 'answer') return toResponse(outcome.status, outcome.headers, outcome.body);
    const { exchange } = outcome;
    const incoming = {
      method: exchange.method,
      path: exchange.path,
      encodedPath: exchange.encodedPath,
      query: new URLSearchParams(exchange.query),
      headers: lowerCased(given.headers ?? {}),
      principal: exchange.principal,
      cspNonce: exchange.get(CSP_NONCE),
      secured: request,
      signal: given.signal ?? new AbortController().signal,
      readBody: async (limit: BodyLimit) => {
        const body = await request.readBody(Infinity);
        if (body.length === 0) return undefined;
        if (body.length > limit.bytes)
          throw serverErrors.create('SERVER_BODY_TOO_LARGE', { limit: limit.bytes, key: limit.key });
        return unpackBody(body, lowerCased(given.headers ?? {})['content-encoding'], limit);
      },
    };
    const answered = await Promise.resolve()
      .then(() => answer(incoming))
      .catch((error: unknown) => failureResponse(error, exchange.path, log));
    await exchange.finish()?.catch(exchange.onLateError);
    const body = exchange.method === 'HEAD' ? undefined : answered.body;
    const own = Object.entries(answered.headers);
    const named = new Set(own.map(([name]) => name).filter((name) => name !== 'vary'));
    for (const name of unwantedHeaders(answered)) named.add(name);
    const chain = outcome.headers.filter(([name]) => !named.has(name.toLowerCase()));
    return toResponse(answered.status, [...chain, ...own], body);
  };
}

function toSecurityRequest({
  method = 'GET',
  target,
  headers = {},
  body,
  remoteAddress = '127.0.0.1',
}: AppRequest): SecurityRequest {
  const byName = lowerCased({ host: 'localhost', ...lowerCased(headers) });
  const bytes = typeof body === 'string' ? Buffer.from(body) : (body ?? new Uint8Array());
  return {
    method,
    target,
    rawHeaders: Object.entries(byName).flat(),
    remoteAddress,
    secure: false,
    header: (name) => (Object.hasOwn(byName, name) ? byName[name] : undefined),
    readBody: (limit) =>
      bytes.length > limit
        ? Promise.reject(serverErrors.create('SERVER_BODY_TOO_LARGE', { limit, key: 'bodySize' }))
        : Promise.resolve(bytes),
  };
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

async function toResponse(
  status: number,
  lines: readonly (readonly [string, string])[],
  body: string | Uint8Array | AsyncIterable<string | Uint8Array> | undefined,
): Promise<AppResponse> {
  const headers: Record<string, string> = {};
  for (const [name, value] of lines) {
    const key = name.toLowerCase();
    headers[key] = headers[key] === undefined ? value : `${headers[key]}${key === 'set-cookie' ? '\n' : ', '}${value}`;
  }
  const bytes = await collect(body);
  return { status, headers, body: bytes, text: () => Buffer.from(bytes).toString('utf8') };
}

async function collect(
  body: string | Uint8Array | AsyncIterable<string | Uint8Array> | undefined,
): Promise<Uint8Array> {
  if (body === undefined) return new Uint8Array();
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return body;
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece);
  return Buffer.concat(pieces);
}
