// Applies the writes of one index, and knows the latest version of each document: in the buffer, in the frozen buffer, in a segment,
// or deleted a while ago. Flushing buffers and publishing segments is the business of the index (stored-index.ts).
import { type Clock, toError } from '@lockstitch/kernel';
import type { Task } from '../tasks/scheduler.ts';
import { searchError } from '../errors/search-errors.ts';
import { IdFilter } from '../index/id-filter.ts';
import { type EncodedId, encodeId, IdEncoder } from '../index/ids.ts';
import { type DocumentMapper, type IndexedDocument, TooManyForATurn } from '../index/indexed-document.ts';
import type { Operation, OperationResult, StoredDocument, Update, Write } from '../index/operation.ts';
import type { SegmentCore } from '../index/segment-core.ts';
import type { SegmentUse } from '../index/segment-use.ts';
import { storedDocument } from '../collect/stored-in.ts';
import { WriteBuffer } from '../index/write-buffer.ts';
import { type Location, nextVersion, PRIMARY_TERM } from './next-version.ts';
import { isLarge, type LargeDocument } from './document-thread.ts';
import type { LiveSegment } from './segment-set.ts';
import type { LoggedOperation } from './log-record.ts';

/** Bytes of writes between two looks at the clock: 0.1 ms. */
const SLICE_BYTES = 1 << 13;
/** Maximum new fields of a document that the main thread adds at a time: 2 ms. */
const MOST_NEW_FIELDS = 100;
/** Bytes of sources that updates may produce before other batches run and full buffers are flushed. */
const MOST_MADE = 16 << 20;
/** Estimated cost of a write besides its source, in bytes of source. */
const OPERATION_BYTES = 200;
/** Milliseconds for which the version of a deleted document is kept, as Elasticsearch's `index.gc_deletes`. */
const REMEMBER_DELETES = 60_000;

/** What the documents need of their index. */
interface DocumentsHost {
  readonly clock: Clock;
  readonly mapper: DocumentMapper;
  readonly maxDocumentBytes: number;
  /** Makes a segment of a large document in a thread; undefined when there is none. @throws ProductError as `DocumentMapper.parse` */
  makeInThread(document: LargeDocument): Promise<LiveSegment | undefined>;
}

/** Takes the writes of one index. */
export class DocumentsWriter {
  /** In the order of their documents; the index adds, merges and removes them. */
  segments: LiveSegment[] = [];
  buffer = new WriteBuffer();
  /** Unpublished segments of one large document each; the running refresh will publish the first `leaving` of them. */
  private readonly unseen: LiveSegment[] = [];
  private leaving = 0;
  /** The frozen buffer, which is being flushed. */
  flushing: WriteBuffer | undefined;
  /** What was deleted in it when it was frozen. */
  flushingDeleted: ReadonlySet<number> = new Set();
  /** Of the latest write, -1 without one. */
  seqNo = -1;
  indexed = 0;
  deleted = 0;
  /** A flushed buffer whose memory the next buffer reuses while writes come fast. */
  private spare: WriteBuffer | undefined;
  private readonly tombstones = new Map<string, { version: number; seqNo: number; at: number }>();
  /** The ids of all documents but those of segments from disk. */
  private readonly written = new IdFilter();
  private readonly idEncoder = new IdEncoder();
  private readonly host: DocumentsHost;

  constructor(host: DocumentsHost) {
    this.host = host;
  }

  /**
   * Applies writes in slices and adds the operations to `logged`. Returns one result per write, or fewer if updates have produced
   * more sources than may be held at a time: the rest becomes another batch.
   */
  *apply(writes: readonly Write[], logged: LoggedOperation[]): Task<OperationResult[]> {
    const results: OperationResult[] = [];
    let bytes = 0;
    let made = 0;
    for (const write of writes) {
      if (made >= MOST_MADE) break;
      let operation: Operation;
      if (write.kind === 'update') {
        const outcome = yield* this.make(write);
        // Reading a document takes as long as writing one.
        yield;
        if (outcome.kind === 'done' || outcome.kind === 'failed') {
          results.push(outcome);
          continue;
        }
        operation = outcome;
        if (operation.kind === 'index') made += operation.source.length;
      } else operation = write;
      if (operation.kind === 'index' && isLarge(this.host.mapper, operation.source)) {
        results.push(yield* this.applyLarge(operation, logged));
        continue;
      }
      const result = this.applyOne(operation, logged, MOST_NEW_FIELDS);
      results.push(result ?? (yield* this.applyLarge(operation as Operation & { kind: 'index' }, logged)));
      bytes += OPERATION_BYTES + (operation.kind === 'index' ? operation.source.length : 0);
      if (bytes < SLICE_BYTES) continue;
      bytes = 0;
      yield;
    }
    return results;
  }

