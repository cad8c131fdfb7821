// Builds the columns of a segment: numbers and points from values in document order, ordinals of keyword fields from postings
// in term order. Shared by the flush and the merge.
import { countBits, sharedBits, setBit } from './bits.ts';
import type { WrittenSections } from './sections.ts';
import { sharedFloat64, sharedUint32, sharedUnsigned } from './shared.ts';

/** The set of documents, or undefined when it holds all of them. */
export function presence(bits: Int32Array, docCount: number): Int32Array | undefined {
  return countBits(bits) === docCount ? undefined : bits;
}

/** Collects values document by document. */
export class ValuesColumnWriter {
  private readonly exists: Int32Array;
  private readonly counts: Uint32Array;
  /** By document where its values begin. */
  private readonly begins: Uint32Array;
  private values = new Float64Array(1024);
  private length = 0;
  private docs = 0;
  private multiple = false;
  private readonly docCount: number;
  /** Floats of one value: 1 for numbers, 2 for points. */
  private readonly width: 1 | 2;

  constructor(docCount: number, width: 1 | 2) {
    this.docCount = docCount;
    this.width = width;
    this.exists = sharedBits(docCount);
    this.counts = new Uint32Array(docCount);
    this.begins = new Uint32Array(docCount);
  }

  /** Adds the values `from[start … end)` of a document; documents come in any order, each once. */
  add(doc: number, from: Float64Array, start: number, end: number): void {
    if (start === end) return;
    setBit(this.exists, doc);
    this.docs++;
    const count = (end - start) / this.width;
    this.counts[doc] = count;
    this.begins[doc] = this.length;
    if (count > 1) this.multiple = true;
    if (this.length + end - start > this.values.length) {
      const grown = new Float64Array(Math.max(this.values.length * 2, this.length + end - start));
      grown.set(this.values.subarray(0, this.length));
      this.values = grown;
    }
    for (let i = start; i < end; i++) this.values[this.length++] = from[i]!;
  }

  finish(): { readonly docs: number; readonly sections: WrittenSections } {
    const { docCount, width, counts, begins } = this;
    const sections: WrittenSections = {};
    const exists = presence(this.exists, docCount);
    if (exists !== undefined) sections.exists = exists;
    let starts: Uint32Array | undefined;
    if (this.multiple) {
      starts = sharedUint32(docCount + 1);
      for (let doc = 0; doc < docCount; doc++) starts[doc + 1] = starts[doc]! + counts[doc]!;
      sections.starts = starts;
    }
    const total = this.multiple ? this.length / width : docCount;
    const parts = width === 1 ? (['values'] as const) : (['lat', 'lon'] as const);
    parts.forEach((part, offset) => {
      const array = sharedFloat64(total);
      for (let doc = 0; doc < docCount; doc++) {
        const to = starts === undefined ? doc : starts[doc]!;
        const from = begins[doc]! + offset;
        for (let i = 0; i < counts[doc]!; i++) array[to + i] = this.values[from + i * width]!;
      }
      sections[part] = array;
    });
    return { docs: this.docs, sections };
  }
}

/** Collects the ordinals of a keyword field, term after term. */
export class OrdinalsWriter {
  private readonly counts: Uint32Array;
  /** Pairs of document and ordinal, in term order. */
  private readonly pairDocs: Int32Array;
  private readonly pairOrdinals: Int32Array;
  private length = 0;
  private readonly docCount: number;

  /** @param postings how many pairs will come at most */
  constructor(docCount: number, postings: number) {
    this.docCount = docCount;
    this.counts = new Uint32Array(docCount);
    this.pairDocs = new Int32Array(postings);
    this.pairOrdinals = new Int32Array(postings);
  }

  /** Adds the documents `docs[from … to)` of the term with that ordinal; ordinals ascend. */
  add(ordinal: number, docs: Int32Array, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      const doc = docs[i]!;
      this.counts[doc]!++;
      this.pairDocs[this.length] = doc;
      this.pairOrdinals[this.length++] = ordinal;
    }
  }

  finish(terms: number): WrittenSections {
    const { docCount, counts } = this;
    const sections: WrittenSections = {};
    const exists = sharedBits(docCount);
    let multiple = false;
    for (let doc = 0; doc < docCount; doc++) {
      if (counts[doc]! > 0) setBit(exists, doc);
      if (counts[doc]! > 1) multiple = true;
    }
    const present = presence(exists, docCount);
    if (present !== undefined) sections.ordinalsExist = present;
    const ordinals = sharedUnsigned(multiple ? this.length : docCount, terms);
    if (multiple) {
      const starts = sharedUint32(docCount + 1);
      for (let doc = 0; doc < docCount; doc++) starts[doc + 1] = starts[doc]! + counts[doc]!;
      const next = starts.slice();
      for (let i = 0; i < this.length; i++) ordinals[next[this.pairDocs[i]!]!++] = this.pairOrdinals[i]! + 1;
      sections.starts = starts;
    } else {
      for (let i = 0; i < this.length; i++) ordinals[this.pairDocs[i]!] = this.pairOrdinals[i]! + 1;
    }
    sections.ordinals = ordinals;
    return sections;
  }
}
