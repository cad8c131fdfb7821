// The order of a dictionary's terms when their bytes are read from the end: what finds the terms that share an ending. Large
// dictionaries get it when segments are merged, small ones on first use.
import { sharedUint32 } from './shared.ts';

const SLICE = 4096;

/** Terms laid end to end. */
interface Terms {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

/** The ordinals in that order. A hundred thousand terms take about 20 ms; yields every few of them. */
export function* orderBackwards(terms: Terms): Generator<void, Uint32Array> {
  const { bytes, ends } = terms;
  const size = ends.length;
  // As many of the last bytes as fit beside the ordinal into the 53 bits of a number: most of the order without a comparison.
  const ordinalBits = 32 - Math.clz32(Math.max(1, size - 1));
  const width = Math.floor((53 - ordinalBits) / 8);
  const scale = 2 ** ordinalBits;
  const keys = new Float64Array(size);
  for (let ordinal = 0, start = 0; ordinal < size; ordinal++) {
    const end = ends[ordinal]!;
    let key = 0;
    for (let i = 1; i <= width; i++) key = key * 256 + (end - i >= start ? bytes[end - i]! : 0);
    keys[ordinal] = key * scale + ordinal;
    start = end;
  }
  yield;
  keys.sort();
  yield;
  const order = sharedUint32(size);
  const compare = (a: number, b: number): number => compareBackwards(terms, a, b);
  let sorted = 0;
  for (let from = 0; from < size;) {
    const key = Math.floor(keys[from]! / scale);
    let to = from;
    for (; to < size && Math.floor(keys[to]! / scale) === key; to++) order[to] = keys[to]! - key * scale;
    if (to - from > 1) order.subarray(from, to).sort(compare);
    if (to - sorted > SLICE) {
      sorted = to;
      yield;
    }
    from = to;
  }
  return order;
}

function compareBackwards({ bytes, ends }: Terms, left: number, right: number): number {
  const leftStart = left === 0 ? 0 : ends[left - 1]!;
  const rightStart = right === 0 ? 0 : ends[right - 1]!;
  let i = ends[left]!;
  let j = ends[right]!;
  while (i > leftStart && j > rightStart) {
    const difference = bytes[--i]! - bytes[--j]!;
    if (difference !== 0) return difference;
  }
  return i - leftStart - (j - rightStart);
}