  /** Returns the write that an update results in, or its result if there is nothing to write. */
  private *make(update: Update): Generator<Promise<unknown>, Operation | OperationResult, unknown> {
    const { id } = update;
    try {
      const current = this.get(id);
      const made = update.make(current);
      const operation = made instanceof Promise ? ((yield made) as Operation | undefined) : made;
      if (operation !== undefined) return operation;
      const { version, seqNo } = current ?? { version: -1, seqNo: -1 };
      return { kind: 'done', id, result: 'noop', version, seqNo, primaryTerm: PRIMARY_TERM };
    } catch (error) {
      return { kind: 'failed', id, error: toError(error) };
    }
  }

  /** Applies a write; undefined if its document has more than `most` new fields. */
  private applyOne(operation: Operation, logged: LoggedOperation[], most: number): OperationResult | undefined {
    const { id } = operation;
    try {
      const encoded = this.idEncoder.encode(id);
      const found = this.locate(encoded, id);
      const exists = found?.exists === true;
      const seqNo = this.seqNo + 1;
      // Read before its version is looked at, as in Elasticsearch: what is wrong with a document is told first.
      const document = operation.kind === 'delete' ? undefined : this.read(operation, most);
      const version = nextVersion(operation, found);
      if (document === undefined) {
        if (exists) this.removeEverywhere(encoded);
        this.remember(id, version, seqNo);
        this.deleted++;
      } else {
        this.written.add(encoded.hash);
        // A document is live in one place at most: if it was found in none, there is nothing to remove.
        this.buffer.add(document, encoded, version, seqNo, exists ? () => this.removeEverywhere(encoded) : undefined);
        if (this.tombstones.size > 0) this.tombstones.delete(id);
        this.indexed++;
      }
      return this.done(operation, exists, version, logged);
    } catch (error) {
      if (error instanceof TooManyForATurn) return undefined;
      return { kind: 'failed', id, error: toError(error) };
    }
  }

  /**
   * Applies a write of a large document after a thread has made a segment of it. No other write runs in between: batches run one after
   * the other. Refreshes may run, and do not show the document before it is complete.
   */
  private *applyLarge(
    operation: Operation & { kind: 'index' },
    logged: LoggedOperation[],
  ): Generator<Promise<unknown>, OperationResult, unknown> {
    const { id, source, routing } = operation;
    try {
      const encoded = encodeId(id);
      const found = this.locate(encoded, id);
      const version = nextVersion(operation, found);
      this.checkSize(operation);
      const asked = this.host.makeInThread({ id, source, routing, version, seqNo: this.seqNo + 1 });
      const segment = (yield asked) as LiveSegment | undefined;
      if (segment === undefined) return this.applyOne(operation, logged, Infinity)!;
      if (found?.exists === true) this.removeEverywhere(encoded);
      this.tombstones.delete(id);
      this.written.add(encoded.hash);
      this.unseen.push(segment);
      this.indexed++;
      return this.done(operation, found?.exists === true, version, logged);
    } catch (error) {
      return { kind: 'failed', id, error: toError(error) };
    }
  }

  private read(operation: Operation & { kind: 'index' }, most: number): IndexedDocument {
    this.checkSize(operation);
    return this.host.mapper.parse(operation.id, operation.source, operation.routing, most);
  }

  private checkSize({ id, source }: Operation & { kind: 'index' }): void {
    const limit = this.host.maxDocumentBytes;
    if (source.length > limit) throw searchError('SEARCH_DOCUMENT_TOO_LARGE', { id, bytes: source.length, limit });
  }

