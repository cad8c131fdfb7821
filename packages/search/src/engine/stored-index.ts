// One index: takes writes into a buffer and the translog, turns buffers into segments on refresh, commits them with the position
// of the feed, merges in the background, and recovers all of it. Searching is the searcher's business.
import { randomUUID } from 'node:crypto';
import type { Clock, Log, ProductError } from '@lockstitch/kernel';
import { IndexSearcher } from '../collect/searcher.ts';
import type { AppendFile, Directory } from '../directory/directory.ts';
import { searchError } from '../errors.ts';
import { countBits } from '../index/bits.ts';
import { type EncodedId, encodeId, IdEncoder } from '../index/ids.ts';
import type { DocumentMapper } from '../index/indexed-document.ts';
import type { Operation, OperationResult, StoredDocument } from '../index/operation.ts';
import type { Searcher } from '../index/search-request.ts';
import { WriteBuffer } from '../index/write-buffer.ts';
import { drive, Turnstile } from '../drive.ts';
import type { Index, IndexDefinition, IndexSettings, IndexStats, MapperFactory } from './engine-api.ts';
import { type Manifest, readManifest, writeManifest } from './manifest.ts';
import { prepareFlush } from './background.ts';
import { without } from './carry-over.ts';
import { Merging } from './merging.ts';
import { type Location, nextVersion, PRIMARY_TERM } from './next-version.ts';
import { type Frozen, SegmentStore } from './segment-store.ts';
import type { LiveSegment } from './segment-set.ts';
import { type LoggedOperation, recoverTranslog, Translog } from './translog.ts';

/** A translog past this many bytes is committed away; as Elasticsearch's `index.translog.flush_threshold_size`. */
const COMMIT_BYTES = 512 << 20;
/** Bytes of writes between two looks at the clock: 0.1 ms. */
const SLICE_BYTES = 1 << 13;
/** What a write costs besides its source, in bytes of one. */
const OPERATION_BYTES = 200;
/** How long a deletion is remembered for versions, as Elasticsearch's `index.gc_deletes`. Milliseconds. */
const REMEMBER_DELETES = 60_000;

/** The defaults of an index's settings. */
const defaultSettings: Required<IndexSettings> = {
  k1: 1.2,
  b: 0.75,
  scaleByK1: true,
  durability: 'request',
  syncInterval: 5000,
  refreshInterval: 1000,
  maxResultWindow: 10_000,
  maxTermsCount: 65_536,
};

/** What an index needs from its engine. */
export interface IndexHost {
  readonly clock: Clock;
  readonly log: Log;
  readonly mapperFactory: MapperFactory;
  readonly maxDocumentBytes: number;
  readonly maxClauses: number;
  readonly maxQueryDepth: number;
  /** Bytes of a buffer from which it is flushed without waiting for a refresh. */
  readonly bufferBytes: number;
  /** @throws ProductError `SEARCH_MEMORY` when so many bytes more would pass the budget */
  checkMemory(bytes: number): void;
}

/** What a commit consists of. */
interface Divided {
  readonly seqNo: number;
  readonly position: number;
  /** The log of the writes before, to be closed once it is synced. */
  readonly old: AppendFile;
  readonly frozen: readonly Frozen[];
}

export class StoredIndex implements Index {
  readonly name: string;
  readonly uuid: string;
  readonly createdAt: number;
  definition: IndexDefinition;
  settings: Required<IndexSettings>;
  readonly mapper: DocumentMapper;
  position = 0;
  durablePosition = 0;
  private readonly directory: Directory;
  private readonly host: IndexHost;
  private readonly store: SegmentStore;
  private segments: LiveSegment[] = [];
  private buffer = new WriteBuffer();
  /** The buffer that is being turned into a segment. */
  private flushing: WriteBuffer | undefined;
  /** An emptied buffer whose memory the next one takes, while writes come fast. */
  private spare: WriteBuffer | undefined;
  /** The refresh that a full buffer asked for, and the commit that a long translog did. */
  private emptying: Promise<void> | undefined;
  private shortening: Promise<void> | undefined;
  private readonly tombstones = new Map<string, { version: number; seqNo: number; at: number }>();
  private seqNo = -1;
  private readonly idEncoder = new IdEncoder();
  private translog: Translog | undefined;
  private commitPoint: Manifest | undefined;
  private current: IndexSearcher;
  /** What publishes to searches, one at a time. */
  private readonly turnstile = new Turnstile();
  /** Commits, one at a time. They take their turn at publishing only to divide the writes: searches do not wait for the disk. */
  private readonly commits = new Turnstile();
  /** Batches of writes, one at a time: a long one lets requests through but no other batch. */
  private readonly batches = new Turnstile();
  private readonly merging: Merging;
  private refreshTimer: NodeJS.Timeout | undefined;
  private syncTimer: NodeJS.Timeout | undefined;
  private failure: ProductError | undefined;
  private closed = false;
  private isDeleted = false;
  /** Made to take the place of another, which it has not done yet. */
  private aside = false;
  private readonly counters = { index: 0, delete: 0, refresh: 0, flush: 0, merge: 0, search: 0 };

