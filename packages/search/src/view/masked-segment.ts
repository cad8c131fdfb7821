// A segment as a view shows it. It implements the reader member by member and inherits nothing from a stored segment, so that a new
// member of the reader compiles only once this class says what a view shows of it. Deletions and merges never see one.
import { bothBits, countBits, hasBit, nextBit } from '../index/bits.ts';
import type { CoreReader, FieldCounts, FieldShape, TermsField } from '../index/core-reader.ts';
import type { EngineContext } from '../index/engine-context.ts';
import type { EncodedId } from '../index/ids.ts';
import type { NumericSkipIndex } from '../index/numeric-skip-index.ts';
import { termsWithin } from '../index/shown-terms.ts';
import type { GeoColumn, NumberColumn } from '../index/segment.ts';
import { LARGE, runJson } from '../thread/read-json.ts';
import { type DocumentRules, maskedText, maskSource, type SourceMask } from './mask-source.ts';
import type { MaskedFields } from './masked-fields.ts';
import { withElements } from './with-elements.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const shownSources = new WeakMap<MaskedFields, SourceMask>();
const shownTerms = new WeakMap<TermsField, TermsField>();

/** The visible content of a segment. Counters of writes are withheld, because they count hidden writes too. */
export class MaskedCore implements CoreReader {
  readonly #fields: MaskedFields;
  readonly #rows: Int32Array;
  readonly #shown: SourceMask;
  readonly #showsAll: boolean;
  readonly #paths = new Map<string, Int32Array | null>();
  readonly #terms = new Map<string, Int32Array>();
  #shownDocuments: Int32Array | undefined;

  /** @param rows the root documents that are shown */
  constructor(fields: MaskedFields, rows: Int32Array) {
    this.#fields = fields;
    this.#rows = rows;
    let shown = shownSources.get(fields);
    if (shown === undefined) {
      const { hidden, withheld } = fields.mask;
      const rules = withheld.map(({ path, docs }) => ({ path, has: (doc: number) => hasBit(docs, doc) }));
      shownSources.set(fields, (shown = maskSource({ hidden, withheld: rules })));
    }
    this.#shown = shown;
    const { roots, docCount } = fields.base;
    this.#showsAll = countBits(rows) === (roots === undefined ? docCount : countBits(roots));
  }

  get name(): string {
    return this.#fields.name;
  }

  get docCount(): number {
    return this.#fields.base.docCount;
  }

  get roots(): Int32Array | undefined {
    return this.#fields.base.roots;
  }

  get documents(): undefined {
    return undefined;
  }

  get engine(): EngineContext {
    return this.#fields.base.engine;
  }

  get content(): object {
    return this.#fields;
  }

  all(): Int32Array {
    return this.#fields.base.all();
  }

  fieldNames(): readonly string[] {
    return this.#fields.names();
  }

  shape(field: string): FieldShape | undefined {
    const meta = this.#fields.of(field)?.meta(field);
    if (meta === undefined) return undefined;
    const { name, kind, frequencies, positions, norms, column } = meta;
    return { name, kind, frequencies, positions, norms, column };
  }

  counts(field: string): FieldCounts | undefined {
    const meta = this.#showsAll ? this.#fields.of(field)?.meta(field) : undefined;
    if (meta === undefined) return undefined;
    const { docs, sumTotalTermFreq, sumDocFreq } = meta;
    return { docs, sumTotalTermFreq, sumDocFreq };
  }

  terms(field: string): TermsField | undefined {
    const found = this.#fields.of(field)?.terms(field);
    if (found === undefined) return undefined;
    let shown = shownTerms.get(found);
    if (shown === undefined) {
      const { postings, norms, lengths, exists, column } = found;
      shownTerms.set(found, (shown = { postings, norms, lengths, exists, column }));
    }
    return shown;
  }

