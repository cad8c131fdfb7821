// Requests to a search cluster over HTTP: several nodes, of which dead ones rest; requests are repeated only where that is harmless; a
// limit of requests at once. Not here: what is asked. Credentials are in private members and in no error.
import type { Agent as HttpAgent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { bucketLimitOf } from '@lockstitch/search/cluster';
import { serverErrors } from '../errors.ts';
import { nodeHttp, nodeHttps } from '../node-http.ts';

export type ClusterAuth =
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'apiKey'; readonly key: string };

export interface ClusterOptions {
  /** Addresses as `https://host:9200`. */
  readonly nodes: readonly string[];
  readonly auth?: ClusterAuth;
  /** Certificates of authorities to trust, PEM; those of Node when absent. */
  readonly ca?: string;
  /** Milliseconds that one attempt may take; 30,000 by default. */
  readonly timeout?: number;
  /** Bytes of one answer at most; 128 MB by default. */
  readonly maxAnswer?: number;
  /** Requests at once; 64 by default. Others wait, 1,000 at most. */
  readonly concurrency?: number;
}

export interface ClusterRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
  readonly path: string;
  /** JSON, or lines of JSON where it is bytes. */
  readonly body?: object | Uint8Array;
  /** Whether it does no harm a second time. Else a connection that breaks is an error. */
  readonly isRepeatable: boolean;
  /** Milliseconds that all attempts may take together; 8,000 by default for GET, else each has the time of the client. */
  readonly within?: number;
  readonly signal?: AbortSignal;
}

export interface ClusterAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** Milliseconds that a node rests after its first failure; twice as long after each further one. */
const REST = 1000;
const LONGEST_REST = 60_000;
const MOST_WAITING = 1000;
/** Milliseconds that a look at the cluster may take: it asks little, and who waits longer for it is not told that the cluster is away. */
const LOOK_TIME = 8000;
/** Milliseconds that an attempt has at least, however many nodes there are. */
const ATTEMPT = 2000;
/** Milliseconds below which no time is left: a timer may end almost a millisecond early. */
const LEAST_TIME = 2;
/** The type of the error where a cluster takes no writes for now. */
export const BLOCKED = 'cluster_block_exception';
/** What a proxy or a node says that cannot answer now. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

interface ClusterNode {
  readonly url: URL;
  failures: number;
  /** Until when it is not asked, by the monotonic clock. */
  restsUntil: number;
}

export class ClusterClient {
  readonly #nodes: readonly ClusterNode[];
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeout: number;
  readonly #maxAnswer: number;
  readonly #concurrency: number;
  readonly #agents: { readonly http: HttpAgent; readonly https: HttpAgent };
  readonly #waiting: Waiting[] = [];
  #running = 0;
  #turn = 0;
  #isClosed = false;
  /** Attempts under way, and since when none was answered, by the monotonic clock. */
  #asking = 0;
  #unansweredSince: number | undefined;

