// What sorting reads beside the values of a document: its number, and the elements of objects whose values count.

import { bothBits, countBits, emptyBits, hasBit, nextBit, setBit } from '../index/bits.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { compile } from '../query/compile.ts';
import type { Statistics } from '../query/statistics.ts';
import type { NestedSort } from './search-request.ts';
import type { SortContext } from './sort-values.ts';

/** @param segments of the index, in order */
export function sortContext(segments: readonly SegmentView[], statistics: Statistics): SortContext {
  return {
    nested: (nested, segment) => nestedElements(nested, segment, statistics),
    place: (segment) => placesOf(segments, segment, statistics),
  };
}

/** Numbers the documents: in the order of the index, under a view without gaps for what is not shown. */
function placesOf(
  segments: readonly SegmentView[],
  segment: SegmentView,
  statistics: Statistics,
): (doc: number) => number {
  if (!statistics.restricted) return (doc) => segment.base + doc;
  let before = 0;
  for (const other of segments) {
    if (other === segment) break;
    before += countBits(rootsOf(other, statistics.visible(other)) ?? other.core.all());
  }
  const bits = rootsOf(segment, statistics.visible(segment)) ?? segment.core.all();
  const counts = new Int32Array(bits.length);
  for (let word = 0; word < bits.length; word++) {
    counts[word] = before;
    before += countBits(bits.subarray(word, word + 1));
  }
  return (doc) => {
    const word = doc >>> 5;
    const below = bits[word]! & ((1 << (doc & 31)) - 1);
    return counts[word]! + countBits(Int32Array.of(below));
  };
}

function nestedElements(
  { path, filter, within }: NestedSort,
  segment: SegmentView,
  statistics: Statistics,
): Int32Array | undefined {
  let elements = segment.core.documentsOfPath(path);
  if (elements !== undefined && filter !== undefined)
    elements = bothBits(elements, compile(filter, statistics, path).bits(segment));
  if (elements === undefined || within === undefined) return elements;
  const around = nestedElements(within, segment, statistics);
  const anyAround = segment.core.documentsOfPath(within.path);
  if (around === undefined || anyAround === undefined || !path.startsWith(`${within.path}.`)) return undefined;
  const found = emptyBits(segment.docCount);
  for (let doc = nextBit(elements, 0); doc >= 0; doc = nextBit(elements, doc + 1)) {
    // An element stands before the one that it lies in.
    const parent = nextBit(anyAround, doc + 1);
    if (parent >= 0 && hasBit(around, parent)) setBit(found, doc);
  }
  return found;
}

export function rootsOf(segment: SegmentView, visible: Int32Array | undefined): Int32Array | undefined {
  return segment.roots === undefined ? visible : (bothBits(visible, segment.roots) ?? emptyBits(segment.docCount));
}
