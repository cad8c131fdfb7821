// The settings of an index one by one: each with a request that its value changes, or with the reason why it is kept and means nothing.
// settings.test.ts holds the code to this table; docs/compatibility.md prints the second kind.

/** What a setting does. */
export type SettingCase =
  | {
      readonly kind: 'effect';
      readonly value: unknown;
      /** Asked of an index with the setting and of one without, both named `s`; several are asked in turn. */
      readonly ask: readonly (readonly [target: string, body?: unknown])[];
      /** Of the index besides. */
      readonly settings?: Readonly<Record<string, unknown>>;
      readonly mappings?: unknown;
    }
  | { readonly kind: 'none'; readonly value: unknown; readonly because: string }
  | { readonly kind: 'refused'; readonly value: unknown }
  /** What the index says of itself; given values are kept. */
  | { readonly kind: 'told' };

const search = (body: unknown): readonly [string, unknown] => ['POST /s/_search', body];
const shows = (
  value: unknown,
  ask: readonly (readonly [string, unknown?])[],
  more: { readonly settings?: Readonly<Record<string, unknown>>; readonly mappings?: unknown } = {},
): SettingCase => ({ kind: 'effect', value, ask, ...more });
const none = (value: unknown, because: string): SettingCase => ({ kind: 'none', value, because });

const WRITE = [['PUT /s/_doc/9', { t: 'x' }]] as const;
const ONE_COPY = 'there is one node and one copy of each shard';
const OWN_LOG = 'the log of writes is kept until the next commit, for no other node';
const MERGES = 'segments are merged by one policy';
const CACHED = 'answers are the same with a cache and without one';
const SLOW_LOG = 'requests that take long are not logged by index';
/** The order in which the documents lie. */
const ordered = (value: unknown, settings: Readonly<Record<string, unknown>> = {}): SettingCase =>
  shows(value, [search({ sort: '_doc' })], {
    settings,
    mappings: { properties: { k: { type: 'keyword' }, t: { type: 'keyword' }, several: { type: 'integer' } } },
  });
const nested = (size: number) =>
  search({ query: { nested: { path: 'items', query: { match_all: {} }, inner_hits: { size } } } });