  constructor({ auth, ca, concurrency = 64, maxAnswer = MOST_BYTES, nodes, timeout = 30_000 }: ClusterOptions) {
    this.#nodes = nodes.map((node) => ({ url: addressOf(node), failures: 0, restsUntil: 0 }));
    if (nodes.length === 0) throw serverErrors.create('SERVER_CLUSTER_ADDRESS', { reason: 'there is none' });
    this.#headers = { accept: 'application/json', ...authorization(auth) };
    this.#timeout = timeout;
    this.#maxAnswer = maxAnswer;
    this.#concurrency = concurrency;
    const limits = { keepAlive: true, maxSockets: concurrency, timeout };
    this.#agents = {
      http: new nodeHttp.Agent(limits),
      https: new (nodeHttps().Agent)({ ...limits, ...(ca === undefined ? {} : { ca }) }),
    };
  }

  /** Milliseconds since the first request that failed or waits for its answer; 0 after an answer, also of another request. Grows while nothing is asked, too. */
  get silence(): number {
    return this.#unansweredSince === undefined ? 0 : performance.now() - this.#unansweredSince;
  }

  /** Ends all connections. Requests that are under way, or come later, fail. */
  close(): void {
    this.#isClosed = true;
    for (const { fail } of this.#waiting.splice(0)) fail(closedError());
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  /**
   * Answers whatever the status is, but 401, 403 (other than for an index that is blocked) and 502 to 504 (other than for too many buckets).
   *
   * @throws ProductError SERVER_CLUSTER_UNREACHABLE, SERVER_CLUSTER_UNTRUSTED, SERVER_CLUSTER_BUSY, SERVER_CLUSTER_DENIED
   */
  async request(request: ClusterRequest): Promise<ClusterAnswer> {
    await this.#enter(request.signal);
    try {
      return await this.#attempts(request);
    } finally {
      // The next one takes the place over: nobody comes in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next.enter();
    }
  }

  /** As `request`, for answers in JSON. @throws ProductError SERVER_CLUSTER_REFUSED besides, for a status of 400 and more */
  async json(request: ClusterRequest): Promise<Readonly<Record<string, unknown>>> {
    return readAnswer(request, await this.request(request));
  }

  /** As `json`; undefined for a status of 404. */
  async jsonOrNone(request: ClusterRequest): Promise<Readonly<Record<string, unknown>> | undefined> {
    const answer = await this.request(request);
    return answer.status === 404 ? undefined : readAnswer(request, answer);
  }

  async #enter(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw closedError();
    if (this.#running < this.#concurrency) {
      this.#running++;
      return;
    }
    if (this.#waiting.length >= MOST_WAITING) throw serverErrors.create('SERVER_CLUSTER_BUSY', { limit: MOST_WAITING });
    const { promise, reject, resolve } = Promise.withResolvers<void>();
    const waiting: Waiting = { enter: resolve, fail: reject };
    const leave = (): void => {
      const at = this.#waiting.indexOf(waiting);
      if (at < 0) return;
      this.#waiting.splice(at, 1);
      reject(signal?.reason as Error);
    };
    this.#waiting.push(waiting);
    signal?.addEventListener('abort', leave);
    await promise.finally(() => signal?.removeEventListener('abort', leave));
  }

  async #attempts(request: ClusterRequest): Promise<ClusterAnswer> {
    const attempts = request.isRepeatable ? this.#nodes.length + 1 : 1;
    const within = request.within ?? (request.method === 'GET' ? LOOK_TIME : Infinity);
    const time = Math.min(this.#timeout, within, Math.max(ATTEMPT, within / attempts));
    const end = performance.now() + within;
    const reasons = new Map<string, string>();
    let isUntrustedLast = false;
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (attempt > 0 && end - performance.now() < LEAST_TIME) break;
      // Other servers fail at the same moment: they must not come back at the same moment too.
      if (attempt > 0) await pause(Math.random() * 50 * 2 ** attempt, undefined, { signal: request.signal });
      request.signal?.throwIfAborted();
      if (this.#isClosed) throw closedError();
      const left = Math.max(end - performance.now(), LEAST_TIME);
      const node = this.#next();
      try {
        const answer = await this.#heard(this.#send(node, request, Math.min(time, left)));
        if (!isAway(answer)) {
          node.failures = 0;
          node.restsUntil = 0;
          if (isDenied(answer)) throw serverErrors.create('SERVER_CLUSTER_DENIED', { node: node.url.host });
          return answer;
        }
        reasons.set(node.url.host, `answered ${answer.status}`);
        isUntrustedLast = false;
      } catch (error) {
        if (request.signal?.aborted === true || !(error instanceof Unanswered)) throw error;
        reasons.set(node.url.host, error.message);
        isUntrustedLast = error.isUntrusted;
      }
      node.restsUntil = performance.now() + Math.min(REST * 2 ** node.failures++, LONGEST_REST);
    }
    const reason = [...reasons].map(([host, why]) => `${host}: ${why}`).join('; ');
    throw serverErrors.create(isUntrustedLast ? 'SERVER_CLUSTER_UNTRUSTED' : 'SERVER_CLUSTER_UNREACHABLE', { reason });
  }

  /** Keeps in mind since when nothing was answered. */
  async #heard(answer: Promise<ClusterAnswer>): Promise<ClusterAnswer> {
    this.#asking++;
    this.#unansweredSince ??= performance.now();
    try {
      const found = await answer;
      if (!isAway(found)) this.#unansweredSince = this.#asking > 1 ? performance.now() : undefined;
      return found;
    } finally {
      this.#asking--;
    }
  }

  /** In turn, of those that do not rest; else the one that rests no longer first. */
  #next(): ClusterNode {
    const now = performance.now();
    for (let step = 0; step < this.#nodes.length; step++) {
      const node = this.#nodes[this.#turn++ % this.#nodes.length]!;
      if (node.restsUntil <= now) return node;
    }
    return this.#nodes.reduce((first, node) => (node.restsUntil < first.restsUntil ? node : first));
  }

  #send({ url }: ClusterNode, { body, method, path, signal }: ClusterRequest, time: number): Promise<ClusterAnswer> {
    const isSecure = url.protocol === 'https:';
    const bytes = body === undefined || body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
    const type = body instanceof Uint8Array ? 'application/x-ndjson' : 'application/json';
    return new Promise((resolve, reject) => {
      const options: RequestOptions = {
        method,
        agent: isSecure ? this.#agents.https : this.#agents.http,
        headers: {
          ...this.#headers,
          ...(bytes === undefined ? {} : { 'content-type': type, 'content-length': bytes.length }),
        },
        ...(signal === undefined ? {} : { signal }),
      };
      const target = new URL(path.slice(1), url);
      const request = isSecure ? nodeHttps().request(target, options) : nodeHttp.request(target, options);
      const timer = setTimeout(
        () => request.destroy(new Error(`no answer in ${Math.round(time)} ms`)),
        Math.ceil(time),
      );
      const fail = (error: NodeJS.ErrnoException): void =>
        reject(new Unanswered(meaningOf(error), isUntrusted(request)));
      request.on('error', fail);
      request.on('close', () => clearTimeout(timer));
      request.on('response', (response) => void readAll(response, this.#maxAnswer).then(resolve, fail));
      request.end(bytes);
    });
  }
}

