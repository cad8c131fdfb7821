// Indices as a whole: create, get, delete, exists, mappings, settings, aliases, refresh, flush, forcemerge, stats, and
// writes by query.
import { createIndex, readAlias } from './create-index.ts';
import { aliasesOf, indicesOf, noSuchIndex, resolveIndices, targetOf } from './index-names.ts';
import {
  changedSettings,
  engineSettings,
  flatten,
  printSettings,
  readIndexSettings,
  settingsOf,
} from './index-settings.ts';
import { mappingBody } from './mapping-body.ts';
import { type Answer, type Call, flagParam, integerParam, jsonBody, listParam, param } from './request.ts';
import { checkWritable } from './document-handlers.ts';
import { wildcardMatches } from '../dsl/field-query.ts';
import { mappingOf, targetQuery } from '../api/target.ts';
import { searchError } from '../errors.ts';
import type { Engine, Index } from '../engine/engine-api.ts';
import type { Operation } from '../index/operation.ts';
import { asInteger, asObject, asString, checkKeys, isObject, type Json, toList } from '../json.ts';
import { illegalArgument, RequestError, unsupported, validationError } from '../request-error.ts';

const ACKNOWLEDGED: Answer = { json: { acknowledged: true } };

function checkAdmin(index: Index, call: Call): void {
  if (call.request.readOnly?.(index.name) === true) {
    throw searchError('SEARCH_READ_ONLY', { index: index.name }, { hint: call.request.readOnlyHint });
  }
}

/** `PUT /{index}`. */
export async function createIndexHandler(engine: Engine, call: Call): Promise<Answer> {
  const name = call.path['index']!;
  await createIndex(engine, name, asObject(jsonBody(call) ?? {}, 'create_index'), call);
  return { json: { acknowledged: true, shards_acknowledged: true, index: name } };
}

function typed(call: Call, mapping: unknown): unknown {
  return flagParam(call, 'include_type_name') ? { _doc: mapping } : mapping;
}

/** `GET /{index}`. */
export function getIndex(engine: Engine, call: Call): Answer {
  const found: Record<string, unknown> = {};
  for (const { index } of indicesOf(engine, call)) {
    found[index.name] = {
      aliases: aliasesOf(index),
      mappings: typed(call, mappingOf(index).toJSON()),
      settings: shownSettings(index, call),
    };
  }
  return { json: found };
}

function shownSettings(index: Index, call: Call): Json {
  const printed = printSettings(index);
  if (!flagParam(call, 'flat_settings')) return { index: printed };
  return Object.fromEntries(flatten(printed, 'index.'));
}

/** `HEAD /{index}`. */
export function indexExists(engine: Engine, call: Call): Answer {
  const found = resolveIndices(engine, call.path['index'], {
    ignoreUnavailable: flagParam(call, 'ignore_unavailable'),
    allowNoIndices: flagParam(call, 'allow_no_indices', true),
  });
  return found.length === 0 && !(call.path['index'] ?? '').includes('*') ? { status: 404 } : {};
}

/** `DELETE /{index}`. */
export async function deleteIndex(engine: Engine, call: Call): Promise<Answer> {
  const expression = call.path['index']!;
  for (const part of expression.split(',')) {
    if (part.includes('*') || part === '_all' || engine.has(part)) continue;
    if (engine.indices().some((index) => Object.hasOwn(aliasesOf(index), part))) {
      throw illegalArgument(
        `The provided expression [${part}] matches an alias, specify the corresponding concrete indices instead.`,
      );
    }
    if (!flagParam(call, 'ignore_unavailable')) throw noSuchIndex(part);
  }
  const names = engine
    .indices()
    .filter((index) =>
      expression
        .split(',')
        .some(
          (part) => part === '_all' || (part.includes('*') ? wildcardMatches(part, index.name) : part === index.name),
        ),
    );
  for (const index of names) checkAdmin(index, call);
  for (const index of names) await engine.deleteIndex(index.name);
  return ACKNOWLEDGED;
}

