// The order of a field's terms by their bytes, for the flush.

/** Terms laid end to end: term t is `pool[ends[t - 1] … ends[t])`. */
export interface TermBytes {
  readonly pool: Uint8Array;
  readonly ends: Int32Array;
}

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
  let from = Int32Array.from({ length: count }, (_, i) => i);
  const run = 2048;
  for (let first = 0; first < count; first += run) {
    from.subarray(first, Math.min(count, first + run)).sort(order);
    yield;
  }
  let to = new Int32Array(count);
  for (let width = run; width < count; width *= 2) {
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
