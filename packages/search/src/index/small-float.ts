// Encodes the length of a field in one byte, as Lucene 8 does (SmallFloat.intToByte4): exact below 40, then a float with four
// significant bits. Scores depend on it to the bit.

/** Values below this are stored as they are: 255 minus the code of the largest int. */
const FREE = 24;

/** The byte for a length ≥ 0. */
export function encodeLength(length: number): number {
  if (length < FREE) return length;
  const value = length - FREE;
  const bits = 32 - Math.clz32(value);
  if (bits < 4) return FREE + value;
  const shift = bits - 4;
  return FREE + (((value >>> shift) & 7) | ((shift + 1) << 3));
}

/** The length a byte stands for, by the byte. */
export const decodedLength: Float64Array = Float64Array.from({ length: 256 }, (_, byte) => {
  if (byte < FREE) return byte;
  const code = byte - FREE;
  const bits = code & 7;
  const shift = (code >>> 3) - 1;
  return FREE + (shift === -1 ? bits : (bits | 8) * 2 ** shift);
});
