// Statistics of one segment under a view: its visible documents, document frequencies, and for repeated terms the visible postings, so
// that a view that shows little costs little. Cached by segment and view, as segments never change. Which documents are visible is
// decided by the searcher that opens the view.
import { evictOldest, Mutex } from '@lockstitch/kernel';
import { runTask } from '../tasks/scheduler.ts';
import { bothBits, countBits, emptyBits, hasBit, nextBit, setBit, subtractBits } from '../index/bits.ts';
import type { Cursor, Postings } from '../index/postings.ts';
import { type RestrictedPostings, restrictPostings } from '../index/restrict-postings.ts';
import type { TermsField } from '../index/core-reader.ts';
import { countWithin, type SegmentView } from '../index/segment-view.ts';
import { tick } from '../tasks/request-budget.ts';
import type { FieldStatistics } from './bm25.ts';

/** Maximum cached views per segment; each costs a bit per document. */
const VIEWS_PER_SEGMENT = 32;
/** Maximum cached document frequencies per segment and view. */
const COUNTS = 10_000;
/** Shorter lists are read faster than they are filtered. */
const SHORTEST = 512;
/** What all lists of an engine that were cut down may take together. */
const LIST_BYTES = 32 * 2 ** 20;

/** Maximum lists that wait to be filtered. */
const WAITING = 64;

/** The visible documents of one term; empty while they are collected, or if there is no room for them. */
export interface VisibleList {
  readonly postings: Postings | undefined;
}

interface KeptList {
  postings: Postings | undefined;
  bytes: number;
  underWay: boolean;
  /** Whether it was collected and is larger than one list may be: it is not collected again. */
  isTooLarge: boolean;
}

/** The lists of an engine. */
class ListCache {
  /** The oldest first. */
  readonly #lists = new Set<KeptList>();
  readonly #builds = new Mutex();
  #listed = 0;
  #waiting = 0;
  /** How many lists were evicted: after a change, a known list may be gone. */
  dropped = 0;

  /** Collects a list in slices between requests, unless too many wait. */
  async collect(list: KeptList, steps: () => Generator<void, RestrictedPostings>): Promise<void> {
    if (this.#waiting >= WAITING) return;
    list.underWay = true;
    this.#waiting++;
    try {
      this.#keep(list, await this.#builds.run(() => runTask(steps())));
    } catch {
      // Best effort: without memory for it there is none.
    } finally {
      this.#waiting--;
      list.underWay = false;
    }
  }

  #keep(list: KeptList, { postings, bytes }: RestrictedPostings): void {
    list.isTooLarge = bytes > LIST_BYTES / 8;
    if (list.isTooLarge) return;
    list.postings = postings;
    list.bytes = bytes;
    this.#lists.add(list);
    this.#listed += list.bytes;
    for (const oldest of this.#lists) {
      if (this.#listed <= LIST_BYTES) return;
      this.#lists.delete(oldest);
      this.#listed -= oldest.bytes;
      oldest.postings = undefined;
      this.dropped++;
    }
  }
}

/** How many lists of the segments' engine had to give way so far. */
export function droppedLists(segments: readonly SegmentView[]): number {
  return segments[0]?.core.engine.part(ListCache).dropped ?? 0;
}

/** Statistics of one segment under one view at one refresh. */
export class ViewStatistics {
  readonly generation: number;
  /** The documents, hidden nested ones of visible roots included. Do not change it. */
  readonly bits: Int32Array;
  #size = -1;
  readonly #fields = new Map<string, FieldStatistics>();
  /** Takes over the lists of an earlier state, which may contain documents deleted since. */
  readonly #before: { readonly fields: ReadonlyMap<string, FieldStatistics>; readonly gone: Int32Array } | undefined;
  readonly #counts = new Map<string, number>();
  readonly #lists: Map<string, KeptList>;
  readonly #cache: ListCache;

  constructor({ generation, core }: SegmentView, bits: Int32Array, before: ViewStatistics | undefined) {
    this.generation = generation;
    this.#cache = core.engine.part(ListCache);
    this.bits = bits;
    // If documents were only deleted, old lists contain all that is visible, and readers test each document. New lists belong to this
    // state alone: an earlier one, of a scroll, shows more than they contain.
    const earlier = before !== undefined && isWithin(bits, before.bits) ? before : undefined;
    this.#lists = new Map(earlier === undefined ? [] : earlier.#lists);
    if (earlier !== undefined) {
      const gone = earlier.bits.slice();
      subtractBits(gone, bits);
      this.#before = { fields: earlier.#fields, gone };
    }
  }

