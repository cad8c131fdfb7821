// Subscription endpoints: graphql-transport-ws on `/graphql`, server-sent events on `/graphql/stream`. The WebSocket
// libraries are loaded with the first socket, which saves 7 MB on a server without subscribers.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import type { Graph } from '@lockstitch/graph';
import type { Log, Principal } from '@lockstitch/kernel';
import type { SecurityRequest } from '@lockstitch/security';

import type { BodyLimit } from '../http/body.ts';
import type { CreateRecheck } from '../http/recheck.ts';
import { type ConnectionLimits, createConnections } from './connection.ts';
import { eventStreamRoute } from './event-streams.ts';
import { createStarter } from './operations.ts';
import type { Handle } from '../http/router.ts';
import { createSocketServer, type SocketServer } from './sockets.ts';

export interface SubscriptionParts {
  readonly graph: Graph;
  readonly services: unknown;
  readonly limit: BodyLimit;
  readonly log: Log;
  readonly recheck: CreateRecheck;
  /** `graph.subscriptions` of the configuration. */
  readonly limits: ConnectionLimits & { readonly lag: number };
}

export interface SubscriptionRoutes {
  /** `/graphql/stream`: the protocol defines GET, POST, PUT and DELETE. */
  readonly stream: Handle;
  /** Accepts a WebSocket after the security chain allowed it. Rejects if the library does not load. */
  upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    principal: Principal,
    secured: SecurityRequest,
  ): Promise<void>;
  /** Number of subscriptions. */
  count(): number;
  /** Ends every subscription. */
  close(): void;
}

export function createSubscriptionRoutes(parts: SubscriptionParts): SubscriptionRoutes {
  const { graph, services, limit, limits, log, recheck } = parts;
  const stopping = new AbortController();
  const connections = createConnections({ limits, log, recheck });
  const start = createStarter({ graph, services, log, lag: limits.lag });
  let opening: Promise<SocketServer> | undefined;
  let sockets: SocketServer | undefined;
  const open = async (): Promise<SocketServer> => {
    sockets = await createSocketServer({ start, connections, limit, log });
    if (stopping.signal.aborted) sockets.close();
    return sockets;
  };
  return {
    stream: eventStreamRoute({ start, connections, limit, log, stopping: stopping.signal }),
    async upgrade(request, socket, head, principal, secured) {
      const server = await (opening ??= open());
      server.upgrade(request, socket, head, { principal, secured });
    },
    count: () => connections.lasting(),
    close() {
      stopping.abort();
      sockets?.close();
      connections.close();
    },
  };
}
