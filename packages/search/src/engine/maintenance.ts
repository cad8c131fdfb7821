// Schedules automatic refreshes and commits of one index: after the refresh interval, when its buffer is full, when its log is long. The
// index carries them out (stored-index.ts).
import { runTask } from '../tasks/scheduler.ts';
import { prepareFlush } from './background.ts';

/** Bytes of the translog that cause a commit, as Elasticsearch's `index.translog.flush_threshold_size`. */
const COMMIT_BYTES = 512 << 20;

/** The share of a full buffer from which an idle thread flushes it. A smaller share would mean more segments, and more merges. */
const ENOUGH = 0.75;

/** What maintenance needs of its index. */
export interface MaintenanceHost {
  /** Milliseconds from a write to the refresh that shows it; below zero: no automatic refresh. */
  refreshInterval(): number;
  /** Bytes of the buffer that takes the writes. */
  buffered(): number;
  /** Prepares part of the buffer's flush; false if nothing can be prepared now. */
  readAhead(): boolean;
  /** Bytes of the log since the last commit. */
  logged(): number;
  refresh(): Promise<void>;
  commit(): Promise<void>;
  /** Called when an automatic refresh or commit failed. */
  failed(what: string, error: unknown): void;
}

/** The automatic work of one index. */
export class Maintenance {
  /** Bytes of a buffer from which a thread flushes it. */
  readonly threadBytes: number;
  private readonly bufferBytes: number;
  private readonly host: MaintenanceHost;
  /** The refresh for a full buffer, and the commit for a long translog. */
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

  /** Called after a write: schedules a refresh within the interval. */
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
   * Starts the flush of a full buffer and the commit for a long log. Waits only if the former one is still running. Never
   * throws: the writes are done, and what fails here is retried.
   */
  async keepPace(): Promise<void> {
    const { host, bufferBytes } = this;
    if (host.buffered() > this.threadBytes) prepareFlush();
    while (host.buffered() > bufferBytes && this.emptying !== undefined) {
      void this.readAhead();
      // The buffer is empty from where its flush begins, which is some turns after it was asked for. Failures are logged where it starts.
      await Promise.race([this.emptying.catch(() => undefined), this.emptied.promise]);
    }
    if (host.buffered() > bufferBytes * ENOUGH && this.emptying === undefined) {
      this.emptying = host.refresh().finally(() => (this.emptying = undefined));
      this.emptying.catch((error: unknown) => host.failed('Refreshing a search index failed.', error));
    }
    // A failed commit is logged where it starts.
    if (host.logged() > 2 * COMMIT_BYTES) await this.shortening?.catch(() => undefined);
    if (host.logged() > COMMIT_BYTES && this.shortening === undefined && !this.ended) {
      this.shortening = host.commit().finally(() => (this.shortening = undefined));
      this.shortening.catch((error: unknown) => host.failed('Committing a search index failed.', error));
    }
  }

  /** While the thread flushes the former buffer, prepares part of this buffer's flush here. Which is faster depends on the machine. */
  private async readAhead(): Promise<void> {
    if (this.readingAhead) return;
    const { host } = this;
    const steps = (function* (maintenance: Maintenance): Generator<void, void> {
      while (maintenance.emptying !== undefined && host.readAhead()) yield;
    })(this);
    this.readingAhead = true;
    // The flush repeats what fails here.
    await runTask(steps).catch((error: unknown) => host.failed('Reading texts ahead of a flush failed.', error));
    this.readingAhead = false;
  }

  /** Starts no more work. */
  end(): void {
    this.ended = true;
    clearTimeout(this.timer);
  }
}
