// Selects requests by Ant pattern, MVC pattern, regular expression, method, or all. The three kinds differ as in Spring
// Security 5.8: the Ant pattern `/hello` does not match `/hello/`, the MVC pattern does, and a regular expression sees
// path and query.
import { didYouMean, isOneOf } from '@lockstitch/kernel';
import { securityErrors } from '../errors/chain-errors.ts';
import { type AntPattern, compileAntPattern } from './ant-pattern.ts';
import { type PathComparison, type PathView, viewPath } from './path-view.ts';
import { compileRegex } from './safe-regex.ts';

/** Methods by which requests can be selected; also those that the firewall allows. TRACE is rejected earlier. */
export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/** A selector as data: `{ ant: '/admin/**', method: 'GET' }`. */
export type RequestPattern =
  | { readonly kind: 'ant' | 'mvc' | 'regex'; readonly pattern: string; readonly method?: HttpMethod | undefined }
  | { readonly kind: 'any'; readonly method?: HttpMethod | undefined };

export interface RequestMatcher {
  readonly source: RequestPattern;
  /** Literal leading segments of every matching path; [] if any path may match. */
  readonly prefix: readonly string[];
  readonly hasVariables: boolean;
  matches(method: string, view: PathView, query: string): boolean;
  /** Path variables of a matching request. */
  variables(view: PathView): Readonly<Record<string, string>>;
}

const NONE: Readonly<Record<string, string>> = Object.freeze({});

/** Parses a method name from a configuration. @throws ProductError SECURITY_METHOD_UNKNOWN */
export function readMethod(method: unknown): HttpMethod {
  if (isHttpMethod(method)) return method;
  throw securityErrors.create('SECURITY_METHOD_UNKNOWN', {
    method: typeof method === 'string' ? method : JSON.stringify(method),
    suggestion: typeof method === 'string' ? didYouMean(method, HTTP_METHODS) : '',
    allowed: HTTP_METHODS.join(', '),
  });
}

export function isHttpMethod(method: unknown): method is HttpMethod {
  return isOneOf(HTTP_METHODS, method);
}

/** Name of a pattern in messages and in `list()`: `Ant [pattern='/a', GET]`. */
export function describePattern(source: RequestPattern): string {
  const method = source.method === undefined ? '' : source.method;
  if (source.kind === 'any') return method === '' ? 'any request' : `any request [${method}]`;
  const kind = { ant: 'Ant', mvc: 'Mvc', regex: 'Regex' }[source.kind];
  return `${kind} [pattern='${source.pattern}'${method === '' ? '' : `, ${method}`}]`;
}

/** @throws ProductError SECURITY_PATTERN_INVALID, SECURITY_METHOD_UNKNOWN */
export function compileMatcher(source: RequestPattern, comparison: PathComparison): RequestMatcher {
  const method = source.method === undefined ? undefined : readMethod(source.method);
  if (source.kind !== 'any' && typeof source.pattern !== 'string')
    throw invalid({ ant: 'Ant', mvc: 'Mvc', regex: 'Regex' }[source.kind], String(source.pattern), 'it is no text');
  switch (source.kind) {
    case 'any':
      return build(
        source,
        method,
        [],
        false,
        () => true,
        () => NONE,
      );
    case 'ant':
      return compileAnt(source, method, comparison);
    case 'mvc':
      return compileMvc(source, method, comparison);
    case 'regex': {
      const regex = compileRegex(source.pattern, comparison.caseSensitive, 'Regex', source.pattern);
      const test = (path: string, query: string): boolean => regex.test(query === '' ? path : `${path}?${query}`);
      const matches = tolerant(comparison, (view, query) => test(view.path, query));
      return build(source, method, [], false, matches, () => NONE);
    }
  }
}

type PathTest = (view: PathView, query: string) => boolean;
type Pattern = RequestPattern & { readonly pattern: string };

function compileAnt(source: Pattern, method: HttpMethod | undefined, comparison: PathComparison): RequestMatcher {
  const { pattern } = source;
  if (pattern === '') throw invalid('Ant', pattern, 'it is empty');
  if (pattern === '/**' || pattern === '**')
    return build(
      source,
      method,
      [],
      false,
      () => true,
      () => NONE,
    );
  const ant = compileAntPattern(pattern, comparison);
  // A plain tree `/a/**` is compared as text, as AntPathRequestMatcher does: it also matches `/a` and `/a/`.
  const tree = pattern.endsWith('/**') && !/[?{}]/.test(pattern) && pattern.indexOf('*') === pattern.length - 2;
  const tests = tree ? compileTree(pattern, comparison) : (view: PathView) => ant.matches(view);
  return build(source, method, prefixOf(ant), ant.variableNames.length > 0, tolerant(comparison, tests), (view) =>
    ant.variables(view),
  );
}

function compileTree(pattern: string, comparison: PathComparison): PathTest {
  const root = pattern.slice(0, -3);
  if (!comparison.caseSensitive) {
    const ant = compileAntPattern(pattern, comparison);
    return (view) => ant.matches(view);
  }
  return ({ path }) => path.startsWith(root) && (path.length === root.length || path[root.length] === '/');
}

function compileMvc(source: Pattern, method: HttpMethod | undefined, comparison: PathComparison): RequestMatcher {
  if (source.pattern === '') throw invalid('Mvc', source.pattern, 'it is empty');
  const pattern = source.pattern.startsWith('/') ? source.pattern : `/${source.pattern}`;
  const exact = compileAntPattern(pattern, comparison, 'Mvc');
  const slashed = pattern.endsWith('/') ? undefined : compileAntPattern(`${pattern}/`, comparison, 'Mvc');
  const matches: PathTest = (view) => {
    const asked = view.path === '' ? ROOT : view;
    return asked.path === pattern || exact.matches(asked) || slashed?.matches(asked) === true;
  };
  return build(source, method, prefixOf(exact), exact.variableNames.length > 0, tolerant(comparison, matches), (view) =>
    exact.matches(view) || slashed === undefined ? exact.variables(view) : slashed.variables(view),
  );
}

const ROOT = viewPath('/');

/** With a slash-tolerant router `/a/` reaches the handler of `/a`, so it must match the rules of `/a` too. */
function tolerant(comparison: PathComparison, matches: PathTest): PathTest {
  if (!comparison.slashTolerant) return matches;
  return (view, query) => {
    if (matches(view, query)) return true;
    if (view.path.length < 2) return false;
    const other = view.endsWithSlash ? view.path.slice(0, -1) : `${view.path}/`;
    return matches({ path: other, segments: view.segments, endsWithSlash: !view.endsWithSlash }, query);
  };
}

function build(
  source: RequestPattern,
  method: HttpMethod | undefined,
  prefix: readonly string[],
  hasVariables: boolean,
  matches: PathTest,
  variables: (view: PathView) => Readonly<Record<string, string>>,
): RequestMatcher {
  return {
    source,
    prefix,
    hasVariables,
    matches:
      method === undefined
        ? (_, view, query) => matches(view, query)
        : (asked, view, query) => asked === method && matches(view, query),
    variables,
  };
}

function prefixOf(pattern: AntPattern): readonly string[] {
  const prefix: string[] = [];
  for (const part of pattern.parts) {
    if (part === '**' || part.literal === undefined) break;
    prefix.push(part.literal);
  }
  return prefix;
}

function invalid(matcher: string, pattern: string, reason: string) {
  return securityErrors.create('SECURITY_PATTERN_INVALID', { matcher, pattern, reason });
}
