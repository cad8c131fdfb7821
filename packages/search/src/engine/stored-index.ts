// One index: its parts, and its life from opening to closing. Not here: batches of writes (batches.ts), what a write does
// (documents-writer.ts), refreshes (publishing.ts), commits (committing.ts), what survives a crash (durability.ts), merges (merging.ts), what
// searches see (searcher-manager.ts), and when an index refreshes and commits by itself (maintenance.ts).
import { randomUUID } from 'node:crypto';
import { reasonOf } from '@lockstitch/kernel';
import type { Directory } from '../directory/directory.ts';
import { searchError } from '../errors/search-errors.ts';
import type { DocumentMapper } from '../index/indexed-document.ts';
import type { OperationResult, StoredDocument, Write } from '../index/operation.ts';
import type { Searcher } from '../collect/search-request.ts';
import { onDamage } from '../index/damage.ts';
import { runTask, TimeSlices } from '../tasks/scheduler.ts';
import { Batches } from './batches.ts';
import { Committing } from './committing.ts';
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
import { toClientError } from './no-room.ts';
import { Publishing } from './publishing.ts';
import { SearcherManager } from './searcher-manager.ts';
import type { LiveSegment } from './segment-set.ts';
import { copyCommit } from './snapshot.ts';
import { SegmentStore } from './segment-store.ts';
import { Maintenance } from './maintenance.ts';

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
  private readonly publishing: Publishing;
  private readonly committing: Committing;
  private readonly batches: Batches;
  private readonly merging: Merging;
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
    this.definition = definition;
    this.settings = { ...defaultSettings, ...definition.settings };
    this.store = new SegmentStore(directory, host.context, this.settings.sort);
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
    const { batches, documents, durability, maintenance, store } = this;
    this.publishing = new Publishing({
      batches,
      documents,
      durability,
      maintenance,
      store,
      published: () => {
        this.counters.refresh++;
        this.searchers.refresh();
        this.merging.start();
      },
    });
    this.committing = new Committing({
      isDurable: directory.durable,
      batches,
      documents,
      durability,
      publishing: this.publishing,
      store,
      committed: () => void this.counters.flush++,
      report: (what, error) => this.report(what, error),
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
      const reason = reasonOf(error);
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
    await this.committing.deleteUnreferencedFiles();
    await this.refresh();
    documents.publish();
    this.searchers.refresh();
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

  async apply(
    writes: readonly Write[],
    options: { readonly position?: number } = {},
  ): Promise<readonly OperationResult[]> {
    return await this.batches.apply(writes, options.position);
  }

  private report(what: string, error: unknown): void {
    if (this.closed) return;
    this.host.log.write('error', what, { index: this.name, reason: reasonOf(error) });
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
    return this.publishing.hold(async () => {
      if (this.closed) return;
      if (this.durability.failure !== undefined) throw this.durability.failure;
      await this.publishing.all().catch((error: unknown) => {
        throw toClientError(this.name, error);
      });
    });
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
    return this.committing.commit(() => this.checkOpen());
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
      await this.committing.hold(() => this.durability.writePoint());
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

  /** Copies the index into a new folder as it is on disk, all acknowledged writes included. */
  async copyTo(folder: string): Promise<void> {
    // So that the log to copy is short. A full disk may prevent it: the log holds what was written.
    await this.commit().catch(() => undefined);
    await this.committing.hold(() => copyCommit(this.directory, folder));
  }

  /** Commits, and durably marks this shadow index as the index of its name. */
  async leaveShadow(): Promise<void> {
    await this.commit();
    await this.committing.hold(async () => {
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
    await this.publishing.hold(() => Promise.resolve());
    await this.committing.hold(() => Promise.resolve());
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
