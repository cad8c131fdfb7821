// OpenTelemetry spans for requests, by the semantic conventions for HTTP servers
// (https://opentelemetry.io/docs/specs/semconv/http/http-spans/). The API package is an optional peer, loaded only if
// `tracing` is on. The application's SDK exports the spans.
import { wordsOf } from '@lockstitch/kernel';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { GraphTracing } from '@lockstitch/graph';
import type * as OpenTelemetry from '@opentelemetry/api';

import { serverErrors } from '../errors.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export interface Tracing {
  readonly graph: GraphTracing;
  /**
   * Wraps a listener in a span for each request. `routes` are paths that spans show as they are; other paths may hold
   * personal data.
   */
  wrap(listener: Listener, routes: ReadonlySet<string>): Listener;
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
  return {
    graph: { tracer, activeSpan: () => trace.getActiveSpan() },
    wrap: (listener, routes) => (request, response) => {
      const { method = '', url = '', headers, httpVersion, socket } = request;
      const [path = '', query] = url.split('?', 2);
      const known = METHODS.has(method);
      const route = routes.has(path) ? path : undefined;
      const attributes: OpenTelemetry.Attributes = {
        'http.request.method': known ? method : '_OTHER',
        ...(known ? {} : { 'http.request.method_original': method.slice(0, 32) }),
        'url.scheme': 'encrypted' in socket ? 'https' : 'http',
        'url.path': path,
        'network.protocol.version': httpVersion,
        ...(route === undefined ? {} : { 'http.route': route }),
        // A query may hold personal data; the span only says that there is one.
        ...(query === undefined ? {} : { 'url.query': 'REDACTED' }),
        ...(headers.host === undefined ? {} : hostOf(headers.host)),
        ...(socket.remoteAddress === undefined ? {} : { 'client.address': socket.remoteAddress }),
        ...(headers['user-agent'] === undefined ? {} : { 'user_agent.original': headers['user-agent'] }),
      };
      const parent = propagation.extract(context.active(), headers);
      const name = `${known ? method : 'HTTP'}${route === undefined ? '' : ` ${route}`}`;
      tracer.startActiveSpan(name, { kind: SpanKind.SERVER, attributes }, parent, (span) => {
        response.once('close', () => {
          const { statusCode } = response;
          span.setAttribute('http.response.status_code', statusCode);
          if (statusCode >= 500 || !response.writableFinished) {
            span.setAttribute('error.type', statusCode >= 500 ? String(statusCode) : 'aborted');
            span.setStatus({ code: SpanStatusCode.ERROR });
          }
          span.end();
        });
        listener(request, response);
      });
    },
  };
}

const METHODS: ReadonlySet<string> = new Set(wordsOf('CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT QUERY TRACE'));

function hostOf(host: string): OpenTelemetry.Attributes {
  const [, address, port] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
  return {
    'server.address': address ?? host,
    ...(port === undefined ? {} : { 'server.port': Number(port) }),
  };
}
