// What of the REST API is offered over a search cluster: searches and documents, and what is known of an index without its documents. The
// rest is refused by name: an answer made without the documents would be half of one.
import { asObject, isObject, type Json, toList } from '../json/json.ts';
import { RequestError } from '../errors/request-error.ts';
import { ENDPOINTS } from '../rest/endpoints.ts';
import { GET_ENDPOINTS, idOf, indexOf } from '../rest/documents/get-handlers.ts';
import type { Endpoint } from '../rest/request/endpoint.ts';
import { type Call, jsonBody } from '../rest/request/request.ts';
import { CURSOR_ENDPOINTS } from '../rest/search/cursor-handlers.ts';
import { MULTI_SEARCH_ENDPOINTS } from '../rest/search/multi-search.ts';
import { SEARCH_ENDPOINTS } from '../rest/search/search-handlers.ts';
import type { Engine } from '../engine/engine-api.ts';

/** A document that a request names. */
export interface NamedDocument {
  readonly index: string;
  readonly id: string;
}

/** Fetches documents: an engine that has those of them that the caller sees. */
export type FetchDocuments = (call: Call, named: readonly NamedDocument[]) => Promise<Engine>;

/** Their searches run on the cluster. */
const SEARCHES: ReadonlySet<Endpoint> = new Set([...SEARCH_ENDPOINTS, ...MULTI_SEARCH_ENDPOINTS, ...CURSOR_ENDPOINTS]);
const GETS: ReadonlySet<Endpoint> = new Set(GET_ENDPOINTS);

/** By method and first path: they read definitions alone. */
const DEFINITIONS: ReadonlySet<string> = new Set([
  'GET HEAD /',
  'GET /{index}',
  'HEAD /{index}',
  'GET /_settings',
  'GET /_mapping',
  'HEAD /{index}/_mapping/{type}',
  'GET /_mapping/field/{fields}',
  'GET /_alias',
  'HEAD /_alias/{name}',
  'GET POST /_analyze',
  'GET /_resolve/index/{name}',
]);

function isOffered(endpoint: Endpoint): boolean {
  return SEARCHES.has(endpoint) || GETS.has(endpoint) || DEFINITIONS.has(nameOf(endpoint));
}

const nameOf = ({ methods, paths }: Endpoint): string => `${methods.join(' ')} ${paths[0]}`;

/** What is offered. */
export const OFFERED: readonly Endpoint[] = ENDPOINTS.filter(isOffered);

/** @param engine the value of `search.engine` */
export function clusterEndpoints(engine: string, fetch: FetchDocuments): readonly Endpoint[] {
  return ENDPOINTS.map((endpoint) => {
    if (GETS.has(endpoint)) return withDocuments(endpoint, fetch);
    return isOffered(endpoint) ? endpoint : refused(endpoint, engine);
  });
}

/** The endpoint over an engine that has the documents of the request. */
function withDocuments(endpoint: Endpoint, fetch: FetchDocuments): Endpoint {
  return {
    ...endpoint,
    async answer(call) {
      const engine = await fetch(call, namedBy(call));
      try {
        return await endpoint.answer({ ...call, engine });
      } finally {
        await engine.close();
      }
    },
  };
}

/** Documents that a request names, as far as it can be read: its mistakes are found by the endpoint. */
function namedBy(call: Call): readonly NamedDocument[] {
  const { id, index } = call.path;
  if (id !== undefined) return index === undefined ? [] : [{ index, id }];
  const { docs, ids } = bodyOf(call);
  const listed = [
    ...toList(docs ?? []).map((each: unknown) => (isObject(each) ? each : {})),
    ...toList(ids ?? []).map((each: unknown): Json => ({ _id: each })),
  ];
  return listed.flatMap((entry) => {
    try {
      const named = { index: indexOf(call, entry), id: idOf(entry) };
      return named.index === undefined || named.id === undefined ? [] : [{ index: named.index, id: named.id }];
    } catch (error) {
      if (error instanceof RequestError) return [];
      throw error;
    }
  });
}

function bodyOf(call: Call): Json {
  try {
    return asObject(jsonBody(call) ?? {}, 'body');
  } catch {
    return {};
  }
}

function refused(endpoint: Endpoint, engine: string): Endpoint {
  const { isReadable: _, parse: __, warns: ___, ...rest } = endpoint;
  return {
    ...rest,
    answer({ request: { method, path } }) {
      const reason = `[${method} ${path}] is not offered with search.engine [${engine}]`;
      throw new RequestError('SEARCH_UNSUPPORTED', 'illegal_argument_exception', reason, {
        hint: 'docs/reference/cluster.md lists what is offered.',
      });
    },
  };
}
