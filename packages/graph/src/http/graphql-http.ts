// GraphQL over HTTP (https://graphql.github.io/graphql-over-http/draft/), independent of a framework: from a request
// value to a response value. Not here: sockets, body size limits, authentication (the server), and execution
// (execute/).
import { createHash } from 'node:crypto';
import { isKnownTag, isProductError, type ProductError } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import type { GraphResponse } from '../execute/contracts.ts';
import type { HttpAnswer, HttpGraph, HttpHandler } from './http-contract.ts';
import { createPersistedOperations, type PersistedOperations, type PersistedOptions } from './persisted-operations.ts';
import { readBody, readQuery } from './read-parameters.ts';

type MediaType = 'application/graphql-response+json' | 'application/json';

const HEADERS: Readonly<Record<MediaType, Readonly<Record<string, string>>>> = {
  'application/json': { 'content-type': 'application/json; charset=utf-8', vary: 'accept' },
  'application/graphql-response+json': {
    'content-type': 'application/graphql-response+json; charset=utf-8',
    vary: 'accept',
  },
};

/** Options of the handler. */
export interface HttpOptions extends PersistedOptions {
  /** Address of the event streams, for the error to clients that request them here. Default: none. */
  readonly eventStreams?: string | undefined;
}

/** Creates the handler of a graph. It never throws for a client's mistake. */
export function createHttpHandler(
  graph: HttpGraph,
  options: HttpOptions = {},
  persisted: PersistedOperations = createPersistedOperations(options),
): HttpHandler {
  function answer(media: MediaType, response: GraphResponse, isGet: boolean): HttpAnswer {
    // Draft §6.4: application/json uses 200 for every well-formed request; the newer media type has status codes.
    const status = response.executed || media === 'application/json' ? 200 : 400;
    const headers = isGet ? { ...HEADERS[media], 'cache-control': 'no-store' } : HEADERS[media];
    return response.bytes === undefined
      ? { status, headers, body: response.body }
      : new BytesAnswer(status, headers, response.bytes);
  }

  return (request, context) => {
    let media: MediaType = 'application/json';
    try {
      media = negotiate(request.headers['accept'], options.eventStreams);
      const { method } = request;
      const isGet = method === 'GET';
      if (!isGet && method !== 'POST') throw graphErrors.create('GRAPH_HTTP_METHOD', { method });
      const found = persisted.resolve(isGet ? readQuery(request.query) : readBody(request));
      if (found.kind === 'answer') return { status: 200, headers: HEADERS[media], body: found.body };
      if (isGet) {
        const kind = graph.operationKind(found.request, context);
        if (kind === 'mutation' || kind === 'subscription') throw graphErrors.create('GRAPH_HTTP_READ_ONLY', { kind });
      }
      const isOpen = isGet && graph.isCallerIndependent(found.request, context) ? request.isOpen : undefined;
      const known = request.headers['if-none-match'];
      const finish = (response: GraphResponse): HttpAnswer | Promise<HttpAnswer> => {
        const own = answer(media, response, isGet);
        if (isOpen === undefined || !response.executed || response.hasErrors !== undefined) return own;
        if (response.isRuleFree !== true) return own;
        return isOpen().then((open) => (open ? shared(response, HEADERS[media], known) : own));
      };
      const response = graph.execute(found.request, context);
      return response instanceof Promise ? response.then(finish) : finish(response);
    } catch (error) {
      if (isProductError(error)) return refuse(error, media);
      throw error;
    }
  };
}

/** A response that shared caches may keep, and must ask about again before they use it. */
function shared(
  response: GraphResponse,
  plain: Readonly<Record<string, string>>,
  known: string | undefined,
): HttpAnswer {
  const etag = `"${createHash('sha256').update(response.body).digest('base64url').slice(0, 22)}"`;
  const headers = { ...plain, 'cache-control': 'public, no-cache', etag };
  return isKnownTag(known, etag) ? { status: 304, headers, body: '' } : { status: 200, headers, body: response.body };
}

/** A response whose text is decoded on demand. */
class BytesAnswer implements HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;

  constructor(status: number, headers: Readonly<Record<string, string>>, bytes: Buffer) {
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
  }

  get body(): string {
    return this.bytes.toString();
  }
}

function refuse(error: ProductError, media: MediaType): HttpAnswer {
  const extensions = error.hint === undefined ? { code: error.code } : { code: error.code, hint: error.hint };
  const allow = error.code === 'GRAPH_HTTP_READ_ONLY' ? { allow: 'POST' } : { allow: 'GET, POST' };
  return {
    status: error.status,
    headers: error.status === 405 ? { ...HEADERS[media], ...allow } : HEADERS[media],
    body: JSON.stringify({ errors: [{ message: error.message, extensions }] }),
  };
}

/**
 * The first acceptable type of the highest quality; application/json without an Accept header (draft §6.1, legacy
 * clients).
 */
function negotiate(accept: string | undefined, eventStreams: string | undefined): MediaType {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === 'application/json')
    return 'application/json';
  let best: MediaType | undefined;
  let bestQuality = 0;
  for (const part of accept.split(',')) {
    const [name = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
    const quality = Number(parameters.find((each) => each.startsWith('q='))?.slice(2) ?? 1);
    const media = MEDIA_TYPES.get(name);
    if (media !== undefined && quality > bestQuality) {
      best = media;
      bestQuality = quality;
    }
  }
  if (best === undefined) {
    const asksForEvents = /text\/event-stream|multipart\/mixed/i.test(accept);
    const streams =
      asksForEvents && eventStreams !== undefined
        ? ` Subscriptions, and every operation as an event stream (text/event-stream), are at ${eventStreams}.`
        : '';
    throw graphErrors.create('GRAPH_HTTP_ACCEPT', { accept, streams });
  }
  return best;
}

const MEDIA_TYPES: ReadonlyMap<string, MediaType> = new Map<string, MediaType>([
  ['application/graphql-response+json', 'application/graphql-response+json'],
  ['application/json', 'application/json'],
  ['application/*', 'application/json'],
  ['*/*', 'application/json'],
]);
