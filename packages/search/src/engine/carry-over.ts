// Carries deletions over from the inputs of a merge or flush to the new segment.
import { clearBit, fullBits, hasBit } from '../index/bits.ts';
import type { LiveSegment } from './segment-set.ts';

/** The live documents of so many, without those; undefined: all. @param map the new number of each document, where they were sorted */
export function without(deleted: ReadonlySet<number>, docCount: number, map?: Int32Array): Int32Array | undefined {
  if (deleted.size === 0) return undefined;
  const live = fullBits(docCount);
  for (const doc of deleted) clearBit(live, map === undefined ? doc : map[doc]!);
  return live;
}

/** The live documents of a merged segment: those the merge kept, less those deleted in the inputs since. */
export function carryOver(
  run: readonly LiveSegment[],
  maps: readonly Int32Array[],
  docCount: number,
  which: 'published' | 'staged' | 'working',
): Int32Array | undefined {
  let live: Int32Array | undefined;
  run.forEach((segment, i) => {
    const bits = segment[which];
    if (bits === undefined) return;
    const map = maps[i]!;
    for (let doc = 0; doc < map.length; doc++) {
      const target = map[doc]!;
      if (target < 0 || hasBit(bits, doc)) continue;
      live ??= fullBits(docCount);
      clearBit(live, target);
    }
  });
  return live;
}
