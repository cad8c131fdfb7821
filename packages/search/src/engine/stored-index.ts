// Orders writes, refreshes, commits and merges of one index, so that searches see whole states. Not here: batches of writes (batches.ts),
// what a write does (documents-writer.ts), what survives a crash (durability.ts), merges (merging.ts), what searches see
// (searcher-manager.ts), and when an index refreshes and commits by itself (maintenance.ts).
import { randomUUID } from 'node:crypto';
import type { Directory } from '../directory/directory.ts';
import { searchError } from '../errors/search-errors.ts';
import type { DocumentMapper } from '../index/indexed-document.ts';
import type { OperationResult, StoredDocument, Write } from '../index/operation.ts';
import type { Searcher } from '../collect/search-request.ts';
import { onDamage } from '../index/damage.ts';
import { runTask, TimeSlices } from '../tasks/scheduler.ts';
import { Mutex } from '@lockstitch/kernel';
import { Batches } from './batches.ts';
import { without } from './carry-over.ts';
import { upgradeDefinition } from './upgrade-definition.ts';
import type { Index, IndexStats } from './engine-api.ts';
import type { IndexDefinition, IndexSettings } from '../settings/index-definition.ts';
import { Durability, type DurabilityHost } from './durability.ts';
import { makeInThread } from './document-thread.ts';
import { defaultSettings, type IndexHost } from './index-host.ts';
import { type IndexCounters, indexStats } from './index-stats.ts';
import { DocumentsWriter } from './documents-writer.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { Merging } from './merging.ts';
import { isPassing, toClientError } from './no-room.ts';
import { SearcherManager } from './searcher-manager.ts';
import type { LiveSegment } from './segment-set.ts';
import { type Frozen, SegmentStore } from './segment-store.ts';
import { Maintenance } from './maintenance.ts';

/** What a commit consists of. */
interface CommitInput {
  readonly seqNo: number;
  readonly position: number;
  readonly frozen: readonly Frozen[];
}

export class StoredIndex implements Index {
  readonly name: string;
  readonly uuid: string;
  readonly createdAt: number;
  definition: IndexDefinition;
  settings: Required<IndexSettings>;
  readonly mapper: DocumentMapper;
  private readonly directory: Directory;
  private readonly host: IndexHost;
  private readonly store: SegmentStore;
  private readonly documents: DocumentsWriter;
  private readonly durability: Durability;
  private readonly maintenance: Maintenance;
  private readonly searchers: SearcherManager;
  /** Serializes publishing to searches. */
  private readonly publishing = new Mutex();
  /** Serializes commits. A commit holds `publishing` only to freeze the buffer, so searches do not wait for the disk. */
  private readonly commits = new Mutex();
  private readonly batches: Batches;
  private readonly merging: Merging;
  /** Whether the last commit left unreferenced files. */
  private hasWaste = false;
  /** The first damage that was found while the index was used. */
  damage: string | undefined;
  private readonly stopHearing: () => void;
  private closed = false;
  private isDeleted = false;
  /** The same index after it was reopened. Readers continue there; writers are refused, because their writes may be missing there. */
  private successor: StoredIndex | undefined;
  /** Built in the background to replace another index, and not published yet. */
  private shadow = false;
  private readonly counters: IndexCounters = { refresh: 0, flush: 0, merge: 0, search: 0 };