  shownTerms(field: string): Int32Array | undefined {
    if (this.#showsAll) return undefined;
    let found = this.#terms.get(field);
    if (found === undefined) {
      const postings = this.#fields.of(field)?.terms(field)?.postings;
      if (postings === undefined) return undefined;
      this.#terms.set(field, (found = termsWithin(postings, this.#documents())));
    }
    return found;
  }

  number(field: string): NumberColumn | undefined {
    // As `seqNo` says: the numbers would tell how many changes there were that the caller does not see.
    if (field === '_seq_no')
      return { kind: 'number', values: new Float64Array(this.docCount), starts: undefined, exists: undefined };
    return this.#fields.of(field)?.number(field);
  }

  numericSkipIndex(field: string, descending: boolean): NumericSkipIndex | undefined {
    return this.#fields.of(field)?.numericSkipIndex(field, descending);
  }

  geo(field: string): GeoColumn | undefined {
    return this.#fields.of(field)?.geo(field);
  }

  documentsWith(field: string): Int32Array | undefined {
    return this.#fields.of(field)?.documentsWith(field);
  }

  id(doc: number): string {
    return this.#shows(doc) ? this.#fields.base.id(doc) : '';
  }

  find(id: EncodedId): number {
    const doc = this.#fields.base.find(id);
    return doc >= 0 && this.#shows(doc) ? doc : -1;
  }

  version(): number {
    return 1;
  }

  seqNo(): number {
    return 0;
  }

  primaryTerm(): number {
    return 1;
  }

  routing(doc: number): string | undefined {
    return this.#shows(doc) ? this.#fields.base.routing(doc) : undefined;
  }

  source(doc: number): Uint8Array {
    return encoder.encode(this.sourceText(doc));
  }

  /** A large one is masked in a thread. */
  readSource(doc: number): Uint8Array | (() => Promise<Uint8Array>) {
    if (!this.#shows(doc)) return this.source(doc);
    const read = this.#fields.base.readSource(doc);
    if (read instanceof Uint8Array && read.length < LARGE) return this.source(doc);
    return async () => {
      const whole = read instanceof Uint8Array ? read : await read();
      const rules = this.#rulesOf(doc);
      return (
        (await runJson('mask', { source: whole, rules })) ?? encoder.encode(maskedText(decoder.decode(whole), rules))
      );
    };
  }

  sourceText(doc: number): string {
    return this.#shows(doc) ? this.#shown(this.#fields.base.sources, doc) : '';
  }

  nestedPath(doc: number): string | undefined {
    return this.#shows(doc) ? this.#fields.base.nestedPath(doc) : undefined;
  }

  nestedOffset(doc: number): number {
    return this.#shows(doc) ? this.#fields.base.nestedOffset(doc) : 0;
  }

  documentsOfPath(path: string): Int32Array | undefined {
    let found = this.#paths.get(path);
    if (found === undefined) {
      const all = this.#fields.base.documentsOfPath(path);
      if (all === undefined) return undefined;
      this.#paths.set(path, (found = this.#shownOf(all)));
    }
    return found ?? undefined;
  }

  /** null where none is shown. */
  #shownOf(elements: Int32Array): Int32Array | null {
    if (this.#showsAll) return elements;
    const shown = bothBits(elements, this.#documents());
    return nextBit(shown, 0) < 0 ? null : shown;
  }

  /** The roots that are shown, with their elements. */
  #documents(): Int32Array {
    return (this.#shownDocuments ??= withElements(this.#fields.base, this.#rows));
  }

  /** Whether a document is shown: a root itself, an element with its root. */
  #shows(doc: number): boolean {
    const { roots } = this.#fields.base;
    const root = roots === undefined ? doc : nextBit(roots, doc);
    return root >= 0 && hasBit(this.#rows, root);
  }

  #rulesOf(doc: number): DocumentRules {
    const { hidden, withheld } = this.#fields.mask;
    return { hidden, nulls: withheld.filter(({ docs }) => hasBit(docs, doc)).map(({ path }) => path) };
  }
}
