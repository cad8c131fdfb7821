// Which of an index's shards Elasticsearch would keep a document in. There is one here, but a client that reads with another
// routing than it wrote with must miss the document where Elasticsearch would, or it finds out after moving there.
import { settingsOf } from '../client-settings.ts';
import type { Index } from '../engine/engine-api.ts';

/** Whether routings can lead to different shards. */
export function isSharded(index: Index): boolean {
  return Number(settingsOf(index.definition)['number_of_shards'] ?? 1) > 1;
}

/** Whether a document written with one routing (undefined: its id) is in the shard that another one leads to. */
export function isSameShard(index: Index, id: string, stored: string | undefined, asked: string | undefined): boolean {
  if ((stored ?? id) === (asked ?? id)) return true;
  const settings = settingsOf(index.definition);
  const shards = Number(settings['number_of_shards'] ?? 1);
  if (!(shards > 1)) return true;
  const slots = Number(settings['number_of_routing_shards'] ?? defaultSlots(shards));
  const shardOf = (routing: string): number => {
    const slot = ((murmur3(routing) % slots) + slots) % slots;
    return Math.floor(slot / (slots / shards));
  };
  return shardOf(stored ?? id) === shardOf(asked ?? id);
}

/** MetadataCreateIndexService.calculateNumRoutingShards: room to split up to 1,024 shards. */
function defaultSlots(shards: number): number {
  return shards * 2 ** Math.max(1, 10 - Math.ceil(Math.log2(shards)));
}

/** Murmur3HashFunction: 32 bits over the text's UTF-16 code units, low byte first. */
function murmur3(text: string): number {
  const bytes = Buffer.from(text, 'utf16le');
  let hash = 0;
  const mixed = (word: number): number => {
    const once = Math.imul(word, 0xcc9e2d51);
    return Math.imul((once << 15) | (once >>> 17), 0x1b873593);
  };
  const whole = bytes.length & ~3;
  for (let at = 0; at < whole; at += 4) {
    hash ^= mixed(bytes.readInt32LE(at));
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  // An odd number of code units leaves one.
  if (whole < bytes.length) hash ^= mixed(bytes.readUInt16LE(whole));
  hash ^= bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
