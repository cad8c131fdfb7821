// The order of keys of buckets and of values that hits are sorted by.

/** Compares keys: numbers by value, terms by code point as UTF-8 bytes do. */
export function compareKeys(a: string | number, b: string | number): number {
  // Not the difference: that of two infinities (distances of documents without points) is NaN, and ties would keep the order of the index.
  if (typeof a === 'number' && typeof b === 'number') return Number(a > b) - Number(a < b);
  const x = String(a);
  const y = String(b);
  if (x === y) return 0;
  const length = Math.min(x.length, y.length);
  for (let at = 0; at < length; at++) {
    const p = x.charCodeAt(at);
    const q = y.charCodeAt(at);
    if (p !== q) {
      // Surrogates stand above the rest of the plane in UTF-8, though their units are lower than U+E000.
      const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
      return isHigh(p) === isHigh(q) ? p - q : isHigh(p) ? 1 : -1;
    }
  }
  return x.length - y.length;
}
