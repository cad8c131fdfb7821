// Builds the sections that describe a segment's documents themselves: ids, versions, sequence numbers, sources, and which are
// hidden nested ones. Shared by the flush and the merge.
import { buildIdSlots } from './ids.ts';
import { sharedBits, setBit } from './bits.ts';
import { ByteList, type SectionArray, sharedFloat64, sharedUint32, sharedUint8, sharedUnsigned } from './shared.ts';
import { StoredWriter } from './stored.ts';

const encoder = new TextEncoder();

/** Collects the documents of a segment in order. */
export class DocumentColumnsWriter {
  readonly paths: string[] = [];
  private readonly ids = new ByteList();
  private readonly ends: Uint32Array;
  private readonly versions: Float64Array;
  private readonly seqNos: Float64Array;
  private readonly nested: Uint8Array;
  private readonly offsets: Uint32Array;
  private readonly stored = new StoredWriter();
  private readonly routings: [number, string][] = [];
  private doc = 0;
  private readonly docCount: number;

  constructor(docCount: number) {
    this.docCount = docCount;
    this.ends = sharedUint32(docCount);
    this.versions = sharedFloat64(docCount);
    this.seqNos = sharedFloat64(docCount);
    this.nested = sharedUint8(docCount);
    this.offsets = sharedUint32(docCount);
  }

  /** Adds the next document; `path` is undefined for a root, and a hidden document has an empty id and source. */
  add(document: {
    readonly id: string;
    /** undefined: it comes with its block, by `addBlock`. */
    readonly source: Uint8Array | undefined;
    readonly version: number;
    readonly seqNo: number;
    readonly routing: string | undefined;
    readonly path: string | undefined;
    readonly offset: number;
  }): void {
    const doc = this.doc++;
    if (document.id !== '') this.ids.append(encoder.encode(document.id));
    this.ends[doc] = this.ids.length;
    this.versions[doc] = document.version;
    this.seqNos[doc] = document.seqNo;
    if (document.source !== undefined) this.stored.add(document.source);
    if (document.routing !== undefined) this.routings.push([doc, document.routing]);
    if (document.path !== undefined) {
      let path = this.paths.indexOf(document.path);
      if (path < 0) path = this.paths.push(document.path) - 1;
      this.nested[doc] = path + 1;
      this.offsets[doc] = document.offset;
    }
  }

  /** Takes over the compressed sources of the next `docs` documents, which are added without a source. */
  addBlock(frame: Uint8Array, docs: number): void {
    this.stored.addBlock(frame, docs);
  }

  /** Ends the columns; yields now and then, as the loops over all documents are several milliseconds each. */
  *finish(): Generator<void, { readonly sections: Map<string, SectionArray>; readonly seqNoBase: number }> {
    const sections = new Map<string, SectionArray>();
    const ids = this.ids.toShared();
    sections.set('ids', ids);
    sections.set('idEnds', this.ends);
    yield;
    sections.set('idSlots', buildIdSlots(ids, this.ends));
    yield;
    let base = Infinity;
    let top = 0;
    let version = 0;
    for (let doc = 0; doc < this.docCount; doc++) {
      if (this.nested[doc] !== 0) continue;
      base = Math.min(base, this.seqNos[doc]!);
      top = Math.max(top, this.seqNos[doc]!);
      version = Math.max(version, this.versions[doc]!);
    }
    if (base === Infinity) base = 0;
    const relative = sharedUnsigned(this.docCount, top - base);
    for (let doc = 0; doc < this.docCount; doc++) relative[doc] = Math.max(0, this.seqNos[doc]! - base);
    sections.set('seqNos', relative);
    if (version < 0x1_0000_0000) {
      const narrow = sharedUnsigned(this.docCount, version);
      narrow.set(this.versions);
      sections.set('versions', narrow);
    } else {
      sections.set('versions', this.versions);
    }
    yield;
    for (const [name, array] of Object.entries(this.stored.finish())) sections.set(name, array);
    yield;
    if (this.paths.length > 0) {
      const roots = sharedBits(this.docCount);
      for (let doc = 0; doc < this.docCount; doc++) if (this.nested[doc] === 0) setBit(roots, doc);
      sections.set('roots', roots);
      sections.set('nestedPaths', this.nested);
      sections.set('nestedOffsets', this.offsets);
    }
    if (this.routings.length > 0) {
      const json = encoder.encode(JSON.stringify(this.routings));
      const bytes = sharedUint8(json.length);
      bytes.set(json);
      sections.set('routings', bytes);
    }
    return { sections, seqNoBase: base };
  }
}
