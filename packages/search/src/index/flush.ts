// Turns a write buffer into a segment: sorts each field's terms, inverts its token stream by counting, and writes columns and
// sources. A generator: it yields every few thousand steps, so that the caller can let requests through in between.
import { BLOCK } from './bit-packing.ts';
import { countBits, sharedBits, setBit } from './bits.ts';
import { OrdinalsWriter, presence, ValuesColumnWriter } from './column-writer.ts';
import { DocumentColumnsWriter } from './document-columns.ts';
import { PostingsWriter } from './postings-writer.ts';
import type { FieldMeta, SegmentData } from './segment-data.ts';
import { freeScratch, scratchInt32, type SectionArray, sharedUint8, sharedUnsigned } from './shared.ts';
import { encodeLength } from './small-float.ts';
import { sortTerms } from './sort-terms.ts';
import { sourceIn } from './source-pool.ts';
import type { SourcesOut } from './stored.ts';
import type { TermsContent } from './terms-buffer.ts';
import type { ValuesContent } from './values-buffer.ts';
import type { BufferContent } from './write-buffer.ts';

/** Steps between two yields; about a millisecond's work. */
const SLICE = 1 << 14;

/**
 * Makes a segment of the documents of a buffer, deleted ones included.
 *
 * @param out where the sources go; into the segment's sections without it
 */
export function* flush(content: BufferContent, name: string, out?: SourcesOut): Generator<void, SegmentData> {
  const { docCount, ids, idEnds, versions, seqNos, routings, pathOf, offsets, paths, sources } = content;
  const documents = new DocumentColumnsWriter(docCount, out);
  for (let doc = 0, idStart = 0; doc < docCount; doc++) {
    const path = pathOf[doc]!;
    const idEnd = idEnds[doc]!;
    documents.add(ids, idStart, idEnd, versions[doc]!, seqNos[doc]!);
    documents.addSource(sourceIn(sources, doc));
    if (path !== 0) documents.nest(paths[path - 1]!, offsets[doc]!);
    idStart = idEnd;
    // A full block of sources is compressed every few documents: 16 KB take about 0.1 ms.
    if ((doc & 63) === 63) yield;
  }
  for (const [doc, routing] of routings) documents.route(doc, routing);
  const finished = yield* documents.finish();
  const { sections } = finished;
  const fields: FieldMeta[] = [];
  for (const field of content.fields.toSorted((a, b) => (a.field < b.field ? -1 : 1))) {
    const written = 'terms' in field ? yield* flushTerms(field, docCount) : flushValues(field, docCount);
    for (const [part, array] of Object.entries(written.sections)) sections.set(`${fields.length}/${part}`, array);
    fields.push({ ...written.meta, name: field.field });
    freeScratch();
    yield;
  }
  const { seqNoBase, readSources } = finished;
  const meta = { name, docCount, fields, nestedPaths: documents.paths, seqNoBase, primaryTerm: 1 };
  return { meta, sections, readSources };
}

interface WrittenField {
  readonly meta: Omit<FieldMeta, 'name'>;
  readonly sections: Record<string, SectionArray>;
}

/** Words of a term's state while its tokens are placed; side by side, so that a token touches one line of the cache. */
const STATE = 4;
/** The entry seen last, plus one. */
const ENTRY = 0;
/** Documents so far; then the place of the next. */
const DOCS = 1;
/** Tokens so far; then the place of the next. */
const TOKENS = 2;

