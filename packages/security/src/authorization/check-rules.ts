// Finds rules that can never decide, at start-up: a rule is rejected if one earlier rule already selects all its
// requests. The check compares patterns; it finds the plain cases and has no false positives.
import type { ProductError } from '@lockstitch/kernel';
import { securityErrors } from '../errors/chain-errors.ts';
import { compileMatcher, describePattern, type RequestMatcher, type RequestPattern } from '../match/matcher.ts';
import { EXACT, splitPath, viewPath } from '../match/path-view.ts';
import type { Rule } from './rules.ts';

/** Returns SECURITY_RULE_UNREACHABLE for each such rule; `detail` is the rule's pattern. */
export function checkRules(rules: readonly Rule[]): readonly ProductError[] {
  const matchers = rules.map((rule) => compileMatcher(rule.source, EXACT));
  return rules.flatMap((rule, index) => {
    const covering = rules.find((earlier, at) => at < index && covers(earlier.source, matchers[at]!, rule.source));
    if (covering === undefined) return [];
    const values = {
      number: rule.number,
      rule: describePattern(rule.source),
      earlier: covering.number,
      covering: describePattern(covering.source),
    };
    return securityErrors.create('SECURITY_RULE_UNREACHABLE', values, { detail: rule.source });
  });
}

/** Returns whether `earlier` selects every request that `later` does, as far as patterns tell. */
export function covers(earlier: RequestPattern, matcher: RequestMatcher, later: RequestPattern): boolean {
  if (earlier.method !== undefined && earlier.method !== later.method) return false;
  if (earlier.kind === 'any' || (earlier.kind !== 'regex' && /^(?:\/?\*\*)$/.test(earlier.pattern))) return true;
  if (later.kind === 'any') return false;
  if (earlier.kind === later.kind && earlier.pattern === later.pattern) return true;
  if (earlier.kind === 'regex' || later.kind === 'regex') return false;
  const tree = treeRoot(earlier.pattern);
  if (tree !== undefined) {
    const leading = literalPrefix(later.pattern);
    return tree.every((segment, index) => leading[index] === segment);
  }
  if (/[*?{]/.test(later.pattern)) return false;
  const paths =
    later.kind === 'mvc' && !later.pattern.endsWith('/') ? [later.pattern, `${later.pattern}/`] : [later.pattern];
  return paths.every((path) => matcher.matches(later.method ?? earlier.method ?? 'GET', viewPath(path), ''));
}

/** The segments of `/a/b` in `/a/b/**`; undefined for other patterns. */
function treeRoot(pattern: string): readonly string[] | undefined {
  const segments = splitPath(pattern);
  if (segments.at(-1) !== '**' || !pattern.startsWith('/') || pattern.endsWith('/')) return undefined;
  const root = segments.slice(0, -1);
  return root.every((segment) => !/[*?{]/.test(segment)) ? root : undefined;
}

function literalPrefix(pattern: string): readonly string[] {
  const segments = splitPath(pattern);
  const wild = segments.findIndex((segment) => /[*?{]/.test(segment));
  return wild < 0 ? segments : segments.slice(0, wild);
}
