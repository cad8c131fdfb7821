// Starts operations on a lasting connection: a query with one response, or a subscription, which follows changes of the
// caller's rights and resumes after a position. Transports are in other files.
import { type Graph, graphErrors, type GraphRequest, type RawParameters, type Subscribed } from '@lockstitch/graph';
import { isProductError, type Log, required } from '@lockstitch/kernel';

import type { Connection } from './connection.ts';
import { showError } from './connection.ts';

export interface OperationParts {
  readonly graph: Graph;
  readonly services: unknown;
  readonly log: Log;
  /** How many changes a subscriber may be behind. */
  readonly lag: number;
}

/** One event as it is sent. */
export interface OutgoingEvent {
  /** The response as JSON text. */
  readonly body: string;
  readonly position: number | undefined;
}

/** Events of a subscription until it is stopped, its connection closes or it fails. */
export interface OutgoingEvents {
  /** The next event; undefined after the last. @throws the failure */
  next(): Promise<OutgoingEvent | undefined>;
  /** A client that resumes after this position has missed nothing. */
  position(): number;
  stop(): void;
}

/** A started operation: its one result, its events, or the reason why it did not run. */
export type Started =
  | { readonly kind: 'result'; readonly body: string }
  | { readonly kind: 'events'; readonly events: OutgoingEvents }
  | { readonly kind: 'refused'; readonly body: string; readonly status: number };

export interface StartOptions {
  /** Reject mutations (GET). */
  readonly readOnly?: boolean;
  /** Start subscriptions after this position of the feed. Default: `after` in the extensions, or now. */
  readonly after?: number | undefined;
  /** Ends a query or mutation early. Default: the connection's end. */
  readonly signal?: AbortSignal;
}

/** Starts an operation for a connection. Never rejects because of what a client sent. */
export type Start = (raw: RawParameters, connection: Connection, options?: StartOptions) => Promise<Started>;

export function createStarter({ graph, services, log, lag }: OperationParts): Start {
  async function start(raw: RawParameters, connection: Connection, options: StartOptions): Promise<Started> {
    const resolved = graph.resolveRequest(raw);
    // A client of automatic persisted queries is asked for the text with a response of errors.
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

/** Parses a feed position from a client: the id of an event. @throws ProductError GRAPH_HTTP_PARAMETER */
export function readAfter(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const position = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof position === 'number' && Number.isSafeInteger(position) && position >= 0) return position;
  throw graphErrors.create('GRAPH_HTTP_PARAMETER', {
    name,
    reason: 'must be the position of an event, a whole number',
  });
}

/** Transports without event ids send positions in the extensions, if asked to. */
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

  /** Starts, or returns the reason why not. A running subscription waits for an unavailable database. */
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
        const running = required(this.#running, 'the running operation');
        const item = await running.events.next();
        if (this.#ended || this.#parts.connection.signal.aborted) break;
        if (item.done !== true) return this.#show(item.value);
        if (!this.#isStale) break;
        // The caller's rights changed; later events are decided by the new ones.
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
    return required(this.#running, 'the running operation').position();
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
    // Responses are JSON objects: insert before the last bracket.
    return { ...event, body: `${event.body.slice(0, -1)},"extensions":{"position":${event.position}}}` };
  }
}
