// Requests for properties over views: every way in which an index answers, over fields that may be hidden, guarded or open.
import fc from 'fast-check';

/** What is asked: method and path, and a body. */
export interface Asked {
  readonly target: string;
  readonly body?: unknown;
}

const word = fc.constantFrom('red', 'blue', 'fox', 'dog', 're', 'secret', 'ann', 'bob', 'zed');
const text = fc.constantFrom('text', 'poster.name', 'secret', 'typed', 'typed._2gram', 'parts.note', 'absent');
const column = fc.constantFrom(
  'owner',
  'tag',
  'label',
  'whisper',
  'flag',
  'fine',
  'worded',
  'address',
  'flat.colour',
  'parts.kind',
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
  'label',
  'whisper',
  'flat',
  'flat.colour',
  'text.keyword',
  'poster.name.keyword',
  'poster.login',
  'secret.keyword',
  '_policy.r0',
);
const pattern = fc.constantFrom('*', 'po*', 'poster.*', 't*', '_policy.*', 'secret*', 'text', 'n', 'parts*', 'whisper');
/** The index by the names it has: an alias may have a filter, which may ask a field that is hidden. */
const index = fc.oneof(
  { weight: 8, arbitrary: fc.constant('t') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('t*', '*', '_all', 'mine', 'hushed', 'mine,hushed', 'any*,-hushed', 'absent'),
  },
);
const highlight = fc.record(
  {
    fields: fc.constantFrom(
      { '*': {} },
      { text: { number_of_fragments: 0 }, 'poster.*': { no_match_size: 4 } },
      { text: { matched_fields: ['text', 'secret'] }, secret: { no_match_size: 9 } },
      { 'poster.name': { highlight_query: { match: { 'poster.name': 'red fox' } } } },
      [{ secret: {} }, { 't*': { type: 'plain' } }],
    ),
    require_field_match: fc.boolean(),
    order: fc.constant('score'),
    fragment_size: fc.constantFrom(1, 8, 18),
    encoder: fc.constant('html'),
    highlight_query: fc.constant({ query_string: { query: 'red fox dog secret' } }),
  },
  { requiredKeys: ['fields'] },
);

const leaf: fc.Arbitrary<object> = fc.oneof(
  fc.constant({ match_all: {} }),
  fc.tuple(text, word, word).map(([field, a, b]) => ({ match: { [field]: `${a} ${b}` } })),
  fc.tuple(text, word, word).map(([field, a, b]) => ({ match_phrase: { [field]: { query: `${a} ${b}`, slop: 2 } } })),
  fc.tuple(text, word).map(([field, a]) => ({ match_bool_prefix: { [field]: `${a} re` } })),
  word.map((a) => ({
    multi_match: { query: a, type: 'bool_prefix', fields: ['typed', 'typed._2gram', 'typed._3gram'] },
  })),
  fc.tuple(text, word).map(([field, a]) => ({
    match: { [field]: { query: `${a} fox`, operator: 'and', fuzziness: 1, zero_terms_query: 'all' } },
  })),
  fc.tuple(text, word).map(([field, a]) => ({
    match: { [field]: { query: `${a} fox dog`, minimum_should_match: '-34%' } },
  })),
  fc.tuple(text, word).map(([field, a]) => ({ match_phrase_prefix: { [field]: { query: a, max_expansions: 1 } } })),
  fc.tuple(column, word).map(([field, a]) => ({ term: { [field]: field === 'n' || field === 'when' ? 1 : a } })),
  fc.tuple(keyword, word, word).map(([field, a, b]) => ({ terms: { [field]: [a, b] } })),
  fc.tuple(keyword, word).map(([field, a]) => ({ range: { [field]: { gte: a } } })),
  fc.constant({ range: { n: { gte: 1, lt: 4 } } }),
  fc.constant({ range: { fine: { gte: '2026-01-01T00:00:00.000000002Z' } } }),
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
  fc.constantFrom({}, { saturation: { pivot: 8 } }, { log: { scaling_factor: 4 } }).map((how) => ({
    rank_feature: { field: 'rank', boost: 2, ...how },
  })),
  fc.constant({ distance_feature: { field: 'place', origin: [1, 1], pivot: '100km' } }),
  fc.constant({ geo_distance: { distance: '150km', place: { lat: 1, lon: 1 } } }),
  fc.constant({ geo_bounding_box: { place: { top_left: { lat: 2, lon: 0 }, bottom_right: { lat: 0, lon: 2 } } } }),
  fc.constant({ geo_polygon: { place: { points: ['0,0', '2,0', '2,2', '0,2'] } } }),
  fc.tuple(fc.nat(9), word).map(([id, a]) => ({
    pinned: { ids: [String(id), '0'], organic: { match: { text: a } } },
  })),
  fc.constantFrom('10.0.0.0/24', 'fe80::/16').map((address) => ({ term: { address } })),
  fc.constant({ range: { when: { gte: '2026-01-01||/M', lt: '2026-01-02' } } }),
  fc.tuple(word, word, fc.constantFrom('none', 'avg', 'sum')).map(([a, b, mode]) => ({
    nested: {
      path: 'parts',
      score_mode: mode,
      query: { bool: { should: [{ match: { 'parts.note': `${a} ${b}` } }, { range: { 'parts.v': { gte: 1 } } }] } },
      inner_hits: { size: 2, highlight: { fields: { '*': {} } }, sort: [{ 'parts.v': 'desc' }] },
    },
  })),
  fc.constant({ nested: { path: 'parts', query: { exists: { field: 'parts.kind' } }, ignore_unmapped: true } }),
  fc.tuple(keyword, fc.nat(9), fc.constantFrom('tag', 'poster.login', 'secret', 'owner')).map(([field, id, path]) => ({
    terms: { [field]: { index: 't', id: String(id), path } },
  })),
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
  fc.constantFrom('gauss', 'exp', 'linear').map((decay) => ({
    function_score: {
      functions: [
        { [decay]: { n: { origin: 2, scale: 1 } } },
        { [decay]: { place: { origin: '1,1', scale: '100km' } }, weight: 2 },
      ],
      score_mode: 'sum',
      boost_mode: 'replace',
    },
  })),
  fc.tuple(text, word, word).map(([field, a, b]) => ({
    intervals: {
      [field]: {
        all_of: {
          ordered: true,
          intervals: [{ match: { query: a } }, { wildcard: { pattern: 'f*x' } }],
          filter: { not_containing: { match: { query: b } } },
        },
      },
    },
  })),
  fc.tuple(text, word, word, fc.boolean()).map(([field, a, b, in_order]) => ({
    span_near: {
      clauses: [
        {
          span_or: {
            clauses: [{ span_term: { [field]: a } }, { span_multi: { match: { prefix: { [field]: 're' } } } }],
          },
        },
        { span_term: { [field]: b } },
      ],
      slop: 2,
      in_order,
    },
  })),
  fc.tuple(text, word, word).map(([field, a, b]) => ({
    span_not: {
      include: { span_first: { match: { span_term: { [field]: a } }, end: 3 } },
      exclude: { field_masking_span: { query: { span_term: { secret: b } }, field } },
      dist: 1,
    },
  })),
  word.map((a) => ({ wrapper: { query: Buffer.from(JSON.stringify({ match: { text: a } })).toString('base64') } })),
);

