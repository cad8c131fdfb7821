// The URL parameters that several endpoints share.

export const EXPAND = {
  ignore_unavailable: 'indexFlag',
  allow_no_indices: 'indexFlag',
  expand_wildcards: 'wildcards',
  ignore_throttled: 'indexFlag',
} as const;
/** Of endpoints that only read the state of the cluster. */
export const LOCAL = { local: 'flag', master_timeout: 'time' } as const;
/** Of endpoints that change the cluster and wait until every node knows. */
export const TIMEOUTS = { timeout: 'time', master_timeout: 'time' } as const;
export const QUERY = {
  q: 'text',
  df: 'text',
  analyzer: 'text',
  analyze_wildcard: 'flag',
  default_operator: 'text',
  lenient: 'flag',
} as const;
export const ONLY_SOURCE = { _source: 'text', _source_includes: 'text', _source_excludes: 'text' } as const;
export const SOURCE = { ...ONLY_SOURCE, stored_fields: 'text' } as const;
/** The type may stand in the path or, as the client for 7.x has it, beside it. */
export const TYPE = { type: 'text' } as const;
/** Of every change of one document, deletions among them. */
export const DELETE = {
  ...TYPE,
  routing: 'text',
  refresh: 'text',
  timeout: 'time',
  version: 'text',
  version_type: 'text',
  if_seq_no: 'text',
  if_primary_term: 'text',
  wait_for_active_shards: 'text',
} as const;
export const WRITE = { ...DELETE, pipeline: 'text', op_type: 'text', require_alias: 'flag' } as const;
/** Of reading documents by id. */
export const READ_ONE = { routing: 'text', preference: 'text', realtime: 'flag', refresh: 'flag' } as const;
export const READ = { ...READ_ONE, ...SOURCE, ...TYPE, version: 'text', version_type: 'text' } as const;
/** Of every table, whether anything in it is printed otherwise for them or not. */
export const CAT = {
  v: 'flag',
  h: 'text',
  s: 'text',
  help: 'flag',
  ts: 'text',
  pri: 'text',
  bytes: 'text',
  size: 'text',
  time: 'text',
} as const;
/** Of numbers of indices that may be told by field, group or type. */
export const NUMBERS_OF_FIELDS = {
  fields: 'text',
  groups: 'text',
  types: 'text',
  completion_fields: 'text',
  fielddata_fields: 'text',
  include_segment_file_sizes: 'flag',
} as const;
