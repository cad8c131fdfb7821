// The settings of the cluster that can be changed while it runs: which there are, what they mean, and where they are kept. Persistent
// ones stand in the engine's metadata and outlive a restart, transient ones are forgotten with it.
import { flatten } from '../../settings/client-settings.ts';
import { readTime } from '../../json/time-value.ts';
import type { Engine } from '../../engine/engine-api.ts';
import { globMatches } from '../../text/glob.ts';
import { asBoolean, isObject, type Json, textOf } from '../../json/json.ts';
import { checkClusterSetting, CLUSTER_DEFAULTS, type ClusterSettingName, listOf } from './cluster-setting-kinds.ts';

/** The groups that settings are given in. */
type Group = 'persistent' | 'transient';

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
    return Object.fromEntries([...CLUSTER_DEFAULTS].filter(([key]) => set[key] === undefined));
  }

  /** Changes some, null takes one back. @returns what was set, flat @throws RequestError before anything is changed */
  async update(changes: Readonly<Record<Group, Json>>): Promise<Readonly<Record<Group, Json>>> {
    const read = (group: Group): readonly (readonly [string, unknown])[] =>
      flatten(changes[group]).flatMap(([key, value]) => {
        // A star takes back all that it fits.
        if (value === null && key.includes('*'))
          return Object.keys(this.group(group))
            .filter((each) => globMatches(key, each))
            .map((each) => [each, null] as const);
        checkClusterSetting(group, key, value);
        return [[key, Array.isArray(value) ? value.map(textOf) : value === null ? null : textOf(value)] as const];
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
    return this.#time('search.max_keep_alive');
  }

  get maxOpenScrolls(): number {
    return Number(this.#value('search.max_open_scroll_context'));
  }

  /** Milliseconds after which searches answer what they have, unless they say otherwise. */
  get searchTimeout(): number | undefined {
    const found = this.#time('search.default_search_timeout');
    return found === Infinity ? undefined : found;
  }

  get maxShards(): number {
    return Number(this.#value('cluster.max_shards_per_node'));
  }

  /** Whether queries that may take long are answered. */
  get allowsExpensive(): boolean {
    return asBoolean(this.#value('search.allow_expensive_queries'), 'search.allow_expensive_queries');
  }

  /** Whether a search answers with what it has where a shard fails, unless it says otherwise. */
  get allowsPartialResults(): boolean {
    return asBoolean(this.#value('search.default_allow_partial_results'), 'search.default_allow_partial_results');
  }

  /** How many shards one search may ask. */
  get maxSearchedShards(): number {
    return Number(this.#value('action.search.shard_count.limit'));
  }

  /** Whether indices may be closed. */
  get mayClose(): boolean {
    return asBoolean(this.#value('cluster.indices.close.enable'), 'cluster.indices.close.enable');
  }

  /** Milliseconds; `-1`: no limit. */
  #time(setting: ClusterSettingName): number {
    const time = readTime(this.#value(setting), setting);
    return time < 0 ? Infinity : time;
  }

  get needsNames(): boolean {
    return asBoolean(this.#value('action.destructive_requires_name'), 'action.destructive_requires_name');
  }

  /** Why a write may not make an index: the end of a sentence; undefined: it may. */
  whyNotCreated(name: string): string | undefined {
    const value = this.#value('action.auto_create_index');
    const patterns = listOf(value);
    if (patterns.length === 1 && patterns[0] === 'true') return undefined;
    if (patterns.length === 1 && patterns[0] === 'false') return '[action.auto_create_index] is [false]';
    for (const pattern of patterns) {
      if (!globMatches(pattern.replace(/^[+-]/, ''), name)) continue;
      return pattern.startsWith('-')
        ? `[action.auto_create_index] contains [${pattern}] which forbids automatic creation of the index`
        : undefined;
    }
    return `[action.auto_create_index] ([${patterns.join(',')}]) doesn't match`;
  }

  #value(key: ClusterSettingName): unknown {
    return this.#transient[key] ?? this.group('persistent')[key] ?? CLUSTER_DEFAULTS.get(key);
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
