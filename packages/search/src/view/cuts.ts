// Cache of copies of the documents that a view shows of a segment. Code that walks words, ordinals or documents of a copy walks visible ones
// only, so a search takes as long as on data without the hidden ones. A copy is made in the background once a view was asked for a few times.
// The copies of an engine share a fixed amount of memory. Without a copy, the segment itself is searched, with the same answers.
import { isMainThread } from 'node:worker_threads';
import { Mutex } from '@lockstitch/kernel';
import type { IndexSearcher } from '../collect/searcher.ts';
import { runTask, runToEnd } from '../tasks/scheduler.ts';
import { countBits, emptyBits, hasBit, setBit } from '../index/bits.ts';
import type { CoreReader } from '../index/core-reader.ts';
import { type CutSegment, cutSegment } from '../index/cut-segment.ts';
import { type SegmentCore, storedCore } from '../index/segment-core.ts';
import { whenUnused } from '../index/segment-use.ts';
import type { SegmentView } from '../index/segment-view.ts';
import type { MaskedFields } from './masked-fields.ts';

/** Maximum views per segment whose requests are counted. */
const VIEWS_PER_SEGMENT = 1024;
/** Maximum bytes of all copies of an engine. Search threads make their own. */
let mostBytes = (isMainThread ? 64 : 16) << 20;
/** The largest copy takes one part in so many of these bytes. */
const LARGEST = 4;
/** Milliseconds since its last use for which a copy is not evicted: views that do not fit in together would evict each other for ever. */
let keptFor = 10_000;
/** Copies that may wait to be made. */
const WAITING = 64;
/** Requests of a view before a copy is made. */
const ASKED = 3;
/** The count of requests after a copy found no room. */
const REFUSED = -500;
/** Copies of views that show more than one document in so many gain little. */
const SHARE = 2;
/** Maximum bytes of a block whose sources are copied: unpacking a larger block would take more than a slice. */
const LARGE_BLOCK = 64 << 10;
const encoder = new TextEncoder();
/** Estimated bytes of an array besides its content. */
const OVERHEAD = 200;

/** Smaller segments are searched faster than copied. */
const SMALLEST = 2048;
let mode: 'usual' | 'always' | 'never' = 'usual';

/** Copies every segment at its first use (`always`), or none. For tests. */
export function copyViews(when: typeof mode): void {
  mode = when;
}

/** Bytes of all copies of an engine, and milliseconds for which one is kept. For tests. */
export function limitCopies(bytes: number, milliseconds: number): void {
  mostBytes = bytes;
  keptFor = milliseconds;
}

/** A copy of what a view showed of a segment at one refresh. */
interface Copy extends CutSegment {
  readonly generation: number;
  readonly rows: Int32Array;
  used: number;
}

/** The copy of one view of one segment, or what is known about making it. */
export interface Cut {
  asked: number;
  underWay: boolean;
  copy: Copy | undefined;
}

/** The copies of an engine. */
export class CutCache {
  /** By segment and view. */
  readonly #cuts = new WeakMap<SegmentCore, Map<string, Cut>>();
  readonly #copies = new Map<Cut, Copy>();
  readonly #builds = new Mutex();
  #waiting = 0;
  /** How many copies were dropped so far. After a change, open views may still hold one. */
  dropped = 0;

  /** Bytes that all copies take. */
  get bytes(): number {
    let total = 0;
    for (const copy of this.#copies.values()) total += bytesOf(copy);
    return total;
  }

  /** The slot for the copy of a view of a segment. */
  slot(core: SegmentCore, key: string): Cut {
    const views = this.#cuts.get(core) ?? this.#viewsOf(core);
    const found = views.get(key) ?? { asked: 0, underWay: false, copy: undefined };
    views.delete(key);
    views.set(key, found);
    for (const [oldest, forgotten] of views) {
      if (views.size <= VIEWS_PER_SEGMENT) break;
      views.delete(oldest);
      this.#drop(forgotten);
    }
    return found;
  }

  /** Begins to keep the copies of a segment, until nobody uses it. */
  #viewsOf(core: SegmentCore): Map<string, Cut> {
    const views = new Map<string, Cut>();
    this.#cuts.set(core, views);
    whenUnused(core, () => {
      this.#cuts.delete(core);
      for (const cut of views.values()) this.#drop(cut);
    });
    return views;
  }

