// A set of named indices in one directory: creates, opens and deletes them, and keeps their memory within one budget.
import { type Clock, type Log, silentLog, systemClock } from '@lockstitch/kernel';
import type { Directory } from '../directory/directory.ts';
import { folderFault } from '../directory/folder-fault.ts';
import { memoryDirectory } from '../directory/memory.ts';
import { searchError } from '../errors.ts';
import type { Engine, Index, IndexDefinition, MapperFactory } from './engine-api.ts';
import { isIndexFile } from './index-files.ts';
import type { IndexHost } from './index-host.ts';
import { MANIFEST, readManifest } from './manifest.ts';
import { type Metadata, openMetadata } from './metadata.ts';
import { StoredIndex } from './stored-index.ts';
import { trimBlocks } from '../index/block-cache.ts';

/** How an engine is set up. */
export interface EngineOptions {
  /** Where the indices live; memory by default. */
  readonly directory?: Directory | undefined;
  /** Makes the mapper of each index. */
  readonly mapperFactory: MapperFactory;
  /** Bytes that indices and buffers may take in memory; 4 GB by default. Writes beyond are refused with 429. */
  readonly memoryBudget?: number | undefined;
  /**
   * Bytes of documents not refreshed yet from which they become a segment, for each index; 36 MB by default. Twice as much may be held
   * while writes come faster than segments are made.
   */
  readonly bufferBytes?: number | undefined;
  /** Bytes of one document's source at most; 100 MB by default, as Elasticsearch's `http.max_content_length`. */
  readonly maxDocumentBytes?: number | undefined;
  /** Clauses of one boolean query at most; 1,024 by default. */
  readonly maxClauses?: number | undefined;
  /** Queries in queries at most; 100 by default. */
  readonly maxQueryDepth?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

/**
 * Opens an engine on a directory, with every index as it was left.
 *
 * @throws ProductError `SEARCH_LOCKED` when another process has the directory; `SEARCH_NOT_WRITABLE`; `SEARCH_DAMAGED`, `SEARCH_FORMAT` when an index
 *   cannot be read: nothing is served rather than part of it
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const engine = new DirectoryEngine(options);
  await engine.open();
  return engine;
}

const DEFAULT_BUDGET = 4 * 2 ** 30;

class DirectoryEngine implements Engine {
  private readonly directory: Directory;
  private readonly options: EngineOptions;
  private readonly byName = new Map<string, StoredIndex>();
  private readonly host: IndexHost;
  private readonly creating = new Map<string, Promise<Index>>();
  /** The folder of an index; that of its name unless it was made aside. */
  private readonly folders = new Map<StoredIndex, string>();
  private readonly asides = new Set<StoredIndex>();
  private closed = false;
  private kept: Metadata | undefined;

  constructor(options: EngineOptions) {
    this.options = options;
    this.directory = options.directory ?? memoryDirectory();
    this.host = {
      clock: options.clock ?? systemClock,
      log: options.log ?? silentLog,
      mapperFactory: options.mapperFactory,
      bufferBytes: options.bufferBytes ?? 36 << 20,
      maxDocumentBytes: options.maxDocumentBytes ?? 100 << 20,
      maxClauses: options.maxClauses ?? 1024,
      maxQueryDepth: options.maxQueryDepth ?? 100,
      checkMemory: (bytes) => this.checkMemory(bytes),
    };
  }

  async open(): Promise<void> {
    try {
      await this.directory.lock();
    } catch (error) {
      throw this.unusable(error);
    }
    try {
      this.kept = await openMetadata(this.directory);
      for (const [name, folder] of await this.findFolders()) {
        const index = await StoredIndex.open(name, await this.directory.directory(folder), this.host);
        this.register(name, folder, index);
      }
    } catch (error) {
      for (const index of this.byName.values()) await index.abandon();
      await this.directory.unlock();
      throw this.unusable(error);
    }
  }

  /** The refusal for what the operating system does not let an engine do in its directory; any other error as it is. */
  private unusable(error: unknown): unknown {
    const reason = folderFault(error);
    if (reason === undefined) return error;
    return searchError('SEARCH_NOT_WRITABLE', { directory: this.directory.label, reason }, { cause: error });
  }

