// What is sent to the endpoints of the API: parameters and bodies, as people send them, right and wrong. Which endpoints there are is
// in endpoints.ts.
import { textOf } from '../json/json.ts';
import { randomQuery } from './queries.ts';
import { randomSearch } from './search-bodies.ts';
import type { Words } from './words.ts';

/** What is asked of a path: parameters and body. */
export interface Sent {
  readonly query?: Readonly<Record<string, string>> | string;
  readonly body?: unknown;
}

export const query = (depth: number) => (words: Words) => ({ body: { query: randomQuery(words, depth) } });
export const search = (words: Words): Sent => ({ body: randomSearch(words) });

/** A search all of whose wishes stand in its URL. */
export function inUrl(words: Words): Sent {
  const { random } = words;
  const some: readonly (readonly [string, () => string])[] = [
    ['sort', () => `${words.column()}:desc`],
    ['_source_includes', () => words.pattern()],
    ['_source_excludes', () => words.pattern()],
    ['docvalue_fields', () => words.column()],
    ['stored_fields', () => '_source'],
    ['explain', () => 'true'],
    ['version', () => 'true'],
    ['track_scores', () => 'true'],
    ['rest_total_hits_as_int', () => 'true'],
    ['analyze_wildcard', () => 'true'],
    ['typed_keys', () => 'true'],
    ['size', () => textOf(words.isWrong() ? words.noNumber() : 2)],
    ['track_total_hits', () => random.pick(['1', 'true', words.isWrong() ? 'x' : 'false'])],
    ['preference', () => '_local'],
    ['routing', () => words.id()],
  ];
  const suggest = { suggest_field: words.text(), suggest_text: `${words.plainWord()}x`, suggest_mode: 'always' };
  return {
    query: {
      q: random.pick([
        words.plainWord(),
        `${words.text()}:${words.plainWord()}*`,
        `${words.field().replaceAll('*', '')}:${words.isWrong() ? '(' : words.plainWord()}`,
      ]),
      ...(random.once(2) ? { df: words.text() } : {}),
      ...(words.isWrong() ? {} : { lenient: 'true' }),
      ...Object.fromEntries(some.filter(() => random.once(4)).map(([name, make]) => [name, make()])),
      ...(random.once(4) ? suggest : {}),
    },
  };
}

export const countInUrl = (w: Words): Sent => ({ query: { q: `${w.text()}:${w.plainWord()}`, lenient: 'true' } });
export const explanation = (w: Words): Sent => ({
  body: { query: randomQuery(w, 1) },
  ...(w.random.once(4) ? { query: { _source_includes: w.pattern() } } : {}),
});
export const analysis = (w: Words): Sent => ({
  body: w.isWrong()
    ? { analyzer: 'nobody', text: w.word() }
    : { field: w.random.once(2) ? w.text() : w.field(), text: w.words() },
});
export const searches = (w: Words): Sent => ({
  body: [
    {},
    { query: randomQuery(w, 1) },
    { index: w.otherIndex() },
    randomSearch(w),
    { index: w.names() },
    { query: randomQuery(w, 1) },
  ],
});
export const fieldCaps = (w: Words): Sent => ({
  query: { fields: w.pattern(), ...(w.random.once(2) ? { include_unmapped: 'true' } : {}) },
});
export const filteredCaps = (w: Words): Sent => ({
  query: { fields: w.random.pick(['*', w.field()]) },
  body: { index_filter: randomQuery(w, 1) },
});
export const one = (w: Words): Sent =>
  w.random.pick([
    {},
    { query: { _source_includes: w.pattern() } },
    { query: { _source_excludes: w.pattern(), version: '1', realtime: 'true' } },
    { query: { stored_fields: w.field(), version: '1' } },
    { query: { routing: w.id(), refresh: 'true' } },
  ]);