  private constructor(
    name: string,
    directory: Directory,
    host: IndexHost,
    identity: { readonly uuid: string; readonly createdAt: number },
    definition: IndexDefinition,
  ) {
    this.name = name;
    this.directory = directory;
    this.store = new SegmentStore(directory);
    this.merging = new Merging({
      store: this.store,
      segments: () => this.segments,
      merged: () => {
        this.counters.merge++;
        this.current = this.makeSearcher();
      },
      failed: (error) => this.report('Merging segments failed.', error),
    });
    this.host = host;
    this.uuid = identity.uuid;
    this.createdAt = identity.createdAt;
    this.definition = definition;
    this.settings = { ...defaultSettings, ...definition.settings };
    this.mapper = host.mapperFactory(definition, name);
    this.current = this.makeSearcher();
  }

  /** Makes a new index in an empty directory. */
  static async create(
    name: string,
    directory: Directory,
    host: IndexHost,
    definition: IndexDefinition,
    aside = false,
  ): Promise<StoredIndex> {
    const identity = { uuid: randomUUID().replaceAll('-', '').slice(0, 22), createdAt: host.clock.now() };
    const index = new StoredIndex(name, directory, host, identity, definition);
    index.aside = aside;
    await index.openTranslog(0);
    await index.writeCommitPoint({ seqNo: -1, position: 0, translog: 0, segments: [] });
    return index;
  }

  /** Opens an index as its last commit and its translog left it. @throws ProductError `SEARCH_DAMAGED`, `SEARCH_FORMAT` */
  static async open(name: string, directory: Directory, host: IndexHost): Promise<StoredIndex> {
    const manifest = await readManifest(directory);
    const definition = { ...manifest.definition, mappings: manifest.mappings };
    const index = new StoredIndex(name, directory, host, manifest, definition);
    await index.recover(manifest);
    return index;
  }

  private async openTranslog(generation: number): Promise<void> {
    if (!this.directory.durable) return;
    this.translog = await Translog.open(this.directory, generation, 0);
  }

  private async recover(manifest: Manifest): Promise<void> {
    this.commitPoint = manifest;
    this.seqNo = manifest.seqNo;
    this.position = manifest.position;
    this.store.next = manifest.nextSegment;
    for (const entry of manifest.segments) this.segments.push(await this.store.open(entry));
    this.translog = await recoverTranslog(this.directory, manifest.translog, (batch) => {
      for (const operation of batch.operations) this.replay(operation);
      if (batch.position !== undefined) this.position = batch.position;
    });
    this.durablePosition = this.position;
    await this.store.removeStrangers(this.commitPoint?.segments ?? [], this.segments);
    await this.refresh();
    this.publish();
  }

  /** Applies a logged write. Its version was decided when it was first made. */
  private replay(operation: LoggedOperation): void {
    if (operation.seqNo <= this.seqNo) return;
    this.seqNo = operation.seqNo;
    const id = this.idEncoder.encode(operation.id);
    this.removeEverywhere(id);
    if (operation.kind === 'delete') {
      this.tombstones.set(operation.id, {
        version: operation.version,
        seqNo: operation.seqNo,
        at: this.host.clock.now(),
      });
      return;
    }
    this.tombstones.delete(operation.id);
    this.buffer.add(
      this.mapper.parse(operation.id, operation.source, operation.routing),
      id,
      operation.version,
      operation.seqNo,
    );
  }

