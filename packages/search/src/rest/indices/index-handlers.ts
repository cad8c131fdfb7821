// Indices as a whole: create, get, delete, exists, open, close, and their settings.
import { warnsOfTypeNames } from '../request/warnings.ts';
import { changes, reads, type Endpoint, READABLE } from '../request/endpoint.ts';
import { EXPAND, LOCAL, TIMEOUTS } from '../request/route-params.ts';
import { redIndices } from '../request/red-indices.ts';
import { createIndex, readCreateBody } from './create-index.ts';
import { checkAdmin } from '../request/check-admin.ts';
import { checkBlocks, checkChangeable } from '../request/index-blocks.ts';
import { indicesOf } from '../request/index-names.ts';
import { aliasesOf, type Found } from '../request/resolve-indices.ts';
import {
  changedSettings,
  changesMapping,
  checkCanChange,
  engineSettings,
  printSettings,
  readIndexSettings,
  warnOfSettings,
} from './index-settings.ts';
import { INDEX_SETTING_DEFAULTS } from './setting-defaults.ts';
import { tryMapper } from '../../mapping/create-mapper.ts';
import { runTask } from '../../tasks/scheduler.ts';
import { mappingOf } from '../../fetch/target.ts';
import type { Mapping } from '../../mapping/mapping.ts';
import { flatten, settingsOf, readNested } from '../../settings/client-settings.ts';
import { changedCustom, isClosed } from '../request/index-state.ts';
import { shownMapping } from './mapping-handlers.ts';
import {
  ACKNOWLEDGED,
  type Answer,
  type Call,
  flagParam,
  jsonBody,
  mapBody,
  missingBody,
  param,
} from '../request/request.ts';
import { globMatches } from '../../text/glob.ts';
import { checkCount, isActive, primariesOf, replicasOf } from '../request/active-shards.ts';
import type { Index } from '../../engine/engine-api.ts';
import { asObject, isObject, type Json } from '../../json/json.ts';
import { illegalArgument, RequestError, validationError } from '../../errors/request-error.ts';

const createBody = (call: Call): Json => asObject(mapBody(call) ?? {}, 'create_index');

/** `PUT /{index}`. */
async function createIndexHandler(call: Call): Promise<Answer> {
  const { engine } = call;
  const name = call.path['index']!;
  const body = createBody(call);
  checkCount(call);
  const index = await createIndex(engine, name, body, call, true);
  return { json: { acknowledged: true, shards_acknowledged: isActive(replicasOf(index), call), index: name } };
}

/** `GET /{index}`. */
function getIndex(call: Call): Answer {
  const found: Record<string, unknown> = {};
  for (const { index } of checkBlocks(indicesOf(call), 'metadata_read'))
    found[index.name] = {
      aliases: aliasesOf(index),
      mappings: shownMapping(index, call),
      settings: shownSettings(index, call),
      ...(flagParam(call, 'include_defaults')
        ? { defaults: defaultsOf(index, call, flatten(printSettings(index), 'index.')) }
        : {}),
    };
  return { json: found };
}

function shownSettings(index: Index, call: Call): Json {
  const printed = printSettings(index);
  if (!flagParam(call, 'flat_settings')) return { index: printed };
  return Object.fromEntries(flatten(printed, 'index.'));
}

/** `HEAD /{index}`. */
function indexExists(call: Call): Answer {
  const { engine } = call;
  const found = checkBlocks(indicesOf(call, undefined, 'open,closed', true), 'metadata_read');
  return found.length === 0 &&
    redIndices(engine, call.path['index']).length === 0 &&
    !/\*|^_all$/.test(call.path['index'] ?? '') &&
    !flagParam(call, 'ignore_unavailable')
    ? { status: 404 }
    : {};
}

/** `DELETE /{index}`. */
async function deleteIndex(call: Call): Promise<Answer> {
  const { engine } = call;
  const expression = call.path['index']!;
  const wild = expression.split(',').filter((part) => part.includes('*') || part === '_all');
  if (wild.length > 0 && call.state.settings.needsNames)
    throw illegalArgument('Wildcard expressions or all indices are not allowed');
  const found = indicesOf(call, expression, 'open,closed', true, true, true);
  const red = engine
    .damaged()
    .filter(({ name }) =>
      expression
        .split(',')
        .some((part) => part === name || part === '_all' || (part.includes('*') && globMatches(part, name))),
    );
  checkChangeable(found, call, true);
  for (const index of red) checkAdmin(index, call);
  for (const { name } of [...found.map(({ index }) => index), ...red]) await engine.deleteIndex(name);
  return ACKNOWLEDGED;
}

