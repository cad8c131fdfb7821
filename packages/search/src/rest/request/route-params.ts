// The URL parameters that several endpoints share.

export const EXPAND = ['ignore_unavailable', 'allow_no_indices', 'expand_wildcards', 'ignore_throttled'];
export const TIMES = ['timeout', 'master_timeout', 'wait_for_active_shards', 'local'];
export const QUERY = ['q', 'df', 'analyzer', 'analyze_wildcard', 'default_operator', 'lenient'];
export const SOURCE = ['_source', '_source_includes', '_source_excludes', 'stored_fields'];
/** The type may stand in the path or, as the client for 7.x has it, beside it. */
const TYPE = 'type';
export const WRITE = [
  TYPE,
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
/** Of reading several documents; of which version each is, its own entry says. */
export const READ_MANY = ['routing', 'preference', 'realtime', 'refresh', ...SOURCE];
export const READ = [...READ_MANY, 'version', 'version_type', TYPE];
export const SEARCH = [
  TYPE,
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
];
export const BY_QUERY = [
  ...EXPAND,
  ...QUERY,
  'conflicts',
  'from',
  'max_docs',
  'preference',
  'refresh',
  'request_cache',
  'requests_per_second',
  'routing',
  'scroll',
  'scroll_size',
  'search_timeout',
  'search_type',
  'size',
  'slices',
  'sort',
  'stats',
  'terminate_after',
  'timeout',
  'version',
  'wait_for_active_shards',
  'wait_for_completion',
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
