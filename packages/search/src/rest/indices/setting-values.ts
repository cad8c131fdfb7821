// Which values the settings of an index may have, in Elasticsearch's words where one is refused.
import { isIP } from 'node:net';
import { javaDouble } from '../../json/java-values.ts';
import { notANumber } from '../../json/json.ts';
import { readTime } from '../../json/time-value.ts';
import { illegalArgument } from '../../errors/request-error.ts';

/** Whole numbers, with the least they may be. */
const LEAST: Readonly<Record<string, number>> = {
  number_of_shards: 1,
  number_of_replicas: 0,
  number_of_routing_shards: 1,
  routing_partition_size: 1,
  priority: 0,
  max_result_window: 1,
  max_terms_count: 1,
  max_inner_result_window: 1,
  max_rescore_window: 1,
  max_docvalue_fields_search: 0,
  max_script_fields: 0,
  max_slices_per_scroll: 1,
  max_ngram_diff: 0,
  max_shingle_diff: 0,
  max_regex_length: 1,
  max_refresh_listeners: 0,
  format: Number.MIN_SAFE_INTEGER,
  'allocation.max_retries': 0,
  'merge.policy.max_merge_at_once': 2,
  'merge.policy.max_merge_at_once_explicit': 2,
  'merge.scheduler.max_merge_count': 1,
  'merge.scheduler.max_thread_count': 1,
  'routing.allocation.total_shards_per_node': -1,
  'soft_deletes.retention.operations': 0,
  'analyze.max_token_count': 1,
  'highlight.max_analyzed_offset': 1,
  'mapping.total_fields.limit': 0,
  'mapping.depth.limit': 1,
  'mapping.nested_fields.limit': 0,
  'mapping.nested_objects.limit': 0,
  'mapping.field_name_length.limit': 1,
};
/** Numbers with decimals, with the least and the most they may be. */
const DECIMALS: Readonly<Record<string, readonly [least: string, most?: string]>> = {
  'merge.policy.deletes_pct_allowed': ['20.0', '50.0'],
  'merge.policy.expunge_deletes_allowed': ['0.0'],
  'merge.policy.reclaim_deletes_weight': ['0.0'],
  'merge.policy.segments_per_tier': ['2.0'],
};
/** Sizes, with the least bytes they may have. */
const SIZES: Readonly<Record<string, number>> = {
  flush_after_merge: 0,
  'merge.policy.floor_segment': 0,
  'merge.policy.max_merged_segment': 0,
  'translog.flush_threshold_size': 56,
  'translog.generation_threshold_size': 56,
  'translog.retention.size': -1,
};
/** Words, with the refusal of others. */
const WORDS: Readonly<Record<string, readonly [known: readonly string[], refusal: (text: string) => string]>> = {
  'fielddata.cache': [['node', 'none'], (text) => `failed to parse [${text}] must be one of [node,none]`],
  'shard.check_on_startup': [
    ['true', 'false', 'checksum'],
    (text) =>
      `unknown value for [index.shard.check_on_startup] must be one of [true, false, checksum] but was: ${text}`,
  ],
  'store.fs.fs_lock': [
    ['native', 'simple'],
    (text) => `unrecognized [index.store.fs.fs_lock] "${text}": must be native or simple`,
  ],
  'store.type': [['', 'fs', 'hybridfs', 'mmapfs', 'niofs', 'simplefs'], (text) => `Unknown store type [${text}]`],
};
const FLAGS =
  /^(?:blocks\.\w+|hidden|mapping\.(?:coerce|ignore_malformed)|soft_deletes\.enabled|load_fixed_bitset_filters_eagerly|force_memory_term_dictionary|(?:queries|requests)\.cache\.enabled?|warmer\.enabled|merge\.scheduler\.auto_throttle|indexing\.slowlog\.reformat|percolator\.map_unmapped_fields_as_text|query\.parse\.allow_unmapped_fields)$/;
/** Lengths of time: the shortest in milliseconds, and as an error shows it. */
const SHORTEST: readonly (readonly [names: RegExp, shortest: number, shown: string])[] = [
  [/^(?:refresh_interval|gc_deletes|translog\.retention\.age|(?:indexing|search)\.slowlog\.threshold\..*)$/, -1, '-1'],
  [/^search\.idle\.after$/, 0, '0m'],
  [/^(?:soft_deletes\.retention_lease\.period|unassigned\.node_left\.delayed_timeout)$/, 0, '0ms'],
  [/^translog\.sync_interval$/, 100, '100ms'],
  [/^store\.stats_refresh_interval$/, -Infinity, ''],
];
/** The addresses of nodes. */
const ADDRESSES = /^routing\.allocation\.\w+\._(?:host_|publish_)?ip$/;
const CODECS = ['default', 'best_compression', 'lucene_default'];
/** Shards of one index; Elasticsearch's own limit. */
const MOST_SHARDS = 1024;

