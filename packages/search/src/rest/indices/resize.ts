// `_clone`, `_shrink` and `_split`: an index with the settings, the mapping and the documents of another one, and perhaps another number of
// shards. The source must not be written meanwhile; what is copied is what its caller sees of it.
import { wordsOf } from '@lockstitch/kernel';
import { asObject, isObject, type Json, textOf } from '../../json/json.ts';
import { checkFields } from '../request/unknown-field.ts';
import { objectBody } from '../request/object-body.ts';
import { mappingOf } from '../../fetch/target.ts';
import { flatten, settingsOf } from '../../settings/client-settings.ts';
import { illegalArgument, RequestError, validationError } from '../../errors/request-error.ts';
import { changes, type Endpoint } from '../request/endpoint.ts';
import { TIMEOUTS } from '../request/route-params.ts';
import { Pace } from '../documents/pace.ts';
import { reindex } from '../documents/reindex.ts';
import { checkCount, isActive, replicasOf } from '../request/active-shards.ts';
import { checkAdmin } from '../request/check-admin.ts';
import { blockFailure } from '../request/index-blocks.ts';
import { noSuchIndex } from '../request/resolve-indices.ts';
import { changedCustom, checkIsOpen, typeNameOf } from '../request/index-state.ts';
import { type Answer, bodyIndex, type Call, flagParam, param } from '../request/request.ts';
import { NODE } from '../request/tasks.ts';
import { checkNewName, createIndex } from './create-index.ts';
import { engineSettings, readIndexSettings } from './index-settings.ts';

export type Resize = 'clone' | 'shrink' | 'split';

/** Settings that are of the source alone. */
const OWN = wordsOf(`
  number_of_shards number_of_replicas number_of_routing_shards blocks provided_name uuid creation_date version
  resize routing`);

/** `PUT|POST /{index}/_clone/{target}`, `_shrink`, `_split`. */
async function resize(kind: Resize, call: Call): Promise<Answer> {
  const { engine } = call;
  const name = call.path['index']!;
  const target = bodyIndex(call, call.path['target']!);
  checkCount(call);
  if (!flagParam(call, 'copy_settings', true))
    throw illegalArgument('parameter [copy_settings] can not be explicitly set to [false]');
  if (param(call, 'copy_settings') !== undefined)
    call.warn('parameter [copy_settings] is deprecated and will be removed in 8.0.0');
  const body = objectBody(call, 'resize_request') ?? {};
  checkFields(body, 'resize_request', ['settings', 'aliases'], call.request.body);
  // Elasticsearch looks before it puts [index] before what has none.
  const wanted = new Map(flatten(asObject(body['settings'] ?? {}, 'settings')));
  const mistakes: string[] = [];
  // Elasticsearch takes an order without [index] before it, and then cannot start the shards of the new index.
  if ([...wanted.keys()].some((key) => /^(?:index\.)?sort\./.test(key)))
    mistakes.push("can't override index sort when resizing an index");
  if (kind === 'split' && !wanted.has('index.number_of_shards'))
    mistakes.push('index.number_of_shards is required for split operations');
  if (mistakes.length > 0) throw validationError(...mistakes);
  if (!engine.has(name)) throw noSuchIndex(name);
  const source = engine.index(name);
  checkIsOpen(source);
  checkAdmin(source, call);
  const before = settingsOf(source.definition);
  const given = readIndexSettings(body['settings']);
  const from = Number(before['number_of_shards'] ?? 1);
  const shards = shardsOf(kind, from, given['number_of_shards']);
  if (given['routing_partition_size'] !== undefined)
    throw illegalArgument('cannot provide a routing partition size value when resizing an index');
  if (given['number_of_routing_shards'] !== undefined && (kind !== 'split' || from > 1))
    throw illegalArgument('cannot provide index.number_of_routing_shards on resize');
  if (keepsSoftDeletes(before) && !keepsSoftDeletes(given))
    throw illegalArgument("Can't disable [index.soft_deletes.enabled] setting on resize");
  checkNewName(engine, target);
  if (blockFailure([{ index: source }], 'write') === undefined)
    throw new RequestError(
      'SEARCH_ILLEGAL_ARGUMENT',
      'illegal_state_exception',
      `index ${name} must be read-only to resize index. use "index.blocks.write=true"`,
    );
  if (kind === 'shrink' && from === 1) throw illegalArgument("can't shrink an index with only one shard");
  const kept = Object.fromEntries(Object.entries(before).filter(([key]) => !OWN.includes(key)));
  const { blocks: ownBlocks, ...changes } = given;
  const mapping = mappingOf(source).toJSON();
  const type = typeNameOf(source);
  const made = await createIndex(
    engine,
    target,
    {
      settings: { index: { ...kept, ...changes, number_of_shards: shards } },
      mappings: mapping,
      ...(body['aliases'] === undefined ? {} : { aliases: body['aliases'] }),
    },
    typeless(call),
  );
  await source.refresh();
  const copied = await reindex(
    {
      ...call,
      path: {},
      request: { ...call.request, query: new URLSearchParams({ refresh: 'true' }), indexByPathOnly: false },
      json: () => ({ source: { index: name }, dest: { index: target, version_type: 'external' } }),
    },
    new Pace(Infinity),
  ).catch(async (error: unknown) => {
    if (engine.has(target)) await engine.deleteIndex(target);
    throw error;
  });
  if (isObject(copied.json) && Array.isArray(copied.json['failures']) && copied.json['failures'].length > 0) {
    await engine.deleteIndex(target);
    return copied;
  }
  // Only now may nobody write to it, if the source's blocks are to hold for it.
  const blocks = { ...(isObject(before['blocks']) ? before['blocks'] : {}), ...(isObject(ownBlocks) ? ownBlocks : {}) };
  const left = Object.fromEntries(Object.entries(blocks).filter(([, value]) => value !== null));
  const settings: Json = {
    ...settingsOf(made.definition),
    resize: { source: { name, uuid: source.uuid } },
    routing: { allocation: { initial_recovery: { _id: kind === 'shrink' ? NODE : null } } },
    routing_partition_size: '1',
    ...(Object.keys(left).length === 0 ? {} : { blocks: left }),
  };
  await made.updateDefinition({
    settings: engineSettings(settings, mappingOf(made)),
    custom: changedCustom(made, { settings, ...(type === undefined ? {} : { typeName: type }) }),
  });
  return {
    json: { acknowledged: true, shards_acknowledged: isActive(replicasOf(made), call), index: target },
  };
}

