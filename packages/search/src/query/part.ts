// Documents of part of an index: the shards of a routing, or one slice of a scroll (SliceBuilder.toFilter).
import { emptyBits, hasBit, setBit } from '../index/bits.ts';
import type { NumberColumn, SegmentReader } from '../index/segment.ts';
import { isInNumberSlice, isInSlice, shardOf } from '../index/shard-hash.ts';
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
    const isInValues = valuesIn(query, segment);
    for (let doc = 0; doc < segment.docCount; doc++) {
      if (segment.nestedPath(doc) !== undefined) continue;
      tick(HASH_STEPS);
      if (isIn(segment.id(doc), segment.routing(doc)) && isInValues(doc)) setBit(bits, doc);
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
    return own === 1 || slice.by !== undefined || isInSlice(id, { id: Math.floor(slice.id / shards), max: own });
  };
}

/** Whether the numbers of a document are in a slice of its shard by a field. */
function valuesIn({ shards, slice }: PartQuery, segment: SegmentReader): (doc: number) => boolean {
  if (slice?.by === undefined || slice.max < shards) return () => true;
  const { field, isWhole } = slice.by;
  const target = slice.id % shards;
  const own = Math.floor(slice.max / shards) + (slice.max % shards > target ? 1 : 0);
  if (own === 1) return () => true;
  const part = { id: Math.floor(slice.id / shards), max: own };
  const column = segment.number(field);
  return (doc) => numbersOf(column, doc).some((value) => isInNumberSlice(value, isWhole, part));
}

/** The numbers of a document; undefined stands for none. A document with several can be in several slices. */
function numbersOf(column: NumberColumn | undefined, doc: number): readonly (number | undefined)[] {
  if (column === undefined) return [undefined];
  const { exists, starts, values } = column;
  if (starts === undefined) return [exists === undefined || hasBit(exists, doc) ? values[doc] : undefined];
  const from = starts[doc]!;
  const to = starts[doc + 1]!;
  return from === to ? [undefined] : Array.from(values.slice(from, to));
}
