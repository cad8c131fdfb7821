// Requests to a search cluster over HTTP: several nodes, of which dead ones rest; requests are repeated only where that is harmless; a
// limit of requests at once. Not here: what is asked. Credentials are in private members and in no error.
import type { Agent as HttpAgent, ClientRequest, RequestOptions } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { serverErrors } from '../errors.ts';
import { nodeHttp, nodeHttps } from '../node-http.ts';
import { type ClusterAnswer, isAway, isDenied, MOST_BYTES, readAll, readAnswer } from './cluster-answer.ts';

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
  /** Another client, which asks the same nodes all the time: no node is asked, or waited for, that is silent to both. */
  readonly watch?: Pick<ClusterClient, 'hearsNothingOf'>;
  /** Milliseconds after which a node that says nothing counts as silent; `SILENCE` by default. */
  readonly patience?: number;
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

/** Milliseconds after which a cluster that says nothing counts as away. */
export const SILENCE = 5000;
/** Milliseconds between two looks whether a node that is waited for has become silent. */
const LISTEN = 250;
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
interface ClusterNode {
  readonly url: URL;
  failures: number;
  /** Until when it is not asked, by the monotonic clock. */
  restsUntil: number;
  readonly silence: Silence;
}

/** Since when nothing was answered. */
class Silence {
  #asking = 0;
  /** By the monotonic clock. */
  #since: number | undefined;

  asked(): void {
    this.#asking++;
    this.#since ??= performance.now();
  }

  ended(isAnswered: boolean): void {
    if (isAnswered) this.#since = this.#asking > 1 ? performance.now() : undefined;
    this.#asking--;
  }

  get milliseconds(): number {
    return this.#since === undefined ? 0 : performance.now() - this.#since;
  }
}

export class ClusterClient {
  readonly #nodes: readonly ClusterNode[];
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeout: number;
  readonly #maxAnswer: number;
  readonly #concurrency: number;
  readonly #agents: { readonly http: HttpAgent; readonly https: HttpAgent };
  readonly #waiting: Waiting[] = [];
  readonly #silence = new Silence();
  readonly #watch: ClusterOptions['watch'];
  readonly #patience: number;
  #running = 0;
  #turn = 0;
  #isClosed = false;

  constructor(options: ClusterOptions) {
    const { auth, ca, concurrency = 64, maxAnswer = MOST_BYTES, nodes, timeout = 30_000 } = options;
    this.#nodes = nodes.map((node) => ({
      url: addressOf(node),
      failures: 0,
      restsUntil: 0,
      silence: new Silence(),
    }));
    this.#watch = options.watch;
    this.#patience = options.patience ?? SILENCE;
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
    return this.#silence.milliseconds;
  }

  /** Whether a node, or the whole cluster, has said nothing for as long as this client is patient. @param host of the node, with its port */
  hearsNothingOf(host: string): boolean {
    const node = this.#nodes.find(({ url }) => url.host === host);
    return Math.max(this.silence, node?.silence.milliseconds ?? 0) > this.#patience;
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
      if (node === undefined) {
        for (const { url } of this.#nodes) if (!reasons.has(url.host)) reasons.set(url.host, SILENT);
        break;
      }
      try {
        const answer = await this.#heard(node, this.#send(node, request, Math.min(time, left)));
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
  async #heard({ silence }: ClusterNode, answer: Promise<ClusterAnswer>): Promise<ClusterAnswer> {
    const both = [silence, this.#silence];
    for (const each of both) each.asked();
    let isAnswered = false;
    try {
      const found = await answer;
      isAnswered = !isAway(found);
      return found;
    } finally {
      for (const each of both) each.ended(isAnswered);
    }
  }

  /** In turn, of those that do not rest; else the one that rests no longer first. undefined: all are silent. */
  #next(): ClusterNode | undefined {
    const now = performance.now();
    const nodes = this.#watch === undefined ? this.#nodes : this.#nodes.filter((node) => !this.#isSilent(node));
    for (let step = 0; step < nodes.length; step++) {
      const node = nodes[this.#turn++ % nodes.length];
      if (node !== undefined && node.restsUntil <= now) return node;
    }
    return nodes.toSorted((a, b) => a.restsUntil - b.restsUntil)[0];
  }

  /** Both clients: one that waits for slow changes hears nothing of a node that answers searches. */
  #isSilent({ silence, url }: ClusterNode): boolean {
    return silence.milliseconds > this.#patience && this.#watch?.hearsNothingOf(url.host) === true;
  }

  #send(node: ClusterNode, { body, method, path, signal }: ClusterRequest, time: number): Promise<ClusterAnswer> {
    const { url } = node;
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
      const listening =
        this.#watch && setInterval(() => this.#isSilent(node) && request.destroy(new Error(SILENT)), LISTEN);
      const fail = (error: NodeJS.ErrnoException): void =>
        reject(new Unanswered(meaningOf(error), isUntrusted(request)));
      request.on('error', fail);
      request.on('close', () => {
        clearTimeout(timer);
        clearInterval(listening);
      });
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

function closedError(): Error {
  return serverErrors.create('SERVER_CLUSTER_UNREACHABLE', { reason: 'its client is closed' });
}

const SILENT = 'it says nothing';

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
