// `wait_for_active_shards`: whether as many copies of a shard are there as a request wants. There is one, and waiting brings no second.
import { settingsOf } from '../../client-settings.ts';
import type { Index } from '../../engine/engine-api.ts';
import { illegalArgument, RequestError } from '../../request-error.ts';
import { type Call, param } from './request.ts';

function wantedCopies(value: string, replicas: number): number {
  if (value === 'all') return replicas + 1;
  const count = Number(value);
  if (!Number.isSafeInteger(count) || count < 0) throw illegalArgument(`cannot parse ActiveShardCount[${value}]`);
  if (count > replicas + 1)
    throw illegalArgument(
      `invalid wait_for_active_shards[${value}]: should not be greater than number of possible shard copies [${replicas + 1}]`,
    );
  return count;
}

/** Whether an index that was just made has the copies that are wanted. @throws RequestError for what is no number of copies */
export function isActive(replicas: number, call: Call): boolean {
  const value = param(call, 'wait_for_active_shards');
  return value === undefined || wantedCopies(value, replicas) <= 1;
}

/** Copies besides the first one that the settings of an index wish for. */
export function replicasOf(index: Index): number {
  return Number(settingsOf(index.definition)['number_of_replicas'] ?? 1);
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
