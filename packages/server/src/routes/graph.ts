// `POST /` and `/graphql`: GraphQL over HTTP. The graph decides media types, statuses and errors. The route reads the
// body within its limit and, if asked, delays a mutation's response until searches find its change.
import type { HttpAnswer, HttpHandler } from '@lockstitch/graph';
import type { Principal } from '@lockstitch/kernel';

import type { BodyLimit } from '../http/body.ts';
import type { RouteResponse } from '../http/route-response.ts';
import type { Incoming } from '../http/incoming.ts';
import type { Sync } from '../sync/sync.ts';
import { minPositionOf, type Positions, readWait, tellPosition } from './consistency.ts';
import type { Handle } from '../http/router.ts';

export interface GraphRouteParts {
  readonly handle: HttpHandler;
  readonly services: unknown;
  readonly limit: BodyLimit;
  readonly feed: { head(): Promise<number> };
  readonly sync: Pick<Sync, 'position' | 'waitFor'>;
  /** Whether everybody may send GET for a path with its query. */
  readonly isOpenToAll: (target: string) => Promise<boolean>;
  /** `search.syncWait`, in ms. */
  readonly syncWait: number;
}

/** A body without this word contains no mutation. A query that contains it only waits for earlier writes. */
const MUTATION = Buffer.from('mutation');

export function graphRoute(parts: GraphRouteParts): { readonly POST: Handle; readonly GET: Handle } {
  const { handle, services, limit, feed, sync, syncWait, isOpenToAll } = parts;
  const positions: Positions = { feed, sync };
  return {
    async POST(request) {
      // Before anything is written.
      const wait = readWait(request, syncWait);
      const minPosition = minPositionOf(request.headers);
      const body = await request.readBody(limit);
      const { method, headers } = request;
      const answered = handle(
        { method, query: NO_QUERY, headers, body },
        new RouteContext(request, services, minPosition),
      );
      const answer = toResponse(answered instanceof Promise ? await answered : answered);
      if (body === undefined || !asBuffer(body).includes(MUTATION)) return answer;
      return { ...answer, headers: { ...answer.headers, ...(await tellPosition(positions, wait)) } };
    },
    async GET({ method, encodedPath, query, headers, principal, signal }) {
      // A cookie may be answered by another cookie, which no cache may keep.
      const isPlain = !principal.authenticated && headers['cookie'] === undefined;
      const isOpen = isPlain ? () => isOpenToAll(`${encodedPath}?${query.toString()}`) : undefined;
      const request = { method: method === 'HEAD' ? 'GET' : method, query, headers, isOpen };
      const answer = await handle(request, { principal, services, signal, minPosition: minPositionOf(headers) });
      return answer.status === 304 ? { ...answer, body: undefined } : answer;
    },
  };
}

/** Uses bytes instead of text if there are any. */
function toResponse(answer: HttpAnswer): RouteResponse {
  const { status, headers, bytes } = answer;
  return bytes === undefined ? answer : { status, headers, body: bytes, ownsBytes: true };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The caller's context for the graph. The signal is created on first use. */
class RouteContext {
  readonly principal: Principal;
  readonly services: unknown;
  readonly takesBytes = true;
  readonly minPosition: number;
  readonly #request: Incoming;

  constructor(request: Incoming, services: unknown, minPosition: number) {
    this.minPosition = minPosition;
    this.principal = request.principal;
    this.services = services;
    this.#request = request;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }
}

const NO_QUERY = new URLSearchParams();