/** A request that waits for its place. */
interface Waiting {
  readonly enter: () => void;
  readonly fail: (error: Error) => void;
}

/** A node answers 503 as well where a request asks for too many buckets: others would too. */
function isAway({ body, status }: ClusterAnswer): boolean {
  return AWAY.has(status) && bucketLimitOf(readJson(body)) === undefined;
}

/** An index that is blocked (a full disk, for example) answers 403 as well: that passes. */
function isDenied({ body, status }: ClusterAnswer): boolean {
  return status === 401 || (status === 403 && errorType(readJson(body)) !== BLOCKED);
}

function closedError(): Error {
  return serverErrors.create('SERVER_CLUSTER_UNREACHABLE', { reason: 'its client is closed' });
}

/** Errors of connections that say what is wrong in the address. */
const MEANINGS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no such host (ENOTFOUND)',
  ECONNREFUSED: 'nothing listens there (ECONNREFUSED)',
  EPROTO: 'it speaks no TLS, the address may have to begin with http:// (EPROTO)',
};

function meaningOf({ code, message }: NodeJS.ErrnoException): string {
  return code === undefined ? message : (MEANINGS[code] ?? code);
}

/** No whole answer came: whether the request was done is unknown. */
class Unanswered extends Error {
  readonly isUntrusted: boolean;

  constructor(message: string, untrusted: boolean) {
    super(message);
    this.isUntrusted = untrusted;
  }
}

/** Whether Node refused the certificate: foreign, expired, or of another name. */
function isUntrusted({ socket }: ClientRequest): boolean {
  const { authorizationError } = (socket ?? {}) as { readonly authorizationError?: unknown };
  return authorizationError !== undefined && authorizationError !== null;
}

/** Bytes of an answer at most: 10,000 hits of 12 KB. */
const MOST_BYTES = 128 * 2 ** 20;

/** Reads an answer. One that is too long ends as a request that is: its status is 413. */
async function readAll(response: IncomingMessage, most: number): Promise<ClusterAnswer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response) {
    pieces.push(piece as Buffer);
    bytes += (piece as Buffer).length;
    // Leaving the loop closes the connection.
    if (bytes > most) return { status: 413, body: Buffer.alloc(0) };
  }
  return { status: response.statusCode ?? 0, body: Buffer.concat(pieces) };
}

function addressOf(node: string): URL {
  const url = URL.canParse(node) ? new URL(node) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw serverErrors.create('SERVER_CLUSTER_ADDRESS', { reason: 'one is not of the form https://host:9200' });
  if (url.username !== '' || url.password !== '')
    throw serverErrors.create('SERVER_CLUSTER_ADDRESS', { reason: `that of ${url.host} holds a password; use "auth"` });
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

function authorization(auth: ClusterAuth | undefined): Readonly<Record<string, string>> {
  if (auth === undefined) return {};
  const value =
    auth.kind === 'apiKey'
      ? `ApiKey ${auth.key}`
      : `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`;
  return { authorization: value };
}

export function readJson(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

function readAnswer(request: ClusterRequest, { body, status }: ClusterAnswer): Readonly<Record<string, unknown>> {
  const answer = readJson(body);
  if (status < 400 && answer !== undefined) return answer;
  throw refusal(request, status, answer);
}

/** The error of a request that the cluster answered with a status, or an answer, that is none. */
export function refusal(
  { method, path }: Pick<ClusterRequest, 'method' | 'path'>,
  status: number,
  answer?: Readonly<Record<string, unknown>>,
): Error {
  const type = errorType(answer) ?? 'no reason';
  return serverErrors.create('SERVER_CLUSTER_REFUSED', { method, path, status, type }, { detail: { status } });
}

/** The type of a cluster's error; its words may quote values of documents. */
function errorType({ error }: Readonly<Record<string, unknown>> = {}): string | undefined {
  return typeof error === 'object' && error !== null && 'type' in error ? String(error.type) : undefined;
}