/** By name, without `index.`. */
export const SETTING_CASES: Readonly<Record<string, SettingCase>> = {
  number_of_shards: shows(3, [['POST /s/_search?routing=zz', {}]]),
  number_of_routing_shards: shows(30, [['POST /s/_search?routing=b', {}]], { settings: { number_of_shards: 5 } }),
  routing_partition_size: none(2, 'documents with a routing are all in one place'),
  number_of_replicas: shows(0, [['PUT /s/_doc/9', { t: 'x' }]]),
  auto_expand_replicas: shows('0-all', [['GET /_cluster/health']], { settings: { number_of_replicas: 2 } }),
  refresh_interval: shows('-1', [['GET /s/_settings?include_defaults=true']]),
  max_result_window: shows(2, [search({ size: 3 })]),
  max_terms_count: shows(1, [search({ query: { terms: { k: ['a', 'b'] } } })]),
  max_inner_result_window: shows(2, [nested(3)]),
  max_rescore_window: shows(2, [search({ rescore: { window_size: 3, query: { rescore_query: { match_all: {} } } } })]),
  max_docvalue_fields_search: shows(1, [search({ docvalue_fields: ['k', 'n'] })]),
  max_slices_per_scroll: shows(2, [['POST /s/_search?scroll=1m', { slice: { id: 0, max: 3 } }]]),
  max_regex_length: shows(2, [search({ query: { regexp: { k: 'a.*' } } })]),
  max_script_fields: none(2, 'scripts are refused'),
  max_refresh_listeners: none(2, 'writes that wait for a refresh all wait for the same one'),
  max_ngram_diff: shows(3, [['GET /s']], {
    settings: {
      analysis: { tokenizer: { x: { type: 'ngram', min_gram: 1, max_gram: 4 } }, analyzer: { y: { tokenizer: 'x' } } },
    },
  }),
  max_shingle_diff: shows(5, [['GET /s']], {
    settings: {
      analysis: {
        filter: { x: { type: 'shingle', min_shingle_size: 2, max_shingle_size: 7 } },
        analyzer: { y: { tokenizer: 'standard', filter: ['x'] } },
      },
    },
  }),
  'sort.field': ordered('t'),
  'sort.order': ordered('desc', { 'sort.field': 'k' }),
  'sort.mode': ordered('max', { 'sort.field': 'several' }),
  'sort.missing': ordered('_first', { 'sort.field': 'several' }),
  'highlight.max_analyzed_offset': shows(3, [
    search({ query: { match: { t: 'fox' } }, highlight: { fields: { t: {} } } }),
  ]),
  'analyze.max_token_count': shows(1, [['POST /s/_analyze', { text: 'a b' }]]),
  'query.default_field': shows(['k'], [search({ query: { query_string: { query: 'fox' } } })]),
  'query_string.lenient': shows(true, [search({ query: { query_string: { query: 'n:x', fields: ['t'] } } })]),
  'mapping.total_fields.limit': shows(6, [['PUT /s/_mapping', { properties: { x: { type: 'long' } } }]]),
  'mapping.depth.limit': shows(2, [['PUT /s/_mapping', { properties: { 'a.b.c': { type: 'long' } } }]]),
  'mapping.nested_fields.limit': shows(1, [['PUT /s/_mapping', { properties: { more: { type: 'nested' } } }]]),
  'mapping.nested_objects.limit': shows(1, [['PUT /s/_doc/9', { items: [{ n: 1 }, { n: 2 }] }]]),
  'mapping.field_name_length.limit': shows(5, [['PUT /s/_mapping', { properties: { longer: { type: 'long' } } }]]),
  'mapping.ignore_malformed': shows(true, [['PUT /s/_doc/9', { n: 'x' }]]),
  'mapping.coerce': shows(false, [['PUT /s/_doc/9', { n: '1' }]]),
  'blocks.read_only': shows(true, WRITE),
  'blocks.read_only_allow_delete': shows(true, WRITE),
  'blocks.write': shows(true, WRITE),
  'blocks.read': shows(true, [search({})]),
  'blocks.metadata': shows(true, [['GET /s']]),
  'similarity.default.type': { kind: 'refused', value: 'boolean' },
  'similarity.default.k1': shows(2, [search({ query: { match: { t: 'fox' } } })]),
  'similarity.default.b': shows(0.1, [search({ query: { match: { t: 'fox' } } })]),
  'translog.durability': shows('async', [['GET /s/_settings?include_defaults=true']]),
  'translog.sync_interval': shows('1s', [['GET /s/_settings?include_defaults=true']]),
  'translog.flush_threshold_size': none('1gb', 'the log of writes is committed away at 512 MB'),
  'translog.retention.size': none('1gb', OWN_LOG),
  'translog.retention.age': none('1h', OWN_LOG),
  hidden: shows(true, [['GET /_cat/indices'], ['GET /*']]),
  'routing.allocation.enable': none('none', ONE_COPY),
  'routing.rebalance.enable': none('none', ONE_COPY),
  'shard.check_on_startup': none(true, 'checksums are verified whenever something is read'),
  codec: none('best_compression', 'there is one format of files'),
  priority: none(5, 'indices open all at once'),
  gc_deletes: none('1h', 'versions of deleted documents are kept as long as the log of writes'),
  'soft_deletes.enabled': none(true, OWN_LOG),
  'soft_deletes.retention_lease.period': none('1h', OWN_LOG),
  'unassigned.node_left.delayed_timeout': none('1m', ONE_COPY),
  'write.wait_for_active_shards': none('1', ONE_COPY),
  load_fixed_bitset_filters_eagerly: none(false, 'filters are remembered when they are used'),
  'store.type': none('niofs', 'files are read in one way'),
  'merge.scheduler.max_thread_count': none(1, 'merges have one thread'),
  'search.idle.after': none('1m', 'an index is refreshed whether it is searched or not'),
  'allocation.max_retries': none(5, ONE_COPY),
  compound_format: none('true', 'there is one format of files'),
  'fielddata.cache': none('none', 'values of documents stand in columns'),
  flush_after_merge: none('1gb', OWN_LOG),
  force_memory_term_dictionary: none(true, 'there is one format of files'),
  format: none(6, 'it is a note for those who made the index'),
  'merge.policy.deletes_pct_allowed': none(25, MERGES),
  'merge.policy.expunge_deletes_allowed': none(20, MERGES),
  'merge.policy.floor_segment': none('4mb', MERGES),
  'merge.policy.max_merge_at_once': none(5, MERGES),
  'merge.policy.max_merge_at_once_explicit': none(5, MERGES),
  'merge.policy.max_merged_segment': none('1gb', MERGES),
  'merge.policy.reclaim_deletes_weight': none(3, MERGES),
  'merge.policy.segments_per_tier': none(5, MERGES),
  'merge.scheduler.auto_throttle': none(false, 'merges have one thread'),
  'merge.scheduler.max_merge_count': none(4, 'merges have one thread'),
  'percolator.map_unmapped_fields_as_text': none(true, 'percolator fields are refused'),
  'queries.cache.enabled': none(false, CACHED),
  'requests.cache.enable': none(false, CACHED),
  'routing.allocation.total_shards_per_node': none(5, ONE_COPY),
  'soft_deletes.retention.operations': none(5, OWN_LOG),
  'store.fs.fs_lock': none('simple', 'the folder of all indices has one lock'),
  'store.preload': none(['nvd'], 'files are read in one way'),
  'store.stats_refresh_interval': none('5s', 'sizes are counted when they are asked for'),
  'translog.generation_threshold_size': none('100mb', OWN_LOG),
  'warmer.enabled': none(false, 'nothing is warmed up'),
  'indexing.slowlog.level': none('info', SLOW_LOG),
  'search.slowlog.level': none('info', SLOW_LOG),
  'indexing.slowlog.reformat': none(false, SLOW_LOG),
  'indexing.slowlog.source': none(5, SLOW_LOG),
  'indexing.slowlog.threshold.index.debug': none('10s', SLOW_LOG),
  'search.slowlog.threshold.fetch.debug': none('10s', SLOW_LOG),
  'search.slowlog.threshold.query.debug': none('10s', SLOW_LOG),
  'indexing.slowlog.threshold.index.info': none('10s', SLOW_LOG),
  'search.slowlog.threshold.fetch.info': none('10s', SLOW_LOG),
  'search.slowlog.threshold.query.info': none('10s', SLOW_LOG),
  'indexing.slowlog.threshold.index.trace': none('10s', SLOW_LOG),
  'search.slowlog.threshold.fetch.trace': none('10s', SLOW_LOG),
  'search.slowlog.threshold.query.trace': none('10s', SLOW_LOG),
  'indexing.slowlog.threshold.index.warn': none('10s', SLOW_LOG),
  'search.slowlog.threshold.fetch.warn': none('10s', SLOW_LOG),
  'search.slowlog.threshold.query.warn': none('10s', SLOW_LOG),
  max_adjacency_matrix_filters: { kind: 'refused', value: 5 },
  'query.parse.allow_unmapped_fields': { kind: 'refused', value: false },
  default_pipeline: shows('absent', WRITE),
  final_pipeline: shows('absent', WRITE),
};
