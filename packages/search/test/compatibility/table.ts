// What of Elasticsearch 7.10 is there, row by row, each with a request that shows it: the source of docs/compatibility.md.
// `yes` rows answer 200 in the test beside, `partly` rows too and say what is missing, `400` rows are refused by name.

/** How far something is supported. */
export type Support = 'yes' | 'partly' | '400';

/** One row of the page. */
export interface Row {
  readonly name: string;
  readonly support: Support;
  /** What is missing or different. */
  readonly note?: string;
  /** The sample: a query, an aggregation, or members of a search body. */
  readonly sample: unknown;
}

/** The fields the samples talk about. */
export const SAMPLE_MAPPING = {
  properties: {
    text: { type: 'text' },
    tag: { type: 'keyword' },
    n: { type: 'integer' },
    at: { type: 'date' },
    ip: { type: 'ip' },
    place: { type: 'geo_point' },
    items: { type: 'nested', properties: { n: { type: 'integer' } } },
    typed: { type: 'completion' },
    rank: { type: 'rank_feature' },
  },
};

/** A document with all of them. */
export const SAMPLE_DOCUMENT = {
  text: 'quick brown fox',
  tag: 'a',
  n: 1,
  at: '2020-01-01',
  ip: '10.0.0.1',
  place: '1,2',
  items: [{ n: 1 }],
  typed: 'fox',
  rank: 2,
};

const term = { term: { tag: 'a' } };
const point = { lat: 1, lon: 2 };
const fox = { span_term: { text: 'fox' } };
const quick = { span_term: { text: { value: 'quick' } } };

/** Query types. */
export const QUERIES: readonly Row[] = [
  { name: 'match_all', support: 'yes', sample: { match_all: {} } },
  { name: 'match_none', support: 'yes', sample: { match_none: {} } },
  {
    name: 'match',
    support: 'yes',
    sample: { match: { text: 'fox' } },
  },
  { name: 'match_phrase', support: 'yes', sample: { match_phrase: { text: 'quick brown' } } },
  { name: 'match_phrase_prefix', support: 'yes', sample: { match_phrase_prefix: { text: 'quick br' } } },
  { name: 'match_bool_prefix', support: 'yes', sample: { match_bool_prefix: { text: 'quick br' } } },
  { name: 'multi_match', support: 'yes', sample: { multi_match: { query: 'fox', fields: ['text', 'tag'] } } },
  {
    name: 'query_string',
    support: 'partly',
    note: 'no intervals in phrases',
    sample: { query_string: { query: 'text:fox AND n:[0 TO 5]' } },
  },
  {
    name: 'simple_query_string',
    support: 'yes',
    sample: { simple_query_string: { query: '"quick brown" -dog', fields: ['text'] } },
  },
  { name: 'term', support: 'yes', sample: term },
  { name: 'terms', support: 'yes', sample: { terms: { tag: ['a'] } } },
  { name: 'range', support: 'yes', sample: { range: { at: { gte: 'now-10y/y', time_zone: '+01:00' } } } },
  { name: 'exists', support: 'yes', sample: { exists: { field: 'tag' } } },
  { name: 'prefix', support: 'yes', sample: { prefix: { tag: 'a' } } },
  { name: 'wildcard', support: 'yes', sample: { wildcard: { tag: 'a*' } } },
  { name: 'regexp', support: 'yes', sample: { regexp: { tag: 'a.*' } } },
  { name: 'fuzzy', support: 'yes', sample: { fuzzy: { text: 'fix' } } },
  { name: 'ids', support: 'yes', sample: { ids: { values: ['1'] } } },
  {
    name: 'intervals',
    support: 'partly',
    note: 'script filters are refused',
    sample: { intervals: { text: { match: { query: 'quick fox' } } } },
  },
  { name: 'type', support: 'partly', note: 'every index has the one type _doc', sample: { type: { value: '_doc' } } },
  { name: 'bool', support: 'yes', sample: { bool: { must: term, should: [term], minimum_should_match: 1 } } },
  { name: 'constant_score', support: 'yes', sample: { constant_score: { filter: term } } },
  { name: 'dis_max', support: 'yes', sample: { dis_max: { queries: [term] } } },
  { name: 'boosting', support: 'yes', sample: { boosting: { positive: term, negative: term, negative_boost: 0.5 } } },
  {
    name: 'function_score',
    support: 'partly',
    note: 'no script_score',
    sample: { function_score: { query: term, gauss: { n: { origin: 1, scale: 2 } } } },
  },
  {
    name: 'nested',
    support: 'yes',
    sample: {
      nested: {
        path: 'items',
        query: { term: { 'items.n': 1 } },
        inner_hits: { sort: ['items.n'], highlight: { fields: {} } },
      },
    },
  },
  { name: 'geo_distance', support: 'yes', sample: { geo_distance: { distance: '1km', place: point } } },
  {
    name: 'geo_bounding_box',
    support: 'yes',
    sample: { geo_bounding_box: { place: { top_left: '2,1', bottom_right: '0,3' } } },
  },
  {
    name: 'geo_polygon',
    support: 'yes',
    sample: { geo_polygon: { place: { points: ['0,1', '3,1', '2,4'] } } },
  },
  { name: 'pinned', support: 'yes', sample: { pinned: { ids: ['1'], organic: term } } },
  {
    name: 'terms_set',
    support: 'partly',
    note: 'no minimum_should_match_script',
    sample: { terms_set: { tag: { terms: ['a'], minimum_should_match_field: 'n' } } },
  },
  {
    name: 'more_like_this',
    support: 'partly',
    note: 'no per_field_analyzer; documents of other indices are analysed by the mapping of the index searched',
    sample: { more_like_this: { fields: ['text'], like: ['fox', { _id: '1' }] } },
  },
  {
    name: 'distance_feature',
    support: 'yes',
    sample: { distance_feature: { field: 'at', origin: 'now', pivot: '7d' } },
  },
  {
    name: 'rank_feature',
    support: 'partly',
    note: 'on fields of type rank_feature, not rank_features',
    sample: { rank_feature: { field: 'rank', saturation: { pivot: 8 } } },
  },
  { name: 'span_term', support: 'yes', sample: fox },
  { name: 'span_near', support: 'yes', sample: { span_near: { clauses: [quick, fox], slop: 1, in_order: true } } },
  { name: 'span_or', support: 'yes', sample: { span_or: { clauses: [quick, fox] } } },
  { name: 'span_not', support: 'yes', sample: { span_not: { include: fox, exclude: quick, pre: 0 } } },
  { name: 'span_first', support: 'yes', sample: { span_first: { match: fox, end: 3 } } },
  { name: 'span_containing', support: 'yes', sample: { span_containing: { big: fox, little: quick } } },
  { name: 'span_within', support: 'yes', sample: { span_within: { big: fox, little: quick } } },
  {
    name: 'span_multi',
    support: 'partly',
    note: 'of prefix, wildcard, regexp and fuzzy, without rewrite',
    sample: { span_multi: { match: { prefix: { text: 'fo' } } } },
  },
  {
    name: 'field_masking_span',
    support: 'yes',
    sample: { span_near: { clauses: [quick, { field_masking_span: { query: fox, field: 'text' } }] } },
  },
  {
    name: 'wrapper',
    support: 'yes',
    sample: { wrapper: { query: Buffer.from(JSON.stringify(term)).toString('base64') } },
  },
];