/** `GET [/{index}]/_mapping`. */
export function getMapping(engine: Engine, call: Call): Answer {
  const found: Record<string, unknown> = {};
  for (const { index } of indicesOf(engine, call))
    found[index.name] = { mappings: typed(call, mappingOf(index).toJSON()) };
  return { json: found };
}

/** `PUT /{index}/_mapping`. */
export async function putMapping(engine: Engine, call: Call): Promise<Answer> {
  const body = jsonBody(call);
  if (body === undefined) throw validationError('mapping source is missing');
  const mapping = mappingBody(body, call);
  const found = indicesOf(engine, call);
  if (found.length === 0) throw noSuchIndex(call.path['index'] ?? '_all');
  for (const { index } of found) checkAdmin(index, call);
  for (const { index } of found) {
    const own = mappingOf(index);
    own.merge(mapping);
    await index.updateDefinition({ mappings: own.toJSON() });
  }
  return ACKNOWLEDGED;
}

/** `GET [/{index}]/_mapping/field/{fields}`. */
export function getFieldMapping(engine: Engine, call: Call): Answer {
  const patterns = call.path['fields']!.split(',');
  const found: Record<string, unknown> = {};
  for (const { index } of indicesOf(engine, call)) {
    const own = mappingOf(index);
    const mappings: Record<string, unknown> = {};
    for (const field of own.fields.values()) {
      if (!patterns.some((pattern) => wildcardMatches(pattern, field.path))) continue;
      const definition = own.fieldJson(field.path)!;
      const shown =
        flagParam(call, 'include_defaults') && field.family === 'text' && definition['analyzer'] === undefined
          ? { ...definition, analyzer: 'default' }
          : definition;
      mappings[field.path] = {
        full_name: field.path,
        mapping: { [field.path.slice(field.path.lastIndexOf('.') + 1)]: shown },
      };
    }
    found[index.name] = { mappings: typed(call, mappings) };
  }
  return { json: found };
}

/** `GET [/{index}]/_settings[/{name}]`. */
export function getSettings(engine: Engine, call: Call): Answer {
  const names = (call.path['name'] ?? param(call, 'name'))
    ?.split(',')
    .filter((name) => name !== '_all' && name !== '*');
  const found: Record<string, unknown> = {};
  for (const { index } of indicesOf(engine, call)) {
    const flat = flatten(printSettings(index), 'index.').filter(
      ([key]) => names === undefined || names.length === 0 || names.some((name) => wildcardMatches(name, key)),
    );
    const settings = flagParam(call, 'flat_settings')
      ? Object.fromEntries(flat)
      : flat.length === 0
        ? {}
        : { index: readNested(flat) };
    if (flat.length > 0)
      found[index.name] = { settings, ...(flagParam(call, 'include_defaults') ? { defaults: {} } : {}) };
  }
  return { json: found };
}

function readNested(flat: readonly (readonly [string, unknown])[]): Json {
  const root: Record<string, unknown> = {};
  for (const [key, value] of flat) {
    const steps = key.split('.').slice(1);
    let at = root;
    for (const step of steps.slice(0, -1)) at = (at[step] ??= {}) as Record<string, unknown>;
    at[steps.at(-1)!] = value;
  }
  return root;
}

/** `PUT [/{index}]/_settings`. */
export async function putSettings(engine: Engine, call: Call): Promise<Answer> {
  const body = asObject(jsonBody(call) ?? {}, 'settings');
  const change = readIndexSettings(
    isObject(body['settings']) && Object.keys(body).length === 1 ? body['settings'] : body,
  );
  for (const { index } of indicesOf(engine, call)) {
    checkAdmin(index, call);
    const before = settingsOf(index.definition);
    const preserve = flagParam(call, 'preserve_existing');
    const known = new Map(flatten(before));
    const wanted = preserve
      ? readIndexSettings(Object.fromEntries(flatten(change).filter(([key]) => !known.has(key))))
      : change;
    const settings = changedSettings(before, wanted);
    await index.updateDefinition({ settings: engineSettings(settings), custom: { settings } });
  }
  return ACKNOWLEDGED;
}

