// `_clone`, `_shrink` and `_split`: an index with the settings, the mapping and the documents of another one, and perhaps another number of
// shards. The source must not be written meanwhile; what is copied is what its caller sees of it.
import { asObject, checkKeys, isObject, type Json } from '../../json/json.ts';
import { mappingOf } from '../../fetch/target.ts';
import { settingsOf } from '../../settings/client-settings.ts';
import { illegalArgument, RequestError } from '../../errors/request-error.ts';
import { changes, type Endpoint } from '../request/endpoint.ts';
import { TIMEOUTS } from '../request/route-params.ts';
import { Pace } from '../documents/pace.ts';
import { reindex } from '../documents/reindex.ts';
import { isActive, replicasOf } from '../request/active-shards.ts';
import { checkAdmin } from '../request/check-admin.ts';
import { noSuchIndex } from '../request/index-names.ts';
import { changedCustom, checkIsOpen, typeNameOf } from '../request/index-state.ts';
import { type Answer, bodyIndex, type Call, flagParam, jsonBody } from '../request/request.ts';
import { createIndex } from './create-index.ts';
import { engineSettings, isWriteBlocked, readIndexSettings } from './index-settings.ts';

export type Resize = 'clone' | 'shrink' | 'split';

/** Settings that are of the source alone. */
const OWN = [
  'number_of_shards',
  'number_of_routing_shards',
  'blocks',
  'provided_name',
  'uuid',
  'creation_date',
  'version',
];

/** `PUT|POST /{index}/_clone/{target}`, `_shrink`, `_split`. */
async function resize(kind: Resize, call: Call): Promise<Answer> {
  const { engine } = call;
  const name = call.path['index']!;
  const target = bodyIndex(call, call.path['target']!);
  if (!engine.has(name)) throw noSuchIndex(name);
  const source = engine.index(name);
  checkIsOpen(source);
  checkAdmin(source, call);
  if (!flagParam(call, 'copy_settings', true))
    throw illegalArgument('parameter [copy_settings] can not be explicitly set to [false]');
  const body = asObject(jsonBody(call) ?? {}, `${kind}_index`);
  if (body['mappings'] !== undefined)
    throw illegalArgument(`[${kind}] takes no [mappings]: the target index has those of its source`);
  checkKeys(body, `${kind}_index`, ['settings', 'aliases']);
  const before = settingsOf(source.definition);
  if (!isWriteBlocked(before))
    throw new RequestError(
      'SEARCH_ILLEGAL_ARGUMENT',
      'illegal_state_exception',
      `index ${name} must be read-only to resize index. use "index.blocks.write=true"`,
    );
  const given = readIndexSettings(body['settings']);
  const shards = shardsOf(kind, Number(before['number_of_shards'] ?? 1), given['number_of_shards']);
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
      json: { value: { source: { index: name }, dest: { index: target, version_type: 'external' } } },
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
    ...(Object.keys(left).length === 0 ? {} : { blocks: left }),
  };
  await made.updateDefinition({
    settings: engineSettings(settings),
    custom: changedCustom(made, { settings, ...(type === undefined ? {} : { typeName: type }) }),
  });
  return {
    json: { acknowledged: true, shards_acknowledged: isActive(replicasOf(made), call), index: target },
  };
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
          `the number of source shards [${from}] must be the same as the number of target shards [${wanted}]`,
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
      if (wanted === undefined) throw illegalArgument('index.number_of_shards is required for split operations');
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
