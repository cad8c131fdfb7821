// Which of an index's shards Elasticsearch would keep a document in. There is one here, but a client that reads with another
// routing than it wrote with must miss the document where Elasticsearch would, or it finds out after moving there.
import { settingsOf } from '../../settings/client-settings.ts';
import type { Index } from '../../engine/engine-api.ts';
import { defaultSlots, type Division, shardOf } from '../../index/shard-hash.ts';

/** Whether routings can lead to different shards. */
export function isSharded(index: Index): boolean {
  return Number(settingsOf(index.definition)['number_of_shards'] ?? 1) > 1;
}

/** Whether a document written with one routing (undefined: its id) is in the shard that another one leads to. */
export function isSameShard(index: Index, id: string, stored: string | undefined, asked: string | undefined): boolean {
  if ((stored ?? id) === (asked ?? id)) return true;
  const division = divisionOf(index);
  return division.shards <= 1 || shardOf(stored ?? id, division) === shardOf(asked ?? id, division);
}

/** How Elasticsearch would divide an index, by its settings. */
export function divisionOf(index: Index): Division {
  const settings = settingsOf(index.definition);
  const shards = Number(settings['number_of_shards'] ?? 1);
  return { shards, slots: Number(settings['number_of_routing_shards'] ?? defaultSlots(shards)) };
}
