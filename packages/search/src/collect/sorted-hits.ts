// Collects the first k documents by sort keys, or the first of each group (collapse). A heap of candidates; most documents
// are rejected by one comparison of numbers on the first key.
import { hasBit } from '../index/bits.ts';
import type { SortKey, SortValue } from './search-request.ts';
import type { SegmentView } from '../index/segment-view.ts';
import type { Collector, SegmentCollector } from '../query/collector.ts';
import type { TieOrder } from '../query/tie-order.ts';
import {
  compareSortValues,
  groupReader,
  isDescending,
  type SortContext,
  needsScore,
  valueReader,
} from './sort-values.ts';

/** A candidate. */
export interface SortedHit {
  readonly segment: SegmentView;
  readonly doc: number;
  readonly score: number;
  readonly values: readonly SortValue[];
  readonly group: SortValue | undefined;
}

export interface SortedOptions {
  readonly keys: readonly SortKey[];
  readonly size: number;
  readonly after: readonly SortValue[] | undefined;
  readonly collapse: { readonly field: string; readonly type: 'number' | 'keyword' } | undefined;
  readonly trackScores: boolean;
  readonly context: SortContext;
  /** Breaks ties; undefined: the order of the index. */
  readonly ties?: TieOrder | undefined;
}

export class SortedHits implements Collector {
  readonly needsScores: boolean;
  /** The best score seen, when scores are computed. */
  maxScore = Number.NaN;
  private readonly options: SortedOptions;
  /** Worst first. */
  private readonly heap: SortedHit[] = [];
  private readonly groups = new Map<SortValue, SortedHit>();
  /** Grows whenever the worst candidate changes. */
  private changes = 0;

  constructor(options: SortedOptions) {
    this.options = options;
    this.needsScores = options.trackScores || options.keys.some(needsScore);
  }

  private compare(left: SortedHit, right: SortedHit): number {
    return (
      compareSortValues(this.options.keys, left.values, right.values) ||
      this.comparePlaces(left.segment.base + left.doc, right)
    );
  }

  private comparePlaces(position: number, other: SortedHit): number {
    const { ties } = this.options;
    const place = other.segment.base + other.doc;
    return ties === undefined ? position - place : ties.compare(position, place);
  }

  segment(segment: SegmentView): SegmentCollector {
    const { keys, size, after, collapse, context } = this.options;
    const readers = keys.map((key) => valueReader(key, segment, context));
    const group = collapse === undefined ? undefined : groupReader(collapse, segment);
    const quick = group === undefined && after === undefined ? quickReader(keys[0]!, segment, context) : undefined;
    const single = keys.length === 1;
    let bound = Infinity;
    let boundOf = -1;
    return {
      collect: (docs, count, scores) => {
        if (scores !== undefined) this.maxScore = maxOf(scores, count, this.maxScore);
        if (size === 0) return;
        for (let i = 0; i < count; i++) {
          if (quick !== undefined && this.heap.length === size) {
            if (boundOf !== this.changes) {
              bound = quick.bound(this.heap[0]!.values[0]!);
              boundOf = this.changes;
            }
            i = quick.next(docs, scores, i, count, bound);
            if (i === count) return;
          }
          const doc = docs[i]!;
          const score = scores === undefined ? Number.NaN : scores[i]!;
          if (quick !== undefined && single && this.heap.length === size && quick.read(doc, score) === bound) {
            if (this.comparePlaces(segment.base + doc, this.heap[0]!) >= 0) continue;
          }
          const ofGroup = group?.(doc, score);
          const values = readers.map((read) => read(doc, score));
          const hit: SortedHit = { segment, doc, score, values, group: ofGroup };
          if (after !== undefined && compareSortValues(keys, hit.values, after) <= 0) continue;
          if (ofGroup === undefined) this.offer(hit);
          else this.offerGroup(hit, ofGroup);
        }
      },
    };
  }

  private offerGroup(hit: SortedHit, group: SortValue): void {
    // Documents without a value each stand for themselves in one group of null, as in Elasticsearch.
    const held = this.groups.get(group);
    if (held === undefined || this.compare(hit, held) < 0) this.groups.set(group, hit);
  }

