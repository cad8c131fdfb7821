// Cache of the documents of one segment that match a rule. Without it, every
// view would be evaluated over the whole index after each refresh.
import { evictOldest } from '@lockstitch/kernel';
import type { IndexSearcher } from '../collect/searcher.ts';
import { printExactly } from '../json/exact-json.ts';
import { bothBits } from '../index/bits.ts';
import type { SegmentView } from '../index/segment-view.ts';
import type { Query } from '../query/query.ts';
import { dependsOnSegment } from '../query/walk-query.ts';

/** Cached rules per segment; each costs a bit per document. */
const RULES_PER_SEGMENT = 64;

interface Known {
  readonly generation: number;
  readonly bits: Int32Array;
}

const remembered = new WeakMap<object, Map<string, Known>>();

/** The live roots that a query matches. Callers must not change the result. */
export function rowsOf(searcher: IndexSearcher, query: Query, segment: SegmentView): Int32Array {
  if (!dependsOnSegment(query)) return searcher.matches(query, segment);
  const rules = remembered.get(segment.core.content) ?? new Map<string, Known>();
  remembered.set(segment.core.content, rules);
  const key = printExactly(query);
  const known = rules.get(key);
  // A reader of an earlier state sees documents that were deleted since.
  if (known !== undefined && known.generation > segment.generation) return searcher.matches(query, segment);
  const bits =
    known === undefined
      ? searcher.matches(query, segment)
      : known.generation === segment.generation
        ? known.bits
        : bothBits(known.bits, segment.live);
  rules.delete(key);
  rules.set(key, { generation: segment.generation, bits });
  evictOldest(rules, RULES_PER_SEGMENT);
  return bits;
}
