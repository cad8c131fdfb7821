// When an index refreshes and commits by itself: after a pause that the settings name, when its buffer is full, when its log is long. What a
// refresh and a commit are is the index's business.
import { prepareFlush } from './background.ts';

/** A translog past this many bytes is committed away; as Elasticsearch's `index.translog.flush_threshold_size`. */
const COMMIT_BYTES = 512 << 20;

/** What upkeep needs of its index. */
export interface UpkeepHost {
  /** Milliseconds from a write to the refresh that shows it; below zero: nothing is refreshed by the clock. */
  refreshInterval(): number;
  /** Bytes of the buffer that takes the writes. */
  buffered(): number;
  /** Bytes of the log since the last commit. */
  logged(): number;
  refresh(): Promise<void>;
  commit(): Promise<void>;
  /** Something that nobody asked for failed. */
  failed(what: string, error: unknown): void;
}

/** The work that one index does by itself. */
export class Upkeep {
  /** Bytes of a buffer from which a thread makes the segment. */
  readonly threadBytes: number;
  private readonly bufferBytes: number;
  private readonly host: UpkeepHost;
  /** The refresh that a full buffer asked for, and the commit that a long translog did. */
  private emptying: Promise<void> | undefined;
  private shortening: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private ended = false;

  /** @param bufferBytes those of a buffer from which it is flushed without waiting for a refresh */
  constructor(bufferBytes: number, host: UpkeepHost) {
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
      this.host.refresh().catch((error: unknown) => this.host.failed('Refreshing a search index failed.', error));
    }, interval).unref();
  }

  /** A refresh has begun: the next write asks for another. */
  refreshing(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Whether a buffer of so many bytes was flushed because it was full: writes that filled it will fill another. */
  fills(bytes: number): boolean {
    return this.emptying !== undefined && bytes > this.bufferBytes / 2;
  }

  /** Has a full buffer flushed and a long log committed away; waits only for those that were under way when they are due again. */
  async keepPace(): Promise<void> {
    const { host, bufferBytes } = this;
    if (host.buffered() > this.threadBytes) prepareFlush();
    while (host.buffered() > bufferBytes && this.emptying !== undefined) await this.emptying;
    if (host.buffered() > bufferBytes) {
      this.emptying = host.refresh().finally(() => (this.emptying = undefined));
      this.emptying.catch((error: unknown) => host.failed('Refreshing a search index failed.', error));
    }
    if (host.logged() > 2 * COMMIT_BYTES) await this.shortening;
    if (host.logged() > COMMIT_BYTES && this.shortening === undefined && !this.ended) {
      this.shortening = host.commit().finally(() => (this.shortening = undefined));
      this.shortening.catch((error: unknown) => host.failed('Committing a search index failed.', error));
    }
  }

  /** Begins no more work by itself. */
  end(): void {
    this.ended = true;
    clearTimeout(this.timer);
  }
}