  private locate(encoded: EncodedId, id: string): Location | undefined {
    for (const buffer of [this.buffer, this.flushing]) {
      const doc = buffer?.find(encoded) ?? -1;
      if (buffer !== undefined && doc >= 0) {
        return { version: buffer.versionOf(doc), seqNo: buffer.seqNoOf(doc), exists: true };
      }
    }
    const tombstone = this.tombstones.size === 0 ? undefined : this.tombstones.get(id);
    if (tombstone !== undefined) return { version: tombstone.version, seqNo: tombstone.seqNo, exists: false };
    for (let i = this.segments.length - 1; i >= 0; i--) {
      const segment = this.segments[i]!;
      const doc = segment.find(encoded);
      if (doc >= 0) return { version: segment.core.versions[doc]!, seqNo: segment.core.seqNo(doc), exists: true };
    }
    return undefined;
  }

  private removeEverywhere(id: EncodedId): void {
    this.buffer.delete(id);
    this.flushing?.delete(id);
    for (const segment of this.segments) {
      const doc = segment.find(id);
      if (doc >= 0) segment.delete(doc);
    }
  }

  async apply(
    operations: readonly Operation[],
    options: { readonly position?: number } = {},
  ): Promise<readonly OperationResult[]> {
    this.checkOpen();
    let bytes = 0;
    for (const operation of operations) if (operation.kind === 'index') bytes += operation.source.length;
    this.host.checkMemory(bytes);
    const { position } = options;
    const { results, logged } = await this.batches.run(async () => {
      const logged: LoggedOperation[] = [];
      const results = await drive(this.applyAll(operations, logged));
      if (position !== undefined) this.position = position;
      return { results, logged };
    });
    if (logged.length > 0 || position !== undefined) {
      this.scheduleRefresh();
      await this.makeDurable({ position, operations: logged });
    }
    await this.keepPace();
    return results;
  }

  /** Has a full buffer flushed and a long translog committed away; waits only for those that were under way when they are due again. */
  private async keepPace(): Promise<void> {
    const { bufferBytes } = this.host;
    if (this.buffer.used > this.threadBytes) prepareFlush();
    while (this.buffer.used > bufferBytes && this.emptying !== undefined) await this.emptying;
    if (this.buffer.used > bufferBytes) {
      this.emptying = this.refresh().finally(() => (this.emptying = undefined));
      this.emptying.catch((error: unknown) => this.report('Refreshing a search index failed.', error));
    }
    const bytes = (): number => this.translog?.bytes ?? 0;
    if (bytes() > 2 * COMMIT_BYTES) await this.shortening;
    if (bytes() > COMMIT_BYTES && this.shortening === undefined && !this.closed) {
      this.shortening = this.commit().finally(() => (this.shortening = undefined));
      this.shortening.catch((error: unknown) => this.report('Committing a search index failed.', error));
    }
  }

  /** Bytes of a buffer from which a thread makes the segment. */
  private get threadBytes(): number {
    return this.host.bufferBytes / 8;
  }

  private report(what: string, error: unknown): void {
    if (this.closed) return;
    this.host.log.write('error', what, { index: this.name, reason: String(error) });
  }

  private *applyAll(operations: readonly Operation[], logged: LoggedOperation[]): Generator<void, OperationResult[]> {
    const results: OperationResult[] = [];
    let bytes = 0;
    for (const operation of operations) {
      results.push(this.applyOne(operation, logged));
      bytes += OPERATION_BYTES + (operation.kind === 'index' ? operation.source.length : 0);
      if (bytes < SLICE_BYTES) continue;
      bytes = 0;
      yield;
    }
    return results;
  }

  private applyOne(operation: Operation, logged: LoggedOperation[]): OperationResult {
    const { id } = operation;
    try {
      const encoded = this.idEncoder.encode(id);
      const found = this.locate(encoded, id);
      const exists = found?.exists === true;
      const version = nextVersion(operation, found);
      const seqNo = this.seqNo + 1;
      if (operation.kind === 'delete') {
        if (exists) this.removeEverywhere(encoded);
        this.remember(id, version, seqNo);
        this.counters.delete++;
      } else {
        if (operation.source.length > this.host.maxDocumentBytes) {
          throw searchError('SEARCH_DOCUMENT_TOO_LARGE', {
            id,
            bytes: operation.source.length,
            limit: this.host.maxDocumentBytes,
          });
        }
        const document = this.mapper.parse(id, operation.source, operation.routing);
        // A document is live in one place at most, so one that is in none need not be looked for again.
        this.buffer.add(document, encoded, version, seqNo, exists ? () => this.removeEverywhere(encoded) : undefined);
        if (this.tombstones.size > 0) this.tombstones.delete(id);
        this.counters.index++;
      }
      this.seqNo = seqNo;
      const { source, routing } = operation.kind === 'index' ? operation : { source: undefined, routing: undefined };
      logged.push(
        source === undefined
          ? { kind: 'delete', id, seqNo, version }
          : { kind: 'index', id, seqNo, version, routing, source },
      );
      const result = operation.kind === 'delete' ? (exists ? 'deleted' : 'not_found') : exists ? 'updated' : 'created';
      return { kind: 'done', id, result, version, seqNo, primaryTerm: PRIMARY_TERM };
    } catch (error) {
      return { kind: 'failed', id, error: error as Error };
    }
  }

