// Makes written documents visible to searches: freezes the write buffer, flushes it to a segment and publishes that with the deletions.
import { Mutex } from '@lockstitch/kernel';
import type { Batches } from './batches.ts';
import { without } from './carry-over.ts';
import type { DocumentsWriter } from './documents-writer.ts';
import type { Durability } from './durability.ts';
import type { Maintenance } from './maintenance.ts';
import type { SegmentStore } from './segment-store.ts';

/** The parts of an index that publishing works on. */
export interface PublishingHost {
  readonly batches: Batches;
  readonly documents: DocumentsWriter;
  readonly durability: Durability;
  readonly maintenance: Maintenance;
  readonly store: SegmentStore;
  /** Called when searches may see something new. */
  readonly published: () => void;
}

/** Publishes the writes of one index, one step after the other. */
export class Publishing {
  private readonly host: PublishingHost;
  private readonly mutex = new Mutex();

  constructor(host: PublishingHost) {
    this.host = host;
  }

  /** Runs work while nothing else publishes. The other methods are for such work. */
  hold<T>(work: () => Promise<T>): Promise<T> {
    return this.mutex.run(work);
  }

  /** Publishes all writes so far. */
  async all(): Promise<void> {
    await this.flushLeft();
    await this.host.batches.between(() => this.freeze());
    await this.flush();
  }

  /** Flushes the buffer of a failed attempt, before the next buffer is frozen. */
  async flushLeft(): Promise<void> {
    if (this.host.documents.flushing !== undefined) await this.flush();
  }

  /** Freezes the buffer. Call between batches: a running batch may still be refused. */
  freeze(): Promise<void> {
    const { documents, durability, maintenance } = this.host;
    if (durability.failure !== undefined) throw durability.failure;
    maintenance.refreshing();
    documents.freeze();
    return Promise.resolve();
  }

  /** Flushes the frozen buffer and publishes its segment with the deletions. */
  async flush(): Promise<void> {
    const { documents, durability, maintenance, store } = this.host;
    const buffer = documents.flushing;
    if (buffer !== undefined) {
      const staged = documents.flushingDeleted;
      const { segment, map } = await store.flush(buffer, maintenance.threadBytes);
      await durability.vouch().catch((error: unknown) => {
        store.drop(segment);
        throw error;
      });
      // No await from here on: deletions made meanwhile are in `deleted` by now.
      if (buffer.liveRoots > 0) {
        const live = without(staged, buffer.docCount, map);
        const working = buffer.deleted.size > staged.size ? without(buffer.deleted, buffer.docCount, map) : live;
        segment.setDeletions(live, live, working);
        documents.segments.push(segment);
      } else store.drop(segment);
      documents.flushing = undefined;
      if (maintenance.fills(buffer.used)) documents.keep(buffer);
      else documents.dropSpare();
    } else if (!documents.hasNews) {
      return;
    } else await durability.vouch();
    documents.publish();
    this.host.published();
  }
}
