// The client of the benches: sends one request over and over from a number of connections and counts the answers. It costs
// a quarter of what a general load generator costs, so that the server and not the client is what a round waits for; and it
// never sleeps. A client that has to be woken is woken by the server, in the middle of its `write`: on the machine of the
// figures in docs/benchmarks.md that took 11 µs, and only a server slower than the client ever paid for it.
import { connect, type Socket } from 'node:net';

/** What to send, and for how long. */
export interface ClientLoad {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A function makes a new body for each request. */
  readonly body?: string | (() => string) | undefined;
  readonly connections: number;
  readonly seconds: number;
}

/** What came back. */
export interface ClientCount {
  readonly answers: number;
  /** Answers whose status was not 2xx. */
  readonly refusals: number;
  readonly seconds: number;
  /** The time that one answer in a hundred exceeded. */
  readonly p99Millis: number;
}

/** Puts the load on and waits for the last answer. Rejects when a connection breaks. */
export async function sendLoad(load: ClientLoad): Promise<ClientCount> {
  const request = typeof load.body === 'function' ? (): Buffer => printRequest(load) : constant(printRequest(load));
  const times: number[] = [];
  let refusals = 0;
  let open = true;
  const begun = performance.now();
  const stayAwake = (): void => void (open && setImmediate(stayAwake));
  stayAwake();
  const stop = setTimeout(() => (open = false), load.seconds * 1000);
  try {
    await Promise.all(
      Array.from({ length: load.connections }, () =>
        keepAsking(load, request, (status, millis) => {
          times.push(millis);
          if (status < 200 || status > 299) refusals += 1;
          return open;
        }),
      ),
    );
  } finally {
    open = false;
    clearTimeout(stop);
  }
  const seconds = (performance.now() - begun) / 1000;
  const p99Millis = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
  return { answers: times.length, refusals, seconds, p99Millis };
}

function constant<T>(value: T): () => T {
  return () => value;
}

function printRequest({ url, method, headers, body }: ClientLoad): Buffer {
  const content = Buffer.from(typeof body === 'function' ? body() : (body ?? ''));
  const lines = [
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [`Content-Length: ${content.length}`]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), content]);
}

/** One connection, one request at a time, for as long as `onAnswer` says so. */
function keepAsking(
  { url }: ClientLoad,
  request: () => Buffer,
  onAnswer: (status: number, millis: number) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let reader = new AnswerReader();
    let sent = 0;
    const ask = (): void => {
      reader = new AnswerReader();
      sent = performance.now();
      socket.write(request());
    };
    const onread = {
      buffer: Buffer.allocUnsafe(64 * 1024),
      callback(bytes: number, buffer: Uint8Array): boolean {
        if (!reader.read(buffer as Buffer, bytes)) return true;
        if (onAnswer(reader.status, performance.now() - sent)) ask();
        else {
          resolve();
          socket.destroy();
        }
        return true;
      },
    };
    const socket: Socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true, onread }, ask);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`${url.href}: the server closed a connection of the bench.`)));
  });
}

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';

/** Finds the end of one answer; what lies between is not looked at. */
class AnswerReader {
  status = 0;
  #head = '';
  #isChunked = false;
  #left = 0;

  /** Returns whether the answer is complete with these bytes. */
  read(buffer: Buffer, bytes: number): boolean {
    let from = 0;
    if (this.status === 0) {
      const before = this.#head.length;
      this.#head += buffer.toString('latin1', 0, bytes);
      const end = this.#head.indexOf(HEAD_END);
      if (end === -1) return false;
      from = end + HEAD_END.length - before;
      this.#readHead(this.#head.slice(0, end));
    }
    if (this.#isChunked)
      return buffer.toString('latin1', Math.max(from, bytes - LAST_CHUNK.length), bytes) === LAST_CHUNK;
    this.#left -= bytes - from;
    return this.#left <= 0;
  }

  #readHead(head: string): void {
    this.status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    this.#isChunked = length === undefined && /\r\ntransfer-encoding: *chunked/i.test(head);
    this.#left = Number(length ?? 0);
  }
}
