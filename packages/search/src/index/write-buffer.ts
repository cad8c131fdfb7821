// Documents that were written but not yet refreshed: terms as numbers in growing streams, per field. Mutable, not searchable;
// `flush.ts` turns it into a segment.
import { searchError } from '../errors.ts';
import type { IndexedDocument, IndexedField, NestedDocument, TermSink } from './indexed-document.ts';
import { IntList } from './shared.ts';
import { MAX_TERM_BYTES, TermTable } from './term-table.ts';

const encoder = new TextEncoder();

/** The terms of one text or keyword field so far. */
export class TermsBuffer implements TermSink {
  readonly table = new TermTable();
  /** Term numbers of all tokens, document after document. */
  readonly tokens = new IntList(256);
  /** Positions beside `tokens`, for fields that keep them. */
  readonly positions: IntList | undefined;
  /** The documents that have the field, and where the tokens of each start. */
  readonly docs = new IntList();
  readonly starts = new IntList();
  /** Tokens at the position of their predecessor, by entry of `docs`. */
  readonly overlaps = new IntList();
  private lastPosition = -1;
  private overlapping = 0;
  private readonly encoded = new Uint8Array(MAX_TERM_BYTES + 3);
  readonly kind: 'text' | 'keyword';
  readonly field: string;
  readonly norms: boolean;
  /** Keyword fields: whether ordinals are wanted. */
  readonly column: boolean;

  constructor(field: string, kind: 'text' | 'keyword', norms: boolean, positions: boolean, column: boolean) {
    this.field = field;
    this.kind = kind;
    this.norms = norms;
    this.column = column;
    this.positions = positions ? new IntList(256) : undefined;
  }

  get memory(): number {
    return (
      this.table.memory + this.tokens.values.length * (this.positions === undefined ? 4 : 8) + this.docs.length * 12
    );
  }

  begin(doc: number): void {
    // The same field twice in one document (copy_to) continues the first.
    if (this.docs.length > 0 && this.docs.values[this.docs.length - 1] === doc) return;
    this.docs.push(doc);
    this.starts.push(this.tokens.length);
    this.overlaps.push(0);
    this.lastPosition = -1;
    this.overlapping = 0;
  }

  end(): void {
    this.overlaps.values[this.overlaps.length - 1] = this.overlapping;
  }

  add(term: string, position: number): void {
    const { read, written } = encoder.encodeInto(term, this.encoded);
    if (read < term.length) this.tooLong();
    this.addBytes(this.encoded, 0, written, position);
  }

  addBytes(bytes: Uint8Array, start: number, end: number, position: number): void {
    if (end - start > MAX_TERM_BYTES) this.tooLong();
    if (this.positions !== undefined) this.positions.push(position);
    if (position === this.lastPosition) this.overlapping++;
    this.lastPosition = position;
    this.tokens.push(this.table.add(bytes, start, end));
  }

  private tooLong(): never {
    throw searchError('SEARCH_TERM_TOO_LONG', { field: this.field, limit: MAX_TERM_BYTES });
  }
}

/** The numbers or points of one field so far. */
export class ValuesBuffer {
  readonly docs = new IntList();
  readonly starts = new IntList();
  /** Numbers; for points latitude and longitude by turns. */
  values = new Float64Array(64);
  length = 0;
  readonly kind: 'number' | 'geo';

  constructor(kind: 'number' | 'geo') {
    this.kind = kind;
  }

  get memory(): number {
    return this.values.length * 8 + this.docs.length * 8;
  }

  begin(doc: number): void {
    if (this.docs.length > 0 && this.docs.values[this.docs.length - 1] === doc) return;
    this.docs.push(doc);
    this.starts.push(this.length);
  }

  push(value: number): void {
    if (this.length === this.values.length) {
      const grown = new Float64Array(this.length * 2);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.length++] = value;
  }
}

export type FieldBuffer = TermsBuffer | ValuesBuffer;

