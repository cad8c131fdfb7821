// A load balancer for servers in the same machine: asks /readyz, and sends each request to the next server that is ready.
import { request as httpRequest } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Milliseconds between two probes of a server: less than a stopping server still takes requests (500). */
const PROBE = 100;

/** What a server may be ready for: mutations need no index. */
type Door = 'graphql' | 'search';

/** Where a server says so. */
const PROBES: Readonly<Record<Door, string>> = { graphql: '/readyz', search: '/readyz?door=search' };

/** Sends to servers that come and go. */
export class Balancer {
  /** Port → doors at which it is ready. */
  readonly #ready = new Map<number, ReadonlySet<Door>>();
  #turn = 0;
  readonly #timer = setInterval(() => void this.probe(), PROBE);

  /** Adds the server on a port; it gets requests once it is ready. */
  add(port: number): void {
    this.#ready.set(port, new Set());
  }

  /** Forgets a server. */
  remove(port: number): void {
    this.#ready.delete(port);
  }

  /** Ports of the servers that are ready at a door. */
  readyPorts(door: Door): readonly number[] {
    return [...this.#ready].filter(([, doors]) => doors.has(door)).map(([port]) => port);
  }

  async probe(): Promise<void> {
    await Promise.all(
      [...this.#ready.keys()].map(async (port) => {
        const doors = new Set<Door>();
        for (const door of ['graphql', 'search'] as const) {
          const answer = await send(port, PROBES[door], {}, 1000).catch(() => undefined);
          if (answer?.status === 200) doors.add(door);
        }
        if (this.#ready.has(port)) this.#ready.set(port, doors);
      }),
    );
  }

  /** @throws the error of the connection; whether the server did what it was asked is then unknown */
  send(path: string, sent: Sent = {}): Promise<Answer> {
    const ports = this.readyPorts(path === '/graphql' ? 'graphql' : 'search');
    const port = ports[(this.#turn += 1) % ports.length];
    if (port === undefined) return Promise.reject(new Error('No server is ready.'));
    return send(port, path, sent, 15_000);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/** Sends one request on a connection of its own. */
export function send(port: number, path: string, sent: Sent = {}, timeout = 60_000): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = sent;
    const signal = AbortSignal.timeout(timeout);
    const request = httpRequest(
      { host: '127.0.0.1', port, path, method, headers, agent: false, signal },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
        response.once('error', reject);
      },
    );
    request.once('error', reject);
    request.end(body);
  });
}
