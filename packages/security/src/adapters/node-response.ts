// The head of a node:http response while the chain prepares it. ServerResponse.setHeader costs half a microsecond and
// half a kilobyte a header; the chain sets eight on every response. Here they wait as a plain list that goes out with
// writeHead, and become ordinary headers the moment the application asks for or changes one.
import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ResponseHead } from '../chain/request.ts';

/** Names and values in turn. */
type Lines = readonly string[];

/** Prepares the head of a response. Where the response is of a class of its own, headers are set at once. */
export function prepareHead(response: ServerResponse): ResponseHead {
  const made: unknown = Object.getPrototypeOf(response);
  const isOurs = made === SecuredResponse.prototype;
  if ((!isOurs && made !== ServerResponse.prototype) || response.headersSent || response.getHeaderNames().length > 0)
    return response;
  const head = new PendingHead(response as SecuredResponse);
  if (isOurs) (response as SecuredResponse)[HEAD] = head;
  return head;
}

const HEAD = Symbol('lockstitch.head');

class PendingHead implements ResponseHead {
  readonly #response: SecuredResponse;
  /** Undefined once the lines have become headers of the response. */
  #lines: Lines | undefined = NONE;

  constructor(response: SecuredResponse) {
    this.#response = response;
  }

  get headersSent(): boolean {
    return this.#response.headersSent;
  }

  setHeader(name: string, value: string): void {
    const waiting = this.#waiting();
    if (waiting === undefined) this.#response.setHeader(name, value);
    else this.#keep([...without(waiting, name), name, value]);
  }

  setHeaderLines(lines: Lines): void {
    const waiting = this.#waiting();
    if (waiting === NONE) this.#keep(lines);
    else if (waiting !== undefined && Object.isFrozen(waiting)) this.#keep(joined(waiting, lines));
    else for (let index = 0; index < lines.length; index += 2) this.setHeader(lines[index]!, lines[index + 1]!);
  }

  appendHeader(name: string, value: string): void {
    const waiting = this.#waiting();
    if (waiting === undefined) this.#response.appendHeader(name, value);
    else this.#keep([...waiting, name, value]);
  }

  getHeader(name: string): number | string | readonly string[] | undefined {
    const waiting = this.#waiting();
    if (waiting === undefined) return this.#response.getHeader(name);
    let value: string | string[] | undefined;
    for (let index = 0; index < waiting.length; index += 2) {
      if (!isSame(waiting[index]!, name)) continue;
      const next = waiting[index + 1]!;
      value = value === undefined ? next : [value, next].flat();
    }
    return value;
  }

  removeHeader(name: string): void {
    const waiting = this.#waiting();
    if (waiting === undefined) this.#response.removeHeader(name);
    else if (waiting !== NONE) this.#keep(without(waiting, name));
  }

  once(event: 'close', listener: () => void): void {
    this.#response.once(event, listener);
  }

  /** The lines; undefined once headers are the response's own business, also because the application began with them. */
  #waiting(): Lines | undefined {
    const response = this.#response;
    if (this.#lines !== NONE || response[HEAD] === this) return this.#lines;
    // A plain response cannot say that the application began with headers; it has to be asked.
    if (response.headersSent || response.getHeaderNames().length > 0) this.#lines = undefined;
    return this.#lines;
  }

  #keep(lines: Lines): void {
    const response = this.#response;
    if (response[HEAD] !== this) {
      // As Express does with every response. Only where the server makes plain ones, and once there is something to
      // wait for: it costs a microsecond, and whatever touches the response afterwards a little more.
      Object.setPrototypeOf(response, SecuredResponse.prototype);
      response[HEAD] = this;
    }
    this.#lines = lines;
  }

  /** Gives up the lines, to go out with writeHead or to become headers. */
  take(): Lines {
    const lines = this.#lines ?? [];
    this.#lines = undefined;
    return lines;
  }
}

const NONE: Lines = [];

/** What lists that never change give together: made once, not for each response. */
const joins = new WeakMap<Lines, WeakMap<Lines, Lines>>();

