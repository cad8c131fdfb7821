// Turns the texts of one field of a write buffer into postings: finds their words, if nobody did before, and goes on as with any terms. A
// generator, as the flush that it is part of.
import { flushTerms } from './flush-terms.ts';
import { readTexts, type TextsContent } from './plain-texts.ts';
import type { WrittenField } from './segment-data.ts';
import { TermsBuffer } from './terms-buffer.ts';

/** Bytes of texts between two yields; about a quarter of a millisecond's work. */
const SLICE = 1 << 14;
/** What the terms of one field may keep of memory for those of the next. */
const KEPT_BYTES = 64 << 20;

/** The terms of the field before, for their memory. */
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
