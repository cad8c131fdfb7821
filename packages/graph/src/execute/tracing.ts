// OpenTelemetry spans of operations, by the semantic conventions for GraphQL servers and database clients
// (https://opentelemetry.io/docs/specs/semconv/graphql/graphql-spans/, …/database/database-spans/). The package
// @opentelemetry/api is not imported; the application passes its tracer. Without one, none of this runs.
import { codeOf } from '@lockstitch/kernel';
import type { SqlValue, Store } from '../store/store.ts';
import { finish, type Observer, observeStore } from './observe.ts';
import { redactDocument } from './redact-document.ts';

/** The used part of a span of @opentelemetry/api. */
export interface TraceSpan {
  /** False for a trace that is not sampled. */
  isRecording(): boolean;
  setAttribute(name: string, value: string | number): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  updateName(name: string): unknown;
  recordException(error: Error): void;
  end(): void;
}

/** The used part of a tracer of @opentelemetry/api; `trace.getTracer('…')` is one. */
export interface TraceSource {
  startActiveSpan<T>(
    name: string,
    options: { readonly kind?: number; readonly attributes?: Record<string, string | number> },
    work: (span: TraceSpan) => T,
  ): T;
}

/** Inputs of tracing. */
export interface GraphTracing {
  readonly tracer: TraceSource;
  /**
   * The active span, if there is one: `() => trace.getActiveSpan()`. Statements without an active span (the feed's
   * polling readers) create none.
   */
  readonly activeSpan: () => unknown;
}

/** SpanKind of @opentelemetry/api. */
const INTERNAL = 0;
const SERVER = 1;
const CLIENT = 2;
/** SpanStatusCode.ERROR. */
const ERROR = 2;

/** A store with a span per statement. */
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

/**
 * Runs an operation in a span; its observer creates the spans of the phases. `bodyOf` returns the response body of
 * `work`'s result.
 *
 * @param inputNames of the schema; other members of values in documents are not shown
 */
export function traceOperation<T extends { readonly body: string } | Promise<{ readonly body: string }>>(
  { tracer }: GraphTracing,
  document: string,
  inputNames: ReadonlySet<string>,
  work: (observer: Observer) => T,
): T {
  return tracer.startActiveSpan('GraphQL Operation', { kind: SERVER }, (span) => {
    if (span.isRecording()) span.setAttribute('graphql.document', redactDocument(document, inputNames));
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
      // Server errors; rejections are the client's.
      const code = /"code":"(GRAPH_INTERNAL|GRAPH_TOO_SLOW|GRAPH_NULL_VALUE)"/.exec(answer.body)?.[1];
      if (code !== undefined) {
        span.setAttribute('error.type', code);
        span.setStatus({ code: ERROR });
      }
      span.end();
    };
    const answer = work(observer);
    if (answer instanceof Promise)
      return answer.then((settled: { readonly body: string }) => {
        settle(settled);
        return settled;
      }) as T;
    settle(answer);
    return answer;
  });
}

function end(span: TraceSpan, error: unknown): void {
  if (error !== undefined) {
    const code = codeOf(error);
    span.setAttribute('error.type', typeof code === 'string' ? code : error instanceof Error ? error.name : 'error');
    span.setStatus({ code: ERROR });
  }
  span.end();
}