/** Members of a search body. */
export const SEARCH_MEMBERS: readonly Row[] = [
  { name: 'query', support: 'yes', sample: { query: term } },
  { name: 'post_filter', support: 'yes', sample: { post_filter: term } },
  { name: 'aggs', support: 'yes', sample: { aggs: {} } },
  { name: 'aggregations', support: 'yes', sample: { aggregations: {} } },
  { name: 'from', support: 'yes', sample: { from: 0 } },
  { name: 'size', support: 'yes', sample: { size: 1 } },
  { name: 'sort', support: 'partly', note: 'no _script', sample: { sort: [{ n: 'desc' }, '_score'] } },
  { name: 'track_scores', support: 'yes', sample: { track_scores: true } },
  { name: 'track_total_hits', support: 'yes', sample: { track_total_hits: 5 } },
  { name: 'min_score', support: 'yes', sample: { min_score: 0.1 } },
  { name: 'search_after', support: 'yes', sample: { sort: ['n'], search_after: [0] } },
  { name: 'terminate_after', support: 'yes', sample: { terminate_after: 10 } },
  { name: 'timeout', support: 'yes', sample: { timeout: '1s' } },
  {
    name: 'highlight',
    support: 'yes',
    sample: { query: { match: { text: 'fox' } }, highlight: { fields: { text: {} } } },
  },
  {
    name: 'suggest',
    support: 'partly',
    note: 'no stored templates in collate',
    sample: { suggest: { s: { text: 'fix', phrase: { field: 'text' } } } },
  },
  {
    name: 'collapse',
    support: 'yes',
    sample: { collapse: { field: 'tag', inner_hits: { name: 'x', collapse: { field: 'n' } } } },
  },
  { name: 'indices_boost', support: 'yes', sample: { indices_boost: [{ sample: 2 }] } },
  { name: 'pit', support: 'yes', sample: {} },
  { name: '_source', support: 'yes', sample: { _source: { includes: ['t*'], excludes: ['tag'] } } },
  { name: 'stored_fields', support: 'yes', sample: { stored_fields: ['_none_'] } },
  { name: 'docvalue_fields', support: 'yes', sample: { docvalue_fields: ['n', { field: 'at', format: 'yyyy' }] } },
  { name: 'fields', support: 'yes', sample: { fields: ['t*'] } },
  { name: 'version', support: 'yes', sample: { version: true } },
  { name: 'seq_no_primary_term', support: 'yes', sample: { seq_no_primary_term: true } },
  { name: 'explain', support: 'yes', sample: { explain: true } },
  {
    name: 'profile',
    support: 'partly',
    note: 'of queries the tree and the whole time; segments are told as one',
    sample: { profile: true },
  },
  {
    name: 'slice',
    support: 'partly',
    note: 'of scrolls, by `_id`, whole numbers, dates, booleans and doubles',
    sample: {},
  },
  { name: 'stats', support: 'yes', sample: { stats: ['x'] } },
  {
    name: 'rescore',
    support: 'yes',
    sample: { rescore: { window_size: 5, query: { rescore_query: term } } },
  },
  { name: 'script_fields', support: '400', sample: { script_fields: { a: {} } } },
  { name: 'runtime_mappings', support: '400', sample: { runtime_mappings: { a: {} } } },
  { name: 'ext', support: '400', sample: { ext: { a: {} } } },
];
