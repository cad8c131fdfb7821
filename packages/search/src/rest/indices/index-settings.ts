// Elasticsearch's index settings: the known ones, their effect on the engine, and how `GET _settings` shows them. Their effect on the
// mapping is in mapping/create-mapper.ts.
import { suggest, wordsOf } from '@lockstitch/kernel';
import { flatten, readNested, settingsOf } from '../../settings/client-settings.ts';
import { readTime } from '../../json/time-value.ts';
import type { Index } from '../../engine/engine-api.ts';
import type { IndexSettings } from '../../settings/index-definition.ts';
import { emptyObject, asBoolean, asInteger, asNumber, asObject, isObject, type Json, textOf } from '../../json/json.ts';
import { illegalArgument, RequestError } from '../../errors/request-error.ts';
import { replicasOf } from '../request/active-shards.ts';
import { isClosed } from '../request/index-state.ts';
import type { Call } from '../request/request.ts';
import type { Mapping } from '../../mapping/mapping.ts';
import { readIndexSort } from './read-index-sort.ts';
import { INDEX_SETTING_DEFAULTS } from './setting-defaults.ts';
import { checkSettingValue } from './setting-values.ts';

/** Settings with an effect, and settings that are only stored because clients send them (see test/compatibility/settings.test.ts). */
export const INDEX_SETTINGS: readonly string[] = Object.keys(INDEX_SETTING_DEFAULTS);

/** Settable only at creation: where a document is stored depends on them. */
const FINAL = [
  'number_of_shards',
  'format',
  'soft_deletes.enabled',
  'sort.field',
  'sort.order',
  'sort.mode',
  'sort.missing',
];

/** Settable at creation and while the index is closed. */
const STATIC = wordsOf(`
  number_of_routing_shards routing_partition_size codec shard.check_on_startup store.type
  load_fixed_bitset_filters_eagerly mapping.coerce mapping.ignore_malformed queries.cache.enabled
  percolator.map_unmapped_fields_as_text query.parse.allow_unmapped_fields store.preload store.stats_refresh_interval
  store.fs.fs_lock fielddata.cache force_memory_term_dictionary`);
const isStatic = (key: string): boolean => STATIC.includes(key) || key.startsWith('analysis.');
/** Settings that the engine sets; an earlier release may have stored a client's values. */
const OWN = ['version.created', 'uuid', 'creation_date', 'provided_name'];

/** Normalizes settings: nested, without the `index` prefix. @param changes whether the index exists */
export function readIndexSettings(json: unknown, changes = false): Json {
  const nested = emptyObject();
  const put = (path: readonly string[], value: unknown): void => {
    let at = nested;
    path.forEach((step, depth) => {
      if (depth === path.length - 1) {
        const before = at[step];
        if (isObject(before) && isObject(value))
          for (const [key, member] of Object.entries(value)) put([...path, key], member);
        else at[step] = value;
      } else {
        if (!isObject(at[step])) at[step] = emptyObject();
        at = at[step] as Record<string, unknown>;
      }
    });
  };
  const given: (readonly [path: readonly string[], value: unknown])[] = [];
  const walk = (value: Json, prefix: readonly string[]): void => {
    for (const [key, member] of Object.entries(value)) {
      const path = [...prefix, ...key.split('.')];
      if (isObject(member) && Object.keys(member).length > 0) walk(member, path);
      else given.push([path, member]);
    }
  };
  walk(asObject(json ?? {}, 'settings'), []);
  // A setting that is given with the prefix and without it has the value given without it.
  const isPrefixed = (path: readonly string[]): boolean => path[0] === 'index';
  for (const [path, value] of given) if (isPrefixed(path) && path.length > 1) put(path.slice(1), value);
  for (const [path, value] of given) if (!isPrefixed(path)) put(path, value);
  const settings: Json = nested;
  checkKeys(settings, changes);
  checkValues(settings);
  return settings;
}

/** Settings whose names are the business of others. */
const FREE = /^(?:analysis|similarity|routing\.allocation\.(?:include|exclude|require))\./;

/** Settings that Elasticsearch keeps to itself. */
const PRIVATE = wordsOf('version.created verified_before_close allocation.existing_shards_allocator search.throttled');

/** In the order of their names, as Elasticsearch does. @throws RequestError for the first that is unknown, private or has a wrong value */
function checkKeys(settings: Json, changes: boolean): void {
  const given = flatten(settings).toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [key, value] of given) {
    if (PRIVATE.includes(key) && !changes) continue;
    if (PRIVATE.includes(key))
      throw illegalArgument(`can not update private setting [index.${key}]; this setting is managed by Elasticsearch`);
    if (!FREE.test(key) && !INDEX_SETTINGS.includes(key)) {
      const near = suggest(key, INDEX_SETTINGS);
      throw illegalArgument(
        `unknown setting [index.${key}]${near === undefined ? ' please check that any required plugins are installed, or check the breaking changes documentation for removed settings' : ` did you mean [index.${near}]?`}`,
      );
    }
    if (value !== null) checkSettingValue(key, textOf(value));
  }
  const own = given.find(([key]) => PRIVATE.includes(key));
  if (own !== undefined) throw validationFailure(`private index setting [index.${own[0]}] can not be set explicitly`);
}

function validationFailure(reason: string): Error {
  return new RequestError('SEARCH_VALIDATION', 'validation_exception', `Validation Failed: 1: ${reason};`);
}

