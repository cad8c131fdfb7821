// The write-ahead log of one index: every batch of writes is one record, appended and synced before it is acknowledged. Replayed after a
// crash from the last commit on (recover-translog.ts); a commit starts a new file and removes the old ones.
import type { Directory } from '../directory/directory.ts';
import { LogFile } from './log-file.ts';
import { encodeBatch, encodePieces, type LoggedBatch, PIECE_BYTES, PIECE_OPERATIONS } from './log-record.ts';

/** Maximum bytes of a record whose buffer is reused. */
const KEPT_BYTES = 2 << 20;

export class Translog {
  generation: number;
  operations = 0;
  private readonly directory: Directory;
  private readonly uuid: string;
  private file: LogFile;
  /** Files of earlier generations that are still needed. */
  private readonly former = new Set<LogFile>();
  /** The sync under way and the one that waits for it: later callers share the latter. */
  private syncing: Promise<void> | undefined;
  private waiting: Promise<void> | undefined;
  /** Files with appends that no sync was started for. */
  private readonly unsynced = new Set<LogFile>();
  /** The first failed sync: the writes before it were refused, so no later sync may make them or those after them durable. */
  private failure: { readonly error: unknown } | undefined;

  /** Reused buffer for records: a new array per record would have to be cleared first and collected later. */
  private space: Uint8Array = new Uint8Array(0);

  constructor(directory: Directory, uuid: string, generation: number, file: LogFile) {
    this.directory = directory;
    this.uuid = uuid;
    this.generation = generation;
    this.file = file;
  }

  /** Makes the log of a new index. */
  static async create(directory: Directory, uuid: string): Promise<Translog> {
    return new Translog(directory, uuid, 0, await LogFile.create(directory, { uuid, generation: 0 }));
  }

  get bytes(): number {
    return this.file.size;
  }

  /** Appends a batch, in slices where it is large; durable after the next `sync`. No other may be appended meanwhile. */
  *append(batch: LoggedBatch): Generator<void, void> {
    const { file } = this;
    let bytes = 0;
    for (const operation of batch.operations) if (operation.kind === 'index') bytes += operation.source.length;
    if (bytes <= PIECE_BYTES && batch.operations.length <= PIECE_OPERATIONS) {
      const record = encodeBatch(batch, this.space);
      if (record.buffer.byteLength <= KEPT_BYTES) this.space = new Uint8Array(record.buffer);
      file.append(record);
    } else {
      for (const piece of encodePieces(batch)) {
        if (piece !== undefined) {
          file.append(piece);
          // Another caller's sync may have begun since the last piece.
          this.unsynced.add(file);
        }
        yield;
      }
    }
    file.whole = file.size;
    this.unsynced.add(file);
    this.operations += batch.operations.length;
  }

  /** Whether there is room for a record of that many bytes. @throws the system's error, for example ENOSPC */
  probe(bytes: number): void {
    this.file.probe(bytes);
  }

  /** Marks everything appended so far as acknowledged, synced or not. */
  acknowledge(): void {
    for (const file of [...this.former, this.file]) file.acknowledged = file.whole;
  }

  /** Resolves when everything appended so far is on disk. Callers that come while a sync runs share the next one. */
  sync(): Promise<void> {
    if (this.waiting !== undefined) return this.waiting;
    if (this.syncing === undefined) return this.startSync();
    // The callers of that sync get its failure; the next one fails by itself if the disk does.
    this.waiting = this.syncing
      .catch(() => undefined)
      .then(() => {
        this.waiting = undefined;
        return this.startSync();
      });
    return this.waiting;
  }

  private startSync(): Promise<void> {
    const files = [...this.unsynced];
    this.unsynced.clear();
    const running = this.syncFiles(files).finally(() => {
      if (this.syncing === running) this.syncing = undefined;
    });
    this.syncing = running;
    return running;
  }

  /** Writes of a later file may build on those of an earlier one: all of them are acknowledged, or none. */
  private async syncFiles(files: readonly LogFile[]): Promise<void> {
    if (this.failure !== undefined) throw this.failure.error;
    const ends = await Promise.allSettled(files.map((file) => file.sync()));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) {
      this.failure = { error: failed.reason };
      throw failed.reason;
    }
    for (const [at, end] of ends.entries()) {
      const file = files[at]!;
      if (end.status === 'fulfilled') file.acknowledged = Math.max(file.acknowledged, end.value);
    }
  }

  /** Whether all that was appended is on disk. */
  get isSynced(): boolean {
    return this.unsynced.size === 0 && this.syncing === undefined;
  }

  /** Prepares the next generation; `switchTo` puts it to use in one step, or `close` drops it. */
  async prepareNext(): Promise<LogFile> {
    return await LogFile.create(this.directory, { uuid: this.uuid, generation: this.generation + 1 });
  }

  /** Switches to the next file. The former one is dropped once its writes are in a commit. */
  switchTo(next: LogFile): void {
    this.former.add(this.file);
    this.file = next;
    this.generation++;
    this.operations = 0;
  }

  /** Closes the files of earlier generations. */
  drop(): void {
    for (const file of this.former) file.close();
    this.former.clear();
  }

  /** Removes the files before a generation. */
  async trim(generation: number): Promise<void> {
    for (const name of await this.directory.list()) {
      const each = generationOf(name);
      if (each !== undefined && each < generation) await this.directory.remove(name);
    }
  }

  /** Cuts the log back to the last acknowledged write. */
  async cut(): Promise<void> {
    // A failed sync acknowledged nothing: what it left is cut off.
    await this.sync().catch(() => undefined);
    for (const file of [...this.former, this.file]) await file.cut();
  }

  close(): void {
    this.drop();
    this.file.close();
  }
}

/** The generation of a log by its file's name; undefined for other files. */
export function generationOf(name: string): number | undefined {
  const found = /^translog-(\d+)\.log$/.exec(name);
  return found === null ? undefined : Number(found[1]);
}
