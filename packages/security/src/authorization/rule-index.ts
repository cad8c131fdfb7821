// Finds the rule that decides a request: the first that selects it. Rules are indexed by the literal prefix of their
// patterns, and frequent paths are cached, so that a thousand rules cost about as much as thirty.
import { compileMatcher, type RequestMatcher } from '../match/matcher.ts';
import { foldCase, type PathComparison, viewPath } from '../match/path-view.ts';
import type { Rule } from './rules.ts';

/** A compiled rule. */
export interface CompiledRule extends Rule {
  readonly matcher: RequestMatcher;
}

export interface RuleIndex {
  readonly rules: readonly CompiledRule[];
  /** Returns the deciding rule; undefined if no rule selects the request. */
  find(method: string, path: string, query: string): CompiledRule | undefined;
}

/** Cached results per method. Cleared as a whole when full: hostile paths cost a look-up, not memory. */
const CACHE_SIZE = 1000;
/** Longer paths are not cached. */
const MAX_PATH = 200;

interface TrieNode {
  readonly children: Map<string, TrieNode>;
  /** Rules whose literal prefix ends here, in declared order. */
  readonly rules: CompiledRule[];
}

export function createRuleIndex(declared: readonly Rule[], comparison: PathComparison): RuleIndex {
  const rules = declared.map((rule): CompiledRule => ({ ...rule, matcher: compileMatcher(rule.source, comparison) }));
  const fold = comparison.caseSensitive ? (segment: string) => segment : foldCase;
  const root: TrieNode = { children: new Map(), rules: [] };
  for (const rule of rules) insert(root, rule, fold);
  const readsQuery = rules.some((rule) => rule.source.kind === 'regex');
  const remembered = new Map<string, Map<string, CompiledRule | undefined>>();

  const search = (method: string, path: string, query: string): CompiledRule | undefined => {
    const view = viewPath(path);
    let best: CompiledRule | undefined;
    let node: TrieNode | undefined = root;
    for (let depth = 0; node !== undefined; depth++) {
      for (const rule of node.rules) {
        if (best !== undefined && rule.number > best.number) break;
        if (rule.matcher.matches(method, view, query)) {
          best = rule;
          break;
        }
      }
      const segment: string | undefined = view.segments[depth];
      node = segment === undefined ? undefined : node.children.get(fold(segment));
    }
    return best;
  };

  return {
    rules,
    find(method, path, query) {
      if ((readsQuery && query !== '') || path.length > MAX_PATH) return search(method, path, query);
      let byPath = remembered.get(method);
      if (byPath === undefined) remembered.set(method, (byPath = new Map()));
      let rule = byPath.get(path);
      if (rule === undefined && !byPath.has(path)) {
        rule = search(method, path, query);
        if (byPath.size >= CACHE_SIZE) byPath.clear();
        byPath.set(path, rule);
      }
      return rule;
    },
  };
}

function insert(root: TrieNode, rule: CompiledRule, fold: (segment: string) => string): void {
  let node = root;
  for (const segment of rule.matcher.prefix) {
    const key = fold(segment);
    let child = node.children.get(key);
    if (child === undefined) node.children.set(key, (child = { children: new Map(), rules: [] }));
    node = child;
  }
  node.rules.push(rule);
}
