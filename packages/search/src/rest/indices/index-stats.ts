// The numbers of one index, by group: what `_stats`, `_nodes/stats` and the `_cat` tables show.
import { type Index, type IndexStats, NO_STATS } from '../../engine/engine-api.ts';
import type { Json } from '../../json/json.ts';
import { globMatches } from '../../text/glob.ts';
import { viewOfIndex } from '../../view/filtered-index.ts';
import { isClosed, typeNameOf } from '../request/index-state.ts';
import { type Call, flagParam, listParam } from '../request/request.ts';
import { type FieldMemory, fieldMemory } from './field-memory.ts';
import { getCounts, idleFlushes, searchGroups } from './index-counters.ts';

/** What the numbers are made of. */
interface Counted {
  /** undefined: none, of which all numbers are 0. */
  readonly index: Index | undefined;
  /** Without what is in memory where the index is closed. */
  readonly own: IndexStats;
  readonly call: Call;
}

/** Numbers that are not counted. */
const zeros = (...names: readonly string[]): Json => Object.fromEntries(names.map((name) => [name, 0]));

const GROUPS: Readonly<Record<string, (counted: Counted) => Json>> = {
  docs: ({ own }) => ({ count: own.docs, deleted: own.deleted }),
  store: ({ own }) => ({ size_in_bytes: own.bytes, reserved_in_bytes: 0 }),
  indexing: ({ index, own, call }) => ({ ...writesOf(own), ...(index === undefined ? {} : typesOf(index, own, call)) }),
  get: ({ index }) => {
    const { found, missing } = index === undefined ? { found: 0, missing: 0 } : getCounts(index);
    return {
      total: found + missing,
      time_in_millis: 0,
      exists_total: found,
      exists_time_in_millis: 0,
      missing_total: missing,
      missing_time_in_millis: 0,
      current: 0,
    };
  },
  search: ({ index, own, call }) => ({
    open_contexts: 0,
    ...searchesOf(own.searchTotal),
    ...(index === undefined ? {} : groupsOf(index, call)),
  }),
  merges: ({ index, own }) => ({
    ...zeros('current', 'current_docs', 'current_size_in_bytes'),
    total: own.mergeTotal,
    ...zeros(
      'total_time_in_millis',
      'total_docs',
      'total_size_in_bytes',
      'total_stopped_time_in_millis',
      'total_throttled_time_in_millis',
    ),
    total_auto_throttle_in_bytes: index === undefined ? 0 : 20 * 2 ** 20,
  }),
  refresh: ({ own }) => ({
    total: own.refreshTotal,
    total_time_in_millis: 0,
    external_total: own.refreshTotal,
    ...zeros('external_total_time_in_millis', 'listeners'),
  }),
  flush: ({ index, own }) => ({
    total: own.flushTotal + (index === undefined ? 0 : idleFlushes(index)),
    ...zeros('periodic', 'total_time_in_millis'),
  }),
  warmer: () => zeros('current', 'total', 'total_time_in_millis'),
  query_cache: () =>
    zeros('memory_size_in_bytes', 'total_count', 'hit_count', 'miss_count', 'cache_size', 'cache_count', 'evictions'),
  fielddata: ({ index, call }) => {
    const { fielddata } = memoryOf(index);
    return {
      memory_size_in_bytes: total(fielddata),
      evictions: 0,
      ...byField(fielddata, 'memory_size_in_bytes', call, 'fielddata_fields'),
    };
  },
  completion: ({ index, call }) => {
    const { completion } = memoryOf(index);
    return { size_in_bytes: total(completion), ...byField(completion, 'size_in_bytes', call, 'completion_fields') };
  },
  segments: ({ index, own }) => ({
    count: own.segments,
    memory_in_bytes: own.contentBytes,
    ...zeros(
      'terms_memory_in_bytes',
      'stored_fields_memory_in_bytes',
      'term_vectors_memory_in_bytes',
      'norms_memory_in_bytes',
      'points_memory_in_bytes',
      'doc_values_memory_in_bytes',
      'index_writer_memory_in_bytes',
      'version_map_memory_in_bytes',
      'fixed_bit_set_memory_in_bytes',
    ),
    max_unsafe_auto_id_timestamp: index === undefined ? 0 : -1,
    file_sizes: {},
  }),
  translog: ({ own }) => ({
    operations: own.translogOperations,
    size_in_bytes: own.translogBytes,
    uncommitted_operations: own.translogOperations,
    uncommitted_size_in_bytes: own.translogBytes,
    earliest_last_modified_age: 0,
  }),
  request_cache: () => zeros('memory_size_in_bytes', 'evictions', 'hit_count', 'miss_count'),
  recovery: () => zeros('current_as_source', 'current_as_target', 'throttle_time_in_millis'),
};

