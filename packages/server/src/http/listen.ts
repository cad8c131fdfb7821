// Owns the listening socket: its timeouts and limits, what a failure to listen means, and how to stop without dropping
// requests in flight. What a request means is for the listener it is given.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { ResolvedConfig } from '../config/config.ts';
import { serverErrors } from '../errors.ts';

/** A server that listens. */
export interface Listening {
  readonly server: Server;
  /** `http://127.0.0.1:4000`, with the port that was really taken. */
  readonly url: string;
  readonly port: number;
  /**
   * Stops accepting, lets requests in flight finish for the configured time, then cuts what is left.
   * Calling it again waits for the same end.
   */
  close(): Promise<void>;
}

/**
 * Starts to listen.
 *
 * @throws ProductError SERVER_PORT_TAKEN, SERVER_PORT_FORBIDDEN, SERVER_ADDRESS_UNKNOWN
 */
export async function listen(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
  { port, host, limits }: Pick<ResolvedConfig, 'port' | 'host' | 'limits'>,
): Promise<Listening> {
  const server = createServer(
    {
      maxHeaderSize: limits.headerSize,
      headersTimeout: limits.headersTimeout,
      requestTimeout: Math.max(limits.requestTimeout, limits.headersTimeout),
      keepAliveTimeout: limits.keepAliveTimeout,
      // The default of 30 s would let slow requests overstay short limits by that much.
      connectionsCheckingInterval: Math.max(100, Math.min(30_000, limits.headersTimeout / 2)),
      requireHostHeader: true,
      insecureHTTPParser: false,
    },
    listener,
  );
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
    close: () => (closing ??= drain(server, limits.drainTimeout)),
  };
}

function drain(server: Server, timeout: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), timeout);
    // A connection whose last request finishes during the drain would else stay open for the keep-alive time.
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
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
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return serverErrors.create('SERVER_ADDRESS_UNKNOWN', { host });
    default:
      return error;
  }
}