/** `GET [/{index}]/_alias[/{name}]`. */
export function getAlias(engine: Engine, call: Call): Answer {
  const patterns = call.path['name']?.split(',') ?? listParam(call, 'name');
  const found: Record<string, unknown> = {};
  const seen = new Set<string>();
  for (const { index } of indicesOf(engine, call)) {
    const aliases = Object.entries(aliasesOf(index)).filter(
      ([name]) => patterns === undefined || aliasMatches(patterns, name),
    );
    for (const [name] of aliases) seen.add(name);
    if (aliases.length > 0 || patterns === undefined) found[index.name] = { aliases: Object.fromEntries(aliases) };
  }
  const missing = (patterns ?? [])
    .filter((pattern) => !pattern.includes('*') && pattern !== '_all' && !pattern.startsWith('-') && !seen.has(pattern))
    .sort();
  if (missing.length > 0) {
    return {
      status: 404,
      json: {
        error: `${missing.length === 1 ? 'alias' : 'aliases'} [${missing.join(',')}] missing`,
        status: 404,
        ...found,
      },
    };
  }
  return { json: found };
}

function aliasMatches(patterns: readonly string[], name: string): boolean {
  let matches = false;
  for (const pattern of patterns) {
    if (pattern.startsWith('-')) matches &&= !wildcardMatches(pattern.slice(1), name);
    else if (pattern === '_all' || wildcardMatches(pattern, name)) matches = true;
  }
  return matches;
}

/** `HEAD [/{index}]/_alias/{name}`. */
export function aliasExists(engine: Engine, call: Call): Answer {
  const patterns = call.path['name']!.split(',');
  const any = indicesOf(engine, call).some(({ index }) =>
    Object.keys(aliasesOf(index)).some((name) => aliasMatches(patterns, name)),
  );
  return any ? {} : { status: 404 };
}

async function setAlias(engine: Engine, index: Index, name: string, body: Json | undefined, call: Call): Promise<void> {
  checkAdmin(index, call);
  const aliases: Record<string, Json> = { ...aliasesOf(index) };
  if (body === undefined) delete aliases[name];
  else {
    if (engine.has(name)) {
      throw new RequestError(
        'SEARCH_ILLEGAL_ARGUMENT',
        'invalid_alias_name_exception',
        `Invalid alias name [${name}]: an index exists with the same name as the alias`,
        { fields: { index_uuid: engine.index(name).uuid, index: name } },
      );
    }
    aliases[name] = readAlias(name, body);
    const filter = aliases[name]['filter'];
    if (filter !== undefined) targetQuery(targetOf(engine, { index, aliases: [] }, call), filter);
  }
  await index.updateDefinition({ aliases });
}

/** `PUT|POST /{index}/_alias/{name}`. */
export async function putAlias(engine: Engine, call: Call): Promise<Answer> {
  const body = asObject(jsonBody(call) ?? {}, 'alias');
  const name = call.path['name'] ?? (body['alias'] === undefined ? undefined : asString(body['alias'], 'alias'));
  if (name === undefined) throw validationError('alias is missing');
  const { alias: _a, index: _i, ...rest } = body;
  const found = indicesOf(
    engine,
    call,
    call.path['index'] ?? (body['index'] === undefined ? undefined : asString(body['index'], 'index')),
  );
  for (const { index } of found) await setAlias(engine, index, name, rest, call);
  return ACKNOWLEDGED;
}

/** `DELETE /{index}/_alias/{name}`. */
export async function deleteAlias(engine: Engine, call: Call): Promise<Answer> {
  const patterns = call.path['name']!.split(',');
  let any = false;
  for (const { index } of indicesOf(engine, call)) {
    for (const name of Object.keys(aliasesOf(index))) {
      if (!aliasMatches(patterns, name)) continue;
      any = true;
      await setAlias(engine, index, name, undefined, call);
    }
  }
  if (!any) {
    throw new RequestError(
      'SEARCH_NOT_FOUND',
      'aliases_not_found_exception',
      `aliases [${patterns.join(',')}] missing`,
      { fields: { 'resource.type': 'aliases', 'resource.id': patterns.join(',') } },
    );
  }
  return ACKNOWLEDGED;
}

