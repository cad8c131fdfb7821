// Buffer of documents that were written since the last flush: terms as numbers in growing streams, per field. Mutable, not searchable;
// flush.ts makes a segment of it.
import { searchError } from '../errors/search-errors.ts';
import { BufferIds } from './buffer-ids.ts';
import { BytePool, type PooledBytes } from './byte-pool.ts';
import type { EncodedId } from './ids.ts';
import type { IndexedDocument, IndexedField, NestedDocument } from './indexed-document.ts';
import type { TextsContent, TextsShape } from './plain-texts.ts';
import { ByteList, FloatList, IntList } from './shared.ts';
import { TermsBuffer, type TermsContent, type TermsShape } from './terms-buffer.ts';
import { TextsBuffer } from './texts-buffer.ts';
import { ValuesBuffer, type ValuesContent } from './values-buffer.ts';

type FieldBuffer = TermsBuffer | TextsBuffer | ValuesBuffer;

/** A whole buffer as a flush takes it: plain values, in this thread or another. Nobody writes to it meanwhile. */
export interface BufferContent {
  readonly docCount: number;
  /** UTF-8, end to end; hidden documents have none. */
  readonly ids: Uint8Array;
  readonly idEnds: Int32Array;
  readonly versions: Float64Array;
  readonly seqNos: Float64Array;
  readonly routings: ReadonlyMap<number, string>;
  /** 0 for roots, else the index into `paths` plus one. */
  readonly pathOf: Int32Array;
  readonly offsets: Int32Array;
  readonly paths: readonly string[];
  readonly sources: PooledBytes;
  readonly fields: readonly (TermsContent | TextsContent | ValuesContent)[];
}

const nothing = new Uint8Array(0);

/** Bytes of a document besides its fields and source: numbers, and what the maps take. */
const DOCUMENT_BYTES = 150;

/** Bytes of texts that are read ahead at once. */
const READ_AHEAD = 1 << 13;

/** A batch of documents in the making. */
export class WriteBuffer {
  docCount = 0;
  /** Root documents whose adding was not broken off or undone. */
  liveRoots = 0;
  private readonly fields = new Map<string, FieldBuffer>();
  private readonly ids = new ByteList();
  private readonly idEnds = new IntList();
  private readonly sources = new BytePool(1 << 14, 64);
  private readonly versions = new FloatList();
  private readonly seqNos = new FloatList();
  private readonly routings = new Map<number, string>();
  private readonly pathOf = new IntList();
  private readonly offsets = new IntList();
  private readonly paths: string[] = [];
  /** Documents that were deleted or replaced before the flush, hidden ones included. */
  readonly deleted = new Set<number>();
  private readonly byId = new BufferIds(this.ids, this.idEnds);
  /** The first hidden document that belongs to a root, by root. */
  private readonly firstOf = new Map<number, number>();

  /** Bytes held, roughly. */
  get memory(): number {
    let total = this.sources.memory + this.ids.bytes.length + this.byId.memory + this.docCount * DOCUMENT_BYTES;
    for (const field of this.fields.values()) total += field.memory;
    return total;
  }

  /** Bytes that the content takes, roughly. */
  get used(): number {
    let total = this.sources.used + this.ids.length + this.docCount * DOCUMENT_BYTES;
    for (const field of this.fields.values()) total += field.used;
    return total;
  }

  /**
   * Adds a document.
   *
   * @param id that of the document
   * @param accepted called once no field can be refused any more: the place to delete the document of before
   * @throws ProductError when a field is refused; the document is then not there, and the one of before is
   */
  add(document: IndexedDocument, id: EncodedId, version: number, seqNo: number, accepted?: () => void): void {
    const first = this.docCount;
    try {
      for (const nested of document.nested ?? []) this.addNested(nested);
      const doc = this.docCount;
      // The remains of a refused field belong to this number, even if the rest of the document never follows.
      this.addFields(doc, document.fields);
      accepted?.();
      this.allocate(id, document.source, version, seqNo, 0, 0);
      if (document.routing !== undefined) this.routings.set(doc, document.routing);
      if (first < doc) this.firstOf.set(doc, first);
      this.byId.set(id, doc);
      this.liveRoots++;
    } catch (error) {
      this.allocate(undefined, nothing, 0, 0, 0, 0);
      for (let doc = first; doc < this.docCount; doc++) this.deleted.add(doc);
      throw error;
    }
  }

  /** Removes a document. */
  delete(id: EncodedId): void {
    const doc = this.byId.remove(id);
    if (doc < 0) return;
    for (let child = this.firstOf.get(doc) ?? doc; child <= doc; child++) this.deleted.add(child);
    this.liveRoots--;
  }

  /** The latest document of an id, or -1. */
  find(id: EncodedId): number {
    return this.byId.find(id);
  }

  versionOf(doc: number): number {
    return this.versions.values[doc]!;
  }

  seqNoOf(doc: number): number {
    return this.seqNos.values[doc]!;
  }

  routingOf(doc: number): string | undefined {
    return this.routings.get(doc);
  }

  /** A copy of a document's source. */
  sourceOf(doc: number): Uint8Array {
    return this.sources.get(doc);
  }

