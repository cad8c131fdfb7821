// Flushes the terms of one field of a write buffer to postings: sorts them, inverts the stream of tokens by counting, and writes terms,
// lengths, norms and ordinals. A generator, as flush.ts.
import { BLOCK } from './bit-packing.ts';
import { countBits, sharedBits, setBit } from './bits.ts';
import { OrdinalsWriter, presence } from './column-writer.ts';
import { PostingsWriter } from './postings-writer.ts';
import type { WrittenSections } from './sections.ts';
import type { WrittenField } from './segment-data.ts';
import {
  IntList,
  scratchInt32,
  type SectionArray,
  sharedUint16,
  sharedUint32,
  sharedUint8,
  sharedUnsigned,
} from './shared.ts';
import { encodeLength } from './small-float.ts';
import { sortTerms } from './sort-terms.ts';
import type { TermsContent } from './terms-buffer.ts';

/** Steps between two yields while terms are written; about a millisecond's work. */
const SLICE = 1 << 14;

/** Entries between two yields while tokens are counted and placed. */
const ENTRIES = 1024;
/** Words of a term's state while its tokens are placed; adjacent, so that a token touches one cache line. */
const STATE = 4;
/** The entry seen last, plus one. */
const ENTRY = 0;
/** Documents so far; then the place of the next. */
const DOCS = 1;
/** Tokens so far; then the place of the next. */
const TOKENS = 2;

/** Counts documents and tokens of each term, and the tokens of the entries `from … to`; returns the highest position. */
function countTokens(
  { tokens, starts, entries, tokensEnd }: TermsContent,
  from: number,
  to: number,
  state: Int32Array,
  lengths: Int32Array,
): number {
  let highest = -1;
  for (let entry = from; entry < to; entry++) {
    const end = entry + 1 < entries ? starts[entry + 1]! : tokensEnd;
    const entryMark = entry + 1;
    let count = 0;
    let position = -1;
    for (let i = starts[entry]!; i < end; i++) {
      let term = tokens[i]!;
      position++;
      if (term < 0) {
        term = ~term;
        position = tokens[++i]!;
      }
      if (position > highest) highest = position;
      count++;
      const at = term * STATE;
      state[at + TOKENS]!++;
      if (state[at + ENTRY] !== entryMark) {
        state[at + ENTRY] = entryMark;
        state[at + DOCS]!++;
      }
    }
    lengths[entry] = count;
  }
  return highest;
}

/**
 * Places the tokens of the entries `from … to`: positions, if wanted, term after term, and for each posting its document
 * and the index of its first token.
 */
function placeTokens(
  { tokens, docs, starts, entries, tokensEnd }: TermsContent,
  from: number,
  to: number,
  state: Int32Array,
  postings: Int32Array,
  positions: Uint16Array | Uint32Array | undefined,
): void {
  for (let entry = from; entry < to; entry++) {
    const end = entry + 1 < entries ? starts[entry + 1]! : tokensEnd;
    const entryMark = entry + 1;
    let position = -1;
    for (let i = starts[entry]!; i < end; i++) {
      let term = tokens[i]!;
      position++;
      if (term < 0) {
        term = ~term;
        position = tokens[++i]!;
      }
      const at = term * STATE;
      const token = state[at + TOKENS]!;
      state[at + TOKENS] = token + 1;
      if (positions !== undefined) positions[token] = position;
      if (state[at + ENTRY] !== entryMark) {
        state[at + ENTRY] = entryMark;
        const place = state[at + DOCS]!;
        state[at + DOCS] = place + 1;
        postings[place * 2] = docs[entry]!;
        postings[place * 2 + 1] = token;
      }
    }
  }
}

/** Where the documents of each term begin, by its place in the order; from here on `state` tells where the next of a term goes. */
function startTerms(
  order: Int32Array,
  state: Int32Array,
): { readonly docStarts: Int32Array; readonly tokenCount: number } {
  const terms = order.length;
  const docStarts = scratchInt32(terms + 1);
  let tokenCount = 0;
  for (let rank = 0; rank < terms; rank++) {
    const at = order[rank]! * STATE;
    const docsBefore = docStarts[rank]!;
    const tokensBefore = tokenCount;
    docStarts[rank + 1] = docsBefore + state[at + DOCS]!;
    tokenCount += state[at + TOKENS]!;
    state[at + ENTRY] = 0;
    state[at + DOCS] = docsBefore;
    state[at + TOKENS] = tokensBefore;
  }
  return { docStarts, tokenCount };
}

/** The documents that have the field, how many of them have terms, and how many the longest has. */
function lookAtLengths(
  { docs, entries }: TermsContent,
  lengths: Int32Array,
  docCount: number,
): { readonly exists: Int32Array; readonly withTerms: number; readonly longest: number } {
  const exists = sharedBits(docCount);
  let longest = 0;
  let withTerms = 0;
  for (let entry = 0; entry < entries; entry++) {
    const length = lengths[entry]!;
    setBit(exists, docs[entry]!);
    if (length > 0) withTerms++;
    if (length > longest) longest = length;
  }
  return { exists, withTerms, longest };
}

function storeLengths(
  { docs, entries, overlaps }: TermsContent,
  lengths: Int32Array,
  stored: SectionArray,
  norms: Uint8Array | undefined,
): void {
  for (let entry = 0; entry < entries; entry++) {
    const doc = docs[entry]!;
    const length = lengths[entry]!;
    stored[doc] = length;
    if (norms !== undefined) norms[doc] = encodeLength(length - overlaps[entry]!);
  }
}

