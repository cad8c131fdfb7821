// The segments of one index as they stand: what is published to searches, and the deletions since that the next refresh will
// publish. Deletions copy a bitmap on the first change after it was published, so that searches keep theirs.
import { clearBit, countBits, fullBits, hasBit } from '../index/bits.ts';
import type { EncodedId } from '../index/ids.ts';
import type { SegmentCore } from '../index/segment-core.ts';
import { SegmentUse } from '../index/segment-use.ts';
import { SegmentView } from '../index/segment-view.ts';

/** One segment with its deletions. */
export class LiveSegment {
  readonly core: SegmentCore;
  /** Live documents that searches see; undefined: all. */
  published: Int32Array | undefined;
  /** What the refresh under way will publish; later deletions wait for the next, as the documents that replace them do. */
  staged: Int32Array | undefined;
  /** Live documents as of the latest write. */
  working: Int32Array | undefined;
  /** Grows with every published change of `published`. */
  generation = 0;
  /** The segment's file, once written. */
  file: string | undefined;
  /** The file that holds the sources and will be the segment's; with `fileBytes` it holds all of it, but may not be durable. */
  begun: { readonly file: string; readonly sourcesBytes: number; readonly fileBytes: number | undefined } | undefined;
  /** The file of the deletions of the last commit, and the bitmap it holds. */
  liveFile: string | undefined;
  committedLive: Int32Array | undefined;
  bytes = 0;
  /** Whether it was opened from disk, or has documents of one that was: the index has not seen their ids go by. */
  fromDisk = false;
  /** Whether a block of its sources cannot be read: no merge can take it over. */
  damaged = false;
  /** Whether a merge is under way with it. */
  busy = false;
  /** Counts the users of the segment; the index is the first. */
  readonly use: SegmentUse;
  private copied = false;
  private view: SegmentView | undefined;

  /** @param use of a segment that is open already, which counts one more */
  constructor(core: SegmentCore, live: Int32Array | undefined, use = new SegmentUse(core)) {
    this.core = core;
    this.use = use;
    this.published = live;
    this.staged = live;
    this.working = live;
  }

  /** The live document of an id, or -1. */
  find(id: EncodedId): number {
    const doc = this.core.ids.find(id);
    return doc >= 0 && (this.working === undefined || hasBit(this.working, doc)) ? doc : -1;
  }

  /** Deletes a root document with its hidden ones. */
  delete(doc: number): void {
    if (!this.copied) {
      this.working = this.working?.slice() ?? fullBits(this.core.docCount);
      this.copied = true;
    }
    const { roots } = this.core;
    clearBit(this.working!, doc);
    if (roots !== undefined) {
      for (let child = doc - 1; child >= 0 && !hasBit(roots, child); child--) clearBit(this.working!, child);
    }
  }

  /** Sets deletions made while the segment was being written. */
  setDeletions(
    published: Int32Array | undefined,
    staged: Int32Array | undefined,
    working: Int32Array | undefined,
  ): void {
    this.published = published;
    this.staged = staged;
    this.working = working;
    this.copied = working !== staged;
  }

  /** Divides the deletions made so far, which are published next, from later ones. */
  stage(): void {
    this.staged = this.working;
    this.copied = false;
  }

  publish(): void {
    if (this.staged === this.published) return;
    this.published = this.staged;
    this.generation++;
    this.view = undefined;
  }

  /** What searches see, at a place in the index. */
  viewAt(base: number): SegmentView {
    if (this.view === undefined || this.view.base !== base)
      this.view = new SegmentView(this.core, this.published, this.generation, base);
    return this.view;
  }

  /** Documents deleted for searches, hidden ones included: those that a merge would drop. */
  deletedCount(): number {
    return this.published === undefined ? 0 : this.core.docCount - countBits(this.published);
  }
}