  /** Clears all documents and keeps the memory. */
  clear(): void {
    this.docCount = 0;
    this.liveRoots = 0;
    for (const [name, field] of this.fields) {
      // What the batch before did not use is not kept for the next.
      if (field.empty) this.fields.delete(name);
      else field.clear();
    }
    this.ids.length = 0;
    this.idEnds.length = 0;
    this.sources.clear();
    this.versions.length = 0;
    this.seqNos.length = 0;
    this.routings.clear();
    this.pathOf.length = 0;
    this.offsets.length = 0;
    this.paths.length = 0;
    this.deleted.clear();
    this.byId.clear();
    this.firstOf.clear();
  }

  /** What a flush makes a segment of. Documents may still be deleted meanwhile; the flush applies that later. */
  content(): BufferContent {
    return {
      docCount: this.docCount,
      ids: this.ids.bytes,
      idEnds: this.idEnds.values,
      versions: this.versions.values,
      seqNos: this.seqNos.values,
      routings: this.routings,
      pathOf: this.pathOf.values,
      offsets: this.offsets.values,
      paths: this.paths,
      sources: this.sources.content(),
      fields: [...this.fields.values()].filter((field) => !field.empty).map((field) => field.content()),
    };
  }

  /** Gives the next number to a document; a hidden or refused one has no id and no source. */
  private allocate(
    id: EncodedId | undefined,
    source: Uint8Array,
    version: number,
    seqNo: number,
    path: number,
    offset: number,
  ): void {
    if (id !== undefined) this.ids.append(id.bytes, 0, id.length);
    this.idEnds.push(this.ids.length);
    if (id === undefined) this.sources.skip();
    else this.sources.add(source);
    this.versions.push(version);
    this.seqNos.push(seqNo);
    this.pathOf.push(path);
    this.offsets.push(offset);
    this.docCount++;
  }

  private addNested(nested: NestedDocument): void {
    for (const inner of nested.nested ?? []) this.addNested(inner);
    let path = this.paths.indexOf(nested.path);
    if (path < 0) path = this.paths.push(nested.path) - 1;
    const doc = this.docCount;
    this.allocate(undefined, nothing, 0, 0, path + 1, nested.offset);
    this.addFields(doc, nested.fields);
  }

  private addFields(doc: number, fields: readonly IndexedField[]): void {
    for (const field of fields) {
      switch (field.kind) {
        case 'text': {
          const { field: name, norms, positions } = field;
          const buffer = this.terms({ field: name, kind: 'text', norms, positions, column: false });
          buffer.begin(doc);
          field.analyze(buffer);
          buffer.end();
          break;
        }
        case 'plain_text':
          this.addTexts(doc, field, field.values);
          break;
        case 'keyword': {
          if (field.values.length === 0) break;
          const { field: name, docValues: column } = field;
          const buffer = this.terms({ field: name, kind: 'keyword', norms: false, positions: false, column });
          buffer.begin(doc);
          for (const value of field.values) buffer.add(value, 0);
          break;
        }
        case 'number': {
          if (field.values.length === 0) break;
          const buffer = this.values(field.field, 'number');
          buffer.begin(doc);
          const values = field.values.length === 1 ? field.values : field.values.toSorted((a, b) => a - b);
          for (const value of values) buffer.push(value);
          break;
        }
        case 'geo': {
          if (field.points.length === 0) break;
          const buffer = this.values(field.field, 'geo');
          buffer.begin(doc);
          for (const { lat, lon } of field.points) {
            buffer.push(lat);
            buffer.push(lon);
          }
          break;
        }
      }
    }
  }

  private terms(shape: TermsShape): TermsBuffer {
    const { field, kind } = shape;
    const found = this.fields.get(field);
    if (found instanceof TermsBuffer && found.kind === kind) return found;
    if (found === undefined || (found instanceof TextsBuffer && kind === 'text')) {
      // Later words follow the words of earlier texts.
      const buffer = found?.readAll() ?? new TermsBuffer(shape);
      this.fields.set(field, buffer);
      return buffer;
    }
    throw searchError('SEARCH_FIELD_KIND', { field, actual: found.kind, wanted: kind });
  }

  private addTexts(doc: number, shape: TextsShape, values: readonly string[]): void {
    const { field, norms, positions } = shape;
    const found = this.fields.get(field);
    if (found instanceof TextsBuffer && found.fits(shape)) {
      found.add(doc, values);
      return;
    }
    const texts = new TextsBuffer(shape);
    texts.add(doc, values);
    if (found === undefined) this.fields.set(field, texts);
    else texts.readInto(this.terms({ field, kind: 'text', norms, positions, column: false }));
  }

  /** Prepares part of the next flush for 0.1 ms; false if nothing can be prepared now. */
  readAhead(): boolean {
    for (const field of this.fields.values())
      if (field instanceof TextsBuffer && field.readAhead(READ_AHEAD)) return true;
    return false;
  }

  private values(field: string, kind: 'number' | 'geo'): ValuesBuffer {
    const found = this.fields.get(field);
    if (found === undefined) {
      const buffer = new ValuesBuffer(field, kind);
      this.fields.set(field, buffer);
      return buffer;
    }
    if (!(found instanceof ValuesBuffer) || found.kind !== kind)
      throw searchError('SEARCH_FIELD_KIND', { field, actual: found.kind, wanted: kind });
    return found;
  }
}
