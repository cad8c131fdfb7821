// Connects node:http to the routes: runs the security chain, wraps the request, and writes the response.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

import type { Log, Principal } from '@lockstitch/kernel';
import {
  CSP_NONCE,
  nodeHandler,
  type Security,
  type SecurityExchange,
  type SecurityRequest,
} from '@lockstitch/security';

import type { Handle } from './router.ts';
import { failureResponse, type RouteResponse, unwantedHeaders } from './route-response.ts';
import { type BodyLimit, readBody } from './body.ts';
import { logSocketFailure } from './client-gone.ts';
import type { Incoming } from './incoming.ts';

export interface ListenerParts {
  readonly security: Security;
  readonly answer: Handle;
  readonly log: Log;
  /** Write one log line for each request. */
  readonly logRequests: boolean;
  /** Trust the forwarding headers. Default: false. */
  readonly trustProxy?: boolean;
}

/** Creates the listener for `createServer`. */
export function createListener({
  security,
  answer,
  log,
  logRequests,
  trustProxy = false,
}: ListenerParts): (request: IncomingMessage, response: ServerResponse) => void {
  const handler = nodeHandler(
    security,
    (request, response, exchange) => {
      const incoming = new NodeIncoming(request, response, exchange);
      try {
        const answered = answer(incoming);
        if (!(answered instanceof Promise)) return write(request, response, answered);
        return answered.then(
          (value) => write(request, response, value),
          (error: unknown) => write(request, response, failureResponse(error, incoming.path, log)),
        );
      } catch (error) {
        return write(request, response, failureResponse(error, incoming.path, log));
      }
    },
    { trustProxy, onError: (error) => logSocketFailure(log, 'A response could not be written', error) },
  );
  return logRequests ? logged(handler, log) : handler;
}

/** A node:http request; expensive properties are computed on first use. */
class NodeIncoming implements Incoming {
  readonly method: string;
  readonly path: string;
  readonly encodedPath: string;
  readonly principal: Principal;
  readonly cspNonce: string | undefined;
  readonly secured: SecurityRequest;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #rawQuery: string;
  #query: URLSearchParams | undefined;
  #abort: AbortController | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, exchange: SecurityExchange) {
    this.method = exchange.method;
    this.path = exchange.path;
    this.encodedPath = exchange.encodedPath;
    this.principal = exchange.principal;
    this.cspNonce = exchange.get(CSP_NONCE);
    this.secured = exchange.request;
    this.#request = request;
    this.#response = response;
    this.#rawQuery = exchange.query;
  }

  get query(): URLSearchParams {
    return (this.#query ??= new URLSearchParams(this.#rawQuery));
  }

  get headers(): Readonly<Record<string, string | undefined>> {
    // Only `set-cookie` is a list in node:http, and requests do not have it.
    return this.#request.headers as Readonly<Record<string, string | undefined>>;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      this.#abort = abort;
      // The client may have left before anybody asked.
      if (this.#response.destroyed && !this.#response.writableFinished) abort.abort();
      this.#response.once('close', () => {
        if (!this.#response.writableFinished) abort.abort();
      });
    }
    return this.#abort.signal;
  }

  readBody(limit: BodyLimit): Promise<Uint8Array | undefined> {
    return readBody(this.#request, limit);
  }
}

function write(request: IncomingMessage, response: ServerResponse, given: RouteResponse): void | Promise<void> {
  const { status, headers, body, ownsBytes } = given;
  // In one object: setting each header by itself costs half a microsecond more.
  const head: OutgoingHttpHeaders = { ...headers };
  // The chain's own header would be replaced: what it varies by holds as well.
  const vary = head['vary'] === undefined ? undefined : response.getHeader('vary');
  if (vary !== undefined) head['vary'] = [vary, head['vary']].flat().join(', ');
  for (const name of unwantedHeaders(given)) response.removeHeader(name);
  // An unread body would have to be read before the next request on the connection. A request without a body is not
  // complete either while its headers are handled.
  if (!request.complete && announcesBody(request)) head['connection'] = 'close';
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    if (status !== 204 && status !== 304) head['content-length'] = body === undefined ? 0 : Buffer.byteLength(body);
    response.writeHead(status, head);
    if (request.method === 'HEAD') response.end();
    else if (ownsBytes === true && body instanceof Uint8Array) response.end(body, () => giveBack(body));
    else response.end(body);
    return undefined;
  }
  response.writeHead(status, head);
  return stream(response, body);
}

/**
 * Frees the memory of bytes that the system has taken. V8 counts memory outside of its heap and would run a full
 * collection every 64 MB of responses: 75 µs for a response of 50 KB.
 */
function giveBack({ buffer, byteLength }: Uint8Array): void {
  // A view of a part belongs to Node's pool, which others use too.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Streams chunks with backpressure, and ends the source when the client leaves. */
async function stream(response: ServerResponse, pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]();
  const gone = new Promise<'gone'>((resolve) => response.once('close', () => resolve('gone')));
  response.flushHeaders();
  for (;;) {
    const next = await Promise.race([iterator.next(), gone]);
    if (next === 'gone') {
      await iterator.return?.();
      return;
    }
    if (next.done === true) break;
    if (!response.write(next.value))
      await Promise.race([new Promise((resolve) => response.once('drain', resolve)), gone]);
  }
  response.end();
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

function logged(handler: Listener, log: Log): Listener {
  return (request, response) => {
    const started = performance.now();
    const { method, url } = request;
    response.once('close', () => {
      const took = Math.round((performance.now() - started) * 10) / 10;
      // The query may contain search words or a token; the path is enough to follow a request.
      const path = url?.split('?', 1)[0];
      log.write('info', 'Request', {
        method,
        path,
        // Undefined if the client left before a status was sent.
        status: response.headersSent ? response.statusCode : undefined,
        ms: took,
        address: request.socket.remoteAddress,
      });
    });
    handler(request, response);
  };
}
