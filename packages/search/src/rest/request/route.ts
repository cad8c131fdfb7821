// How a request finds its endpoint: the steps of a path, methods, and the URL parameters that an endpoint knows.
import { nearestOfUrl } from './unknown-field.ts';
import type { Answer, Call, RestRequest } from './request.ts';
import { illegalArgument, RequestError } from '../../errors/request-error.ts';

/** What answers an endpoint. */
export interface Handler {
  (call: Call): Answer | Promise<Answer>;
  /** Whether it reads the body itself, be it however large: lines, or a document. */
  readonly readsBody?: true;
  /**
   * Reads a request that was refused as far as no index is asked. Its mistakes are told before those of names of parameters, of indices, and
   * of what shards say.
   *
   * @throws RequestError for the first mistake
   */
  readonly parse?: (call: Call) => void | Promise<void>;
}

/** A handler of requests that Elasticsearch reads as a whole before it looks anything up. */
export function parsing(parse: (call: Call) => void | Promise<void>, handler: Handler): Handler {
  return Object.assign(handler, { parse });
}

/** A handler that reads the body itself. */
export function readingBody(handler: (call: Call) => Answer | Promise<Answer>): Handler {
  return Object.assign(handler, { readsBody: true as const });
}

/** One path of an endpoint. */
export interface Route {
  readonly methods: readonly string[];
  readonly steps: readonly string[];
  readonly params: readonly string[];
  readonly handler: Handler;
  readonly fixed: Readonly<Record<string, string>>;
}

/** Adds an endpoint under one path or several. */
export type Add = (
  methods: string,
  paths: string | readonly string[],
  params: readonly string[],
  handler: Handler,
  fixed?: Readonly<Record<string, string>>,
) => void;

/** The endpoint of a request. @throws RequestError 405 naming the methods there are, or 400 when no path fits */
export function match(
  routes: readonly Route[],
  request: RestRequest,
): { readonly route: Route; readonly path: Record<string, string> } {
  const steps = request.path
    .split('/')
    .slice(1)
    .filter((step) => step !== '')
    .map((step) => {
      try {
        return decodeURIComponent(step);
      } catch {
        throw illegalArgument(`The path [${request.path}] is not percent-encoded correctly`);
      }
    });
  const allowed = new Set<string>();
  // Names that no index can have are told so by who would take them, where no other endpoint fits.
  for (const isLoose of [false, true]) {
    for (const route of routes) {
      const path = matchSteps(route.steps, steps, isLoose);
      if (path === undefined) continue;
      if (route.methods.includes(request.method)) return { route, path };
      for (const method of route.methods) allowed.add(method);
    }
    if (allowed.size > 0) break;
  }
  const uri = request.query.size > 0 ? `${request.path}?${request.query.toString()}` : request.path;
  if (allowed.size > 0) {
    const list = [...allowed].sort().join(', ');
    throw new RequestError(
      'SEARCH_METHOD',
      'method_not_allowed',
      `Incorrect HTTP method for uri [${uri}] and method [${request.method}], allowed: [${list}]`,
      { fields: { plain: true, allow: list } },
    );
  }
  throw new RequestError(
    'SEARCH_ILLEGAL_ARGUMENT',
    'illegal_argument_exception',
    `no handler found for uri [${uri}] and method [${request.method}]`,
    { fields: { plain: true } },
  );
}

function matchSteps(
  pattern: readonly string[],
  steps: readonly string[],
  isLoose: boolean,
): Record<string, string> | undefined {
  if (pattern.length !== steps.length) return undefined;
  const path: Record<string, string> = {};
  for (let at = 0; at < pattern.length; at++) {
    const want = pattern[at]!;
    const step = steps[at]!;
    if (want.startsWith('{')) {
      // Names of indices and types never start with an underscore, except `_all` and `_doc`.
      const name = want.slice(1, -1);
      if (
        (name === 'index' && !isLoose && step.startsWith('_') && step !== '_all') ||
        (name === 'type' && !isLoose && step.startsWith('_') && step !== '_doc' && step !== '_all')
      )
        return undefined;
      path[name] = step;
    } else if (want !== step) return undefined;
  }
  return path;
}

const TIMES = ['timeout', 'master_timeout', 'scroll', 'keep_alive', 'search_timeout'];

/** Refuses a time without a unit and what no wildcard expands to, where the endpoint takes them. @throws RequestError */
export function checkValues(call: Call, { params }: Route): void {
  for (const [name, value] of call.request.query) {
    if (name === 'expand_wildcards' && params.includes(name)) checkExpansion(value);
    if (!TIMES.includes(name) || !params.includes(name)) continue;
    if (!/^(?:-1|0|\+?\d+(?:nanos|micros|ms|s|m|h|d))$/i.test(value.trim()))
      throw illegalArgument(
        `failed to parse setting [${name}] with value [${value}] as a time value: unit is missing or unrecognized`,
      );
  }
}

/** @throws RequestError for a word that names no kind of index */
function checkExpansion(value: string): void {
  const wrong = value.split(',').find((word) => !['open', 'closed', 'hidden', 'all', 'none'].includes(word));
  if (wrong !== undefined) throw illegalArgument(`No valid expand wildcard value [${wrong}]`);
}

/** Refuses URL parameters that the endpoint does not know. @throws RequestError naming them */
export function checkParams(call: Call, route: Route): void {
  const unknown = [...new Set(call.request.query.keys())].filter((name) => !route.params.includes(name)).sort();
  if (unknown.length === 0) return;
  const parts = unknown.map((name) => `[${name}]${nearestOfUrl(name, route.params)}`);
  throw illegalArgument(
    `request [${call.request.path}] contains unrecognized parameter${unknown.length > 1 ? 's' : ''}: ${parts.join(', ')}`,
  );
}
