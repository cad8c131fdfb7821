// Turns a write buffer into a segment: sorts each field's terms, inverts its token stream by counting, and writes columns and
// sources. A generator: it yields every few thousand steps, so that the caller can let requests through in between.
import { countBits, sharedBits, fullBits, clearBit, setBit } from './bits.ts';
import { OrdinalsWriter, presence, ValuesColumnWriter } from './column-writer.ts';
import { DocumentColumnsWriter } from './document-columns.ts';
import { PostingsWriter } from './postings-writer.ts';
import type { FieldMeta, SegmentData } from './segment-data.ts';
import { type SectionArray, sharedUint8, sharedUnsigned } from './shared.ts';
import { encodeLength } from './small-float.ts';
import { TermsBuffer, type ValuesBuffer, type WriteBuffer } from './write-buffer.ts';

/** Steps between two yields; about a millisecond's work. */
const SLICE = 1 << 14;

/** What a flush makes: the segment, and its live documents where some were deleted meanwhile. */
export interface Flushed {
  readonly data: SegmentData;
  readonly live: Int32Array | undefined;
}

/** Flushes a buffer that nobody writes to any more (documents may still be deleted from it; the caller applies those later). */
export function* flush(buffer: WriteBuffer, name: string): Generator<void, Flushed> {
  const { docCount } = buffer;
  const documents = new DocumentColumnsWriter(docCount);
  for (let doc = 0; doc < docCount; doc++) {
    const path = buffer.pathOf[doc]!;
    documents.add({
      id: buffer.ids[doc]!,
      source: buffer.sources[doc]!,
      version: buffer.versions[doc]!,
      seqNo: buffer.seqNos[doc]!,
      routing: buffer.routings.get(doc),
      path: path === 0 ? undefined : buffer.paths[path - 1],
      offset: buffer.offsets[doc]!,
    });
    // A full block of sources is compressed every few documents: 16 KB take about 0.1 ms.
    if ((doc & 63) === 63) yield;
  }
  const finished = yield* documents.finish();
  const { sections } = finished;
  const fields: FieldMeta[] = [];
  for (const field of [...buffer.fields.keys()].sort()) {
    const source = buffer.fields.get(field)!;
    const written = source instanceof TermsBuffer ? yield* flushTerms(source, docCount) : flushValues(source, docCount);
    for (const [part, array] of Object.entries(written.sections)) sections.set(`${fields.length}/${part}`, array);
    fields.push({ ...written.meta, name: field });
    yield;
  }
  let live: Int32Array | undefined;
  if (buffer.deleted.size > 0) {
    live = fullBits(docCount);
    for (const doc of buffer.deleted) clearBit(live, doc);
  }
  return {
    data: {
      meta: {
        name,
        docCount,
        fields,
        nestedPaths: documents.paths,
        seqNoBase: finished.seqNoBase,
        primaryTerm: 1,
      },
      sections,
      readSources: (position, length) => (sections.get('sources') as Uint8Array).subarray(position, position + length),
    },
    live,
  };
}

interface WrittenField {
  readonly meta: Omit<FieldMeta, 'name'>;
  readonly sections: Record<string, SectionArray>;
}

function* flushTerms(buffer: TermsBuffer, docCount: number): Generator<void, WrittenField> {
  const { table, positions } = buffer;
  const tokens = buffer.tokens.values;
  const tokenCount = buffer.tokens.length;
  const docs = buffer.docs.values;
  const entries = buffer.docs.length;
  const starts = buffer.starts.values;
  const isText = buffer.kind === 'text';
  const endOf = (entry: number): number => (entry + 1 < entries ? starts[entry + 1]! : tokenCount);

  const order = yield* table.sorted();
  const terms = table.size;
  const rank = new Int32Array(terms);
  for (let i = 0; i < terms; i++) rank[order[i]!] = i;

  // Count documents and tokens of each term (by rank), then place them: a counting sort of the stream.
  const docStarts = new Int32Array(terms + 1);
  const tokenStarts = new Int32Array(terms + 1);
  const lastEntry = new Int32Array(terms).fill(-1);
  for (let entry = 0; entry < entries; entry++) {
    for (let i = starts[entry]!, end = endOf(entry); i < end; i++) {
      const term = rank[tokens[i]!]!;
      tokenStarts[term + 1]!++;
      if (lastEntry[term] !== entry) {
        lastEntry[term] = entry;
        docStarts[term + 1]!++;
      }
    }
    if ((entry & 1023) === 1023) yield;
  }
  for (let term = 0; term < terms; term++) {
    docStarts[term + 1]! += docStarts[term]!;
    tokenStarts[term + 1]! += tokenStarts[term]!;
  }
  const postings = docStarts[terms]!;
  const postingDocs = new Int32Array(postings);
  const frequencies = new Int32Array(postings);
  const placed = positions === undefined ? new Int32Array(0) : new Int32Array(tokenCount);
  const nextDoc = docStarts.slice(0, terms);
  const nextToken = tokenStarts.slice(0, terms);
  lastEntry.fill(-1);
  for (let entry = 0; entry < entries; entry++) {
    const doc = docs[entry]!;
    for (let i = starts[entry]!, end = endOf(entry); i < end; i++) {
      const term = rank[tokens[i]!]!;
      if (positions !== undefined) placed[nextToken[term]!++] = positions.values[i]!;
      if (lastEntry[term] !== entry) {
        lastEntry[term] = entry;
        postingDocs[nextDoc[term]!] = doc;
        frequencies[nextDoc[term]!++] = 1;
      } else if (isText) {
        frequencies[nextDoc[term]! - 1]!++;
      }
    }
    if ((entry & 1023) === 1023) yield;
  }

  const exists = sharedBits(docCount);
  let longest = 0;
  let withTerms = 0;
  for (let entry = 0; entry < entries; entry++) {
    const length = endOf(entry) - starts[entry]!;
    setBit(exists, docs[entry]!);
    if (length > 0) withTerms++;
    if (length > longest) longest = length;
  }
  const sections: Record<string, SectionArray> = {};
  let norms: Uint8Array | undefined;
  if (isText) {
    const lengths = sharedUnsigned(docCount, longest);
    if (buffer.norms) norms = sharedUint8(docCount);
    for (let entry = 0; entry < entries; entry++) {
      const doc = docs[entry]!;
      const length = endOf(entry) - starts[entry]!;
      lengths[doc] = length;
      if (norms !== undefined) norms[doc] = encodeLength(length - buffer.overlaps.values[entry]!);
    }
    sections['lengths'] = lengths;
    if (norms !== undefined) sections['norms'] = norms;
  }
  yield;

  const shape = { frequencies: isText, positions: positions !== undefined };
  const writer = new PostingsWriter(shape, norms);
  const ordinals = buffer.column ? new OrdinalsWriter(docCount, postings) : undefined;
  let steps = 0;
  for (let term = 0; term < terms; term++) {
    const number = order[term]!;
    const from = docStarts[term]!;
    const to = docStarts[term + 1]!;
    writer.add(
      table.pool,
      table.start(number),
      table.ends[number]!,
      postingDocs,
      frequencies,
      from,
      to,
      placed,
      tokenStarts[term]!,
    );
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

function flushValues(buffer: ValuesBuffer, docCount: number): WrittenField {
  const writer = new ValuesColumnWriter(docCount, buffer.kind === 'geo' ? 2 : 1);
  const { docs, starts } = buffer;
  for (let entry = 0; entry < docs.length; entry++) {
    const end = entry + 1 < docs.length ? starts.values[entry + 1]! : buffer.length;
    writer.add(docs.values[entry]!, buffer.values, starts.values[entry]!, end);
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
