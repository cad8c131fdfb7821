// Puts a mistake into a correct request, such as a typing error or a misread manual would.
import type { Random } from './random.ts';

type Json = Readonly<Record<string, unknown>>;

/** Values that replace a correct one. */
const INSTEAD: readonly unknown[] = [
  null,
  -1,
  0,
  1e308,
  2 ** 53,
  'x',
  '',
  true,
  [],
  {},
  'long '.repeat(300),
  '*',
  [[]],
  'now||/d',
];

/** Changes one place of a request. */
export function spoil(random: Random, value: unknown): unknown {
  const places = countPlaces(value);
  return places === 0 ? value : at(random, value, random.int(places));
}

function countPlaces(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  // Long lists are long on purpose.
  return Object.values(value)
    .slice(0, 50)
    .reduce<number>((sum, inner) => sum + 1 + countPlaces(inner), 0);
}

/** With the place of that number changed, counted as above. */
function at(random: Random, value: unknown, place: number): unknown {
  let left = place;
  const entries = Object.entries(value as Json);
  for (const [position, [key, inner]] of entries.entries()) {
    const below = countPlaces(inner);
    if (left > below) {
      left -= 1 + below;
      continue;
    }
    const change = (changed: readonly (readonly [string, unknown])[]): unknown => {
      const all = [...entries.slice(0, position), ...changed, ...entries.slice(position + 1)];
      return Array.isArray(value) ? all.map(([, each]) => each) : Object.fromEntries(all);
    };
    if (left > 0) return change([[key, at(random, inner, left - 1)]]);
    return change(
      random.pick([[[key, random.pick(INSTEAD)]], [[key, random.pick(INSTEAD)]], [], [[`${key}s`, inner]]]),
    );
  }
  return value;
}
