// Requests selected by path patterns outside of rules: CSRF exceptions, and the paths of a chain.
import { securityErrors } from '../errors/chain-errors.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import { compileMatcher, type RequestPattern } from '../match/matcher.ts';
import { type PathComparison, viewPath } from '../match/path-view.ts';
import type { RequestSelection } from './security-config.ts';

type Test = (exchange: SecurityExchange) => boolean;

/** @throws ProductError SECURITY_CONFIG_INVALID, SECURITY_PATTERN_INVALID, SECURITY_METHOD_UNKNOWN */
export function readSelections(selections: readonly RequestSelection[], comparison: PathComparison): readonly Test[] {
  return selections.flatMap(readPatterns).map((source) => {
    const matcher = compileMatcher(source, comparison);
    return ({ method, path, query }) => matcher.matches(method, viewPath(path), query);
  });
}

function readPatterns(selection: RequestSelection): readonly RequestPattern[] {
  const { method } = selection;
  const patterns: RequestPattern[] = [];
  for (const kind of ['ant', 'mvc', 'regex'] as const) {
    for (const pattern of [selection[kind] ?? []].flat()) patterns.push({ kind, pattern, method });
  }
  if (patterns.length > 0) return patterns;
  if (method !== undefined) return [{ kind: 'any', method }];
  throw securityErrors.create('SECURITY_CONFIG_INVALID', {
    reason: 'a selection of requests has none of ant, mvc, regex, method',
  });
}
