// Requests for properties over views: every way in which an index answers, over fields that may be hidden, guarded or open.
import fc from 'fast-check';

/** What is asked: method and path, and a body. */
export interface Asked {
  readonly target: string;
  readonly body?: unknown;
}

const word = fc.constantFrom('red', 'blue', 'fox', 'dog', 're', 'secret', 'ann', 'bob', 'zed');
const text = fc.constantFrom('text', 'poster.name', 'secret', 'absent');
const column = fc.constantFrom(
  'owner',
  'tag',
  'n',
  'text.keyword',
  'poster.name.keyword',
  'poster.login',
  'when',
  'secret.keyword',
  '_policy.r0',
  'absent',
);
const keyword = fc.constantFrom(
  'owner',
  'tag',
  'text.keyword',
  'poster.name.keyword',
  'poster.login',
  'secret.keyword',
  '_policy.r0',
);
const pattern = fc.constantFrom('*', 'po*', 'poster.*', 't*', '_policy.*', 'secret*', 'text', 'n');

const leaf: fc.Arbitrary<object> = fc.oneof(
  fc.constant({ match_all: {} }),
  fc.tuple(text, word, word).map(([field, a, b]) => ({ match: { [field]: `${a} ${b}` } })),
  fc.tuple(text, word, word).map(([field, a, b]) => ({ match_phrase: { [field]: { query: `${a} ${b}`, slop: 2 } } })),
  fc.tuple(text, word).map(([field, a]) => ({ match_phrase_prefix: { [field]: { query: a, max_expansions: 1 } } })),
  fc.tuple(column, word).map(([field, a]) => ({ term: { [field]: field === 'n' || field === 'when' ? 1 : a } })),
  fc.tuple(keyword, word, word).map(([field, a, b]) => ({ terms: { [field]: [a, b] } })),
  fc.tuple(keyword, word).map(([field, a]) => ({ range: { [field]: { gte: a } } })),
  fc.constant({ range: { n: { gte: 1, lt: 4 } } }),
  fc
    .constantFrom('intersects', 'contains', 'within')
    .map((relation) => ({ range: { span: { gt: 1, lt: 4, relation } } })),
  column.map((field) => ({ exists: { field } })),
  fc.constantFrom('poster', 'secret', '_policy', '_ignored').map((field) => ({ exists: { field } })),
  fc.tuple(keyword, word).map(([field, a]) => ({ prefix: { [field]: a.slice(0, 1) } })),
  fc.tuple(text, word).map(([field, a]) => ({ fuzzy: { [field]: { value: a, max_expansions: 1 } } })),
  fc.tuple(text, word).map(([field, a]) => ({ prefix: { [field]: { value: a.slice(0, 1), rewrite: 'top_terms_1' } } })),
  keyword.map((field) => ({ wildcard: { [field]: '*e*' } })),
  text.map((field) => ({ regexp: { [field]: '[rb].*' } })),
  fc.tuple(word, word).map(([a, b]) => ({ multi_match: { query: `${a} ${b}`, fields: ['*'] } })),
  fc.tuple(word, word).map(([a, b]) => ({
    multi_match: { query: `${a} ${b}`, fields: ['text', 'poster.name', 'secret'], type: 'cross_fields' },
  })),
  fc.tuple(keyword, word, word).map(([field, a, b]) => ({
    terms_set: { [field]: { terms: [a, b, 'ann'], minimum_should_match_field: 'n' } },
  })),
  fc.constant({ distance_feature: { field: 'when', origin: '2026-01-02', pivot: '1d' } }),
  fc.constant({ rank_feature: { field: 'rank' } }),
  fc.tuple(fc.nat(9), word, fc.constantFrom(0, 1), fc.nat(3)).map(([id, a, boost, most]) => ({
    more_like_this: {
      like: [{ _id: String(id) }, `${a} fox`],
      min_term_freq: 1,
      min_doc_freq: 1,
      max_query_terms: 2,
      max_doc_freq: most,
      boost_terms: boost,
    },
  })),
  word.map((a) => ({ query_string: { query: a } })),
  fc.tuple(pattern, word).map(([field, a]) => ({ query_string: { query: `${field.replaceAll('*', '\\*')}:${a}` } })),
  word.map((a) => ({ simple_query_string: { query: `${a}* | fox` } })),
  fc.constant({ ids: { values: ['0', '1', '2', '3', '4'] } }),
  fc
    .tuple(text, word)
    .map(([field, a]) => ({ more: [field, a] }))
    .map(({ more: [field, a] }) => ({
      function_score: {
        query: { match: { [field!]: a! } },
        functions: [
          { random_score: { seed: 3, field: 'n' } },
          { filter: { exists: { field: 'poster.name' } }, weight: 3 },
        ],
      },
    })),
  fc.tuple(text, word, word, fc.boolean()).map(([field, a, b, ordered]) => ({
    intervals: { [field]: { match: { query: `${a} ${b}`, ordered, max_gaps: 2 } } },
  })),
  fc.tuple(text, word).map(([field, a]) => ({
    intervals: {
      [field]: {
        any_of: { intervals: [{ prefix: { prefix: a.slice(0, 1) } }, { fuzzy: { term: `${a}x` } }] },
      },
    },
  })),
  fc.constant({ function_score: { query: { match_all: {} }, field_value_factor: { field: 'n', missing: 1 } } }),
);

