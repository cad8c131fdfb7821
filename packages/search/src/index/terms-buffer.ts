// The terms of one text or keyword field while documents are added: numbers in one growing stream. The write buffer knows the documents.
import { searchError } from '../errors/search-errors.ts';
import type { TermRow, TermSink } from './indexed-document.ts';
import { IntList } from './shared.ts';
import { MAX_TERM_BYTES, TermTable } from './term-table.ts';
import { writeUtf8 } from './utf8.ts';

/** What is stored for a text or keyword field. */
export interface TermsShape {
  readonly kind: 'text' | 'keyword';
  readonly field: string;
  /** Text fields: whether the length takes part in the score. */
  readonly norms: boolean;
  /** Whether positions are kept; they are in `tokens`. */
  readonly positions: boolean;
  /** Keyword fields: whether ordinals are stored. */
  readonly column: boolean;
}

/** The terms of a text or keyword field as a flush takes them. */
export interface TermsContent extends TermsShape {
  /** Term t is `pool[ends[t - 1] … ends[t])`. */
  readonly pool: Uint8Array;
  readonly ends: Int32Array;
  readonly terms: number;
  /**
   * The term numbers of all tokens, document after document. A token that does not stand right behind the one before it (with positions)
   * is the complement of its number, and its position follows: few do, and the others need no second word.
   */
  readonly tokens: Int32Array;
  readonly tokensEnd: number;
  /** The documents that have the field, and where in `tokens` each begins. */
  readonly docs: Int32Array;
  readonly starts: Int32Array;
  readonly entries: number;
  /** Tokens at the position of their predecessor, by entry of `docs`. */
  readonly overlaps: Int32Array;
}

/** Terms that another thread may extend in place, between two documents. */
export interface BegunTerms extends TermsContent {
  /** Slots of the hash table. */
  readonly slots: Int32Array;
}

/** The term at hand. Longer than allowed: what is cut off at its end is too long, too. */
const encoded = new Uint8Array(MAX_TERM_BYTES + 12);

/** What lists begin with: as many as lie in the heap. */
const FEW = 16;

/** The terms of one text or keyword field so far. */
export class TermsBuffer implements TermSink {
  private readonly table = new TermTable();
  private readonly tokens = new IntList(FEW);
  private readonly docs = new IntList(FEW);
  private readonly starts = new IntList(FEW);
  private readonly overlaps = new IntList(FEW);
  private lastDoc = -1;
  private lastPosition = -1;
  private overlapping = 0;
  private shape: TermsShape;

  constructor(shape: TermsShape) {
    this.shape = shape;
  }

  /** Continues after another thread. */
  static resume({ kind, field, norms, positions, column, ...begun }: BegunTerms): TermsBuffer {
    const buffer = new TermsBuffer({ kind, field, norms, positions, column });
    const { pool, ends, terms, slots, tokens, tokensEnd, docs, starts, overlaps, entries } = begun;
    buffer.table.resume(pool, ends, terms, slots);
    buffer.tokens.take(tokens, tokensEnd);
    buffer.docs.take(docs, entries);
    buffer.starts.take(starts, entries);
    buffer.overlaps.take(overlaps, entries);
    buffer.lastDoc = entries === 0 ? -1 : docs[entries - 1]!;
    return buffer;
  }

  get kind(): 'text' | 'keyword' {
    return this.shape.kind;
  }

  /** Bytes held. */
  get memory(): number {
    return this.table.memory + this.tokens.values.length * 4 + this.docs.values.length * 12;
  }

  /** Bytes that the content takes. */
  get used(): number {
    return this.table.used + this.tokens.length * 4 + this.docs.length * 12;
  }

  begin(doc: number): void {
    // The same field twice in one document (copy_to) continues the first.
    if (doc === this.lastDoc) return;
    this.lastDoc = doc;
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
    const length = writeUtf8(term, encoded);
    if (length > MAX_TERM_BYTES) this.tooLong(new TextEncoder().encode(term));
    this.push(this.table.add(encoded, 0, length), position);
  }

  addRow(row: TermRow, from: number): void {
    const { bytes, bounds, count } = row;
    for (let i = 0; i < count; i++)
      if (bounds[2 * i + 1]! - bounds[2 * i]! > MAX_TERM_BYTES)
        this.tooLong(bytes.subarray(bounds[2 * i], bounds[2 * i + 1]));
    if (count === 0) return;
    const { tokens } = this;
    tokens.reserve(tokens.length + count + 1);
    const { values } = tokens;
    // Only the first token can have a position gap before it.
    const leap = this.shape.positions && from !== this.lastPosition + 1 ? 1 : 0;
    const at = tokens.length + leap;
    this.table.addRow(bytes, bounds, count, values, at);
    if (leap === 1) {
      values[at - 1] = ~values[at]!;
      values[at] = from;
    }
    tokens.length = at + count;
    if (from === this.lastPosition) this.overlapping++;
    this.lastPosition = from + count - 1;
  }

  private push(term: number, position: number): void {
    if (!this.shape.positions || position === this.lastPosition + 1) {
      this.tokens.push(term);
    } else {
      this.tokens.push(~term);
      this.tokens.push(position);
    }
    if (position === this.lastPosition) this.overlapping++;
    this.lastPosition = position;
  }

  private tooLong(term: Uint8Array): never {
    const where = { field: this.shape.field, length: term.length };
    const prefix = [...Int8Array.from(term.subarray(0, 30))].join(', ');
    throw searchError('SEARCH_TERM_TOO_LONG', { ...where, limit: MAX_TERM_BYTES, prefix }, { detail: where });
  }

  /** Clears the content and keeps the memory, for another field if one is given. */
  clear(shape = this.shape): void {
    this.shape = shape;
    this.table.clear();
    this.lastDoc = -1;
    this.tokens.length = 0;
    this.docs.length = 0;
    this.starts.length = 0;
    this.overlaps.length = 0;
  }

  get empty(): boolean {
    return this.docs.length === 0;
  }

  content(): TermsContent {
    const { shape, table, tokens, docs, starts, overlaps } = this;
    return {
      ...shape,
      pool: table.pool,
      ends: table.ends,
      terms: table.size,
      tokens: tokens.values,
      tokensEnd: tokens.length,
      docs: docs.values,
      starts: starts.values,
      entries: docs.length,
      overlaps: overlaps.values,
    };
  }

  /** State for `resume`. */
  begun(): BegunTerms {
    return { ...this.content(), slots: this.table.slots };
  }
}
