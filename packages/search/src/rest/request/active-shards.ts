// `wait_for_active_shards`: whether as many copies of a shard are there as a request wants. There is one, and waiting brings no second.
import { settingsOf } from '../../settings/client-settings.ts';
import type { Index } from '../../engine/engine-api.ts';
import { isObject, type Json, notANumber, textOf } from '../../json/json.ts';
import { illegalArgument, RequestError } from '../../errors/request-error.ts';
import { type Call, param } from './request.ts';

function wantedCopies(value: string, replicas: number): number {
  if (value === 'all') return replicas + 1;
  if (!/^[+-]?\d+$/.test(value))
    throw illegalArgument(`cannot parse ActiveShardCount[${value}]`, { causedBy: notANumber(value) });
  const count = Number(value);
  if (count < 0) throw illegalArgument('shard count cannot be a negative value');
  return count;
}

/** @throws RequestError for what is no number of copies */
export function checkCount(call: Call): void {
  const value = param(call, 'wait_for_active_shards');
  if (value !== undefined) wantedCopies(value, 0);
}

/** @throws RequestError for more copies than an index that is made may have */
export function checkCopies(replicas: number, call: Call): void {
  const value = param(call, 'wait_for_active_shards');
  if (value !== undefined && wantedCopies(value, replicas) > replicas + 1)
    throw illegalArgument(
      `invalid wait_for_active_shards[${value}]: cannot be greater than number of shard copies [${replicas + 1}]`,
    );
}

/** Whether an index that was just made has the copies that are wanted. @throws RequestError for what is no number of copies */
export function isActive(replicas: number, call: Call): boolean {
  const value = param(call, 'wait_for_active_shards');
  return value === undefined || wantedCopies(value, replicas) <= 1;
}

/** Copies besides the first one that the settings of an index wish for. A range of them ends with the number of nodes. */
export function replicasOf(index: Index): number {
  // An index that the host made was asked for by no request: nobody misses a second copy of it.
  return isObject(index.definition.custom) && isObject(index.definition.custom['settings'])
    ? replicasIn(settingsOf(index.definition))
    : 0;
}

/** Shards without their copies, as the settings of an index wish for. */
export function primariesOf(index: Index): number {
  return Number(settingsOf(index.definition)['number_of_shards'] ?? 1);
}

/** The health of several. */
export function worstOf(colours: readonly ('green' | 'yellow' | 'red')[]): 'green' | 'yellow' | 'red' {
  return colours.includes('red') ? 'red' : colours.includes('yellow') ? 'yellow' : 'green';
}

/** Whether an index has all copies that its settings wish for, or only the first one. */
export function colourOf(index: Index): 'green' | 'yellow' | 'red' {
  if (index.damage !== undefined) return 'red';
  return replicasOf(index) > 0 ? 'yellow' : 'green';
}

export function replicasIn(settings: Json): number {
  const range = /^(\d+)-(?:\d+|all)$/.exec(textOf(settings['auto_expand_replicas']));
  return Number(range?.[1] ?? settings['number_of_replicas'] ?? 1);
}

/** @throws RequestError 503 when a write wants more copies than there are */
export function checkActive(index: Index, call: Call): void {
  const value = param(call, 'wait_for_active_shards');
  if (value === undefined || isActive(replicasOf(index), call)) return;
  throw new RequestError(
    'SEARCH_NOT_ENOUGH_SHARDS',
    'unavailable_shards_exception',
    `[${index.name}][0] Not enough active copies to meet shard count of [${value}] (have 1, needed ${value === 'all' ? replicasOf(index) + 1 : value}).`,
    { fields: { index_uuid: index.uuid, shard: '0', index: index.name } },
  );
}
