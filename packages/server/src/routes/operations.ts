// Starts what somebody asks for over a connection that lasts: a query's one answer, or a subscription's events, which go on
// with other rights when the caller's rights change and resume after a position. Not here: how either is sent.
import { type Graph, graphErrors, type GraphRequest, type RawParameters, type Subscribed } from '@lockstitch/graph';
import { isProductError, type Log } from '@lockstitch/kernel';

import type { Connection } from './connection.ts';
import { showError } from './connection.ts';

/** What starting needs. */
export interface OperationParts {
  readonly graph: Graph;
  readonly services: unknown;
  readonly log: Log;
  /** Changes that a subscriber may be behind. */
  readonly lag: number;
}

/** One event as it is sent. */
export interface OutgoingEvent {
  /** The response as JSON text. */
  readonly body: string;
  readonly position: number | undefined;
}

/** The events of a subscription, until it is stopped, its connection closed or something failed. */
export interface OutgoingEvents {
  /** The next one; undefined after the last. @throws what went wrong */
  next(): Promise<OutgoingEvent | undefined>;
  /** Whoever goes on after this position has lost nothing. */
  position(): number;
  stop(): void;
}

/** An operation under way: its one result, or its events; or why it did not run. */
export type Started =
  | { readonly kind: 'result'; readonly body: string }
  | { readonly kind: 'events'; readonly events: OutgoingEvents }
  | { readonly kind: 'refused'; readonly body: string; readonly status: number };

/** How an operation is asked for. */
export interface StartOptions {
  /** Mutations are refused (GET). */
  readonly readOnly?: boolean;
  /** Subscriptions begin after this position of the feed. Default: `after` in the extensions, or now. */
  readonly after?: number | undefined;
  /** Ends a query or mutation early. Default: the connection's end. */
  readonly signal?: AbortSignal;
}

/** Starts an operation for a connection. Never rejects for what a client sent. */
export type Start = (raw: RawParameters, connection: Connection, options?: StartOptions) => Promise<Started>;

/** Creates the function that starts operations. */
export function createStarter({ graph, services, log, lag }: OperationParts): Start {
  async function start(raw: RawParameters, connection: Connection, options: StartOptions): Promise<Started> {
    const resolved = graph.resolveRequest(raw);
    // A client of automatic persisted queries is asked for the text: an answer of errors like any other.
    if (resolved.kind === 'answer') return { kind: 'refused', body: resolved.body, status: 400 };
    const { request } = resolved;
    const { principal } = connection;
    const { signal = connection.signal } = options;
    const kind = graph.operationKind(request, { principal });
    if (kind === 'mutation' && options.readOnly === true) throw graphErrors.create('GRAPH_HTTP_READ_ONLY', { kind });
    const release = connection.claim(kind === 'subscription');
    if (kind !== 'subscription') {
      try {
        const { body, executed } = await graph.execute(request, { principal, services, signal });
        return executed ? { kind: 'result', body } : { kind: 'refused', body, status: 400 };
      } finally {
        release();
      }
    }
    const shows = showsPositions(request);
    const after = options.after ?? readAfter(request.extensions?.['after'], 'extensions.after');
    const events = new RunningEvents({ graph, services, lag, request, connection, release, shows });
    const refused = await events.begin(after);
    return refused ?? { kind: 'events', events };
  }
  return async (raw, connection, options = {}) => {
    try {
      return await start(raw, connection, options);
    } catch (error) {
      const status = isProductError(error) && (error.status < 500 || error.status === 503) ? error.status : 500;
      return { kind: 'refused', body: JSON.stringify({ errors: [showError(error, log)] }), status };
    }
  };
}

/**
 * A position of the feed as a client sends it: the id of an event.
 *
 * @throws ProductError GRAPH_HTTP_PARAMETER
 */
export function readAfter(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const position = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof position === 'number' && Number.isSafeInteger(position) && position >= 0) return position;
  throw graphErrors.create('GRAPH_HTTP_PARAMETER', {
    name,
    reason: 'must be the position of an event, a whole number',
  });
}

/** Transports without ids of events tell positions inside of them, to those who ask. */
function showsPositions({ extensions }: GraphRequest): boolean {
  return extensions?.['positions'] === true || (extensions?.['after'] ?? undefined) !== undefined;
}

interface RunningParts {
  readonly graph: Graph;
  readonly services: unknown;
  readonly lag: number;
  readonly request: GraphRequest;
  readonly connection: Connection;
  readonly release: () => void;
  readonly shows: boolean;
}

type Running = Extract<Subscribed, { kind: 'events' }>;

class RunningEvents implements OutgoingEvents {
  readonly #parts: RunningParts;
  readonly #forget: () => void;
  #running: Running | undefined;
  #isStale = false;
  #ended = false;

  constructor(parts: RunningParts) {
    this.#parts = parts;
    this.#forget = parts.connection.onChange(() => {
      this.#isStale = true;
      void this.#running?.events.return?.();
    });
  }

  /** Starts, or says why not. What goes on waits for a database that is away. */
  async begin(after: number | undefined, goesOn = false): Promise<Started | undefined> {
    const { graph, services, lag, request, connection } = this.#parts;
    const { principal, signal } = connection;
    try {
      const options = { principal, services, signal, after, lagLimit: lag, goesOn };
      const subscribed = await graph.subscribe(request, options);
      if (subscribed.kind === 'events') {
        this.#running = subscribed;
        return undefined;
      }
      this.stop();
      return { kind: 'refused', body: subscribed.response.body, status: subscribed.status };
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  async next(): Promise<OutgoingEvent | undefined> {
    try {
      for (;;) {
        const running = this.#running!;
        const item = await running.events.next();
        if (this.#ended || this.#parts.connection.signal.aborted) break;
        if (item.done !== true) return this.#show(item.value);
        if (!this.#isStale) break;
        // The caller has other rights by now: what follows is decided by those.
        this.#isStale = false;
        const refused = await this.begin(running.position(), true);
        if (refused?.kind === 'refused') return { body: refused.body, position: undefined };
      }
      const { reason } = this.#parts.connection;
      this.stop();
      if (reason !== undefined) throw reason;
      return undefined;
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  position(): number {
    return this.#running!.position();
  }

  stop(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#forget();
    this.#parts.release();
    void this.#running?.events.return?.();
  }

  #show(event: OutgoingEvent): OutgoingEvent {
    if (!this.#parts.shows || event.position === undefined) return event;
    // Responses are JSON objects: what is added goes before the last bracket.
    return { ...event, body: `${event.body.slice(0, -1)},"extensions":{"position":${event.position}}}` };
  }
}
