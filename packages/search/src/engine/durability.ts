// Makes one index survive crashes: the translog, the commit point from which it is replayed, and the position that both
// guarantee. Not here: what writes do (documents-writer.ts), and how they become the segments of a commit (stored-index.ts).
import { type Log, type ProductError, reasonOf } from '@lockstitch/kernel';
import type { Directory } from '../directory/directory.ts';
import { runTask } from '../tasks/scheduler.ts';
import { isTurnTaken, yieldTurn } from '../tasks/event-loop-queue.ts';
import { searchError } from '../errors/search-errors.ts';
import type { IndexSettings } from '../settings/index-definition.ts';
import type { LogFile } from './log-file.ts';
import type { LoggedBatch } from './log-record.ts';
import { FORMAT, type Manifest, writeManifest } from './manifest.ts';
import { reasonWithoutFolders } from './no-room.ts';
import { recoverTranslog } from './recover-translog.ts';
import { Translog } from './translog.ts';

/** What durability needs of its index. */
export interface DurabilityHost {
  readonly name: string;
  readonly log: Log;
  settings(): Required<Pick<IndexSettings, 'durability' | 'syncInterval'>>;
  /** The position of the latest batch. */
  position(): number;
  /** What the manifest says about the index itself. */
  describe(): Pick<Manifest, 'uuid' | 'createdAt' | 'definition' | 'mappings' | 'nextSegment' | 'aside'>;
  /** Called when the log accepts no more writes: memory is ahead of the disk. */
  failed(): void;
}

/** What a commit changes in the commit point. */
type Change = Partial<Pick<Manifest, 'seqNo' | 'position' | 'translog' | 'segments'>>;

/** Estimated bytes of a write besides its source, to check for room. */
const OPERATION_BYTES = 200;

/** Keeps the writes of one index durable. In a memory directory there is nothing to do. */
export class Durability {
  /** The position that survives a crash for certain. */
  position = 0;
  /** Why writes are refused: memory is ahead of the disk. */
  failure: ProductError | undefined;
  private readonly directory: Directory;
  private readonly host: DurabilityHost;
  private translog: Translog | undefined;
  private point: Manifest | undefined;
  private syncTimer: NodeJS.Timeout | undefined;
  private ended = false;
  /** Whether the log failed before: the disk may still be full, so each batch checks for room first. */
  private isDoubtful = false;
  /** Whether a commit failed after it had switched to the next log. */
  private isOwed = false;

  constructor(directory: Directory, host: DurabilityHost) {
    this.directory = directory;
    this.host = host;
  }

  /** Begins the log of a new index and writes its first commit point. */
  async begin(): Promise<void> {
    if (this.directory.durable) this.translog = await Translog.create(this.directory, this.host.describe().uuid);
    await this.writePoint();
  }

  /** Continues after a commit point and its log. @throws ProductError `SEARCH_DAMAGED` */
  async recover(point: Manifest, replay: (batch: LoggedBatch) => Promise<void>): Promise<void> {
    this.point = point;
    if (!this.directory.durable) return;
    const { uuid, translog: generation, plainTranslog } = point;
    const { log, plain } = await recoverTranslog(this.directory, { uuid, generation, plain: plainTranslog }, replay);
    const { plainTranslog: _, ...rest } = point;
    this.point = plain === undefined ? rest : { ...rest, plainTranslog: plain };
    this.translog = log;
    this.position = this.host.position();
  }

  /** Checks for room before each batch, until one was logged. */
  doubt(): void {
    this.isDoubtful = true;
  }

  /** Refuses a batch that does not fit on the disk, after an earlier failure. @throws ProductError `SEARCH_DISK_FULL` */
  checkRoom(bytes: number, operations: number): void {
    if (!this.isDoubtful) return;
    try {
      this.translog?.probe(bytes + operations * OPERATION_BYTES);
    } catch (error) {
      throw this.refusal(error);
    }
  }

  /** Logs a batch; callers must not log another or switch the log meanwhile. @throws ProductError `SEARCH_DISK_FULL` */
  async log(batch: LoggedBatch): Promise<void> {
    const { translog } = this;
    if (translog === undefined) return;
    try {
      await runTask(translog.append(batch));
      this.isDoubtful = false;
    } catch (error) {
      throw this.fail(error);
    }
  }

  /** Resolves when the logged writes are as durable as the settings ask. @throws ProductError `SEARCH_DISK_FULL` */
  async keep(position: number | undefined): Promise<void> {
    const { translog } = this;
    if (translog === undefined) {
      this.position = this.host.position();
      return;
    }
    if (this.host.settings().durability !== 'request') {
      translog.acknowledge();
      this.scheduleSync();
      return;
    }
    await this.sync();
    if (position !== undefined) this.reach(position);
  }

