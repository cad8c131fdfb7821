// OpenTelemetry spans for requests and searches, by the semantic conventions for HTTP servers and database clients
// (https://opentelemetry.io/docs/specs/semconv/http/http-spans/, …/database/database-spans/). The API package is an
// optional peer, loaded only if `tracing` is on. The application's SDK exports the spans.
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { GraphTracing } from '@lockstitch/graph';
import type * as OpenTelemetry from '@opentelemetry/api';

import { serverErrors } from '../errors.ts';
import { endpointOf, routeOf } from './trace-route.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Handles a request of search for a caller. */
type Search<Request, Caller, Answer> = (request: Request, caller: Caller) => Promise<Answer>;

export interface Tracing {
  readonly graph: GraphTracing;
  /** Wraps a listener in a span for each request. @param trustProxy whether to believe the forwarding headers */
  wrap(listener: Listener, trustProxy: boolean): Listener;
  /** Wraps searches in a span each: those of the REST API, and those that the graph's full-text fields make. */
  wrapSearch<Request extends SearchRequest, Caller, Answer extends { readonly status: number }>(
    search: Search<Request, Caller, Answer>,
  ): Search<Request, Caller, Answer>;
}

interface SearchRequest {
  readonly method: string;
  readonly path: string;
}

/** Loads the API. @throws ProductError SERVER_TRACING_MISSING */
export async function loadTracing(): Promise<Tracing> {
  let api: typeof OpenTelemetry;
  try {
    api = await import('@opentelemetry/api');
  } catch (cause) {
    throw serverErrors.create('SERVER_TRACING_MISSING', {}, { cause });
  }
  const { context, propagation, SpanKind, SpanStatusCode, trace } = api;
  const tracer = trace.getTracer('lockstitch');
  const fail = (span: OpenTelemetry.Span, type: string): void => {
    span.setAttribute('error.type', type);
    span.setStatus({ code: SpanStatusCode.ERROR });
  };
  return {
    graph: { tracer, activeSpan: () => trace.getActiveSpan() },
    wrap: (listener, trustProxy) => (request, response) => {
      const { name, attributes } = describeRequest(request, trustProxy);
      const parent = propagation.extract(context.active(), request.headers);
      tracer.startActiveSpan(name, { kind: SpanKind.SERVER, attributes }, parent, (span) => {
        response.once('close', () => {
          const { statusCode } = response;
          span.setAttribute('http.response.status_code', statusCode);
          if (statusCode >= 500) fail(span, String(statusCode));
          else if (!response.writableFinished) fail(span, 'aborted');
          span.end();
        });
        listener(request, response);
      });
    },
    wrapSearch: (search) => (request, caller) => {
      const { operation, index } = endpointOf(request.path, request.method);
      const attributes = {
        'db.system.name': 'lockstitch.search',
        'db.operation.name': operation,
        ...(index === undefined ? {} : { 'db.collection.name': index }),
      };
      // Not the index: clients choose names, and names of spans should be few.
      return tracer.startActiveSpan(operation, { kind: SpanKind.INTERNAL, attributes }, async (span) => {
        try {
          const answer = await search(request, caller);
          span.setAttribute('db.response.status_code', String(answer.status));
          if (answer.status >= 500) fail(span, String(answer.status));
          return answer;
        } catch (error) {
          fail(span, error instanceof Error ? error.name : 'error');
          throw error;
        } finally {
          span.end();
        }
      });
    },
  };
}

function describeRequest(
  { method = '', url = '', headers, httpVersion, socket }: IncomingMessage,
  trustProxy: boolean,
): { readonly name: string; readonly attributes: OpenTelemetry.Attributes } {
  const [path = '', query] = url.split('?', 2);
  const known = METHODS.has(method);
  const route = routeOf(path);
  const client = clientOf(headers, trustProxy) ?? socket.remoteAddress;
  const isSecure = 'encrypted' in socket || (trustProxy && headers['x-forwarded-proto'] === 'https');
  const attributes = {
    'http.request.method': known ? method : '_OTHER',
    ...(known ? {} : { 'http.request.method_original': method.slice(0, 32) }),
    'url.scheme': isSecure ? 'https' : 'http',
    'url.path': path,
    'network.protocol.version': httpVersion,
    ...(route === undefined ? {} : { 'http.route': route }),
    // A query may hold personal data; the span only says that there is one.
    ...(query === undefined ? {} : { 'url.query': 'REDACTED' }),
    ...(headers.host === undefined ? {} : hostOf(headers.host)),
    ...(client === undefined ? {} : { 'client.address': client }),
    ...(headers['user-agent'] === undefined ? {} : { 'user_agent.original': headers['user-agent'] }),
  };
  return { name: `${known ? method : 'HTTP'}${route === undefined ? '' : ` ${route}`}`, attributes };
}

const METHODS: ReadonlySet<string> = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'QUERY',
  'TRACE',
]);

/** The last address, as the security chain reads it: the one that the proxy has written. */
function clientOf(
  { 'x-forwarded-for': forwarded }: IncomingMessage['headers'],
  trustProxy: boolean,
): string | undefined {
  const last = trustProxy && typeof forwarded === 'string' ? forwarded.split(',').at(-1)?.trim() : undefined;
  return last === '' ? undefined : last;
}

function hostOf(host: string): OpenTelemetry.Attributes {
  const [, address, port] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
  return {
    'server.address': address ?? host,
    ...(port === undefined ? {} : { 'server.port': Number(port) }),
  };
}
