// The endpoints of subscriptions: graphql-transport-ws on `/graphql`, server-sent events on `/graphql/stream`. What happens,
// and who may see it, the graph says; what the wire says, sockets.ts and event-streams.ts. The libraries for WebSockets are
// loaded with the first one: a server that nobody subscribes to keeps seven megabytes.
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

/** What the routes are made of. */
export interface SubscriptionParts {
  readonly graph: Graph;
  readonly services: unknown;
  readonly limit: BodyLimit;
  readonly log: Log;
  readonly recheck: CreateRecheck;
  /** `graph.subscriptions` of the configuration. */
  readonly limits: ConnectionLimits & { readonly lag: number };
}

/** The subscription endpoints of an application. */
export interface SubscriptionRoutes {
  /** `/graphql/stream`, every method: the protocol has its own meaning for GET, POST, PUT and DELETE. */
  readonly stream: Handle;
  /** Takes over a socket that asked for WebSocket, once the security chain has let it pass. Rejects when the library does not load. */
  upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    principal: Principal,
    secured: SecurityRequest,
  ): Promise<void>;
  /** Ends every subscription. */
  close(): void;
}

/** Makes the endpoints. */
export function createSubscriptionRoutes(parts: SubscriptionParts): SubscriptionRoutes {
  const { graph, services, limit, limits, log, recheck } = parts;
  const stopping = new AbortController();
  const connections = createConnections({ limits, log, recheck });
  const start = createStarter({ graph, services, log, lag: limits.lag });
  let opening: Promise<void> | undefined;
  let sockets: SocketServer | undefined;
  const open = async (): Promise<void> => {
    sockets = await createSocketServer({ start, connections, limit, log });
    if (stopping.signal.aborted) sockets.close();
  };
  return {
    stream: eventStreamRoute({ start, connections, limit, log, stopping: stopping.signal }),
    async upgrade(request, socket, head, principal, secured) {
      await (opening ??= open());
      sockets!.upgrade(request, socket, head, { principal, secured });
    },
    close() {
      stopping.abort();
      sockets?.close();
      connections.close();
    },
  };
}