  private remember(id: string, version: number, seqNo: number): void {
    const now = this.host.clock.now();
    this.tombstones.set(id, { version, seqNo, at: now });
    // Insertion order is order of time: the oldest come first.
    for (const [old, { at }] of this.tombstones) {
      if (now - at <= REMEMBER_DELETES) break;
      this.tombstones.delete(old);
    }
  }

  private async makeDurable(batch: {
    readonly position: number | undefined;
    readonly operations: readonly LoggedOperation[];
  }): Promise<void> {
    const { translog } = this;
    if (translog === undefined) {
      this.durablePosition = this.position;
      return;
    }
    try {
      translog.append(batch);
      if (this.settings.durability === 'request') await translog.sync();
      else this.scheduleSync();
    } catch (error) {
      throw this.fail(error);
    }
    if (this.settings.durability === 'request' && batch.position !== undefined) {
      this.durablePosition = Math.max(this.durablePosition, batch.position);
    }
  }

  /** Refuses writes from now on: what is in memory and what is on disk may differ. */
  private fail(error: unknown): ProductError {
    const reason = error instanceof Error ? error.message : String(error);
    this.failure ??= searchError('SEARCH_DISK_FULL', { index: this.name, reason }, { cause: error });
    this.host.log.write('error', 'A search index stopped taking writes.', { index: this.name, reason });
    return this.failure;
  }

  private checkOpen(): void {
    if (this.closed) throw this.gone();
    if (this.failure !== undefined) throw this.failure;
  }

  /** What is told to who still holds an index that takes no more requests: it was deleted, or the engine has ended. */
  private gone(): Error {
    return this.isDeleted ? searchError('SEARCH_INDEX_NOT_FOUND', { index: this.name }) : searchError('SEARCH_CLOSED');
  }

  private scheduleRefresh(): void {
    const { refreshInterval } = this.settings;
    if (this.refreshTimer !== undefined || refreshInterval < 0 || this.closed) return;
    this.refreshTimer = setTimeout(() => {
      this.refreshTimer = undefined;
      this.refresh().catch((error: unknown) => this.report('Refreshing a search index failed.', error));
    }, refreshInterval).unref();
  }

  private scheduleSync(): void {
    if (this.syncTimer !== undefined || this.closed) return;
    this.syncTimer = setTimeout(() => {
      this.syncTimer = undefined;
      const { position } = this;
      this.translog?.sync().then(
        () => (this.durablePosition = Math.max(this.durablePosition, position)),
        (error: unknown) => this.fail(error),
      );
    }, this.settings.syncInterval).unref();
  }

  get(id: string): StoredDocument | undefined {
    const encoded = encodeId(id);
    for (const buffer of [this.buffer, this.flushing]) {
      const doc = buffer?.find(encoded) ?? -1;
      if (buffer === undefined || doc < 0) continue;
      return {
        id,
        source: buffer.sourceOf(doc),
        version: buffer.versionOf(doc),
        seqNo: buffer.seqNoOf(doc),
        primaryTerm: PRIMARY_TERM,
        routing: buffer.routingOf(doc),
      };
    }
    for (let i = this.segments.length - 1; i >= 0; i--) {
      const segment = this.segments[i]!;
      const doc = segment.find(encoded);
      if (doc < 0) continue;
      const { core } = segment;
      return {
        id,
        source: core.source(doc),
        version: core.versions[doc]!,
        seqNo: core.seqNo(doc),
        primaryTerm: PRIMARY_TERM,
        routing: core.routing(doc),
      };
    }
    return undefined;
  }

  refresh(): Promise<void> {
    return this.turnstile.run(async () => {
      if (this.closed) return;
      await this.flushBuffer();
    });
  }

