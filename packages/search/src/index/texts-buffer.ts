// Buffer of the texts of one field whose tokenizing is deferred: bytes in a pool. The thread that makes the segment tokenizes them,
// or the main thread while it waits for that thread.
import { BytePool } from './byte-pool.ts';
import { ASCII, FOLLOWS, readTexts, type TextsContent, type TextsShape } from './plain-texts.ts';
import { IntList } from './shared.ts';
import { TermsBuffer } from './terms-buffer.ts';

/** What lists begin with: as many as lie in the heap. */
const FEW = 16;
/** A document may bring a thousand fields. */
const FIRST_PIECE = 256;

/** The texts of one field so far. */
export class TextsBuffer {
  readonly kind = 'text';
  private readonly shape: TextsShape;
  private readonly docs = new IntList(FEW);
  private readonly marks = new IntList(FEW);
  private readonly texts = new BytePool(FIRST_PIECE, FEW);
  /** The terms of the first `read` texts; made when there are any. */
  private terms: TermsBuffer | undefined;
  private read = 0;
  /** Whether those terms count no more: a flush has taken them, and changes them, or memory was missing for the next. */
  private spent = false;

  constructor({ field, norms, positions, gap, maxLength }: TextsShape) {
    this.shape = { field, norms, positions, gap, maxLength };
  }

  /** Bytes held. */
  get memory(): number {
    return this.texts.memory + this.docs.values.length * 8 + (this.terms?.memory ?? 0);
  }

  /** Bytes that the texts take. */
  get used(): number {
    return this.texts.used + this.docs.length * 20;
  }

  /** Whether texts of this shape can be added. */
  fits({ gap, maxLength }: TextsShape): boolean {
    return this.shape.gap === gap && this.shape.maxLength === maxLength;
  }

  add(doc: number, values: readonly string[]): void {
    // Without values a field is there all the same, as one without words.
    if (values.length === 0) this.addText(doc, '', 0);
    for (let i = 0; i < values.length; i++) this.addText(doc, values[i]!, i === 0 ? 0 : FOLLOWS);
  }

  private addText(doc: number, text: string, mark: number): void {
    // Where memory is missing the document is refused, and the lists must stay as long as each other.
    this.docs.reserve(this.docs.length + 1);
    this.marks.reserve(this.docs.length + 1);
    const length = this.texts.addText(text);
    this.docs.push(doc);
    this.marks.push(length === text.length ? mark | ASCII : mark);
  }

  /** Finds the words of some documents, of so many bytes; false when there are none left. */
  readAhead(bytes: number): boolean {
    if (this.spent || this.read === this.docs.length) return false;
    this.terms ??= this.newTerms();
    this.spent = true;
    this.read = readTexts(this.describe(), this.read, bytes, this.terms);
    this.spent = false;
    return true;
  }

  /** The terms of all texts, to which others can be added. */
  readAll(): TermsBuffer {
    this.readAhead(Infinity);
    if (this.terms !== undefined && !this.spent) return this.terms;
    const terms = this.newTerms();
    this.readInto(terms);
    return terms;
  }

  private newTerms(): TermsBuffer {
    const { field, norms, positions } = this.shape;
    return new TermsBuffer({ field, kind: 'text', norms, positions, column: false });
  }

  /** Adds the words of all texts to other terms. */
  readInto(terms: TermsBuffer): void {
    readTexts(this.describe(), 0, Infinity, terms);
  }

  /** Forgets the content and keeps the memory. */
  clear(): void {
    this.docs.length = 0;
    this.marks.length = 0;
    this.texts.clear();
    this.terms?.clear();
    this.read = 0;
    this.spent = false;
  }

  get empty(): boolean {
    return this.docs.length === 0;
  }

  /** All of it, for a flush; after this nothing can be added. */
  content(): TextsContent {
    const begun = this.spent || this.read === 0 ? undefined : this.terms?.begun();
    this.spent = true;
    return { ...this.describe(), begun, read: begun === undefined ? 0 : this.read };
  }

  private describe(): TextsContent {
    const { shape, docs, marks, texts, read } = this;
    return {
      ...shape,
      kind: 'texts',
      count: docs.length,
      docs: docs.values,
      marks: marks.values,
      texts: texts.content(),
      read,
      begun: undefined,
    };
  }
}
