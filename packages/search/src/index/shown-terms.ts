// Which terms of a dictionary some documents hold.
import { emptyBits, setBit } from './bits.ts';
import { Cursor, type Postings } from './postings.ts';

/** The ordinals of the terms that one of the documents holds. */
export function termsWithin(postings: Postings, within: Int32Array): Int32Array {
  const found = emptyBits(postings.size);
  const cursor = new Cursor();
  for (let ordinal = 0; ordinal < postings.size; ordinal++) {
    cursor.open(postings, ordinal);
    if (isWithin(cursor, within)) setBit(found, ordinal);
  }
  return found;
}

function isWithin(cursor: Cursor, within: Int32Array): boolean {
  const { docs } = cursor;
  for (let block = cursor.first; block < cursor.end; block++) {
    cursor.load(block);
    for (let i = 0; i < cursor.count; i++) {
      const doc = docs[i]!;
      if (((within[doc >>> 5]! >>> (doc & 31)) & 1) !== 0) return true;
    }
  }
  return false;
}
