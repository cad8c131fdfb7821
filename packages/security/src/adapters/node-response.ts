// The head of a node:http response while the chain prepares it. ServerResponse.setHeader costs half a microsecond and a
// third of a kilobyte per header, and the chain sets seven on every response. Here they wait as plain lines that are
// written before the application's headers. The application can see, replace and remove them as if they had been set
// one by one.
import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ResponseHead } from '../chain/request.ts';
import { type FixedHead, isSame, type Lines, NO_LINES, without } from './fixed-head.ts';
import { nodeHttp } from '../node-http.ts';

/**
 * Prepares the head of a response. If another library has replaced the way heads are written, headers are set
 * immediately.
 */
export function prepareHead(response: ServerResponse): ResponseHead {
  if (response.headersSent || !isNodes(response)) return response;
  const prepared = response as PreparedResponse;
  prepare(prepared);
  return (prepared[HEAD] = new PendingHead(prepared));
}

const HEAD = Symbol('lockstitch.head');
const TEXT = Symbol('lockstitch.text');

interface PreparedResponse extends ServerResponse {
  [HEAD]: PendingHead | undefined;
  /** Lines for the head that is being written. */
  [TEXT]: string;
  _storeHeader(firstLine: string, headers: unknown): void;
}

/** A name is never both here and among the response's own headers. */
class PendingHead implements ResponseHead {
  readonly #response: PreparedResponse;
  #fixed: FixedHead = NO_LINES;
  /** Lines of this response only, after the fixed ones. */
  #own: Lines = NONE;
  /** Whether the response may also have headers of its own. */
  #isShared: boolean;

  constructor(response: PreparedResponse) {
    this.#response = response;
    this.#isShared = NODE.getHeaderNames.call(response).length > 0;
  }

  get headersSent(): boolean {
    return this.#response.headersSent;
  }