/** A query over fields that may be hidden. */
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
  fc
    .tuple(text, fc.boolean(), fc.constantFrom({}, { filter: { exists: { field: 'poster.name' } } }))
    .map(([field, filter_duplicate_text, { filter }]) => ({
      filter: { range: { n: { gte: 1, lt: 3 } } },
      aggs: {
        s: {
          significant_text: {
            field,
            min_doc_count: 1,
            filter_duplicate_text,
            source_fields: [field, 'poster.name', 'secret'],
            ...(filter === undefined ? {} : { background_filter: filter }),
          },
        },
      },
    })),
  keyword.map((field) => ({ string_stats: { field, show_distribution: true } })),
  fc.constant({ boxplot: { field: 'n' } }),
  fc
    .tuple(
      keyword,
      fc.constantFrom<unknown>({ n: 'desc' }, { when: 'asc' }, '_score', { _geo_distance: { place: [1, 1] } }),
    )
    .map(([field, sort]) => ({
      terms: { field: 'tag', order: { 'm.n': 'desc' } },
      aggs: { m: { top_metrics: { metrics: [{ field: 'n' }, { field }, { field: 'when' }], sort, size: 2 } } },
    })),
  keyword.map((field) => ({
    terms: { field },
    aggs: {
      h: { top_hits: { size: 2, sort: [{ _geo_distance: { place: [1, 1], mode: 'avg' } }, { n: { mode: 'sum' } }] } },
    },
  })),
  keyword.map((field) => ({ rare_terms: { field, max_doc_count: 2 } })),
  keyword.map((field) => ({
    terms: { field, order: [{ a: 'desc' }, { _key: 'asc' }], show_term_doc_count_error: true, missing: 'none' },
    aggs: { a: { avg: { field: 'n' } } },
  })),
  keyword.map((field) => ({ terms: { field, include: '[a-r].*', exclude: ['red'] } })),
  fc.constantFrom('avg', 'sum', 'min', 'max', 'extended_stats', 'median_absolute_deviation').map((kind) => ({
    [kind]: { field: 'n' },
  })),
  fc.constant({ percentile_ranks: { field: 'n', values: [1, 3] } }),
  fc.constant({ weighted_avg: { value: { field: 'n' }, weight: { field: 'n', missing: 2 } } }),
  fc.constant({
    range: { field: 'n', ranges: [{ to: 2 }, { from: 2 }] },
    aggs: { g: { geo_centroid: { field: 'place' } } },
  }),
  fc.constant({ date_range: { field: 'when', ranges: [{ to: '2026-01-02' }, { from: '2026-01-02' }] } }),
  fc.constant({ ip_range: { field: 'address', ranges: [{ mask: '10.0.0.0/30' }, { from: '10.0.0.5' }] } }),
  fc.constantFrom(
    { geo_distance: { field: 'place', origin: [0, 0], unit: 'km', ranges: [{ to: 200 }, { from: 200 }] } },
    { geohash_grid: { field: 'place', precision: 3 } },
    { geotile_grid: { field: 'place', precision: 6 } },
    { geo_bounds: { field: 'place' } },
    { geo_centroid: { field: 'place' } },
  ),
  fc.tuple(query, query).map(([a, b]) => ({ adjacency_matrix: { filters: { a, b } } })),
  keyword.map((field) => ({
    nested: { path: 'parts' },
    aggs: {
      k: { terms: { field: 'parts.kind' }, aggs: { back: { reverse_nested: {}, aggs: { o: { terms: { field } } } } } },
      v: { stats: { field: 'parts.v' } },
    },
  })),
  fc.tuple(keyword, fc.constantFrom('avg', 'sum', 'min', 'max', 'percentiles')).map(([field, kind]) => ({
    filter: { match_all: {} },
    aggs: {
      h: { histogram: { field: 'n', interval: 2 }, aggs: { c: { cardinality: { field } } } },
      p: { [`${kind}_bucket`]: { buckets_path: 'h>c' } },
    },
  })),
  fc.constant({
    histogram: { field: 'n', interval: 1, min_doc_count: 0, extended_bounds: { min: 0, max: 5 } },
    aggs: { d: { serial_diff: { buckets_path: '_count', lag: 1 } } },
  }),
  keyword.map((field) => ({
    composite: {
      size: 3,
      sources: [
        { h: { histogram: { field: 'n', interval: 2, order: 'desc' } } },
        { d: { date_histogram: { field: 'when', calendar_interval: 'day', missing_bucket: true } } },
        { k: { terms: { field } } },
      ],
    },
  })),
  keyword.map((field) => ({ filters: { filters: { a: { exists: { field } }, b: { match_all: {} } } } })),
  keyword.map((field) => ({
    matrix_stats: {
      fields: ['n', 'parts.v', 'rank'].slice(0, 2),
      missing: { 'parts.v': 1 },
      mode: field === 'tag' ? 'sum' : 'max',
    },
  })),
  fc.tuple(query, fc.constantFrom('paired', 'homoscedastic', 'heteroscedastic')).map(([filter, type]) => ({
    t_test: {
      a: { field: 'n', ...(type === 'paired' ? {} : { filter }) },
      b: { field: 'fine', missing: '2026-01-01T00:00:00.003Z' },
      type,
    },
  })),
  keyword.map((field) => ({
    date_histogram: { field: 'when', calendar_interval: 'month' },
    aggs: { t: { terms: { field }, aggs: { r: { rate: { unit: 'day', field: 'n' } } } } },
  })),
  fc.tuple(keyword, fc.constantFrom('n', 'when', 'fine')).map(([field, value]) => ({
    variable_width_histogram: { field: value, buckets: 2 },
    aggs: { t: { terms: { field } } },
  })),
  fc.tuple(column, keyword, fc.constantFrom(1, 2)).map(([field, shown, most]) => ({
    diversified_sampler: { field, shard_size: 2, max_docs_per_value: most },
    aggs: { t: { terms: { field: shown } }, n: { stats: { field: 'n' } } },
  })),
  keyword.map((field) => ({ sampler: { shard_size: 2 }, aggs: { t: { terms: { field } } } })),
  keyword.map((field) => ({
    histogram: { field: 'n', interval: 1 },
    aggs: {
      c: { cardinality: { field } },
      a: { cumulative_cardinality: { buckets_path: 'c' } },
      p: { percentiles: { field: 'when' } },
      m: { moving_percentiles: { buckets_path: 'p', window: 2 } },
      f: { moving_fn: { buckets_path: 'c', window: 2, script: 'MovingFunctions.ewma(values, 0.5)' } },
      o: { normalize: { buckets_path: 'c', method: 'z-score' } },
      s: { bucket_script: { buckets_path: { c: 'c', d: '_count' }, script: 'params.c / params.d' } },
      k: { bucket_selector: { buckets_path: { d: '_count' }, script: 'params.d != 1' } },
    },
  })),
);