  private constructor(
    name: string,
    directory: Directory,
    host: IndexHost,
    identity: { readonly uuid: string; readonly createdAt: number },
    definition: IndexDefinition,
  ) {
    this.name = name;
    this.directory = directory;
    this.store = new SegmentStore(directory, host.context);
    this.merging = new Merging({
      store: this.store,
      segments: () => this.documents.segments,
      merged: () => {
        this.counters.merge++;
        this.searchers.refresh();
      },
      failed: (error) => this.report('Merging segments failed.', error),
    });
    this.host = host;
    this.uuid = identity.uuid;
    this.createdAt = identity.createdAt;
    this.definition = definition;
    this.settings = { ...defaultSettings, ...definition.settings };
    this.mapper = host.mapperFactory(definition, name);
    this.documents = new DocumentsWriter({
      clock: host.clock,
      mapper: this.mapper,
      maxDocumentBytes: host.maxDocumentBytes,
      makeInThread: (document) => makeInThread(document, this.mapper, () => this.definition, this.store),
    });
    this.durability = new Durability(directory, {
      name,
      log: host.log,
      settings: () => this.settings,
      position: () => this.position,
      describe: () => this.describe(),
      failed: () => {
        this.maintenance.end();
        host.failed(this);
      },
    });
    this.maintenance = new Maintenance(host.bufferBytes, {
      refreshInterval: () => this.settings.refreshInterval,
      buffered: () => this.documents.buffered,
      readAhead: () => this.documents.buffer.readAhead(),
      logged: () => this.durability.bytes,
      refresh: () => this.refresh(),
      commit: () => this.commit(),
      failed: (what, error) => this.report(what, error),
    });
    this.batches = new Batches({
      documents: this.documents,
      durability: this.durability,
      maintenance: this.maintenance,
      check: (bytes) => {
        this.checkOpen();
        host.checkMemory(bytes);
      },
    });
    this.searchers = new SearcherManager({
      segments: () => this.documents.segments,
      settings: () => this.settings,
      host,
    });
    this.stopHearing = directory.durable
      ? onDamage(directory.label, (file, reason) => this.foundDamaged(file, reason))
      : () => undefined;
  }

  private foundDamaged(file: string, reason: string): void {
    const segment = this.documents.segments.find(({ core }) => core.label === file);
    if (segment?.damaged === true || this.closed) return;
    if (segment !== undefined) segment.damaged = true;
    this.damage ??= reason;
    this.host.log.write('error', 'A file of a search index is damaged.', { index: this.name, file, reason });
    this.host.damaged(this);
  }

  /** Makes a new index in an empty directory. */
  static async create(
    name: string,
    directory: Directory,
    host: IndexHost,
    definition: IndexDefinition,
    shadow = false,
  ): Promise<StoredIndex> {
    const identity = { uuid: randomUUID().replaceAll('-', '').slice(0, 22), createdAt: host.clock.now() };
    const index = await StoredIndex.make(name, directory, host, identity, definition);
    index.shadow = shadow;
    try {
      await index.durability.begin();
    } catch (error) {
      index.durability.close();
      throw error;
    }
    return index;
  }

  private static async make(
    name: string,
    directory: Directory,
    host: IndexHost,
    identity: { readonly uuid: string; readonly createdAt: number },
    definition: IndexDefinition,
  ): Promise<StoredIndex> {
    const { mappings, ...rest } = definition;
    const index = new StoredIndex(name, directory, host, identity, rest);
    // A large mapping is not made at once.
    if (index.mapper.mergeInSteps === undefined) return new StoredIndex(name, directory, host, identity, definition);
    if (mappings !== undefined && mappings !== null) await runTask(index.mapper.mergeInSteps(mappings));
    index.definition = definition;
    return index;
  }

  /**
   * Opens an index as its last commit and its translog left it.
   *
   * @param former the same index before it was reopened; its segments in memory are reused
   * @throws ProductError `SEARCH_DAMAGED`, `SEARCH_FORMAT`
   */
  static async open(name: string, directory: Directory, host: IndexHost, former?: StoredIndex): Promise<StoredIndex> {
    const manifest = await readManifest(directory);
    const definition = { ...manifest.definition, mappings: manifest.mappings };
    const index = await StoredIndex.makeStored(name, directory, host, manifest, definition);
    try {
      await index.recover(manifest, former?.documents.segments ?? []);
      if (former !== undefined) index.durability.doubt();
    } catch (error) {
      await index.abandon();
      throw error;
    }
    return index;
  }

