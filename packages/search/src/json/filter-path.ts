// `filter_path`: which parts of a response are kept, by patterns with `*` (one step) and `**` (any steps); a leading `-`
// drops instead.
import { globMatches } from '../text/glob.ts';
import { isKeptNumber } from './exact-json.ts';
import { isObject, setMember } from './json.ts';
import { type Advance, PathState } from './path-patterns.ts';

/** Applies the patterns; undefined when nothing is left. */
export function filterPath(value: unknown, expression: string): unknown {
  const patterns = expression
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const keep = patterns.filter((pattern) => !pattern.startsWith('-')).map(split);
  const drop = patterns.filter((pattern) => pattern.startsWith('-')).map((pattern) => split(pattern.slice(1)));
  const kept = keep.length === 0 ? value : pick(value, new PathState(keep, advance));
  return drop.length === 0 ? kept : without(kept, new PathState(drop, advance));
}

/** The steps; `**.**` is `**`, and kept as it is would cost the cube of its length for each member of the response. */
function split(pattern: string): string[] {
  const steps = pattern.split(/(?<!\\)\./).map((step) => step.replaceAll('\\.', '.'));
  return steps.filter((step, at) => step !== '**' || steps[at + 1] !== '**');
}

function advance(pattern: readonly string[], name: string): Advance {
  const rest: (readonly string[])[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const head = pattern[at]!;
    if (head === '**') {
      // Any number of steps, none included: the pattern stays, and what follows may begin here.
      rest.push(pattern.slice(at));
      if (at === pattern.length - 1) return { rest, whole: true };
      continue;
    }
    if (!globMatches(head, name)) return { rest, whole: false };
    if (at === pattern.length - 1) return { rest, whole: true };
    rest.push(pattern.slice(at + 1));
    return { rest, whole: false };
  }
  return { rest, whole: false };
}

function pick(value: unknown, patterns: PathState): unknown {
  if (Array.isArray(value)) {
    const kept = value.map((element) => pick(element, patterns)).filter((element) => element !== undefined);
    return kept.length === 0 ? undefined : kept;
  }
  if (!isObject(value) || isKeptNumber(value)) return undefined;
  const kept: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const { state, whole } = patterns.step(key);
    const found = whole ? member : state.isEmpty ? undefined : pick(member, state);
    if (found !== undefined) setMember(kept, key, found);
  }
  return Object.keys(kept).length === 0 ? undefined : kept;
}

function without(value: unknown, patterns: PathState): unknown {
  if (Array.isArray(value)) return value.map((element) => without(element, patterns));
  if (!isObject(value) || isKeptNumber(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const { state, whole } = patterns.step(key);
    if (!whole) setMember(kept, key, state.isEmpty ? member : without(member, state));
  }
  return kept;
}
