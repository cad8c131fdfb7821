// Builds the sections about a segment's documents: ids, versions, sequence numbers, sources, and which documents are
// hidden nested ones. Shared by the flush and the merge.
import { buildIdTable } from './ids.ts';
import { sharedBits, setBit } from './bits.ts';
import { ByteList, type SectionArray, sharedFloat64, sharedUint32, sharedUint8, sharedUnsigned } from './shared.ts';
import type { SegmentData } from './segment-data.ts';
import { type SourcesOut, StoredWriter } from './stored.ts';

const encoder = new TextEncoder();

/** The finished sections. */
export interface FinishedColumns {
  readonly sections: Map<string, SectionArray>;
  readonly seqNoBase: number;
  readonly readSources: SegmentData['readSources'];
}

/** Collects the documents of a segment in order. */
export class DocumentColumnsWriter {
  readonly paths: string[] = [];
  private readonly ids = new ByteList();
  private readonly ends: Uint32Array;
  private readonly versions: Float64Array;
  private readonly seqNos: Float64Array;
  private readonly nested: Uint8Array;
  private readonly offsets: Uint32Array;
  private readonly stored: StoredWriter;
  private readonly routings: [number, string][] = [];
  private doc = 0;
  private readonly docCount: number;

  /** @param out where the sources go; into the sections without it */
  constructor(docCount: number, out?: SourcesOut) {
    this.docCount = docCount;
    this.stored = new StoredWriter(out);
    this.ends = sharedUint32(docCount);
    this.versions = new Float64Array(docCount);
    this.seqNos = new Float64Array(docCount);
    this.nested = new Uint8Array(docCount);
    this.offsets = new Uint32Array(docCount);
  }

  /** Adds the next document, whose id is `ids[start, end)` in UTF-8; a hidden document has none. */
  add(ids: Uint8Array, start: number, end: number, version: number, seqNo: number): void {
    const doc = this.doc++;
    this.ids.append(ids, start, end);
    this.ends[doc] = this.ids.length;
    this.versions[doc] = version;
    this.seqNos[doc] = seqNo;
  }

  /** Adds the source `bytes[start, end)` of the document added last, unless it came with its block. */
  addSource(bytes: Uint8Array, start = 0, end = bytes.length): void {
    this.stored.add(bytes, start, end);
  }

  route(doc: number, routing: string): void {
    this.routings.push([doc, routing]);
  }

  /** Hides the document added last: it is the element at `offset` of a nested path. */
  nest(path: string, offset: number): void {
    let known = this.paths.indexOf(path);
    if (known < 0) known = this.paths.push(path) - 1;
    this.nested[this.doc - 1] = known + 1;
    this.offsets[this.doc - 1] = offset;
  }

  /** Copies the compressed sources of the next `docs` documents, which are added without a source. */
  addBlock(frame: Uint8Array, docs: number): void {
    this.stored.addBlock(frame, docs);
  }

  /** The least and the highest sequence number, and the highest version. */
  private extremes(): { readonly base: number; readonly top: number; readonly version: number } {
    const { nested, seqNos, versions, docCount } = this;
    let base = Infinity;
    let top = 0;
    let version = 0;
    for (let doc = 0; doc < docCount; doc++) {
      if (nested[doc] !== 0) continue;
      const seqNo = seqNos[doc]!;
      if (seqNo < base) base = seqNo;
      if (seqNo > top) top = seqNo;
      if (versions[doc]! > version) version = versions[doc]!;
    }
    return { base: base === Infinity ? 0 : base, top, version };
  }

  /** Each sequence number minus the least. */
  private countFrom(base: number, relative: SectionArray): void {
    const { seqNos, docCount } = this;
    for (let doc = 0; doc < docCount; doc++) relative[doc] = Math.max(0, seqNos[doc]! - base);
  }

  /** Finishes the columns. Yields now and then: the loops over all documents take several milliseconds each. */
  *finish(): Generator<void, FinishedColumns> {
    const sections = new Map<string, SectionArray>();
    const ids = this.ids.toShared();
    sections.set('ids', ids);
    sections.set('idEnds', this.ends);
    yield;
    const table = buildIdTable(ids, this.ends, this.seqNos);
    sections.set('idSlots', table.slots);
    sections.set('idPrints', table.prints);
    yield;
    const { base, top, version } = this.extremes();
    const relative = sharedUnsigned(this.docCount, top - base);
    this.countFrom(base, relative);
    sections.set('seqNos', relative);
    if (version < 0x1_0000_0000) {
      const narrow = sharedUnsigned(this.docCount, version);
      narrow.set(this.versions);
      sections.set('versions', narrow);
    } else {
      const wide = sharedFloat64(this.docCount);
      wide.set(this.versions);
      sections.set('versions', wide);
    }
    yield;
    const stored = this.stored.finish();
    for (const [name, array] of Object.entries(stored.sections)) sections.set(name, array);
    yield;
    if (this.paths.length > 0) {
      const roots = sharedBits(this.docCount);
      for (let doc = 0; doc < this.docCount; doc++) if (this.nested[doc] === 0) setBit(roots, doc);
      sections.set('roots', roots);
      const paths = sharedUint8(this.docCount);
      paths.set(this.nested);
      sections.set('nestedPaths', paths);
      const offsets = sharedUint32(this.docCount);
      offsets.set(this.offsets);
      sections.set('nestedOffsets', offsets);
    }
    if (this.routings.length > 0) {
      const json = encoder.encode(JSON.stringify(this.routings));
      const bytes = sharedUint8(json.length);
      bytes.set(json);
      sections.set('routings', bytes);
    }
    return { sections, seqNoBase: base, readSources: stored.readSources };
  }
}
