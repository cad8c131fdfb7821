// A client for tests that sends exactly what it is told: node:http with the path as given (fetch and URL normalise what
// matters here), over a socket or over a pair of streams inside the process.
import { type IncomingHttpHeaders, type IncomingMessage, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { duplexPair } from 'node:stream';

/** What to send. `json` is a body with its Content-Type; `body` is sent as it is. */
export interface ClientRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly body?: string;
}

/** What came back. */
export interface ClientResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body parsed as JSON. Throws when it is none. */
  json<T = unknown>(): T;
}

/** Sends one request to the server under test. */
export type Client = (request: ClientRequest) => Promise<ClientResponse>;

/** The two ways to reach a server. */
export type Transport = 'socket' | 'in-process';

/** A client of `server`, which must listen when the transport is `socket`. */
export function createClient(server: Server, transport: Transport): Client {
  return (message) =>
    new Promise((resolve, reject) => {
      const body = message.json === undefined ? message.body : JSON.stringify(message.json);
      const headers: Record<string, string> = {
        host: 'localhost',
        connection: 'close',
        ...(message.json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
        ...message.headers,
      };
      const options = { method: message.method ?? 'GET', path: message.path, headers };
      const outgoing =
        transport === 'socket'
          ? httpRequest({ ...options, host: '127.0.0.1', port: (server.address() as AddressInfo).port, agent: false })
          : httpRequest({ ...options, createConnection: () => connectInProcess(server) as never });
      outgoing.on('error', reject);
      outgoing.on('response', (incoming: IncomingMessage) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text,
            json: <T>() => JSON.parse(text) as T,
          });
        });
      });
      outgoing.end(body);
    });
}

/** Hands the server one end of a pair of streams as if somebody had connected, and returns the other end. */
function connectInProcess(server: Server): unknown {
  const [ours, theirs] = duplexPair();
  for (const side of [ours, theirs]) {
    // The parts of net.Socket that node:http touches and a plain stream lacks.
    Object.assign(side, {
      setTimeout: () => side,
      setNoDelay: () => side,
      setKeepAlive: () => side,
      remoteAddress: '127.0.0.1',
    });
  }
  server.emit('connection', theirs);
  return ours;
}

/** The Authorization header of HTTP Basic (RFC 7617 §2). */
export function basic(username: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}
