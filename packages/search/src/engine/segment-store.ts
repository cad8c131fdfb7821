// Makes and stores the segments of one index: flushes buffers and merges segments, in a thread where
// that pays, writes and opens their files, and deletes unreferenced files. Which segments an index has is decided in stored-index.ts.
import { randomBytes } from 'node:crypto';
import { runTask } from '../tasks/scheduler.ts';
import type { Directory, RandomReader } from '../directory/directory.ts';
import { flush } from '../index/flush.ts';
import type { IndexSortKey } from '../index/index-sort.ts';
import { type Merged, mergeSegments, sortSegment } from '../index/merge.ts';
import type { MergeInput } from '../index/merge-input.ts';
import { allocatingTogether } from '../index/shared.ts';
import { SegmentCore } from '../index/segment-core.ts';
import { nothingToRead, sourcesInMemory } from '../index/sections.ts';
import type { SegmentData } from '../index/segment-data.ts';
import { readSegment } from '../index/read-segment.ts';
import { writeSegment } from '../index/segment-file.ts';
import type { EngineContext } from '../index/engine-context.ts';
import type { WriteBuffer } from '../index/write-buffer.ts';
import type { DocumentMade } from './document-job.ts';
import { flushInBackground, type MadeSegment, mergeInBackground } from './background.ts';
import { isIndexFile } from '../directory/index-files.ts';
import { MANIFEST, type Manifest, readLive, writeLive } from './manifest.ts';
import { fromSent } from './packed-segment.ts';
import { LiveSegment } from './segment-set.ts';

/** A segment with the deletions at the time of a commit. */
export interface Frozen {
  readonly segment: LiveSegment;
  readonly generation: number;
  readonly live: Int32Array | undefined;
}

type Entry = Manifest['segments'][number];

export class SegmentStore {
  /** Number of the next segment. */
  next = 0;
  private readonly directory: Directory;
  private readonly context: EngineContext;
  private readonly sort: readonly IndexSortKey[];
  /** Files of segments that the index does not have yet. */
  private readonly inMaking = new Set<string>();

  /** @param sort the order of the documents in each segment; empty: that in which they come */
  constructor(directory: Directory, context: EngineContext, sort: readonly IndexSortKey[] = []) {
    this.directory = directory;
    this.context = context;
    this.sort = sort;
  }

  /** Flushes a frozen buffer to a segment, without its deletions. Returns the new number of each document where they were sorted. */
  async flush(
    buffer: WriteBuffer,
    backgroundBytes: number,
  ): Promise<{ readonly segment: LiveSegment; readonly map: Int32Array | undefined }> {
    const name = this.nextName();
    const { segment, made } = await this.make(
      name,
      (path) => flushInBackground(buffer, name, path, backgroundBytes, this.sort),
      () => this.flushHere(buffer, name),
    );
    return { segment, map: made.maps[0] };
  }

  private async flushHere(buffer: WriteBuffer, name: string): Promise<Merged> {
    const data = await runTask(allocatingTogether(flush(buffer.content(), name)));
    if (this.sort.length === 0) return { data, maps: [] };
    return runTask(allocatingTogether(sortSegment(data, this.sort)));
  }

  /** Merges segments; returns the new segment, and for each input the new number of each document (-1: dropped). */
  async merge(
    inputs: readonly MergeInput[],
  ): Promise<{ readonly segment: LiveSegment; readonly maps: readonly Int32Array[] }> {
    const name = this.nextName();
    const { segment, made } = await this.make(
      name,
      (path) => mergeInBackground(inputs, name, path, this.sort),
      () => runTask(allocatingTogether(mergeSegments(inputs, name, { sort: this.sort }))),
    );
    return { segment, maps: made.maps };
  }

  /**
   * Makes the segment of one large document in a thread.
   *
   * @param ask asks for it, by its name and the file for its source; undefined where there is no thread
   * @returns undefined when there is none, or it could not
   */
  async makeElsewhere<T extends DocumentMade>(
    ask: (name: string, path: string | undefined) => Promise<T> | undefined,
  ): Promise<{ readonly made: T; readonly segment: LiveSegment | undefined } | undefined> {
    const name = this.nextName();
    const { file, path } = this.fileFor(name);
    this.inMaking.add(file);
    // The caller parses the document itself then, and reports what is wrong with it.
    const made = await ask(name, path)?.catch(() => undefined);
    if (made?.outcome === 'segment') {
      const { sourcesBytes } = made;
      const { meta, sections } = await fromSent(made.sent);
      if (sourcesBytes !== undefined) {
        const data = { meta, sections, readSources: nothingToRead };
        return { made, segment: await this.begun(data, { file, sourcesBytes, fileBytes: undefined }) };
      }
      const readSources = sourcesInMemory(sections) ?? nothingToRead;
      this.inMaking.delete(file);
      return { made, segment: this.inMemory({ meta, sections, readSources }) };
    }
    this.inMaking.delete(file);
    return made === undefined ? undefined : { made, segment: undefined };
  }

  private nextName(): string {
    return `s${this.next++}`;
  }

  /** A name of its own: a thread that an index left behind when it was closed must not meet what a later one writes. */
  private fileFor(name: string): { readonly file: string; readonly path: string | undefined } {
    const file = `${name}-${randomBytes(4).toString('hex')}.seg`;
    return { file, path: this.directory.durable ? this.directory.path?.(file) : undefined };
  }

