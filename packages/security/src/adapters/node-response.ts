// The head of a node:http response while the chain prepares it. ServerResponse.setHeader costs half a microsecond and
// half a kilobyte a header; the chain sets eight on every response. Here they wait as plain lines that go out with
// writeHead, and become ordinary headers the moment the application asks for or changes one.
import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ResponseHead } from '../chain/request.ts';
import { type FixedHead, isSame, type Lines, NO_LINES, without } from './fixed-head.ts';

/** Prepares the head of a response. Where the response is of a class of its own, headers are set at once. */
export function prepareHead(response: ServerResponse): ResponseHead {
  const made: unknown = Object.getPrototypeOf(response);
  const isOurs = made === SecuredResponse.prototype;
  if ((!isOurs && made !== ServerResponse.prototype) || response.headersSent || response.getHeaderNames().length > 0)
    return response;
  if (!isOurs) secure(response as SecuredResponse);
  return ((response as SecuredResponse)[HEAD] = new PendingHead(response as SecuredResponse));
}

const HEAD = Symbol('lockstitch.head');
const TEXT = Symbol('lockstitch.text');

class PendingHead implements ResponseHead {
  readonly #response: SecuredResponse;
  #fixed: FixedHead = NO_LINES;
  /** Lines of this response only, behind the fixed ones. */
  #own: Lines = NONE;

  constructor(response: SecuredResponse) {
    this.#response = response;
  }

  get headersSent(): boolean {
    return this.#response.headersSent;
  }

