// Elasticsearch's REST API over an engine, without a socket: how a request comes to its endpoint, and how
// answers and errors are printed.
import { type Log, silentLog, systemClock, type Clock, isProductError, reasonOf } from '@lockstitch/kernel';
import { ClusterSettings } from './request/cluster-settings.ts';
import { Cursors } from './request/cursors.ts';
import { resolveDateMath } from './request/date-math-name.ts';
import { causeOf, errorBody } from '../json/error-shape.ts';
import { filterPath } from '../json/filter-path.ts';
import { endOfValue } from '../json/json.ts';
import { withReadable } from '../json/human-readable.ts';
import { plainJson, PrintedJson, printJson, RawJson } from '../json/print-json.ts';
import { APART, LARGE, printInThread, readJson } from '../thread/read-json.ts';
import {
  type Answer,
  type Call,
  flagParam,
  jsonBody,
  type RestRequest,
  type RestResponse,
  checkMediaType,
  flagOf,
} from './request/request.ts';
import type { SearchState } from './request/search-state.ts';
import type { Engine } from '../engine/engine-api.ts';
import { engineUnder } from '../view/viewed-engine.ts';
import { type ErrorDetails, isShardFailure, RequestError, unsupported } from '../errors/request-error.ts';
import { printYaml } from '../json/print-yaml.ts';
import { checkParams, type Endpoint, namesBesidePath } from './request/endpoint.ts';
import { warningHeader, warnOfTypes } from './request/warnings.ts';
import { match, type Route, routesOf } from './request/route.ts';
import { EMBEDDED_BACKEND, type SearchBackend } from './request/search-backend.ts';
import { ENDPOINTS } from './endpoints.ts';
import { Tasks } from './request/tasks.ts';
import { isTurnTaken, yieldTurn } from '../tasks/event-loop-queue.ts';

/** How the API introduces itself and what it is given. */
export interface RestOptions {
  /** The version told to clients; 7.10.2, which every official client from 7 to 9 accepts. */
  readonly version?: string;
  readonly clusterName?: string;
  /** The `X-Elastic-Product` header; `Elasticsearch` by default, without which newer clients refuse to talk. */
  readonly product?: string;
  /** Aggregations of one search at most, those inside of others and the filters of `filters` included; 200 by default. */
  readonly maxAggregations?: number;
  /** Operations of one bulk request; 300,000 by default. */
  readonly maxBulkOperations?: number;
  /** Milliseconds one search may take before it is ended, with what it found or an error; 10,000 by default. */
  readonly maxSearchTime?: number;
  /** Terms that all wildcards, prefixes and regular expressions of one search may visit together; 5,000,000 by default. */
  readonly maxVisitedTerms?: number;
  /**
   * Milliseconds one search may take on the main thread; one that takes longer restarts in a thread of its own. 5 by default; 0: all
   * run in threads, Infinity: none.
   */
  readonly maxTurn?: number;
  readonly clock?: Clock;
  readonly log?: Log;
}

/** The API. */
export interface RestApi {
  /** Answers a request; never throws. */
  handle(request: RestRequest): Promise<RestResponse>;
  /** Lets go of open scrolls and points in time. */
  close(): void;
}

/** 99 of 100 queries over 636,660 documents take less than 5.6 ms (1,200 of bench search); more would be felt twice, for what was done is lost. */
const DEFAULT_TURN = 5;

/** Some 200 MB while they are done; 100 MB of ordinary documents are fewer. */
const DEFAULT_BULK = 300_000;

/** Which endpoints an API has, and what executes their searches. */
interface RestParts {
  readonly routes: readonly Route[];
  readonly backend: SearchBackend;
}

const EMBEDDED: RestParts = { routes: routesOf(ENDPOINTS), backend: EMBEDDED_BACKEND };

/** Makes the REST API of an engine. The engine's indices must be made with `createMapper`. */
export function createRestApi(engine: Engine, options: RestOptions = {}): RestApi {
  return createRestApiWith(engine, options, EMBEDDED);
}

