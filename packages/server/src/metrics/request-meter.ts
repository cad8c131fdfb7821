// Counts requests and their durations by API and status. It uses node:http's diagnostics of every request, including
// rejected ones, so handlers need no wrapper.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { hasMembers } from '@lockstitch/kernel';

import { type Family, gauge, type HistogramFamily } from './print-metrics.ts';

/** Counts until closed. */
export interface RequestMeter {
  /** Starts to count the requests of a server. */
  watch(server: Server): void;
  families(): readonly (Family | HistogramFamily)[];
  close(): void;
}

const START = 'http.server.request.start';
const FINISH = 'http.server.response.finish';
/** Seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
/** Other methods are counted together, so that clients cannot invent labels. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

interface Message {
  readonly request: IncomingMessage;
  readonly response: Timed;
  readonly server: Server;
}

const started = Symbol('started');
type Timed = ServerResponse & { [started]?: number };

const isMessage = (message: unknown): message is Message =>
  hasMembers(message) && 'response' in message && 'server' in message;

type Door = 'graph' | 'search' | 'console' | 'status' | 'other';

/** Counters of one API. */
interface Tally {
  /** Method → status → requests. Two map look-ups are faster than joining the three into one key. */
  readonly answered: Map<string, Map<number, number>>;
  /** Requests by duration, one more than bounds. */
  readonly counts: number[];
  /** Seconds. */
  sum: number;
}

function createTally(): Tally {
  return { answered: new Map(), counts: Array.from({ length: BOUNDS.length + 1 }, () => 0), sum: 0 };
}

export function createRequestMeter(): RequestMeter {
  const servers = new WeakSet<Server>();
  const doors = new Map<Door, Tally>();
  let connections = 0;

  const onStart = (message: unknown): void => {
    if (!isMessage(message)) return;
    const { response, server } = message;
    if (servers.has(server)) response[started] = performance.now();
  };
  const onFinish = (message: unknown): void => {
    if (!isMessage(message)) return;
    const { request, response } = message;
    const begun = response[started];
    if (begun === undefined) return;
    const door = doorOf(request.url ?? '');
    let tally = doors.get(door);
    if (tally === undefined) doors.set(door, (tally = createTally()));
    const { method: given = '' } = request;
    const method = METHODS.has(given) ? given : 'other';
    let answered = tally.answered.get(method);
    if (answered === undefined) tally.answered.set(method, (answered = new Map()));
    answered.set(response.statusCode, (answered.get(response.statusCode) ?? 0) + 1);
    const seconds = (performance.now() - begun) / 1000;
    let place = 0;
    while (place < BOUNDS.length && seconds > BOUNDS[place]!) place++;
    tally.counts[place]!++;
    tally.sum += seconds;
  };
  subscribe(START, onStart);
  subscribe(FINISH, onFinish);

  return {
    watch(server) {
      servers.add(server);
      server.on('connection', (socket: Socket) => {
        connections++;
        socket.once('close', () => connections--);
      });
    },
    families: () => [
      gauge('http_connections', 'Open connections of clients, WebSockets and event streams among them.', connections),
      {
        name: 'http_requests_total',
        help: 'Requests answered, by door, method and status.',
        type: 'counter',
        samples: [...doors].flatMap(([door, { answered }]) =>
          [...answered].flatMap(([method, statuses]) =>
            [...statuses].map(([status, value]) => ({ labels: { door, method, status: String(status) }, value })),
          ),
        ),
      },
      {
        name: 'http_request_duration_seconds',
        help: 'Time from the head of a request to the end of its answer, by door.',
        type: 'histogram',
        bounds: BOUNDS,
        distributions: [...doors].map(([door, { counts, sum }]) => ({ labels: { door }, counts, sum })),
      },
    ],
    close() {
      unsubscribe(START, onStart);
      unsubscribe(FINISH, onFinish);
    },
  };
}

/** Maps a path to one of a few fixed words. */
function doorOf(url: string): Door {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  if (path === '/' || path === '/graphql' || path.startsWith('/graphql/')) return 'graph';
  if (path.startsWith('/_console')) return 'console';
  if (path === '/healthz' || path === '/readyz' || path === '/metrics') return 'status';
  return /\/_[a-z]/.test(path) ? 'search' : 'other';
}
