// A segment as one refresh shows it: the immutable core with the documents deleted by then and its place in the index.
import { countBits, hasBit, nextBit, setBit } from './bits.ts';
import type { CoreReader } from './core-reader.ts';
import { Cursor } from './postings.ts';
import type { GeoColumn, KeywordColumn, NumberColumn, SegmentReader, TermDictionary } from './segment.ts';

import { NO_MORE_DOCS } from './segment.ts';

export class SegmentView implements SegmentReader {
  readonly core: CoreReader;
  readonly live: Int32Array | undefined;
  readonly generation: number;
  readonly base: number;
  readonly name: string;
  readonly docCount: number;
  readonly roots: Int32Array | undefined;

  constructor(core: CoreReader, live: Int32Array | undefined, generation: number, base: number) {
    this.core = core;
    this.live = live;
    this.generation = generation;
    this.base = base;
    this.name = core.name;
    this.docCount = core.docCount;
    this.roots = core.roots;
  }

  fieldNames(): readonly string[] {
    return this.core.fieldNames();
  }

  number(field: string): NumberColumn | undefined {
    return this.core.number(field);
  }

  keyword(field: string): KeywordColumn | undefined {
    return this.core.terms(field)?.column;
  }

  geo(field: string): GeoColumn | undefined {
    return this.core.geo(field);
  }

  terms(field: string): TermDictionary | undefined {
    return this.core.terms(field)?.postings;
  }

  collectTerm(field: string, ordinal: number, into: Int32Array): void {
    const found = this.core.terms(field);
    if (found === undefined) return;
    const cursor = new Cursor().open(found.postings, ordinal);
    for (let block = cursor.first; block < cursor.end; block++) {
      cursor.load(block);
      for (let i = 0; i < cursor.count; i++) setBit(into, cursor.docs[i]!);
    }
  }

  countTerm(field: string, ordinal: number, within: Int32Array | undefined): number {
    const found = this.core.terms(field);
    if (found === undefined) return 0;
    const { postings } = found;
    if (within === undefined) return postings.docFreqs[ordinal]!;
    return countWithin(new Cursor().open(postings, ordinal), within);
  }

  id(doc: number): string {
    return this.core.id(doc);
  }

  version(doc: number): number {
    return this.core.version(doc);
  }

  seqNo(doc: number): number {
    return this.core.seqNo(doc);
  }

  primaryTerm(doc: number): number {
    return this.core.primaryTerm(doc);
  }

  routing(doc: number): string | undefined {
    return this.core.routing(doc);
  }

  source(doc: number): Uint8Array {
    return this.core.source(doc);
  }

  readSource(doc: number): Uint8Array | (() => Promise<Uint8Array>) {
    return this.core.readSource(doc);
  }

  sourceText(doc: number): string {
    return this.core.sourceText(doc);
  }

  nestedPath(doc: number): string | undefined {
    return this.core.nestedPath(doc);
  }

  nestedOffset(doc: number): number {
    return this.core.nestedOffset(doc);
  }

  rootOf(doc: number): number {
    return this.roots === undefined ? doc : nextBit(this.roots, doc);
  }

  parentOf(doc: number): number {
    const path = this.core.nestedPath(doc);
    if (path === undefined) return doc;
    // The enclosing element is the next document whose path is a proper prefix; children are written before it.
    for (let next = doc + 1; next < this.docCount; next++) {
      const above = this.core.nestedPath(next);
      if (above === undefined || path.startsWith(`${above}.`)) return next;
    }
    return NO_MORE_DOCS;
  }

  /** Live root documents. */
  liveRoots(): number {
    if (this.live === undefined) return this.roots === undefined ? this.docCount : countBits(this.roots);
    if (this.roots === undefined) return countBits(this.live);
    let count = 0;
    for (let doc = nextBit(this.roots, 0); doc >= 0; doc = nextBit(this.roots, doc + 1)) {
      if (hasBit(this.live, doc)) count++;
    }
    return count;
  }
}

/** How many documents of a cursor's term are in the set. */
export function countWithin(cursor: Cursor, within: Int32Array): number {
  let count = 0;
  const { docs } = cursor;
  for (let block = cursor.first; block < cursor.end; block++) {
    cursor.load(block);
    for (let i = 0; i < cursor.count; i++) {
      const doc = docs[i]!;
      count += (within[doc >>> 5]! >>> (doc & 31)) & 1;
    }
  }
  return count;
}
