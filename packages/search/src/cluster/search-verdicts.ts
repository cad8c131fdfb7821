// The verdicts on what a search asks for besides its query: aggregations, orders and the members of its body.
// docs/reference/cluster.md prints the tables.
import type { AggregationType } from '../aggs/definitions.ts';
import type { SortKey } from '../collect/search-request.ts';
import type { SearchBody } from '../search/search-body.ts';
import { limited, refused, rewritten, SAFE, type Verdict } from './verdict.ts';

const ORDER = refused('its documents depend on the order of the index, which writes of hidden documents change');
const ALL_DOCUMENTS = refused('it compares with frequencies of all documents');
const SKETCH = refused(
  'its approximation depends on the order in which documents are read, which writes of hidden documents change',
);
const WITHHELD = 'where the field is withheld from some documents, in a filter of those that show it';
/** Reads one field. */
const OF_FIELD = rewritten(`itself; ${WITHHELD} and without missing`);
const OF_BUCKETS = refused('its paths name aggregations, which the rewriting moves; compute it from the buckets');
const NOT_OPEN = refused('OpenSearch has none, nor has the open part of Elasticsearch');
const NOT_NESTED = refused('no index of a schema has nested objects');
const JOINED = refused('it reads several fields, each of which may be withheld from other documents');

export const AGGREGATION_VERDICTS: { readonly [Type in AggregationType]: Verdict } = {
  avg: OF_FIELD,
  sum: OF_FIELD,
  min: OF_FIELD,
  max: OF_FIELD,
  value_count: OF_FIELD,
  stats: OF_FIELD,
  extended_stats: OF_FIELD,
  cardinality: OF_FIELD,
  geo_bounds: limited('the top of a request', 'in buckets Elasticsearch 7.10 ends with an error of its own'),
  geo_centroid: OF_FIELD,
  string_stats: NOT_OPEN,
  percentiles: limited('hdr', 'the digests of t-digest depend on the order in which documents are read'),
  percentile_ranks: limited('hdr', 'the digests of t-digest depend on the order in which documents are read'),
  median_absolute_deviation: SKETCH,
  boxplot: NOT_OPEN,
  weighted_avg: JOINED,
  matrix_stats: JOINED,
  t_test: NOT_OPEN,
  rate: NOT_OPEN,
  top_metrics: NOT_OPEN,
  top_hits: refused('its hits would have to be masked and told apart in each bucket; ask for the hits of a bucket'),
  terms: limited(
    `orders by key and count, and min_doc_count of at least 1 at every depth; ${WITHHELD}`,
    'buckets without documents are terms that hidden documents hold; an order may name what the rewriting moves',
  ),
  rare_terms: refused('its filter of common terms depends on the order in which documents are read'),
  significant_terms: ALL_DOCUMENTS,
  significant_text: ALL_DOCUMENTS,
  histogram: OF_FIELD,
  date_histogram: OF_FIELD,
  auto_date_histogram: refused('its interval depends on how the documents lie in shards'),
  variable_width_histogram: SKETCH,
  range: OF_FIELD,
  date_range: OF_FIELD,
  ip_range: OF_FIELD,
  geo_distance: OF_FIELD,
  geohash_grid: OF_FIELD,
  geotile_grid: OF_FIELD,
  composite: JOINED,
  filter: rewritten('itself, with its query rewritten'),
  filters: rewritten('itself, with its queries rewritten'),
  adjacency_matrix: rewritten('itself, with its queries rewritten'),
  missing: rewritten('a filter of documents that do not show the field or lack it'),
  global: rewritten('a filter of the view inside of it'),
  sampler: ORDER,
  diversified_sampler: ORDER,
  nested: NOT_NESTED,
  reverse_nested: NOT_NESTED,
  avg_bucket: OF_BUCKETS,
  sum_bucket: OF_BUCKETS,
  min_bucket: OF_BUCKETS,
  max_bucket: OF_BUCKETS,
  stats_bucket: OF_BUCKETS,
  extended_stats_bucket: OF_BUCKETS,
  percentiles_bucket: OF_BUCKETS,
  bucket_script: OF_BUCKETS,
  bucket_selector: OF_BUCKETS,
  bucket_sort: OF_BUCKETS,
  cumulative_sum: OF_BUCKETS,
  derivative: OF_BUCKETS,
  serial_diff: OF_BUCKETS,
  moving_fn: OF_BUCKETS,
  moving_avg: OF_BUCKETS,
  normalize: OF_BUCKETS,
  cumulative_cardinality: refused('it needs the sketches of the buckets, which are not part of an answer'),
  moving_percentiles: refused('it needs the sketches of the buckets, which are not part of an answer'),
};

export const SORT_VERDICTS: { readonly [Kind in SortKey['kind']]: Verdict } = {
  score: rewritten('itself, then the key of the document'),
  field: limited(
    'fields that are not withheld from some documents; then the key of the document',
    'documents that withhold a value would come where it belongs',
  ),
  geo_distance: limited(
    'fields that are not withheld from some documents; then the key of the document',
    'documents that withhold a place would come where it belongs',
  ),
  doc: rewritten('the key of the document'),
  id: rewritten('the key of the document'),
  key: rewritten('the key of the document, whole numbers padded'),
  constant: rewritten('the key of the document'),
};

const OUR_OWN = rewritten('done by the product, from the masked sources of the hits');

export const SEARCH_VERDICTS: { readonly [Member in keyof SearchBody]: Verdict } = {
  query: rewritten('as the table of queries says, under a filter of the visible documents'),
  postFilter: rewritten('as a query that filters'),
  aggregations: rewritten('as the table of aggregations says'),
  sort: rewritten('as the table of orders says'),
  from: SAFE,
  size: SAFE,
  trackScores: SAFE,
  trackTotalHits: SAFE,
  minScore: SAFE,
  searchAfter: SAFE,
  terminateAfter: ORDER,
  timeout: rewritten('a limit of the product; an answer of a part of the shards is an error, never a smaller answer'),
  highlight: OUR_OWN,
  fetch: OUR_OWN,
  suggest: refused('suggesters read the dictionary of all documents'),
  collapse: limited(
    'fields that are not withheld from some documents',
    'hits would be joined by values that they withhold',
  ),
  rescore: refused('which of equal hits its window holds depends on the order of the index'),
  indicesBoost: SAFE,
  pit: rewritten('a point in time of the product, over one of the cluster'),
  profile: refused('it counts hidden documents'),
  stats: rewritten('counted by the product'),
  slice: refused('slices follow the shards of the cluster'),
};