/** `POST /_aliases`. */
export async function updateAliases(engine: Engine, call: Call): Promise<Answer> {
  const body = asObject(jsonBody(call) ?? {}, 'aliases');
  checkKeys(body, 'aliases', ['actions']);
  if (!Array.isArray(body['actions']) || body['actions'].length === 0)
    throw validationError('Must specify at least one alias action');
  const steps: (() => Promise<void>)[] = [];
  for (const entry of body['actions'] as readonly unknown[]) {
    const action = asObject(entry, 'actions');
    const [kind, ...more] = Object.keys(action);
    if (kind === undefined || more.length > 0)
      throw illegalArgument('[alias_action] each action has exactly one member');
    if (kind !== 'add' && kind !== 'remove' && kind !== 'remove_index') {
      throw new RequestError(
        'SEARCH_PARSING',
        'x_content_parse_exception',
        `[aliases] unknown action [${kind}]; it is one of [add, remove, remove_index]`,
      );
    }
    const { index, indices, alias, aliases, must_exist: mustExist, ...rest } = asObject(action[kind], kind);
    const expression = toList(indices ?? index ?? [])
      .map((each) => asString(each, 'index'))
      .join(',');
    if (expression === '') throw validationError('One of [index] or [indices] is required');
    const names = toList(aliases ?? alias ?? []).map((each) => asString(each, 'alias'));
    const found = resolveIndices(engine, expression).filter((each) => each.aliases.length === 0);
    if (kind === 'remove_index') {
      if (names.length > 0 || found.length === 0) throw noSuchIndex(expression);
      for (const each of found)
        steps.push(async () => (checkAdmin(each.index, call), engine.deleteIndex(each.index.name)));
      continue;
    }
    if (names.length === 0) throw validationError('One of [alias] or [aliases] is required');
    if (
      kind === 'remove' &&
      mustExist === true &&
      !found.some((each) =>
        names.some((name) => Object.keys(aliasesOf(each.index)).some((own) => wildcardMatches(name, own))),
      )
    ) {
      throw new RequestError('SEARCH_NOT_FOUND', 'aliases_not_found_exception', `aliases [${names.join(',')}] missing`);
    }
    let any = kind === 'add';
    for (const each of found) {
      for (const name of names) {
        if (kind === 'add') {
          readAlias(name, rest);
          steps.push(() => setAlias(engine, each.index, name, rest, call));
          continue;
        }
        for (const own of Object.keys(aliasesOf(each.index)).filter((candidate) => wildcardMatches(name, candidate))) {
          any = true;
          steps.push(() => setAlias(engine, each.index, own, undefined, call));
        }
      }
    }
    if (!any)
      throw new RequestError('SEARCH_NOT_FOUND', 'aliases_not_found_exception', `aliases [${names.join(',')}] missing`);
  }
  for (const step of steps) await step();
  return ACKNOWLEDGED;
}

/** Runs something on each index and answers shard counts. */
export function forEachIndex(
  run: (index: Index, call: Call) => Promise<void>,
): (engine: Engine, call: Call) => Promise<Answer> {
  return async (engine, call) => {
    const found = indicesOf(engine, call);
    for (const { index } of found) await run(index, call);
    const total = found.length;
    return { json: { _shards: { total: total * 2, successful: total, failed: 0 } } };
  };
}

const STAT_GROUPS = [
  'docs',
  'store',
  'indexing',
  'get',
  'search',
  'merges',
  'merge',
  'refresh',
  'flush',
  'warmer',
  'query_cache',
  'fielddata',
  'completion',
  'segments',
  'translog',
  'suggest',
  'request_cache',
  'recovery',
];

