// Subscriptions on the wire: graphql-transport-ws on `/graphql` (graphql-ws) and server-sent events on `/graphql/stream`
// (graphql-sse). The libraries speak the protocols; what happens, and who may see it, the graph says. They are loaded with
// the first request that needs them: a server that nobody subscribes to keeps seven megabytes.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import type { Graph, GraphRequest } from '@lockstitch/graph';
import type { Principal } from '@lockstitch/kernel';
import { type ExecutionResult, type FormattedExecutionResult, GraphQLError, parse } from 'graphql';
import type { Handler, OperationResult, Response } from 'graphql-sse';
import type { WebSocket } from 'ws';

import { serverErrors } from '../errors.ts';
import type { RouteResponse } from '../http/answer.ts';
import type { BodyLimit } from '../http/body.ts';
import type { Incoming } from '../http/incoming.ts';
import type { Handle } from './router.ts';

/** What the routes are made of. */
export interface SubscriptionParts {
  readonly graph: Graph;
  readonly services: unknown;
  readonly limit: BodyLimit;
}

/** The subscription endpoints of an application. */
export interface SubscriptionRoutes {
  /** `/graphql/stream`, every method: the protocol has its own meaning for GET, POST, PUT and DELETE. */
  readonly stream: Handle;
  /** Takes over a socket that asked for WebSocket, once the security chain has let it pass. Rejects when the library does not load. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, principal: Principal): Promise<void>;
  /** Ends every subscription. */
  close(): void;
}

/** Makes the endpoints. */
export function createSubscriptionRoutes(parts: SubscriptionParts): SubscriptionRoutes {
  const stopping = new AbortController();
  const start = createStarter(parts, stopping.signal);
  let opening: Promise<void> | undefined;
  let sockets: SocketServer | undefined;
  const open = async (): Promise<void> => {
    sockets = await createSocketServer(parts, start);
    if (stopping.signal.aborted) sockets.close();
  };
  return {
    stream: createStreamRoute(parts, start),
    async upgrade(...given) {
      await (opening ??= open());
      sockets!.upgrade(...given);
    },
    close() {
      stopping.abort();
      sockets?.close();
    },
  };
}

/** An operation under way: its one result, or its events; or why it did not run. */
type Started =
  | { readonly kind: 'result'; readonly result: ExecutionResult }
  | { readonly kind: 'events'; readonly events: AsyncIterableIterator<ExecutionResult> }
  | { readonly kind: 'refused'; readonly result: ExecutionResult };

type Start = (request: GraphRequest, principal: Principal, readOnly: boolean) => Promise<Started>;

function createStarter({ graph, services }: SubscriptionParts, stopping: AbortSignal): Start {
  return async (request, principal, readOnly) => {
    const context = { principal, services };
    const kind = graph.operationKind(request, context);
    if (kind === 'mutation' && readOnly) return { kind: 'refused', result: MUTATION_BY_GET };
    if (kind !== 'subscription') {
      const { body, executed } = await graph.execute(request, context);
      return { kind: executed ? 'result' : 'refused', result: parseResult(body) };
    }
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, stopping]);
    const subscribed = await graph.subscribe(request, { ...context, signal });
    if (subscribed.kind === 'refused') return { kind: 'refused', result: parseResult(subscribed.response.body) };
    return { kind: 'events', events: parseEvents(subscribed.events, ended, signal) };
  };
}

const MUTATION_BY_GET: ExecutionResult = {
  errors: [new GraphQLError('A mutation must be sent with POST.', { extensions: { code: 'GRAPH_HTTP_READ_ONLY' } })],
};

function parseResult(body: string): ExecutionResult {
  return JSON.parse(body) as ExecutionResult;
}

/** Not an async generator: the `return` of one waits for the pending `next`, and so for an event that may never come. */
function parseEvents(
  events: AsyncIterableIterator<{ readonly body: string }>,
  ended: AbortController,
  signal: AbortSignal,
): AsyncIterableIterator<ExecutionResult> {
  const done = { done: true, value: undefined } as const;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      try {
        const event = await events.next();
        return event.done === true ? done : { done: false, value: parseResult(event.value.body) };
      } catch (error) {
        // The subscriber left or the server stops: an end, not a failure.
        if (signal.aborted) return done;
        throw error;
      }
    },
    async return() {
      ended.abort();
      await events.return?.();
      return done;
    },
  };
}