  /** Makes an index of a stored definition, without parameters that an earlier release accepted and this one refuses. */
  private static async makeStored(
    name: string,
    directory: Directory,
    host: IndexHost,
    manifest: Manifest,
    definition: IndexDefinition,
  ): Promise<StoredIndex> {
    try {
      return await StoredIndex.make(name, directory, host, manifest, definition);
    } catch (error) {
      const upgraded = upgradeDefinition(definition, (each) => host.mapperFactory(each, name));
      if (upgraded === undefined || upgraded.dropped.length === 0) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      const { dropped } = upgraded;
      host.log.write('warn', 'Parameters of a search index that this version refuses were dropped.', {
        index: name,
        dropped,
        reason,
      });
      return StoredIndex.make(name, directory, host, manifest, upgraded.definition);
    }
  }

  private async recover(manifest: Manifest, known: readonly LiveSegment[]): Promise<void> {
    const { batches, documents, durability } = this;
    documents.seqNo = manifest.seqNo;
    batches.position = manifest.position;
    this.store.next = manifest.nextSegment;
    for (const entry of manifest.segments) documents.segments.push(await this.store.open(entry, known));
    const slices = new TimeSlices();
    await durability.recover(manifest, async (batch) => {
      for (const operation of batch.operations) {
        if (slices.isOver) await slices.yield();
        const made = documents.replay(operation);
        if (made !== undefined) await made;
      }
      if (batch.position !== undefined) batches.position = batch.position;
    });
    batches.acknowledged = documents.seqNo;
    await this.deleteUnreferencedFiles();
    await this.refresh();
    this.publish();
  }

  get position(): number {
    return this.batches.position;
  }

  /** Whether writes are refused until the index is reopened. */
  get hasFailed(): boolean {
    return this.durability.failure !== undefined;
  }

  /** The position that survives a crash for certain. */
  get durablePosition(): number {
    return this.durability.position;
  }

  private deleteUnreferencedFiles(): Promise<void> {
    return this.store.deleteUnreferencedFiles(this.durability.segments, this.documents.segments);
  }

  async apply(
    writes: readonly Write[],
    options: { readonly position?: number } = {},
  ): Promise<readonly OperationResult[]> {
    return await this.batches.apply(writes, options.position);
  }

  private report(what: string, error: unknown): void {
    if (this.closed) return;
    this.host.log.write('error', what, { index: this.name, reason: String(error) });
  }

  private checkOpen(): void {
    if (this.durability.failure !== undefined) throw this.durability.failure;
    if (this.closed) throw this.gone();
  }

  /** The error for a reader that still holds a deleted or closed index. */
  private gone(): Error {
    return this.isDeleted ? searchError('SEARCH_INDEX_NOT_FOUND', { index: this.name }) : searchError('SEARCH_CLOSED');
  }

  get(id: string): StoredDocument | undefined | Promise<StoredDocument | undefined> {
    const { batches, documents, durability, successor } = this;
    if (successor !== undefined) return successor.get(id);
    const found = documents.get(id);
    const latest = found?.seqNo ?? documents.deletion(id);
    if (latest <= batches.acknowledged || !this.directory.durable) return found;
    // A refused write stays in memory until the index is reopened, and it hides the version that it replaced.
    if (durability.failure !== undefined) throw durability.failure;
    return batches.getDurable(id);
  }

  refresh(): Promise<void> {
    this.maintenance.refreshAsked();
    return this.publishing.run(async () => {
      if (this.closed) return;
      if (this.durability.failure !== undefined) throw this.durability.failure;
      try {
        await this.flushLeft();
        await this.batches.between(() => this.freezeBuffer());
        await this.flushBuffer();
      } catch (error) {
        throw toClientError(this.name, error);
      }
    });
  }

  /** Flushes the buffer of a failed attempt, before the next buffer is frozen. */
  private async flushLeft(): Promise<void> {
    if (this.documents.flushing !== undefined) await this.flushBuffer();
  }