  /**
   * The folder of each index. What a crash left unfinished is removed: creations, deletions, and what was replaced. A folder that an
   * engine cannot have made stays as it is.
   */
  private async findFolders(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const folder of await this.directory.directories()) {
      const directory = await this.directory.directory(folder);
      if (await isForeign(folder, directory)) {
        this.host.log.write('warn', 'A folder among the indices is none of an index and is left alone.', { folder });
        continue;
      }
      if (!(await directory.exists(MANIFEST)) || (isAside(folder) && (await readManifest(directory)).aside === true)) {
        await this.directory.removeDirectory(folder);
        continue;
      }
      const name = nameOf(folder);
      const other = found.get(name);
      // Of two that both count, the later has taken the place of the earlier, whose removal was cut off.
      const [older, newer] =
        other === undefined || generationOf(other) < generationOf(folder) ? [other, folder] : [folder, other];
      if (older !== undefined) await this.directory.removeDirectory(older);
      found.set(name, newer);
    }
    return found;
  }

  private register(name: string, folder: string, index: StoredIndex): void {
    this.byName.set(name, index);
    this.folders.set(index, folder);
  }

  private checkMemory(bytes: number): void {
    const limit = this.options.memoryBudget ?? DEFAULT_BUDGET;
    let used = bytes;
    for (const index of this.byName.values()) used += index.memory;
    for (const index of this.asides) used += index.memory;
    if (used > limit) {
      throw searchError('SEARCH_MEMORY', { label: 'parent', what: '<index_write>', wanted: used, limit });
    }
    trimBlocks(limit - used);
  }

  private checkOpen(): void {
    if (this.closed) throw searchError('SEARCH_CLOSED');
  }

  get metadata(): unknown {
    return this.kept?.value;
  }

  async updateMetadata(value: unknown): Promise<void> {
    this.checkOpen();
    await this.kept?.update(value);
  }

  async createIndex(name: string, definition: IndexDefinition = {}): Promise<Index> {
    this.checkOpen();
    checkIndexName(name);
    // Who comes second learns that there is one when it is there to be used; or makes it, where it could not be made.
    for (let first = this.creating.get(name); first !== undefined; first = this.creating.get(name))
      await first.catch(() => undefined);
    if (this.byName.has(name)) throw searchError('SEARCH_INDEX_EXISTS', { index: name });
    const made = this.create(name, definition);
    this.creating.set(name, made);
    try {
      return await made;
    } finally {
      this.creating.delete(name);
    }
  }

  private async create(name: string, definition: IndexDefinition): Promise<Index> {
    const folder = folderOf(name);
    await this.checkFree(folder);
    const directory = await this.directory.directory(folder);
    try {
      const index = await StoredIndex.create(name, directory, this.host, definition);
      this.register(name, folder, index);
      return index;
    } catch (error) {
      await this.directory.removeDirectory(folder);
      throw error;
    }
  }

  /** @throws ProductError `SEARCH_FOREIGN_FOLDER` when something that is no index stands there */
  private async checkFree(folder: string): Promise<void> {
    if (!(await this.directory.directories()).includes(folder)) return;
    const directory = await this.directory.directory(folder);
    if (await isForeign(folder, directory)) throw searchError('SEARCH_FOREIGN_FOLDER', { folder: directory.label });
  }

  async createAside(name: string, definition: IndexDefinition = {}): Promise<Index> {
    this.checkOpen();
    checkIndexName(name);
    const taken = (await this.directory.directories()).filter((folder) => nameOf(folder) === name);
    const folder = `${folderOf(name)}@${1 + Math.max(0, ...taken.map((each) => generationOf(each)))}`;
    const directory = await this.directory.directory(folder);
    const index = await StoredIndex.create(name, directory, this.host, definition, true);
    this.folders.set(index, folder);
    this.asides.add(index);
    return index;
  }

  async replaceIndex(aside: Index): Promise<void> {
    const index = this.asideOf(aside);
    await index.settle();
    const former = this.byName.get(index.name);
    this.asides.delete(index);
    this.byName.set(index.name, index);
    if (former !== undefined) await this.remove(former, () => former.retire());
  }

  async discardAside(aside: Index): Promise<void> {
    const index = this.asideOf(aside);
    this.asides.delete(index);
    await this.remove(index, () => index.abandon());
  }

  private asideOf(index: Index): StoredIndex {
    this.checkOpen();
    const found = [...this.asides].find((each) => each === index);
    if (found === undefined) throw searchError('SEARCH_INDEX_NOT_FOUND', { index: index.name });
    return found;
  }

  async deleteIndex(name: string): Promise<void> {
    this.checkOpen();
    const index = this.byName.get(name);
    if (index === undefined) throw searchError('SEARCH_INDEX_NOT_FOUND', { index: name });
    this.byName.delete(name);
    // Scrolls, points in time and copies of it that are open read on: the number of a file that is closed may soon be another file's.
    await this.remove(index, () => index.retire());
  }

  private async remove(index: StoredIndex, end: () => Promise<void>): Promise<void> {
    const folder = this.folders.get(index)!;
    this.folders.delete(index);
    await end();
    // The manifest first: a crash half-way leaves no index with holes.
    await (await this.directory.directory(folder)).remove(MANIFEST);
    // Windows refuses while a search still reads a file; without its manifest the folder goes at the next opening.
    await this.directory.removeDirectory(folder).catch(() => undefined);
  }

  index(name: string): Index {
    this.checkOpen();
    const index = this.byName.get(name);
    if (index === undefined) throw searchError('SEARCH_INDEX_NOT_FOUND', { index: name });
    return index;
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }

  indices(): readonly Index[] {
    return [...this.byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    try {
      for (const index of this.asides) await index.abandon();
      for (const index of this.byName.values()) await index.close();
    } finally {
      await this.directory.unlock();
    }
  }
}

