// What a handler sees of a request, and how it reads URL parameters and bodies.
import type { Query } from '../query/query.ts';
import { asBoolean, asInteger, parseJson } from '../json.ts';
import { illegalArgument, RequestError } from '../request-error.ts';
import { duration } from '../dsl/function-score.ts';

/** A request to the REST API. */
export interface RestRequest {
  readonly method: string;
  /** Percent-encoded path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: Uint8Array | undefined;
  /** Which documents of an index exist for the caller; undefined: all. */
  readonly view?: ((index: string) => Query | undefined) | undefined;
  /** Whether an index takes writes from this API. */
  readonly readOnly?: ((index: string) => boolean) | undefined;
  /** Says where to write instead, to whoever is refused by `readOnly`. */
  readonly readOnlyHint?: string | undefined;
}

/** An answer. */
export interface RestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a handler answers: a JSON value, or text. */
export interface Answer {
  readonly status?: number;
  readonly json?: unknown;
  readonly text?: string;
}

/** A request after routing. */
export interface Call {
  readonly request: RestRequest;
  /** Decoded path variables. */
  readonly path: Readonly<Record<string, string>>;
  readonly now: number;
}

/** A URL parameter. */
export function param(call: Call, name: string): string | undefined {
  return call.request.query.get(name) ?? undefined;
}

/** A flag: `?pretty`, `?pretty=true`. */
export function flagParam(call: Call, name: string, fallback = false): boolean {
  const value = param(call, name);
  if (value === undefined) return fallback;
  return value === '' || asBoolean(value, name);
}

/** A whole number. */
export function integerParam(call: Call, name: string): number | undefined {
  const value = param(call, name);
  if (value === undefined) return undefined;
  if (value.trim() === '' || !Number.isSafeInteger(Number(value))) {
    throw illegalArgument(`Failed to parse int parameter [${name}] with value [${value}]`);
  }
  return asInteger(value, name);
}

/** A duration in milliseconds. */
export function durationParam(call: Call, name: string): number | undefined {
  const value = param(call, name);
  return value === undefined ? undefined : duration(value);
}

/** A list, `a,b,c`. */
export function listParam(call: Call, name: string): string[] | undefined {
  const value = param(call, name);
  return value === undefined ? undefined : value.split(',').filter((part) => part !== '');
}

/** The body as JSON; undefined when there is none. `?source=` stands for a body, as in Elasticsearch. */
export function jsonBody(call: Call): unknown {
  const { body } = call.request;
  if (body !== undefined && body.length > 0 && !(body.length < 16 && new TextDecoder().decode(body).trim() === '')) {
    checkMediaType(call);
    return parseJson(body);
  }
  const source = param(call, 'source');
  return source === undefined ? undefined : parseJson(source);
}

function checkMediaType(call: Call): void {
  const type = call.request.headers['content-type'];
  if (type === undefined || type === '') return;
  const media = type.split(';')[0]!.trim().toLowerCase();
  if (
    /^(?:application\/json|application\/x-ndjson|text\/json|text\/plain|application\/x-www-form-urlencoded|application\/vnd\.elasticsearch\+(?:json|x-ndjson))$/.test(
      media,
    )
  )
    return;
  throw new RequestError(
    'SEARCH_MEDIA_TYPE',
    'media_type_header_exception',
    `Content-Type header [${type}] is not supported`,
  );
}

/** The lines of a bulk or msearch body. */
export function bodyLines(call: Call): Uint8Array[] {
  const { body } = call.request;
  if (body === undefined || body.length === 0)
    throw new RequestError('SEARCH_PARSING', 'parse_exception', 'request body is required');
  checkMediaType(call);
  if (body[body.length - 1] !== 0x0a) throw illegalArgument('The bulk request must be terminated by a newline [\\n]');
  const lines: Uint8Array[] = [];
  for (let from = 0; from < body.length;) {
    const end = body.indexOf(0x0a, from);
    const to = end > from && body[end - 1] === 0x0d ? end - 1 : end;
    lines.push(body.subarray(from, to));
    from = end + 1;
  }
  return lines;
}
