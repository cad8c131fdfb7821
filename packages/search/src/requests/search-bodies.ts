// Bodies of searches: every member that a search may have, as people ask it, right and wrong.
import { randomAggregation, riskyAggregation } from './aggregations.ts';
import { randomQuery } from './queries.ts';
import { randomSort } from './sorts.ts';
import { randomSuggest } from './suggestions.ts';
import type { Kind, Words } from './words.ts';

/** A member of a search. */
interface Member extends Kind {
  /** It is there once in so many searches. */
  readonly often: number;
  /** Members that Elasticsearch refuses beside it. */
  readonly without?: readonly string[];
}

const HIGHLIGHTERS = ['unified', 'plain', 'fvh'] as const;

const HIGHLIGHT: Kind = {
  right: [
    () => ({ fields: { '*': {} } }),
    (w) => ({ fields: { [w.text()]: { number_of_fragments: 0 }, '*.keyword': { no_match_size: 4 } }, encoder: 'html' }),
    (w) => ({ fields: { [w.text()]: { matched_fields: [w.text(), w.text()], no_match_size: 9 } } }),
    (w) => ({
      fields: [
        { [w.text()]: { highlight_query: randomQuery(w, 0) } },
        { '*': { type: w.random.pick(HIGHLIGHTERS), fragment_size: 8 } },
      ],
      require_field_match: false,
    }),
    (w) => ({ fields: { '*': {} }, highlight_query: randomQuery(w, 0), order: 'score', fragment_size: 18 }),
  ],
  wrong: [
    () => ({}),
    (w) => ({ fields: { [w.text()]: { type: 'neon' } } }),
    (w) => ({ fields: { [w.text()]: { number_of_fragments: w.noNumber() } } }),
    (w) => ({ fields: { '*': { highlight_query: randomQuery(w, 1) } } }),
    (w) => ({ fields: { [w.text()]: { type: 'fvh', phrase_limit: 1 } } }),
  ],
  risky: [
    (w) => ({ fields: { '*': { highlight_query: randomQuery(w, 1) } } }),
    // Texts that are too long are not read.
    (w) => ({ fields: { [w.text()]: {} }, require_field_match: false, highlight_query: { match_all: {} } }),
    (w) => ({ fields: { '*': {} }, highlight_query: { query_string: { query: w.plainWord(), lenient: true } } }),
  ],
};

const collapse = (w: Words): object => ({
  field: w.keyword(),
  inner_hits: { name: 'i', size: 2, highlight: { fields: { '*': {} } }, collapse: { field: w.keyword() } },
});

const flag = (often: number): Member => ({ often, right: [() => true], wrong: [() => 'perhaps'] });
const aggregations = (w: Words): object => ({
  a: randomAggregation(w, 1),
  b: randomAggregation(w, 0),
  c: randomAggregation(w, 0),
});
const rescore = (w: Words, weight: number): object => ({
  window_size: 3,
  query: { rescore_query: randomQuery(w, 1), rescore_query_weight: weight },
});