function createStreamRoute({ limit }: SubscriptionParts, start: Start): Handle {
  let opening: Promise<Handler<Incoming>> | undefined;
  const open = async (): Promise<Handler<Incoming>> => {
    const { createHandler } = await import('graphql-sse');
    return createHandler<Incoming>({
      onSubscribe: async (request, params): Promise<OperationResult | Response> => {
        const started = await start(toGraphRequest(params), request.raw.principal, request.method === 'GET');
        if (started.kind === 'refused') return refusal(started.result);
        return started.kind === 'events' ? started.events : started.result;
      },
    });
  };
  return async (request): Promise<RouteResponse> => {
    const body = await request.readBody(limit);
    // Checked here on the parsed type: the library looks for the words anywhere in the header, and a page of another origin may
    // send `text/plain; a=application/json` without a preflight (Fetch, "CORS-safelisted request-header").
    if (body !== undefined) requireJson(request.headers['content-type']);
    const handle = await (opening ??= open());
    const [answer, { status, headers }] = await handle({
      method: request.method,
      url: `${request.path}?${request.query.toString()}`,
      headers: { get: (name: string) => request.headers[name] ?? null },
      body: body === undefined ? null : Buffer.from(body).toString('utf8'),
      raw: request,
      context: undefined,
    });
    return { status, headers: headers === undefined ? {} : { ...headers }, body: answer ?? undefined };
  };
}

function requireJson(type: string | undefined): void {
  const [essence = ''] = (type ?? '').split(';');
  if (essence.trim().toLowerCase() !== 'application/json') {
    throw serverErrors.create('SERVER_CONTENT_TYPE', { type: type ?? '' });
  }
}

function refusal(result: ExecutionResult): Response {
  const isMethod = result === MUTATION_BY_GET;
  const headers = { 'content-type': 'application/json; charset=utf-8', ...(isMethod ? { allow: 'POST' } : {}) };
  const [status, statusText] = isMethod ? [405, 'Method Not Allowed'] : [400, 'Bad Request'];
  return [JSON.stringify(result), { status, statusText, headers }];
}

interface OperationParameters {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | null | undefined;
}

function toGraphRequest({ query, operationName, variables, extensions }: OperationParameters): GraphRequest {
  return { query, operationName, variables, extensions };
}

/** An error of the graph, already in the shape in which a response shows it. */
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

interface SocketServer {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, principal: Principal): void;
  close(): void;
}

async function createSocketServer({ graph, limit }: SubscriptionParts, start: Start): Promise<SocketServer> {
  const [{ useServer }, { WebSocketServer }] = await Promise.all([import('graphql-ws/use/ws'), import('ws')]);
  const server = new WebSocketServer({ noServer: true, maxPayload: limit.bytes });
  const principals = new WeakMap<IncomingMessage, Principal>();
  const prepared = new WeakMap<object, Started>();
  useServer(
    {
      onSubscribe: async (context, _id, payload) => {
        const { request } = context.extra as unknown as { readonly request: IncomingMessage };
        const started = await start(toGraphRequest(payload), principals.get(request)!, false);
        if (started.kind === 'refused') {
          return (started.result.errors ?? []).map((error) => new WireError(error));
        }
        const document = parse(payload.query);
        const args = {
          schema: graph.model.schema,
          document,
          operationName: payload.operationName,
          contextValue: undefined,
        };
        prepared.set(args, started);
        return args;
      },
      execute: (args) => resultOf(prepared.get(args)),
      subscribe: (args) => resultOf(prepared.get(args)),
      // The results are JSON already; the library would ask their errors for `toJSON`.
      onNext: (_context, _id, _payload, _args, result) => result as FormattedExecutionResult,
    },
    server,
  );
  return {
    upgrade(request, socket, head, principal) {
      principals.set(request, principal);
      server.handleUpgrade(request, socket, head, (client: WebSocket) => server.emit('connection', client, request));
    },
    close() {
      for (const client of server.clients) client.close(1001, 'The server is stopping');
      server.close();
    },
  };
}

function resultOf(started: Started | undefined): ExecutionResult | AsyncIterableIterator<ExecutionResult> {
  if (started === undefined) throw new Error('An operation was not prepared.');
  return started.kind === 'events' ? started.events : started.result;
}
