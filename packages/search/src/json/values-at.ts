// What stands at a dotted path of a JSON document. What a mapped field got from there: mapping/values-of-field.ts.
import { isObject } from './json.ts';

/**
 * The values at a dotted path, through objects and arrays; members may themselves be spelled with dots.
 *
 * @param ifNull stands for each null; without it nulls are left out
 */
export function valuesAt(value: unknown, path: readonly string[], ifNull?: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap((element) => valuesAt(element, path, ifNull));
  if (path.length === 0) {
    const found = value === null ? ifNull : value;
    return found === undefined || found === null ? [] : [found];
  }
  if (!isObject(value)) return [];
  const found: unknown[] = [];
  for (let size = 1; size <= path.length; size++) {
    const key = path.slice(0, size).join('.');
    // Not as arguments of one call: there may be a hundred thousand values.
    if (Object.hasOwn(value, key)) for (const each of valuesAt(value[key], path.slice(size), ifNull)) found.push(each);
  }
  return found;
}
