// Documents of part of an index: the shards of a routing, or one slice of a scroll (SliceBuilder.toFilter).
import { emptyBits, setBit } from '../index/bits.ts';
import { isInSlice, shardOf } from '../index/shard-hash.ts';
import { tick } from '../tasks/request-budget.ts';
import { SetWeight } from './constant.ts';
import type { PartQuery } from './kinds/part.ts';
import type { Weight } from './scorer.ts';

/** Cost of hashing an id, in ticks. */
const HASH_STEPS = 512;

/** The weight of a part, without nested documents. */
export function partWeight(query: PartQuery, boost: number): Weight {
  const isIn = membership(query);
  return new SetWeight('ConstantScore(part)', boost, (segment) => {
    const bits = emptyBits(segment.docCount);
    for (let doc = 0; doc < segment.docCount; doc++) {
      if (segment.nestedPath(doc) !== undefined) continue;
      tick(HASH_STEPS);
      if (isIn(segment.id(doc), segment.routing(doc))) setBit(bits, doc);
    }
    return bits;
  });
}

function membership({ shards, slots, wanted, slice }: PartQuery): (id: string, routing: string | undefined) => boolean {
  const numbers = wanted === undefined ? undefined : new Set(wanted);
  return (id, routing) => {
    const shard = shards === 1 ? 0 : shardOf(routing ?? id, { shards, slots });
    if (numbers !== undefined && !numbers.has(shard)) return false;
    if (slice === undefined) return true;
    // With fewer slices than shards, a slice is a set of whole shards.
    if (slice.max < shards) return shard % slice.max === slice.id;
    // Otherwise slices are dealt out to the shards, and each shard is divided among its slices.
    const target = slice.id % shards;
    if (target !== shard) return false;
    const own = Math.floor(slice.max / shards) + (slice.max % shards > target ? 1 : 0);
    return own === 1 || isInSlice(id, { id: Math.floor(slice.id / shards), max: own });
  };
}