export const several = (w: Words): Sent => ({
  body: w.random.pick<unknown>([
    { ids: [...w.index.ids.slice(0, 5), 'absent'] },
    {
      docs: [
        { _index: w.index.name, _id: w.id(), _source: w.patterns() },
        { _index: w.otherIndex(), _id: w.id(), stored_fields: ['_source'] },
        ...(w.isWrong()
          ? [
              { _id: 7, version: 99 },
              { _index: 'absent', _id: '1' },
            ]
          : []),
      ],
    },
  ]),
});
export const severalByIds = (w: Words): Sent => ({ body: { ids: [w.id(), w.id(), 'absent'] } });
export const vectors = (w: Words): Sent => ({
  query: { term_statistics: 'true', field_statistics: 'true', fields: w.pattern() },
  ...(w.isWrong()
    ? { body: { filter: { min_term_freq: w.noNumber() }, per_field_analyzer: { [w.text()]: 'nobody' } } }
    : w.random.once(3)
      ? { body: { filter: { max_num_terms: 1 + w.random.int(3), min_doc_freq: 1 + w.random.int(2), max_doc_freq: 3 } } }
      : {}),
});
export const vectorsOfText = (w: Words): Sent => ({
  query: { offsets: 'false' },
  body: { doc: { [w.text()]: w.words(), [w.isWrong() ? w.number() : w.text()]: w.word() }, term_statistics: true },
});
export const manyVectors = (w: Words): Sent => ({
  body: {
    docs: [
      { _id: w.id(), fields: w.patterns(), field_statistics: true, positions: w.random.once(2) },
      { doc: { [w.text()]: w.words(), [w.field()]: w.word() }, term_statistics: true },
    ],
  },
});
export const written = (w: Words): Sent => ({
  body: { [w.text()]: 'written' },
  ...(w.random.once(2) ? { query: { if_seq_no: String(w.random.int(9)), if_primary_term: '1' } } : {}),
});
export const byQuery = (w: Words): Sent => ({
  body: { query: randomQuery(w, 1), ...(w.random.once(3) ? { max_docs: 1 + w.random.int(3) } : {}) },
  ...(w.random.once(3) ? { query: { slices: w.random.pick(['2', '3', 'auto', '0']) } } : {}),
});
/** Searches and templates of them. */
export const template = (w: Words): Sent => {
  const field = w.text();
  const source = w.random.pick<unknown>([
    { query: { match: { [field]: '{{x}}' } }, size: '{{n}}{{^n}}3{{/n}}' },
    `{"query":{"terms":{"${field}":{{#toJson}}l{{/toJson}}}}{{#n}},"size":{{n}}{{/n}}}`,
    `{"query":{"query_string":{"query":"{{#join delimiter=' OR '}}l{{/join delimiter=' OR '}}","fields":["${field}"]}}}`,
    `{"query":{"match":{"${field}":"{{#u}}{{#url}}{{x}}{{/url}}{{/u}}{{x}} {{l.0}} {{l.size}}"}}}`,
    randomSearch(w),
    ...(w.isWrong() ? ['{{#x}}', '{', '{{> x}}', 5] : []),
  ]);
  return {
    body: {
      source,
      params: { x: w.word(), l: [w.word(), w.word()], ...(w.random.once(2) ? { n: w.random.int(4) } : {}) },
      ...(w.random.once(6) ? { explain: true } : {}),
    },
  };
};
export const templates = (w: Words): Sent => ({
  body: [{}, template(w).body, { index: w.names() }, template(w).body],
});
const METRICS = [
  { precision: {} },
  { precision: { k: 3, ignore_unlabeled: true } },
  { recall: { relevant_rating_threshold: 2 } },
  { mean_reciprocal_rank: { k: 5 } },
  { dcg: { normalize: true } },
  { dcg: { unknown_doc_rating: 1, k: 4 } },
  { expected_reciprocal_rank: { maximum_relevance: 3 } },
  { expected_reciprocal_rank: { maximum_relevance: 2, unknown_doc_rating: 1 } },
];
const WRONG_METRICS = [{ nobody: {} }, { precision: { k: 0 } }, { expected_reciprocal_rank: {} }, {}];

/** A pipeline that is tried on texts, and on documents that are named as those of the index are. */
export const simulated = (w: Words): Sent => {
  const field = w.text();
  const processor = w.random.pick<unknown>([
    { set: { field: 'copy', value: `{{${field}}}` } },
    { uppercase: { field, ignore_missing: true } },
    { split: { field, separator: ' ', on_failure: [{ set: { field: 'failed', value: '{{_index}} {{_id}}' } }] } },
    { pipeline: { name: 'absent' } },
    ...(w.isWrong() ? [{ nope: {} }, { set: { field } }] : []),
  ]);
  return {
    // Without the time at which each was tried.
    query: 'filter_path=docs.doc._index,docs.doc._id,docs.doc._source,docs.error',
    body: {
      pipeline: { processors: [processor] },
      docs: [w.words(), w.plainWord()].map((words) => ({
        _index: w.index.name,
        _id: w.id(),
        _source: { [field]: words },
      })),
    },
  };
};

export const rankings = (w: Words): Sent => {
  const ratings = [...new Set([w.id(), w.id(), w.id()])].map((_id) => ({
    _index: w.index.name,
    _id,
    rating: w.random.int(4),
  }));
  const { random } = w;
  return {
    body: {
      requests: [
        { id: 'a', request: { query: randomQuery(w, 1) }, ratings },
        {
          id: 'b',
          request: { query: randomQuery(w, 0), ...(random.once(3) ? { sort: ['_id'] } : {}) },
          ratings: ratings.slice(0, 1),
          ...(random.once(3) ? { summary_fields: w.patterns() } : {}),
        },
      ],
      metric: random.pick<unknown>(w.isWrong() ? WRONG_METRICS : METRICS),
    },
  };
};
