// The URL parameters that several endpoints share.

export const EXPAND = ['ignore_unavailable', 'allow_no_indices', 'expand_wildcards', 'ignore_throttled'];
/** Of what only tells of the cluster. */
export const LOCAL = ['local', 'master_timeout'];
/** Of what changes the cluster and waits until every node knows. */
export const ACKNOWLEDGED = ['timeout', 'master_timeout'];
export const QUERY = ['q', 'df', 'analyzer', 'analyze_wildcard', 'default_operator', 'lenient'];
const ONLY_SOURCE = ['_source', '_source_includes', '_source_excludes'];
export const SOURCE = [...ONLY_SOURCE, 'stored_fields'];

/** The type may stand in the path or, as the client for 7.x has it, beside it. */
const TYPE = 'type';
/** Of every change of one document, deletions among them. */
export const DELETE = [
  TYPE,
  'routing',
  'refresh',
  'timeout',
  'version',
  'version_type',
  'if_seq_no',
  'if_primary_term',
  'wait_for_active_shards',
];
export const WRITE = [...DELETE, 'pipeline', 'op_type', 'require_alias'];
/** Of what an update answers of the document. */
export const UPDATE = [...DELETE, ...ONLY_SOURCE, 'require_alias', 'retry_on_conflict'];
export const BULK = [
  'refresh',
  'routing',
  'timeout',
  'wait_for_active_shards',
  'pipeline',
  TYPE,
  'require_alias',
  ...ONLY_SOURCE,
];

/** Of reading several documents; of which version each is, its own entry says. */
export const READ_MANY = ['routing', 'preference', 'realtime', 'refresh', ...SOURCE];
export const READ = [...READ_MANY, 'version', 'version_type', TYPE];
/** Of reading a source and nothing else. */
export const READ_SOURCE = READ.filter((name) => !['stored_fields', 'version', 'version_type'].includes(name));
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
/** Of every table, whether anything in it is printed otherwise for them or not. */
export const CAT = ['v', 'h', 's', 'help', 'ts', 'pri', 'bytes', 'size', 'time'];
