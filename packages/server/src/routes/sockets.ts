// graphql-transport-ws over WebSockets: connects `graphql-ws` (protocol) and `ws` (frames). A slow reader delays only
// its own operations; a reader that is gone is detected and closed. The right to open one is checked in http/upgrade.ts.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import { type Log, required, toError } from '@lockstitch/kernel';
import { type ExecutionResult, GraphQLError, parse } from 'graphql';
import type { Server, ServerOptions } from 'graphql-ws';
import type { RawData, WebSocket } from 'ws';

import { createErrorId } from '../http/route-response.ts';
import type { BodyLimit } from '../http/body.ts';
import { type Caller, type Connection, type Connections, showError } from './connection.ts';
import type { OutgoingEvents, Start, Started } from './operations.ts';

export interface SocketParts {
  readonly start: Start;
  readonly connections: Connections;
  readonly limit: BodyLimit;
  readonly log: Log;
}

/** Accepts WebSockets. */
export interface SocketServer {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, caller: Caller): void;
  close(): void;
}

/** Ping interval in ms. */
const PING = 12_000;
/** Unsent bytes from which no more messages are read from a socket. */
const FULL = 1024 * 1024;
/** Close codes: RFC 6455 §7.4.1, and the protocol's own code for unauthorized, after which no client retries. */
const GOING_AWAY = 1001;
const INTERNAL = 1011;
const BAD_REQUEST = 4400;
const UNAUTHORIZED = 4401;

/** The library uses a document to distinguish streams from single responses; ours runs elsewhere. */
const ONE_ANSWER = parse('{ answer }');
const STREAM = parse('subscription { events }');

interface Extra {
  readonly connection: Connection;
  /** Starting and running operations by id. */
  readonly running: Map<string, AbortController>;
}

/** Loads the libraries and creates the server. */
export async function createSocketServer({ start, connections, limit, log }: SocketParts): Promise<SocketServer> {
  const [{ handleProtocols, makeServer }, { WebSocketServer }] = await Promise.all([
    import('graphql-ws'),
    import('ws'),
  ]);
  const server = new WebSocketServer({ noServer: true, maxPayload: limit.bytes, handleProtocols });
  const protocol = makeServer<Record<string, unknown>, Extra>(protocolOptions(start, log));
  return {
    upgrade(request, socket, head, caller) {
      server.handleUpgrade(request, socket, head, (client) => open(client, caller, protocol, connections, log));
    },
    close() {
      for (const client of server.clients) client.close(GOING_AWAY, 'The server is stopping');
      server.close();
    },
  };
}

type Protocol = Server<Extra>;

/** Makes the library pass operations to the graph and results back. */
function protocolOptions(start: Start, log: Log): ServerOptions<Record<string, unknown>, Extra> {
  const prepared = new WeakMap<object, Exclude<Started, { kind: 'refused' }>>();
  const resultOf = (args: object): ExecutionResult | AsyncIterableIterator<ExecutionResult> => {
    const started = required(prepared.get(args), 'the started operation');
    return started.kind === 'result' ? toResult(started.body) : toResults(started.events);
  };
  return {
    async onSubscribe({ extra }, id, payload) {
      // The protocol requires a text, even if a hash or an id in the extensions names the operation.
      const query = payload.query === '' ? undefined : payload.query;
      const { connection, running } = extra;
      const stop = new AbortController();
      const close = (): void => stop.abort();
      connection.signal.addEventListener('abort', close, { once: true });
      running.set(id, stop);
      const started = await start({ ...payload, query }, connection, { signal: stop.signal });
      running.delete(id);
      connection.signal.removeEventListener('abort', close);
      if (started.kind === 'refused') return (toResult(started.body).errors ?? []).map((error) => new WireError(error));
      const args = { schema: NO_SCHEMA, document: started.kind === 'events' ? STREAM : ONE_ANSWER, contextValue: {} };
      prepared.set(args, started);
      return args;
    },
    execute: resultOf,
    subscribe: resultOf,
    // The results are JSON already; the library would call `toJSON` on their errors.
    onNext: (_context, _id, _payload, _args, result) => result as never,
    // Errors that ended a running stream; earlier errors are formatted already.
    onError: (_context, _id, _payload, errors) =>
      errors.map((error) =>
        error instanceof WireError ? error.toJSON() : showError(error.cause ?? error, log),
      ) as never,
  };
}