const sort = fc.oneof(
  fc.constant([{ n: { order: 'desc', missing: '_first' } }]),
  fc.constant([{ fine: 'asc' }]),
  fc.constant([{ worded: 'asc' }]),
  fc.constant(['_doc']),
  fc.constant(['_score']),
  fc.constant([{ 'poster.login': 'asc' }]),
  fc.constant([{ tag: 'desc' }, '_score']),
  fc.constant([{ 'secret.keyword': { order: 'asc', unmapped_type: 'keyword' } }]),
  fc.constant([{ _geo_distance: { place: [1, 1], unit: 'km' } }, { label: 'desc' }]),
  fc.constant([{ n: { order: 'asc', mode: 'max' } }, { whisper: { order: 'asc', unmapped_type: 'keyword' } }]),
  fc.constant([{ 'parts.v': { order: 'asc', mode: 'min', nested: { path: 'parts' } } }, '_id']),
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
      highlight,
      profile: fc.constant(true),
      indices_boost: fc.constantFrom([{ t: 2 }], [{ mine: 3 }]),
      stored_fields: fc.constantFrom('_none_', ['*'], ['secret']),
      explain: fc.constant(true),
      version: fc.constant(true),
      seq_no_primary_term: fc.constant(true),
      docvalue_fields: fc.array(fc.constantFrom('tag', 'poster.*', 'n', 'fine', '_policy.*'), { maxLength: 2 }),
      fields: fc.array(pattern, { maxLength: 2 }),
      _source: fc.oneof(fc.boolean(), fc.array(pattern, { maxLength: 2 })),
      suggest: fc.tuple(text, word).map(([field, a]) => ({
        s: { text: `${a}x ${a}`, term: { field, suggest_mode: 'always', min_word_length: 1 } },
        p: {
          text: `${a}x ${a} fo`,
          phrase: {
            field,
            confidence: 0,
            max_errors: 2,
            gram_size: 2,
            highlight: { pre_tag: '<', post_tag: '>' },
            direct_generator: [
              { field, suggest_mode: 'always', min_word_length: 1, max_term_freq: 9 },
              { field: 'text' },
            ],
          },
        },
        c: { prefix: a.slice(0, 2), completion: { field: 'start', skip_duplicates: true, fuzzy: { fuzziness: 1 } } },
        d: {
          prefix: a.slice(0, 1),
          completion: { field: 'grouped', contexts: { kind: ['y', { context: 'x', prefix: true, boost: 2 }] } },
        },
      })),
    },
    { requiredKeys: [] },
  )
  .chain((body) => index.map((name) => ({ target: `POST /${name}/_search`, body })));

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
  {
    weight: 2,
    arbitrary: fc
      .tuple(index, query)
      .map(([name, asked]) => ({ target: `POST /${name}/_count`, body: { query: asked } })),
  },
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
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(9), pattern, fc.boolean()).map(([id, field, positions]) => ({
      target: 'POST /t/_mtermvectors',
      body: { docs: [{ _id: String(id), fields: [field], positions }, { doc: { text: 'red fox', secret: 'red' } }] },
    })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(9), pattern).map(([id, field]) => ({
      target: `GET /t/_doc/${id}?_source_includes=${field}&stored_fields=${field}&version=1`,
    })),
  },
  { weight: 1, arbitrary: fc.nat(9).map((id) => ({ target: `HEAD /t/_doc/${id}` })) },
  {
    weight: 1,
    arbitrary: pattern.map((field) => ({ target: `GET /t/_field_caps?include_unmapped=true&fields=${field}` })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(text, word).map(([field, a]) => ({
      target: `GET /mine/_search?df=${field}&q=${a}&sort=tag:desc&explain=true&_source_excludes=secret`,
    })),
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
        'GET /_cat/nodes',
        'GET /_cat/indices?v&h=health,status,index,pri,rep,docs.count,store.size',
        'GET /_cat/health?h=status,shards',
        'GET /_cluster/state/nodes,blocks',
        'GET /t/_segments',
        'GET /_cat/segments',
        'GET /_cat/allocation',
        'GET /_cat/fielddata',
        'GET /_cat/recovery?h=index,stage,files',
        'GET /mine,hushed/_search_shards?filter_path=indices,nodes',
        'GET /_cluster/stats?filter_path=-timestamp',
        'GET /_cluster/state/metadata?filter_path=metadata.indices.*.mappings',
        'GET /_shard_stores?status=all&filter_path=indices.*.shards.*.stores.allocation',
        'GET /t/_stats/docs,store,search,indexing',
        'GET /mine,hushed/_alias',
        'GET /t/_mapping/field/whisper,label',
        'GET /_mapping',
        'GET /_settings?flat_settings=true',
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

export { query as arbitraryQuery, sort as arbitrarySort, column as arbitraryColumn };