function* flushTerms(buffer: TermsContent, docCount: number): Generator<void, WrittenField> {
  const { tokens, docs, entries, starts, terms, positions: withPositions } = buffer;
  const isText = buffer.kind === 'text';
  const endOf = (entry: number): number => (entry + 1 < entries ? starts[entry + 1]! : buffer.tokensEnd);

  // Count documents and tokens of each term, then place them: a counting sort of the stream. By number, not by rank: numbers were given
  // in order of appearance, so those of common terms are close together.
  const state = scratchInt32(terms * STATE);
  const lengths = scratchInt32(entries);
  for (let entry = 0; entry < entries; entry++) {
    let count = 0;
    for (let i = starts[entry]!, end = endOf(entry); i < end; i++) {
      let term = tokens[i]!;
      if (term < 0) {
        term = ~term;
        i++;
      }
      count++;
      const at = term * STATE;
      state[at + TOKENS]!++;
      if (state[at + ENTRY] !== entry + 1) {
        state[at + ENTRY] = entry + 1;
        state[at + DOCS]!++;
      }
    }
    lengths[entry] = count;
    if ((entry & 1023) === 1023) yield;
  }
  const order = yield* sortTerms(buffer, terms);
  const docStarts = scratchInt32(terms + 1);
  const tokenStarts = scratchInt32(terms + 1);
  for (let rank = 0; rank < terms; rank++) {
    const at = order[rank]! * STATE;
    docStarts[rank + 1] = docStarts[rank]! + state[at + DOCS]!;
    tokenStarts[rank + 1] = tokenStarts[rank]! + state[at + TOKENS]!;
    state[at + ENTRY] = 0;
    state[at + DOCS] = docStarts[rank]!;
    state[at + TOKENS] = tokenStarts[rank]!;
  }
  const postings = docStarts[terms]!;
  const postingDocs = scratchInt32(postings);
  const frequencies = scratchInt32(postings);
  const placed = scratchInt32(withPositions ? tokenStarts[terms]! : 0);
  for (let entry = 0; entry < entries; entry++) {
    const doc = docs[entry]!;
    let position = -1;
    for (let i = starts[entry]!, end = endOf(entry); i < end; i++) {
      let term = tokens[i]!;
      position++;
      if (term < 0) {
        term = ~term;
        position = tokens[++i]!;
      }
      const at = term * STATE;
      if (withPositions) placed[state[at + TOKENS]!++] = position;
      if (state[at + ENTRY] !== entry + 1) {
        state[at + ENTRY] = entry + 1;
        const place = state[at + DOCS]!++;
        postingDocs[place] = doc;
        frequencies[place] = 1;
      } else if (isText) {
        frequencies[state[at + DOCS]! - 1]!++;
      }
    }
    if ((entry & 1023) === 1023) yield;
  }

  const exists = sharedBits(docCount);
  let longest = 0;
  let withTerms = 0;
  for (let entry = 0; entry < entries; entry++) {
    const length = lengths[entry]!;
    setBit(exists, docs[entry]!);
    if (length > 0) withTerms++;
    if (length > longest) longest = length;
  }
  const sections: Record<string, SectionArray> = {};
  let norms: Uint8Array | undefined;
  if (isText) {
    const stored = sharedUnsigned(docCount, longest);
    if (buffer.norms) norms = sharedUint8(docCount);
    for (let entry = 0; entry < entries; entry++) {
      const doc = docs[entry]!;
      const length = lengths[entry]!;
      stored[doc] = length;
      if (norms !== undefined) norms[doc] = encodeLength(length - buffer.overlaps[entry]!);
    }
    sections['lengths'] = stored;
    if (norms !== undefined) sections['norms'] = norms;
  }
  yield;

  const shape = { frequencies: isText, positions: withPositions };
  const blocks = Math.ceil(postings / BLOCK) + terms;
  const expected = {
    terms,
    bytes: buffer.ends[terms - 1] ?? 0,
    blocks,
    words: postings >>> 1,
    positions: placed.length,
  };
  const writer = new PostingsWriter(shape, norms, expected);
  const ordinals = buffer.column ? new OrdinalsWriter(docCount, postings) : undefined;
  const { pool, ends } = buffer;
  let steps = 0;
  for (let term = 0; term < terms; term++) {
    const number = order[term]!;
    const from = docStarts[term]!;
    const to = docStarts[term + 1]!;
    if (withPositions) writer.addPositions(placed, tokenStarts[term]!, tokenStarts[term + 1]!);
    writer.add(pool, number === 0 ? 0 : ends[number - 1]!, ends[number]!, postingDocs, frequencies, from, to);
    ordinals?.add(term, postingDocs, from, to);
    steps += to - from + 4;
    if (steps > SLICE) {
      steps = 0;
      yield;
    }
  }
  yield;
  const written = writer.finish();
  yield;
  Object.assign(sections, written.sections);
  if (ordinals !== undefined) Object.assign(sections, ordinals.finish(terms));
  yield;
  const present = presence(exists, docCount);
  if (present !== undefined) sections['exists'] = present;
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

function flushValues(buffer: ValuesContent, docCount: number): WrittenField {
  const writer = new ValuesColumnWriter(docCount, buffer.kind === 'geo' ? 2 : 1);
  const { docs, starts, entries } = buffer;
  for (let entry = 0; entry < entries; entry++) {
    const end = entry + 1 < entries ? starts[entry + 1]! : buffer.valuesEnd;
    writer.add(docs[entry]!, buffer.values, starts[entry]!, end);
  }
  const { docs: count, sections } = writer.finish();
  return { meta: valuesMeta(buffer.kind, count), sections };
}

/** The description of a column of numbers or points. */
export function valuesMeta(kind: 'number' | 'geo', docs: number): Omit<FieldMeta, 'name'> {
  return {
    kind,
    docs,
    sumTotalTermFreq: 0,
    sumDocFreq: 0,
    frequencies: false,
    positions: false,
    norms: false,
    column: true,
  };
}
