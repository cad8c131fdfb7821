// `_rollover`: a new index behind an alias that is written to, once the old one is large or old enough. And `_block`: what may no longer be
// done with an index.
import { changes, type Endpoint } from '../request/endpoint.ts';
import { EXPAND, TIMEOUTS } from '../request/route-params.ts';
import type { Engine, Index } from '../../engine/engine-api.ts';
import { duration } from '../../dsl/function-score.ts';
import { asChoice, asInteger, asObject, asString, checkKeys, type Json } from '../../json/json.ts';
import { settingsOf } from '../../settings/client-settings.ts';
import { illegalArgument, RequestError } from '../../errors/request-error.ts';
import { isActive, replicasOf } from '../request/active-shards.ts';
import { checkAdmin } from '../request/check-admin.ts';
import { aliasesOf, indicesOf, writeIndex } from '../request/index-names.ts';
import { changedCustom } from '../request/index-state.ts';
import { type Answer, bodyIndex, type Call, flagParam, jsonBody } from '../request/request.ts';
import { createIndex } from './create-index.ts';
import { changedSettings, engineSettings, readIndexSettings } from './index-settings.ts';

/** `POST /{index}/_rollover[/{new_index}]`. */
async function rollover(call: Call): Promise<Answer> {
  const { engine } = call;
  const alias = call.path['index']!;
  const body = asObject(jsonBody(call) ?? {}, 'rollover');
  checkKeys(body, 'rollover', ['conditions', 'settings', 'mappings', 'aliases']);
  if (engine.has(alias))
    throw illegalArgument(`rollover target is a [concrete index] but one of [alias,data_stream] was expected`);
  const behind = engine.indices().filter((index) => Object.hasOwn(aliasesOf(index), alias));
  if (behind.length === 0) throw illegalArgument(`rollover target [${alias}] does not exist`);
  const old = writerOf(engine, alias);
  // Where the path decides who may do what, it does not name what would be made.
  const name = bodyIndex(call, call.path['new_index'] ?? nextName(old.name));
  const conditions = readConditions(asObject(body['conditions'] ?? {}, 'conditions'), old, call.now);
  const isDry = flagParam(call, 'dry_run');
  const isMet = conditions.length === 0 || conditions.some(([, met]) => met);
  const answer = {
    old_index: old.name,
    new_index: name,
    rolled_over: !isDry && isMet,
    dry_run: isDry,
    conditions: Object.fromEntries(conditions),
  };
  checkAdmin(old, call);
  if (engine.has(name)) throw existing(engine.index(name));
  if (isDry || !isMet) return { json: { acknowledged: false, shards_acknowledged: false, ...answer } };
  const { conditions: _, ...definition } = body;
  if (asObject(definition['aliases'] ?? {}, 'aliases')[alias] !== undefined)
    throw illegalArgument(
      `Rollover alias [${alias}] can point to multiple indices, found duplicated alias [[${alias}]] in index template [rollover request]`,
    );
  const made = await createIndex(engine, name, definition, call);
  await moveAlias(alias, old, made);
  return { json: { acknowledged: true, shards_acknowledged: isActive(replicasOf(made), call), ...answer } };
}

function writerOf(engine: Engine, alias: string): Index {
  try {
    const found = writeIndex(engine, alias);
    if (found !== undefined) return found;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
  }
  throw illegalArgument(`rollover target [${alias}] does not point to a write index`);
}

function existing({ name, uuid }: Index): Error {
  return new RequestError(
    'SEARCH_ILLEGAL_ARGUMENT',
    'resource_already_exists_exception',
    `index [${name}/${uuid}] already exists`,
    {
      fields: { index_uuid: uuid, index: name },
    },
  );
}

/** `logs-1` is followed by `logs-000002`. */
function nextName(name: string): string {
  const match = /^(.*-)(\d+)$/.exec(name);
  if (match === null) throw illegalArgument(`index name [${name}] does not match pattern '^.*-\\d+$'`);
  return `${match[1]}${String(Number(match[2]) + 1).padStart(6, '0')}`;
}

const UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1024,
  k: 1024,
  mb: 1024 ** 2,
  m: 1024 ** 2,
  gb: 1024 ** 3,
  g: 1024 ** 3,
  tb: 1024 ** 4,
  t: 1024 ** 4,
  pb: 1024 ** 5,
  p: 1024 ** 5,
};

function bytesOf(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/i.exec(text.trim());
  const name = match?.[2]!.toLowerCase() ?? '';
  const unit = Object.hasOwn(UNITS, name) ? UNITS[name] : undefined;
  if (unit === undefined)
    throw illegalArgument(
      `failed to parse setting [max_size] with value [${text}] as a size in bytes: unit is missing or unrecognized`,
    );
  return Number(match![1]) * unit;
}

/** The conditions as they are shown, each with whether it is met. */
function readConditions(body: Json, index: Index, now: number): readonly (readonly [string, boolean])[] {
  checkKeys(body, 'conditions', ['max_age', 'max_docs', 'max_size']);
  return Object.entries(body).map(([key, value]) => {
    if (key === 'max_docs') {
      const most = asInteger(value, key);
      return [`[max_docs: ${most}]`, index.stats().docs >= most] as const;
    }
    const text = asString(value, key);
    return key === 'max_age'
      ? ([`[max_age: ${text}]`, now - index.createdAt >= duration(text)] as const)
      : ([`[max_size: ${text}]`, index.stats().bytes >= bytesOf(text)] as const);
  });
}

/** An alias that says where it is written stays on the old index; another one leaves it. */
async function moveAlias(alias: string, old: Index, made: Index): Promise<void> {
  const { [alias]: own = {}, ...rest } = aliasesOf(old);
  const stays = own['is_write_index'] === true;
  // In one step: who writes to the alias meanwhile finds one index to write to.
  await Promise.all([
    made.updateDefinition({ aliases: { ...aliasesOf(made), [alias]: own } }),
    old.updateDefinition({ aliases: stays ? { ...rest, [alias]: { ...own, is_write_index: false } } : rest }),
  ]);
}

const BLOCKS = ['metadata', 'read', 'read_only', 'write'] as const;

/** `PUT /{index}/_block/{block}`. */
async function addBlock(call: Call): Promise<Answer> {
  const block = asChoice(call.path['block'], 'block', BLOCKS);
  const found = indicesOf(call);
  const change = readIndexSettings({ [`index.blocks.${block}`]: true });
  for (const { index } of found) checkAdmin(index, call);
  for (const { index } of found) {
    const settings = changedSettings(settingsOf(index.definition), change);
    await index.updateDefinition({ settings: engineSettings(settings), custom: changedCustom(index, { settings }) });
  }
  return {
    json: {
      acknowledged: true,
      shards_acknowledged: found.length > 0,
      indices: found.map(({ index }) => ({ name: index.name, blocked: true })),
    },
  };
}

/** Rollovers and blocks. */
export const ROLLOVER_ENDPOINTS: readonly Endpoint[] = [
  changes(
    'POST',
    ['/{index}/_rollover', '/{index}/_rollover/{new_index}'],
    { dry_run: 'flag', include_type_name: 'flag', wait_for_active_shards: 'text', ...TIMEOUTS },
    rollover,
  ),
  changes('PUT', '/{index}/_block/{block}', { ...EXPAND, ...TIMEOUTS }, addBlock),
];
