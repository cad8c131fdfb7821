// A set of named indices in one directory: creates, opens and deletes them, and keeps their memory within one budget.
import { existsSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, codeOf, isProductError, type Log, reasonOf, silentLog, systemClock } from '@lockstitch/kernel';
import type { Directory } from '../directory/directory.ts';
import { fileDirectory } from '../directory/file.ts';
import { folderFault } from '../directory/folder-fault.ts';
import { memoryDirectory } from '../directory/memory.ts';
import { searchError } from '../errors/search-errors.ts';
import type { DamagedIndex, Engine, Index, MapperFactory } from './engine-api.ts';
import type { IndexDefinition } from '../settings/index-definition.ts';
import { findFolders, findUnfinished, isForeign } from './find-folders.ts';
import { UNFINISHED } from '../directory/index-files.ts';
import type { IndexHost } from './index-host.ts';
import { type IndexList, openIndexList, writeIndexList } from './index-list.ts';
import { checkIndexName, folderOf, generationOf, nameOf } from './index-names.ts';
import { MANIFEST, readManifest } from './manifest.ts';
import { type Metadata, METADATA, openMetadata } from './metadata.ts';
import { toClientError } from './no-room.ts';
import { copyFolder } from './snapshot.ts';
import { StoredIndex } from './stored-index.ts';
import { BlockCache } from '../index/block-cache.ts';
import { EngineContext } from '../index/engine-context.ts';

/** How an engine is set up. */
export interface EngineOptions {
  /** Where the indices live; memory by default. */
  readonly directory?: Directory | undefined;
  /** Makes the mapper of each index. */
  readonly mapperFactory: MapperFactory;
  /** Bytes that indices and buffers may take in memory; 4 GB by default. Writes beyond are refused with 429. */
  readonly memoryBudget?: number | undefined;
  /**
   * Bytes of a full buffer, per index; 36 MB by default. A full buffer is flushed without waiting for a refresh. Twice as much may be held
   * while writes come faster than they are flushed.
   */
  readonly bufferBytes?: number | undefined;
  /** Bytes of one document's source at most; 100 MB by default, as Elasticsearch's `http.max_content_length`. */
  readonly maxDocumentBytes?: number | undefined;
  /** Clauses of one boolean query at most; 1,024 by default. */
  readonly maxClauses?: number | undefined;
  /** Maximum depth of nested queries; 100 by default. */
  readonly maxQueryDepth?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
  /** Called when damage is found in an index that is open; `damaged` lists those that were damaged when the engine opened. */
  readonly onDamage?: ((index: string) => void) | undefined;
}

/**
 * Opens an engine on a directory, with every index as it was left.
 *
 * An index that cannot be read is among `damaged`; the others are served.
 *
 * @throws ProductError `SEARCH_LOCKED` when another process has the directory; `SEARCH_NOT_WRITABLE`
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const engine = new DirectoryEngine(options);
  await engine.open();
  return engine;
}

const DEFAULT_BUDGET = 4 * 2 ** 30;
/** Milliseconds before the next attempt to reopen an index that accepts no writes; longer with each attempt. */
const RETRY_MS = 100;
const MOST_PAUSES = 50;

class DirectoryEngine implements Engine {
  private readonly directory: Directory;
  private readonly options: EngineOptions;
  private readonly byName = new Map<string, StoredIndex>();
  private readonly host: IndexHost;
  /** Indices that are being created or deleted, by name: they have the folder until they are done. */
  private readonly changing = new Map<string, Promise<unknown>>();
  /** The folder of an index; that of its name unless it is a shadow index. */
  private readonly folders = new Map<StoredIndex, string>();
  private readonly shadows = new Set<StoredIndex>();
  /** Damaged indices that are not served, by name. */
  private readonly broken = new Map<string, DamagedIndex & { readonly folder: string }>();
  /** Indices that are being opened again, by name. */
  private readonly reopening = new Map<string, Promise<void>>();
  private readonly closing = Promise.withResolvers<undefined>();
  private closed = false;
  private kept: Metadata | undefined;
  private list: IndexList | undefined;

