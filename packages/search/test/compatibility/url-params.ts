// Which URL parameters an endpoint takes without asking for them, with the reason: they are about what this engine does not have. The
// test beside finds out which ones an endpoint never looks at, and holds them to this table; docs/compatibility.md prints it.

import { wordsOf } from '@lockstitch/kernel';

/** A parameter that is taken and says nothing. */
export interface SilentParam {
  readonly because: string;
  /** Where; everywhere by default. */
  readonly paths?: RegExp;
}

const CACHES = 'there are no caches of that kind; those there are follow the documents by themselves';
const ONE_NODE = 'there is one node: what it is told it knows at once';
const ONE_SHARD = 'an index is one shard, which is searched as a whole';
const NO_SNAPSHOTS = 'there are no snapshots';
const NO_THREADS = 'the threads are not looked into';
const EACH_SEARCH = 'it is handed to each of the searches in the body';
const NO_NAME = 'a table of aliases names no index';

/** Parameters that say what a template says. */
const SAID_BY_TEMPLATES = Object.fromEntries(
  wordsOf(`
    q df analyzer analyze_wildcard default_operator lenient from sort explain stats _source _source_includes
    _source_excludes stored_fields docvalue_fields seq_no_primary_term terminate_after track_scores track_total_hits
    version suggest_field suggest_mode suggest_size suggest_text`).map((name) => [
    name,
    { because: 'the template says the whole search', paths: /search.template/ },
  ]),
);

/** By name. */
export const SILENT_PARAMS: Readonly<Record<string, SilentParam>> = {
  ...SAID_BY_TEMPLATES,
  accept_data_loss: { because: 'there are no lost indices', paths: /_dangling/ },
  allow_no_indices: { because: `${EACH_SEARCH}; ${NO_NAME}`, paths: /_msearch|_cluster.health|_cat.aliases/ },
  cause: { because: 'it is for the log of the master' },
  bytes: { because: 'no cell of the table is a size', paths: /_cat/ },
  ccs_minimize_roundtrips: { because: 'there are no other clusters to search' },
  detailed: { because: 'shards are opened where they lie, so no files are recovered', paths: /_cat.recovery/ },
  dry_run: { because: 'a reroute moves no shard', paths: /reroute/ },
  expand_wildcards: { because: EACH_SEARCH, paths: /_msearch|_cluster.health/ },
  fielddata: { because: CACHES },
  fields: { because: `${CACHES}; the path of a table names them`, paths: /_cache|_cat.fielddata/ },
  flat_settings: {
    because: 'the answer shows no settings; those of templates are always nested',
    paths: /PUT .*_settings$|HEAD|_cluster.stats|_(?:index|component)_template/,
  },
  parent: { because: 'documents have no parents', paths: /_explain/ },
  node_ids: { because: 'the path names the nodes', paths: /voting_config/ },
  node_names: { because: 'the path names the nodes', paths: /voting_config/ },
  ignore_throttled: { because: 'no index is frozen' },
  h: { because: NO_SNAPSHOTS, paths: /_cat.snapshots/ },
  ignore_unavailable: {
    because: `${EACH_SEARCH}; ${NO_NAME}; there are no snapshots; a synced flush leaves out names that are not there in any case`,
    paths: /_msearch|_cluster.health|_?snapshots?|_flush.synced|_cat.aliases/,
  },
  include_defaults: { because: 'HEAD shows no settings', paths: /HEAD/ },
  include_type_name: { because: 'HEAD shows no types', paths: /HEAD/ },
  include_unloaded_segments: { because: 'every segment of an open index is loaded' },
  include_yes_decisions: {
    because: 'what one node decides against a shard is told alone',
    paths: /allocation.explain/,
  },
  local: { because: ONE_NODE },
  master_timeout: { because: ONE_NODE },
  only_ancient_segments: { because: 'segments are always of this version', paths: /_upgrade/ },
  preference: { because: 'there is one copy of each shard' },
  pri: { because: 'the primary shard is the only copy' },
  query: { because: CACHES, paths: /_cache/ },
  realtime: { because: 'the document is in the body', paths: /_termvectors$/ },
  request: { because: CACHES, paths: /_cache/ },
  retry_failed: { because: 'no shard fails to start', paths: /reroute/ },
  rest_total_hits_as_int: { because: EACH_SEARCH, paths: /_msearch/ },
  routing: { because: `${ONE_SHARD}, unless its settings name more of them` },
  s: { because: NO_SNAPSHOTS, paths: /_cat.snapshots/ },
  scroll: { because: 'the matches are all found before the first is written', paths: /_by_query|_reindex/ },
  time: { because: 'no cell of the table is a duration', paths: /_cat/ },
  snapshots: { because: NO_THREADS, paths: /hot_?threads/ },
  type: { because: NO_THREADS, paths: /hot_?threads/ },
  ts: { because: 'the table does not say when it was made', paths: /_cat/ },
  size: { because: 'counts have no unit, and a template says the whole search', paths: /_cat|search.template/ },
  timeout: { because: 'nothing is waited for: the one shard and the one node are there, or the request fails at once' },
  typed_keys: { because: EACH_SEARCH, paths: /_msearch/ },
  v: { because: NO_SNAPSHOTS, paths: /_cat.snapshots/ },
  verify: { because: NO_SNAPSHOTS, paths: /_snapshot/ },
  verbose: { because: 'segments are told as one, without their parts' },
  wait_for_completion: { because: NO_SNAPSHOTS, paths: /_snapshot/ },
  wait_for_removal: { because: 'the one node stays', paths: /voting_config/ },
  wait_for_no_initializing_shards: { because: 'shards are never in the making' },
  wait_for_no_relocating_shards: { because: 'shards do not move' },
  wait_for_timeout: { because: ONE_NODE },
  wait_if_ongoing: { because: 'a flush always waits for the one before' },
};
