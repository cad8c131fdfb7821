// What a handler sees of a request, and how it reads URL parameters and bodies.
import type { Engine } from '../../engine/engine-api.ts';
import { asInteger, isObject, type Json, notANumber, parseBody } from '../../json/json.ts';
import { illegalArgument, numberFormat, RequestError } from '../../errors/request-error.ts';

import { resolveDateMath } from './date-math-name.ts';
import type { SearchState } from './search-state.ts';
import type { ViewOf } from '../../view/viewed-engine.ts';
import { readTime } from '../../json/time-value.ts';

/** A request to the REST API. */
export interface RestRequest {
  readonly method: string;
  /** Percent-encoded path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: Uint8Array | undefined;
  /** Makes a signal that is aborted when nobody waits for the answer any more: a long search ends then. Asked by long ones only. */
  readonly signal?: (() => AbortSignal) | undefined;
  /** What of an index exists for the caller; undefined: all. */
  readonly view?: ViewOf | undefined;
  /** Why an index must not be read now, as a damaged one; undefined if it may be. Default: each may be. */
  readonly withheld?: ((index: string) => string | undefined) | undefined;
  /** Who asks, as text: scrolls and points in time are found only by the caller who opened them. Default: all callers are the same. */
  readonly caller?: string | undefined;
  /** How many changes an index is behind the data that its host keeps it in step with; undefined where it follows none. */
  readonly lagOf?: ((index: string) => number | undefined) | undefined;
  /** Whether an index takes writes from this API. */
  readonly readOnly?: ((index: string) => boolean) | undefined;
  /** Where to write instead, for callers refused by `readOnly`. */
  readonly readOnlyHint?: string | undefined;
  /**
   * Whether a body may name only the indices of the path, where the path names any. For callers who decide by the path who may
   * do what, as `rest.action.multi.allow_explicit_index` is in Elasticsearch. Default: false.
   */
  readonly indexByPathOnly?: boolean | undefined;
}

/** An answer. */
export interface RestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body once more, as the bytes to send, where it is large and was made in another thread. Reading `body` decodes it. */
  readonly bytes?: Uint8Array;
}