  /** Statistics of a field. @param count computes them over some documents */
  field(field: string, count: (within: Int32Array) => FieldStatistics): FieldStatistics {
    let found = this.#fields.get(field);
    if (found === undefined) {
      const before = this.#before?.fields.get(field);
      if (before === undefined) found = count(this.bits);
      else {
        const gone = count(this.#before!.gone);
        found = {
          docCount: before.docCount - gone.docCount,
          sumTotalTermFreq: before.sumTotalTermFreq - gone.sumTotalTermFreq,
        };
      }
      this.#fields.set(field, found);
    }
    return found;
  }

  /** How many documents there are. */
  get size(): number {
    if (this.#size < 0) this.#size = countBits(this.bits);
    return this.#size;
  }

  /**
   * The visible documents with a term.
   *
   * @param key names field and term
   */
  count(key: string, postings: Postings, ordinal: number, cursor: Cursor): number {
    let count = this.#counts.get(key);
    if (count === undefined) {
      tick(postings.docFreqs[ordinal]!);
      const list = this.#lists.get(key)?.postings;
      count = countWithin(list === undefined ? cursor.open(postings, ordinal) : cursor.open(list, 0), this.bits);
      if (this.#counts.size >= COUNTS) this.#counts.clear();
      this.#counts.set(key, count);
    }
    return count;
  }

  /**
   * The postings of a term without most hidden documents; undefined if that would gain nothing. They are collected in the background, in
   * slices between other requests.
   */
  list(key: string, field: TermsField, ordinal: number, cursor: Cursor): VisibleList | undefined {
    const { postings, norms } = field;
    const documents = postings.docFreqs[ordinal]!;
    if (documents < SHORTEST) return undefined;
    const count = this.count(key, postings, ordinal, cursor);
    if (count * 2 > documents) return undefined;
    let list = this.#lists.get(key);
    // An evicted list may be of an earlier state too, which shows more than would be collected here.
    if (list === undefined || (list.postings === undefined && !list.underWay && !list.isTooLarge)) {
      if (this.#lists.size >= COUNTS) this.#lists.clear();
      this.#lists.set(key, (list = { postings: undefined, bytes: 0, underWay: false, isTooLarge: false }));
    }
    if (list.postings === undefined && !list.underWay && !list.isTooLarge)
      void this.#cache.collect(list, () => restrictPostings(postings, ordinal, this.bits, count, norms));
    return list;
  }
}

const visibilities = new WeakMap<object, Map<string, ViewStatistics>>();

/**
 * The statistics of a segment under a view.
 *
 * @param key names the view
 * @param find computes the matching documents if they are not cached
 */
export function viewStatisticsOf(segment: SegmentView, key: string, find: () => Int32Array): ViewStatistics {
  const views = visibilities.get(segment.core.content) ?? new Map<string, ViewStatistics>();
  visibilities.set(segment.core.content, views);
  let found = views.get(key);
  // Least recently used first.
  views.delete(key);
  if (found?.generation !== segment.generation)
    found = new ViewStatistics(segment, withChildren(segment, find()), found);
  views.set(key, found);
  evictOldest(views, VIEWS_PER_SEGMENT);
  return found;
}

/** Restricts to live roots and adds their nested documents. */
function withChildren(segment: SegmentView, matching: Int32Array): Int32Array {
  const roots = bothBits(bothBits(matching, segment.live), segment.roots);
  if (segment.roots === undefined) return roots === matching ? matching.slice() : roots;
  const bits = emptyBits(segment.docCount);
  let from = 0;
  for (let root = nextBit(segment.roots, 0); root >= 0; root = nextBit(segment.roots, root + 1)) {
    if (hasBit(roots, root)) for (let doc = from; doc <= root; doc++) setBit(bits, doc);
    from = root + 1;
  }
  return bits;
}

function isWithin(bits: Int32Array, others: Int32Array): boolean {
  for (let word = 0; word < bits.length; word++) if ((bits[word]! & ~others[word]!) !== 0) return false;
  return true;
}
