// Numbers as whole numbers of 32 bits in the same order, coarser: tables of bounds then take half the room.

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);

/** Greater than the key of any number. */
export const HIGHEST_KEY = 0x7fffffff;

/** The key of the highest float32 that is at most a number (not NaN): `floatKey(a) < floatKey(b)` only where `a < b`. */
export function floatKey(value: number): number {
  float[0] = value === 0 ? 0 : value;
  // The bits of floats below 0 are in the reverse order.
  const key = bits[0]! ^ ((bits[0]! >> 31) & 0x7fffffff);
  return float[0] > value ? key - 1 : key;
}