  constructor(options: EngineOptions) {
    this.options = options;
    this.directory = options.directory ?? memoryDirectory();
    this.host = {
      clock: options.clock ?? systemClock,
      log: options.log ?? silentLog,
      context: new EngineContext(),
      mapperFactory: options.mapperFactory,
      bufferBytes: options.bufferBytes ?? 36 << 20,
      maxDocumentBytes: options.maxDocumentBytes ?? 100 << 20,
      maxClauses: options.maxClauses ?? 1024,
      maxQueryDepth: options.maxQueryDepth ?? 100,
      checkMemory: (bytes) => this.checkMemory(bytes),
      damaged: (index) => {
        const { name } = index as StoredIndex;
        if (this.byName.get(name) === index) this.options.onDamage?.(name);
      },
      failed: (index) => this.reopen(index as StoredIndex),
    };
  }

  async open(): Promise<void> {
    try {
      await this.directory.lock();
    } catch (error) {
      throw this.unusable(error);
    }
    try {
      this.list = await openIndexList(this.directory, this.host.log);
      this.kept = await openMetadata(this.directory, METADATA, this.list.hasMetadata);
      if (this.kept.damage !== undefined) {
        const reason = this.kept.damage.message;
        this.host.log.write('error', 'Templates and cluster settings cannot be read; what needs them is refused.', {
          reason,
        });
      }
      // Written by an earlier release, or given up by an operator.
      const hasMetadata = this.kept.damage !== undefined || this.kept.value !== undefined;
      if (hasMetadata !== this.list.hasMetadata) await this.list.setMetadata(hasMetadata);
      const unfinished = await findUnfinished(this.directory);
      for (const [name, { folder, error }] of await findFolders(this.directory, this.host.log)) {
        const directory = await this.directory.directory(folder);
        try {
          if (error !== undefined) throw error;
          this.register(name, folder, await StoredIndex.open(name, directory, this.host));
        } catch (reason) {
          if (WIDE.has(codeOf(reason))) throw reason;
          await this.setAside(name, folder, reason);
        }
      }
      for (const name of this.list.names()) {
        if (unfinished.has(name) && !this.has(name)) await this.list.remove(name);
        else if (!this.has(name)) this.setMissing(name);
      }
      // Indices of an earlier release, and restored folders. A list that cannot be written is written at the next change.
      for (const name of this.byName.keys()) if (!this.list.has(name)) await this.list.add(name).catch(() => undefined);
    } catch (error) {
      for (const index of this.byName.values()) await index.abandon();
      await this.directory.unlock();
      throw this.unusable(error);
    }
  }

  /** Turns an error of the operating system about the directory into SEARCH_NOT_WRITABLE; returns any other as it is. */
  private unusable(error: unknown): unknown {
    const reason = folderFault(error);
    if (reason === undefined) return error;
    return searchError('SEARCH_NOT_WRITABLE', { directory: this.directory.label, reason }, { cause: error });
  }

  /** Marks an index as red. Does not create its folder, so that it can be restored. */
  private setMissing(name: string): void {
    const folder = folderOf(name);
    const { message } = searchError('SEARCH_DAMAGED', {
      file: `${this.directory.label}/${folder}`,
      reason: 'its folder is missing',
    });
    this.host.log.write('error', 'A search index cannot be read and is not served.', { index: name, reason: message });
    this.broken.set(name, {
      name,
      folder,
      uuid: undefined,
      definition: undefined,
      reason: shorter(message, this.directory),
    });
  }

  /** Marks an unreadable index as damaged: it is not served, and its name stays taken. */
  private async setAside(name: string, folder: string, error: unknown): Promise<void> {
    const reason = reasonOf(error);
    this.host.log.write('error', 'A search index cannot be read and is not served.', { index: name, reason });
    const directory = await this.directory.directory(folder);
    // What is wrong was logged above; without a manifest less is known of the index.
    const manifest = await readManifest(directory).catch(() => undefined);
    const definition = manifest && { ...manifest.definition, mappings: manifest.mappings };
    this.broken.set(name, { name, folder, uuid: manifest?.uuid, definition, reason: shorter(reason, this.directory) });
  }