  private offer(hit: SortedHit): void {
    const { heap } = this;
    const { size } = this.options;
    if (heap.length < size) {
      let at = heap.push(hit) - 1;
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (this.compare(heap[parent]!, hit) >= 0) break;
        heap[at] = heap[parent]!;
        at = parent;
      }
      heap[at] = hit;
      this.changes++;
      return;
    }
    if (this.compare(hit, heap[0]!) >= 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && this.compare(heap[child + 1]!, heap[child]!) > 0) child++;
      if (this.compare(heap[child]!, hit) <= 0) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = hit;
    this.changes++;
  }

  /** The hits in order. */
  sorted(): readonly SortedHit[] {
    const all = this.options.collapse === undefined ? this.heap : [...this.groups.values()];
    return all.toSorted((a, b) => this.compare(a, b)).slice(0, this.options.size);
  }
}

/** A first key as plain numbers within one segment, smaller first; undefined when it is not that simple. */
interface QuickReader {
  read(doc: number, score: number): number;
  /** The first place from `from` on whose document reads no more than `bound`; `count` when there is none. */
  next(docs: Int32Array, scores: Float32Array | undefined, from: number, count: number, bound: number): number;
  /** The number that a value of the key (perhaps of another segment) corresponds to. */
  bound(value: SortValue): number;
}

function quickReader(key: SortKey, segment: SegmentView, context: SortContext): QuickReader | undefined {
  const sign = isDescending(key) ? -1 : 1;
  const boundOf = (value: SortValue): number => sign * Number(value);
  if (key.kind === 'score') return readerOf((_doc, score) => sign * score, boundOf);
  if (key.kind === 'doc') {
    const place = context.place(segment);
    return readerOf((doc) => sign * place(doc), boundOf);
  }
  if (key.kind !== 'field' || key.nested !== undefined || typeof key.missing === 'object' || key.sinceEpoch === true)
    return undefined;
  const missing = key.missing === 'first' ? -Infinity : Infinity;
  if (key.type === 'number') {
    const boundOrMissing = (value: SortValue): number => (value === null ? missing : boundOf(value));
    const column = segment.number(key.field);
    if (column === undefined) return readerOf(() => missing, boundOrMissing);
    const { values, starts, exists } = column;
    if (starts !== undefined) return undefined;
    if (exists === undefined)
      return {
        read: (doc) => sign * values[doc]!,
        next(docs, _scores, from, count, bound) {
          for (let i = from; i < count; i++) if (sign * values[docs[i]!]! <= bound) return i;
          return count;
        },
        bound: boundOrMissing,
      };
    return readerOf((doc) => (hasBit(exists, doc) ? sign * values[doc]! : missing), boundOrMissing);
  }
  const column = segment.keyword(key.field);
  if (column === undefined || column.starts !== undefined) return undefined;
  const { ordinals, terms } = column;
  return {
    read: (doc) => (ordinals[doc] === 0 ? missing : sign * ordinals[doc]!),
    // A loop of its own: through `read` it took 40 % longer once the function around it had met other kinds of keys.
    next(docs, _scores, from, count, bound) {
      for (let i = from; i < count; i++) {
        const ordinal = ordinals[docs[i]!]!;
        if ((ordinal === 0 ? missing : sign * ordinal) <= bound) return i;
      }
      return count;
    },
    bound(value) {
      if (value === null) return missing;
      // Entries are ordinals plus one. Between two terms of this segment, the bound lies between their entries.
      const ordinal = terms.lowerBound(String(value));
      const exact = ordinal < terms.size && terms.term(ordinal) === value;
      return sign * (exact ? ordinal + 1 : ordinal + 0.5);
    },
  };
}

function readerOf(read: QuickReader['read'], bound: QuickReader['bound']): QuickReader {
  return {
    read,
    next(docs, scores, from, count, most) {
      for (let i = from; i < count; i++) {
        if (read(docs[i]!, scores === undefined ? Number.NaN : scores[i]!) <= most) return i;
      }
      return count;
    },
    bound,
  };
}

/** The greatest of `before` (NaN: nothing) and the first scores. */
function maxOf(scores: Float32Array, count: number, before: number): number {
  let max = before;
  for (let i = 0; i < count; i++) if (!(scores[i]! <= max)) max = scores[i]!;
  return max;
}
