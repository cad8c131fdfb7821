// Server-sent events by graphql-sse's PROTOCOL.md, in both modes: a stream for one operation, and a reserved stream
// that carries many. Events of the first have ids, so that a client resumes after a lost connection (HTML §9.2,
// Last-Event-ID). At most one event per operation waits for a slow reader.
import { graphErrors, readBody, readQuery, type RawParameters } from '@lockstitch/graph';
import { isProductError, type Log } from '@lockstitch/kernel';

import { serverErrors } from '../errors.ts';
import type { RouteResponse } from '../http/route-response.ts';
import type { BodyLimit } from '../http/body.ts';
import type { Incoming } from '../http/incoming.ts';
import { LATE, within } from '../within.ts';
import { type Connection, type Connections, showError } from './connection.ts';
import { COMPLETE, followClient, HEARTBEAT, printEvent, refuseStream, STREAM_HEADERS } from './event-stream-format.ts';
import { type OutgoingEvents, readAfter, type Start } from './operations.ts';
import { createReservedStreams, type ReservedStreams } from './reserved-streams.ts';
import type { Handle } from '../http/router.ts';

export interface EventStreamParts {
  readonly start: Start;
  readonly connections: Connections;
  readonly limit: BodyLimit;
  readonly log: Log;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

/** Handles every method of the stream's path. */
export function eventStreamRoute(parts: EventStreamParts): Handle {
  const reserved = createReservedStreams(parts);
  return async (request) => {
    try {
      return await answer(parts, reserved, request);
    } catch (error) {
      // In the graph's format, whatever raised it: clients of this path look for `errors`.
      if (!isProductError(error) || error.status >= 500) throw error;
      return refuseStream(
        error.status,
        printErrors(error, parts.log),
        error.code === 'GRAPH_HTTP_READ_ONLY' ? ONLY_POST : {},
      );
    }
  };
}

async function answer(parts: EventStreamParts, reserved: ReservedStreams, request: Incoming): Promise<RouteResponse> {
  const { method, headers } = request;
  if (method === 'PUT') return reserved.reserve(request);
  const token = headers['x-graphql-event-stream-token'] ?? request.query.get('token') ?? undefined;
  const stream = token === undefined ? undefined : reserved.find(token, request.principal);
  if (method === 'DELETE') {
    if (stream === undefined) throw serverErrors.create('SERVER_STREAM_NOT_NAMED');
    return stream.stop(request.query.get('operationId') ?? '');
  }
  if (method !== 'GET' && method !== 'POST') throw graphErrors.create('GRAPH_HTTP_METHOD', { method });
  const isStream = (headers['accept'] ?? '').toLowerCase().includes('text/event-stream');
  if (isStream && stream !== undefined) return stream.open(request);
  const read = async (): Promise<RawParameters> =>
    method === 'GET' ? readQuery(request.query) : readBody({ headers, body: await readBytes(parts, request) });
  if (stream !== undefined) return stream.run(await read(), method === 'GET');
  if (!isStream) throw serverErrors.create('SERVER_STREAM_NOT_NAMED');
  try {
    const after = readAfter(headers['last-event-id'], 'Last-Event-ID');
    return await openStream(parts, request, await read(), after);
  } catch (error) {
    if (isProductError(error) && isOfOperation(error.status)) return answerOnce(printErrors(error, parts.log));
    throw error;
  }
}

/**
 * Returns whether an error concerns the operation, not the HTTP request. A stream of one operation reports it in an
 * event ("Distinct connections mode", observation 2), because EventSource hides the body of error responses.
 */
function isOfOperation(status: number): boolean {
  return status === 400 || status === 403 || status === 404 || status === 410;
}

/** A stream of one response. */
function answerOnce(body: string): RouteResponse {
  return { status: 200, headers: STREAM_HEADERS, body: printEvent('next', body) + COMPLETE };
}

function printErrors(error: unknown, log: Log): string {
  return JSON.stringify({ errors: [showError(error, log)] });
}

/** GET may carry a query, but not a mutation. */
const ONLY_POST = { allow: 'POST' };

async function readBytes({ limit }: EventStreamParts, request: Incoming): Promise<Uint8Array> {
  return (await request.readBody(limit)) ?? new Uint8Array();
}

/** A stream for one operation ("distinct connections mode"). */
async function openStream(
  parts: EventStreamParts,
  request: Incoming,
  raw: RawParameters,
  after: number | undefined,
): Promise<RouteResponse> {
  const { start, connections } = parts;
  const connection = connections.open(request);
  followClient(connection, request);
  const started = await start(raw, connection, { readOnly: request.method === 'GET', after });
  if (started.kind === 'refused') {
    connection.close();
    const { status, body } = started;
    return isOfOperation(status) ? answerOnce(body) : refuseStream(status, body, status === 405 ? ONLY_POST : {});
  }
  if (started.kind === 'result') {
    connection.close();
    return answerOnce(started.body);
  }
  // For clients whose library hides event ids.
  const headers = { ...STREAM_HEADERS, 'lockstitch-position': String(started.events.position()) };
  return { status: 200, headers, body: printEvents(parts, connection, started.events) };
}

async function* printEvents(
  { log, stopping }: EventStreamParts,
  connection: Connection,
  events: OutgoingEvents,
): AsyncGenerator<string> {
  // Sent at once, so that the client can resume from the start. Some browsers also wait for a first byte.
  let told = events.position();
  try {
    yield `id: ${told}\n:\n\n`;
    let next = events.next();
    for (;;) {
      const event = await within(next, HEARTBEAT);
      if (event === undefined) break;
      if (event === LATE) {
        const passed = events.position();
        // Skipped changes need not be read again, and may be trimmed later.
        yield passed === told ? ':\n\n' : `id: ${passed}\n:\n\n`;
        told = passed;
        continue;
      }
      if (event.position === undefined) yield printEvent('next', event.body);
      else yield `id: ${(told = event.position)}\n${printEvent('next', event.body)}`;
      next = events.next();
    }
    // A stopping server cuts the stream, so that clients reconnect; `complete` would tell them not to.
    if (!stopping.aborted) yield COMPLETE;
  } catch (error) {
    yield printEvent('next', printErrors(error, log)) + COMPLETE;
  } finally {
    events.stop();
    connection.close();
  }
}