/** Files that stand beside the folders of indexes. */
// `lock` is a file of earlier versions.
const TAKEN: ReadonlySet<string> = new Set(['lock', 'metadata', 'metadata.tmp']);
/** Bytes of a name in a file system, without room for the `@` and generation of what is made aside. */
const LONGEST_FOLDER = 255 - 12;

/** Whether a folder is somebody else's: of a name that no index has, or without a manifest and with anything that is not an index's. */
async function isForeign(folder: string, directory: Directory): Promise<boolean> {
  if (folder !== folderIn(folder)) return true;
  if (await directory.exists(MANIFEST)) return false;
  if ((await directory.directories()).length > 0) return true;
  return (await directory.list()).some((file) => !isIndexFile(file));
}

/** The folder that an index of this folder's name has; undefined when no index can have it. */
function folderIn(folder: string): string | undefined {
  try {
    const [, generation] = /@([1-9]\d*)$/.exec(folder) ?? [];
    const name = nameOf(folder);
    checkIndexName(name);
    return generation === undefined ? folderOf(name) : `${folderOf(name)}@${generation}`;
  } catch {
    return undefined;
  }
}

/** The folder of an index. @throws ProductError `SEARCH_INVALID_INDEX_NAME` when no file system takes its name */
function folderOf(name: string): string {
  // Two names must never meet: percent-encoding what needs none gives a folder that no other name has.
  if (TAKEN.has(name)) return `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
  const folder = encodeURIComponent(name);
  if (folder.length > LONGEST_FOLDER) {
    const reason = `index name is too long, (${folder.length} > ${LONGEST_FOLDER} bytes, percent-encoded)`;
    throw searchError('SEARCH_INVALID_INDEX_NAME', { index: name, reason });
  }
  return folder;
}

/** Folders of indexes made aside are `<name>@<generation>`; names themselves are written without an `@`. */
function isAside(folder: string): boolean {
  return folder.includes('@');
}

function nameOf(folder: string): string {
  return decodeURIComponent(folder.split('@')[0]!);
}

function generationOf(folder: string): number {
  return Number(folder.split('@')[1] ?? 0);
}

/** Elasticsearch's rules for names (MetadataCreateIndexService.validateIndexOrAliasName). */
function checkIndexName(name: string): void {
  const refuse = (reason: string): never => {
    throw searchError('SEARCH_INVALID_INDEX_NAME', { index: name, reason });
  };
  if (name === '') refuse('must not be empty');
  if (/[\\/*?"<>| ,]/.test(name)) {
    refuse('must not contain the following characters [ , ", *, \\, <, |, ,, >, /, ?]');
  }
  if (name.includes('#')) refuse("must not contain '#'");
  if (name.includes(':')) refuse("must not contain ':'");
  if (/^[_\-+]/.test(name)) refuse("must not start with '_', '-', or '+'");
  if (name === '.' || name === '..') refuse("must not be '.' or '..'");
  if (name !== name.toLowerCase()) refuse('must be lowercase');
  if (Buffer.byteLength(name) > 255) refuse(`index name is too long, (${Buffer.byteLength(name)} > 255)`);
}
