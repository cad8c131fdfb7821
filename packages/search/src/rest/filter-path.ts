// `filter_path`: which parts of a response are kept, by patterns with `*` (one step) and `**` (any steps); a leading `-`
// drops instead.
import { isObject } from '../json.ts';

/** Applies the patterns; undefined when nothing is left. */
export function filterPath(value: unknown, expression: string): unknown {
  const patterns = expression
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const keep = patterns.filter((pattern) => !pattern.startsWith('-')).map(split);
  const drop = patterns.filter((pattern) => pattern.startsWith('-')).map((pattern) => split(pattern.slice(1)));
  const kept = keep.length === 0 ? value : pick(value, keep);
  return drop.length === 0 ? kept : without(kept, drop);
}

function split(pattern: string): string[] {
  return pattern.split(/(?<!\\)\./).map((step) => step.replaceAll('\\.', '.'));
}

type Patterns = readonly (readonly string[])[];

function advance(patterns: Patterns, key: string): { readonly rest: Patterns; readonly whole: boolean } {
  const rest: (readonly string[])[] = [];
  let whole = false;
  const step = (pattern: readonly string[]): void => {
    const [head = '', ...tail] = pattern;
    if (head === '**') {
      rest.push(pattern);
      if (tail.length === 0) whole = true;
      else step(tail);
      return;
    }
    const parts = head.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    if (!new RegExp(`^${parts.join('.*')}$`).test(key)) return;
    if (tail.length === 0) whole = true;
    else rest.push(tail);
  };
  for (const pattern of patterns) step(pattern);
  return { rest, whole };
}

function pick(value: unknown, patterns: Patterns): unknown {
  if (Array.isArray(value)) {
    const kept = value.map((element) => pick(element, patterns)).filter((element) => element !== undefined);
    return kept.length === 0 ? undefined : kept;
  }
  if (!isObject(value)) return undefined;
  const kept: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const { rest, whole } = advance(patterns, key);
    const found = whole ? member : rest.length === 0 ? undefined : pick(member, rest);
    if (found !== undefined) kept[key] = found;
  }
  return Object.keys(kept).length === 0 ? undefined : kept;
}

function without(value: unknown, patterns: Patterns): unknown {
  if (Array.isArray(value)) return value.map((element) => without(element, patterns));
  if (!isObject(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const { rest, whole } = advance(patterns, key);
    if (!whole) kept[key] = rest.length === 0 ? member : without(member, rest);
  }
  return kept;
}
