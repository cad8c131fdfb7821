// Query cache: bitmaps of repeated filters by segment. Kinds of queries say whether they are cached (`caching` in query-kind.ts). Segments
// never change; the caller applies deletions and views. Nothing that depends on statistics or on the caller is cached.
import { evictOldest } from '@lockstitch/kernel';
import { printExactly } from '../json/exact-json.ts';
import { emptyBits } from '../index/bits.ts';
import type { SegmentView } from '../index/segment-view.ts';
import type { Explanation } from './explanation.ts';
import type { CollectorContext } from './collector-context.ts';
import type { Query } from './query.ts';
import { type Scorer, Weight } from './scorer.ts';

/** Smaller segments are searched faster than cached. */
const MIN_DOCS = 4096;
/** Maximum cached filters per segment; each costs a bit per document. */
const PER_SEGMENT = 64;
/** Maximum filters whose last use is recorded. */
const RECENT = 1024;
/** Longer filters (thousands of terms) are not kept as keys. */
const LONGEST_KEY = 2000;

const cache = new WeakMap<object, Map<string, Int32Array>>();

/** A filter that is cached from its second use on. */
export class CachedWeight extends Weight {
  private readonly inner: Weight;
  private readonly key: string;
  private again: boolean | undefined;

  constructor(inner: Weight, query: Query) {
    super();
    this.inner = inner;
    this.key = printExactly(query);
    this.name = inner.name;
  }

  override get parts(): readonly Weight[] {
    return this.inner.parts;
  }

  scorer(segment: SegmentView): Scorer | undefined {
    return this.inner.scorer(segment);
  }

  override bulkScore(segment: SegmentView, accept: Int32Array | undefined, run: CollectorContext): boolean {
    return this.inner.bulkScore(segment, accept, run);
  }

  override shortcutCount(segments: readonly SegmentView[]): number {
    return this.inner.shortcutCount(segments);
  }

  override bits(segment: SegmentView): Int32Array {
    if (segment.docCount < MIN_DOCS || !(this.again ??= wasAsked(this.key, segment))) return this.inner.bits(segment);
    return recall(segment, this.key, () => this.inner.bits(segment)).slice();
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    return this.inner.explain(segment, doc);
  }

  override explainMiss(segment: SegmentView, doc: number): string | undefined {
    return this.inner.explainMiss(segment, doc);
  }
}

/**
 * Caches the sets of a query outside of filters, where a view makes them costly: hits are few, no segment can be skipped, and each is found
 * among all documents. Callers must not change the result.
 */
export function cacheSets(
  query: Query,
  find: (segment: SegmentView) => Int32Array | undefined,
): (segment: SegmentView) => Int32Array | undefined {
  const key = printExactly(query);
  let again: boolean | undefined;
  return (segment) =>
    segment.docCount < MIN_DOCS || !(again ??= wasAsked(key, segment))
      ? find(segment)
      : recall(segment, key, () => find(segment) ?? emptyBits(segment.docCount));
}

function recall(segment: SegmentView, key: string, find: () => Int32Array): Int32Array {
  let filters = cache.get(segment.core.content);
  if (filters === undefined) cache.set(segment.core.content, (filters = new Map()));
  let bits = filters.get(key);
  // Least recently used first.
  filters.delete(key);
  bits ??= find();
  filters.set(key, bits);
  evictOldest(filters, PER_SEGMENT);
  return bits;
}

/** Whether a filter was asked before; remembers that it was now. Long ones are not kept. */
function wasAsked(key: string, { core }: SegmentView): boolean {
  return key.length <= LONGEST_KEY && core.engine.part(RecentFilters).ask(key);
}

/** The filters that were asked last. */
class RecentFilters {
  readonly #keys = new Set<string>();

  ask(key: string): boolean {
    const known = this.#keys.delete(key);
    this.#keys.add(key);
    evictOldest(this.#keys, RECENT);
    return known;
  }
}