/** `GET [/{index}]/_stats[/{metric}]`. */
export function stats(engine: Engine, call: Call): Answer {
  const metrics = call.path['metric']?.split(',').filter((metric) => metric !== '_all') ?? [];
  for (const metric of metrics) {
    if (!STAT_GROUPS.includes(metric)) {
      throw illegalArgument(`request [${call.request.path}] contains unrecognized metric: [${metric}]`);
    }
  }
  const wanted = (group: string): boolean =>
    metrics.length === 0 || metrics.includes(group) || (group === 'merges' && metrics.includes('merge'));
  const level = param(call, 'level') ?? 'indices';
  if (!['cluster', 'indices', 'shards'].includes(level))
    throw illegalArgument('level parameter must be one of [cluster] or [indices] or [shards] but was [' + level + ']');
  const indices: Record<string, unknown> = {};
  const all = indicesOf(engine, call);
  const parts: Json[] = [];
  for (const { index } of all) {
    const part = statsOf(index, call, wanted);
    parts.push(part);
    indices[index.name] = { uuid: index.uuid, primaries: part, total: part };
  }
  const sum = parts.reduce(add, {});
  return {
    json: {
      _shards: { total: all.length * 2, successful: all.length, failed: 0 },
      _all: { primaries: sum, total: sum },
      ...(level === 'cluster' ? {} : { indices }),
    },
  };
}

function add(a: Json, b: Json): Json {
  const sum: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = sum[key];
    sum[key] = isObject(value)
      ? add(isObject(before) ? before : {}, value)
      : typeof value === 'number'
        ? (typeof before === 'number' ? before : 0) + value
        : value;
  }
  return sum;
}

function statsOf(index: Index, call: Call, wanted: (group: string) => boolean): Json {
  const own = index.stats();
  const view = call.request.view?.(index.name);
  let docs = { count: own.docs, deleted: own.deleted };
  if (view !== undefined) {
    const searcher = index.searcher();
    docs = { count: searcher.docCount(view), deleted: 0 };
    searcher.release();
  }
  const hidden = view !== undefined;
  const number = (value: number): number => (hidden ? 0 : value);
  const groups: Record<string, Json> = {
    docs,
    store: { size_in_bytes: number(own.bytes), reserved_in_bytes: 0 },
    indexing: {
      index_total: number(own.indexTotal),
      index_time_in_millis: 0,
      index_current: 0,
      index_failed: 0,
      delete_total: number(own.deleteTotal),
      delete_time_in_millis: 0,
      delete_current: 0,
      noop_update_total: 0,
      is_throttled: false,
      throttle_time_in_millis: 0,
    },
    get: {
      total: 0,
      time_in_millis: 0,
      exists_total: 0,
      exists_time_in_millis: 0,
      missing_total: 0,
      missing_time_in_millis: 0,
      current: 0,
    },
    search: {
      open_contexts: 0,
      query_total: number(own.searchTotal),
      query_time_in_millis: 0,
      query_current: 0,
      fetch_total: number(own.searchTotal),
      fetch_time_in_millis: 0,
      fetch_current: 0,
      scroll_total: 0,
      scroll_time_in_millis: 0,
      scroll_current: 0,
      suggest_total: 0,
      suggest_time_in_millis: 0,
      suggest_current: 0,
    },
    merges: {
      current: 0,
      current_docs: 0,
      current_size_in_bytes: 0,
      total: number(own.mergeTotal),
      total_time_in_millis: 0,
      total_docs: 0,
      total_size_in_bytes: 0,
    },
    refresh: {
      total: number(own.refreshTotal),
      total_time_in_millis: 0,
      external_total: number(own.refreshTotal),
      external_total_time_in_millis: 0,
      listeners: 0,
    },
    flush: { total: number(own.flushTotal), periodic: 0, total_time_in_millis: 0 },
    warmer: { current: 0, total: 0, total_time_in_millis: 0 },
    query_cache: {
      memory_size_in_bytes: 0,
      total_count: 0,
      hit_count: 0,
      miss_count: 0,
      cache_size: 0,
      cache_count: 0,
      evictions: 0,
    },
    fielddata: { memory_size_in_bytes: 0, evictions: 0 },
    completion: { size_in_bytes: 0 },
    segments: {
      count: number(own.segments),
      memory_in_bytes: number(own.memoryBytes),
      max_unsafe_auto_id_timestamp: -1,
      file_sizes: {},
    },
    translog: {
      operations: number(own.translogOperations),
      size_in_bytes: number(own.translogBytes),
      uncommitted_operations: number(own.translogOperations),
      uncommitted_size_in_bytes: number(own.translogBytes),
      earliest_last_modified_age: 0,
    },
    request_cache: { memory_size_in_bytes: 0, evictions: 0, hit_count: 0, miss_count: 0 },
    recovery: { current_as_source: 0, current_as_target: 0, throttle_time_in_millis: 0 },
  };
  return Object.fromEntries(Object.entries(groups).filter(([name]) => wanted(name)));
}

