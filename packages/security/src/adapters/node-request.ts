// A node:http request as the chain sees it, and the chain's answer on a node:http response. Shared by all adapters over
// node:http.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { securityErrors } from '../errors/chain-errors.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import type { SecurityRequest } from '../chain/request.ts';
import { readRouted, type RoutedMessage } from './routed-target.ts';

export interface NodeAdapterOptions {
  /**
   * Trust `X-Forwarded-Proto` and the last `X-Forwarded-For`. Only behind a proxy that sets both itself. Default:
   * false.
   */
  readonly trustProxy?: boolean | undefined;
}

/** Further facts from the adapters. */
export interface NodeRequestOptions extends NodeAdapterOptions {
  /** Mount path, for frameworks that cut the URL without reporting it. */
  readonly basePath?: string | undefined;
  /** Set if the routed target is unknown: the reason. */
  readonly targetUnknown?: string | undefined;
}

export class NodeRequest implements SecurityRequest {
  readonly message: IncomingMessage;
  readonly target: string;
  readonly sentTarget: string | undefined = undefined;
  readonly otherTargets: readonly string[] | undefined = undefined;
  readonly targetUnknown: string | undefined = undefined;
  /** Undefined for an upgrade, which has none. */
  readonly response: ServerResponse | undefined;
  readonly #trustProxy: boolean;

  /** @param otherTarget one more target that may be routed */
  constructor(
    message: IncomingMessage,
    options: NodeRequestOptions = {},
    response?: ServerResponse,
    otherTarget?: string,
  ) {
    this.message = message;
    this.response = response;
    this.#trustProxy = options.trustProxy === true;
    const { originalUrl, baseUrl }: RoutedMessage = message;
    if (originalUrl === undefined && baseUrl === undefined && (options.basePath ?? '') === '') {
      this.target = message.url ?? '';
      if (otherTarget !== undefined) this.otherTargets = [otherTarget];
      return;
    }
    const routed = readRouted(message, options.basePath);
    this.target = routed.target;
    this.sentTarget = routed.sentTarget;
    this.otherTargets = otherTarget === undefined ? routed.otherTargets : [...(routed.otherTargets ?? []), otherTarget];
    this.targetUnknown = options.targetUnknown ?? routed.targetUnknown;
  }

  get method(): string {
    return this.message.method ?? '';
  }

  get rawHeaders(): readonly string[] {
    return this.message.rawHeaders;
  }

  get remoteAddress(): string {
    const forwarded = this.#trustProxy ? this.message.headers['x-forwarded-for'] : undefined;
    const last = typeof forwarded === 'string' ? forwarded.split(',').at(-1)?.trim() : undefined;
    return last === undefined || last === '' ? (this.message.socket.remoteAddress ?? '') : last;
  }

  get secure(): boolean {
    if (this.#trustProxy && this.header('x-forwarded-proto')?.toLowerCase() === 'https') return true;
    return 'encrypted' in this.message.socket && this.message.socket.encrypted === true;
  }

  header(name: string): string | undefined {
    const value = this.message.headers[name];
    if (value === undefined) return undefined;
    if (typeof value !== 'string') return value[0];
    // Node joins repeated headers with a comma; without a comma there was one line.
    return value.includes(',') ? this.#first(name) : value;
  }

  /** Leaves out headers and body. */
  [inspect.custom](): string {
    return `NodeRequest [${this.method} ${this.target.split('?', 1)[0]!}]`;
  }

  #first(name: string): string | undefined {
    const raw = this.message.rawHeaders;
    for (let index = 0; index < raw.length; index += 2) {
      if (raw[index]!.length === name.length && raw[index]!.toLowerCase() === name) return raw[index + 1];
    }
    return undefined;
  }

  readBody(limit: number): Promise<Uint8Array> {
    return readAndKeep(this.message, limit);
  }
}

/** Bodies that a chain has read, for later chains of the same request. */
const BODIES = new WeakMap<IncomingMessage, Buffer>();

/** Reads the body and puts it back into the stream, so that the application's body parser still finds it. */
function readAndKeep(message: IncomingMessage, limit: number): Promise<Uint8Array> {
  const announced = Number(message.headers['content-length'] ?? 0);
  if (announced > limit) return Promise.reject(tooLarge(limit));
  if (announced === 0 && message.headers['transfer-encoding'] === undefined) return Promise.resolve(new Uint8Array());
  const known = BODIES.get(message);
  if (known !== undefined) return known.length > limit ? Promise.reject(tooLarge(limit)) : Promise.resolve(known);
  // Waiting for a body that was consumed, or that no longer arrives, would never end.
  if (message.readableEnded) return Promise.reject(securityErrors.create('SECURITY_BODY_TAKEN'));
  if (message.destroyed) return Promise.reject(closed());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (finish: () => void): void => {
      message.off('readable', onReadable);
      message.off('error', onError);
      message.off('close', onClose);
      message.off('end', onEnd);
      finish();
    };
    const onError = (error: Error): void => settle(() => reject(closed(error)));
    const onClose = (): void => settle(() => reject(closed()));
    const onReadable = (): void => {
      for (let chunk: Buffer | null = message.read(); chunk !== null; chunk = message.read()) {
        size += chunk.length;
        if (size > limit) return settle(() => reject(tooLarge(limit)));
        chunks.push(chunk);
        if (message.complete && message.readableLength === 0) break;
      }
      if (!message.complete) return;
      const body = Buffer.concat(chunks);
      settle(() => {
        BODIES.set(message, body);
        // Before 'end' is emitted, data can be put back and is then read again.
        if (body.length > 0 && !message.readableEnded) message.unshift(body);
        resolve(body);
      });
    };
    // An empty chunked body ends without ever becoming readable.
    const onEnd = (): void => settle(() => resolve(Buffer.concat(chunks)));
    message.on('end', onEnd);
    message.on('readable', onReadable);
    message.on('error', onError);
    message.on('close', onClose);
  });
}

function closed(cause?: Error): Error {
  return securityErrors.create('SECURITY_BODY_INCOMPLETE', {}, { cause });
}

function tooLarge(limit: number) {
  return securityErrors.create('SECURITY_BODY_TOO_LARGE', { limit });
}

/** Sends the chain's answer after the end-of-request work. */
export function sendAnswer(exchange: SecurityExchange, response: ServerResponse): void | Promise<void> {
  const finishing = exchange.finish();
  return finishing === undefined
    ? writeAnswer(exchange, response)
    : finishing.then(() => writeAnswer(exchange, response));
}

function writeAnswer({ answer }: SecurityExchange, response: ServerResponse): void {
  if (answer === undefined || response.headersSent) return;
  response.statusCode = answer.status;
  const body = typeof answer.body === 'string' ? Buffer.from(answer.body, 'utf8') : answer.body;
  if (answer.status !== 204 && answer.status !== 304) response.setHeader('Content-Length', String(body?.length ?? 0));
  response.end(body);
}

/** Canonical URL for the router behind the chain: no absolute form, one spelling of each path. */
export function canonicalUrl({ encodedPath, query, request }: SecurityExchange): string {
  const canonical = query === '' ? encodedPath : `${encodedPath}?${query}`;
  return canonical === request.target ? request.target : canonical;
}
