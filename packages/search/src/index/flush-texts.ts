// Flushes the texts of one field of a write buffer: tokenizes them, unless that was done before, and flushes the terms. A
// generator, as flush.ts.
import { flushTerms } from './flush-terms.ts';
import { readTexts, type TextsContent } from './plain-texts.ts';
import type { WrittenField } from './segment-data.ts';
import { TermsBuffer } from './terms-buffer.ts';

/** Bytes of texts between two yields; about a quarter of a millisecond's work. */
const SLICE = 1 << 14;
/** Maximum bytes of memory that the next field reuses. */
const KEPT_BYTES = 64 << 20;

/** The former field's terms, whose memory is reused. */
let spare: TermsBuffer | undefined;

/** Makes the sections of one field of the texts in a buffer of so many documents. */
export function* flushTexts(content: TextsContent, docCount: number): Generator<void, WrittenField> {
  const terms = termsFor(content);
  for (let text = content.read; text < content.count;) {
    text = readTexts(content, text, SLICE, terms);
    yield;
  }
  const written = yield* flushTerms(terms.content(), docCount);
  if (content.begun === undefined && terms.memory <= KEPT_BYTES) spare = terms;
  return written;
}

function termsFor({ field, norms, positions, begun }: TextsContent): TermsBuffer {
  if (begun !== undefined) return TermsBuffer.resume(begun);
  const shape = { field, kind: 'text', norms, positions, column: false } as const;
  if (spare === undefined) return new TermsBuffer(shape);
  const terms = spare;
  spare = undefined;
  terms.clear(shape);
  return terms;
}
