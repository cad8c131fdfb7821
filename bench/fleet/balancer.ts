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

/** Sends to servers that come and go. */
export class Balancer {
  readonly #ready = new Map<number, boolean>();
  #turn = 0;
  readonly #timer = setInterval(() => void this.probe(), PROBE);

  /** Adds the server on a port; it gets requests once it is ready. */
  add(port: number): void {
    this.#ready.set(port, false);
  }

  /** Forgets a server. */
  remove(port: number): void {
    this.#ready.delete(port);
  }

  get readyPorts(): readonly number[] {
    return [...this.#ready].filter(([, isReady]) => isReady).map(([port]) => port);
  }

  async probe(): Promise<void> {
    await Promise.all(
      [...this.#ready.keys()].map(async (port) => {
        const answer = await send(port, '/readyz', {}, 1000).catch(() => undefined);
        if (this.#ready.has(port)) this.#ready.set(port, answer?.status === 200);
      }),
    );
  }

  /** @throws the error of the connection; whether the server did what it was asked is then unknown */
  send(path: string, sent: Sent = {}): Promise<Answer> {
    const ports = this.readyPorts;
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