const { query } = fc.letrec<{ query: object }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    leaf,
    fc
      .record(
        {
          must: fc.array(tie('query'), { maxLength: 2 }),
          should: fc.array(tie('query'), { maxLength: 2 }),
          must_not: fc.array(tie('query'), { maxLength: 1 }),
          filter: fc.array(tie('query'), { maxLength: 1 }),
        },
        { requiredKeys: [] },
      )
      .map((bool) => ({ bool })),
    fc
      .tuple(tie('query'), tie('query'))
      .map(([positive, negative]) => ({ boosting: { positive, negative, negative_boost: 0.5 } })),
    fc.tuple(tie('query'), tie('query')).map((queries) => ({ dis_max: { queries, tie_breaker: 0.3 } })),
    tie('query').map((filter) => ({ constant_score: { filter } })),
  ),
}));

const aggregation: fc.Arbitrary<object> = fc.oneof(
  column.map((field) => ({ terms: { field } })),
  keyword.map((field) => ({ terms: { field, min_doc_count: 0, order: { _key: 'asc' } } })),
  keyword.map((field) => ({
    terms: { field, size: 1 },
    aggs: {
      top: { top_hits: { size: 2, highlight: { fields: { '*': {} } } } },
      n: { stats: { field: 'n' } },
    },
  })),
  column.map((field) => ({ cardinality: { field } })),
  column.map((field) => ({ value_count: { field } })),
  column.map((field) => ({ missing: { field } })),
  fc.constant({ percentiles: { field: 'n' } }),
  fc.constantFrom('n', 'span').map((field) => ({ histogram: { field, interval: 2 } })),
  fc.constant({ date_histogram: { field: 'when', calendar_interval: 'day', min_doc_count: 0 } }),
  query.map((filter) => ({ filter, aggs: { tags: { terms: { field: 'tag' } } } })),
  fc.constant({ global: {}, aggs: { posters: { terms: { field: 'poster.login' } } } }),
  keyword.map((field) => ({
    composite: {
      size: 2,
      sources: [{ a: { terms: { field } } }, { b: { terms: { field: 'tag', missing_bucket: true } } }],
    },
  })),
  fc.constant({
    histogram: { field: 'n', interval: 1 },
    aggs: { c: { cumulative_sum: { buckets_path: '_count' } }, d: { derivative: { buckets_path: 'c' } } },
  }),
  keyword.map((field) => ({
    filter: { match_all: {} },
    aggs: {
      h: { terms: { field }, aggs: { s: { sum: { field: 'n' } }, b: { bucket_sort: { sort: ['s'], size: 2 } } } },
      p: { stats_bucket: { buckets_path: 'h>s' } },
    },
  })),
  fc
    .tuple(
      fc.oneof(keyword, fc.constantFrom('n', 'when', 'span')),
      fc.constantFrom('jlh', 'chi_square', 'gnd', 'percentage', 'mutual_information'),
    )
    .map(([field, measure]) => ({
      filter: { range: { n: { gte: 1, lt: 3 } } },
      aggs: { s: { significant_terms: { field, min_doc_count: 1, [measure]: {} } } },
    })),
  keyword.map((field) => ({
    significant_terms: { field, min_doc_count: 1, background_filter: { exists: { field: 'poster.name' } } },
  })),
  keyword.map((field) => ({ filters: { filters: { a: { exists: { field } }, b: { match_all: {} } } } })),
);