/** What a handler answers: a JSON value, or text. */
export interface Answer {
  readonly status?: number;
  readonly json?: unknown;
  readonly text?: string;
  /** Whether `filter_path` leaves nothing out of it. */
  readonly isWhole?: boolean;
  /** Beside those of every answer. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What most changes of the cluster answer. */
export const ACKNOWLEDGED: Answer = { json: { acknowledged: true } };

/** A request after routing. */
export interface Call {
  readonly request: RestRequest;
  /** The indices as the caller sees them. */
  readonly engine: Engine;
  /** Decoded path variables. */
  readonly path: Readonly<Record<string, string>>;
  readonly now: number;
  /** What requests share. */
  readonly state: SearchState;
  /** Adds a text to the header `Warning` of the answer, once. */
  readonly warn: (text: string) => void;
  /** A large body, read already; its large members are still text (`LargeJson`). @throws what is wrong with it */
  readonly json?: (ignoresRest: boolean) => unknown;
}

/** Where the caller reached the node. */
export function addressOf(call: Call): string {
  return call.request.headers['host'] ?? '127.0.0.1:9200';
}

/** The port of that address. */
export function portOf(call: Call): string {
  return addressOf(call).split(':').at(-1)!;
}

/** A URL parameter. */
export function param(call: Call, name: string): string | undefined {
  return call.request.query.get(name) ?? undefined;
}

/**
 * Checks the name of an index that stands in a body, and returns it.
 *
 * @throws RequestError illegal_argument_exception when the path names other indices and only those may be used
 */
export function bodyIndex(call: Call, name: string): string {
  const path = call.path['index'];
  if (call.request.indexByPathOnly !== true) return resolveDateMath(name, call.now);
  if (path === undefined || path === name) return name;
  const allowed = path.split(',');
  if (name.split(',').every((each) => allowed.includes(each))) return name;
  throw illegalArgument(`explicit index [${name}] in the body is not allowed beside the index [${path}] of the path`);
}

/** A flag: `?pretty`, `?pretty=true`. */
export function flagParam(call: Call, name: string, fallback = false): boolean {
  const value = param(call, name);
  return value === undefined ? fallback : flagOf(value);
}

/** @throws RequestError for what is no flag */
export function flagOf(value: string): boolean {
  if (value !== '' && value !== 'true' && value !== 'false')
    throw illegalArgument(`Failed to parse value [${value}] as only [true] or [false] are allowed.`);
  return value !== 'false';
}

/** A whole number. */
export function integerParam(call: Call, name: string): number | undefined {
  const value = param(call, name);
  return value === undefined ? undefined : integerOf(value, name);
}

/** @throws RequestError for what is no whole number */
export function integerOf(value: string, name: string): number {
  if (!/^[+-]?\d+$/.test(value) || Math.abs(Number(value) + 0.5) > 2 ** 31)
    throw illegalArgument(`Failed to parse int parameter [${name}] with value [${value}]`, {
      causedBy: notANumber(value),
    });
  return asInteger(value, name);
}

/** A duration in milliseconds. */
export function durationParam(call: Call, name: string): number | undefined {
  const value = param(call, name);
  return value === undefined ? undefined : readTime(value, name);
}

/** A list, `a,b,c`. */
export function listParam(call: Call, name: string): string[] | undefined {
  const value = param(call, name);
  return value === undefined ? undefined : value.split(',').filter((part) => part !== '');
}

/** What `preference` may begin with where it names no session. */
const PREFERENCES = ['_shards', '_prefer_nodes', '_local', '_only_local', '_only_nodes'];

/** Reads `preference`. @returns the shards that `_shards:0,1` names; undefined: all. @throws RequestError where it is none */
export function checkPreference(call: Call): readonly number[] | undefined {
  const [, preference, value] = /^(_[^:|]*)(?::([^|]*))?/.exec(param(call, 'preference') ?? '') ?? [];
  if (preference === undefined) return undefined;
  if (!PREFERENCES.includes(preference)) throw illegalArgument(`no Preference for [${preference}]`);
  if (preference !== '_shards') return undefined;
  const shards = value === '' ? [] : (value ?? '').split(',');
  const wrong = shards.find((shard) => !/^[+-]?\d+$/.test(shard));
  if (wrong !== undefined) throw numberFormat(wrong);
  return shards.map(Number);
}

/** The body as JSON, where one must be sent. @throws RequestError */
function requiredBody(call: Call): unknown {
  const body = jsonBody(call);
  if (body === undefined && (call.request.body?.length ?? 0) === 0) throw missingBody();
  return body;
}

/** The refusal of a request that lacks its body. @param takesSource whether the parameter `source` may stand for it */
export function missingBody(takesSource = false): Error {
  const what = takesSource ? 'request body or source parameter' : 'request body';
  return new RequestError('SEARCH_PARSING', 'parse_exception', `${what} is required`);
}

/** The refusal of a body that does not begin as an object. */
function notContent(): Error {
  return new RequestError(
    'SEARCH_PARSING',
    'not_x_content_exception',
    'Compressor detection can only be called on some xcontent bytes or compressed xcontent bytes',
  );
}

/** As `jsonBody`, for what Elasticsearch reads as a map: what is wrong with the text is the cause there. */
export function mapBody(call: Call, isRequired = false): Json | undefined {
  try {
    const value = isRequired ? requiredBody(call) : jsonBody(call);
    if (value === undefined && (call.request.body?.length ?? 0) > 0) throw notContent();
    if (value === undefined || isObject(value)) return value;
  } catch (error) {
    if (!(error instanceof RequestError) || !error.type.startsWith('json_')) throw error;
    if (!/^\s*\{/.test(new TextDecoder().decode(call.request.body?.subarray(0, 64)))) throw notContent();
    throw new RequestError('SEARCH_PARSING', 'parse_exception', 'Failed to parse content to map', {
      causedBy: { type: error.type, reason: error.message },
    });
  }
  throw notContent();
}

/**
 * The body as JSON; undefined when there is none. `?source=` stands for a body, and text after the value is ignored, as in Elasticsearch.
 */
export function jsonBody(call: Call, ignoresRest = true): unknown {
  if (call.json !== undefined) return call.json(ignoresRest);
  const { body } = call.request;
  if (body !== undefined && body.length > 0 && !(body.length < 16 && new TextDecoder().decode(body).trim() === ''))
    return parseBody(body, ignoresRest);
  const source = param(call, 'source');
  return source === undefined ? undefined : parseBody(source, ignoresRest);
}

const MEDIA_TYPES = /^application\/(?:json|x-ndjson|vnd\.elasticsearch\+(?:json|x-ndjson))$/;

/**
 * Refuses a body that is not JSON, as Elasticsearch does since version 6. A page of another origin can send forms, plain text and bodies
 * without a type with no preflight (Fetch, "CORS-safelisted request-header").
 */
export function checkMediaType(call: Call): void {
  if (call.request.body === undefined || call.request.body.length === 0) return;
  const type = call.request.headers['content-type'] ?? '';
  if (type !== '' && !type.includes('/')) {
    const reason = `invalid Content-Type header [${type}]`;
    throw new RequestError(
      'SEARCH_PARSING',
      'content_type_header_exception',
      `java.lang.IllegalArgumentException: ${reason}`,
      { causedBy: { type: 'illegal_argument_exception', reason } },
    );
  }
  if (MEDIA_TYPES.test(type.split(';')[0]!.trim().toLowerCase())) return;
  throw new RequestError(
    'SEARCH_MEDIA_TYPE',
    'media_type_header_exception',
    `Content-Type header [${type}] is not supported`,
    { isPlain: true },
  );
}

/** The lines of a body, one after the other. */
export class Lines {
  /** Of the line that came last, from 1. */
  number = 0;
  #from = 0;
  readonly #body: Uint8Array;

  /** @param body ends in a newline */
  constructor(body: Uint8Array) {
    this.#body = body;
  }

  /** The next line; undefined after the last. */
  next(): Uint8Array | undefined {
    const body = this.#body;
    const from = this.#from;
    if (from >= body.length) return undefined;
    const end = body.indexOf(0x0a, from);
    this.#from = end + 1;
    this.number++;
    return body.subarray(from, end > from && body[end - 1] === 0x0d ? end - 1 : end);
  }
}

/** A bulk or msearch body. @throws RequestError when there is none, or it does not end in a newline */
export function bodyWithLines(call: Call, requests: 'bulk' | 'msearch'): Lines {
  const { body } = call.request;
  if (body === undefined || body.length === 0) throw missingBody(requests === 'msearch');
  if (body[body.length - 1] !== 0x0a)
    throw illegalArgument(
      requests === 'bulk'
        ? 'The bulk request must be terminated by a newline [\\n]'
        : 'The msearch request must be terminated by a newline [\n]',
    );
  return new Lines(body);
}
