// Random documents and queries over a tiny vocabulary, so that most of them meet.
import fc from 'fast-check';
import type { Query } from '../../src/query/query.ts';
import type { PlainDocument } from './naive.ts';

const word = fc.constantFrom('a', 'b', 'c', 'd', 'ab', 'ac', 'bcd', 'é', 'zz');
const tag = fc.constantFrom('red', 'green', 'blue', 'black');
const number = fc.constantFrom(-2, 0, 1, 1.5, 3, 7);
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

/** A document without its id. */
export const arbitraryBody: fc.Arbitrary<Omit<PlainDocument, 'id'>> = fc.record(
  {
    text: fc.array(word, { minLength: 1, maxLength: 12 }),
    title: fc.array(word, { minLength: 1, maxLength: 3 }),
    tag: fc.array(tag, { minLength: 1, maxLength: 3 }),
    n: fc.array(number, { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: [] },
);

const textField = fc.constantFrom('text', 'title');
const termField = fc.constantFrom('text', 'title', 'tag');
const anyTerm = fc.oneof(word, tag);
const boost = maybe(fc.constantFrom(0.5, 2, 3.3));

const leaf: fc.Arbitrary<Query> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('term' as const), field: termField, term: anyTerm, boost }) },
  fc.record({ kind: fc.constant('match_all' as const), boost }),
  fc.record({ kind: fc.constant('terms' as const), field: termField, terms: fc.array(anyTerm, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant('prefix' as const), field: termField, prefix: fc.constantFrom('a', 'b', 'gr', '') }),
  fc.record({
    kind: fc.constant('wildcard' as const),
    field: termField,
    pattern: fc.constantFrom('*', '?', 'a*', '*c?', 'b*d', '?'),
  }),
  fc.record({
    kind: fc.constant('term_range' as const),
    field: termField,
    from: maybe(anyTerm),
    to: maybe(anyTerm),
    includeFrom: fc.boolean(),
    includeTo: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('numbers' as const),
    field: fc.constant('n'),
    values: fc.array(number, { maxLength: 3 }),
  }),
  fc.record({
    kind: fc.constant('number_range' as const),
    field: fc.constant('n'),
    from: maybe(number),
    to: maybe(number),
    includeFrom: fc.boolean(),
    includeTo: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('exists' as const), field: fc.constantFrom('text', 'title', 'tag', 'n') }),
  fc.record({
    kind: fc.constant('ids' as const),
    ids: fc.array(fc.integer({ min: 0, max: 20 }).map(String), { maxLength: 5 }),
  }),
  fc.record({
    kind: fc.constant('phrase' as const),
    field: textField,
    terms: fc
      .array(fc.array(word, { minLength: 1, maxLength: 2 }), { minLength: 2, maxLength: 3 })
      .map((slots) => slots.map((terms, position) => ({ position, terms: [...new Set(terms)] }))),
    boost,
  }),
) as fc.Arbitrary<Query>;

/** A query tree of a few levels. */
export const arbitraryQuery: fc.Arbitrary<Query> = fc
  .letrec<{ query: unknown }>((tie) => ({
    query: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc
        .record({
          must: fc.array(tie('query'), { maxLength: 2 }),
          filter: fc.array(tie('query'), { maxLength: 1 }),
          should: fc.array(tie('query'), { maxLength: 3 }),
          mustNot: fc.array(tie('query'), { maxLength: 1 }),
          minimumShouldMatch: maybe(fc.integer({ min: 0, max: 3 })),
          boost,
        })
        .map((parts) => ({ kind: 'boolean' as const, ...parts })),
      fc.record({ kind: fc.constant('constant_score' as const), query: tie('query'), boost }),
      fc.record({
        kind: fc.constant('dis_max' as const),
        queries: fc.array(tie('query'), { minLength: 1, maxLength: 3 }),
        tieBreaker: maybe(fc.constantFrom(0, 0.3, 1)),
        boost,
      }),
      fc.record({
        kind: fc.constant('boosting' as const),
        positive: tie('query'),
        negative: tie('query'),
        negativeBoost: fc.constantFrom(0.2, 0.5),
      }),
    ),
  }))
  .query.map((query) => JSON.parse(JSON.stringify(query)) as Query);
