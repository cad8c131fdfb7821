// Which settings the cluster has, their defaults, and which values each takes. What they change stands in cluster-settings.ts.
import { readTime } from '../../json/time-value.ts';
import { illegalArgument, type RequestError, unsupported } from '../../errors/request-error.ts';
import { nearOrKnown, notANumber, textOf } from '../../json/json.ts';
import { globMatches } from '../../text/glob.ts';

interface Setting {
  readonly fallback: string;
  /** @throws RequestError for a value that it cannot have */
  check(value: unknown, key: string): void;
}

/** @param print prints a bound in the words of an error */
const number = (
  pattern: RegExp,
  [least, most]: readonly [number, number],
  print: (bound: number) => string,
): Setting['check'] => {
  return (value, key) => {
    const text = textOf(value);
    const failed = `Failed to parse value [${text}] for setting [${key}]`;
    if (!pattern.test(text)) throw illegalArgument(failed, { causedBy: notANumber(text) });
    if (Number(text) < least) throw illegalArgument(`${failed} must be >= ${print(least)}`);
    if (Number(text) > most) throw illegalArgument(`${failed} must be <= ${print(most)}`);
  };
};
const whole = (fallback: number | string, least: number, most = Infinity): Setting => ({
  fallback: String(fallback),
  check: number(/^[+-]?\d+$/, [least, most], String),
});
const decimal = (fallback: string): Setting => ({
  fallback,
  check: number(/^[+-]?\d+(?:\.\d+)?$/, [0, Infinity], (bound) => bound.toFixed(1)),
});
const flag = (fallback: boolean): Setting => ({
  fallback: String(fallback),
  check(value) {
    const text = textOf(value);
    if (text !== 'true' && text !== 'false')
      throw illegalArgument(`Failed to parse value [${text}] as only [true] or [false] are allowed.`);
  },
});
const time = (fallback: string): Setting => ({
  fallback,
  check: (value, key) => void readTime(value, key),
});
/** A size, or a part of the whole where `isPart`. */
const size = (fallback: string, isPart = false): Setting => ({
  fallback,
  check(value, key) {
    const text = textOf(value).trim();
    if (
      /^(?:-1|0|\d+(?:\.\d+)?(?:b|[kmgtp]b?))$/i.test(text) ||
      (isPart && /^(?:\d+(?:\.\d+)?%|0?\.\d+|1\.0)$/.test(text))
    )
      return;
    const reason = `failed to parse setting [${key}] with value [${text}] as a size in bytes: unit is missing or unrecognized`;
    throw illegalArgument(reason, { causedBy: { type: 'parse_exception', reason } });
  },
});
const oneOf = (name: string, fallback: string, known: readonly string[]): Setting => ({
  fallback,
  check(value) {
    if (!known.includes(textOf(value).toLowerCase()))
      throw illegalArgument(`Illegal ${name} value [${textOf(value).toUpperCase()}]`);
  },
});
const PRIORITIES = ['NORMAL', 'HIGH', 'URGENT'];
const priority: Setting = {
  fallback: 'NORMAL',
  check(value) {
    const text = textOf(value).toUpperCase();
    if (!PRIORITIES.includes(text)) throw illegalArgument(`No enum constant org.elasticsearch.common.Priority.${text}`);
  },
};
const any = (fallback: string): Setting => ({ fallback, check: () => undefined });

const ALLOCATION = 'cluster.routing.allocation';

/** Taken and kept because clients send them: where shards lie and how fast they move, which is nothing to one node. */
const WITHOUT_EFFECT = {
  'cluster.auto_shrink_voting_configuration': flag(true),
  'cluster.info.update.interval': time('30s'),
  'cluster.info.update.timeout': time('15s'),
  'cluster.max_voting_config_exclusions': whole(10, 1),
  'cluster.routing.allocation.allow_rebalance': oneOf('allow_rebalance', 'indices_all_active', [
    'always',
    'indices_primaries_active',
    'indices_all_active',
  ]),
  [`${ALLOCATION}.awareness.attributes`]: any(''),
  [`${ALLOCATION}.balance.index`]: decimal('0.55'),
  [`${ALLOCATION}.balance.shard`]: decimal('0.45'),
  [`${ALLOCATION}.balance.threshold`]: decimal('1.0'),
  [`${ALLOCATION}.cluster_concurrent_rebalance`]: whole(2, -1),
  [`${ALLOCATION}.disk.include_relocations`]: flag(true),
  [`${ALLOCATION}.disk.reroute_interval`]: time('60s'),
  [`${ALLOCATION}.disk.threshold_enabled`]: flag(true),
  [`${ALLOCATION}.disk.watermark.flood_stage`]: size('95%', true),
  [`${ALLOCATION}.disk.watermark.high`]: size('90%', true),
  [`${ALLOCATION}.disk.watermark.low`]: size('85%', true),
  [`${ALLOCATION}.enable`]: oneOf('allocation.enable', 'all', ['all', 'primaries', 'new_primaries', 'none']),
  [`${ALLOCATION}.node_concurrent_incoming_recoveries`]: whole(2, 0),
  [`${ALLOCATION}.node_concurrent_outgoing_recoveries`]: whole(2, 0),
  [`${ALLOCATION}.node_concurrent_recoveries`]: whole(2, 0),
  [`${ALLOCATION}.node_initial_primaries_recoveries`]: whole(4, 0),
  [`${ALLOCATION}.same_shard.host`]: flag(false),
  [`${ALLOCATION}.shard_state.reroute.priority`]: priority,
  [`${ALLOCATION}.total_shards_per_node`]: whole(-1, -1),
  'cluster.routing.rebalance.enable': oneOf('rebalance.enable', 'all', ['all', 'primaries', 'replicas', 'none']),
  'cluster.routing.use_adaptive_replica_selection': flag(true),
  'indices.recovery.internal_action_long_timeout': time('1800000ms'),
  'indices.recovery.internal_action_timeout': time('15m'),
  'indices.recovery.max_bytes_per_sec': size('40mb'),
  'indices.recovery.max_concurrent_file_chunks': whole(2, 1, 5),
  'indices.recovery.max_concurrent_operations': whole(1, 1, 4),
  'indices.recovery.recovery_activity_timeout': time('1800000ms'),
  'indices.recovery.retry_delay_network': time('5s'),
  'indices.recovery.retry_delay_state_sync': time('500ms'),
  'indices.mapping.dynamic_timeout': time('30s'),
  'indices.mapping.max_in_flight_updates': whole(10, 1, 1000),
  'search.low_level_cancellation': flag(true),
} satisfies Readonly<Record<string, Setting>>;