const sort = fc.oneof(
  fc.constant([{ n: { order: 'desc', missing: '_first' } }]),
  fc.constant(['_doc']),
  fc.constant(['_score']),
  fc.constant([{ 'poster.login': 'asc' }]),
  fc.constant([{ tag: 'desc' }, '_score']),
  fc.constant([{ 'secret.keyword': { order: 'asc', unmapped_type: 'keyword' } }]),
);

const search: fc.Arbitrary<Asked> = fc
  .record(
    {
      query,
      size: fc.constantFrom(0, 1, 2, 10),
      from: fc.constantFrom(0, 1),
      sort,
      aggs: fc.dictionary(fc.constantFrom('x', 'y'), aggregation, { minKeys: 1 }),
      post_filter: leaf,
      min_score: fc.constant(0.2),
      track_total_hits: fc.constantFrom(true, 1, false),
      track_scores: fc.constant(true),
      collapse: keyword.map((field) => ({
        field,
        inner_hits: { name: 'i', size: 2, highlight: { fields: { '*': {} } } },
      })),
      highlight: fc.constant({ fields: { '*': {} } }),
      explain: fc.constant(true),
      version: fc.constant(true),
      seq_no_primary_term: fc.constant(true),
      docvalue_fields: fc.array(fc.constantFrom('tag', 'poster.*', 'n', '_policy.*'), { maxLength: 2 }),
      fields: fc.array(pattern, { maxLength: 2 }),
      _source: fc.oneof(fc.boolean(), fc.array(pattern, { maxLength: 2 })),
      suggest: fc.tuple(text, word).map(([field, a]) => ({
        s: { text: `${a}x ${a}`, term: { field, suggest_mode: 'always', min_word_length: 1 } },
      })),
    },
    { requiredKeys: [] },
  )
  .map((body) => ({ target: 'POST /t/_search', body }));

/** Any request that reads. */
export const arbitraryRead: fc.Arbitrary<Asked> = fc.oneof(
  { weight: 12, arbitrary: search },
  {
    weight: 2,
    arbitrary: fc.tuple(query, query, fc.boolean()).map(([first, second, explain]) => ({
      target: 'POST /t/_search',
      body: {
        query: first,
        explain,
        rescore: { window_size: 3, query: { rescore_query: second, rescore_query_weight: 2 } },
      },
    })),
  },
  { weight: 2, arbitrary: query.map((asked) => ({ target: 'POST /t/_count', body: { query: asked } })) },
  {
    weight: 1,
    arbitrary: query.map((asked) => ({ target: 'POST /t/_validate/query?explain=true', body: { query: asked } })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.nat(9), query)
      .map(([id, asked]) => ({ target: `POST /t/_explain/${id}`, body: { query: asked } })),
  },
  { weight: 2, arbitrary: fc.nat(9).map((id) => ({ target: `GET /t/_doc/${id}` })) },
  { weight: 1, arbitrary: fc.nat(9).map((id) => ({ target: `GET /t/_source/${id}` })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.nat(9), pattern)
      .map(([id, field]) => ({ target: `GET /t/_termvectors/${id}?term_statistics=true&fields=${field}` })),
  },
  { weight: 1, arbitrary: fc.constant({ target: 'POST /t/_mget', body: { ids: ['0', '1', '2', '3', '4', '5'] } }) },
  { weight: 1, arbitrary: word.map((q) => ({ target: `GET /_search?q=${q}` })) },
  {
    weight: 1,
    arbitrary: fc.tuple(query, query).map((queries) => ({
      target: 'POST /t/_msearch',
      body: queries.flatMap((each) => [{}, { query: each }]),
    })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(
        'GET /t/_mapping',
        'GET /t/_mapping/field/*',
        'GET /t',
        'GET /t/_settings',
        'GET /t/_stats',
        'GET /_stats',
        'GET /_cat/indices?h=index,docs.count,docs.deleted,store.size',
        'GET /_cat/count?h=count',
        'GET /_cat/aliases',
        'GET /_cat/shards',
        'GET /_nodes/stats?filter_path=nodes.*.indices',
        'GET /_nodes',
        'GET /_cat/templates',
        'GET /_cluster/health',
        'GET /',
        'GET /t/_field_caps?fields=*',
        'GET /_index_template',
        'GET /_tasks',
        'GET /_resolve/index/*',
        'GET /t/_alias',
        'POST /t/_refresh',
      )
      .map((target) => ({ target })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('text', 'poster.name', 'secret', 'secret.keyword', '_policy.r0')
      .map((field) => ({ target: 'POST /t/_analyze', body: { field, text: 'Red fox' } })),
  },
);
