// A copy of the visible documents of a segment (view/cuts.ts). Sources that were too large to copy are read from the original segment,
// through the mask.
import type { CoreReader, FieldCounts, FieldShape, TermsField } from '../index/core-reader.ts';
import type { EngineContext } from '../index/engine-context.ts';
import type { EncodedId } from '../index/ids.ts';
import type { NumericSkipIndex } from '../index/numeric-skip-index.ts';
import type { GeoColumn, NumberColumn } from '../index/segment.ts';
import type { SegmentCore } from '../index/segment-core.ts';
import { termsWithin } from '../index/shown-terms.ts';
import type { ShownCut } from './cuts.ts';

/** The content of a copy. All of it may be shown: what a view withholds was never copied. */
export class CutCore implements CoreReader {
  readonly #core: SegmentCore;
  readonly #documents: Int32Array;
  readonly #apart: ReadonlySet<number>;
  readonly #masked: CoreReader;
  readonly #live: Int32Array | undefined;
  readonly #isWhole: boolean;

  /** @param masked shows the whole segment */
  constructor({ core, documents, apart, live }: ShownCut, masked: CoreReader) {
    this.#core = core;
    this.#documents = documents;
    this.#apart = apart;
    this.#masked = masked;
    this.#live = live;
    this.#isWhole = live === undefined;
  }

  get name(): string {
    return this.#core.name;
  }

  get docCount(): number {
    return this.#core.docCount;
  }

  get roots(): Int32Array | undefined {
    return this.#core.roots;
  }

  get documents(): Int32Array {
    return this.#documents;
  }

  get engine(): EngineContext {
    return this.#core.engine;
  }

  get content(): object {
    return this.#core;
  }

  all(): Int32Array {
    return this.#core.all();
  }

  fieldNames(): readonly string[] {
    return this.#core.fieldNames();
  }

  shape(field: string): FieldShape | undefined {
    return this.#core.shape(field);
  }

  counts(field: string): FieldCounts | undefined {
    return this.#isWhole ? this.#core.counts(field) : undefined;
  }

  terms(field: string): TermsField | undefined {
    return this.#core.terms(field);
  }

  shownTerms(field: string): Int32Array | undefined {
    if (this.#isWhole) return undefined;
    const postings = this.#core.terms(field)?.postings;
    return postings === undefined ? undefined : termsWithin(postings, this.#live!);
  }

  number(field: string): NumberColumn | undefined {
    return this.#core.number(field);
  }

  numericSkipIndex(field: string, descending: boolean): NumericSkipIndex | undefined {
    return this.#core.numericSkipIndex(field, descending);
  }

  geo(field: string): GeoColumn | undefined {
    return this.#core.geo(field);
  }

  documentsWith(field: string): Int32Array | undefined {
    return this.#core.documentsWith(field);
  }

  id(doc: number): string {
    return this.#core.id(doc);
  }

  find(id: EncodedId): number {
    return this.#core.find(id);
  }

  version(doc: number): number {
    return this.#core.version(doc);
  }

  seqNo(doc: number): number {
    return this.#core.seqNo(doc);
  }

  primaryTerm(): number {
    return this.#core.primaryTerm();
  }

  routing(doc: number): string | undefined {
    return this.#core.routing(doc);
  }

  source(doc: number): Uint8Array {
    return this.#apart.has(doc) ? this.#masked.source(this.#documents[doc]!) : this.#core.source(doc);
  }

  readSource(doc: number): Uint8Array | (() => Promise<Uint8Array>) {
    return this.#apart.has(doc) ? this.#masked.readSource(this.#documents[doc]!) : this.#core.readSource(doc);
  }

  sourceText(doc: number): string {
    return this.#apart.has(doc) ? this.#masked.sourceText(this.#documents[doc]!) : this.#core.sourceText(doc);
  }

  nestedPath(doc: number): string | undefined {
    return this.#core.nestedPath(doc);
  }

  nestedOffset(doc: number): number {
    return this.#core.nestedOffset(doc);
  }

  documentsOfPath(path: string): Int32Array | undefined {
    return this.#core.documentsOfPath(path);
  }
}
