// Which parts of `_source` a response shows: include and exclude patterns over dotted paths.
import { asString, isObject, type Json, toList } from '../json.ts';
import { parsingError } from '../request-error.ts';

/** What of the source to return. */
export interface SourceFilter {
  readonly enabled: boolean;
  readonly includes: readonly string[];
  readonly excludes: readonly string[];
}

/** Everything. */
const WHOLE_SOURCE: SourceFilter = { enabled: true, includes: [], excludes: [] };

/** Reads `_source`: a boolean, patterns, or `{includes, excludes}`. */
export function readSourceFilter(value: unknown): SourceFilter {
  if (value === true || value === 'true' || value === undefined) return WHOLE_SOURCE;
  if (value === false || value === 'false') return { ...WHOLE_SOURCE, enabled: false };
  if (typeof value === 'string' || Array.isArray(value)) {
    return { enabled: true, includes: toList(value).map((each) => asString(each, '_source')), excludes: [] };
  }
  if (!isObject(value))
    throw parsingError('Expected one of [VALUE_BOOLEAN, START_OBJECT] but found [VALUE_NUMBER] in [_source]');
  const list = (...keys: string[]): string[] =>
    keys.flatMap((key) => (value[key] === undefined ? [] : toList(value[key]).map((each) => asString(each, key))));
  for (const key of Object.keys(value)) {
    if (!['includes', 'include', 'excludes', 'exclude'].includes(key)) {
      throw parsingError(`Unknown key for a VALUE_STRING in [${key}].`);
    }
  }
  return { enabled: true, includes: list('includes', 'include'), excludes: list('excludes', 'exclude') };
}

/** Applies a filter to a parsed source. */
export function filterSource(source: Json, filter: SourceFilter): Json {
  if (filter.includes.length === 0 && filter.excludes.length === 0) return source;
  const includes = filter.includes.map((pattern) => pattern.split('.'));
  const excludes = filter.excludes.map((pattern) => pattern.split('.'));
  return (walk(source, includes.length === 0 ? undefined : includes, excludes) ?? {}) as Json;
}

type Patterns = readonly (readonly string[])[];

/** The part of a value that is kept; undefined when none is. `includes` undefined: everything here is included. */
function walk(value: unknown, includes: Patterns | undefined, excludes: Patterns): unknown {
  if (Array.isArray(value)) {
    const kept = value.map((element) => walk(element, includes, excludes)).filter((element) => element !== undefined);
    return kept.length === 0 && value.length > 0 && includes !== undefined ? undefined : kept;
  }
  if (!isObject(value)) return includes === undefined ? value : undefined;
  const kept: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const steps = key.split('.');
    const inner = includes === undefined ? undefined : advance(includes, steps);
    if (inner !== undefined && inner.rest.length === 0 && !inner.whole) continue;
    const out = advance(excludes, steps);
    if (out.whole) continue;
    const found = walk(member, inner === undefined || inner.whole ? undefined : inner.rest, out.rest);
    if (found !== undefined) kept[key] = found;
  }
  return Object.keys(kept).length === 0 && includes !== undefined ? undefined : kept;
}

/** What is left of patterns after these steps; `whole` when one is used up, so that everything below is meant. */
function advance(patterns: Patterns, steps: readonly string[]): { readonly rest: Patterns; readonly whole: boolean } {
  let states: Patterns = patterns;
  let whole = false;
  for (const step of steps) {
    const next: (readonly string[])[] = [];
    for (const pattern of states) {
      const [head = '', ...tail] = pattern;
      if (!stepMatches(head, step)) continue;
      if (tail.length === 0) whole = true;
      else next.push(tail);
      // `*` reaches over dots.
      if (head.includes('*')) next.push(head.endsWith('*') ? ['*', ...tail].slice(tail.length > 0 ? 0 : 1) : pattern);
    }
    states = next.filter((pattern) => pattern.length > 0);
  }
  return { rest: states, whole };
}

function stepMatches(pattern: string, step: string): boolean {
  if (!pattern.includes('*')) return pattern === step;
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(step);
}