  /** Makes a segment in a thread, its sources in a file at once; or here, in memory, when there is no thread or it could not. */
  private async make<T extends { readonly data: SegmentData }>(
    name: string,
    there: (path: string | undefined) => Promise<T & MadeSegment> | undefined,
    here: () => Promise<T>,
  ): Promise<{ readonly segment: LiveSegment; readonly made: T }> {
    const { file, path } = this.fileFor(name);
    this.inMaking.add(file);
    // The segment is made on this thread then.
    const made = await there(path)?.catch(() => undefined);
    if (made?.sourcesBytes !== undefined) {
      const { data, sourcesBytes, fileBytes } = made;
      return { segment: await this.begun(data, { file, sourcesBytes, fileBytes }), made };
    }
    this.inMaking.delete(file);
    const own = made ?? (await here());
    return { segment: this.inMemory(own.data), made: own };
  }

  /** Discards a segment that the index does not use. */
  drop(segment: LiveSegment): void {
    segment.use.release();
    if (segment.begun !== undefined) this.inMaking.delete(segment.begun.file);
  }

  private inMemory(data: SegmentData): LiveSegment {
    return this.opened(data, `${data.meta.name}.seg`);
  }

  private opened(data: SegmentData, file: string): LiveSegment {
    return new LiveSegment(new SegmentCore(data, `${this.directory.label}/${file}`, this.context), undefined);
  }

  /** A segment whose file a thread has begun. */
  private async begun({ meta, sections }: SegmentData, begun: NonNullable<LiveSegment['begun']>): Promise<LiveSegment> {
    const { file } = begun;
    let reader: RandomReader;
    try {
      reader = await this.directory.open(file);
    } catch (error) {
      // For example, too many files are open: make the segment again.
      this.inMaking.delete(file);
      // If it stays, a commit or the next opening removes it.
      await this.directory.remove(file).catch(() => undefined);
      throw error;
    }
    const data = {
      meta,
      sections,
      readSources: (position: number, length: number) => reader.read(position, length),
      sourcesFile: { path: this.directory.path!(file), position: 0 },
    };
    const segment = this.opened(data, file);
    segment.begun = begun;
    segment.use.opened(() => reader.close());
    return segment;
  }

  /**
   * Opens a segment of a commit.
   *
   * @param open segments of the same directory that are in memory already
   * @throws ProductError `SEARCH_DAMAGED`, `SEARCH_FORMAT`
   */
  async open(entry: Entry, open: readonly LiveSegment[] = []): Promise<LiveSegment> {
    const known = open.find(({ file }) => file === entry.file);
    if (known !== undefined)
      return this.take(entry, new LiveSegment(known.core, undefined, known.use.retain()), known.bytes);
    const opened = await readSegment(this.directory, entry.file);
    const segment = this.opened(opened.data, entry.file);
    segment.use.opened(() => opened.close());
    return this.take(entry, segment, opened.bytes);
  }

  /** A segment as a commit names it. */
  private async take(entry: Entry, segment: LiveSegment, bytes: number): Promise<LiveSegment> {
    try {
      const { core } = segment;
      const live = entry.live === undefined ? undefined : await readLive(this.directory, entry.live, core.docCount);
      segment.setDeletions(live, live, live);
      segment.committedLive = live;
    } catch (error) {
      segment.use.release();
      throw error;
    }
    segment.file = entry.file;
    segment.liveFile = entry.live;
    segment.bytes = bytes;
    segment.fromDisk = true;
    return segment;
  }

  /** Makes a segment and its deletions durable. */
  async write({ segment, generation, live }: Frozen): Promise<Entry> {
    const { core } = segment;
    if (segment.file === undefined) {
      const { begun } = segment;
      const file = begun?.file ?? `${core.name}.seg`;
      const whole = begun?.fileBytes;
      if (whole !== undefined) await this.directory.extendFile(file, whole, []);
      const { bytes, sourcesAt } =
        whole === undefined
          ? await writeSegment(this.directory, file, core.data, begun?.sourcesBytes)
          : { bytes: whole, sourcesAt: 0 };
      if (begun === undefined) {
        const reader = await this.directory.open(file);
        const path = this.directory.path?.(file);
        core.moveSources(
          (position, length) => reader.read(sourcesAt + position, length),
          path === undefined ? undefined : { path, position: sourcesAt },
        );
        segment.use.opened(() => reader.close());
      }
      segment.file = file;
      segment.bytes = bytes;
      // A commit may name it from here on, even if the index merges it away meanwhile: closing must not remove it.
      this.inMaking.delete(file);
    }
    if (live !== segment.committedLive && live !== undefined) {
      const file = `${core.name}-${generation}.live`;
      await writeLive(this.directory, file, live);
      segment.liveFile = file;
      segment.committedLive = live;
    }
    return { name: core.name, file: segment.file, live: segment.liveFile };
  }

  /** Removes what threads are writing for an index that is closed. A thread that has not begun yet leaves it to the next opening. */
  async close(): Promise<void> {
    for (const file of this.inMaking) await this.directory.remove(file).catch(() => undefined);
  }

  /** Deletes segment files that neither a commit nor the index references: after a merge or a crash. */
  async deleteUnreferencedFiles(committed: readonly Entry[], segments: readonly LiveSegment[]): Promise<void> {
    if (!this.directory.durable) return;
    const names = await this.directory.list();
    const known = new Set([MANIFEST, ...this.inMaking]);
    for (const entry of committed) {
      known.add(entry.file);
      if (entry.live !== undefined) known.add(entry.live);
    }
    for (const { file, begun } of segments) {
      const own = file ?? begun?.file;
      if (own === undefined) continue;
      known.add(own);
      this.inMaking.delete(own);
    }
    for (const name of names) {
      if (known.has(name) || name.startsWith('translog-') || !isIndexFile(name)) continue;
      // Windows refuses while a search still reads the file; the next commit tries again.
      await this.directory.remove(name).catch(() => undefined);
    }
  }
}