/** As `createRestApi`, with other endpoints, or another backend. */
export function createRestApiWith(engine: Engine, options: RestOptions, { routes, backend }: RestParts): RestApi {
  const { clock = systemClock, log = silentLog, maxTurn = DEFAULT_TURN, product = 'Elasticsearch' } = options;
  const settings = new ClusterSettings(engine);
  const state: SearchState = {
    identity: { version: options.version ?? '7.10.2', clusterName: options.clusterName ?? 'lockstitch' },
    settings,
    cursors: new Cursors(settings, backend),
    tasks: new Tasks(),
    backend,
    maxAggregations: options.maxAggregations ?? 200,
    maxBulkOperations: options.maxBulkOperations ?? DEFAULT_BULK,
    limits: {
      time: options.maxSearchTime ?? 10_000,
      terms: options.maxVisitedTerms ?? 5_000_000,
      turn: maxTurn === Infinity ? undefined : maxTurn,
    },
  };

  const answer = async (request: RestRequest, warnings: Set<string>): Promise<Answer> => {
    const { route, path } = match(routes, request);
    const { endpoint } = route;
    const now = clock.now();
    const call: Call = {
      request,
      engine: engineUnder(engine, request.view, request.withheld),
      // Where the path decides who may do what, it says what it means without a calculation.
      path: {
        ...path,
        ...(path['index'] === undefined || request.indexByPathOnly === true
          ? {}
          : { index: resolveDateMath(path['index'], now) }),
        ...namesBeside(request, endpoint, path),
      },
      now,
      state,
      warn: (text) => void warnings.add(text),
    };
    checkMediaType(call);
    warnOfTypes(call, route.path, endpoint);
    const read = await withJson(call, endpoint);
    try {
      if (request.method !== 'OPTIONS') checkUrl(read, endpoint);
      const found = await endpoint.answer(read);
      return endpoint.isReadable === true && flagParam(call, 'human')
        ? { ...found, json: withReadable(found.json) }
        : found;
    } catch (error) {
      if (!isProductError(error) || error.status >= 500) throw error;
      const first = await firstMistake(error, read, endpoint);
      const { isParsedFirst, type } = endpoint.warns ?? {};
      if (isParsedFirst === true && type !== undefined && first !== error) warnings.delete(type);
      throw first;
    }
  };

  const respond = async (request: RestRequest): Promise<RestResponse> => {
    const headers = { 'X-Elastic-Product': product, 'Content-Type': mediaType(request) };
    const warnings = new Set<string>();
    const warned = (): Headers => ({ ...headers, ...warningHeader(warnings, state.identity.version) });
    try {
      if (isTurnTaken()) await yieldTurn();
      for (const name of ['pretty', 'human']) flagOf(request.query.get(name) ?? '');
      const format = request.query.get('format');
      // What is no format is ignored.
      if (format !== null && /^(?:smile|cbor)$/i.test(format)) throw unsupported(`[format=${format}]`);
      const found = await answer(request, warnings);
      return await printed(found, request, { ...warned(), ...found.headers });
    } catch (error) {
      if (!isProductError(error))
        log.write('error', 'a search request failed', {
          method: request.method,
          path: request.path,
          error: error instanceof Error ? (error.stack ?? error.message) : reasonOf(error),
        });
      return refusal(error, request, warned());
    }
  };
  return {
    close: () => void state.cursors.closeAll(),
    handle: async (given) => {
      const request = withLastOfEach(given);
      return inFormat(request, await respond(request));
    },
  };
}

/** Of a parameter that is given several times, the last value counts. */
function withLastOfEach(request: RestRequest): RestRequest {
  const last = new Map(request.query);
  return last.size === request.query.size ? request : { ...request, query: new URLSearchParams([...last]) };
}

type Headers = RestResponse['headers'];

/** An answer as it is sent. */
async function printed(found: Answer, request: RestRequest, headers: Headers): Promise<RestResponse> {
  const { isWhole = false, status = 200, text, json = {} } = found;
  if (request.method === 'HEAD') return { status, headers, body: '' };
  if (text !== undefined)
    return {
      status,
      headers: { ...headers, 'Content-Type': 'text/plain; charset=UTF-8' },
      body: text,
    };
  const filter = isWhole ? undefined : (request.query.get('filter_path') ?? undefined);
  const pretty = isPretty(request);
  const isPlain = filter === undefined && !pretty;
  const inThread = async (whole: PrintedJson): Promise<RestResponse | undefined> => {
    const shown = isPlain ? whole : await printInThread(whole, { pretty, filter });
    return shown && new PrintedResponse({ status, headers }, shown);
  };
  const large = json instanceof PrintedJson ? await inThread(json) : undefined;
  if (large !== undefined) return large;
  const plain = printJson(json, false);
  if (isPlain) return { status, headers, body: plain };
  const long = plain.length < LARGE ? undefined : await inThread(new PrintedJson(Buffer.from(plain)));
  if (long !== undefined) return long;
  const whole = new RawJson(plain);
  const shown = filter === undefined ? whole : (filterPath(plainJson(whole), filter) ?? {});
  return { status, headers, body: printJson(shown, pretty) };
}