function keepsSoftDeletes({ soft_deletes: softDeletes }: Json): boolean {
  return !isObject(softDeletes) || textOf(softDeletes['enabled'] ?? true) !== 'false';
}

/** Without what says how the body of a request has its mapping: the one of the source has no type around it. */
function typeless(call: Call): Call {
  const query = new URLSearchParams([...call.request.query].filter(([name]) => name !== 'include_type_name'));
  const path = Object.fromEntries(Object.entries(call.path).filter(([name]) => name !== 'type'));
  return { ...call, path, request: { ...call.request, query } };
}

/** The shards that the target is to have. @throws RequestError for a number that the source could not be divided into */
function shardsOf(kind: Resize, from: number, given: unknown): number {
  const wanted = given === undefined || given === null ? undefined : Number(given);
  switch (kind) {
    case 'clone':
      if (wanted !== undefined && wanted !== from)
        throw illegalArgument(
          `the number of target shards (${wanted}) must be the same as the number of  source shards ( ${from})`,
        );
      return from;
    case 'shrink': {
      const to = wanted ?? 1;
      if (to > from)
        throw illegalArgument(
          `the number of target shards [${to}] must be less that the number of source shards [${from}]`,
        );
      if (from % to !== 0) throw illegalArgument(`the number of source shards [${from}] must be a multiple of [${to}]`);
      return to;
    }
    case 'split':
      if (wanted === undefined) return from;
      if (wanted < from)
        throw illegalArgument(
          `the number of source shards [${from}] must be less that the number of target shards [${wanted}]`,
        );
      if (wanted % from !== 0)
        throw illegalArgument(`the number of source shards [${from}] must be a factor of [${wanted}]`);
      return wanted;
  }
}

/** Copies of an index as a whole. */
export const RESIZE_ENDPOINTS: readonly Endpoint[] = (['clone', 'shrink', 'split'] as const).map((kind) =>
  changes(
    'PUT POST',
    `/{index}/_${kind}/{target}`,
    { copy_settings: 'flag', wait_for_active_shards: 'text', ...TIMEOUTS },
    (call) => resize(kind, call),
  ),
);
