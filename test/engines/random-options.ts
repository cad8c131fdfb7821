// Random searches made of the documented options of aggregations, sorts and searches: each with values that fit it, and now and then
// with one that does not, without one that it needs, or with a member that there is not.
import type { Random, Surface } from '@lockstitch/search/requests';
import {
  type AggregationOptions,
  BUCKETS,
  type Make,
  METRICS,
  PARENTS,
  PATHS,
  SIBLINGS,
} from './aggregation-options.ts';
import type { Choice } from './choice.ts';
import { randomBody } from './random-search-options.ts';

/** What no option takes, or few do. */
const WRONG: readonly unknown[] = [
  null,
  -1,
  0,
  1,
  2.5,
  1e10,
  2 ** 53,
  1e308,
  '',
  'x',
  '5',
  '-1',
  true,
  'true',
  [],
  {},
  [[]],
  [1],
  ['x'],
  { x: 1 },
];

/** Makes a search. */
export function randomOptions(random: Random, surface: Surface): { readonly target: string; readonly body: unknown } {
  const choice = { random, surface };
  if (random.once(3)) return randomBody(choice);
  const typed = random.once(8) ? '?typed_keys' : '';
  return {
    target: `POST /${surface.indexes[0]!.name}/_search${typed}`,
    body: {
      size: 0,
      ...(random.once(4) ? { query: { term: { tag: 'x' } } } : {}),
      ...(random.once(40) ? { query: { term: { tag: 'nobody' } } } : {}),
      aggs: randomAggs(choice, 2),
    },
  };
}

/** Makes some aggregations. @param depth how deep others stand in them at most */
function randomAggs(choice: Choice, depth: number): object {
  const { random } = choice;
  if (random.once(8)) return siblings(choice);
  if (depth > 0 && random.once(6)) return { h: parents(choice) };
  const kinds = depth === 0 || random.once(2) ? METRICS : BUCKETS;
  const [type, options] = random.pick(Object.entries(kinds));
  const body = { [type]: bodyOf(choice, options) };
  const isNested = random.once(kinds === BUCKETS ? 3 : 60) && depth > 0;
  return {
    a: {
      ...body,
      ...(isNested || type.endsWith('sampler') ? { aggs: randomAggs(choice, Math.max(0, depth - 1)) } : {}),
      ...(random.once(30) ? { meta: random.pick<unknown>([{ a: 1 }, {}, 7]) } : {}),
    },
  };
}

const PARENTS_OF: readonly ((choice: Choice) => object)[] = [
  ({ random }) => ({ histogram: { field: random.pick(['n', 'scaled']), interval: random.pick([1, 2, 10]) } }),
  () => ({ date_histogram: { field: 'when', calendar_interval: 'day' } }),
  () => ({ date_histogram: { field: 'when', fixed_interval: '12h', keyed: true } }),
  () => ({ auto_date_histogram: { field: 'when', buckets: 3 } }),
  () => ({ histogram: { field: 'n', interval: 5, min_doc_count: 0, keyed: true } }),
];

/** What pipelines read. */
const READ = {
  s: { sum: { field: 'scaled' } },
  v: { avg: { field: 'n' } },
  t: { stats: { field: 'n' } },
  q: { percentiles: { field: 'scaled' } },
  k: { terms: { field: 'tag' } },
  f: { filter: { term: { tag: 'x' } }, aggs: { s: { max: { field: 'n' } } } },
};

function parents(choice: Choice): object {
  const { random } = choice;
  const [type, options] = random.pick(Object.entries(PARENTS));
  const around = random.once(10) ? { terms: { field: 'tag' } } : random.pick(PARENTS_OF)(choice);
  return { ...around, aggs: { ...READ, p: { [type]: bodyOf(choice, options) } } };
}

function siblings(choice: Choice): object {
  const { random } = choice;
  const [type, options] = random.pick(Object.entries(SIBLINGS));
  const around = random.once(3) ? { terms: { field: 'tag' } } : random.pick(PARENTS_OF)(choice);
  return {
    h: { ...around, aggs: READ },
    p: { [type]: { buckets_path: `h>${random.pick(PATHS)}`, ...bodyOf(choice, options) } },
  };
}

/** Makes a body: what it needs, and some of its options. */
function bodyOf(choice: Choice, { needs = {}, takes = {} }: AggregationOptions): object {
  const { random } = choice;
  const body: Record<string, unknown> = {};
  for (const [name, make] of Object.entries(needs)) if (!random.once(40)) body[name] = valueOf(choice, make);
  const names = Object.keys(takes);
  const many = names.length === 0 ? 0 : random.pick([0, 1, 1, 1, 2, 2, 3]);
  for (let at = 0; at < many; at++) {
    const name = random.pick(names);
    body[name] = valueOf(choice, takes[name]!);
  }
  // Few formats of numbers can read what is missing back: one mistake, answered by 500 there.
  if ('missing' in body && 'format' in body && !random.once(5)) delete body['format'];
  if (random.once(40)) body[random.pick(['wrong', 'fields', 'sizes', 'boost', 'type'])] = random.pick(WRONG);
  return body;
}

function valueOf(choice: Choice, make: Make): unknown {
  if (choice.random.once(12)) return choice.random.pick(WRONG);
  return Array.isArray(make)
    ? choice.random.pick(make as readonly unknown[])
    : (make as (c: Choice) => unknown)(choice);
}
