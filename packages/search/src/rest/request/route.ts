// How a request finds its endpoint by path and method.
import { illegalArgument, RequestError } from '../../errors/request-error.ts';
import { type Endpoint, reads } from './endpoint.ts';
import type { Answer, RestRequest } from './request.ts';

/** One path of an endpoint. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly steps: readonly string[];
  /** A digit per step: 0 where it is fixed, 1 where it is a name. */
  readonly order: string;
}

/** The routes of endpoints. Of two that fit a path the one with a fixed step where the other has a name comes first. */
export function routesOf(endpoints: readonly Endpoint[]): readonly Route[] {
  return endpoints
    .flatMap((endpoint) => endpoint.paths.map((path) => routeOf(endpoint, path)))
    .sort((a, b) => (a.order < b.order ? -1 : Number(a.order > b.order)));
}

function routeOf(endpoint: Endpoint, path: string): Route {
  const steps = stepsOf(path);
  return { endpoint, path, steps, order: steps.map((step) => (step.startsWith('{') ? '1' : '0')).join('') };
}

/** A matched route with the values of its path parameters. */
export interface Match {
  readonly route: Route;
  readonly path: Readonly<Record<string, string>>;
}

/** The route of a request. @throws RequestError 405 with the methods that the path has, or 400 where no path fits */
export function match(routes: readonly Route[], { method, path: given, query }: RestRequest): Match {
  const steps = stepsOf(given).map((step) => {
    try {
      return decodeURIComponent(step);
    } catch {
      throw illegalArgument(`The path [${given}] is not percent-encoded correctly`);
    }
  });
  const allowed = new Set<string>();
  // Names that no index can have are refused by the endpoint that would take them, where no other one fits.
  for (const isLoose of [false, true]) {
    let order: string | undefined;
    for (const route of routes) {
      const path = matchSteps(route.steps, steps, isLoose);
      if (path === undefined) continue;
      // A path of fixed steps has no other methods than its own, though a name would fit, too.
      order ??= route.order;
      if (route.order !== order && order.startsWith('0')) break;
      if (route.endpoint.methods.includes(method)) return { route, path };
      for (const each of route.endpoint.methods) allowed.add(each);
    }
    if (allowed.size > 0) break;
  }
  const list = [...allowed].sort();
  if (method === 'OPTIONS') return optionsOf(list, given);
  const uri = query.size > 0 ? `${given}?${query.toString()}` : given;
  if (allowed.size === 0)
    throw new RequestError(
      'SEARCH_ILLEGAL_ARGUMENT',
      'illegal_argument_exception',
      `no handler found for uri [${uri}] and method [${method}]`,
      { isPlain: true },
    );
  throw new RequestError(
    'SEARCH_METHOD',
    'method_not_allowed',
    `Incorrect HTTP method for uri [${uri}] and method [${method}], allowed: [${list.join(', ')}]`,
    { isPlain: true, allow: list.join(',') },
  );
}

/** What a path may be asked with. */
function optionsOf(methods: readonly string[], path: string): Match {
  const answer = (): Answer => ({
    text: '',
    ...(methods.length === 0 ? {} : { headers: { Allow: methods.join(',') } }),
  });
  return { route: routeOf(reads('OPTIONS', path, {}, answer), path), path: {} };
}

function stepsOf(path: string): readonly string[] {
  return path.split('/').filter((step) => step !== '');
}

function matchSteps(
  pattern: readonly string[],
  steps: readonly string[],
  isLoose: boolean,
): Record<string, string> | undefined {
  if (pattern.length !== steps.length) return undefined;
  const path: Record<string, string> = {};
  // Asked of every route for every request: an index costs less than an iterator.
  for (let at = 0; at < pattern.length; at++) {
    const want = pattern[at]!;
    const step = steps[at]!;
    if (want.startsWith('{')) {
      // Names of indices and types never start with an underscore, except `_all` and `_doc`.
      const name = want.slice(1, -1);
      const isStrict = !isLoose && (name === 'index' || name === 'type') && step.startsWith('_') && step !== '_all';
      if (isStrict && (name === 'index' || step !== '_doc')) return undefined;
      path[name] = step;
    } else if (want !== step) return undefined;
  }
  return path;
}