/** Maximum of `index.mapping.total_fields.limit`: work over all fields of an index blocks the event loop. */
const MOST_FIELDS = 10_000;

/** @throws RequestError for settings that would change answers in Elasticsearch and are not supported */
function checkValues(settings: Json): void {
  for (const [key, value] of flatten(settings)) {
    if (value === null) continue;
    const refused =
      (key === 'similarity.default.type' && value !== 'BM25') ||
      (key.startsWith('similarity.') && !INDEX_SETTINGS.includes(key)) ||
      (key === 'max_adjacency_matrix_filters' && Number(value) !== 100) ||
      (key === 'query.parse.allow_unmapped_fields' && !asBoolean(value, key));
    if (refused) throw illegalArgument(`[${textOf(value)}] for setting [index.${key}] is not supported`);
  }
}

/** The engine's part of the settings. @param mapping whose fields an order of the index names */
export function engineSettings(settings: Json, mapping: Mapping): IndexSettings {
  const flat = new Map(flatten(settings));
  const fields = flat.get('mapping.total_fields.limit');
  if (fields !== undefined && fields !== null && asInteger(fields, 'index.mapping.total_fields.limit') > MOST_FIELDS)
    throw illegalArgument(
      `Failed to parse value [${textOf(fields)}] for setting [index.mapping.total_fields.limit] must be <= ${MOST_FIELDS}`,
    );
  const found: Record<string, unknown> = {};
  const take = (key: string, name: keyof IndexSettings, read: (value: unknown) => unknown): void => {
    const value = flat.get(key);
    if (value !== undefined && value !== null) found[name] = read(value);
  };
  take('max_result_window', 'maxResultWindow', (value) => asInteger(value, 'index.max_result_window'));
  take('max_terms_count', 'maxTermsCount', (value) => asInteger(value, 'index.max_terms_count'));
  take('refresh_interval', 'refreshInterval', (value) => readTime(value, 'index.refresh_interval'));
  take('translog.sync_interval', 'syncInterval', (value) => readTime(value, 'index.translog.sync_interval'));
  take('translog.durability', 'durability', (value) => textOf(value).toLowerCase());
  take('similarity.default.k1', 'k1', (value) => asNumber(value, 'k1'));
  take('similarity.default.b', 'b', (value) => asNumber(value, 'b'));
  const sort = readIndexSort(flat, mapping);
  return sort.length === 0 ? found : { ...found, sort };
}

/** @throws RequestError for settings that an existing or an open index cannot change */
export function checkCanChange(change: Json, indices: readonly Index[]): void {
  const keys = flatten(change)
    .map(([key]) => key)
    .toSorted();
  const fixed = keys.filter((key) => FINAL.includes(key) || isStatic(key));
  const open = indices.filter((index) => !isClosed(index));
  if (fixed.length > 0 && open.length > 0) {
    const names = open.map(({ name, uuid }) => `[${name}/${uuid}]`).join(', ');
    throw illegalArgument(
      `Can't update non dynamic settings [[${fixed.map((key) => `index.${key}`).join(', ')}]] for open indices [${names}]`,
    );
  }
  const last = keys.find((key) => FINAL.includes(key));
  if (last !== undefined && indices.length > 0)
    throw illegalArgument(`final ${indices[0]!.name} setting [index.${last}], not updateable`);
}

const DEPRECATED = wordsOf(
  'force_memory_term_dictionary max_adjacency_matrix_filters merge.policy.reclaim_deletes_weight',
);

/** Adds deprecation warnings for settings. */
export function warnOfSettings(settings: Json, call: Call): void {
  for (const [key] of flatten(settings))
    if (DEPRECATED.includes(key))
      call.warn(
        `[index.${key}] setting was deprecated in Elasticsearch and will be removed in a future release! See the breaking changes documentation for the next major version.`,
      );
  const { translog } = settings;
  if (isObject(translog) && translog['retention'] !== undefined)
    call.warn(
      'Translog retention settings [index.translog.retention.age] and [index.translog.retention.size] are deprecated and effectively ignored. They will be removed in a future version.',
    );
}

/** Whether a change of settings rebuilds the mapping of an index. */
export function changesMapping(change: Json): boolean {
  return flatten(change).some(([key]) => /^(?:analysis|mapping)\.|^max_(?:ngram|shingle)_diff$/.test(key));
}

/** Applies a change that was read to settings; null removes one. */
export function changedSettings(before: Json, change: Json): Json {
  const flat = new Map(flatten(before).filter(([key]) => !OWN.includes(key)));
  for (const [key, value] of flatten(change)) {
    if (value === null) flat.delete(key);
    else flat.set(key, value);
  }
  return readNested([...flat]);
}

/** `GET _settings`' `index` object: strings throughout. */
export function printSettings(index: Index): Json {
  // Elasticsearch does not keep the setting: it divides the index by it once.
  const { number_of_routing_shards: _, ...own } = settingsOf(index.definition);
  const strings = (value: unknown): unknown =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, strings(member)]))
      : Array.isArray(value)
        ? value.map(strings)
        : value === null
          ? null
          : textOf(value);
  return {
    ...(isClosed(index) ? { verified_before_close: 'true' } : {}),
    number_of_shards: '1',
    ...(strings(own) as Json),
    number_of_replicas: String(replicasOf(index)),
    creation_date: String(index.createdAt),
    provided_name: index.name,
    uuid: index.uuid,
    version: { created: '7100299', ...(own['resize'] === undefined ? {} : { upgraded: '7100299' }) },
  };
}