/** The texts of a setting that is a list: its elements, or a text with commas. */
export function listOf(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value.map(textOf) : textOf(value).split(',')).map((each) => each.trim());
}

/** Those that this engine looks at. */
const WITH_EFFECT = {
  'action.auto_create_index': {
    fallback: 'true',
    check(value: unknown, key: string) {
      const patterns = listOf(value);
      const wrong = patterns.find((each) => /^[+-]$/.test(each));
      if (wrong !== undefined)
        throw illegalArgument(
          `Can't parse [${patterns.join(',')}] for setting [${key}] must contain an index name after [${wrong}]`,
        );
    },
  },
  'action.destructive_requires_name': flag(false),
  'action.search.shard_count.limit': whole('9223372036854775807', 1),
  'cluster.indices.close.enable': flag(true),
  'cluster.max_shards_per_node': whole(1000, 1),
  'search.allow_expensive_queries': flag(true),
  'search.default_allow_partial_results': flag(true),
  // How long what names no time stays open: here everything names one.
  'search.default_keep_alive': time('5m'),
  'search.default_search_timeout': time('-1'),
  'search.max_buckets': whole(65_535, 0),
  'search.max_keep_alive': time('24h'),
  'search.max_open_scroll_context': whole(500, 0),
} satisfies Readonly<Record<string, Setting>>;

/** The name of a setting that changes something. */
export type ClusterSettingName = keyof typeof WITH_EFFECT;

/** All settings with a default. */
const SETTINGS: Readonly<Record<string, Setting>> = { ...WITHOUT_EFFECT, ...WITH_EFFECT };

/** The default of each setting that has one, by key. */
export const CLUSTER_DEFAULTS: ReadonlyMap<string, string> = new Map(
  Object.entries(SETTINGS).map(([key, { fallback }]) => [key, fallback]),
);

const LEVELS = ['OFF', 'FATAL', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL'];
const level: Setting = {
  fallback: '',
  check(value) {
    const text = textOf(value).toUpperCase();
    if (!LEVELS.includes(text)) throw illegalArgument(`Unknown level constant [${text}].`);
  },
};

/** Families of settings without a default. Java's loggers, which there are none of here; where shards may lie; notes of operators. */
const FAMILIES: readonly (readonly [pattern: string, setting: Setting])[] = [
  ['logger.*', level],
  [`${ALLOCATION}.awareness.force.*`, any('')],
  [`${ALLOCATION}.exclude.*`, any('')],
  [`${ALLOCATION}.include.*`, any('')],
  [`${ALLOCATION}.require.*`, any('')],
  ['cluster.metadata.*', any('')],
];

/** Those that a node starts with. */
const OF_NODES = [
  'cluster.name',
  'http.*',
  'logger.level',
  'network.*',
  'node.*',
  'path.*',
  'thread_pool.*',
  'transport.*',
];

/** Settings of Elasticsearch that would change something that this engine does not have: memory limits, other clusters, a lock of everything. */
const UNSUPPORTED = [
  'cluster.blocks.*',
  'cluster.no_master_block',
  'cluster.remote.*',
  'indices.breaker.*',
  'script.*',
  'snapshot.*',
];

/** @throws RequestError for a setting that there is not, that cannot be changed, or that cannot have the value */
export function checkClusterSetting(group: string, key: string, value: unknown): void {
  if (isOneOf(key, OF_NODES)) throw illegalArgument(`${group} setting [${key}], not dynamically updateable`);
  if (isOneOf(key, UNSUPPORTED)) throw unsupported(`${group} setting [${key}]`);
  const setting = Object.hasOwn(SETTINGS, key) ? SETTINGS[key] : FAMILIES.find(([each]) => globMatches(each, key))?.[1];
  if (setting === undefined) throw unknownSetting(group, key);
  if (value !== null) setting.check(value, key);
}

function unknownSetting(group: string, key: string): RequestError {
  return illegalArgument(`${group} setting [${key}], not recognized${nearOrKnown(key, [...CLUSTER_DEFAULTS.keys()])}`);
}

const isOneOf = (key: string, patterns: readonly string[]): boolean => patterns.some((each) => globMatches(each, key));
