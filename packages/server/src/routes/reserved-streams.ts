// Reserved event streams that carry many operations: graphql-sse's "single connection mode" (PROTOCOL.md). Each
// operation waits until its event was taken, so that a slow reader costs no memory. A stream belongs to its creator.
// The server generates its token, and forgets it if the stream is never opened.
import { randomUUID } from 'node:crypto';

import type { RawParameters } from '@lockstitch/graph';
import { hasMembers, type Log, type Principal } from '@lockstitch/kernel';

import { serverErrors } from '../errors.ts';
import type { RouteResponse } from '../http/route-response.ts';
import type { Incoming } from '../http/incoming.ts';
import { LATE, within } from '../within.ts';
import { type Connection, type Connections, showError } from './connection.ts';
import { followClient, HEARTBEAT, printEvent, refuseStream, STREAM_HEADERS } from './event-stream-format.ts';
import type { OutgoingEvents, Start } from './operations.ts';

/** Milliseconds for which a reserved stream waits to be opened. */
const RESERVED = 30_000;
/** Unopened reserved streams per user. */
const RESERVATIONS = 20;

export interface ReservedStreamParts {
  readonly start: Start;
  readonly connections: Connections;
  readonly log: Log;
}

export interface ReservedStreams {
  /** Returns the token of a new reservation. @throws ProductError SERVER_TOO_MANY_STREAMS */
  reserve(request: Incoming): RouteResponse;
  /** @throws ProductError SERVER_STREAM_NOT_FOUND, also for a stream of another user */
  find(token: string, principal: Principal): ReservedStream;
}

export function createReservedStreams(parts: ReservedStreamParts): ReservedStreams {
  const streams = new Map<string, ReservedStream>();
  return {
    reserve(request) {
      const { name } = request.principal;
      const waiting = [...streams.values()].filter((stream) => stream.owner === name && !stream.isOpen);
      if (waiting.length >= RESERVATIONS) throw serverErrors.create('SERVER_TOO_MANY_STREAMS', { limit: RESERVATIONS });
      // Never chosen by the client: the token grants writing to the stream.
      const token = randomUUID();
      streams.set(token, new ReservedStream(parts, request, () => streams.delete(token)));
      return { status: 201, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: token };
    },
    find(token, principal) {
      const stream = streams.get(token);
      if (stream?.owner !== principal.name) throw serverErrors.create('SERVER_STREAM_NOT_FOUND');
      return stream;
    },
  };
}

/** One operation of a stream. Its id can be reused after it is stopped. */
interface Operation {
  readonly id: string;
  /** Stops the running query. */
  readonly abort: AbortController;
  /** Undefined while it is starting, and for a query. */
  events: OutgoingEvents | undefined;
}

/** A stream that many operations write to; each waits until its event was taken. */
class ReservedStream {
  readonly owner: string;
  isOpen = false;
  readonly #parts: ReservedStreamParts;
  readonly #connection: Connection;
  readonly #onClose: () => void;
  readonly #outbox: { readonly text: string; readonly taken: () => void }[] = [];
  readonly #operations = new Map<string, Operation>();
  readonly #expiry: NodeJS.Timeout;
  #wake: () => void = () => undefined;

  constructor(parts: ReservedStreamParts, request: Incoming, onClose: () => void) {
    this.owner = request.principal.name;
    this.#parts = parts;
    this.#onClose = onClose;
    this.#connection = parts.connections.open(request);
    this.#expiry = setTimeout(() => this.#connection.close(), RESERVED).unref();
    this.#connection.signal.addEventListener('abort', () => this.#end(), { once: true });
  }

