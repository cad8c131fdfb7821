// Which parts of `_source` a response shows: include and exclude patterns over dotted paths.
import { globMatches } from '../text/glob.ts';
import { asString, isObject, type Json, setMember, toList, tokenOf } from '../json/json.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { type Advance, PathState } from '../json/path-patterns.ts';
import { illegalArgument, parsingError, RequestError } from '../errors/request-error.ts';

/** What of the source to return. */
export interface SourceFilter {
  readonly enabled: boolean;
  readonly includes: readonly string[];
  readonly excludes: readonly string[];
}

/** What of a source the mapping keeps: all that is shown of it, and all that `fields`, highlights and inner hits are made of. */
export function keptSource({ sourceSetting }: Pick<Mapping, 'sourceSetting'>, source: Json): Json {
  const { includes, excludes } = sourceSetting;
  return includes.length + excludes.length === 0 ? source : filterSource(source, sourceSetting);
}

/** Everything. */
const WHOLE_SOURCE: SourceFilter = { enabled: true, includes: [], excludes: [] };

/** Reads `_source`: a boolean, patterns, or `{includes, excludes}`. */
export function readSourceFilter(value: unknown): SourceFilter {
  if (value === true || value === undefined) return WHOLE_SOURCE;
  if (value === false) return { ...WHOLE_SOURCE, enabled: false };
  if (typeof value === 'string' || Array.isArray(value)) {
    checkCount(toList(value).length);
    const odd = toList(value).find((each) => each === null || typeof each === 'object');
    if (odd !== undefined)
      throw new RequestError('SEARCH_PARSING', 'illegal_state_exception', `Can't get text on a ${tokenOf(odd)}`);
    return { enabled: true, includes: toList(value).map((each) => asString(each, '_source')), excludes: [] };
  }
  if (!isObject(value)) throw parsingError('Expected one of [VALUE_BOOLEAN, START_OBJECT] but found [VALUE_NUMBER]');
  const list = (...keys: string[]): string[] =>
    keys.flatMap((key) => (value[key] === undefined ? [] : toList(value[key]).map((each) => asString(each, key))));
  for (const [key, member] of Object.entries(value)) {
    const isKnown = ['includes', 'include', 'excludes', 'exclude'].includes(key);
    const odd = isKnown ? toList(member).find((each) => typeof each !== 'string') : member;
    if (odd !== undefined) throw parsingError(`Unknown key for a ${tokenOf(odd)} in [${key}].`);
  }
  const includes = list('includes', 'include');
  const excludes = list('excludes', 'exclude');
  checkCount(includes.length + excludes.length);
  return { enabled: true, includes, excludes };
}

/** Patterns of one `_source` at most; each is looked at for each distinct member of the hits. */
const MAX_PATTERNS = 1000;

function checkCount(count: number): void {
  if (count <= MAX_PATTERNS) return;
  throw illegalArgument(
    `Too many patterns in [_source]. At most [${MAX_PATTERNS}] are allowed but there were [${count}]`,
  );
}

/** Applies a filter to a parsed source. */
export function filterSource(source: Json, filter: SourceFilter): Json {
  if (filter.includes.length === 0 && filter.excludes.length === 0) return source;
  let states = compiled.get(filter);
  if (states === undefined) {
    const state = (patterns: readonly string[]): PathState =>
      new PathState(
        [...new Set(patterns)].map((pattern) => pattern.split('.')),
        advance,
      );
    const { includes, excludes } = filter;
    states = { includes: includes.length === 0 ? undefined : state(includes), excludes: state(excludes) };
    compiled.set(filter, states);
  }
  return (walk(source, states.includes, states.excludes) ?? {}) as Json;
}

/** The states of a filter, made once for all hits. */
const compiled = new WeakMap<
  SourceFilter,
  { readonly includes: PathState | undefined; readonly excludes: PathState }
>();

/** The part of a member that is kept; undefined when none is. `includes` undefined: everything here is included. */
function walk(value: unknown, includes: PathState | undefined, excludes: PathState): unknown {
  if (includes === undefined && excludes.isEmpty) return value;
  const kept = part(value, includes, excludes);
  return includes !== undefined && isBare(kept) ? undefined : kept;
}

function part(value: unknown, includes: PathState | undefined, excludes: PathState): unknown {
  // Of a list, what is left empty goes; so do lists and objects in it that were empty, as Elasticsearch drops them.
  if (Array.isArray(value)) return value.map((each) => part(each, includes, excludes)).filter((each) => !isBare(each));
  if (!isObject(value)) return includes === undefined ? value : undefined;
  const kept: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const steps = key.split('.');
    const inner = includes === undefined ? undefined : follow(includes, steps);
    if (inner !== undefined && inner.state.isEmpty && !inner.whole) continue;
    const out = follow(excludes, steps);
    if (out.whole) continue;
    const found = walk(member, inner === undefined || inner.whole ? undefined : inner.state, out.state);
    if (found !== undefined) setMember(kept, key, found);
  }
  return kept;
}

function isBare(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return value === undefined;
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}

function follow(from: PathState, steps: readonly string[]): { readonly state: PathState; readonly whole: boolean } {
  let state = from;
  let whole = false;
  for (const step of steps) {
    const next = state.step(step);
    state = next.state;
    whole ||= next.whole;
  }
  return { state, whole };
}

function advance(pattern: readonly string[], name: string): Advance {
  const [head = '', ...tail] = pattern;
  if (!globMatches(head, name)) return { rest: [], whole: false };
  const rest = tail.length === 0 ? [] : [tail];
  // `*` reaches over dots.
  if (head.endsWith('*')) {
    if (tail.length > 0) rest.push(['*', ...tail]);
  } else if (head.includes('*')) {
    rest.push([...pattern]);
  }
  return { rest, whole: tail.length === 0 };
}
