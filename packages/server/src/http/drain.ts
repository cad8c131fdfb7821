// Stops a listening server without leaving a request unanswered. First, the next response on each connection says that
// it closes (RFC 9112 §9.6). Clients that still connect keep their connection until the server stops accepting: the
// system could reset each new connection before it is accepted.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as SocketServer, type Socket } from 'node:net';

/** Milliseconds without a byte after which a connection counts as idle, if the end was not announced. */
const IDLE = 30;
/**
 * Upper limit of the same after an announcement. A busy client on a busy machine may take that long to read a response
 * and to send the next request, before it notices the end of the connection.
 */
const LONGEST_IDLE = 1000;
/**
 * Milliseconds for a client to close its side of an idle connection, and for which new connections can delay the end.
 */
const LINGER = 500;
const SWEEP = 10;

/** Stops a server in two steps. */
export interface Drain {
  /** Makes existing connections close with their next response. The server still accepts new ones. */
  announce(): void;
  /**
   * Stops accepting, waits until each request is answered, and destroys the remaining connections after `timeout` ms.
   */
  finish(timeout: number): Promise<void>;
  /** Tells that a socket no longer speaks HTTP; the code that took it over closes it. */
  handOver(socket: Socket): void;
}

/** State of a connection without a request at the last sweep. */
interface Quiet {
  readonly bytes: number;
  readonly since: number;
  readonly ended: boolean;
}

/** Tracks the connections of a server. */
export function createDrain(server: Server): Drain {
  const sockets = new Set<Socket>();
  const handedOver = new WeakSet<Socket>();
  const leaving = new WeakSet<Socket>();
  const quiet = new WeakMap<Socket, Quiet>();
  let sweeping: NodeJS.Timeout | undefined;
  let isFinishing = false;
  let lastConnection = 0;
  let announced = 0;
  let idle = IDLE;
  server.on('connection', (socket: Socket) => {
    lastConnection = performance.now();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  const tell = ({ socket }: Pick<IncomingMessage, 'socket'>, answer: ServerResponse): void => {
    if ((isFinishing || leaving.has(socket)) && !answer.headersSent) answer.shouldKeepAlive = false;
  };
  const look = (socket: Socket): void => {
    const now = performance.now();
    const answer = answerOn(socket);
    if (answer !== undefined) tell({ socket }, answer);
    const state = quiet.get(socket);
    if (answer !== undefined || state === undefined || state.bytes !== socket.bytesRead) {
      quiet.set(socket, { bytes: socket.bytesRead, since: now, ended: false });
    } else if (state.ended && now - state.since >= LINGER) {
      socket.destroy();
    } else if (isFinishing && !state.ended && now - state.since >= idle) {
      // Not `destroy`, which would reset the connection under a request that is on its way.
      socket.end();
      quiet.set(socket, { ...state, since: now, ended: true });
    }
  };
  const sweep = (): void => {
    for (const socket of sockets) if (!handedOver.has(socket)) look(socket);
  };
  const announce = (): void => {
    if (sweeping !== undefined) return;
    announced = performance.now();
    for (const socket of sockets) leaving.add(socket);
    for (const event of ['request', 'checkContinue']) server.prependListener(event, tell);
    sweep();
    // After the sockets were read: after a long event-loop turn a request may be waiting there.
    sweeping = setInterval(() => setImmediate(sweep), SWEEP);
  };
  return {
    announce,
    finish: (timeout) =>
      new Promise((resolve) => {
        const close = (): void => {
          const cut = setTimeout(() => {
            for (const socket of sockets) socket.destroy();
          }, timeout);
          // The HTTP server's own close would destroy connections with an unwritten response or an incoming request.
          SocketServer.prototype.close.call(server, () => {
            clearInterval(sweeping);
            clearTimeout(cut);
            server.close();
            resolve();
          });
          isFinishing = true;
        };
        // The system resets connections that wait to be accepted, and each event-loop turn accepts only one. So the
        // server closes at a moment without new connections.
        const from = performance.now();
        if (sweeping !== undefined) idle = Math.min(LONGEST_IDLE, Math.max(IDLE, from - announced));
        const acceptWaiting = (): void => {
          const now = performance.now();
          if (now - lastConnection >= IDLE || now - from >= LINGER) close();
          else setTimeout(() => setImmediate(acceptWaiting), SWEEP);
        };
        if (sweeping !== undefined) return acceptWaiting();
        announce();
        return close();
      }),
    handOver: (socket) => void handedOver.add(socket),
  };
}

/** The unfinished response on a socket, from the property by which Node itself recognises idle connections. */
function answerOn(socket: Socket): ServerResponse | undefined {
  return (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