  setHeader(name: string, value: string): void {
    if (!this.#isPending()) return void this.#response.setHeader(name, value);
    this.removeHeader(name);
    this.#own = [...this.#own, name, value];
  }

  setHeaderLines(lines: Lines): void {
    const fixed = this.#isPending() && this.#own === NONE ? this.#fixed.with(lines) : undefined;
    if (fixed !== undefined) this.#fixed = fixed;
    else for (let index = 0; index < lines.length; index += 2) this.setHeader(lines[index]!, lines[index + 1]!);
  }

  appendHeader(name: string, value: string): void {
    if (this.#isPending()) this.#own = [...this.#own, name, value];
    else this.#response.appendHeader(name, value);
  }

  getHeader(name: string): number | string | readonly string[] | undefined {
    if (!this.#isPending()) return this.#response.getHeader(name);
    const isFixed = this.#fixed.without(name) !== this.#fixed;
    if (!isFixed && this.#own === NONE) return undefined;
    const lines = this.lines;
    const values: string[] = [];
    for (let index = 0; index < lines.length; index += 2) {
      if (isSame(lines[index]!, name)) values.push(lines[index + 1]!);
    }
    return values.length > 1 ? values : values[0];
  }

  removeHeader(name: string): void {
    if (!this.#isPending()) return this.#response.removeHeader(name);
    this.#fixed = this.#fixed.without(name);
    this.#own = without(this.#own, name);
  }

  once(event: 'close', listener: () => void): void {
    this.#response.once(event, listener);
  }

  /** Whether the lines still wait; else headers are the response's own business. */
  #isPending(): boolean {
    return this.#response[HEAD] === this;
  }

  get lines(): Lines {
    return this.#own === NONE ? this.#fixed.lines : [...this.#fixed.lines, ...this.#own];
  }

  /** After a head that could not be written: keeps what cannot have been the cause, for the head of the error. */
  keepSound(): void {
    this.#own = NONE;
    if (this.#fixed.text === undefined) this.#fixed = NO_LINES;
  }

  /**
   * The lines that are the same on every response, but for those that are among the application's headers, as text to
   * stand in front of these; undefined when node:http has to look at one of them.
   */
  textBefore(headers: OutgoingHttpHeaders): string | undefined {
    let fixed = this.#fixed;
    for (const name in headers) if (Object.hasOwn(headers, name)) fixed = fixed.without(name);
    return fixed.text;
  }

  /** The other lines and the application's headers. */
  headersBehind(text: string | undefined, headers: OutgoingHttpHeaders): OutgoingHttpHeaders | OutgoingHttpHeader[] {
    if (text === undefined) return merge(this.lines, headers);
    return this.#own === NONE && isComplete(headers) ? headers : merge(this.#own, headers);
  }
}

const NONE: Lines = [];
const NO_HEADERS: OutgoingHttpHeaders = Object.freeze({});

/**
 * A response whose head may still be prepared by the chain. Every way to see or change headers settles that first.
 *
 * A server that is created with it, `createServer({ ServerResponse: SecuredResponse }, nodeHandler(…))`, answers the
 * same and spends less on each response: without it, a plain response has to become one of these when its turn comes.
 */
export class SecuredResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** @internal */
  [HEAD]: PendingHead | undefined = undefined;
  /** @internal Lines for the head that is being written. */
  [TEXT] = '';

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
    const headers = (typeof reasonOrHeaders === 'object' ? reasonOrHeaders : given) ?? NO_HEADERS;
    const head = this[HEAD];
    // Headers as a list are taken as they are, repeats included; that form is rare enough for the ordinary way.
    if (head === undefined || Array.isArray(headers)) {
      settle(this);
      return reason === undefined ? super.writeHead(status, headers) : super.writeHead(status, reason, headers);
    }
    const text = PREPENDS ? head.textBefore(headers) : undefined;
    const sent = head.headersBehind(text, headers);
    this[TEXT] = text ?? '';
    try {
      if (reason === undefined) super.writeHead(status, sent);
      else super.writeHead(status, reason, sent);
    } catch (error) {
      head.keepSound();
      throw error;
    }
    this[HEAD] = undefined;
    return this;
  }

  /**
   * Where node:http puts a head together, from a first line that it takes as it is. The chain's lines go along with that:
   * they are checked already, and reading seven names and values anew takes 0.6 µs of 1.3 in a loop without sockets.
   *
   * @internal
   */
  _storeHeader(firstLine: string, headers: unknown): void {
    NODE._storeHeader!.call(this, firstLine + this[TEXT], headers);
    this[TEXT] = '';
  }
}

/** The part of node:http that is no public interface. */
const NODE = ServerResponse.prototype as { readonly _storeHeader?: (firstLine: string, headers: unknown) => void };

/** Whether this Node builds heads as `_storeHeader` expects, tried once; where it does not, the lines go as headers. */
const PREPENDS = prepends();

function prepends(): boolean {
  if (NODE._storeHeader === undefined) return false;
  const response = new SecuredResponse({ method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 } as IncomingMessage);
  response[TEXT] = 'X-A: a\r\n';
  response.writeHead(200, { 'X-B': 'b' });
  return (response as { readonly _header?: unknown })._header?.toString().includes('\r\nX-A: a\r\nX-B: b\r\n') === true;
}

/**
 * Gives a plain response the methods of ours. One by one: another prototype for an object that exists takes 1.2 µs, and
 * slows down whatever touches the response afterwards.
 */
function secure(response: SecuredResponse): void {
  // oxlint-disable typescript/unbound-method -- bound to whatever they are called on: the response that they are given to
  const own = SecuredResponse.prototype;
  response[HEAD] = undefined;
  response[TEXT] = '';
  response.setHeader = own.setHeader;
  response.setHeaders = own.setHeaders;
  response.appendHeader = own.appendHeader;
  response.getHeader = own.getHeader;
  response.getHeaders = own.getHeaders;
  response.getHeaderNames = own.getHeaderNames;
  response.hasHeader = own.hasHeader;
  response.removeHeader = own.removeHeader;
  response.writeHead = own.writeHead;
  response._storeHeader = own._storeHeader;
  // oxlint-enable typescript/unbound-method
}

/** Makes the waiting lines ordinary headers. */
function settle(response: SecuredResponse): void {
  const head = response[HEAD];
  if (head === undefined) return;
  response[HEAD] = undefined;
  response[TEXT] = '';
  const { lines } = head;
  for (let index = 0; index < lines.length; index += 2) {
    ServerResponse.prototype.appendHeader.call(response, lines[index]!, lines[index + 1]!);
  }
}

/** Whether every header has a value; node:http refuses those that have none, the chain leaves them out. */
function isComplete(headers: OutgoingHttpHeaders): boolean {
  for (const name in headers) if (headers[name] === undefined) return false;
  return true;
}

/** The chain's lines and the application's headers; of one name, the application's. */
function merge(lines: Lines, headers: OutgoingHttpHeaders): OutgoingHttpHeader[] {
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