/** @param key without the `index` prefix @throws RequestError */
export function checkSettingValue(key: string, text: string): void {
  const least = LEAST[key];
  const shortest = SHORTEST.find(([names]) => names.test(key));
  if (least !== undefined) checkNumber(key, text, least);
  else if (FLAGS.test(key)) {
    if (text !== 'true' && text !== 'false')
      throw illegalArgument(`Failed to parse value [${text}] as only [true] or [false] are allowed.`);
  } else if (shortest !== undefined) {
    if (readTime(text, `index.${key}`) < shortest[1])
      throw illegalArgument(`failed to parse value [${text}] for setting [index.${key}], must be >= [${shortest[2]}]`);
  } else if (DECIMALS[key] !== undefined) checkDecimal(key, text, ...DECIMALS[key]);
  else if (SIZES[key] !== undefined) checkSize(key, text, SIZES[key]);
  else if (WORDS[key] !== undefined) {
    const [known, refusal] = WORDS[key];
    if (!known.includes(text)) throw illegalArgument(refusal(text));
  } else if (ADDRESSES.test(key)) {
    const wrong = text.split(',').find((each) => !each.includes('*') && isIP(each) === 0);
    if (wrong !== undefined) throw illegalArgument(`invalid IP address [${wrong}] for [index.${key}]`);
  } else if (key.endsWith('slowlog.level')) {
    if (!/^(?:trace|debug|info|warn)$/i.test(text))
      throw illegalArgument(`No enum constant org.elasticsearch.index.SlowLogLevel.${text.toUpperCase()}`);
  } else if (key === 'indexing.slowlog.source') {
    if (!/^(?:true|false|-?\d+)$/.test(text))
      throw illegalArgument(`Failed to parse value [${text}] as only [true] or [false] are allowed.`);
  } else if (key === 'compound_format') {
    if (!/^(?:true|false|\d+(?:\.\d+)?)$/.test(text))
      throw illegalArgument(`Expected a boolean or a value in the interval [0..1] but was: [${text}]`);
    if (Number(text) > 1)
      throw illegalArgument(`NoCFSRatio must be in the interval [0..1] but was: [${javaDouble(Number(text))}]`);
  } else if (key === 'codec') {
    if (!CODECS.includes(text))
      throw illegalArgument(
        `unknown value for [index.codec] must be one of [default, best_compression] but was: ${text}`,
      );
  } else if (key === 'translog.durability') {
    if (!/^(?:async|request)$/i.test(text))
      throw illegalArgument(
        `No enum constant org.elasticsearch.index.translog.Translog.Durability.${text.toUpperCase()}`,
      );
  } else if (key === 'routing.allocation.enable') {
    if (!/^(?:all|primaries|new_primaries|none)$/i.test(text))
      throw illegalArgument(`Illegal allocation.enable value [${text.toUpperCase()}]`);
  } else if (key === 'auto_expand_replicas' && !/^(?:false|\d+-(?:\d+|all))$/.test(text)) {
    throw illegalArgument(
      `failed to parse [index.auto_expand_replicas] from value: [${text}] at index ${text.indexOf('-')}`,
    );
  }
}

function checkDecimal(key: string, text: string, least: string, most?: string): void {
  const failed = `Failed to parse value [${text}] for setting [index.${key}]`;
  if (!/^[+-]?\d+(?:\.\d+)?$/.test(text)) throw illegalArgument(failed, { causedBy: notANumber(text) });
  if (Number(text) < Number(least)) throw illegalArgument(`${failed} must be >= ${least}`);
  if (most !== undefined && Number(text) > Number(most)) throw illegalArgument(`${failed} must be <= ${most}`);
}

const UNITS = ['b', 'k', 'm', 'g', 't', 'p'];

function checkSize(key: string, text: string, least: number): void {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(b|[kmgtp]b?)$/i.exec(text.trim()) ?? [];
  const bytes = number === undefined ? Number(text) : Number(number) * 1024 ** UNITS.indexOf(unit[0]!.toLowerCase());
  if (number === undefined && text !== '0' && text !== '-1') {
    const reason = `failed to parse setting [index.${key}] with value [${text}] as a size in bytes: unit is missing or unrecognized`;
    throw illegalArgument(reason, { causedBy: { type: 'parse_exception', reason } });
  }
  if (key === 'merge.policy.floor_segment' && bytes <= 0)
    throw illegalArgument(`floorSegmentMB must be > 0.0 (got ${javaDouble(bytes)})`);
  if (bytes < least)
    throw illegalArgument(`failed to parse value [${text}] for setting [index.${key}], must be >= [${least}b]`);
}

function checkNumber(key: string, text: string, least: number): void {
  if (!/^[+-]?\d+$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw illegalArgument(`Failed to parse value [${text}] for setting [index.${key}]`, { causedBy: notANumber(text) });
  if (Number(text) < least)
    throw illegalArgument(`Failed to parse value [${text}] for setting [index.${key}] must be >= ${least}`);
  if (key === 'number_of_shards' && Number(text) > MOST_SHARDS)
    throw illegalArgument(`Failed to parse value [${text}] for setting [index.${key}] must be <= ${MOST_SHARDS}`);
}