/** `GET [/{index}]/_settings[/{name}]`. */
function getSettings(call: Call): Answer {
  const names = (call.path['name'] ?? param(call, 'name'))
    ?.split(',')
    .filter((name) => name !== '_all' && name !== '*');
  const found: Record<string, unknown> = {};
  for (const { index } of checkBlocks(indicesOf(call), 'metadata_read')) {
    const isWanted = (key: string): boolean =>
      names === undefined || names.length === 0 || names.some((name) => globMatches(name, key));
    const flat = flatten(printSettings(index), 'index.').filter(([key]) => isWanted(key));
    const defaults = flagParam(call, 'include_defaults') ? defaultsOf(index, call, flat, isWanted) : {};
    const settings = flagParam(call, 'flat_settings')
      ? Object.fromEntries(flat)
      : flat.length === 0
        ? {}
        : readNested(flat);
    if (flagParam(call, 'include_defaults')) found[index.name] = { settings, defaults };
    else if (flat.length > 0) found[index.name] = { settings };
  }
  return { json: found };
}

/** What holds for the settings that were not given. */
function defaultsOf(
  index: Index,
  call: Call,
  given: readonly (readonly [string, unknown])[],
  isWanted = (_key: string): boolean => true,
): Json {
  const { maxResultWindow, maxTermsCount, refreshInterval, durability, syncInterval } = index.settings;
  const time = (milliseconds: number): string =>
    milliseconds < 0 ? '-1' : milliseconds % 1000 === 0 ? `${milliseconds / 1000}s` : `${milliseconds}ms`;
  const known = new Set(given.map(([key]) => key));
  const flat = Object.entries({
    ...INDEX_SETTING_DEFAULTS,
    number_of_routing_shards: String(primariesOf(index)),
    refresh_interval: time(refreshInterval),
    max_result_window: String(maxResultWindow),
    max_rescore_window: String(maxResultWindow),
    max_terms_count: String(maxTermsCount),
    'translog.durability': durability.toUpperCase(),
    'translog.sync_interval': time(syncInterval),
  })
    .map(([key, value]) => [`index.${key}`, value] as const)
    .filter(([key, value]) => value !== undefined && !known.has(key) && isWanted(key));
  return flagParam(call, 'flat_settings') ? Object.fromEntries(flat) : readNested(flat);
}

/** `PUT [/{index}]/_settings`. */
async function putSettings(call: Call): Promise<Answer> {
  const body = jsonBody(call);
  if (body === undefined && (call.request.body?.length ?? 0) === 0) throw missingBody();
  // Elasticsearch reads an object, and takes what is none for an empty one.
  const given = isObject(body) ? body : {};
  const settings = isObject(given['settings']) && Object.keys(given).length === 1 ? given['settings'] : given;
  if (flatten(settings).length === 0) throw validationError('no settings to update');
  const found = indicesOf(call, undefined, 'open,closed', undefined, false);
  const change = readIndexSettings(settings, true);
  warnOfSettings(change, call);
  // A request that takes a block back by its whole name is not held up by it (TransportUpdateSettingsAction.checkBlock).
  const keys = flatten(settings).map(([key]) => key);
  const isOfBlock =
    keys.includes('index.blocks.read_only') ||
    keys.includes('index.blocks.read_only_allow_delete') ||
    (keys.length === 1 && keys[0] === 'index.blocks.metadata');
  for (const { index } of found) checkAdmin(index, call);
  if (!isOfBlock) checkBlocks(found, 'metadata_write');
  checkCanChange(
    change,
    found.map(({ index }) => index),
  );
  // Made before anything is changed: what an index cannot take leaves all as they were.
  const mappings = new Map<Index, Mapping>();
  if (changesMapping(change)) {
    for (const { index } of found) {
      const trial = await runTask(
        tryMapper({ custom: { settings: changedSettings(settingsOf(index.definition), change) } }),
      );
      await runTask(trial.mergeInSteps(index.mapper.toJSON()));
      mappings.set(index, trial);
    }
  }
  for (const { index } of found) {
    const before = settingsOf(index.definition);
    const preserve = flagParam(call, 'preserve_existing');
    const known = new Map(flatten(before));
    const wanted = preserve
      ? readIndexSettings(Object.fromEntries(flatten(change).filter(([key]) => !known.has(key))))
      : change;
    const settings = changedSettings(before, wanted);
    await index.updateDefinition({
      settings: engineSettings(settings, mappingOf(index)),
      custom: changedCustom(index, { settings }),
    });
    const mapping = mappings.get(index);
    if (mapping !== undefined) mappingOf(index).become(mapping);
  }
  return ACKNOWLEDGED;
}