/** The numbers of an index. @param wanted the groups to show; all by default */
export function statsOf(index: Index, call: Call, wanted: (group: string) => boolean = () => true): Json {
  const whole = index.stats();
  // A closed index has nothing in memory.
  const isLoaded = !isClosed(index) || flagParam(call, 'include_unloaded_segments');
  const own = isLoaded ? whole : { ...whole, docs: 0, deleted: 0, segments: 0, contentBytes: 0 };
  return groupsWith({ index, own, call }, wanted);
}

/** The numbers of no index. */
export function noNumbers(call: Call, wanted: (group: string) => boolean = () => true): Json {
  return groupsWith({ index: undefined, own: NO_STATS, call }, wanted);
}

function groupsWith(counted: Counted, wanted: (group: string) => boolean): Json {
  return Object.fromEntries(
    Object.entries(GROUPS)
      .filter(([group]) => wanted(group))
      .map(([group, count]) => [group, count(counted)]),
  );
}

const memoryOf = (index: Index | undefined): FieldMemory =>
  index === undefined ? { fielddata: new Map(), completion: new Map() } : fieldMemory(index);

/** So many searches, whose times are not counted. */
function searchesOf(count: number): Json {
  return {
    query_total: count,
    ...zeros('query_time_in_millis', 'query_current'),
    fetch_total: count,
    ...zeros(
      'fetch_time_in_millis',
      'fetch_current',
      'scroll_total',
      'scroll_time_in_millis',
      'scroll_current',
      'suggest_total',
      'suggest_time_in_millis',
      'suggest_current',
    ),
  };
}

function total(bytes: ReadonlyMap<string, number>): number {
  return [...bytes.values()].reduce((sum, each) => sum + each, 0);
}

/** The fields that the request names, by `fields` or by the parameter for this kind. */
function byField(bytes: ReadonlyMap<string, number>, name: string, call: Call, parameter: string): Json {
  const patterns = listParam(call, parameter) ?? listParam(call, 'fields') ?? [];
  const chosen = [...bytes].filter(([field]) => patterns.some((pattern) => globMatches(pattern, field)));
  if (patterns.length === 0 || (chosen.length === 0 && parameter === 'completion_fields')) return {};
  return { fields: Object.fromEntries(chosen.map(([field, size]) => [field, { [name]: size }])) };
}

/** Searches by the groups that the request names. */
function groupsOf(index: Index, call: Call): Json {
  const patterns = listParam(call, 'groups') ?? [];
  // Who sees a part only learns nothing of others' searches.
  if (patterns.length === 0 || viewOfIndex(index) !== undefined) return {};
  const chosen = [...searchGroups(index)].filter(([group]) =>
    patterns.some((pattern) => pattern === '_all' || globMatches(pattern, group)),
  );
  if (chosen.length === 0) return {};
  return { groups: Object.fromEntries(chosen.map(([group, count]) => [group, searchesOf(count)])) };
}

/** What was written: the engine counts no times and nothing under way. */
function writesOf(own: IndexStats): Json {
  return {
    index_total: own.indexTotal,
    index_time_in_millis: 0,
    index_current: 0,
    index_failed: 0,
    delete_total: own.deleteTotal,
    delete_time_in_millis: 0,
    delete_current: 0,
    noop_update_total: 0,
    is_throttled: false,
    throttle_time_in_millis: 0,
  };
}

/** Writes by type: there is one. */
function typesOf(index: Index, own: IndexStats, call: Call): Json {
  const patterns = listParam(call, 'types') ?? [];
  const type = typeNameOf(index) ?? '_doc';
  if (!patterns.some((pattern) => pattern === '_all' || globMatches(pattern, type))) return {};
  return { types: { [type]: writesOf(own) } };
}
