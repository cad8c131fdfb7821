// An index with a field of every kind that requests.ts asks for, and documents for it.
import fc from 'fast-check';

/** Its mapping; `_policy` is what documents carry for their rules. */
export const EVERY_FIELD = {
  dynamic: 'strict',
  properties: {
    owner: { type: 'keyword' },
    text: { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 12 } } },
    tag: { type: 'keyword' },
    n: { type: 'long' },
    many: { type: 'long' },
    when: { type: 'date' },
    fine: { type: 'date_nanos' },
    worded: { type: 'text', fielddata: true },
    flag: { type: 'boolean' },
    span: { type: 'integer_range' },
    rank: { type: 'rank_feature' },
    place: { type: 'geo_point' },
    address: { type: 'ip' },
    typed: { type: 'search_as_you_type' },
    start: { type: 'completion' },
    grouped: { type: 'completion', contexts: [{ name: 'kind', type: 'category' }] },
    flat: { type: 'flattened' },
    fixed: { type: 'constant_keyword', value: 'fixed' },
    scaled: { type: 'scaled_float', scaling_factor: 4 },
    counted: { type: 'token_count', analyzer: 'standard' },
    bytes: { type: 'binary', doc_values: true },
    label: { type: 'alias', path: 'tag' },
    whisper: { type: 'alias', path: 'secret.keyword' },
    parts: {
      type: 'nested',
      properties: { kind: { type: 'keyword' }, v: { type: 'long' }, note: { type: 'text' } },
    },
    poster: {
      properties: {
        login: { type: 'keyword' },
        name: { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 6 } } },
      },
    },
    secret: { type: 'text', fields: { keyword: { type: 'keyword' } } },
    _policy: { properties: { r0: { type: 'keyword' } } },
  },
};

const words = fc
  .array(fc.constantFrom('red', 'blue', 'fox', 'dog', 'secret', 'rex'), { maxLength: 4 })
  .map((list) => list.join(' '));
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { freq: 3 });

/** A document. */
export const arbitraryDocument = fc.record({
  owner: fc.constantFrom('ann', 'bob'),
  text: words,
  tag: fc.oneof(fc.constantFrom('x', 'y', 'zed'), fc.constant(null), fc.constant(['x', 'zed'])),
  n: fc.oneof(fc.nat(5), fc.constant(null)),
  many: maybe(fc.array(fc.integer({ min: -3, max: 4 }), { maxLength: 6 })),
  when: fc.constantFrom('2026-01-01', '2026-01-03', '1960-02-03', null),
  fine: fc.constantFrom('2026-01-01T00:00:00.000000001Z', '2026-01-01T00:00:00.000000002Z', null),
  worded: words,
  flag: maybe(fc.boolean()),
  rank: fc.constantFrom(1, 7, 90),
  span: fc.oneof(fc.record({ gte: fc.nat(2), lt: fc.constantFrom(3, 5) }), fc.constant(null)),
  place: maybe(fc.record({ lat: fc.nat(3), lon: fc.nat(3) })),
  address: maybe(fc.constantFrom('10.0.0.1', '10.0.0.9', 'fe80::1')),
  typed: words,
  start: maybe(fc.constantFrom('red fox', 'blue', ['red', 'rex'])),
  grouped: maybe(
    fc.record({
      input: fc.constantFrom('red fox', ['blue', 'brown']),
      weight: fc.nat(2),
      contexts: fc.record({ kind: fc.constantFrom('x', ['x', 'y'], 'xy') }),
    }),
  ),
  flat: maybe(fc.record({ colour: fc.constantFrom('red', 'blue'), deep: fc.record({ n: fc.nat(2) }) })),
  fixed: maybe(fc.constant('fixed')),
  scaled: maybe(fc.constantFrom(0.1, 2.25, -3)),
  counted: maybe(words),
  bytes: maybe(fc.constantFrom('AAE=', '/w==')),
  parts: fc.array(fc.record({ kind: fc.constantFrom('x', 'y'), v: fc.nat(3), note: words }), { maxLength: 3 }),
  poster: fc.oneof(fc.record({ login: fc.constantFrom('ann', 'bob', 'cid'), name: words }), fc.constant(null)),
  secret: words,
  _policy: fc.record({ r0: fc.constantFrom('t', 'f') }),
});

/** One of them. */
export type EveryField = typeof arbitraryDocument extends fc.Arbitrary<infer T> ? T : never;