/**
 * Makes the sections of one field of the terms in a buffer of so many documents. The loops over all of its tokens, terms or documents are
 * functions of their own: a thread that has just started compiles each once, and this generator, which would take 30 ms, never.
 */
export function* flushTerms(content: TermsContent, docCount: number): Generator<void, WrittenField> {
  const buffer = alike(content);
  const { terms, entries, positions: withPositions } = buffer;
  const isText = buffer.kind === 'text';

  // Count documents and tokens of each term, then place them: a counting sort of the stream. By number, not by rank: numbers were given
  // in order of appearance, so those of common terms are close together.
  const state = scratchInt32(terms * STATE);
  const lengths = scratchInt32(entries);
  let highest = -1;
  for (let entry = 0; entry < entries; entry += ENTRIES) {
    highest = Math.max(highest, countTokens(buffer, entry, Math.min(entries, entry + ENTRIES), state, lengths));
    yield;
  }
  const order = yield* sortTerms(buffer, terms);
  const { docStarts, tokenCount } = startTerms(order, state);
  const postings = docStarts[terms]!;
  const placed = scratchInt32(postings * 2 + 2);
  placed[postings * 2 + 1] = tokenCount;
  const positions = withPositions
    ? highest > 0xffff
      ? sharedUint32(tokenCount)
      : sharedUint16(tokenCount)
    : undefined;
  for (let entry = 0; entry < entries; entry += ENTRIES) {
    placeTokens(buffer, entry, Math.min(entries, entry + ENTRIES), state, placed, positions);
    yield;
  }

  const { exists, withTerms, longest } = lookAtLengths(buffer, lengths, docCount);
  const sections: WrittenSections = {};
  let norms: Uint8Array | undefined;
  if (isText) {
    const stored = sharedUnsigned(docCount, longest);
    if (buffer.norms) norms = sharedUint8(docCount);
    storeLengths(buffer, lengths, stored, norms);
    sections.lengths = stored;
    if (norms !== undefined) sections.norms = norms;
  }
  yield;

  const shape = { frequencies: isText, positions: withPositions };
  const blocks = Math.ceil(postings / BLOCK) + terms;
  const expected = {
    terms,
    bytes: buffer.ends[terms - 1] ?? 0,
    blocks,
    words: postings >>> 1,
    positions: positions ?? 0,
  };
  const writer = new PostingsWriter(shape, norms, expected);
  const ordinals = buffer.column ? new OrdinalsWriter(docCount, postings) : undefined;
  for (let term = 0; term < terms;) {
    term = writeTerms(buffer, order, docStarts, placed, term, writer, ordinals);
    yield;
  }
  yield;
  const written = writer.finish();
  yield;
  Object.assign(sections, written.sections);
  if (ordinals !== undefined) Object.assign(sections, ordinals.finish(terms));
  yield;
  const present = presence(exists, docCount);
  if (present !== undefined) sections.exists = present;
  return {
    meta: {
      kind: buffer.kind,
      docs: isText ? withTerms : countBits(exists),
      sumTotalTermFreq: written.sumTotalTermFreq,
      sumDocFreq: written.sumDocFreq,
      frequencies: shape.frequencies,
      positions: shape.positions,
      norms: norms !== undefined,
      column: buffer.column,
    },
    sections,
  };
}

/**
 * Copies the content with its members in one order. Content from another thread has a different hidden class, and code compiled for the
 * one would be deoptimized at the other.
 */
function alike(content: TermsContent): TermsContent {
  const { kind, field, norms, positions, column, pool, ends, terms } = content;
  const { tokens, tokensEnd, docs, starts, entries, overlaps } = content;
  return {
    kind,
    field,
    norms,
    positions,
    column,
    pool,
    ends,
    terms,
    tokens,
    tokensEnd,
    docs,
    starts,
    entries,
    overlaps,
  };
}

/** Documents and frequencies of one term at a time. */
const termDocs = new IntList(1024);
const termFrequencies = new IntList(1024);

/** Writes terms from that rank on for about a millisecond; returns the rank after them. */
function writeTerms(
  { pool, ends, terms, kind }: TermsContent,
  order: Int32Array,
  docStarts: Int32Array,
  placed: Int32Array,
  first: number,
  writer: PostingsWriter,
  ordinals: OrdinalsWriter | undefined,
): number {
  const counted = kind === 'text';
  let term = first;
  for (let steps = 0; term < terms && steps < SLICE; term++) {
    const number = order[term]!;
    const from = docStarts[term]! * 2;
    const count = docStarts[term + 1]! - docStarts[term]!;
    termDocs.reserve(count);
    termFrequencies.reserve(count);
    const docs = termDocs.values;
    const frequencies = termFrequencies.values;
    for (let i = 0, at = from; i < count; i++, at += 2) {
      docs[i] = placed[at]!;
      frequencies[i] = counted ? placed[at + 3]! - placed[at + 1]! : 1;
    }
    writer.add(pool, number === 0 ? 0 : ends[number - 1]!, ends[number]!, docs, frequencies, 0, count);
    ordinals?.add(term, docs, 0, count);
    steps += count + 4;
  }
  return term;
}