  /**
   * Reopens an index that accepts no writes. Its files hold what was acknowledged, and nothing that was refused. Running searches
   * still read the former state, and the disk may still be full.
   */
  private reopen(index: StoredIndex): void {
    const { name } = index;
    if (this.closed || this.byName.get(name) !== index || this.reopening.has(name)) return;
    const done = this.tryReopening(index)
      .catch((error: unknown) => {
        this.host.log.write('error', 'Opening a search index again failed.', { index: name, reason: reasonOf(error) });
      })
      .finally(() => {
        this.reopening.delete(name);
        // The reopened index may have failed again in the meantime.
        const again = this.byName.get(name);
        if (again !== index && again?.hasFailed === true) this.reopen(again);
      });
    this.reopening.set(name, done);
  }

  private async tryReopening(index: StoredIndex): Promise<void> {
    const { name } = index;
    const isWanted = (): boolean => !this.closed && this.byName.get(name) === index;
    await index.stop();
    for (let attempt = 1; isWanted(); attempt++) {
      const folder = this.folders.get(index)!;
      try {
        await index.cutLog();
        const again = await StoredIndex.open(name, await this.directory.directory(folder), this.host, index);
        if (!isWanted()) {
          await again.abandon();
          return;
        }
        this.register(name, folder, again);
        this.folders.delete(index);
        await index.leave(again);
        this.host.log.write('info', 'A search index takes writes again.', { index: name });
        return;
      } catch (error) {
        if (!isWanted()) return;
        if (isDamage(error)) {
          this.byName.delete(name);
          this.folders.delete(index);
          await this.setAside(name, folder, error);
          await index.leave();
          this.options.onDamage?.(name);
          return;
        }
        this.host.log.write('error', 'A search index cannot be opened again; trying again.', {
          index: name,
          reason: reasonOf(error),
        });
        await Promise.race([pause(RETRY_MS * Math.min(attempt, MOST_PAUSES)), this.closing.promise]);
      }
    }
  }

  private register(name: string, folder: string, index: StoredIndex): void {
    this.byName.set(name, index);
    this.folders.set(index, folder);
  }

  private checkMemory(bytes: number): void {
    const limit = this.options.memoryBudget ?? DEFAULT_BUDGET;
    let used = bytes;
    for (const index of this.byName.values()) used += index.memory;
    for (const index of this.shadows) used += index.memory;
    if (used > limit)
      throw searchError('SEARCH_MEMORY', { label: 'parent', what: '<index_write>', wanted: used, limit });
    this.host.context.part(BlockCache).trim(limit - used);
  }

  private checkOpen(): void {
    if (this.closed) throw searchError('SEARCH_CLOSED');
  }

  get metadata(): unknown {
    return this.kept?.value;
  }

  get folder(): string | undefined {
    return this.directory.durable ? this.directory.label : undefined;
  }

  get metadataDamage(): string | undefined {
    const damage = this.kept?.damage;
    return damage && shorter(damage.message, this.directory);
  }

  async updateMetadata(value: unknown): Promise<void> {
    this.checkOpen();
    if (this.metadataDamage !== undefined)
      throw searchError('SEARCH_METADATA_DAMAGED', { reason: this.metadataDamage });
    await this.kept?.update(value).catch((error: unknown) => {
      throw toClientError('_metadata', error);
    });
    if (this.list?.hasMetadata === false) await this.list.setMetadata(true);
  }

  async createIndex(name: string, definition: IndexDefinition = {}): Promise<Index> {
    this.checkOpen();
    checkIndexName(name);
    // A second caller waits for the first. Then the index exists, or the second caller creates it.
    for (let first = this.changing.get(name); first !== undefined; first = this.changing.get(name))
      // The first caller gets its failure.
      await first.catch(() => undefined);
    if (this.has(name)) throw searchError('SEARCH_INDEX_EXISTS', { index: name });
    return this.change(name, this.create(name, definition));
  }