  /** Freezes the buffer. Call between batches: a running batch may still be refused. */
  private freezeBuffer(): Promise<void> {
    if (this.durability.failure !== undefined) throw this.durability.failure;
    this.maintenance.refreshing();
    this.documents.freeze();
    return Promise.resolve();
  }

  /** Flushes the frozen buffer and publishes its segment with the deletions. Call while `publishing` is held. */
  private async flushBuffer(): Promise<void> {
    const { documents } = this;
    const buffer = documents.flushing;
    if (buffer !== undefined) {
      const staged = documents.flushingDeleted;
      const segment = await this.store.flush(buffer, this.maintenance.threadBytes);
      await this.durability.vouch().catch((error: unknown) => {
        this.store.drop(segment);
        throw error;
      });
      // No await from here on: deletions made meanwhile are in `deleted` by now.
      if (buffer.liveRoots > 0) {
        const live = without(staged, buffer.docCount);
        const working = buffer.deleted.size > staged.size ? without(buffer.deleted, buffer.docCount) : live;
        segment.setDeletions(live, live, working);
        documents.segments.push(segment);
      } else this.store.drop(segment);
      documents.flushing = undefined;
      if (this.maintenance.fills(buffer.used)) documents.keep(buffer);
      else documents.dropSpare();
    } else if (!documents.hasNews) {
      return;
    } else await this.durability.vouch();
    this.counters.refresh++;
    this.publish();
    this.merging.start();
  }

  private publish(): void {
    this.documents.publish();
    this.searchers.refresh();
  }

  get maxClauses(): number {
    return this.host.maxClauses;
  }

  async forceMerge(
    options: { readonly maxSegments?: number; readonly onlyExpungeDeletes?: boolean } = {},
  ): Promise<void> {
    this.checkOpen();
    await this.refresh();
    await this.merging.force(options).catch((error: unknown) => {
      throw toClientError(this.name, error);
    });
  }

  commit(): Promise<void> {
    const done = this.commits.run(async () => {
      this.checkOpen();
      if (!this.directory.durable) {
        await this.publishing.run(async () => {
          await this.flushLeft();
          await this.batches.between(() => this.freezeBuffer());
          await this.flushBuffer();
        });
        this.durability.position = this.position;
        return;
      }
      try {
        await this.commitDurably();
      } catch (error) {
        throw this.commitFailed(error);
      }
    });
    // Before the next commit, but callers of this one do not wait for it: removing a log of 500 MB takes 0.1 s.
    void this.commits.run(() => this.clear());
    return done;
  }

  /** Ignores failures that pass (full disk, too many open files): the log still holds the writes, and the next commit retries. */
  private commitFailed(error: unknown): Error {
    const { durability } = this;
    if (durability.failure !== undefined) return durability.failure;
    return isPassing(error) ? durability.refusal(error) : durability.fail(error);
  }

  /** Removes files that the last commit no longer references. */
  private async clear(): Promise<void> {
    if (!this.hasWaste) return;
    this.hasWaste = false;
    try {
      await this.durability.trim();
      await this.deleteUnreferencedFiles();
    } catch (error) {
      this.report('Removing files of a search index that are not needed any more failed.', error);
    }
  }

  private async commitDurably(): Promise<void> {
    const input = await this.publishing.run(() => this.freezeForCommit());
    if (input === undefined) return;
    const { frozen, ...upTo } = input;
    await this.durability.sync();
    // In parallel: each write waits for the disk twice.
    const segments = await Promise.all(frozen.map((each) => this.store.write(each)));
    await this.durability.publishCommit({ ...upTo, segments });
    this.documents.dropSpare();
    this.counters.flush++;
    this.hasWaste = true;
  }

