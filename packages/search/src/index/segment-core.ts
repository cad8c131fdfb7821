// One immutable segment as the engine reads it: postings, norms, columns and sources by field. Later deletions, and
// the segment's place in an index, are in segment-view.ts.
import { runInBackground, runToEnd } from '../tasks/scheduler.ts';
import { fullBits } from './bits.ts';
import type { CoreReader, TermsField } from './core-reader.ts';
import { BlockCache } from './block-cache.ts';
import { EngineContext } from './engine-context.ts';
import { type EncodedId, IdReader } from './ids.ts';
import { NumericSkipIndex } from './numeric-skip-index.ts';
import { Postings } from './postings.ts';
import type { GeoColumn, NumberColumn } from './segment.ts';
import type { FieldMeta, SegmentData, SourcesFile } from './segment-data.ts';
import type { SectionArray } from './shared.ts';
import { sectionIn, type SectionSource, sectionsOf } from './sections.ts';
import { StoredReader } from './stored.ts';

const decoder = new TextDecoder();

/** Maximum documents of a skip index that is built without yielding: three milliseconds. */
const AT_ONCE = 1 << 19;

/** A text or keyword field with its totals. */
export interface StoredTerms extends TermsField {
  readonly meta: FieldMeta;
}

/** A segment's content, opened. */
export class SegmentCore implements CoreReader {
  readonly name: string;
  readonly docCount: number;
  data: SegmentData;
  readonly ids: IdReader;
  readonly versions: SectionArray;
  readonly roots: Int32Array | undefined;
  private stored: StoredReader;
  private bytes = -1;
  /** For messages: the segment's file. */
  readonly label: string;
  readonly engine: EngineContext;
  /** Where the sources are, once they are on disk and their directory has paths. */
  sourcesFile: SourcesFile | undefined;

  private readonly seqNos: SectionArray;
  private readonly nestedPaths: Uint8Array | undefined;
  private readonly nestedOffsets: Uint32Array | undefined;
  private readonly routings: ReadonlyMap<number, string>;
  private readonly index = new Map<string, number>();
  private readonly termsFields = new Map<string, StoredTerms>();
  private readonly numberColumns = new Map<string, NumberColumn>();
  /** null while they are made. */
  private readonly levels = new Map<string, NumericSkipIndex | null>();
  private readonly geoColumns = new Map<string, GeoColumn>();
  private ones: Uint8Array | undefined;
  private everything: Int32Array | undefined;

  /** @param engine of the index that the segment is of; one of its own for a segment that no index has */
  constructor(data: SegmentData, label: string, engine = new EngineContext()) {
    const { meta } = data;
    const sections = sectionsOf(data.sections);
    this.data = data;
    this.label = label;
    this.engine = engine;
    this.name = meta.name;
    this.docCount = meta.docCount;
    this.ids = new IdReader(
      sectionIn(sections, 'ids'),
      sectionIn(sections, 'idEnds'),
      sectionIn(sections, 'idSlots'),
      sections('idPrints'),
    );
    this.versions = sectionIn(sections, 'versions');
    this.seqNos = sectionIn(sections, 'seqNos');
    this.roots = sections('roots');
    this.nestedPaths = sections('nestedPaths');
    this.nestedOffsets = sections('nestedOffsets');
    const routings = sections('routings');
    this.routings = new Map(routings && JSON.parse(decoder.decode(routings)));
    this.sourcesFile = data.sourcesFile;
    this.stored = this.openSources(data.readSources);
    meta.fields.forEach((field, index) => this.index.set(field.name, index));
  }

  private openSources(read: SegmentData['readSources']): StoredReader {
    const sections = sectionsOf(this.data.sections);
    const firstDocs = sectionIn(sections, 'sourceFirstDocs');
    const offsets = sectionIn(sections, 'sourceOffsets');
    return new StoredReader(firstDocs, offsets, read, this.label, this.engine.part(BlockCache));
  }

  /** Reads sources from a file from now on and lets go of those in memory. */
  moveSources(read: SegmentData['readSources'], file: SourcesFile | undefined): void {
    this.sourcesFile = file;
    this.stored = this.openSources(read);
    this.data.sections.delete('sources');
    // The former function may hold the sources in memory.
    this.data = { ...this.data, readSources: read };
    this.bytes = -1;
  }

  fieldNames(): readonly string[] {
    return [...this.index.keys()];
  }

  meta(field: string): FieldMeta | undefined {
    const index = this.index.get(field);
    return index === undefined ? undefined : this.data.meta.fields[index];
  }

  shape(field: string): FieldMeta | undefined {
    return this.meta(field);
  }

  counts(field: string): FieldMeta | undefined {
    return this.meta(field);
  }

  private sectionsOf(field: string): SectionSource {
    return sectionsOf(this.data.sections, `${this.index.get(field)}/`);
  }

  /** A text or keyword field, opened on first use. */
  terms(field: string): StoredTerms | undefined {
    const known = this.termsFields.get(field);
    if (known !== undefined) return known;
    const meta = this.meta(field);
    if (meta === undefined || (meta.kind !== 'text' && meta.kind !== 'keyword')) return undefined;
    const sections = this.sectionsOf(field);
    const postings = new Postings(sections, (bytes) => (this.derived += bytes));
    const opened: StoredTerms = {
      meta,
      postings,
      norms: sections('norms') ?? (this.ones ??= new Uint8Array(this.docCount).fill(1)),
      lengths: sections('lengths'),
      exists: sections('exists'),
      column: meta.column
        ? {
            kind: 'keyword',
            ordinals: sectionIn(sections, 'ordinals'),
            starts: sections('starts'),
            exists: sections('ordinalsExist'),
            terms: postings,
          }
        : undefined,
    };
    this.termsFields.set(field, opened);
    return opened;
  }

