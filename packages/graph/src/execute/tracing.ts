// Spans of OpenTelemetry for operations, by its semantic conventions for GraphQL servers and database clients
// (https://opentelemetry.io/docs/specs/semconv/graphql/graphql-spans/, …/database/database-spans/). The package
// @opentelemetry/api is not imported: whoever wants spans hands its tracer over, and without one nothing of this runs.
import type { SqlValue, Store } from '../store/store.ts';
import { finish, type Observer, observeStore } from './observe.ts';

/** As much of a span of @opentelemetry/api as is used. */
export interface TraceSpan {
  setAttribute(name: string, value: string | number): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  updateName(name: string): unknown;
  recordException(error: Error): void;
  end(): void;
}

/** As much of a tracer of @opentelemetry/api as is used; `trace.getTracer('…')` is one. */
export interface TraceSource {
  startActiveSpan<T>(
    name: string,
    options: { readonly kind?: number; readonly attributes?: Record<string, string | number> },
    work: (span: TraceSpan) => T,
  ): T;
}

/** What a graph needs to make spans. */
export interface GraphTracing {
  readonly tracer: TraceSource;
  /**
   * The span that is open now, if there is one: `() => trace.getActiveSpan()`. Statements outside of every span (the feed's
   * readers look for news all the time) make none.
   */
  readonly activeSpan: () => unknown;
}

/** SpanKind of @opentelemetry/api. */
const INTERNAL = 0;
const SERVER = 1;
const CLIENT = 2;
/** SpanStatusCode.ERROR. */
const ERROR = 2;

/** The same database with a span for each statement. */
export function traceStore(store: Store, { tracer, activeSpan }: GraphTracing): Store {
  const system = store.dialect === 'sqlite' ? 'sqlite' : 'postgresql';
  return observeStore(store, {
    statement(sql, _values, run) {
      if (activeSpan() === undefined) return run();
      const verb = /^\s*(?:WITH\b[^]*?\b)?(SELECT|INSERT|UPDATE|DELETE)\b/i.exec(sql)?.[1]?.toUpperCase() ?? 'SQL';
      const attributes = { 'db.system.name': system, 'db.operation.name': verb, 'db.query.text': sql };
      return tracer.startActiveSpan(verb, { kind: CLIENT, attributes }, (span) =>
        finish(run, (error) => end(span, error)),
      );
    },
  });
}

/** Runs an operation inside a span; the observer it is given makes those of its phases. `bodyOf` finds the answer in what `work` returns. */
export function traceOperation<T extends { readonly body: string } | Promise<{ readonly body: string }>>(
  { tracer }: GraphTracing,
  document: string,
  work: (observer: Observer) => T,
): T {
  const attributes = { 'graphql.document': document };
  return tracer.startActiveSpan('GraphQL Operation', { kind: SERVER, attributes }, (span) => {
    const observer: Observer = {
      phase: (name, run) =>
        tracer.startActiveSpan(`graphql.${name}`, { kind: INTERNAL }, (phase) =>
          finish(run, (error) => end(phase, error)),
        ),
      operation(kind, name) {
        span.updateName(kind);
        span.setAttribute('graphql.operation.type', kind);
        if (name !== undefined) span.setAttribute('graphql.operation.name', name);
      },
      answeredBy: (who) => void span.setAttribute('lockstitch.answered_by', who),
      statement: <U>(_sql: string, _values: readonly SqlValue[], run: () => U) => run(),
    };
    const settle = (answer: { readonly body: string }): void => {
      // Refusals are the client's; these are ours.
      const code = /"code":"(GRAPH_INTERNAL|GRAPH_TOO_SLOW|GRAPH_NULL_VALUE)"/.exec(answer.body)?.[1];
      if (code !== undefined) {
        span.setAttribute('error.type', code);
        span.setStatus({ code: ERROR });
      }
      span.end();
    };
    const answer = work(observer);
    if (answer instanceof Promise) {
      return answer.then((settled: { readonly body: string }) => {
        settle(settled);
        return settled;
      }) as T;
    }
    settle(answer);
    return answer;
  });
}

function end(span: TraceSpan, error: unknown): void {
  if (error !== undefined) {
    const { code } = error as { readonly code?: unknown };
    span.setAttribute('error.type', typeof code === 'string' ? code : error instanceof Error ? error.name : 'error');
    span.setStatus({ code: ERROR });
  }
  span.end();
}
