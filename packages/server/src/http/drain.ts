// How a listening server stops without leaving a request unanswered. First it asks the clients it has to go elsewhere: the next
// answer on each connection says that it closes (RFC 9112 §9.6). Clients that still come keep their connection until the server
// accepts no more: each new connection at that moment would risk to be reset by the system before it is accepted.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as SocketServer, type Socket } from 'node:net';

/** Time without a byte after which a connection counts as idle, in ms, where the end was not announced. */
const IDLE = 30;
/**
 * The same at most where it was. A busy client on a busy machine may take that long to read an answer and ask again, and does so before
 * it reads that the connection has ended.
 */
const LONGEST_IDLE = 1000;
/** Time that a client gets to close its side of an idle connection, and that new connections can hold up the end, in ms. */
const LINGER = 500;
const SWEEP = 10;

/** Stops a server in two steps. */
export interface Drain {
  /** The connections there are close with their next answer. The server still accepts others. */
  announce(): void;
  /** Accepts nothing more, waits until each request is answered, and cuts what is left after `timeout` ms. */
  finish(timeout: number): Promise<void>;
  /** Says that a socket no longer speaks HTTP: the code that took it over closes it. */
  handOver(socket: Socket): void;
}

/** What the last sweep saw of a connection without a request. */
interface Quiet {
  readonly bytes: number;
  readonly since: number;
  readonly ended: boolean;
}

/** Follows the connections of a server. */
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
    if (answer !== undefined || state?.bytes !== socket.bytesRead) {
      quiet.set(socket, { bytes: socket.bytesRead, since: now, ended: false });
    } else if (state.ended && now - state.since >= LINGER) {
      socket.destroy();
    } else if (isFinishing && !state.ended && now - state.since >= idle) {
      // Not `destroy`: it would reset the connection under a request that is on its way.
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
    // After the sockets were read: after a long turn of the event loop a request may have been waiting there.
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
          // The method of the HTTP server would cut connections whose answer is not written yet, or whose next request is on its way.
          SocketServer.prototype.close.call(server, () => {
            clearInterval(sweeping);
            clearTimeout(cut);
            server.close();
            resolve();
          });
          isFinishing = true;
        };
        // The system resets connections that wait to be accepted, and a turn of the event loop accepts one. So the end comes while
        // nobody connects. Where it was not announced, it is now.
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

/** The answer that is under way on a socket, by the property that Node itself looks at to tell idle connections. */
function answerOn(socket: Socket): ServerResponse | undefined {
  return (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
