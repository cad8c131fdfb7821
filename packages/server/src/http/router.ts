// Which route answers a path: exact paths first, then prefixes, then whatever is left. HEAD is GET without the body; a
// method that a path does not know is 405 with the ones it does.
import { serverErrors } from '../errors.ts';
import { errorAnswer, type RouteResponse } from './answer.ts';
import type { Incoming } from './incoming.ts';

/** Answers a request. */
export type Handle = (request: Incoming) => RouteResponse | Promise<RouteResponse>;

/** What a path can do, by method. GET answers HEAD as well. */
export type Methods = Readonly<Partial<Record<string, Handle>>>;

/** Answers a request, or says with undefined that it is for somebody else. */
export type MaybeHandle = (request: Incoming) => RouteResponse | undefined | Promise<RouteResponse | undefined>;

/** The table of an application. */
export interface Routes {
  readonly exact: ReadonlyMap<string, Methods>;
  /** Asked in order when no exact path matches. */
  readonly others: readonly MaybeHandle[];
  readonly fallback: Handle;
}

/** Makes the one function that answers every request. */
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

/** The 405 of RFC 9110 §15.5.6, which must name the methods that are possible. */
export function methodNotAllowed(request: Incoming, methods: readonly string[]): RouteResponse {
  const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ');
  const error = serverErrors.create('SERVER_METHOD_NOT_ALLOWED', {
    method: request.method,
    path: request.path,
    allowed,
  });
  return errorAnswer(error, request.path, { allow: allowed });
}
