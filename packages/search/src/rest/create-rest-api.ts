// Elasticsearch's REST API over an engine, without a socket: which method and path does what, which URL parameters each
// endpoint knows, and how answers and errors are printed.
import { type Log, silentLog, systemClock, type Clock, isProductError } from '@lockstitch/kernel';
import type { Identity } from './cluster/identity.ts';
import { ClusterSettings } from './request/cluster-settings.ts';
import { Cursors } from './request/cursors.ts';
import { resolveDateMath } from './request/date-math-name.ts';
import { errorBody } from '../json/error-shape.ts';
import { filterPath } from '../json/filter-path.ts';
import { plainJson, PrintedJson, printJson, RawJson } from '../json/print-json.ts';
import { APART, LARGE, printInThread, readJson } from '../thread/read-json.ts';
import {
  type Answer,
  type Call,
  param,
  type RestRequest,
  type RestResponse,
  checkMediaType,
} from './request/request.ts';
import type { SearchState } from './request/search-state.ts';
import type { Engine } from '../engine/engine-api.ts';
import { engineUnder } from '../view/viewed-engine.ts';
import { RequestError, unsupported } from '../errors/request-error.ts';
import { checkParams, checkValues, match, type Handler, type Route } from './request/route.ts';
import { printYaml } from '../json/print-yaml.ts';
import { addRoutes } from './routes.ts';
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

/** Parameters every endpoint takes. */
const COMMON = ['pretty', 'human', 'error_trace', 'source', 'source_content_type', 'filter_path', 'format'];

/** One endpoint as documented: methods, path, parameters besides the common ones. */
export interface Endpoint {
  readonly methods: readonly string[];
  readonly path: string;
  readonly params: readonly string[];
}

/** 99 of 100 queries over 636,660 documents take less than 5.6 ms (1,200 of bench search); more would be felt twice, for what was done is lost. */
const DEFAULT_TURN = 5;

/** Some 200 MB while they are done; 100 MB of ordinary documents are fewer. */
const DEFAULT_BULK = 300_000;