/** `POST /{index}/_delete_by_query` and `_update_by_query`. */
export function byQuery(kind: 'delete' | 'update'): (engine: Engine, call: Call) => Promise<Answer> {
  return async (engine, call) => {
    const started = performance.now();
    const body = asObject(jsonBody(call) ?? {}, kind === 'delete' ? 'delete_by_query' : 'update_by_query');
    checkKeys(body, `${kind}_by_query`, ['query', 'max_docs', 'conflicts', 'script', 'slice', 'size']);
    if (body['script'] !== undefined) throw unsupported('[script] in an update by query');
    if (!flagParam(call, 'wait_for_completion', true)) throw unsupported('[wait_for_completion=false]');
    const limitGiven = integerParam(call, 'max_docs') ?? body['max_docs'] ?? body['size'];
    const limit = limitGiven === undefined || limitGiven === -1 ? Infinity : asInteger(limitGiven, 'max_docs');
    if (limit < 1) throw validationError(`[max_docs] must be greater than 0, found [${limit}]`);
    const q = param(call, 'q');
    const query = q === undefined ? body['query'] : { query_string: { query: q } };
    if (query === undefined && kind === 'delete') throw validationError('query is missing');
    let total = 0;
    let done = 0;
    for (const found of indicesOf(engine, call)) {
      const { index } = found;
      checkWritable(index, call);
      const target = targetOf(engine, found, call);
      const searcher = index.searcher();
      const operations: Operation[] = [];
      try {
        const parsed = targetQuery(target, query);
        for (const segment of searcher.segments) {
          const bits = searcher.matches(parsed, segment, target.view);
          for (let doc = 0; doc < segment.docCount; doc++) {
            if ((bits[doc >>> 5]! & (1 << (doc & 31))) === 0 || segment.nestedPath(doc) !== undefined) continue;
            if (total + operations.length >= limit) break;
            const condition = { ifSeqNo: segment.seqNo(doc), ifPrimaryTerm: segment.primaryTerm(doc) };
            const id = segment.id(doc);
            const routing = segment.routing(doc);
            operations.push(
              kind === 'delete'
                ? { kind, id, routing, ...condition }
                : { kind: 'index', id, source: segment.source(doc), routing, ...condition },
            );
          }
        }
      } finally {
        searcher.release();
      }
      total += operations.length;
      const results = await index.apply(operations);
      for (const result of results) if (result.kind === 'done') done++;
      if (param(call, 'refresh') !== undefined && param(call, 'refresh') !== 'false') await index.refresh();
    }
    const conflicts = total - done;
    return {
      status: conflicts > 0 && (param(call, 'conflicts') ?? body['conflicts']) !== 'proceed' ? 409 : 200,
      json: {
        took: Math.round(performance.now() - started),
        timed_out: false,
        total,
        ...(kind === 'delete' ? {} : { updated: done }),
        deleted: kind === 'delete' ? done : 0,
        batches: total === 0 ? 0 : 1,
        version_conflicts: conflicts,
        noops: 0,
        retries: { bulk: 0, search: 0 },
        throttled_millis: 0,
        requests_per_second: -1,
        throttled_until_millis: 0,
        failures: [],
      },
    };
  };
}
