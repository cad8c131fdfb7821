// The documents of one index as the latest write left them: in the buffer, in the one that is being turned into a segment, in a segment,
// or deleted and remembered for a while. What makes segments of buffers, and when searches see them, is decided elsewhere.
import type { Clock } from '@lockstitch/kernel';
import { searchError } from '../errors.ts';
import { type EncodedId, encodeId, IdEncoder } from '../index/ids.ts';
import type { DocumentMapper } from '../index/indexed-document.ts';
import type { Operation, OperationResult, StoredDocument } from '../index/operation.ts';
import { WriteBuffer } from '../index/write-buffer.ts';
import { type Location, nextVersion, PRIMARY_TERM } from './next-version.ts';
import type { LiveSegment } from './segment-set.ts';
import type { LoggedOperation } from './translog.ts';

/** Bytes of writes between two looks at the clock: 0.1 ms. */
const SLICE_BYTES = 1 << 13;
/** What a write costs besides its source, in bytes of one. */
const OPERATION_BYTES = 200;
/** How long a deletion is remembered for versions, as Elasticsearch's `index.gc_deletes`. Milliseconds. */
const REMEMBER_DELETES = 60_000;

/** What the documents need of their index. */
interface DocumentsHost {
  readonly clock: Clock;
  readonly mapper: DocumentMapper;
  readonly maxDocumentBytes: number;
}

/** Takes the writes of one index. */
export class LatestDocuments {
  /** In the order of their documents; the index adds, joins and removes them. */
  segments: LiveSegment[] = [];
  buffer = new WriteBuffer();
  /** The buffer that is being turned into a segment. */
  flushing: WriteBuffer | undefined;
  /** Of the latest write, -1 without one. */
  seqNo = -1;
  indexed = 0;
  deleted = 0;
  /** An emptied buffer whose memory the next one takes, while writes come fast. */
  private spare: WriteBuffer | undefined;
  private readonly tombstones = new Map<string, { version: number; seqNo: number; at: number }>();
  private readonly idEncoder = new IdEncoder();
  private readonly host: DocumentsHost;

  constructor(host: DocumentsHost) {
    this.host = host;
  }

  /** Applies writes in slices, one result each; what was done is added to `logged`. */
  *apply(operations: readonly Operation[], logged: LoggedOperation[]): Generator<void, OperationResult[]> {
    const results: OperationResult[] = [];
    let bytes = 0;
    for (const operation of operations) {
      results.push(this.applyOne(operation, logged));
      bytes += OPERATION_BYTES + (operation.kind === 'index' ? operation.source.length : 0);
      if (bytes < SLICE_BYTES) continue;
      bytes = 0;
      yield;
    }
    return results;
  }

  private applyOne(operation: Operation, logged: LoggedOperation[]): OperationResult {
    const { id } = operation;
    try {
      const encoded = this.idEncoder.encode(id);
      const found = this.locate(encoded, id);
      const exists = found?.exists === true;
      const version = nextVersion(operation, found);
      const seqNo = this.seqNo + 1;
      if (operation.kind === 'delete') {
        if (exists) this.removeEverywhere(encoded);
        this.remember(id, version, seqNo);
        this.deleted++;
      } else {
        if (operation.source.length > this.host.maxDocumentBytes) {
          throw searchError('SEARCH_DOCUMENT_TOO_LARGE', {
            id,
            bytes: operation.source.length,
            limit: this.host.maxDocumentBytes,
          });
        }
        const document = this.host.mapper.parse(id, operation.source, operation.routing);
        // A document is live in one place at most, so one that is in none need not be looked for again.
        this.buffer.add(document, encoded, version, seqNo, exists ? () => this.removeEverywhere(encoded) : undefined);
        if (this.tombstones.size > 0) this.tombstones.delete(id);
        this.indexed++;
      }
      this.seqNo = seqNo;
      const { source, routing } = operation.kind === 'index' ? operation : { source: undefined, routing: undefined };
      logged.push(
        source === undefined
          ? { kind: 'delete', id, seqNo, version }
          : { kind: 'index', id, seqNo, version, routing, source },
      );
      const result = operation.kind === 'delete' ? (exists ? 'deleted' : 'not_found') : exists ? 'updated' : 'created';
      return { kind: 'done', id, result, version, seqNo, primaryTerm: PRIMARY_TERM };
    } catch (error) {
      return { kind: 'failed', id, error: error as Error };
    }
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

  /** Applies a logged write. Its version was decided when it was first made. */
  replay(operation: LoggedOperation): void {
    if (operation.seqNo <= this.seqNo) return;
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
    this.buffer.add(
      this.host.mapper.parse(operation.id, operation.source, operation.routing),
      id,
      operation.version,
      operation.seqNo,
    );
  }

  private locate(encoded: EncodedId, id: string): Location | undefined {
    for (const buffer of [this.buffer, this.flushing]) {
      const doc = buffer?.find(encoded) ?? -1;
      if (buffer !== undefined && doc >= 0) {
        return { version: buffer.versionOf(doc), seqNo: buffer.seqNoOf(doc), exists: true };
      }
    }
    const tombstone = this.tombstones.size === 0 ? undefined : this.tombstones.get(id);
    if (tombstone !== undefined) return { version: tombstone.version, seqNo: tombstone.seqNo, exists: false };
    for (let i = this.segments.length - 1; i >= 0; i--) {
      const segment = this.segments[i]!;
      const doc = segment.find(encoded);
      if (doc >= 0) return { version: segment.core.versions[doc]!, seqNo: segment.core.seqNo(doc), exists: true };
    }
    return undefined;
  }

  private removeEverywhere(id: EncodedId): void {
    this.buffer.delete(id);
    this.flushing?.delete(id);
    for (const segment of this.segments) {
      const doc = segment.find(id);
      if (doc >= 0) segment.delete(doc);
    }
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
    for (let i = this.segments.length - 1; i >= 0; i--) {
      const segment = this.segments[i]!;
      const doc = segment.find(encoded);
      if (doc < 0) continue;
      const { core } = segment;
      return {
        id,
        source: core.source(doc),
        version: core.versions[doc]!,
        seqNo: core.seqNo(doc),
        primaryTerm: PRIMARY_TERM,
        routing: core.routing(doc),
      };
    }
    return undefined;
  }

  /** Divides the writes: those so far go to the segment that is made next, later ones to a new buffer. */
  divide(): void {
    if (this.flushing === undefined && this.buffer.docCount > 0) {
      this.flushing = this.buffer;
      this.buffer = this.spare ?? new WriteBuffer();
      this.spare = undefined;
    }
    for (const segment of this.segments) segment.stage();
  }

  /** Keeps the memory of a flushed buffer for the writes that will fill another. */
  keep(buffer: WriteBuffer): void {
    buffer.clear();
    this.spare = buffer;
  }

  /** Gives back what was kept for writes that did not come. */
  dropSpare(): void {
    this.spare = undefined;
    if (this.buffer.docCount === 0) this.buffer = new WriteBuffer();
  }

  /** Documents that no segment holds yet. */
  get pending(): number {
    return this.buffer.docCount + (this.flushing?.docCount ?? 0);
  }

  /** Bytes in memory: segments and buffers. */
  get memory(): number {
    let total = this.buffer.memory + (this.flushing?.memory ?? 0) + (this.spare?.memory ?? 0);
    for (const segment of this.segments) total += segment.core.memory;
    return total;
  }
}