/** Makes the REST API of an engine. The engine's indices must be made with `createMapper`. */
export function createRestApi(
  engine: Engine,
  options: RestOptions = {},
): RestApi & { readonly endpoints: readonly Endpoint[] } {
  const clock = options.clock ?? systemClock;
  const log = options.log ?? silentLog;
  const identity: Identity = { version: options.version ?? '7.10.2', clusterName: options.clusterName ?? 'lockstitch' };
  const product = options.product ?? 'Elasticsearch';
  const { maxTurn = DEFAULT_TURN } = options;
  const settings = new ClusterSettings(engine);
  const state: SearchState = {
    settings,
    cursors: new Cursors(settings),
    tasks: new Tasks(),
    maxAggregations: options.maxAggregations ?? 200,
    maxBulkOperations: options.maxBulkOperations ?? DEFAULT_BULK,
    limits: {
      time: options.maxSearchTime ?? 10_000,
      terms: options.maxVisitedTerms ?? 5_000_000,
      turn: maxTurn === Infinity ? undefined : maxTurn,
    },
  };
  const routes: Route[] = [];
  const endpoints: Endpoint[] = [];
  const add = (
    methods: string,
    paths: string | readonly string[],
    params: readonly string[],
    handler: Handler,
    fixed: Readonly<Record<string, string>> = {},
  ): void => {
    for (const path of typeof paths === 'string' ? [paths] : paths) {
      const list = methods.split(' ');
      routes.push({
        methods: list,
        steps: path
          .split('/')
          .slice(1)
          .filter((step) => step !== ''),
        params: [...COMMON, ...params],
        handler,
        fixed,
      });
      endpoints.push({ methods: list, path, params });
    }
  };
  addRoutes(add, state, identity);

  const answer = async (request: RestRequest): Promise<{ answer: Answer; call: Call }> => {
    const { route, path } = match(routes, request);
    const now = clock.now();
    const call: Call = {
      request,
      engine: request.view === undefined ? engine : engineUnder(engine, request.view),
      // Where the path decides who may do what, it says what it means without a calculation.
      path: {
        ...path,
        ...(path['index'] === undefined || request.indexByPathOnly === true
          ? {}
          : { index: resolveDateMath(path['index'], now) }),
        ...typeBeside(request, route, path),
        ...route.fixed,
      },
      now,
      settings,
    };
    checkMediaType(call);
    const read = await withJson(call, route.handler);
    try {
      checkParams(read, route);
      checkValues(read, route);
      return { answer: await route.handler(read), call };
    } catch (error) {
      throw isProductError(error) && error.status < 500 ? await firstMistake(error, read, route) : error;
    }
  };

  const api: RestApi & { readonly endpoints: readonly Endpoint[] } = {
    endpoints,
    close: () => void state.cursors.closeAll(),
    async handle(request) {
      const pretty = isPretty(request);
      const headers = { 'X-Elastic-Product': product };
      try {
        if (isTurnTaken()) await yieldTurn();
        const format = request.query.get('format');
        if (format !== null && !['json', 'yaml', 'txt', 'text'].includes(format))
          throw unsupported(`[format=${format}]`);
        const { answer: found, call } = await answer(request);
        const status = found.status ?? 200;
        if (request.method === 'HEAD')
          return { status, headers: { ...headers, 'Content-Type': mediaType(request) }, body: '' };
        if (found.text !== undefined)
          return { status, headers: { ...headers, 'Content-Type': 'text/plain; charset=UTF-8' }, body: found.text };
        const filter = param(call, 'filter_path');
        const sent = { status, headers: { ...headers, 'Content-Type': mediaType(request) } };
        if (found.json instanceof PrintedJson) {
          const plain = filter === undefined && !pretty;
          const printed = plain ? found.json : await printInThread(found.json, { pretty, filter });
          if (printed !== undefined) return new PrintedResponse(sent, printed);
        }
        const plain = printJson(found.json ?? {}, false);
        if (filter === undefined && !pretty) return { ...sent, body: plain };
        if (plain.length >= LARGE) {
          const printed = await printInThread(new PrintedJson(Buffer.from(plain)), { pretty, filter });
          if (printed !== undefined) return new PrintedResponse(sent, printed);
        }
        const whole = new RawJson(plain);
        return {
          ...sent,
          body: printJson(filter === undefined ? whole : (filterPath(plainJson(whole), filter) ?? {}), pretty),
        };
      } catch (error) {
        if (!isProductError(error))
          log.write('error', 'a search request failed', {
            method: request.method,
            path: request.path,
            error: error instanceof Error ? (error.stack ?? error.message) : String(error),
          });
        const { status, body } = errorBody(error);
        const shown =
          error instanceof RequestError && error.details.fields?.['plain'] === true
            ? { error: error.message, ...(status === 405 || status === 406 ? { status } : {}) }
            : body;
        return {
          status,
          headers: {
            ...headers,
            'Content-Type': mediaType(request),
            ...(error instanceof RequestError && typeof error.details.fields?.['allow'] === 'string'
              ? { Allow: error.details.fields['allow'] }
              : {}),
          },
          body: request.method === 'HEAD' ? '' : printJson(shown, pretty),
        };
      }
    },
  };
  return { ...api, handle: async (request) => inFormat(request, await api.handle(request)) };
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

/** What Elasticsearch names of a refused request with several mistakes: what cannot be read, then names of parameters, then the rest. */
async function firstMistake(error: unknown, call: Call, { handler }: Route): Promise<unknown> {
  try {
    await handler.parse?.(call);
    return error;
  } catch (mistake) {
    // What is missing or contradicts itself is found once all is read.
    return mistake instanceof RequestError && mistake.code === 'SEARCH_VALIDATION' ? error : mistake;
  }
}

/** A request with its body, if it is large and not read by the handler itself. */
async function withJson(call: Call, { readsBody }: Handler): Promise<Call> {
  const { body } = call.request;
  if (body === undefined || body.length < LARGE || readsBody === true) return call;
  // What is wrong with it is told where a small one would be read: not every request looks at its body, and `_validate` answers it.
  const json = await readJson(body, APART).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  return { ...call, json };
}

/** The type as a parameter, where the path has none. */
function typeBeside(
  { query }: RestRequest,
  { params }: Route,
  path: Readonly<Record<string, string>>,
): { type?: string } {
  const type = query.get('type');
  return type === null || path['type'] !== undefined || !params.includes('type') ? {} : { type };
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

/** Answers in the media type asked for: newer clients want their `compatible-with` back. */
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
