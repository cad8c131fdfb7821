// Root documents with the elements of their nested fields: both are visible, or neither.
import { hasBit, nextBit, setBit } from '../index/bits.ts';

/** Adds its elements to each root; the same set where there are none. */
export function withElements({ roots }: { readonly roots: Int32Array | undefined }, documents: Int32Array): Int32Array {
  if (roots === undefined) return documents;
  const all = documents.slice();
  for (let root = nextBit(documents, 0); root >= 0; root = nextBit(documents, root + 1)) {
    for (let element = root - 1; element >= 0 && !hasBit(roots, element); element--) setBit(all, element);
  }
  return all;
}
