// What stands at a dotted path of a JSON document. What a mapped field got from there: mapping/values-of-field.ts.
import { isObject, type Json } from './json.ts';

/**
 * The values at a dotted path, through objects and arrays; members may themselves be spelled with dots.
 *
 * @param ifNull stands for each null; without it nulls are left out
 * @param isPoint whether a list of numbers is one value
 */
export function valuesAt(value: unknown, path: readonly string[], ifNull?: unknown, isPoint = false): unknown[] {
  if (isPoint && path.length === 0 && Array.isArray(value) && typeof value[0] === 'number') return [value];
  if (Array.isArray(value)) return value.flatMap((element) => valuesAt(element, path, ifNull, isPoint));
  if (path.length === 0) {
    const found = value === null ? ifNull : value;
    return found === undefined || found === null ? [] : [found];
  }
  if (!isObject(value)) return [];
  const found: unknown[] = [];
  for (let size = 1; size <= path.length; size++) {
    const key = path.slice(0, size).join('.');
    // Not as arguments of one call: there may be a hundred thousand values.
    if (Object.hasOwn(value, key))
      for (const each of valuesAt(value[key], path.slice(size), ifNull, isPoint)) found.push(each);
  }
  return found;
}

/** Where values stand. */
export interface ValuePath {
  readonly path: string;
  /** Stands for each null; without it nulls are left out. */
  readonly ifNull?: unknown;
  /** Whether a list of numbers is one value. */
  readonly isPoint?: boolean;
}

/** The values at several paths, one path after the other. */
export function valuesOfPaths(source: Json, paths: readonly ValuePath[]): unknown[] {
  return paths.flatMap(({ ifNull, isPoint, path }) => valuesAt(source, path.split('.'), ifNull, isPoint));
}

/** The values at several paths, in the order in which the source has them. */
export function valuesInOrder(source: Json, paths: readonly ValuePath[]): readonly unknown[] {
  const ifNulls = new Map(paths.map(({ path, ifNull }) => [path, ifNull]));
  const parents = new Set(
    paths.flatMap(({ path }) => path.split('.').map((_, at, steps) => steps.slice(0, at).join('.'))),
  );
  const found: unknown[] = [];
  const walk = (value: unknown, at: string): void => {
    if (Array.isArray(value)) for (const element of value) walk(element, at);
    else if (ifNulls.has(at)) {
      const own = value === null ? ifNulls.get(at) : value;
      if (own !== undefined && own !== null) found.push(own);
    } else if (parents.has(at) && isObject(value))
      for (const [name, member] of Object.entries(value)) walk(member, at === '' ? name : `${at}.${name}`);
  };
  walk(source, '');
  return found;
}
