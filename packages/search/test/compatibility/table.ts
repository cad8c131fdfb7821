// What of Elasticsearch 7.10 is there, row by row, each with a request that shows it: the source of docs/compatibility.md. The rows of
// queries come from their definitions.
// `yes` rows answer 200 in the test beside, `partly` rows too and say what is missing, `400` rows are refused by name.
import { QUERY_TYPES } from '../../src/dsl/query-types.ts';

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

/** Query types. */
export const QUERIES: readonly Row[] = Object.entries(QUERY_TYPES).map(([name, { note, sample }]) =>
  note === undefined ? { name, support: 'yes', sample } : { name, support: 'partly', note, sample },
);

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
