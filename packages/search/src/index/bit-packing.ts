// Packing of small numbers into 32-bit words, any width: the writer, and the plain decoder for short or very wide blocks.
// Full blocks of usual widths are decoded by the generated loops of unpack.ts.
import { deltaDecoders, frequencyDecoders } from './unpack.ts';

/** Numbers in a block of postings. */
export const BLOCK = 128;

/** Bits needed for values up to `max`. */
export const bitsFor = (max: number): number => 32 - Math.clz32(max);

/** Words that `count` values of `width` bits take. */
export const wordsFor = (count: number, width: number): number => (count * width + 31) >>> 5;

/** Packs the first `count` of `values` into `words` from `at` on; returns the index after them. */
export function packBits(values: Int32Array, count: number, width: number, words: Int32Array, at: number): number {
  if (width === 0) return at;
  // A word is assembled in a register and stored once, which takes half as long as changing it in place.
  let word = 0;
  let filled = 0;
  for (let i = 0; i < count; i++) {
    const value = values[i]!;
    word |= value << filled;
    filled += width;
    if (filled >= 32) {
      words[at++] = word;
      filled -= 32;
      word = filled === 0 ? 0 : value >>> (width - filled);
    }
  }
  if (filled > 0) words[at++] = word;
  return at;
}

/** Decodes document numbers from packed gaps minus one; the first is counted from `base` (-1 at the start of a list). */
export function unpackDocs(
  words: Int32Array,
  at: number,
  width: number,
  count: number,
  base: number,
  out: Int32Array,
): void {
  if (width === 0) {
    for (let i = 0; i < count; i++) out[i] = base + 1 + i;
    return;
  }
  const decode = count === BLOCK ? deltaDecoders[width] : undefined;
  if (decode !== undefined) {
    decode(words, at, base, out);
    return;
  }
  const mask = width === 32 ? -1 : (1 << width) - 1;
  let doc = base;
  for (let i = 0, bit = 0; i < count; i++, bit += width) {
    const word = at + (bit >>> 5);
    const shift = bit & 31;
    let value = words[word]! >>> shift;
    if (shift + width > 32) value |= words[word + 1]! << (32 - shift);
    doc = (doc + (value & mask) + 1) | 0;
    out[i] = doc;
  }
}

/** Decodes frequencies from packed frequencies minus one. */
export function unpackFrequencies(words: Int32Array, at: number, width: number, count: number, out: Int32Array): void {
  if (width === 0) {
    out.fill(1, 0, count);
    return;
  }
  const decode = count === BLOCK ? frequencyDecoders[width] : undefined;
  if (decode !== undefined) {
    decode(words, at, out);
    return;
  }
  const mask = width === 32 ? -1 : (1 << width) - 1;
  for (let i = 0, bit = 0; i < count; i++, bit += width) {
    const word = at + (bit >>> 5);
    const shift = bit & 31;
    let value = words[word]! >>> shift;
    if (shift + width > 32) value |= words[word + 1]! << (32 - shift);
    out[i] = (value & mask) + 1;
  }
}
