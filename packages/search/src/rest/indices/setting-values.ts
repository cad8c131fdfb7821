// Which values the settings of an index may have, in Elasticsearch's words where one is refused.
import { notANumber } from '../../json/json.ts';
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
  'analyze.max_token_count': 1,
  'highlight.max_analyzed_offset': 1,
  'mapping.total_fields.limit': 0,
  'mapping.depth.limit': 1,
  'mapping.nested_fields.limit': 0,
  'mapping.nested_objects.limit': 0,
  'mapping.field_name_length.limit': 1,
};
const FLAGS =
  /^(?:blocks\.\w+|hidden|mapping\.(?:coerce|ignore_malformed)|soft_deletes\.enabled|load_fixed_bitset_filters_eagerly)$/;
const TIMES =
  /^(?:refresh_interval|gc_deletes|search\.idle\.after|translog\.(?:sync_interval|retention\.age)|unassigned\.node_left\.delayed_timeout|soft_deletes\.retention_lease\.period)$/;
const TIME = /^(?:-1|0|\d+(?:nanos|micros|ms|s|m|h|d))$/i;
const CODECS = ['default', 'best_compression', 'lucene_default'];
/** Shards of one index; Elasticsearch's own limit. */
const MOST_SHARDS = 1024;

/** @param key without the `index` prefix @throws RequestError */
export function checkSettingValue(key: string, text: string): void {
  const least = LEAST[key];
  if (least !== undefined) checkNumber(key, text, least);
  else if (FLAGS.test(key)) {
    if (text !== 'true' && text !== 'false')
      throw illegalArgument(`Failed to parse value [${text}] as only [true] or [false] are allowed.`);
  } else if (TIMES.test(key)) {
    if (!TIME.test(text))
      throw illegalArgument(
        `failed to parse setting [index.${key}] with value [${text}] as a time value: unit is missing or unrecognized`,
      );
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

function checkNumber(key: string, text: string, least: number): void {
  if (!/^[+-]?\d+$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw illegalArgument(`Failed to parse value [${text}] for setting [index.${key}]`, { causedBy: notANumber(text) });
  if (Number(text) < least)
    throw illegalArgument(`Failed to parse value [${text}] for setting [index.${key}] must be >= ${least}`);
  if (key === 'number_of_shards' && Number(text) > MOST_SHARDS)
    throw illegalArgument(`Failed to parse value [${text}] for setting [index.${key}] must be <= ${MOST_SHARDS}`);
}