/** Whether as many copies are there as the request wants, of all indices. */
function areActive(found: readonly Found[], call: Call): boolean {
  return found.every(({ index }) => isActive(replicasOf(index), call));
}

/** `POST /{index}/_close`. Nothing is read from or written to the indices until they are opened. */
async function closeIndex(call: Call): Promise<Answer> {
  checkCount(call);
  const found = indicesOf(call).filter(({ index }) => !isClosed(index));
  checkChangeable(found, call);
  if (!call.state.settings.mayClose)
    throw new RequestError(
      'SEARCH_ILLEGAL_ARGUMENT',
      'illegal_state_exception',
      'closing indices is disabled - set [cluster.indices.close.enable: true] to enable it. NOTE: closed indices still consume a significant amount of diskspace',
    );
  for (const { index } of found) {
    await index.commit();
    await index.updateDefinition({ custom: changedCustom(index, { closed: true }) });
  }
  return {
    json: {
      acknowledged: true,
      // Nobody is asked where there is nothing to close.
      shards_acknowledged: found.length > 0 && areActive(found, call),
      indices: Object.fromEntries(found.map(({ index }) => [index.name, { closed: true }])),
    },
  };
}

/** `POST /{index}/_open`. */
async function openIndex(call: Call): Promise<Answer> {
  checkCount(call);
  const found = indicesOf(call, undefined, 'closed');
  checkChangeable(found, call);
  for (const { index } of found) {
    if (isClosed(index)) await index.updateDefinition({ custom: changedCustom(index, { closed: false }) });
  }
  return { json: { acknowledged: true, shards_acknowledged: areActive(found, call) } };
}

/** What asks for an index, and names none. */
const withoutIndex = (problem: string): Endpoint['answer'] => {
  return () => {
    throw validationError(problem);
  };
};

/** An index as a whole, and its settings. */
export const INDEX_ENDPOINTS: readonly Endpoint[] = [
  changes(
    'PUT',
    '/{index}',
    { include_type_name: 'flag', wait_for_active_shards: 'text', ...TIMEOUTS },
    createIndexHandler,
    { parse: (call) => void readCreateBody(createBody(call), call), ...warnsOfTypeNames('create index') },
  ),
  reads(
    'GET',
    '/{index}',
    { include_type_name: 'flag', flat_settings: 'flag', include_defaults: 'flag', ...EXPAND, ...LOCAL },
    getIndex,
    { ...READABLE, ...warnsOfTypeNames('get indices', 'Using `include_type_name`') },
  ),
  reads(
    'HEAD',
    '/{index}',
    { include_type_name: 'flag', flat_settings: 'flag', include_defaults: 'flag', ...EXPAND, ...LOCAL },
    indexExists,
  ),
  changes('DELETE', '/{index}', { ...EXPAND, ...TIMEOUTS }, deleteIndex),
  reads(
    'GET',
    '/_settings /_settings/{name} /{index}/_settings /{index}/_settings/{name}',
    { flat_settings: 'flag', include_defaults: 'flag', name: 'text', ...EXPAND, ...LOCAL },
    getSettings,
    READABLE,
  ),
  changes(
    'PUT',
    '/_settings /{index}/_settings',
    { preserve_existing: 'flag', flat_settings: 'text', ...EXPAND, ...TIMEOUTS },
    putSettings,
  ),
  changes('POST', '/{index}/_close', { ...EXPAND, wait_for_active_shards: 'text', ...TIMEOUTS }, closeIndex),
  changes('POST', '/{index}/_open', { ...EXPAND, wait_for_active_shards: 'text', ...TIMEOUTS }, openIndex),
  changes('POST', '/_close /_open', TIMEOUTS, withoutIndex('index is missing')),
  changes('DELETE', '/', TIMEOUTS, withoutIndex('index / indices is missing')),
];
