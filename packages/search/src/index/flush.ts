// Flushes a write buffer to a segment: sources, columns and, field by field, texts (flush-texts.ts), terms (flush-terms.ts) or
// values. A generator: it yields every few thousand steps, so that requests run in between.
import { ValuesColumnWriter } from './column-writer.ts';
import { DocumentColumnsWriter } from './document-columns.ts';
import { flushTerms } from './flush-terms.ts';
import { flushTexts } from './flush-texts.ts';
import type { FieldMeta, SegmentData, WrittenField } from './segment-data.ts';
import { freeScratch } from './shared.ts';
import type { SourcesOut } from './stored.ts';
import type { ValuesContent } from './values-buffer.ts';
import type { BufferContent } from './write-buffer.ts';

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
    const start = sources.starts[doc]!;
    documents.addSource(sources.pieces[sources.pieceOf[doc]!]!, start, start + sources.lengths[doc]!);
    if (path !== 0) documents.nest(paths[path - 1]!, offsets[doc]!);
    idStart = idEnd;
    // A full block of sources is compressed every few documents: 20 KB take about 0.1 ms.
    if ((doc & 63) === 63) yield;
  }
  for (const [doc, routing] of routings) documents.route(doc, routing);
  const finished = yield* documents.finish();
  const { sections } = finished;
  const fields: FieldMeta[] = [];
  for (const field of content.fields.toSorted((a, b) => (a.field < b.field ? -1 : 1))) {
    const written = yield* flushField(field, docCount);
    for (const [part, array] of Object.entries(written.sections)) sections.set(`${fields.length}/${part}`, array);
    fields.push({ ...written.meta, name: field.field });
    freeScratch();
    yield;
  }
  const { seqNoBase, readSources } = finished;
  const meta = { name, docCount, fields, nestedPaths: documents.paths, seqNoBase, primaryTerm: 1 };
  return { meta, sections, readSources };
}

function* flushField(field: BufferContent['fields'][number], docCount: number): Generator<void, WrittenField> {
  switch (field.kind) {
    case 'texts':
      return yield* flushTexts(field, docCount);
    case 'text':
    case 'keyword':
      return yield* flushTerms(field, docCount);
    default:
      return flushValues(field, docCount);
  }
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
