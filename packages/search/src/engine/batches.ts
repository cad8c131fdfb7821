// Applies and logs batches of writes of one index, one batch at a time. What a write does is in
// documents-writer.ts, and what survives a crash is in durability.ts.
import { Mutex, toError } from '@lockstitch/kernel';
import { runTask } from '../tasks/scheduler.ts';
import type { OperationResult, StoredDocument, Write } from '../index/operation.ts';
import type { Durability } from './durability.ts';
import type { DocumentsWriter } from './documents-writer.ts';
import type { LoggedOperation } from './log-record.ts';
import type { Maintenance } from './maintenance.ts';

/** What batches need of their index. */
export interface BatchesHost {
  readonly documents: DocumentsWriter;
  readonly durability: Durability;
  readonly maintenance: Maintenance;
  /** @throws ProductError where the index takes no writes, or none of so many bytes */
  check(bytes: number): void;
}

/** The outcome of a batch. */
interface Applied {
  /** Results of its first writes; fewer than its writes if the rest becomes another batch. */
  readonly results: readonly OperationResult[];
  readonly isLogged: boolean;
  /** The sequence number of its last write. */
  readonly seqNo: number;
  /** The position that was reached with its last write. */
  readonly reached: number | undefined;
}

/** Takes the writes of one index. */
export class Batches {
  /** Of the latest batch. */
  position = 0;
  /** Writes up to this sequence number can no longer be refused. */
  acknowledged = -1;
  private readonly host: BatchesHost;
  /** While a long batch runs, requests are served but no other batch begins. */
  private readonly mutex = new Mutex();

  constructor(host: BatchesHost) {
    this.host = host;
  }

  /** Runs an action between batches. */
  between<T>(action: () => Promise<T>): Promise<T> {
    return this.mutex.run(action);
  }

  /** Reads a document as the latest batch left it, once that can no longer be refused. @throws ProductError `SEARCH_DISK_FULL` */
  async getDurable(id: string): Promise<StoredDocument | undefined> {
    const { documents, durability } = this.host;
    const { found, seqNo } = await this.between(() => {
      this.host.check(0);
      return Promise.resolve({ found: documents.get(id), seqNo: documents.seqNo });
    });
    await durability.vouch();
    this.acknowledged = Math.max(this.acknowledged, seqNo);
    return found;
  }

  /** Applies writes, one result each; resolves when they are on disk, where the settings ask for that. */
  async apply(writes: readonly Write[], position: number | undefined): Promise<readonly OperationResult[]> {
    const { durability, maintenance } = this.host;
    let bytes = 0;
    for (const write of writes) if (write.kind === 'index') bytes += write.source.length;
    this.host.check(bytes);
    let { results, isLogged, reached, seqNo } = await this.between(() => this.applyBatch(writes, position, bytes));
    // Updates that produce large sources are written in several batches.
    while (results.length < writes.length) {
      await maintenance.keepPace();
      const rest = await this.applyRest(writes.slice(results.length), position);
      results = [...results, ...rest.results];
      isLogged ||= rest.isLogged;
      reached = rest.reached;
      seqNo = Math.max(seqNo, rest.seqNo);
    }
    if (isLogged) {
      await durability.keep(reached);
      this.acknowledged = Math.max(this.acknowledged, seqNo);
      // The outcome (a conflict, nothing to do) may depend on a write that can still be refused.
    } else await durability.vouch();
    await maintenance.keepPace();
    return results;
  }

  /** Applies and logs the writes of one batch. The position advances once all writes are done. */
  private async applyBatch(writes: readonly Write[], position: number | undefined, bytes: number): Promise<Applied> {
    const { documents, durability, maintenance } = this.host;
    // The batch before may have filled the disk. A change of documents cannot be undone without reading the log again.
    if (durability.failure !== undefined) throw durability.failure;
    durability.checkRoom(bytes, writes.length);
    const logged: LoggedOperation[] = [];
    const results = await runTask(documents.apply(writes, logged)).catch((error: unknown) => {
      throw durability.abandon(error);
    });
    const reached = results.length < writes.length ? undefined : position;
    if (reached !== undefined) this.position = reached;
    const isLogged = logged.length > 0 || reached !== undefined;
    if (isLogged) {
      maintenance.written();
      await durability.log({ position: reached, operations: logged });
    }
    return { results, isLogged, reached, seqNo: documents.seqNo };
  }

  /** The same for later batches: earlier batches are done, so a refusal concerns their own writes. */
  private async applyRest(writes: readonly Write[], position: number | undefined): Promise<Applied> {
    try {
      this.host.check(0);
      return await this.between(() => this.applyBatch(writes, position, 0));
    } catch (error) {
      const results = writes.map(({ id }): OperationResult => ({ kind: 'failed', id, error: toError(error) }));
      return { results, isLogged: false, reached: undefined, seqNo: -1 };
    }
  }
}
