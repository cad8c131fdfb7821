// Creates an index from Elasticsearch's body: settings checked, mappings tried, aliases read.
import { redIndices } from '../request/red-indices.ts';
import { type GivenMapping, readMapping } from './mapping-body.ts';
import { engineSettings, readIndexSettings, warnOfSettings } from './index-settings.ts';
import { tryMapper } from '../../mapping/create-mapper.ts';
import { composableTemplateOf, composed, readKind } from './composable-templates.ts';
import { checkMayChange } from '../request/check-admin.ts';
import type { Call } from '../request/request.ts';
import { templateFor, withDefaults } from './templates.ts';
import { runTask } from '../../tasks/scheduler.ts';
import type { Engine, Index } from '../../engine/engine-api.ts';
import { checkIndexName, whyNoName } from '../../engine/index-names.ts';
import { checkCopies, replicasIn } from '../request/active-shards.ts';
import { asObject, checkKeys, isObject, type Json, textOf } from '../../json/json.ts';
import { illegalArgument, RequestError } from '../../errors/request-error.ts';
import { aliasesOf } from '../request/resolve-indices.ts';
import { isClosed } from '../request/index-state.ts';
import { checkSharedAliases } from './write-index.ts';
import { settingsOf } from '../../settings/client-settings.ts';
import type { Mapping } from '../../mapping/mapping.ts';
import { parseQuery } from '../../dsl/parse-query.ts';

/** Reads the mapping of a request that creates an index. @throws RequestError for it, and for members that there are not */
export function readCreateBody(body: Json, call: Call): GivenMapping {
  for (const key of Object.keys(body))
    if (!['settings', 'mappings', 'aliases'].includes(key))
      throw new RequestError('SEARCH_PARSING', 'parse_exception', `unknown key [${key}] for create index`);
  return readMapping(body['mappings'], call, 'create');
}

/** Creates an index. @param waits whether the request says how many copies it waits for @throws RequestError when anything in the body does not fit; then nothing is created */
export async function createIndex(engine: Engine, name: string, body: Json, call: Call, waits = false): Promise<Index> {
  // Errors of the body come before errors of the name.
  const given = readCreateBody(body, call);
  checkMayChange(call, name);
  const composable = composableTemplateOf(engine, name);
  // Where a composable template fits, the older ones are not asked.
  const template =
    composable === undefined
      ? templateFor(engine, name)
      : { ...composed(composable[1], readKind(engine, 'componentTemplates'), name), typeName: undefined, names: [] };
  const settings = withDefaults(readOwnSettings(engine, name, body['settings']), template.settings);
  checkNewName(engine, name);
  warnOfIndex(name, settings, call);
  if (template.names.length > 1)
    call.warn(
      `index [${name}] matches multiple legacy templates [${template.names.toSorted().join(', ')}], composable templates will only match a single template`,
    );
  const trial = await runTask(tryMapper({ custom: { settings } }));
  const mapping = isObject(given.mapping)
    ? withDefaults(given.mapping, template.mapping)
    : (given.mapping ?? template.mapping);
  await runTask(trial.mergeInSteps(mapping, given.typeName ?? '_doc', call.warn));
  const implied = given.mapping === undefined ? impliedType(call) : undefined;
  const isTypeless = template.typeName === undefined && Object.keys(template.mapping).length > 0;
  if (implied !== undefined && isTypeless)
    throw illegalArgument(
      `Rejecting mapping update to [${name}] as the final mapping would have more than 1 type: [_doc, ${implied}]`,
    );
  const typeName = given.mapping === undefined ? (template.typeName ?? implied) : given.typeName;
  const aliases = {
    ...readAliases(engine, template.aliases, name, trial),
    ...readAliases(engine, body['aliases'], name, trial),
  };
  checkSharedAliases(engine, new Map([[name, aliases]]));
  if (waits) checkCopies(replicasIn(settings), call);
  checkShards(engine, settings, call);
  const custom = { settings, ...(typeName === undefined ? {} : { typeName }) };
  return engine.createIndex(name, {
    mappings: trial.toJSON(),
    settings: engineSettings(settings, trial),
    custom,
    aliases,
  });
}

/** The settings of a request. A private one among them is a mistake of a new index alone, and so told after its name. */
function readOwnSettings(engine: Engine, name: string, given: unknown): Json {
  try {
    return readIndexSettings(given);
  } catch (error) {
    if (error instanceof RequestError && error.type === 'validation_exception') checkNewName(engine, name);
    throw error;
  }
}

/** Warns of what a later version will not have. */
function warnOfIndex(name: string, settings: Json, call: Call): void {
  if (name.startsWith('.') && settings['hidden'] !== true && settings['hidden'] !== 'true')
    call.warn(
      `index name [${name}] starts with a dot '.', in the next major version, index names starting with a dot are reserved for hidden indices and system indices`,
    );
  warnOfSettings(settings, call);
  const { soft_deletes: softDeletes } = settings;
  if (isObject(softDeletes) && textOf(softDeletes['enabled']) === 'false')
    call.warn(
      `Creating indices with soft-deletes disabled is deprecated and will be removed in future Elasticsearch versions. Please do not specify value for setting [index.soft_deletes.enabled] of index [${name}].`,
    );
}

