// The listening socket: timeouts, limits, errors of listening, and a stop that drops no request in flight.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

import type { ResolvedConfig } from '../config/config.ts';
import { serverErrors } from '../errors.ts';
import { errorResponse } from './route-response.ts';
import { createDrain } from './drain.ts';
import { nodeHttp } from '../node-http.ts';

export interface Listening {
  readonly server: Server;
  /** `http://127.0.0.1:4000`, with the actual port. */
  readonly url: string;
  readonly port: number;
  /** Makes existing connections close with their next response; new ones are still accepted. */
  announceClose(): void;
  /** Stops accepting, waits for requests in flight for the configured time, then destroys the rest. Idempotent. */
  close(): Promise<void>;
}

export async function listen(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
  { port, host, limits }: Pick<ResolvedConfig, 'port' | 'host' | 'limits'>,
): Promise<Listening> {
  const server: Server = nodeHttp.createServer(
    {
      maxHeaderSize: limits.headerSize,
      headersTimeout: limits.headersTimeout,
      requestTimeout: Math.max(limits.requestTimeout, limits.headersTimeout),
      keepAliveTimeout: limits.keepAliveTimeout,
      // The default of 30 s would let slow requests exceed short limits by that much.
      connectionsCheckingInterval: Math.max(100, Math.min(30_000, limits.headersTimeout / 2)),
      requireHostHeader: true,
      insecureHTTPParser: false,
      // RFC 9110 §7.8: an upgrade that is not accepted is ignored. Some clients offer h2c or TLS with every request.
      shouldUpgradeCallback(request) {
        const isTaken = request.headers.upgrade?.toLowerCase() === 'websocket' && server.listenerCount('upgrade') > 0;
        if (isTaken) drain.handOver(request.socket);
        return isTaken;
      },
    },
    listener,
  );
  const drain = createDrain(server);
  // The route reads or rejects the body; "continue" is sent only before it is read (RFC 9110 §10.1.1).
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced <= Math.max(limits.bodySize, limits.bulkBodySize)) response.writeContinue();
    listener(request, response);
  });
  server.on('clientError', (error: ClientError, socket: Duplex) => refuseUnparsed(error, socket, limits.headerSize));
  // A client that reads none of its response would otherwise hold it, and one of the connections, for ever.
  server.timeout = limits.stallTimeout;
  server.maxConnections = limits.connections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, port, host)));
    server.listen({ port, host }, resolve);
  });
  const address = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    server,
    port: address.port,
    url: `http://${shownHost(host)}:${address.port}`,
    announceClose: () => drain.announce(),
    close: () => (closing ??= drain.finish(limits.drainTimeout)),
  };
}

type ClientError = Error & { readonly code?: string; readonly reason?: string };

/**
 * Answers a request that node:http could not parse, and closes the connection: the end of such a request is unknown.
 */
function refuseUnparsed(error: ClientError, socket: Duplex, headerSize: number): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? serverErrors.create('SERVER_HEADERS_TOO_LARGE', { limit: headerSize })
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? serverErrors.create('SERVER_REQUEST_TIMEOUT')
        : serverErrors.create('SERVER_BAD_REQUEST', { reason: error.reason ?? 'it cannot be parsed' });
  const { status, body } = errorResponse(refusal, '');
  const bytes = Buffer.from(body);
  const head = [
    `HTTP/1.1 ${status} ${nodeHttp.STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json;charset=UTF-8',
    `Content-Length: ${bytes.length}`,
    'Connection: close',
  ];
  socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]));
}

/** An address that a browser on this machine can open. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function listenError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return serverErrors.create('SERVER_PORT_TAKEN', { port, host });
    case 'EACCES':
      return serverErrors.create('SERVER_PORT_FORBIDDEN', { port, host });
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'EINVAL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return serverErrors.create('SERVER_ADDRESS_UNKNOWN', { host });
    default:
      return error;
  }
}
