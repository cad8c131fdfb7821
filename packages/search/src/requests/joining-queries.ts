// Queries that other queries stand in, as people ask them, right and wrong: what is joined, and what is computed from a document.
// Those that stand in them are in text-queries.ts and value-queries.ts.
import type { Kinds, Make, Words } from './words.ts';

const MODIFIERS = ['none', 'log', 'log1p', 'log2p', 'ln', 'ln1p', 'ln2p', 'square', 'sqrt', 'reciprocal'] as const;
const SCORE_MODES = ['multiply', 'sum', 'avg', 'first', 'max', 'min'] as const;
const BOOST_MODES = ['multiply', 'replace', 'sum', 'avg', 'max', 'min'] as const;
const SHAPES = ['gauss', 'exp', 'linear'] as const;

/** Functions that give every document a score. */
const FUNCTIONS: readonly ((w: Words, inner: () => unknown) => object)[] = [
  (_, inner) => ({ filter: inner(), weight: 3 }),
  (w, inner) => ({ filter: inner(), field_value_factor: { field: w.number(), factor: 2, missing: 1 } }),
  (w) => ({ random_score: { seed: 7, field: w.field() } }),
  () => ({ random_score: { seed: 3 } }),
  (w) => ({ [w.random.pick(SHAPES)]: { [w.number()]: { origin: 3, scale: 2 }, multi_value_mode: 'avg' } }),
  (w) => ({ [w.random.pick(SHAPES)]: { [w.date()]: { origin: '2026-01-01', scale: '10d', offset: '1d' } } }),
];

/** Functions that fail on some documents: they compute what is no score. */
const BAD_FUNCTIONS: readonly ((w: Words, inner: () => unknown) => object)[] = [
  (w) => ({ field_value_factor: { field: w.number(), factor: -1, missing: 1 } }),
  (w) => ({ field_value_factor: { field: w.number() } }),
  (w) => ({ field_value_factor: { field: w.number(), modifier: w.random.pick(MODIFIERS), missing: 1 } }),
  (w) => ({ field_value_factor: { field: w.number(), modifier: 'ln', missing: 0 } }),
  (w) => ({ field_value_factor: { field: w.number(), factor: 1e308, modifier: 'square', missing: 9 } }),
  (w) => ({ field_value_factor: { field: w.keyword() } }),
  (w) => ({ field_value_factor: { field: w.date(), factor: -1 } }),
  (_, inner) => ({ filter: inner(), weight: -1 }),
  (w) => ({ random_score: { seed: 7, field: w.field() }, weight: -1 }),
  (w) => ({ [w.random.pick(SHAPES)]: { [w.number()]: { origin: 3, scale: 2 } }, weight: -2 }),
  () => ({ weight: 0 }),
];

const functionScore =
  (functions: readonly ((w: Words, inner: () => unknown) => object)[]): Make =>
  (w, inner) => ({
    query: w.random.once(2) ? inner() : { match_all: {} },
    functions: Array.from({ length: 1 + w.random.int(2) }, () => w.random.pick(functions)(w, inner)),
    boost_mode: w.random.pick(BOOST_MODES),
    score_mode: w.random.pick(SCORE_MODES),
    ...(w.random.once(6) ? { min_score: 0.5 } : {}),
    ...(w.random.once(6) ? { max_boost: 5 } : {}),
  });

export const JOINING_QUERIES: Kinds = {
  bool: {
    right: [
      (_, inner) => ({ must: [inner()], should: [inner(), inner()] }),
      (_, inner) => ({ filter: [inner()], must_not: [inner()] }),
      (_, inner) => ({ should: [inner(), inner()], minimum_should_match: 1 }),
      (_, inner) => ({ must_not: [inner()], filter: [inner()], must: [inner()] }),
    ],
    wrong: [
      (_, inner) => ({ should: [inner(), inner()], minimum_should_match: 'x%' }),
      (_, inner) => ({ mst: inner() }),
      // More clauses than one query may have.
      (w) => ({ should: Array.from({ length: 1100 }, (__, at) => ({ term: { [w.keyword()]: `t${at}` } })) }),
    ],
  },
  boosting: {
    right: [(_, inner) => ({ positive: inner(), negative: inner(), negative_boost: 0.5 })],
    wrong: [
      (_, inner) => ({ positive: inner(), negative: inner(), negative_boost: -1 }),
      (_, inner) => ({ positive: inner() }),
    ],
  },
  dis_max: {
    right: [(_, inner) => ({ queries: [inner(), inner()], tie_breaker: 0.3 })],
    wrong: [() => ({ queries: [] }), (w, inner) => ({ queries: [inner()], tie_breaker: w.noNumber() })],
  },
  constant_score: {
    right: [(_, inner) => ({ filter: inner(), boost: 2 })],
    wrong: [(_, inner) => ({ filter: inner(), boost: -1 }), () => ({})],
  },
  function_score: {
    right: [
      functionScore(FUNCTIONS),
      functionScore(FUNCTIONS),
      (w, inner) => ({
        query: inner(),
        random_score: { seed: 7, field: w.field() },
        boost_mode: w.random.pick(BOOST_MODES),
      }),
      (w) => ({ [w.random.pick(SHAPES)]: { [w.of('geo_point')]: { origin: '1,1', scale: '100km' } } }),
    ],
    risky: [
      functionScore(BAD_FUNCTIONS),
      functionScore(BAD_FUNCTIONS),
      functionScore([...BAD_FUNCTIONS, ...FUNCTIONS]),
    ],
    wrong: [
      (w, inner) => ({ query: inner(), script_score: { script: { source: `doc['${w.number()}'].value` } } }),
      (w) => ({ gauss: { [w.number()]: { origin: 1, scale: 0, decay: 1.5 } } }),
      (w) => ({ gauss: { [w.keyword()]: { origin: 'a', scale: 1 } } }),
    ],
  },
  nested: {
    needs: 'nested',
    right: [
      (w, inner) => ({
        path: w.of('nested'),
        query: inner(),
        score_mode: w.random.pick(['none', 'avg', 'sum', 'max', 'min']),
        ignore_unmapped: true,
      }),
      (w) => ({
        path: w.of('nested'),
        query: { match_all: {} },
        ignore_unmapped: true,
        // Each has a name of its own, so that two of them may stand in a query.
        inner_hits: {
          name: `h${w.random.int(1e9)}`,
          size: 2,
          highlight: { fields: { '*': {} } },
          sort: [{ [w.number()]: { order: 'desc', unmapped_type: 'long' } }],
        },
      }),
    ],
    wrong: [
      (w, inner) => ({ path: w.field(), query: inner() }),
      (w) => ({ path: w.of('nested'), query: { match_all: {} }, inner_hits: { size: 1000 } }),
      (w) => ({ path: w.of('nested') }),
    ],
  },
  pinned: {
    right: [(w, inner) => ({ ids: [w.id(), w.id()], organic: inner() })],
    wrong: [(_, inner) => ({ ids: Array.from({ length: 101 }, String), organic: inner() }), (w) => ({ ids: [w.id()] })],
  },
  wrapper: {
    right: [(_, inner) => ({ query: Buffer.from(JSON.stringify(inner())).toString('base64') })],
    wrong: [() => ({ query: 'no base 64' }), () => ({ query: Buffer.from('{').toString('base64') })],
  },
};
