// The order of a field's terms by their bytes, for the flush.

/** Terms laid end to end: term t is `pool[ends[t - 1] … ends[t])`. */
export interface TermBytes {
  readonly pool: Uint8Array;
  readonly ends: Int32Array;
}

/** Terms sorted at a stretch: 65,536 floats take 5 ms. */
const RUN = 1 << 16;

/** Answers the term numbers in byte order. Yields now and then, so that a caller can let other work run. */
export function* sortTerms({ pool, ends }: TermBytes, count: number): Generator<void, Int32Array> {
  // Six bytes as one float decide most comparisons without touching the pool.
  const keys = new Float64Array(count);
  let start = 0;
  for (let term = 0; term < count; term++) {
    const length = ends[term]! - start;
    let key = 0;
    for (let i = 0; i < 6; i++) key = key * 256 + (i < length ? pool[start + i]! : 0);
    keys[term] = key;
    start = ends[term]!;
  }
  const compare = (left: number, right: number): number => {
    let i = left === 0 ? 0 : ends[left - 1]!;
    let j = right === 0 ? 0 : ends[right - 1]!;
    const iEnd = ends[left]!;
    const jEnd = ends[right]!;
    while (i < iEnd && j < jEnd) {
      const difference = pool[i++]! - pool[j++]!;
      if (difference !== 0) return difference;
    }
    return iEnd - i - (jEnd - j);
  };
  const order = (a: number, b: number): number => keys[a]! - keys[b]! || compare(a, b);
  let from = new Int32Array(count);
  for (let first = 0; first < count; first += RUN) {
    sortRun(from.subarray(first, Math.min(count, first + RUN)), first, keys, order);
    yield;
  }
  let to = new Int32Array(count);
  for (let width = RUN; width < count; width *= 2) {
    for (let first = 0; first < count; first += width * 2) {
      const middle = Math.min(count, first + width);
      const end = Math.min(count, first + width * 2);
      let i = first;
      let j = middle;
      for (let out = first; out < end; out++) {
        if (i < middle && (j >= end || order(from[i]!, from[j]!) <= 0)) to[out] = from[i++]!;
        else to[out] = from[j++]!;
        if ((out & 0xffff) === 0xffff) yield;
      }
    }
    [from, to] = [to, from];
    yield;
  }
  return from;
}

/** Fills `out` with the numbers from `first` on, in order: by four bytes and the number in one float, which needs no comparison of ours. */
function sortRun(out: Int32Array, first: number, keys: Float64Array, order: (a: number, b: number) => number): void {
  const packed = new Float64Array(out.length);
  for (let i = 0; i < packed.length; i++) {
    const key = keys[first + i]!;
    packed[i] = key - (key % RUN) + i;
  }
  packed.sort();
  for (let i = 0; i < packed.length; i++) out[i] = first + (packed[i]! % RUN);
  for (let start = 0; start < packed.length;) {
    const prefix = packed[start]! - (packed[start]! % RUN);
    let end = start + 1;
    while (end < packed.length && packed[end]! < prefix + RUN) end++;
    if (end - start > 16) out.subarray(start, end).sort(order);
    else {
      for (let i = start + 1; i < end; i++) {
        const moved = out[i]!;
        let at = i;
        for (; at > start && order(out[at - 1]!, moved) > 0; at--) out[at] = out[at - 1]!;
        out[at] = moved;
      }
    }
    start = end;
  }
}