  /** Keeps others from creating an index of the name until the work is done. */
  private async change<Result>(name: string, work: Promise<Result>): Promise<Result> {
    this.changing.set(name, work);
    try {
      return await work;
    } finally {
      this.changing.delete(name);
    }
  }

  private async create(name: string, definition: IndexDefinition): Promise<Index> {
    const folder = folderOf(name);
    await this.checkFree(folder);
    try {
      const directory = await this.directory.directory(folder);
      await markUnfinished(directory);
      const index = await StoredIndex.create(name, directory, this.host, definition);
      await directory.remove(UNFINISHED);
      await this.list?.add(name).catch(async (error: unknown) => {
        await index.abandon();
        throw error;
      });
      this.register(name, folder, index);
      return index;
    } catch (error) {
      // The next opening removes an unfinished folder.
      await this.directory.removeDirectory(folder).catch(() => undefined);
      throw toClientError(name, error);
    }
  }

  /** @throws ProductError `SEARCH_FOREIGN_FOLDER` if the folder exists and is not an index */
  private async checkFree(folder: string): Promise<void> {
    if (!(await this.directory.directories()).includes(folder)) return;
    const directory = await this.directory.directory(folder);
    if (await isForeign(folder, directory)) throw searchError('SEARCH_FOREIGN_FOLDER', { folder: directory.label });
  }

  async createShadow(name: string, definition: IndexDefinition = {}): Promise<Index> {
    this.checkOpen();
    checkIndexName(name);
    const taken = (await this.directory.directories()).filter((folder) => nameOf(folder) === name);
    const folder = `${folderOf(name)}@${1 + Math.max(0, ...taken.map((each) => generationOf(each)))}`;
    try {
      const directory = await this.directory.directory(folder);
      await markUnfinished(directory);
      const index = await StoredIndex.create(name, directory, this.host, definition, true);
      await directory.remove(UNFINISHED);
      this.folders.set(index, folder);
      this.shadows.add(index);
      return index;
    } catch (error) {
      // The next opening removes an unfinished folder.
      await this.directory.removeDirectory(folder).catch(() => undefined);
      throw toClientError(name, error);
    }
  }

  async replaceIndex(shadow: Index): Promise<void> {
    const index = this.shadowOf(shadow);
    await index.leaveShadow();
    // The index is found by its folder as well; the list is written at the next change.
    if (this.list?.has(index.name) === false) await this.list.add(index.name).catch(() => undefined);
    const former = this.byName.get(index.name);
    this.shadows.delete(index);
    this.byName.set(index.name, index);
    await this.reopening.get(index.name);
    const broken = this.broken.get(index.name);
    this.broken.delete(index.name);
    if (former !== undefined) await this.remove(former, () => former.retire());
    if (broken !== undefined) await this.removeFolder(broken.folder);
  }

  async discardShadow(shadow: Index): Promise<void> {
    const index = this.shadowOf(shadow);
    this.shadows.delete(index);
    await this.remove(index, () => index.abandon());
  }

  private shadowOf(index: Index): StoredIndex {
    this.checkOpen();
    const found = [...this.shadows].find((each) => each === index);
    if (found === undefined) throw searchError('SEARCH_INDEX_NOT_FOUND', { index: index.name });
    return found;
  }

  async deleteIndex(name: string): Promise<void> {
    this.checkOpen();
    const broken = this.broken.get(name);
    if (broken !== undefined) {
      await this.list?.remove(name);
      await this.removeFolder(broken.folder);
      this.broken.delete(name);
      return;
    }
    const index = this.byName.get(name);
    if (index === undefined) throw searchError('SEARCH_INDEX_NOT_FOUND', { index: name });
    this.byName.delete(name);
    await this.change(name, this.retire(index));
  }

  private async retire(index: StoredIndex): Promise<void> {
    const { name } = index;
    await this.reopening.get(name);
    // Open scrolls, points in time and copies still read its files. A closed descriptor may soon belong to another file.
    await this.remove(index, async () => {
      await index.retire();
      await this.list?.remove(name);
    });
  }

