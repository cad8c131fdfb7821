// When an index refreshes and commits by itself: after a pause that the settings name, when its buffer is full, when its log is long. What a
// refresh and a commit are is the index's business.
import { drive } from '../drive.ts';
import { prepareFlush } from './background.ts';

/** A translog past this many bytes is committed away; as Elasticsearch's `index.translog.flush_threshold_size`. */
const COMMIT_BYTES = 512 << 20;

/** The share of a full buffer from which a thread without work gets it: less would be more segments, and more merges. */
const ENOUGH = 0.75;

/** What maintenance needs of its index. */
export interface MaintenanceHost {
  /** Milliseconds from a write to the refresh that shows it; below zero: nothing is refreshed by the clock. */
  refreshInterval(): number;
  /** Bytes of the buffer that takes the writes. */
  buffered(): number;
  /** Does some of the work of the buffer's flush; false when there is none that can be done now. */
  readAhead(): boolean;
  /** Bytes of the log since the last commit. */
  logged(): number;
  refresh(): Promise<void>;
  commit(): Promise<void>;
  /** Something that nobody asked for failed. */
  failed(what: string, error: unknown): void;
}

/** The work that one index does by itself. */
export class Maintenance {
  /** Bytes of a buffer from which a thread makes the segment. */
  readonly threadBytes: number;
  private readonly bufferBytes: number;
  private readonly host: MaintenanceHost;
  /** The refresh that a full buffer asked for, and the commit that a long translog did. */
  private emptying: Promise<void> | undefined;
  private shortening: Promise<void> | undefined;
  /** Resolved when the writes so far leave the buffer. */
  private emptied = Promise.withResolvers<void>();
  /** Whether the time of waiting for a flush is used. */
  private readingAhead = false;
  private timer: NodeJS.Timeout | undefined;
  private ended = false;

  /** @param bufferBytes those of a full buffer, which is flushed without waiting for a refresh */
  constructor(bufferBytes: number, host: MaintenanceHost) {
    this.bufferBytes = bufferBytes;
    this.threadBytes = bufferBytes / 8;
    this.host = host;
  }

  /** Something was written: it is shown within the interval. */
  written(): void {
    const interval = this.host.refreshInterval();
    if (this.timer !== undefined || interval < 0 || this.ended) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.host.refresh().catch((error: unknown) => {
        this.host.failed('Refreshing a search index failed.', error);
        this.written();
      });
    }, interval).unref();
  }

  /** A refresh is asked for, which may have to wait for the flush of a full buffer. */
  refreshAsked(): void {
    if (this.emptying !== undefined) void this.readAhead();
  }

  /** A refresh has begun, and takes all that was written: the next write asks for another. */
  refreshing(): void {
    this.emptied.resolve();
    this.emptied = Promise.withResolvers();
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Whether a buffer of so many bytes was flushed because it was full: writes that filled it will fill another. */
  fills(bytes: number): boolean {
    return this.emptying !== undefined && bytes > this.bufferBytes / 2;
  }

  /**
   * Has a full buffer flushed and a long log committed away; waits only for those that were under way when they are due again. Never
   * throws: the writes are done, and what fails here is tried again.
   */
  async keepPace(): Promise<void> {
    const { host, bufferBytes } = this;
    if (host.buffered() > this.threadBytes) prepareFlush();
    while (host.buffered() > bufferBytes && this.emptying !== undefined) {
      void this.readAhead();
      // The buffer is empty from where its flush begins, which is some turns after it was asked for.
      await Promise.race([this.emptying.catch(() => undefined), this.emptied.promise]);
    }
    if (host.buffered() > bufferBytes * ENOUGH && this.emptying === undefined) {
      this.emptying = host.refresh().finally(() => (this.emptying = undefined));
      this.emptying.catch((error: unknown) => host.failed('Refreshing a search index failed.', error));
    }
    if (host.logged() > 2 * COMMIT_BYTES) await this.shortening?.catch(() => undefined);
    if (host.logged() > COMMIT_BYTES && this.shortening === undefined && !this.ended) {
      this.shortening = host.commit().finally(() => (this.shortening = undefined));
      this.shortening.catch((error: unknown) => host.failed('Committing a search index failed.', error));
    }
  }

  /** While the thread has the buffer before, some of what it would have to do for this one is done here: which of the two is faster depends on the machine. */
  private async readAhead(): Promise<void> {
    if (this.readingAhead) return;
    const { host } = this;
    const steps = (function* (maintenance: Maintenance): Generator<void, void> {
      while (maintenance.emptying !== undefined && host.readAhead()) yield;
    })(this);
    this.readingAhead = true;
    // What fails here is done again by the flush.
    await drive(steps).catch((error: unknown) => host.failed('Reading texts ahead of a flush failed.', error));
    this.readingAhead = false;
  }

  /** Begins no more work by itself. */
  end(): void {
    this.ended = true;
    clearTimeout(this.timer);
  }
}
