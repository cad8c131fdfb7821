// The settings of the cluster that can be changed while it runs: which there are, what they mean, and where they are kept. Persistent
// ones stand in the engine's metadata and outlive a restart, transient ones are forgotten with it.
import { flatten } from '../../settings/client-settings.ts';
import { duration } from '../../dsl/function-score.ts';
import type { Engine } from '../../engine/engine-api.ts';
import { globMatches } from '../../text/glob.ts';
import { asBoolean, isObject, type Json, nearOrKnown, notANumber, textOf } from '../../json/json.ts';
import { illegalArgument } from '../../errors/request-error.ts';

interface Setting {
  readonly fallback: string;
  /** @throws RequestError for a value that it cannot have */
  check(value: unknown): void;
}

const whole = (key: string, fallback: number, least: number): Setting => ({
  fallback: String(fallback),
  check(value) {
    const text = textOf(value);
    if (!/^[+-]?\d+$/.test(text))
      throw illegalArgument(`Failed to parse value [${text}] for setting [${key}]`, { causedBy: notANumber(text) });
    if (Number(text) < least)
      throw illegalArgument(`Failed to parse value [${text}] for setting [${key}] must be >= ${least}`);
  },
});
const flag = (fallback: boolean): Setting => ({
  fallback: String(fallback),
  check(value) {
    const text = textOf(value);
    if (text !== 'true' && text !== 'false')
      throw illegalArgument(`Failed to parse value [${text}] as only [true] or [false] are allowed.`);
  },
});
const time = (key: string, fallback: string): Setting => ({
  fallback,
  check(value) {
    const text = textOf(value);
    if (!/^(?:-1|0|\d+(?:nanos|micros|ms|s|m|h|d))$/i.test(text))
      throw illegalArgument(
        `failed to parse setting [${key}] with value [${text}] as a time value: unit is missing or unrecognized`,
      );
  },
});

const oneOf = (name: string, fallback: string, known: readonly string[]): Setting => ({
  fallback,
  check(value) {
    if (!known.includes(textOf(value))) throw illegalArgument(`Illegal ${name} value [${textOf(value).toUpperCase()}]`);
  },
});
const text = (fallback: string): Setting => ({ fallback, check: () => undefined });

/** Taken and kept because clients send them: where shards lie and how fast they move, which is nothing to one node. */
const WITHOUT_EFFECT = {
  'cluster.info.update.interval': time('cluster.info.update.interval', '30s'),
  'cluster.routing.allocation.allow_rebalance': oneOf('allow_rebalance', 'indices_all_active', [
    'always',
    'indices_primaries_active',
    'indices_all_active',
  ]),
  'cluster.routing.allocation.cluster_concurrent_rebalance': whole(
    'cluster.routing.allocation.cluster_concurrent_rebalance',
    2,
    -1,
  ),
  'cluster.routing.allocation.disk.threshold_enabled': flag(true),
  'cluster.routing.allocation.disk.watermark.flood_stage': text('95%'),
  'cluster.routing.allocation.disk.watermark.high': text('90%'),
  'cluster.routing.allocation.disk.watermark.low': text('85%'),
  'cluster.routing.allocation.enable': oneOf('allocation.enable', 'all', ['all', 'primaries', 'new_primaries', 'none']),
  'cluster.routing.allocation.node_concurrent_recoveries': whole(
    'cluster.routing.allocation.node_concurrent_recoveries',
    2,
    0,
  ),
  'cluster.routing.allocation.node_initial_primaries_recoveries': whole(
    'cluster.routing.allocation.node_initial_primaries_recoveries',
    4,
    0,
  ),
  'cluster.routing.rebalance.enable': oneOf('rebalance.enable', 'all', ['all', 'primaries', 'replicas', 'none']),
  'indices.recovery.max_bytes_per_sec': text('40mb'),
  'search.low_level_cancellation': flag(true),
} satisfies Readonly<Record<string, Setting>>;

const SETTINGS = {
  ...WITHOUT_EFFECT,
  'action.auto_create_index': { fallback: 'true', check: () => undefined },
  'action.destructive_requires_name': flag(false),
  'cluster.max_shards_per_node': whole('cluster.max_shards_per_node', 1000, 1),
  'search.allow_expensive_queries': flag(true),
  // How long what names no time stays open: here everything names one.
  'search.default_keep_alive': time('search.default_keep_alive', '5m'),
  'search.default_search_timeout': time('search.default_search_timeout', '-1'),
  'search.max_buckets': whole('search.max_buckets', 65_535, 0),
  'search.max_keep_alive': time('search.max_keep_alive', '24h'),
  'search.max_open_scroll_context': whole('search.max_open_scroll_context', 500, 0),
} satisfies Readonly<Record<string, Setting>>;

