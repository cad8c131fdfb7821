// Bit sets of documents, and the few operations on them.
import { sharedInt32 } from './shared.ts';

/** An empty set for documents 0 … `count` - 1, for one search: private memory costs a third of shared. */
export const emptyBits = (count: number): Int32Array => new Int32Array((count + 31) >>> 5);

/** An empty set that becomes part of a segment. */
export const sharedBits = (count: number): Int32Array => sharedInt32((count + 31) >>> 5);

/** The set of all documents 0 … `count` - 1. */
export function fullBits(count: number): Int32Array {
  const bits = emptyBits(count);
  bits.fill(-1);
  trimBits(bits, count);
  return bits;
}

/** Clears the bits from `count` on. */
function trimBits(bits: Int32Array, count: number): void {
  if ((count & 31) !== 0) bits[count >>> 5]! &= (1 << (count & 31)) - 1;
}

export const hasBit = (bits: Int32Array, doc: number): boolean => (bits[doc >>> 5]! & (1 << (doc & 31))) !== 0;

export function setBit(bits: Int32Array, doc: number): void {
  bits[doc >>> 5]! |= 1 << (doc & 31);
}

export function clearBit(bits: Int32Array, doc: number): void {
  bits[doc >>> 5]! &= ~(1 << (doc & 31));
}

/** How many members a word of a set holds. */
export function countOnes(word: number): number {
  let value = word - ((word >>> 1) & 0x55555555);
  value = (value & 0x33333333) + ((value >>> 2) & 0x33333333);
  return Math.imul((value + (value >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export function countBits(bits: Int32Array): number {
  let total = 0;
  for (let i = 0; i < bits.length; i++) {
    const value = bits[i]!;
    if (value !== 0) total += countOnes(value);
  }
  return total;
}

/** The first member ≥ `from`, or -1. */
export function nextBit(bits: Int32Array, from: number): number {
  let word = from >>> 5;
  if (word >= bits.length) return -1;
  let value = bits[word]! & (-1 << (from & 31));
  while (value === 0) {
    if (++word >= bits.length) return -1;
    value = bits[word]!;
  }
  return (word << 5) + 31 - Math.clz32(value & -value);
}

/** `into` becomes the intersection. */
export function intersectBits(into: Int32Array, other: Int32Array): void {
  for (let i = 0; i < into.length; i++) into[i]! &= other[i]!;
}

/** `into` loses the members of `other`. */
export function subtractBits(into: Int32Array, other: Int32Array): void {
  for (let i = 0; i < into.length; i++) into[i]! &= ~other[i]!;
}

/** The intersection of two sets; undefined means all documents. Never changes its arguments. */
export function bothBits(left: Int32Array, right: Int32Array | undefined): Int32Array;
export function bothBits(left: Int32Array | undefined, right: Int32Array | undefined): Int32Array | undefined;
export function bothBits(left: Int32Array | undefined, right: Int32Array | undefined): Int32Array | undefined {
  if (left === undefined) return right;
  if (right === undefined) return left;
  const both = left.slice();
  intersectBits(both, right);
  return both;
}