  private scheduleSync(): void {
    if (this.syncTimer !== undefined || this.ended) return;
    this.syncTimer = setTimeout(() => {
      this.syncTimer = undefined;
      const position = this.host.position();
      this.sync().then(
        () => this.reach(position),
        () => undefined,
      );
    }, this.host.settings().syncInterval).unref();
  }

  /** Raises the durable position; it never falls. */
  private reach(position: number): void {
    this.position = Math.max(this.position, position);
  }

  private hasFailed(): boolean {
    return this.failure !== undefined;
  }

  /** Gives up a batch that failed half-way: the index is reopened from its files. Returns the error for the client. */
  abandon(error: unknown): unknown {
    return this.translog === undefined ? error : this.fail(error);
  }

  /** The error for a write that the disk has no room for. */
  refusal(error: unknown): ProductError {
    return searchError(
      'SEARCH_DISK_FULL',
      { index: this.host.name, reason: reasonWithoutFolders(error) },
      { cause: error },
    );
  }

  /** Refuses writes until the index is reopened. */
  fail(error: unknown): ProductError {
    if (this.failure !== undefined) return this.failure;
    this.failure = this.refusal(error);
    const { name } = this.host;
    this.host.log.write('error', 'A search index stopped taking writes.', {
      index: name,
      reason: reasonOf(error),
    });
    this.host.failed();
    return this.failure;
  }

  /** Whether the commit point has this position, and nothing was logged since. */
  standsAt(position: number): boolean {
    return !this.isOwed && this.operations === 0 && this.point?.position === position;
  }

  /** The segments of the commit point. */
  get segments(): Manifest['segments'] {
    return this.point?.segments ?? [];
  }

  /** Writes in the log since the last commit, and the bytes it takes. */
  get operations(): number {
    return this.translog?.operations ?? 0;
  }

  get bytes(): number {
    return this.translog?.bytes ?? 0;
  }

  /** Opens the log for the writes after a commit, the first step of one. A caller that does not switch to it must close it. */
  prepareNext(): Promise<LogFile> {
    return this.translog!.prepareNext();
  }

  /** Writes go to the next log from here on. */
  switchTo(next: LogFile): void {
    this.isOwed = true;
    this.translog!.switchTo(next);
  }

  /** Resolves when everything logged so far is on disk. @throws ProductError `SEARCH_DISK_FULL` */
  async sync(): Promise<void> {
    try {
      await this.translog?.sync();
    } catch (error) {
      throw this.fail(error);
    }
  }

  /** Resolves when no write logged so far can be refused, so that searches may see it. @throws ProductError `SEARCH_DISK_FULL` */
  async vouch(): Promise<void> {
    const { translog } = this;
    if (this.failure !== undefined) throw this.failure;
    if (translog === undefined || translog.isSynced || this.host.settings().durability !== 'request') return;
    await this.sync();
    if (this.hasFailed()) throw this.failure;
  }

  /** Publishes segments on disk as the commit point; `trim` removes the logs of their writes. */
  async publishCommit(commit: Required<Omit<Change, 'translog'>>): Promise<void> {
    const { position, segments, seqNo } = commit;
    await this.writePoint({ seqNo, position, segments, translog: this.translog!.generation });
    this.isOwed = false;
    this.reach(position);
    this.translog!.drop();
  }

  /** Removes logs whose writes are in the commit point. */
  async trim(): Promise<void> {
    if (this.point !== undefined) await this.translog?.trim(this.point.translog);
  }

  /** Writes the manifest: the index's description, and what a commit changed. */
  async writePoint(change: Change = {}): Promise<void> {
    const before = this.point;
    const translog = change.translog ?? before?.translog ?? 0;
    const plain = before?.plainTranslog;
    const point: Manifest = {
      format: FORMAT,
      ...this.host.describe(),
      seqNo: change.seqNo ?? before?.seqNo ?? -1,
      position: change.position ?? before?.position ?? 0,
      translog,
      ...(plain !== undefined && plain >= translog ? { plainTranslog: plain } : {}),
      segments: change.segments ?? this.segments,
    };
    // Describing thousands of fields takes a turn, and so does printing them.
    if (isTurnTaken()) await yieldTurn();
    await writeManifest(this.directory, point);
    this.point = point;
  }

  /** Cuts the log back to the last acknowledged write, before the index is reopened. */
  async cut(): Promise<void> {
    await this.translog?.cut();
  }

  /** Stops the sync timer. */
  end(): void {
    this.ended = true;
    clearTimeout(this.syncTimer);
  }

  close(): void {
    this.translog?.close();
  }
}
