// Texts that were stored unanalyzed, and their tokenizer. Tokenizing is deferred while the
// main thread is busy; flush-texts.ts and texts-buffer.ts do it later.
import { ByteWords } from '../analysis/byte-words.ts';
import type { PooledBytes } from './byte-pool.ts';
import type { PlainTextField } from './indexed-document.ts';
import type { BegunTerms, TermsBuffer } from './terms-buffer.ts';

/** What is kept of a field, and where its words end. */
export type TextsShape = Omit<PlainTextField, 'kind' | 'values'>;

/** The texts of a field as a flush takes them. */
export interface TextsContent extends TextsShape {
  readonly kind: 'texts';
  readonly count: number;
  /** By text its document, in order. */
  readonly docs: Int32Array;
  /** By text the bits `FOLLOWS` and `ASCII`. */
  readonly marks: Int32Array;
  readonly texts: PooledBytes;
  /** How many texts are read already: those of whole documents. */
  readonly read: number;
  /** Their terms. */
  readonly begun: BegunTerms | undefined;
}

/** That a text is not the first value of its document. */
export const FOLLOWS = 1;
/** That each of its bytes is a character. */
export const ASCII = 2;

const words = new ByteWords();

/**
 * Adds the words of some texts to the terms of their field: of whole documents, from one on, until they make so many bytes.
 *
 * @returns the text to go on with
 */
export function readTexts(content: TextsContent, from: number, bytes: number, terms: TermsBuffer): number {
  const { docs, marks, count, gap, maxLength } = content;
  const { pieces, pieceOf, starts, lengths } = content.texts;
  let text = from;
  let position = 0;
  for (let left = bytes; text < count; text++) {
    const mark = marks[text]!;
    const follows = (mark & FOLLOWS) !== 0;
    if (!follows && text > from) terms.end();
    if (!follows && left <= 0) return text;
    if (!follows) terms.begin(docs[text]!);
    position = follows ? position + gap : 0;
    const piece = pieces[pieceOf[text]!]!;
    const end = starts[text]! + lengths[text]!;
    left -= lengths[text]!;
    for (let at = starts[text]!; at < end;) {
      at = words.readBytes(piece, at, end, (mark & ASCII) !== 0, maxLength);
      terms.addRow(words, position);
      position += words.count;
    }
  }
  if (text > from) terms.end();
  return text;
}