/** Those that a node starts with. */
const OF_NODES = ['cluster.name', 'http.*', 'network.*', 'node.*', 'path.*', 'transport.*'];

type Key = keyof typeof SETTINGS;
const KEYS = Object.keys(SETTINGS) as readonly Key[];

/** The groups that settings are given in. */
type Group = 'persistent' | 'transient';

/** `-1`: no limit. */
function readTime(value: unknown): number {
  return textOf(value) === '-1' ? Infinity : duration(value);
}

/** The settings of one engine's API. */
export class ClusterSettings {
  readonly #engine: Engine;
  #transient: Readonly<Record<string, unknown>> = {};

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Those that were set, flat. */
  group(group: Group): Readonly<Record<string, unknown>> {
    if (group === 'transient') return this.#transient;
    const { metadata } = this.#engine;
    return isObject(metadata) && isObject(metadata['clusterSettings']) ? metadata['clusterSettings'] : {};
  }

  /** Those that were not, flat. */
  defaults(): Json {
    const set = { ...this.group('persistent'), ...this.group('transient') };
    return Object.fromEntries(KEYS.filter((key) => set[key] === undefined).map((key) => [key, SETTINGS[key].fallback]));
  }

  /** Changes some, null takes one back. @returns what was set, flat @throws RequestError before anything is changed */
  async update(changes: Readonly<Record<Group, Json>>): Promise<Readonly<Record<Group, Json>>> {
    const read = (group: Group): readonly (readonly [string, unknown])[] =>
      flatten(changes[group]).flatMap(([key, value]) => {
        // A star takes back all that it fits.
        if (value === null && key.includes('*'))
          return KEYS.filter((each) => globMatches(key, each)).map((each) => [each, null] as const);
        if (OF_NODES.some((each) => globMatches(each, key)))
          throw illegalArgument(`${group} setting [${key}], not dynamically updateable`);
        if (!Object.hasOwn(SETTINGS, key))
          throw illegalArgument(`${group} setting [${key}], not recognized${nearOrKnown(key, KEYS)}`);
        if (value !== null) SETTINGS[key as Key].check(value);
        return [[key, value === null ? null : textOf(value)] as const];
      });
    const persistent = read('persistent');
    const transient = read('transient');
    this.#transient = applied(this.#transient, transient);
    if (persistent.length > 0) {
      const { metadata } = this.#engine;
      await this.#engine.updateMetadata({
        ...(isObject(metadata) ? metadata : {}),
        clusterSettings: applied(this.group('persistent'), persistent),
      });
    }
    return { persistent: applied({}, persistent), transient: applied({}, transient) };
  }

  get maxBuckets(): number {
    return Number(this.#value('search.max_buckets'));
  }

  /** Milliseconds. */
  get maxKeepAlive(): number {
    return readTime(this.#value('search.max_keep_alive'));
  }

  get maxOpenScrolls(): number {
    return Number(this.#value('search.max_open_scroll_context'));
  }

  /** Milliseconds after which searches answer what they have, unless they say otherwise. */
  get searchTimeout(): number | undefined {
    const found = readTime(this.#value('search.default_search_timeout'));
    return found === Infinity ? undefined : found;
  }

  get maxShards(): number {
    return Number(this.#value('cluster.max_shards_per_node'));
  }

  /** Whether queries that may take long are answered. */
  get allowsExpensive(): boolean {
    return asBoolean(this.#value('search.allow_expensive_queries'), 'search.allow_expensive_queries');
  }

  get needsNames(): boolean {
    return asBoolean(this.#value('action.destructive_requires_name'), 'action.destructive_requires_name');
  }

  /** Why a write may not make an index: the end of a sentence; undefined: it may. */
  whyNotCreated(name: string): string | undefined {
    const value = textOf(this.#value('action.auto_create_index'));
    if (value === 'true') return undefined;
    if (value === 'false') return '[action.auto_create_index] is [false]';
    for (const pattern of value.split(',').map((each) => each.trim())) {
      if (!globMatches(pattern.replace(/^[+-]/, ''), name)) continue;
      return pattern.startsWith('-')
        ? `[action.auto_create_index] contains [${pattern}] which forbids automatic creation of the index`
        : undefined;
    }
    return `[action.auto_create_index] ([${value}]) doesn't match`;
  }

  #value(key: Key): unknown {
    return this.#transient[key] ?? this.group('persistent')[key] ?? SETTINGS[key].fallback;
  }
}

function applied(
  before: Readonly<Record<string, unknown>>,
  changes: readonly (readonly [string, unknown])[],
): Record<string, unknown> {
  const after: Record<string, unknown> = { ...before };
  for (const [key, value] of changes) {
    if (value === null) delete after[key];
    else after[key] = value;
  }
  return after;
}