/** An error as it is sent. */
function refusal(error: unknown, request: RestRequest, headers: Headers): RestResponse {
  const { status, body } = errorBody(error);
  const { isPlain = false, allow }: ErrorDetails = error instanceof RequestError ? error.details : {};
  const shown = isPlain ? { error: causeOf(error).error['reason'], ...(status === 400 ? {} : { status }) } : body;
  return {
    status,
    headers: { ...headers, ...(allow === undefined ? {} : { Allow: allow }) },
    body: request.method === 'HEAD' ? '' : printJson(shown, isPretty(request)),
  };
}

/** The answer as YAML, where the request wants that. */
function inFormat(request: RestRequest, response: RestResponse): RestResponse {
  if (request.query.get('format') !== 'yaml' || !response.headers['Content-Type']?.startsWith('application/json'))
    return response;
  const { status, headers, body } = response;
  return {
    status,
    headers: { ...headers, 'Content-Type': 'application/yaml' },
    body: body === '' ? '' : printYaml(JSON.parse(body)),
  };
}

/** Checks the parameters. A body that is no JSON is reported before them. */
function checkUrl(call: Call, endpoint: Endpoint): void {
  const { effect, readsBody, parse } = endpoint;
  try {
    checkParams(call, endpoint);
  } catch (error) {
    if (effect === 'changes' && readsBody !== true && parse === undefined) jsonBody(call);
    throw error;
  }
}

/** What Elasticsearch names of a refused request with several mistakes: what cannot be read, then names of parameters, then the rest. */
async function firstMistake(error: unknown, call: Call, { parse }: Endpoint): Promise<unknown> {
  try {
    await parse?.(call);
    return error;
  } catch (mistake) {
    const isInvalid = mistake instanceof RequestError && mistake.code === 'SEARCH_VALIDATION';
    // What is missing or contradicts itself is found once all is read, and before any shard is asked.
    return isInvalid && !isShardFailure(error) ? error : mistake;
  }
}

/** A request with its body, if it is large and not read by the handler itself. */
async function withJson(call: Call, { readsBody }: Endpoint): Promise<Call> {
  const { body } = call.request;
  if (body === undefined || body.length < LARGE || readsBody === true) return call;
  // Its errors are reported where a small body would be parsed: not every request uses its body, and `_validate` returns the error.
  const read = (ignoresRest: boolean): Promise<() => unknown> =>
    readJson(body, APART, ignoresRest).then(
      (value) => () => value,
      (error: unknown) => () => {
        throw error;
      },
    );
  const whole = await read(false);
  // Only the handler knows whether it ignores text after the value.
  const first = hasRest(whole) ? await read(true) : whole;
  return { ...call, json: (ignoresRest) => (ignoresRest ? first() : whole()) };
}

/** Whether a body is refused for text after its value. */
function hasRest(read: () => unknown): boolean {
  try {
    read();
    return false;
  } catch (error) {
    return error instanceof RequestError && endOfValue(error.message) !== undefined;
  }
}

/** Names of the endpoint's paths that the URL has as parameters instead. */
function namesBeside(
  request: RestRequest,
  endpoint: Endpoint,
  path: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (request.query.size === 0) return {};
  const found: Record<string, string> = {};
  for (const name of namesBesidePath(request, endpoint)) {
    const value = request.query.get(name);
    // The type `_doc` of a path names none. Any other name, also that of a document, may be `_doc`.
    if (value !== null && (path[name] === undefined || (name === 'type' && path[name] === '_doc'))) found[name] = value;
  }
  return found;
}

/** An answer that is printed already. */
class PrintedResponse implements RestResponse {
  readonly status: number;
  readonly headers: RestResponse['headers'];
  readonly #json: PrintedJson;

  constructor({ status, headers }: Pick<RestResponse, 'status' | 'headers'>, json: PrintedJson) {
    this.status = status;
    this.headers = headers;
    this.#json = json;
  }

  get body(): string {
    return this.#json.text;
  }

  get bytes(): Uint8Array {
    return this.#json.bytes;
  }
}

function isPretty(request: RestRequest): boolean {
  const value = request.query.get('pretty');
  return value !== null && value !== 'false';
}

/** Returns the requested media type: newer clients expect their `compatible-with` back. */
function mediaType(request: RestRequest): string {
  const accept = request.headers['accept'] ?? '';
  const match =
    /application\/vnd\.elasticsearch\+json\s*;\s*compatible-with=(\d+)/i.exec(accept) ??
    /application\/vnd\.elasticsearch\+(?:json|x-ndjson)\s*;\s*compatible-with=(\d+)/i.exec(
      accept === '' ? (request.headers['content-type'] ?? '') : '',
    );
  return match === null
    ? 'application/json; charset=UTF-8'
    : `application/vnd.elasticsearch+json;compatible-with=${match[1]}`;
}