  private async remove(index: StoredIndex, end: () => Promise<void>): Promise<void> {
    const folder = this.folders.get(index)!;
    this.folders.delete(index);
    await end();
    await this.removeFolder(folder);
  }

  private async removeFolder(folder: string): Promise<void> {
    const directory = await this.directory.directory(folder);
    // The manifest goes first, so that a crash leaves no partial index. The mark says that no index was lost, and needs no room on a full disk.
    if (await directory.exists(MANIFEST)) await directory.rename(MANIFEST, UNFINISHED);
    // Windows refuses while a search still reads a file. Without its manifest, the next opening removes the folder.
    await this.directory.removeDirectory(folder).catch(() => undefined);
  }

  index(name: string): Index {
    this.checkOpen();
    const index = this.byName.get(name);
    if (index !== undefined) return index;
    const broken = this.broken.get(name);
    if (broken === undefined) throw searchError('SEARCH_INDEX_NOT_FOUND', { index: name });
    throw searchError('SEARCH_INDEX_RED', { index: name, reason: broken.reason });
  }

  has(name: string): boolean {
    return this.byName.has(name) || this.broken.has(name);
  }

  damaged(): readonly DamagedIndex[] {
    return [...this.broken.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  indices(): readonly Index[] {
    return [...this.byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async snapshot(folder: string, isWanted: (name: string) => boolean): Promise<readonly string[]> {
    this.checkOpen();
    const { folder: own } = this;
    if (own === undefined)
      throw searchError('SEARCH_NOT_WRITABLE', { directory: this.directory.label, reason: 'it is not on a disk' });
    const copied: string[] = [];
    // Asked before the first is copied: later one of them may be gone.
    const wanted = [...this.indices(), ...this.damaged()].filter(({ name }) => isWanted(name));
    for (const { name } of wanted) {
      const to = join(folder, folderOf(name));
      await this.copyIndex(own, name, to);
      if (existsSync(to)) copied.push(name);
    }
    const hasMetadata = this.list?.hasMetadata === true;
    if (hasMetadata) await copyFile(join(own, METADATA), join(folder, METADATA));
    await writeIndexList(fileDirectory(folder), copied, hasMetadata);
    return copied;
  }

  /** Copies one index as it is served now, or nothing if it is no longer there. */
  private async copyIndex(own: string, name: string, to: string): Promise<void> {
    const index = this.byName.get(name);
    const broken = this.broken.get(name);
    if (broken !== undefined && existsSync(join(own, broken.folder))) await copyFolder(join(own, broken.folder), to);
    if (index === undefined) return;
    try {
      await index.copyTo(to);
    } catch (error) {
      await rm(to, { recursive: true, force: true });
      // Replaced, reopened or deleted meanwhile, with its files.
      if (this.byName.get(name) === index) throw error;
      await this.copyIndex(own, name, to);
    }
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.closing.resolve(undefined);
    await Promise.all(this.reopening.values());
    let failed: { readonly error: unknown } | undefined;
    const attempt = (error: unknown): void => void (failed ??= { error });
    try {
      for (const index of this.shadows) await index.abandon().catch(attempt);
      for (const index of this.byName.values()) await index.close().catch(attempt);
    } finally {
      await this.directory.unlock();
    }
    if (failed !== undefined) throw failed.error;
  }
}

/** Marks a folder as unfinished, until it has a manifest. */
async function markUnfinished(directory: Directory): Promise<void> {
  if (directory.durable) (await directory.openAppend(UNFINISHED, 0)).close();
}

/** Errors of the operating system that concern the whole engine and not one index. */
const WIDE: ReadonlySet<unknown> = new Set(['EROFS', 'EMFILE', 'ENFILE']);
const DAMAGE: ReadonlySet<string> = new Set(['SEARCH_DAMAGED', 'SEARCH_FORMAT']);

/** Whether another attempt would fail the same way. */
function isDamage(error: unknown): boolean {
  return isProductError(error) && DAMAGE.has(error.code);
}

/** A reason without the folder of the engine: clients do not see paths of the server. */
function shorter(reason: string, { label }: Directory): string {
  return reason.replaceAll(`${label}/`, '');
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds).unref());
}
