// The URL parameters that several endpoints share.

export const EXPAND = ['ignore_unavailable', 'allow_no_indices', 'expand_wildcards', 'ignore_throttled'];
export const TIMES = ['timeout', 'master_timeout', 'wait_for_active_shards', 'local'];
export const QUERY = ['q', 'df', 'analyzer', 'analyze_wildcard', 'default_operator', 'lenient'];
export const SOURCE = ['_source', '_source_includes', '_source_excludes', 'stored_fields'];
export const WRITE = [
  'routing',
  'refresh',
  'timeout',
  'version',
  'version_type',
  'if_seq_no',
  'if_primary_term',
  'wait_for_active_shards',
  'pipeline',
  'op_type',
  'require_alias',
];
export const READ = ['routing', 'preference', 'realtime', 'refresh', 'version', 'version_type', ...SOURCE];
export const SEARCH = [
  ...EXPAND,
  ...QUERY,
  ...SOURCE,
  'from',
  'size',
  'sort',
  'scroll',
  'search_type',
  'routing',
  'preference',
  'timeout',
  'terminate_after',
  'track_scores',
  'track_total_hits',
  'rest_total_hits_as_int',
  'typed_keys',
  'version',
  'seq_no_primary_term',
  'explain',
  'docvalue_fields',
  'stats',
  'suggest_field',
  'suggest_mode',
  'suggest_size',
  'suggest_text',
  'request_cache',
  'batched_reduce_size',
  'max_concurrent_shard_requests',
  'pre_filter_shard_size',
  'allow_partial_search_results',
  'ccs_minimize_roundtrips',
  'min_score',
];
export const CAT = [
  'v',
  'h',
  's',
  'help',
  'bytes',
  'time',
  'local',
  'master_timeout',
  'ts',
  'health',
  'pri',
  'include_unloaded_segments',
  ...EXPAND,
];
