// Commits one index: makes its segments durable and starts a new translog. Searches do not wait for the disk: a commit holds publishing
// only while it freezes the write buffer.
import { Mutex } from '@lockstitch/kernel';
import type { Batches } from './batches.ts';
import type { DocumentsWriter } from './documents-writer.ts';
import type { Durability } from './durability.ts';
import { isPassing } from './no-room.ts';
import type { Publishing } from './publishing.ts';
import type { Frozen, SegmentStore } from './segment-store.ts';

/** The parts of an index that a commit works on. */
export interface CommittingHost {
  readonly isDurable: boolean;
  readonly batches: Batches;
  readonly documents: DocumentsWriter;
  readonly durability: Durability;
  readonly publishing: Publishing;
  readonly store: SegmentStore;
  /** Called after each commit that wrote something. */
  readonly committed: () => void;
  readonly report: (what: string, error: unknown) => void;
}

/** What a commit consists of. */
interface CommitInput {
  readonly seqNo: number;
  readonly position: number;
  readonly frozen: readonly Frozen[];
}

/** Commits an index, one commit after the other. */
export class Committing {
  private readonly host: CommittingHost;
  private readonly mutex = new Mutex();
  /** Whether the last commit left unreferenced files. */
  private hasWaste = false;

  constructor(host: CommittingHost) {
    this.host = host;
  }

  /** Runs work while no commit does. */
  hold<T>(work: () => Promise<T>): Promise<T> {
    return this.mutex.run(work);
  }

  /** @param check throws if the index takes no commits any more */
  commit(check: () => void): Promise<void> {
    const { batches, durability, isDurable, publishing } = this.host;
    const done = this.mutex.run(async () => {
      check();
      if (!isDurable) {
        await publishing.hold(() => publishing.all());
        durability.position = batches.position;
        return;
      }
      try {
        await this.commitDurably();
      } catch (error) {
        throw this.failed(error);
      }
    });
    // Before the next commit, but callers of this one do not wait for it: removing a log of 500 MB takes 0.1 s.
    void this.mutex.run(() => this.clear());
    return done;
  }

  /** Removes segment files that nothing references. */
  deleteUnreferencedFiles(): Promise<void> {
    const { documents, durability, store } = this.host;
    return store.deleteUnreferencedFiles(durability.segments, documents.segments);
  }

  /** Failures that pass (full disk, too many open files) fail this commit alone: the log still holds the writes, and the next commit retries. */
  private failed(error: unknown): Error {
    const { durability } = this.host;
    if (durability.failure !== undefined) return durability.failure;
    return isPassing(error) ? durability.refusal(error) : durability.fail(error);
  }

  /** Removes files that the last commit no longer references. */
  private async clear(): Promise<void> {
    if (!this.hasWaste) return;
    this.hasWaste = false;
    try {
      await this.host.durability.trim();
      await this.deleteUnreferencedFiles();
    } catch (error) {
      this.host.report('Removing files of a search index that are not needed any more failed.', error);
    }
  }

  private async commitDurably(): Promise<void> {
    const { documents, durability, publishing, store } = this.host;
    const input = await publishing.hold(() => this.freeze());
    if (input === undefined) return;
    const { frozen, ...upTo } = input;
    await durability.sync();
    // In parallel: each write waits for the disk twice.
    const segments = await Promise.all(frozen.map((each) => store.write(each)));
    await durability.publishCommit({ ...upTo, segments });
    documents.dropSpare();
    this.host.committed();
    this.hasWaste = true;
  }

  /** Publishes all writes so far and starts a new log; undefined if there is nothing to commit. Call while publishing is held. */
  private async freeze(): Promise<CommitInput | undefined> {
    const { batches, documents, durability, publishing } = this.host;
    if (durability.standsAt(batches.position) && !documents.isChanged) return undefined;
    await publishing.flushLeft();
    const next = await durability.prepareNext();
    let isUsed = false;
    // In one step, and between batches: the buffer to flush and the log to replay end at the same write.
    const upTo = await batches
      .between(async () => {
        await publishing.freeze();
        isUsed = true;
        durability.switchTo(next);
        return { seqNo: documents.seqNo, position: batches.position };
      })
      .finally(() => {
        if (!isUsed) next.close();
      });
    await publishing.flush();
    // Later deletions belong to the new log.
    const frozen = documents.segments.map((segment): Frozen => {
      const { generation, published } = segment;
      return { segment, generation, live: published };
    });
    return { ...upTo, frozen };
  }
}
