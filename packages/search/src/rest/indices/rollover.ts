// `_rollover`: a new index behind an alias that is written to, once the old one is large or old enough. And `_block`: what may no longer be
// done with an index.
import { reasonOf } from '@lockstitch/kernel';
import { warnsOfTypeNames } from '../request/warnings.ts';
import { checkFields } from '../request/unknown-field.ts';
import { objectBody } from '../request/object-body.ts';
import { changes, type Endpoint } from '../request/endpoint.ts';
import { EXPAND, TIMEOUTS } from '../request/route-params.ts';
import type { Engine, Index } from '../../engine/engine-api.ts';
import { readTime } from '../../json/time-value.ts';
import { placeOf } from '../../json/json-place.ts';
import { mappingOf } from '../../fetch/target.ts';
import { asInteger, asString, isObject, nearest, tokenOf } from '../../json/json.ts';
import { settingsOf } from '../../settings/client-settings.ts';
import {
  type Cause,
  type ErrorDetails,
  illegalArgument,
  RequestError,
  validationError,
} from '../../errors/request-error.ts';
import { isActive, replicasOf } from '../request/active-shards.ts';
import { checkAdmin } from '../request/check-admin.ts';
import { ADDED_BLOCKS, blockNamed, blocksOf, checkBlocks, checkChangeable } from '../request/index-blocks.ts';
import { indicesOf, writeIndex } from '../request/index-names.ts';
import { aliasesOf } from '../request/resolve-indices.ts';
import { changedCustom } from '../request/index-state.ts';
import { type Answer, bodyIndex, type Call, flagParam } from '../request/request.ts';
import { checkNewName, createIndex } from './create-index.ts';
import { changedSettings, engineSettings, readIndexSettings } from './index-settings.ts';

/** `POST /{index}/_rollover[/{new_index}]`. */
async function rollover(call: Call): Promise<Answer> {
  const { engine } = call;
  const alias = call.path['index']!;
  const body = objectBody(call, 'rollover') ?? {};
  checkFields(body, 'rollover', ['conditions', 'settings', 'mappings', 'aliases'], call.request.body);
  const wanted = readConditions(body['conditions'] ?? {}, call);
  if (engine.has(alias))
    throw illegalArgument(`rollover target is a [concrete index] but one of [alias,data_stream] was expected`);
  const behind = engine.indices().filter((index) => Object.hasOwn(aliasesOf(index), alias));
  if (behind.length === 0) throw illegalArgument(`rollover target [${alias}] does not exist`);
  const old = writerOf(engine, alias);
  // Where the path decides who may do what, it does not name what would be made.
  const name = bodyIndex(call, call.path['new_index'] ?? nextName(old.name));
  const conditions = wanted.map(({ shown, isMet }) => [shown, isMet(old)] as const);
  const isDry = flagParam(call, 'dry_run');
  const isMet = conditions.length === 0 || conditions.some(([, met]) => met);
  const answer = {
    old_index: old.name,
    new_index: name,
    rolled_over: !isDry && isMet,
    dry_run: isDry,
    conditions: Object.fromEntries(conditions),
  };
  checkChangeable(
    behind.map((index) => ({ index })),
    call,
  );
  checkNewName(engine, name);
  if (isDry || !isMet) return { json: { acknowledged: false, shards_acknowledged: false, ...answer } };
  const { conditions: _, ...definition } = body;
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

/** A condition as it is shown. */
interface Condition {
  readonly shown: string;
  readonly isMet: (index: Index) => boolean;
}

const CONDITIONS = ['max_age', 'max_docs', 'max_size'];

/** @throws RequestError for an unknown condition or an invalid value */
function readConditions(value: unknown, call: Call): readonly Condition[] {
  const { body: source } = call.request;
  const place = (path: readonly string[], isValue: boolean): string =>
    placeOf(source, ['conditions', ...path], isValue);
  const parsing = (reason: string, details: ErrorDetails = {}): Error =>
    new RequestError('SEARCH_PARSING', 'x_content_parse_exception', reason, details);
  if (!isObject(value))
    throw parsing(`${place([], true)} [rollover] conditions doesn't support values of type: ${tokenOf(value)}`);
  const refused = (key: string, reason: string, isValue: boolean, causedBy?: Cause): Error =>
    parsing(`${place([key], true)} [rollover] failed to parse field [conditions]`, {
      causedBy: {
        type: 'x_content_parse_exception',
        reason: `${place([key], isValue)} [conditions] ${reason}`,
        ...(causedBy === undefined ? {} : { caused_by: causedBy }),
      },
    });
  return Object.entries(value).map(([key, given]): Condition => {
    if (!CONDITIONS.includes(key)) throw refused(key, `unknown field [${key}]${nearest(key, CONDITIONS)}`, false);
    const isOther = key === 'max_docs' ? typeof given === 'object' : typeof given !== 'string';
    if (isOther && given !== null) throw refused(key, `${key} doesn't support values of type: ${tokenOf(given)}`, true);
    try {
      return readCondition(key, given, call.now);
    } catch (error) {
      throw refused(key, `failed to parse field [${key}]`, true, {
        type: 'illegal_argument_exception',
        reason: reasonOf(error),
      });
    }
  });
}

function readCondition(key: string, given: unknown, now: number): Condition {
  if (key === 'max_docs') {
    const most = asInteger(given, key);
    return { shown: `[max_docs: ${most}]`, isMet: (index) => index.stats().docs >= most };
  }
  const text = asString(given, key);
  if (key === 'max_size') {
    const most = bytesOf(text);
    return { shown: `[max_size: ${text}]`, isMet: (index) => index.stats().bytes >= most };
  }
  const age = readTime(text, 'max_age');
  return { shown: `[max_age: ${text}]`, isMet: (index) => now - index.createdAt >= age };
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

/** `PUT /{index}/_block/{block}`. */
async function addBlock(call: Call): Promise<Answer> {
  const { block } = call.path;
  if (block === 'read_only_allow_delete')
    throw validationError('read_only_allow_delete block is for internal use only');
  if (!ADDED_BLOCKS.includes(block!)) throw illegalArgument(`No block found with name ${block}`);
  const named = indicesOf(call);
  const change = readIndexSettings({ [`index.blocks.${block}`]: true });
  for (const { index } of named) checkAdmin(index, call);
  // A block of changes is added beside another one.
  if (blockNamed(block!)?.levels.includes('metadata_write') !== true) checkBlocks(named, 'metadata_write');
  // Those that have the block stay as they are, and are not shown.
  const found = named.filter(({ index }) => blocksOf(index, block).length === 0);
  for (const { index } of found) {
    const settings = changedSettings(settingsOf(index.definition), change);
    await index.updateDefinition({
      settings: engineSettings(settings, mappingOf(index)),
      custom: changedCustom(index, { settings }),
    });
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
    '/{index}/_rollover /{index}/_rollover/{new_index}',
    { dry_run: 'flag', include_type_name: 'flag', wait_for_active_shards: 'text', ...TIMEOUTS },
    rollover,
    warnsOfTypeNames('rollover index'),
  ),
  changes('PUT', '/{index}/_block/{block}', { ...EXPAND, ...TIMEOUTS }, addBlock),
];