/** A batch of documents in the making. */
export class WriteBuffer {
  docCount = 0;
  /** Root documents whose adding was not broken off or undone. */
  liveRoots = 0;
  readonly fields = new Map<string, FieldBuffer>();
  /** By document; hidden documents have an empty id and source. */
  readonly ids: string[] = [];
  readonly sources: Uint8Array[] = [];
  readonly versions: number[] = [];
  readonly seqNos: number[] = [];
  readonly routings = new Map<number, string>();
  /** 0 for roots, else the index into `paths` plus one. */
  readonly pathOf: number[] = [];
  readonly offsets: number[] = [];
  readonly paths: string[] = [];
  /** Documents that were deleted or replaced before the flush, hidden ones included. */
  readonly deleted = new Set<number>();
  /** The latest document of each id. */
  readonly byId = new Map<string, number>();
  /** The first hidden document that belongs to a root, by root. */
  private readonly firstOf = new Map<number, number>();
  private sourceBytes = 0;

  /** Bytes held, roughly. */
  get memory(): number {
    let total = this.sourceBytes + this.docCount * 120;
    for (const field of this.fields.values()) total += field.memory;
    return total;
  }

  /**
   * Adds a document.
   *
   * @param accepted called once no field can be refused any more: the place to delete the document of before
   * @throws ProductError when a field is refused; the document is then not there, and the one of before is
   */
  add(document: IndexedDocument, version: number, seqNo: number, accepted?: () => void): void {
    const first = this.docCount;
    try {
      for (const nested of document.nested ?? []) this.addNested(nested);
      const doc = this.allocate(0, 0);
      this.addFields(doc, document.fields);
      accepted?.();
      this.ids[doc] = document.id;
      this.sources[doc] = document.source;
      this.versions[doc] = version;
      this.seqNos[doc] = seqNo;
      if (document.routing !== undefined) this.routings.set(doc, document.routing);
      if (first < doc) this.firstOf.set(doc, first);
      this.byId.set(document.id, doc);
      this.sourceBytes += document.source.length;
      this.liveRoots++;
    } catch (error) {
      for (let doc = first; doc < this.docCount; doc++) this.deleted.add(doc);
      throw error;
    }
  }

  /** Takes a document out. */
  delete(id: string): void {
    const doc = this.byId.get(id);
    if (doc === undefined) return;
    this.byId.delete(id);
    for (let child = this.firstOf.get(doc) ?? doc; child <= doc; child++) this.deleted.add(child);
    this.liveRoots--;
  }

  private allocate(path: number, offset: number): number {
    this.ids.push('');
    this.sources.push(EMPTY);
    this.versions.push(0);
    this.seqNos.push(0);
    this.pathOf.push(path);
    this.offsets.push(offset);
    return this.docCount++;
  }

  private addNested(nested: NestedDocument): void {
    for (const inner of nested.nested ?? []) this.addNested(inner);
    let path = this.paths.indexOf(nested.path);
    if (path < 0) path = this.paths.push(nested.path) - 1;
    this.addFields(this.allocate(path + 1, nested.offset), nested.fields);
  }

  private addFields(doc: number, fields: readonly IndexedField[]): void {
    for (const field of fields) {
      switch (field.kind) {
        case 'text': {
          const buffer = this.terms(field.field, 'text', field.norms, field.positions, false);
          buffer.begin(doc);
          field.analyze(buffer);
          buffer.end();
          break;
        }
        case 'keyword': {
          if (field.values.length === 0) break;
          const buffer = this.terms(field.field, 'keyword', false, false, field.docValues);
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

  private terms(
    field: string,
    kind: 'text' | 'keyword',
    norms: boolean,
    positions: boolean,
    column: boolean,
  ): TermsBuffer {
    const found = this.fields.get(field);
    if (found === undefined) {
      const buffer = new TermsBuffer(field, kind, norms, positions, column);
      this.fields.set(field, buffer);
      return buffer;
    }
    if (!(found instanceof TermsBuffer) || found.kind !== kind) {
      throw searchError('SEARCH_FIELD_KIND', { field, actual: found.kind, wanted: kind });
    }
    return found;
  }

  private values(field: string, kind: 'number' | 'geo'): ValuesBuffer {
    const found = this.fields.get(field);
    if (found === undefined) {
      const buffer = new ValuesBuffer(kind);
      this.fields.set(field, buffer);
      return buffer;
    }
    if (!(found instanceof ValuesBuffer) || found.kind !== kind) {
      throw searchError('SEARCH_FIELD_KIND', { field, actual: found.kind, wanted: kind });
    }
    return found;
  }
}

const EMPTY = new Uint8Array(0);