  open(request: Incoming): RouteResponse {
    if (this.isOpen) throw serverErrors.create('SERVER_STREAM_TAKEN');
    this.isOpen = true;
    clearTimeout(this.#expiry);
    followClient(this.#connection, request);
    return { status: 200, headers: STREAM_HEADERS, body: this.#print() };
  }

  async run(raw: RawParameters, readOnly: boolean): Promise<RouteResponse> {
    const id = readOperationId(raw);
    if (this.#operations.has(id)) throw serverErrors.create('SERVER_OPERATION_TAKEN', { id });
    const operation: Operation = { id, abort: new AbortController(), events: undefined };
    this.#operations.set(id, operation);
    const { signal } = operation.abort;
    const started = await this.#parts.start(raw, this.#connection, { readOnly, signal });
    if (started.kind === 'events') operation.events = started.events;
    // Stopped before it began.
    if (!this.#isCurrent(operation)) {
      operation.events?.stop();
      return { status: 204, headers: {}, body: undefined };
    }
    if (started.kind === 'refused') {
      this.#operations.delete(id);
      return refuseStream(started.status, started.body);
    }
    const sending =
      started.kind === 'events' ? this.#forward(operation, started.events) : this.#send(operation, started.body);
    void sending
      .then(() => this.#send(operation))
      .finally(() => {
        if (this.#isCurrent(operation)) this.#operations.delete(id);
      });
    return { status: 202, headers: {}, body: undefined };
  }

  /** @throws ProductError SERVER_OPERATION_ID */
  stop(id: string): RouteResponse {
    if (id === '') throw serverErrors.create('SERVER_OPERATION_ID');
    const operation = this.#operations.get(id);
    this.#operations.delete(id);
    if (operation !== undefined) endOperation(operation);
    return { status: 200, headers: {}, body: undefined };
  }

  #isCurrent(operation: Operation): boolean {
    return this.#operations.get(operation.id) === operation;
  }

  async #forward(operation: Operation, events: OutgoingEvents): Promise<void> {
    try {
      for (let event = await events.next(); event !== undefined; event = await events.next())
        await this.#send(operation, event.body);
    } catch (error) {
      await this.#send(operation, JSON.stringify({ errors: [showError(error, this.#parts.log)] }));
    } finally {
      events.stop();
    }
  }

  /** Sends a response or the end of an operation. Settles when it was taken, or when no reader is left. */
  #send(operation: Operation, payload?: string): Promise<void> {
    if (!this.#isCurrent(operation) || (this.#isGone && this.#connection.reason === undefined))
      return Promise.resolve();
    const quoted = JSON.stringify(operation.id);
    const text =
      payload === undefined
        ? printEvent('complete', `{"id":${quoted}}`)
        : printEvent('next', `{"id":${quoted},"payload":${payload}}`);
    return new Promise((taken) => {
      this.#outbox.push({ text, taken });
      this.#wake();
    });
  }

  get #isGone(): boolean {
    return this.#connection.signal.aborted;
  }

  async *#print(): AsyncGenerator<string> {
    try {
      yield ':\n\n';
      for (;;) {
        const message = this.#outbox.shift();
        if (message !== undefined) {
          yield message.text;
          message.taken();
          continue;
        }
        if (this.#isGone && (this.#connection.reason === undefined || this.#operations.size === 0)) return;
        const woken = new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        if ((await within(woken, HEARTBEAT)) === LATE) yield ':\n\n';
      }
    } finally {
      this.#connection.close();
      this.#forgetAll();
    }
  }

  #end(): void {
    clearTimeout(this.#expiry);
    this.#onClose();
    this.#wake();
    if (this.#connection.reason === undefined) this.#endAll();
    // The stream was never opened.
    if (!this.isOpen) this.#forgetAll();
  }

  #endAll(): void {
    for (const operation of this.#operations.values()) endOperation(operation);
  }

  #forgetAll(): void {
    this.#endAll();
    this.#operations.clear();
    for (const { taken } of this.#outbox.splice(0)) taken();
  }
}

function endOperation({ abort, events }: Operation): void {
  abort.abort();
  events?.stop();
}

/** @throws ProductError SERVER_OPERATION_ID */
function readOperationId({ extensions }: RawParameters): string {
  const id = hasMembers(extensions) && Object.hasOwn(extensions, 'operationId') ? extensions['operationId'] : undefined;
  if (typeof id === 'string' && id !== '' && id.length <= 128) return id;
  throw serverErrors.create('SERVER_OPERATION_ID');
}