  /** Makes a copy in the background, unless too many wait or there is no room. */
  async make(cut: Cut, view: CopiedView): Promise<void> {
    if (this.#waiting >= WAITING) return;
    if (!this.#hasRoom(estimate(view))) {
      cut.asked = REFUSED;
      return;
    }
    cut.underWay = true;
    this.#waiting++;
    // Its sources are read later.
    view.state.retain();
    try {
      await this.#builds.run(async () => this.keep(cut, toCopy(await runTask(stepsOf(view)), view)));
    } catch {
      // Best effort: without memory for it there is none.
    } finally {
      view.state.release();
      this.#waiting--;
      cut.underWay = false;
      cut.asked = cut.copy === undefined ? REFUSED : 0;
    }
  }

  keep(cut: Cut, copy: Copy): void {
    this.#drop(cut);
    const bytes = bytesOf(copy);
    if (bytes > mostBytes / LARGEST || !this.#hasRoom(bytes)) return;
    let total = bytes + this.bytes;
    if (total > mostBytes) {
      for (const [other, copy] of [...this.#copies].sort(([, a], [, b]) => a.used - b.used)) {
        if (total <= mostBytes) break;
        total -= bytesOf(copy);
        this.#drop(other);
      }
    }
    cut.copy = copy;
    this.#copies.set(cut, copy);
  }

  /** Whether that many bytes fit, after evicting copies that nobody used for a while. */
  #hasRoom(bytes: number): boolean {
    let total = bytes;
    const before = performance.now() - keptFor;
    for (const copy of this.#copies.values()) if (copy.used > before) total += bytesOf(copy);
    return total <= mostBytes;
  }

  #drop(cut: Cut): void {
    if (!this.#copies.delete(cut)) return;
    cut.copy = undefined;
    this.dropped++;
  }
}

const cacheOf = ({ core }: SegmentView): CutCache => core.engine.part(CutCache);

/** How many copies of the segments' engine were dropped so far. */
export function droppedCuts([first]: readonly SegmentView[]): number {
  return first === undefined ? 0 : cacheOf(first).dropped;
}

/** A copy as it stands at a refresh. */
export interface ShownCut {
  readonly core: SegmentCore;
  readonly apart: ReadonlySet<number>;
  readonly documents: Int32Array;
  /** The roots that are visible, and all that live, by their numbers in the copy. */
  readonly rows: Int32Array;
  readonly live: Int32Array | undefined;
}

/** The slot for the copy of a view; undefined if none may be made. */
export function cutOf(segment: SegmentView, key: string, rows: Int32Array): Cut | undefined {
  if (mode === 'never' || (mode === 'usual' && segment.docCount < SMALLEST)) return undefined;
  const core = storedCore(segment);
  const size = segment.roots === undefined ? segment.docCount : countBits(segment.roots);
  const share = countBits(rows) / size;
  if ((mode === 'usual' && share > 1 / SHARE) || share * core.contentBytes > mostBytes / LARGEST) return undefined;
  return cacheOf(segment).slot(core, key);
}

/** A view of a segment that may be copied. */
export interface CopiedView {
  readonly fields: MaskedFields;
  /** The segment as it is shown, for sources. */
  readonly masked: CoreReader;
  readonly segment: SegmentView;
  readonly rows: Int32Array;
  /** The state that the segment is of. */
  readonly state: IndexSearcher;
}

/** The copy, as far as it serves this state. */
export function shownCut(kept: Cut, view: CopiedView): ShownCut | undefined {
  if (kept.copy === undefined && mode === 'always')
    cacheOf(view.segment).keep(kept, toCopy(runToEnd(stepsOf(view)), view));
  if (kept.copy === undefined) return undefined;
  return shownOf(kept.copy, view.segment, view.rows);
}

/** Marks a copy as used now, so that it is not evicted. */
export function useCut(cut: Cut): void {
  const { copy } = cut;
  if (copy !== undefined) copy.used = performance.now();
}

/** Makes a copy in the background once the view was asked for often enough; it replaces one that is outdated. */
export function askForCut(kept: Cut, view: CopiedView): void {
  // An earlier state shows more than the copy of a later one holds.
  if (kept.copy !== undefined && kept.copy.generation > view.segment.generation) return;
  if (++kept.asked < ASKED || kept.underWay) return;
  void cacheOf(view.segment).make(kept, view);
}

function toCopy(made: CutSegment, { segment: { generation }, rows }: CopiedView): Copy {
  return { ...made, generation, rows, used: performance.now() };
}

let made = 0;

function stepsOf({ fields, masked, rows }: CopiedView): Generator<void, CutSegment> {
  const { base } = fields;
  const { sources } = base;
  const few = (countBits(rows) / base.docCount) * sources.storedBytes < mostBytes / LARGEST / 2;
  return cutSegment(base, fields.shown(), rows, `${fields.name}~${++made}`, (doc) =>
    few && sources.blockBytes(doc) < LARGE_BLOCK ? encoder.encode(masked.sourceText(doc)) : undefined,
  );
}

/** Returns undefined if the copy lacks a visible document, or too few of its documents are visible. */
function shownOf(copy: Copy, segment: SegmentView, rows: Int32Array): ShownCut | undefined {
  const { core, apart, documents } = copy;
  for (let word = 0; word < rows.length; word++) if ((rows[word]! & ~copy.rows[word]!) !== 0) return undefined;
  const shown = emptyBits(core.docCount);
  const live = emptyBits(core.docCount);
  const { roots } = core;
  let first = 0;
  let kept = 0;
  for (let at = 0; at < documents.length; at++) {
    if (roots !== undefined && !hasBit(roots, at)) continue;
    const doc = documents[at]!;
    if (hasBit(rows, doc)) setBit(shown, at);
    if (segment.live === undefined || hasBit(segment.live, doc)) {
      for (let element = first; element <= at; element++) setBit(live, element);
      kept += at - first + 1;
    }
    first = at + 1;
  }
  if (countBits(shown) * SHARE < countBits(copy.rows)) return undefined;
  return { core, apart, documents, rows: shown, live: kept === core.docCount ? undefined : live };
}

/** Estimated bytes of a copy. */
function estimate({ fields: { base }, rows }: CopiedView): number {
  const size = base.roots === undefined ? base.docCount : countBits(base.roots);
  return (countBits(rows) / size) * (base.contentBytes + base.sources.storedBytes) + rows.byteLength;
}

function bytesOf({ core, documents, rows }: Copy): number {
  return core.memory + core.data.sections.size * OVERHEAD + documents.byteLength + rows.byteLength;
}