  /** Counts and logs a write that was carried out. */
  private done(
    operation: Operation,
    exists: boolean,
    version: number,
    logged: LoggedOperation[],
  ): OperationResult & { kind: 'done' } {
    const { id } = operation;
    const seqNo = ++this.seqNo;
    const { source, routing } = operation.kind === 'index' ? operation : { source: undefined, routing: undefined };
    logged.push(
      source === undefined
        ? { kind: 'delete', id, seqNo, version }
        : { kind: 'index', id, seqNo, version, routing, source },
    );
    const result = operation.kind === 'delete' ? (exists ? 'deleted' : 'not_found') : exists ? 'updated' : 'created';
    return { kind: 'done', id, result, version, seqNo, primaryTerm: PRIMARY_TERM };
  }

  private remember(id: string, version: number, seqNo: number): void {
    const now = this.host.clock.now();
    this.tombstones.set(id, { version, seqNo, at: now });
    // Insertion order is order of time: the oldest come first.
    for (const [old, { at }] of this.tombstones) {
      if (now - at <= REMEMBER_DELETES) break;
      this.tombstones.delete(old);
    }
  }

  /** Applies a logged write; at once unless its document is large. Its version was decided when it was first made. */
  replay(operation: LoggedOperation): void | Promise<void> {
    if (operation.seqNo <= this.seqNo) return;
    if (operation.kind === 'index' && isLarge(this.host.mapper, operation.source)) return this.replayLarge(operation);
    this.replayHere(operation);
  }

  /** A thread makes a segment of it, as when it was first made. */
  private async replayLarge(operation: LoggedOperation & { kind: 'index' }): Promise<void> {
    // It was accepted once: if the thread fails now, parsing it here reports why.
    const segment = await this.host.makeInThread(operation).catch(() => undefined);
    if (segment === undefined) return this.replayHere(operation);
    this.seqNo = operation.seqNo;
    const id = encodeId(operation.id);
    this.removeEverywhere(id);
    this.tombstones.delete(operation.id);
    this.written.add(id.hash);
    this.unseen.push(segment);
  }

  private replayHere(operation: LoggedOperation): void {
    this.seqNo = operation.seqNo;
    const id = this.idEncoder.encode(operation.id);
    this.removeEverywhere(id);
    if (operation.kind === 'delete') {
      this.tombstones.set(operation.id, {
        version: operation.version,
        seqNo: operation.seqNo,
        at: this.host.clock.now(),
      });
      return;
    }
    this.tombstones.delete(operation.id);
    this.written.add(id.hash);
    this.buffer.add(
      this.host.mapper.parse(operation.id, operation.source, operation.routing),
      id,
      operation.version,
      operation.seqNo,
    );
  }

  /** The sequence number of the deletion of an id; -1 without a recent one. */
  deletion(id: string): number {
    return this.tombstones.get(id)?.seqNo ?? -1;
  }

  private locate(encoded: EncodedId, id: string): Location | undefined {
    const mayBeHere = this.written.mayHave(encoded.hash);
    if (mayBeHere) {
      for (const buffer of [this.buffer, this.flushing]) {
        const doc = buffer?.find(encoded) ?? -1;
        if (buffer !== undefined && doc >= 0)
          return { version: buffer.versionOf(doc), seqNo: buffer.seqNoOf(doc), exists: true };
      }
    }
    const tombstone = this.tombstones.size === 0 ? undefined : this.tombstones.get(id);
    if (tombstone !== undefined) return { version: tombstone.version, seqNo: tombstone.seqNo, exists: false };
    const place = this.placeOf(encoded, mayBeHere);
    if (place === undefined) return undefined;
    const { core, doc } = place;
    return { version: core.versions[doc]!, seqNo: core.seqNo(doc), exists: true };
  }

  private removeEverywhere(id: EncodedId): void {
    this.buffer.delete(id);
    this.flushing?.delete(id);
    for (const segments of [this.segments, this.unseen]) {
      for (const segment of segments) {
        const doc = segment.find(id);
        if (doc >= 0) segment.delete(doc);
      }
    }
  }