  setHeader(name: string, value: string): void {
    if (!this.#isPending()) return void this.#response.setHeader(name, value);
    this.drop(name);
    this.#clear(name);
    this.#own = [...this.#own, name, value];
  }

  setHeaderLines(lines: Lines): void {
    const fixed = this.#isPending() && this.#own === NONE ? this.#fixed.with(lines) : undefined;
    if (fixed === undefined) {
      for (let index = 0; index < lines.length; index += 2) this.setHeader(lines[index]!, lines[index + 1]!);
      return;
    }
    this.#fixed = fixed;
    if (this.#isShared) for (let index = 0; index < lines.length; index += 2) this.#clear(lines[index]!);
  }

  appendHeader(name: string, value: string): void {
    const isTaken = this.#isShared && NODE.hasHeader.call(this.#response, name);
    if (isTaken || !this.#isPending()) this.#response.appendHeader(name, value);
    else this.#own = [...this.#own, name, value];
  }

  getHeader(name: string): number | string | readonly string[] | undefined {
    return this.#response.getHeader(name);
  }

  removeHeader(name: string): void {
    this.#response.removeHeader(name);
  }

  once(event: 'close', listener: () => void): void {
    this.#response.once(event, listener);
  }

  /** Whether the lines still wait; afterwards the response itself has the headers. */
  #isPending(): boolean {
    return this.#response[HEAD] === this;
  }

  /** Removes a header of the response in favour of a line. */
  #clear(name: string): void {
    if (this.#isShared && NODE.hasHeader.call(this.#response, name)) NODE.removeHeader.call(this.#response, name);
  }

  get lines(): Lines {
    return this.#own === NONE ? this.#fixed.lines : [...this.#fixed.lines, ...this.#own];
  }

  /** Value of a line, or the values of several. */
  find(name: string): string | string[] | undefined {
    // Fast path: usually there is no such line.
    if (this.#own === NONE && this.#fixed.without(name) === this.#fixed) return undefined;
    const values = this.lines.filter((_, index, lines) => index % 2 === 1 && isSame(lines[index - 1]!, name));
    return values.length > 1 ? values : values[0];
  }

  /** Removes the lines of a name. */
  drop(name: string): void {
    this.#fixed = this.#fixed.without(name);
    if (this.#own !== NONE) this.#own = without(this.#own, name);
  }

  /** Leaves a name to the response's own headers. */
  giveWay(name: string): void {
    this.drop(name);
    this.#isShared = true;
  }

  /**
   * After a head that could not be written: keeps lines that cannot be the cause, for the head of the error response.
   */
  keepSound(): void {
    this.#own = NONE;
    if (this.#fixed.text === undefined) this.#fixed = NO_LINES;
  }

  /**
   * Lines that are equal on every response, without those that the application's headers replace, as text to write
   * before these; undefined if node:http has to interpret one of them.
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

type GivenHeaders = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** Methods of node:http itself. */
const NODE = nodeHttp.ServerResponse.prototype as Omit<ServerResponse, 'writeHead'> & {
  writeHead(status: number, ...reasonAndHeaders: [GivenHeaders] | [string, GivenHeaders]): unknown;
  /** Joins a head; not a public interface of node:http. */
  _storeHeader?(firstLine: string, headers: unknown): void;
};

// oxlint-disable typescript/unbound-method -- methods are compared and handed on; each is called on the response that has it

/** Returns whether the response, of whatever class, writes its head as node:http does. */
function isNodes(response: ServerResponse): boolean {
  return (
    response.writeHead === NODE.writeHead &&
    response.setHeader === NODE.setHeader &&
    response.appendHeader === NODE.appendHeader &&
    response.getHeader === NODE.getHeader &&
    response.getHeaders === NODE.getHeaders &&
    response.getHeaderNames === NODE.getHeaderNames &&
    response.hasHeader === NODE.hasHeader &&
    response.removeHeader === NODE.removeHeader &&
    (response as Partial<PreparedResponse>)._storeHeader === NODE._storeHeader
  );
}

/**
 * Overrides methods of a response, one by one. Replacing the prototype of an existing object takes 1.2 µs and slows
 * down all later access; Express would replace it again.
 */
function prepare(response: PreparedResponse): void {
  response[HEAD] = undefined;
  response[TEXT] = '';
  response.writeHead = writeHead;
  response.setHeader = setHeader;
  response.appendHeader = appendHeader;
  response.getHeader = getHeader;
  response.getHeaders = getHeaders;
  response.getHeaderNames = getHeaderNames;
  response.hasHeader = hasHeader;
  response.removeHeader = removeHeader;
  response._storeHeader = storeHeader;
}

// oxlint-enable typescript/unbound-method

function setHeader<This extends PreparedResponse>(
  this: This,
  name: string,
  value: number | string | readonly string[],
): This {
  NODE.setHeader.call(this, name, value);
  this[HEAD]?.giveWay(name);
  return this;
}

function appendHeader<This extends PreparedResponse>(
  this: This,
  name: string,
  value: string | readonly string[],
): This {
  const line = typeof name === 'string' ? this[HEAD]?.find(name) : undefined;
  if (line !== undefined) this.setHeader(name, line);
  NODE.appendHeader.call(this, name, value);
  return this;
}

function getHeader(this: PreparedResponse, name: string): number | string | string[] | undefined {
  return NODE.getHeader.call(this, name) ?? this[HEAD]?.find(name);
}

function getHeaders(this: PreparedResponse): OutgoingHttpHeaders {
  settle(this);
  return NODE.getHeaders.call(this);
}

function getHeaderNames(this: PreparedResponse): string[] {
  settle(this);
  return NODE.getHeaderNames.call(this);
}

function hasHeader(this: PreparedResponse, name: string): boolean {
  return NODE.hasHeader.call(this, name) || this[HEAD]?.find(name) !== undefined;
}

function removeHeader(this: PreparedResponse, name: string): void {
  NODE.removeHeader.call(this, name);
  this[HEAD]?.drop(name);
}

function writeHead<This extends PreparedResponse>(
  this: This,
  status: number,
  reasonOrHeaders?: string | GivenHeaders,
  given?: GivenHeaders,
): This {
  const reason = typeof reasonOrHeaders === 'string' ? reasonOrHeaders : undefined;
  const headers = (typeof reasonOrHeaders === 'object' ? reasonOrHeaders : given) ?? NO_HEADERS;
  const head = this[HEAD];
  // A list of headers is used as it is, with repeats. That form is rare, so it takes the normal path.
  if (head === undefined || Array.isArray(headers)) {
    settle(this);
    writeNodes(this, status, reason, headers);
    return this;
  }
  const text = PREPENDS ? head.textBefore(headers) : undefined;
  const sent = head.headersBehind(text, headers);
  this[TEXT] = text ?? '';
  try {
    writeNodes(this, status, reason, sent);
  } catch (error) {
    head.keepSound();
    throw error;
  }
  this[HEAD] = undefined;
  return this;
}

function writeNodes(response: ServerResponse, status: number, reason: string | undefined, headers: GivenHeaders): void {
  if (reason === undefined) NODE.writeHead.call(response, status, headers);
  else NODE.writeHead.call(response, status, reason, headers);
}

/**
 * Where node:http joins a head, from a first line that it does not check. The chain's lines are added to it: they are
 * validated already, and validating seven names and values again takes 0.6 µs of 1.3 in a loop without sockets.
 */
function storeHeader(this: PreparedResponse, firstLine: string, headers: unknown): void {
  NODE._storeHeader!.call(this, firstLine + this[TEXT], headers);
  this[TEXT] = '';
}

/**
 * Whether this Node version builds heads as `storeHeader` expects, probed once. Otherwise the lines are sent as
 * headers.
 */
const PREPENDS = prepends();

function prepends(): boolean {
  if (NODE._storeHeader === undefined) return false;
  const request = { method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 } as IncomingMessage;
  const response = new nodeHttp.ServerResponse(request) as PreparedResponse & { readonly _header?: unknown };
  prepare(response);
  response[TEXT] = 'X-A: a\r\n';
  response.writeHead(200, { 'X-B': 'b' });
  return typeof response._header === 'string' && response._header.includes('\r\nX-A: a\r\nX-B: b\r\n');
}

/** Turns the waiting lines into ordinary headers. */
function settle(response: PreparedResponse): void {
  const head = response[HEAD];
  if (head === undefined) return;
  response[HEAD] = undefined;
  response[TEXT] = '';
  const { lines } = head;
  for (let index = 0; index < lines.length; index += 2)
    NODE.appendHeader.call(response, lines[index]!, lines[index + 1]!);
}

/** Returns whether every header has a value. node:http rejects headers without one, the chain leaves them out. */
function isComplete(headers: OutgoingHttpHeaders): boolean {
  for (const name in headers) if (headers[name] === undefined) return false;
  return true;
}

/** The chain's lines and the application's headers; for one name, the application's. */
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