  /** Publishes all writes so far and starts a new log; undefined if there is nothing to commit. Call while `publishing` is held. */
  private async freezeForCommit(): Promise<CommitInput | undefined> {
    const { documents, durability } = this;
    if (durability.standsAt(this.position) && !documents.isChanged) return undefined;
    await this.flushLeft();
    const next = await durability.prepareNext();
    let isUsed = false;
    // In one step, and between batches: the buffer to flush and the log to replay end at the same write.
    const upTo = await this.batches
      .between(async () => {
        await this.freezeBuffer();
        isUsed = true;
        durability.switchTo(next);
        return { seqNo: documents.seqNo, position: this.position };
      })
      .finally(() => {
        if (!isUsed) next.close();
      });
    await this.flushBuffer();
    // Later deletions belong to the new log.
    const frozen = documents.segments.map((segment): Frozen => {
      const { generation, published } = segment;
      return { segment, generation, live: published };
    });
    return { ...upTo, frozen };
  }

  private describe(): ReturnType<DurabilityHost['describe']> {
    const { uuid, createdAt, definition } = this;
    const mappings = this.mapper.toJSON();
    const aside = this.shadow ? { aside: true } : {};
    return { uuid, createdAt, definition, mappings, nextSegment: this.store.next, ...aside };
  }

  async updateDefinition(change: Partial<IndexDefinition>): Promise<void> {
    this.checkOpen();
    // At once, so that changes of several indices are seen together, and none is made of a definition that another change replaces.
    const before = this.definition;
    const changed = { ...before, ...change };
    this.define(changed);
    try {
      await this.commits.run(() => this.durability.writePoint());
    } catch (error) {
      if (this.definition === changed) this.define(before);
      // Other parts of the change, such as fields, are as the files have them once the index is reopened.
      throw this.durability.failure ?? this.durability.fail(error);
    }
  }

  private define(definition: IndexDefinition): void {
    this.definition = definition;
    this.settings = { ...defaultSettings, ...definition.settings };
    this.searchers.refresh();
  }

  /** Commits, and durably marks this shadow index as the index of its name. */
  async leaveShadow(): Promise<void> {
    await this.commit();
    await this.commits.run(async () => {
      this.checkOpen();
      this.shadow = false;
      await this.durability.writePoint();
    });
  }

  searcher(counts = true): Searcher {
    if (this.successor !== undefined) return this.successor.searcher(counts);
    if (this.closed) throw this.gone();
    if (counts) this.counters.search++;
    return this.searchers.current.retain();
  }

  /** Bytes in memory: segments and buffers. */
  get memory(): number {
    return this.documents.memory;
  }

  stats(): IndexStats {
    return indexStats(
      this.documents,
      this.batches.acknowledged,
      this.durability,
      this.searchers.current,
      this.counters,
    );
  }

  /** Commits and closes the files. */
  async close(): Promise<void> {
    if (this.closed) return;
    try {
      if (this.durability.failure === undefined) await this.commit();
      else await this.durability.cut();
    } finally {
      await this.abandon();
    }
  }

  /** Closes without a commit, also the files that searches read: the index was never published, or the engine ends. */
  async abandon(): Promise<void> {
    await this.end();
    this.documents.close();
  }

  /** Ends all work of a deleted index; the last search that reads a segment closes its file. */
  async retire(): Promise<void> {
    this.isDeleted = true;
    await this.end();
    this.documents.release();
    this.searchers.release();
  }

  /** Ends all work after a failure; searches still read the last state. */
  async stop(): Promise<void> {
    this.merging.end();
    this.maintenance.end();
    this.durability.end();
    await this.batches.between(() => Promise.resolve());
    await this.publishing.run(() => Promise.resolve());
    await this.commits.run(() => Promise.resolve());
    await this.merging.underWay;
  }

  /** Cuts the log back to the last acknowledged write. */
  async cutLog(): Promise<void> {
    await this.durability.cut();
  }

  /** Closes this index for its successor; running searches keep their files open. */
  async leave(successor?: StoredIndex): Promise<void> {
    this.successor = successor;
    this.closed = true;
    this.stopHearing();
    await this.store.close();
    this.durability.close();
    this.documents.release();
    this.searchers.release();
  }

  private async end(): Promise<void> {
    this.closed = true;
    this.stopHearing();
    await this.stop();
    await this.store.close();
    this.durability.close();
  }
}
