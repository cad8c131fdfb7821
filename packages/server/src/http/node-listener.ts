// Between node:http and the routes: the security chain around them, the request as they see it, their answer on the wire.
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
import { failureAnswer, type RouteResponse } from './answer.ts';
import { type BodyLimit, readBody } from './body.ts';
import { logSocketFailure } from './client-gone.ts';
import type { Incoming } from './incoming.ts';

/** What the listener is made of. */
export interface ListenerParts {
  readonly security: Security;
  readonly answer: Handle;
  readonly log: Log;
  /** One log line a request. */
  readonly logRequests: boolean;
  /** Believes the forwarding headers. Default: false. */
  readonly trustProxy?: boolean;
}

/** Makes the listener for `createServer`. */
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
          (error: unknown) => write(request, response, failureAnswer(error, incoming.path, log)),
        );
      } catch (error) {
        return write(request, response, failureAnswer(error, incoming.path, log));
      }
    },
    { trustProxy, onError: (error) => logSocketFailure(log, 'A response could not be written', error) },
  );
  return logRequests ? logged(handler, log) : handler;
}

/** A request of node:http; what costs something is made when it is first asked for. */
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
    // Only `set-cookie` is a list in node:http, and no request has that.
    return this.#request.headers as Readonly<Record<string, string | undefined>>;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      this.#abort = abort;
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

function write(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body, ownsBytes }: RouteResponse,
): void | Promise<void> {
  // All at once: each header set by itself costs half a microsecond more.
  const head: OutgoingHttpHeaders = { ...headers };
  // What is left of a body that nobody read would have to be read before the next request on the connection.
  // A request without one is not complete either as long as its headers are being handled.
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
 * Frees the memory of bytes that the system has taken. Left to V8, which counts what lies outside of its heap, every 64 MB of
 * answers would have it look through everything: 75 µs for an answer of 50 KB.
 */
function giveBack({ buffer, byteLength }: Uint8Array): void {
  // A view of a part is one of Node's pool, whose rest is others'.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Writes pieces as they come, as fast as the client takes them, and ends the source when the client leaves. */
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
    if (!response.write(next.value)) {
      await Promise.race([new Promise((resolve) => response.once('drain', resolve)), gone]);
    }
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
      // The query may hold what somebody searched for or a token; the path is enough to follow a request.
      const path = url?.split('?', 1)[0];
      log.write('info', 'Request', {
        method,
        path,
        // None where the client left before one was sent.
        status: response.headersSent ? response.statusCode : undefined,
        ms: took,
        address: request.socket.remoteAddress,
      });
    });
    handler(request, response);
  };
}