/** @throws RequestError for a name that no index can have, or that an index or an alias has */
export function checkNewName(engine: Engine, name: string): void {
  checkIndexName(name);
  const red = redIndices(engine, name);
  if (engine.has(name) || red.length > 0) {
    const uuid = red.length > 0 ? (red[0]!.uuid ?? '_na_') : engine.index(name).uuid;
    throw new RequestError(
      'SEARCH_ILLEGAL_ARGUMENT',
      'resource_already_exists_exception',
      `index [${name}/${uuid}] already exists`,
      {
        fields: { index_uuid: uuid, index: name },
      },
    );
  }
  if (engine.indices().some((index) => Object.hasOwn(aliasesOf(index), name)))
    throw new RequestError(
      'SEARCH_ILLEGAL_ARGUMENT',
      'invalid_index_name_exception',
      `Invalid index name [${name}], already exists as alias`,
      {
        fields: { index_uuid: '_na_', index: name },
      },
    );
}

/** @throws RequestError when the open indices would have more shards together than the settings of the cluster allow */
function checkShards(engine: Engine, settings: Json, call: Call): void {
  const most = call.state.settings.maxShards;
  const open = engine
    .indices()
    .filter((index) => !isClosed(index))
    .reduce((sum, index) => sum + shardsOf(settingsOf(index.definition)), 0);
  const added = shardsOf(settings);
  if (open + added <= most) return;
  throw new RequestError(
    'SEARCH_VALIDATION',
    'validation_exception',
    `Validation Failed: 1: this action would add [${added}] total shards, but this cluster currently has [${open}]/[${most}] maximum shards open;`,
    { hint: 'Delete or close indices, or raise the setting [cluster.max_shards_per_node].' },
  );
}

function shardsOf(settings: Json): number {
  return Number(settings['number_of_shards'] ?? 1) * (1 + Number(settings['number_of_replicas'] ?? 1));
}

/** A first document written by a typed path gives the index its type. */
function impliedType(call: Call): string | undefined {
  const type = call.path['type'];
  return type === '_doc' ? undefined : type;
}

/** Reads `aliases` of a create request. */
export function readAliases(
  engine: Engine,
  value: unknown,
  index: string,
  mapping: Mapping,
): Readonly<Record<string, Json>> {
  if (value === undefined) return {};
  const found: Record<string, Json> = {};
  for (const [name, body] of Object.entries(asObject(value, 'aliases'))) {
    found[name] = readAlias(name, isObject(body) ? body : {});
    if (name === index || engine.has(name))
      throw new RequestError(
        'SEARCH_ILLEGAL_ARGUMENT',
        'invalid_alias_name_exception',
        `Invalid alias name [${name}], an index exists with the same name as the alias`,
        { fields: { index_uuid: engine.has(name) ? engine.index(name).uuid : '_na_', index: name } },
      );
    const filter = found[name]['filter'];
    if (filter !== undefined) {
      try {
        parseQuery(filter, { index, mapping, now: 0, defaultField: ['*'], aliases: [] });
      } catch (error) {
        throw illegalArgument(`failed to parse filter for alias [${name}]`, {
          causedBy: { type: 'parsing_exception', reason: error instanceof Error ? error.message : '' },
        });
      }
    }
  }
  return found;
}

export const ALIAS_KEYS = ['filter', 'routing', 'index_routing', 'search_routing', 'is_write_index', 'is_hidden'];

/** One alias as it is stored. */
export function readAlias(name: string, body: Json): Json {
  const reason = whyNoName(name);
  if (reason !== undefined)
    throw new RequestError(
      'SEARCH_ILLEGAL_ARGUMENT',
      'invalid_alias_name_exception',
      `Invalid alias name [${name}]: ${reason}`,
    );
  checkKeys(body, 'alias', ALIAS_KEYS);
  const { routing = null, index_routing: forIndex = routing, search_routing: forSearch = routing, ...rest } = body;
  const alias = Object.fromEntries(
    Object.entries({
      ...rest,
      index_routing: forIndex === null ? null : textOf(forIndex),
      search_routing: forSearch === null ? null : textOf(forSearch),
    }).filter(([, value]) => value !== null),
  );
  if (textOf(alias['index_routing'] ?? '').includes(','))
    throw illegalArgument(`alias [${name}] has several index routing values associated with it`);
  const flags = ['is_write_index', 'is_hidden'].filter((key) => alias[key] !== undefined);
  return { ...alias, ...Object.fromEntries(flags.map((key) => [key, asFlag(alias[key])])) };
}

function asFlag(value: unknown): boolean {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw illegalArgument(`Failed to parse value [${textOf(value)}] as only [true] or [false] are allowed.`);
}
