// What of one index survives a crash: the log of its writes, the commit point from which the log is replayed, and the position that both
// vouch for. What the writes do, and how they become the segments of a commit, is the index's business.
import type { Log, ProductError } from '@lockstitch/kernel';
import type { AppendFile, Directory } from '../directory/directory.ts';
import { drive } from '../drive.ts';
import { isTurnTaken, nextTurn } from '../turns.ts';
import { searchError } from '../errors.ts';
import type { IndexSettings } from './engine-api.ts';
import { type Manifest, writeManifest } from './manifest.ts';
import { type LoggedBatch, recoverTranslog, Translog } from './translog.ts';

/** What durability needs of its index. */
export interface DurabilityHost {
  readonly name: string;
  readonly log: Log;
  settings(): Required<Pick<IndexSettings, 'durability' | 'syncInterval'>>;
  /** The position of the latest batch. */
  position(): number;
  /** What a commit point says of the index itself, as it is now. */
  describe(): Pick<Manifest, 'uuid' | 'createdAt' | 'definition' | 'mappings' | 'nextSegment' | 'aside'>;
}

/** What a commit changes of the commit point before. */
type Change = Partial<Pick<Manifest, 'seqNo' | 'position' | 'translog' | 'segments'>>;

/** Keeps the writes of one index; those of a directory in memory are kept by being there. */
export class Durability {
  /** The position that survives a crash for certain. */
  position = 0;
  /** Why no more writes are taken: what is in memory and what is on disk may differ. */
  failure: ProductError | undefined;
  private readonly directory: Directory;
  private readonly host: DurabilityHost;
  private translog: Translog | undefined;
  private point: Manifest | undefined;
  private syncTimer: NodeJS.Timeout | undefined;
  private ended = false;

  constructor(directory: Directory, host: DurabilityHost) {
    this.directory = directory;
    this.host = host;
  }

  /** Begins the log of a new index, and makes it one that can be opened. */
  async begin(): Promise<void> {
    if (this.directory.durable) this.translog = await Translog.open(this.directory, 0, 0);
    await this.writePoint();
  }

  /** Goes on where a commit point and the log behind it end. @throws ProductError `SEARCH_DAMAGED` */
  async recover(point: Manifest, replay: (batch: LoggedBatch) => Promise<void>): Promise<void> {
    this.point = point;
    this.translog = await recoverTranslog(this.directory, point.translog, replay);
    this.position = this.host.position();
  }

  /** Logs a batch; no other may be logged, and none of its writes divided from it by a commit, meanwhile. @throws ProductError `SEARCH_DISK_FULL` */
  async log(batch: LoggedBatch): Promise<void> {
    const { translog } = this;
    if (translog === undefined) return;
    try {
      await drive(translog.append(batch));
    } catch (error) {
      throw this.fail(error);
    }
  }

  /** What was logged is on disk, where the setting asks for that, once the promise resolves. @throws ProductError `SEARCH_DISK_FULL` */
  async keep(position: number | undefined): Promise<void> {
    const { translog } = this;
    if (translog === undefined) {
      this.position = this.host.position();
      return;
    }
    if (this.host.settings().durability !== 'request') {
      this.scheduleSync();
      return;
    }
    try {
      await translog.sync();
    } catch (error) {
      throw this.fail(error);
    }
    if (position !== undefined) this.reach(position);
  }

  private scheduleSync(): void {
    if (this.syncTimer !== undefined || this.ended) return;
    this.syncTimer = setTimeout(() => {
      this.syncTimer = undefined;
      const position = this.host.position();
      this.translog?.sync().then(
        () => this.reach(position),
        (error: unknown) => this.fail(error),
      );
    }, this.host.settings().syncInterval).unref();
  }

  /** A position is known to survive; a later one may be known already. */
  private reach(position: number): void {
    this.position = Math.max(this.position, position);
  }

  /** Refuses writes from now on. */
  fail(error: unknown): ProductError {
    const { name } = this.host;
    const reason = error instanceof Error ? error.message : String(error);
    this.failure ??= searchError('SEARCH_DISK_FULL', { index: name, reason }, { cause: error });
    this.host.log.write('error', 'A search index stopped taking writes.', { index: name, reason });
    return this.failure;
  }

  /** Whether the commit point stands at a position, and nothing was logged since. */
  standsAt(position: number): boolean {
    return this.operations === 0 && this.point?.position === position;
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

  /** Opens the log of the writes after a commit; the first of its steps. */
  prepareNext(): Promise<AppendFile> {
    return this.translog!.prepareNext();
  }

  /** Writes go to the next log from here on. Answers the log of those before. */
  switchTo(next: AppendFile): AppendFile {
    return this.translog!.switchTo(next);
  }

  /** Resolves when everything logged so far is on disk. */
  async sync(): Promise<void> {
    await this.translog!.sync();
  }

  /** Makes segments on disk the commit point; the logs of the writes that are in them are left to `trim`. */
  async settle(commit: Required<Omit<Change, 'translog'>> & { readonly old: AppendFile }): Promise<void> {
    const { old, position, segments, seqNo } = commit;
    await this.writePoint({ seqNo, position, segments, translog: this.translog!.generation });
    this.reach(position);
    this.translog!.drop(old);
  }

  /** Removes the logs of writes that are in the commit point. */
  async trim(): Promise<void> {
    await this.translog?.trim();
  }

  /** Stores what the index says of itself, and what a commit changed. */
  async writePoint(change: Change = {}): Promise<void> {
    const before = this.point;
    const point: Manifest = {
      format: 1,
      ...this.host.describe(),
      seqNo: change.seqNo ?? before?.seqNo ?? -1,
      position: change.position ?? before?.position ?? 0,
      translog: change.translog ?? before?.translog ?? 0,
      segments: change.segments ?? this.segments,
    };
    // Of thousands of fields, it is described and printed in a turn each.
    if (isTurnTaken()) await nextTurn();
    await writeManifest(this.directory, point);
    this.point = point;
  }

  /** Begins no more work by itself. */
  end(): void {
    this.ended = true;
    clearTimeout(this.syncTimer);
  }

  close(): void {
    this.translog?.close();
  }
}