  /** Finds the live document of an id in the segments; in those from disk alone unless `mayBeHere`. */
  private placeOf(
    id: EncodedId,
    mayBeHere = true,
  ): { readonly core: SegmentCore; readonly use: SegmentUse; readonly doc: number } | undefined {
    for (const segments of [this.unseen, this.segments]) {
      for (let i = segments.length - 1; i >= 0; i--) {
        const segment = segments[i]!;
        if (!mayBeHere && !segment.fromDisk) continue;
        const doc = segment.find(id);
        if (doc >= 0) return { core: segment.core, use: segment.use, doc };
      }
    }
    return undefined;
  }

  /** The document of an id. */
  get(id: string): StoredDocument | undefined {
    const encoded = encodeId(id);
    for (const buffer of [this.buffer, this.flushing]) {
      const doc = buffer?.find(encoded) ?? -1;
      if (buffer === undefined || doc < 0) continue;
      return {
        id,
        source: buffer.sourceOf(doc),
        version: buffer.versionOf(doc),
        seqNo: buffer.seqNoOf(doc),
        primaryTerm: PRIMARY_TERM,
        routing: buffer.routingOf(doc),
      };
    }
    const place = this.placeOf(encoded);
    if (place === undefined) return undefined;
    const { core, use, doc } = place;
    const [version, seqNo, routing] = [core.versions[doc]!, core.seqNo(doc), core.routing(doc)];
    use.retain();
    return storedDocument(core, doc, { id, version, seqNo, primaryTerm: PRIMARY_TERM, routing }, () => use.release());
  }

  /** Freezes the buffer: writes so far go to the next segment, later ones to a new buffer. */
  freeze(): void {
    if (this.flushing === undefined && this.buffer.docCount > 0) {
      this.flushing = this.buffer;
      this.flushingDeleted = new Set(this.buffer.deleted);
      this.buffer = this.spare ?? new WriteBuffer();
      this.spare = undefined;
    }
    this.leaving = this.unseen.length;
    for (const segment of this.segments) segment.stage();
    for (const segment of this.unseen) segment.stage();
  }

  /** Whether there was a write since the last commit: one in no committed segment, or a deletion in one. */
  get isChanged(): boolean {
    return (
      this.buffer.docCount + this.unseen.length > 0 ||
      this.segments.some((segment) => segment.file === undefined || segment.committedLive !== segment.working)
    );
  }

  /** Whether the last freeze has something to publish besides the buffer. */
  get hasNews(): boolean {
    return this.leaving > 0 || this.segments.some((segment) => segment.staged !== segment.published);
  }

  /** Publishes the frozen writes to searches. */
  publish(): void {
    this.segments.push(...this.unseen.splice(0, this.leaving));
    this.leaving = 0;
    for (const segment of this.segments) segment.publish();
    this.segments = this.segments.filter((segment) => {
      const isKept = segment.busy || segment.deletedCount() < segment.core.docCount;
      if (!isKept) segment.use.release();
      return isKept;
    });
  }

  /** Keeps the memory of a flushed buffer for the next buffer. */
  keep(buffer: WriteBuffer): void {
    buffer.clear();
    this.spare = buffer;
  }

  /** Releases the memory kept for the next buffer. */
  dropSpare(): void {
    this.spare = undefined;
    if (this.buffer.docCount === 0) this.buffer = new WriteBuffer();
  }

  /** Documents in no published segment. */
  get pending(): number {
    let count = this.buffer.docCount + (this.flushing?.docCount ?? 0);
    for (const { core } of this.unseen) count += core.docCount;
    return count;
  }

  /** Bytes of writes since the last refresh. */
  get buffered(): number {
    let total = this.buffer.used;
    for (const { core, begun } of this.unseen) total += core.contentBytes + (begun?.sourcesBytes ?? 0);
    return total;
  }

  /** Closes the files of all segments. */
  close(): void {
    for (const segment of [...this.segments, ...this.unseen]) segment.use.end();
  }

  /** Releases all segments: each file is closed by its last reader. */
  release(): void {
    for (const segment of [...this.segments, ...this.unseen]) segment.use.release();
  }

  /** Bytes in memory: segments and buffers. */
  get memory(): number {
    let total = this.buffer.memory + (this.flushing?.memory ?? 0) + (this.spare?.memory ?? 0);
    total += this.written.memory;
    for (const segment of [...this.segments, ...this.unseen]) total += segment.core.memory;
    return total;
  }
}