  /** Turns the buffer into a segment and publishes it with all deletions. Within the turnstile. */
  private async flushBuffer(): Promise<void> {
    clearTimeout(this.refreshTimer);
    this.refreshTimer = undefined;
    // A commit has divided the writes already.
    if (this.flushing === undefined) this.swapBuffer();
    const buffer = this.flushing;
    if (buffer !== undefined) {
      const staged = new Set(buffer.deleted);
      const { bufferBytes } = this.host;
      const segment = await this.store.flush(buffer, this.threadBytes);
      // From here on nothing waits: what was deleted meanwhile is in `deleted` by now.
      if (buffer.liveRoots > 0) {
        const live = without(staged, buffer.docCount);
        const working = buffer.deleted.size > staged.size ? without(buffer.deleted, buffer.docCount) : live;
        segment.setDeletions(live, live, working);
        this.segments.push(segment);
      } else this.store.drop(segment);
      this.flushing = undefined;
      // Writes that filled it will fill another.
      if (this.emptying !== undefined && buffer.used > bufferBytes / 2) {
        buffer.clear();
        this.spare = buffer;
      } else this.dropSpare();
    } else if (!this.segments.some((segment) => segment.staged !== segment.published)) {
      return;
    }
    this.counters.refresh++;
    this.publish();
    this.merging.start();
  }

  /** Divides the writes: those so far go to the segment that is made next, later ones to a new buffer. */
  private swapBuffer(): void {
    if (this.flushing === undefined && this.buffer.docCount > 0) {
      this.flushing = this.buffer;
      this.buffer = this.spare ?? new WriteBuffer();
      this.spare = undefined;
    }
    for (const segment of this.segments) segment.stage();
  }

  /** Gives back what was kept for writes that did not come. */
  private dropSpare(): void {
    this.spare = undefined;
    if (this.buffer.docCount === 0) this.buffer = new WriteBuffer();
  }

  private publish(): void {
    for (const segment of this.segments) segment.publish();
    this.segments = this.segments.filter((segment) => segment.busy || segment.deletedCount() < segment.core.docCount);
    this.current = this.makeSearcher();
  }

  private makeSearcher(): IndexSearcher {
    let base = 0;
    const views = this.segments.map((segment) => {
      const view = segment.viewAt(base);
      base += view.docCount;
      return view;
    });
    const { k1, b, scaleByK1, maxResultWindow, maxTermsCount } = this.settings;
    return new IndexSearcher(
      views,
      { k1, b, scaleByK1 },
      {
        maxResultWindow,
        maxTerms: maxTermsCount,
        maxClauses: this.host.maxClauses,
        maxDepth: this.host.maxQueryDepth,
      },
    );
  }

  get maxClauses(): number {
    return this.host.maxClauses;
  }

  async forceMerge(
    options: { readonly maxSegments?: number; readonly onlyExpungeDeletes?: boolean } = {},
  ): Promise<void> {
    this.checkOpen();
    await this.refresh();
    await this.merging.force(options);
  }

  commit(): Promise<void> {
    return this.commits.run(async () => {
      this.checkOpen();
      if (!this.directory.durable) {
        await this.turnstile.run(() => this.flushBuffer());
        this.durablePosition = this.position;
        return;
      }
      try {
        await this.commitDurably();
      } catch (error) {
        throw this.fail(error);
      }
    });
  }

  private async commitDurably(): Promise<void> {
    const translog = this.translog!;
    const divided = await this.turnstile.run(() => this.divide(translog));
    if (divided === undefined) return;
    const { frozen, old, position, seqNo } = divided;
    await translog.sync();
    // At the same time: each waits for the disk twice, and the disk can wait for all of them at once.
    const segments = await Promise.all(frozen.map((each) => this.store.write(each)));
    await this.writeCommitPoint({ seqNo, position, translog: translog.generation, segments });
    this.durablePosition = Math.max(this.durablePosition, position);
    this.dropSpare();
    old.close();
    this.counters.flush++;
    await translog.trim();
    await this.store.removeStrangers(this.commitPoint?.segments ?? [], this.segments);
  }

