// Finds the route of a path: exact paths first, then prefixes, then the fallback. HEAD is GET without the body. An
// unsupported method is 405 with the supported ones.
import { serverErrors } from '../errors.ts';
import { errorResponse, type RouteResponse } from './route-response.ts';
import type { Incoming } from './incoming.ts';

export type Handle = (request: Incoming) => RouteResponse | Promise<RouteResponse>;

/** Handlers of a path by method. GET also handles HEAD. */
export type Methods = Readonly<Partial<Record<string, Handle>>>;

/** Handles a request, or returns undefined if it is not for this route. */
export type MaybeHandle = (request: Incoming) => RouteResponse | undefined | Promise<RouteResponse | undefined>;

export interface Routes {
  readonly exact: ReadonlyMap<string, Methods>;
  /** Tried in order if no exact path matches. */
  readonly others: readonly MaybeHandle[];
  readonly fallback: Handle;
}

/** Creates the handler of all requests. */
export function createRouter({ exact, others, fallback }: Routes): Handle {
  const rest = async (request: Incoming): Promise<RouteResponse> => {
    for (const other of others) {
      const answer = await other(request);
      if (answer !== undefined) return answer;
    }
    return fallback(request);
  };
  return (request) => {
    const methods = exact.get(request.path);
    if (methods !== undefined) {
      const handle = methods[request.method] ?? (request.method === 'HEAD' ? methods['GET'] : undefined);
      return handle === undefined ? methodNotAllowed(request, Object.keys(methods)) : handle(request);
    }
    return rest(request);
  };
}

/** The 405 of RFC 9110 §15.5.6, which must list the supported methods. */
export function methodNotAllowed(request: Incoming, methods: readonly string[]): RouteResponse {
  const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ');
  const error = serverErrors.create('SERVER_METHOD_NOT_ALLOWED', {
    method: request.method,
    path: request.path,
    allowed,
  });
  return errorResponse(error, request.path, { allow: allowed });
}