  /** Nothing is hidden here; terms of deleted documents stay until a merge. */
  shownTerms(): undefined {
    return undefined;
  }

  number(field: string): NumberColumn | undefined {
    const known = this.numberColumns.get(field);
    if (known !== undefined) return known;
    if (field === '_seq_no') return this.seqNoColumn();
    if (this.meta(field)?.kind !== 'number') return undefined;
    const sections = this.sectionsOf(field);
    const column: NumberColumn = {
      kind: 'number',
      values: sectionIn(sections, 'values'),
      starts: sections('starts'),
      exists: sections('exists'),
    };
    this.numberColumns.set(field, column);
    return column;
  }

  /** Built on first use: most indices never need it. */
  private seqNoColumn(): NumberColumn {
    const values = Float64Array.from({ length: this.docCount }, (_, doc) => this.seqNo(doc));
    const column: NumberColumn = { kind: 'number', values, starts: undefined, exists: undefined };
    this.numberColumns.set('_seq_no', column);
    this.derived += values.byteLength;
    return column;
  }

  /**
   * The documents with the best values of a column of single numbers. Made on first use, of large segments in slices between requests;
   * undefined until then, and without such a column.
   */
  numericSkipIndex(field: string, descending: boolean): NumericSkipIndex | undefined {
    const key = `${descending ? '-' : '+'}${field}`;
    const known = this.levels.get(key);
    if (known !== undefined) return known ?? undefined;
    const column = this.number(field);
    if (column === undefined || column.starts !== undefined) return undefined;
    const work = NumericSkipIndex.of(column, this.docCount, descending);
    if (this.docCount > AT_ONCE) {
      this.levels.set(key, null);
      runInBackground(work, (levels) => this.keepLevels(key, levels));
      return undefined;
    }
    return this.keepLevels(key, runToEnd(work));
  }

  private keepLevels(key: string, levels: NumericSkipIndex): NumericSkipIndex {
    this.levels.set(key, levels);
    this.derived += levels.bytes;
    return levels;
  }

  geo(field: string): GeoColumn | undefined {
    const known = this.geoColumns.get(field);
    if (known !== undefined) return known;
    if (this.meta(field)?.kind !== 'geo') return undefined;
    const sections = this.sectionsOf(field);
    const column: GeoColumn = {
      kind: 'geo',
      lat: sectionIn(sections, 'lat'),
      lon: sectionIn(sections, 'lon'),
      starts: sections('starts'),
      exists: sections('exists'),
    };
    this.geoColumns.set(field, column);
    return column;
  }

  /** The documents that have the field; undefined when none has. Do not change it. */
  documentsWith(field: string): Int32Array | undefined {
    const stored = this.number(field) ?? this.geo(field) ?? this.terms(field);
    return stored && (stored.exists ?? this.all());
  }

  /** The set of all documents. Do not change it. */
  all(): Int32Array {
    return (this.everything ??= fullBits(this.docCount));
  }

  get documents(): undefined {
    return undefined;
  }

  get content(): object {
    return this;
  }

  id(doc: number): string {
    return this.ids.get(doc);
  }

  find(id: EncodedId): number {
    return this.ids.find(id);
  }

  version(doc: number): number {
    return this.versions[doc]!;
  }

  primaryTerm(): number {
    return this.data.meta.primaryTerm;
  }

  seqNo(doc: number): number {
    return this.data.meta.seqNoBase + this.seqNos[doc]!;
  }

  routing(doc: number): string | undefined {
    return this.routings.get(doc);
  }

  /** The stored sources, block by block. */
  get sources(): StoredReader {
    return this.stored;
  }

  source(doc: number): Uint8Array {
    return this.stored.get(doc);
  }

  readSource(doc: number): Uint8Array | (() => Promise<Uint8Array>) {
    return this.stored.read(doc);
  }

  sourceText(doc: number): string {
    return this.stored.text(doc);
  }

  nestedPath(doc: number): string | undefined {
    const path = this.nestedPaths?.[doc] ?? 0;
    return path === 0 ? undefined : this.data.meta.nestedPaths[path - 1];
  }

  nestedOffset(doc: number): number {
    return this.nestedOffsets?.[doc] ?? 0;
  }

  /** The documents of a nested path, undefined when the segment has none. */
  documentsOfPath(path: string): Int32Array | undefined {
    const number = this.data.meta.nestedPaths.indexOf(path) + 1;
    if (number === 0 || this.nestedPaths === undefined) return undefined;
    const cached = this.pathBits.get(path);
    if (cached !== undefined) return cached;
    const bits = new Int32Array((this.docCount + 31) >>> 5);
    for (let doc = 0; doc < this.docCount; doc++) {
      if (this.nestedPaths[doc] === number) bits[doc >>> 5]! |= 1 << (doc & 31);
    }
    this.pathBits.set(path, bits);
    return bits;
  }

  private readonly pathBits = new Map<string, Int32Array>();

  /** Bytes of tables that were made of the content on use. */
  derived = 0;

  /** Bytes of the content alone, whatever was made of it for searches; sources that stayed on disk do not count. */
  get contentBytes(): number {
    if (this.bytes < 0) {
      this.bytes = 0;
      for (const section of this.data.sections.values()) this.bytes += section.byteLength;
    }
    return this.bytes;
  }

  /** Bytes of the arrays in memory. */
  get memory(): number {
    return this.contentBytes + this.derived;
  }
}

/** Returns the stored segment. Masked segments are never written, merged or sent to a thread. */
export function storedCore({ core }: { readonly core: CoreReader }): SegmentCore {
  if (core instanceof SegmentCore) return core;
  throw new TypeError('What a view shows of a segment is not a stored segment.');
}