/** By name. */
export const SEARCH_MEMBERS: Readonly<Record<string, Member>> = {
  query: { often: 1, right: [(w) => randomQuery(w, 2)], wrong: [] },
  size: {
    often: 3,
    right: [(w) => w.random.pick([0, 1, 2, 100])],
    wrong: [(w) => w.random.pick<unknown>([-1, 10_001, 'x'])],
  },
  from: { often: 6, right: [() => 1], wrong: [(w) => w.random.pick<unknown>([-1, 10_000, 'x'])] },
  aggs: { often: 2, right: [aggregations], wrong: [] },
  aggregations: { often: 24, right: [aggregations], wrong: [], without: ['aggs'] },
  sort: {
    often: 4,
    right: [(w) => [randomSort(w)], (w) => [randomSort(w), randomSort(w), '_id']],
    risky: [(w) => [randomSort(w)]],
    wrong: [(w) => [randomSort(w)], () => ({ '': 'asc' })],
  },
  post_filter: { often: 8, right: [(w) => randomQuery(w, 0)], wrong: [(w) => randomQuery(w, 1)] },
  min_score: { often: 8, right: [() => 0.2], wrong: [(w) => w.noNumber()] },
  track_total_hits: { often: 6, right: [(w) => w.random.pick<unknown>([true, false, 1])], wrong: [() => -7] },
  collapse: {
    often: 10,
    right: [collapse],
    wrong: [(w) => ({ field: w.text() }), (w) => ({ field: w.number(), inner_hits: { size: 'x' } })],
  },
  rescore: {
    often: 10,
    right: [(w) => rescore(w, 2)],
    risky: [(w) => rescore(w, -2), (w) => rescore(w, 1e308)],
    wrong: [() => ({ window_size: 0 })],
    without: ['sort', 'collapse'],
  },
  highlight: { often: 4, ...HIGHLIGHT },
  suggest: { often: 6, right: [randomSuggest], wrong: [(w) => ({ s: { text: w.word() } })] },
  explain: flag(5),
  profile: flag(12),
  version: flag(8),
  seq_no_primary_term: flag(8),
  track_scores: flag(8),
  timeout: { often: 16, right: [() => '10s'], wrong: [() => 'soon'] },
  terminate_after: { often: 24, right: [() => 1], wrong: [() => -1] },
  search_after: {
    often: 40,
    right: [(w) => [w.random.pick<unknown>([w.word(), w.random.int(5), null])]],
    wrong: [() => 'x', () => []],
    without: ['from', 'collapse', 'rescore'],
  },
  slice: { often: 40, right: [() => ({ id: 0, max: 2 })], wrong: [() => ({ id: 3, max: 2 })] },
  pit: { often: 60, right: [() => ({ id: 'nobody opened it' })], wrong: [() => ({})] },
  stored_fields: { often: 16, right: [() => '_none_', () => ['_source'], (w) => [w.field()]], wrong: [() => ({})] },
  indices_boost: {
    often: 16,
    right: [(w) => [{ [w.index.name]: 2 }, { '*': 0.5 }]],
    wrong: [(w) => [{ [w.index.name]: -1 }], () => [{ absent: 1 }]],
  },
  stats: { often: 24, right: [() => ['group']], wrong: [() => 7] },
  docvalue_fields: {
    often: 8,
    right: [(w) => [w.pattern(), w.keyword()]],
    wrong: [
      (w) => [{ field: w.text() }],
      (w) => [{ field: w.keyword(), format: 'yyyy' }],
      (w) => [{ field: w.number(), format: '#;x{' }],
      (w) => [{ field: w.date(), format: 'no format {' }],
    ],
  },
  fields: {
    often: 6,
    right: [(w) => w.patterns()],
    wrong: [(w) => [{ field: w.keyword(), format: 'yyyy' }], (w) => [{ field: w.date(), format: 'no format {' }]],
  },
  _source: {
    often: 5,
    right: [() => false, () => ['*'], (w) => [w.pattern(), '_policy'], (w) => ({ excludes: [w.pattern()] })],
    wrong: [() => 7, () => ({ exclude: 'x' })],
  },
};

/** Makes a body. */
export function randomSearch(words: Words): Record<string, unknown> {
  if (words.mistake === 'risky') return riskySearch(words);
  const body: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(SEARCH_MEMBERS)) {
    if (!words.random.once(member.often)) continue;
    // Now and then in spite of it: that it is refused is an answer, too.
    if (member.without?.some((other) => body[other] !== undefined) === true && !words.random.once(20)) continue;
    body[name] = words.make(member, () => randomQuery(words, 0));
  }
  return body;
}

const RISKY_MEMBERS = Object.entries(SEARCH_MEMBERS).filter(([, { risky = [] }]) => risky.length > 0);

/** Makes a body that can fail only on the values of documents: a search that is refused as a whole reveals nothing about them. */
function riskySearch(words: Words): Record<string, unknown> {
  const { random } = words;
  const plain = words.careful();
  const query = random.once(5) ? randomQuery(plain, 1) : { match_all: {} };
  switch (
    random.pick(['query', 'query', 'query', 'aggregation', 'aggregation', 'aggregation', 'aggregation', 'member'])
  ) {
    case 'query':
      return {
        query: randomQuery(words, 2),
        ...(random.once(3) ? { size: 0 } : {}),
        ...(random.once(6) ? { explain: true } : {}),
        ...(random.once(6) ? { min_score: 0.2 } : {}),
        ...(random.once(6) ? { sort: [randomSort(plain)], track_scores: true } : {}),
        ...(random.once(6) ? { aggs: { a: randomAggregation(plain, 1) } } : {}),
      };
    case 'aggregation':
      return { query, size: random.int(2), aggs: { a: riskyAggregation(words) } };
    default: {
      const [name, member] = random.pick(RISKY_MEMBERS);
      return { query, [name]: words.make(member, () => randomQuery(plain, 0)) };
    }
  }
}