  /** Publishes all writes so far and starts a new log behind them; undefined when there is nothing to commit. Within the turnstile. */
  private async divide(translog: Translog): Promise<Divided | undefined> {
    const point = this.commitPoint!;
    const nothingNew =
      translog.operations === 0 &&
      this.buffer.docCount === 0 &&
      point.position === this.position &&
      this.segments.every((segment) => segment.file !== undefined && segment.committedLive === segment.working);
    if (nothingNew) return undefined;
    const next = await translog.prepareNext();
    // In one step, and between batches: the buffer to flush and the log to replay are divided at the same write.
    const divided = await this.batches.run(() => {
      const now = { seqNo: this.seqNo, position: this.position, old: translog.switchTo(next) };
      this.swapBuffer();
      return Promise.resolve(now);
    });
    await this.flushBuffer();
    // What is deleted from here on belongs to the new log.
    const frozen = this.segments.map((segment): Frozen => {
      const { generation, published } = segment;
      return { segment, generation, live: published };
    });
    return { ...divided, frozen };
  }

  private async writeCommitPoint(
    change: Partial<Pick<Manifest, 'seqNo' | 'position' | 'translog' | 'segments'>>,
  ): Promise<void> {
    const before = this.commitPoint;
    const point: Manifest = {
      format: 1,
      uuid: this.uuid,
      createdAt: this.createdAt,
      definition: this.definition,
      mappings: this.mapper.toJSON(),
      seqNo: change.seqNo ?? before?.seqNo ?? -1,
      position: change.position ?? before?.position ?? 0,
      translog: change.translog ?? before?.translog ?? 0,
      nextSegment: this.store.next,
      segments: change.segments ?? before?.segments ?? [],
      ...(this.aside ? { aside: true } : {}),
    };
    await writeManifest(this.directory, point);
    this.commitPoint = point;
  }

  async updateDefinition(change: Partial<IndexDefinition>): Promise<void> {
    this.checkOpen();
    await this.commits.run(async () => {
      this.definition = { ...this.definition, ...change };
      this.settings = { ...defaultSettings, ...this.definition.settings };
      this.current = this.makeSearcher();
      await this.writeCommitPoint({});
    });
  }

  /** Commits, and says durably that the index counts from now on. */
  async settle(): Promise<void> {
    await this.commit();
    await this.commits.run(async () => {
      this.checkOpen();
      this.aside = false;
      await this.writeCommitPoint({});
    });
  }

  searcher(): Searcher {
    if (this.closed) throw this.gone();
    this.counters.search++;
    return this.current;
  }

  /** Bytes in memory: segments and buffers. */
  get memory(): number {
    let total = this.buffer.memory + (this.flushing?.memory ?? 0) + (this.spare?.memory ?? 0);
    for (const segment of this.segments) total += segment.core.memory;
    return total;
  }

  stats(): IndexStats {
    let docs = 0;
    let deleted = 0;
    let bytes = 0;
    for (const segment of this.current.segments) {
      docs += segment.liveRoots();
      if (segment.live !== undefined) deleted += segment.docCount - countBits(segment.live);
    }
    for (const segment of this.segments)
      bytes += segment.file === undefined ? segment.core.memory + (segment.begun?.sourcesBytes ?? 0) : segment.bytes;
    return {
      docs,
      deleted,
      segments: this.current.segments.length,
      bytes,
      memoryBytes: this.memory,
      pending: this.buffer.docCount + (this.flushing?.docCount ?? 0),
      translogOperations: this.translog?.operations ?? 0,
      translogBytes: this.translog?.bytes ?? 0,
      maxSeqNo: this.seqNo,
      indexTotal: this.counters.index,
      deleteTotal: this.counters.delete,
      refreshTotal: this.counters.refresh,
      flushTotal: this.counters.flush,
      mergeTotal: this.counters.merge,
      searchTotal: this.counters.search,
    };
  }

  /** Commits and closes the files. */
  async close(): Promise<void> {
    if (this.closed) return;
    try {
      if (this.failure === undefined) await this.commit();
    } finally {
      await this.abandon();
    }
  }

  /** Closes without committing, with the files that searches read: it was never there for anybody, or the engine ends. */
  async abandon(): Promise<void> {
    await this.end();
    for (const segment of this.segments) segment.close();
  }

  /** Ends all work, but leaves the files of segments to the searches that still read them; they are closed with the last. */
  async retire(): Promise<void> {
    this.isDeleted = true;
    await this.end();
  }

  private async end(): Promise<void> {
    this.closed = true;
    this.merging.end();
    clearTimeout(this.refreshTimer);
    clearTimeout(this.syncTimer);
    await this.batches.run(() => Promise.resolve());
    await this.turnstile.run(() => Promise.resolve());
    await this.commits.run(() => Promise.resolve());
    await this.merging.underWay;
    await this.store.close();
    this.translog?.close();
  }
}