/** A frozen list with the lines of another set on top. */
function joined(base: Lines, added: Lines): Lines {
  let byAdded = joins.get(base);
  if (byAdded === undefined) joins.set(base, (byAdded = new WeakMap()));
  let lines = byAdded.get(added);
  if (lines === undefined) {
    let kept = base;
    for (let index = 0; index < added.length; index += 2) kept = without(kept, added[index]!);
    byAdded.set(added, (lines = Object.freeze([...kept, ...added])));
  }
  return lines;
}

/**
 * A response whose head may still be prepared by the chain. Every way to see or change headers settles that first.
 *
 * A server that is created with it, `createServer({ ServerResponse: SecuredResponse }, nodeHandler(…))`, answers the
 * same and spends less on each response: without it, a plain response has to become one of these when its turn comes.
 */
export class SecuredResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** @internal */
  [HEAD]: PendingHead | undefined = undefined;

  override setHeader(name: string, value: number | string | readonly string[]): this {
    settle(this);
    return super.setHeader(name, value);
  }

  override setHeaders(headers: Headers | Map<string, number | string | readonly string[]>): this {
    settle(this);
    return super.setHeaders(headers);
  }

  override appendHeader(name: string, value: string | readonly string[]): this {
    settle(this);
    return super.appendHeader(name, value);
  }

  override getHeader(name: string): number | string | string[] | undefined {
    settle(this);
    return super.getHeader(name);
  }

  override getHeaders(): OutgoingHttpHeaders {
    settle(this);
    return super.getHeaders();
  }

  override getHeaderNames(): string[] {
    settle(this);
    return super.getHeaderNames();
  }

  override hasHeader(name: string): boolean {
    settle(this);
    return super.hasHeader(name);
  }

  override removeHeader(name: string): void {
    settle(this);
    super.removeHeader(name);
  }

  override writeHead(
    status: number,
    reasonOrHeaders?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
    given?: OutgoingHttpHeaders | OutgoingHttpHeader[],
  ): this {
    const reason = typeof reasonOrHeaders === 'string' ? reasonOrHeaders : undefined;
    const headers = typeof reasonOrHeaders === 'object' ? reasonOrHeaders : given;
    const head = this[HEAD];
    // Headers as a list are taken as they are, repeats included; that form is rare enough for the ordinary way.
    if (head === undefined || Array.isArray(headers)) {
      settle(this);
      return reason === undefined ? super.writeHead(status, headers) : super.writeHead(status, reason, headers);
    }
    this[HEAD] = undefined;
    const lines = merge(head.take(), headers);
    return reason === undefined ? super.writeHead(status, lines) : super.writeHead(status, reason, lines);
  }
}

/** Makes the waiting lines ordinary headers. */
function settle(response: SecuredResponse): void {
  const head = response[HEAD];
  if (head === undefined) return;
  response[HEAD] = undefined;
  const lines = head.take();
  for (let index = 0; index < lines.length; index += 2) {
    ServerResponse.prototype.appendHeader.call(response, lines[index]!, lines[index + 1]!);
  }
}

/** The chain's lines and the application's headers; of one name, the application's. */
function merge(lines: Lines, headers: OutgoingHttpHeaders | undefined): OutgoingHttpHeader[] {
  if (headers === undefined) return [...lines];
  const merged: OutgoingHttpHeader[] = [];
  const names = Object.keys(headers);
  for (let index = 0; index < lines.length; index += 2) {
    const name = lines[index]!;
    if (!names.some((own) => isSame(own, name))) merged.push(name, lines[index + 1]!);
  }
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) merged.push(name, value);
  }
  return merged;
}

function without(lines: Lines, name: string): Lines {
  for (let index = 0; index < lines.length; index += 2) {
    if (isSame(lines[index]!, name)) return without([...lines.slice(0, index), ...lines.slice(index + 2)], name);
  }
  return lines;
}

/** Header names compare without case (RFC 9110 §5.1). */
function isSame(a: string, b: string): boolean {
  return a.length === b.length && (a === b || a.toLowerCase() === b.toLowerCase());
}