/** Connects a new socket to the protocol until it closes. */
function open(socket: WebSocket, caller: Caller, protocol: Protocol, connections: Connections, log: Log): void {
  const connection = connections.open(caller, ({ code }) => {
    // After each operation got its own error message.
    setImmediate(() => socket.close(UNAUTHORIZED, code));
  });
  const running = new Map<string, AbortController>();
  const liveness = watchLiveness(socket);
  // Invalid or too large frame: `ws` closes with the matching code of RFC 6455.
  socket.on('error', () => undefined);
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send: (text) => send(socket, text, liveness.seen),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (take) => {
        socket.on('message', (data: RawData) => {
          liveness.seen();
          const text = (data as Buffer).toString();
          if (running.size > 0) stopCompleted(text, running);
          take(text).catch((error: unknown) => refuseMessage(socket, error, log));
        });
      },
    },
    { connection, running },
  );
  socket.once('close', (code, reason) => {
    liveness.stop();
    connection.close();
    closed(code, String(reason)).catch((error: unknown) => log.write('error', 'A socket did not close', { error }));
  });
}

/** Pings a socket, and terminates it if it was silent since the last ping. */
function watchLiveness(socket: WebSocket): { seen(this: void): void; stop(): void } {
  let alive = true;
  const seen = (): void => {
    alive = true;
  };
  const pings = setInterval(() => {
    if (!alive) return socket.terminate();
    alive = false;
    return socket.ping();
  }, PING).unref();
  socket.on('pong', seen);
  return { seen, stop: () => clearInterval(pings) };
}

/** Resolves when the text was written; stops reading from a socket that does not take its messages. */
function send(socket: WebSocket, text: string, onSent: () => void): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState !== socket.OPEN) return resolve();
    // Written, or the socket is gone, which its close event reports.
    socket.send(text, () => {
      onSent();
      if (socket.isPaused && socket.bufferedAmount <= FULL) socket.resume();
      resolve();
    });
    if (socket.bufferedAmount > FULL) socket.pause();
  });
}

/** Closes a socket whose message could not be handled. */
function refuseMessage(socket: WebSocket, error: unknown, log: Log): void {
  // The library has no error type for a message that only servers send.
  if (error instanceof Error && error.message.startsWith('Unexpected message'))
    return socket.close(BAD_REQUEST, 'Invalid message received');
  const id = createErrorId();
  log.write('error', 'A message could not be handled', { id, error });
  return socket.close(INTERNAL, `Something went wrong on our side; the log has it under ${id}`);
}

/** The library forgets an operation that is completed while it starts; this stops its work too. */
function stopCompleted(text: string, running: ReadonlyMap<string, AbortController>): void {
  if (!text.includes('"complete"')) return;
  try {
    const { type, id }: Readonly<Record<string, unknown>> = JSON.parse(text);
    if (type === 'complete' && typeof id === 'string') running.get(id)?.abort();
  } catch {
    // The library reports invalid JSON itself.
  }
}

/** Required by the library's type and never read: the graph executes operations. */
const NO_SCHEMA = undefined as never;

/** Subscribers of the same operation get the same text in a row, so the latest parse is kept. */
let last: { readonly body: string; readonly result: ExecutionResult } = { body: '', result: {} };

/** Parses a response; callers must not change it. */
function toResult(body: string): ExecutionResult {
  if (body !== last.body) last = { body, result: JSON.parse(body) };
  return last.result;
}

/** Not an async generator: its `return` waits for the pending `next`, and so for an event that may never come. */
function toResults(events: OutgoingEvents): AsyncIterableIterator<ExecutionResult> {
  const done = { done: true, value: undefined } as const;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const event = await events.next();
      return event === undefined ? done : { done: false, value: toResult(event.body) };
    },
    return() {
      events.stop();
      return Promise.resolve(done);
    },
    // The library requires all three methods.
    throw(error: unknown) {
      events.stop();
      return Promise.reject(toError(error));
    },
  };
}

/** An error that is already in response format. */
class WireError extends GraphQLError {
  readonly #formatted: object;

  constructor(formatted: { readonly message: string }) {
    super(formatted.message);
    this.#formatted = formatted;
  }

  override toJSON(): ReturnType<GraphQLError['toJSON']> {
    return this.#formatted as ReturnType<GraphQLError['toJSON']>;
  }
}
