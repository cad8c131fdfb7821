// Joins neighbouring segments into one without their deleted documents, keeping the order of documents. A generator like the
// flush: it yields every millisecond or so. Which segments to join is merge-policy.ts.
import { orderBackwards } from './backwards.ts';
import { countBits, sharedBits, hasBit, setBit } from './bits.ts';
import { OrdinalsWriter, presence, ValuesColumnWriter } from './column-writer.ts';
import { DocumentColumnsWriter } from './document-columns.ts';
import { valuesMeta } from './flush.ts';
import { Cursor, type Postings } from './postings.ts';
import { PostingsWriter } from './postings-writer.ts';
import type { SegmentCore, TermsField } from './segment-core.ts';
import type { FieldMeta, SegmentData } from './segment-data.ts';
import { IntList, type SectionArray, sharedUint8, sharedUnsigned } from './shared.ts';

const SLICE = 1 << 14;
/** Compressed blocks of sources below this many bytes are joined when segments are merged. */
const SMALL_BLOCK = 2048;

/** From so many terms on, their order from behind is kept with the segment: a search should not wait for it (20 ms). */
const MANY_TERMS = 32_768;

/** One segment to merge, with the live documents as they stood when the merge began. */
export interface MergeInput {
  readonly core: SegmentCore;
  readonly live: Int32Array | undefined;
}

/** A merged segment, and for each input the new number of each document (-1: dropped). */
export interface Merged {
  readonly data: SegmentData;
  readonly maps: readonly Int32Array[];
}

/** Merges segments given in index order. */
export function* mergeSegments(inputs: readonly MergeInput[], name: string): Generator<void, Merged> {
  const maps: Int32Array[] = [];
  let docCount = 0;
  for (const { core, live } of inputs) {
    const map = new Int32Array(core.docCount);
    for (let doc = 0; doc < core.docCount; doc++) {
      map[doc] = live === undefined || hasBit(live, doc) ? docCount++ : -1;
    }
    maps.push(map);
    yield;
  }
  const documents = new DocumentColumnsWriter(docCount);
  for (let i = 0; i < inputs.length; i++) {
    const { core } = inputs[i]!;
    const map = maps[i]!;
    const { sources } = core;
    for (let block = 0; block < sources.blocks; block++) {
      const first = sources.firstDoc(block, core.docCount);
      const end = sources.firstDoc(block + 1, core.docCount);
      // A block that stays whole is taken over as it is, unless it is so small that joining it with others saves space.
      const target = map[first]!;
      const kept = target >= 0 && map[end - 1]! - target + 1 === end - first;
      const frame = kept ? sources.frame(block) : undefined;
      const whole = frame !== undefined && frame.length >= SMALL_BLOCK;
      if (whole) documents.addBlock(frame, end - first);
      for (let doc = first; doc < end; doc++) {
        if (map[doc]! < 0) continue;
        documents.add({
          id: core.ids.get(doc),
          source: whole ? undefined : core.source(doc),
          version: core.versions[doc]!,
          seqNo: core.seqNo(doc),
          routing: core.routing(doc),
          path: core.nestedPath(doc),
          offset: core.nestedOffset(doc),
        });
      }
      yield;
    }
  }
  const finished = yield* documents.finish();
  const { sections } = finished;
  const names = new Set<string>();
  for (const { core } of inputs) for (const field of core.fieldNames()) names.add(field);
  const fields: FieldMeta[] = [];
  for (const field of [...names].sort()) {
    const kind = inputs.map(({ core }) => core.meta(field)?.kind).findLast((found) => found !== undefined)!;
    const written =
      kind === 'number' || kind === 'geo'
        ? mergeValues(inputs, maps, docCount, field, kind)
        : yield* mergeTerms(inputs, maps, docCount, field, kind);
    yield;
    if (written === undefined) continue;
    for (const [part, array] of Object.entries(written.sections)) sections.set(`${fields.length}/${part}`, array);
    fields.push({ ...written.meta, name: field });
  }
  const data: SegmentData = {
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
  };
  return { data, maps };
}

/**
 * Writes one field of a segment anew, with values only in the documents to keep; numbers of documents stay.
 *
 * @returns undefined when no value is left
 */
export function rewriteField(core: SegmentCore, field: string, keep: Int32Array): WrittenField | undefined {
  const kind = core.meta(field)?.kind;
  if (kind === undefined) return undefined;
  const map = new Int32Array(core.docCount);
  for (let doc = 0; doc < core.docCount; doc++) map[doc] = hasBit(keep, doc) ? doc : -1;
  const inputs = [{ core, live: undefined }];
  if (kind === 'number' || kind === 'geo') return mergeValues(inputs, [map], core.docCount, field, kind);
  const steps = mergeTerms(inputs, [map], core.docCount, field, kind);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** A field as it is written. */
export interface WrittenField {
  readonly meta: Omit<FieldMeta, 'name'>;
  readonly sections: Record<string, SectionArray>;
}

function mergeValues(
  inputs: readonly MergeInput[],
  maps: readonly Int32Array[],
  docCount: number,
  field: string,
  kind: 'number' | 'geo',
): WrittenField | undefined {
  const writer = new ValuesColumnWriter(docCount, kind === 'geo' ? 2 : 1);
  const point = new Float64Array(2);
  inputs.forEach(({ core }, i) => {
    const map = maps[i]!;
    const numbers = core.number(field);
    const points = core.geo(field);
    const column = kind === 'geo' ? points : numbers;
    if (column === undefined) return;
    const { exists, starts } = column;
    for (let doc = 0; doc < core.docCount; doc++) {
      const target = map[doc]!;
      if (target < 0 || (exists !== undefined && !hasBit(exists, doc))) continue;
      const from = starts === undefined ? doc : starts[doc]!;
      const to = starts === undefined ? doc + 1 : starts[doc + 1]!;
      if (numbers !== undefined && kind === 'number') {
        writer.add(target, numbers.values, from, to);
      } else if (points !== undefined) {
        if (to - from === 1) {
          point[0] = points.lat[from]!;
          point[1] = points.lon[from]!;
          writer.add(target, point, 0, 2);
        } else {
          const several = new Float64Array((to - from) * 2);
          for (let at = from; at < to; at++) {
            several[(at - from) * 2] = points.lat[at]!;
            several[(at - from) * 2 + 1] = points.lon[at]!;
          }
          writer.add(target, several, 0, several.length);
        }
      }
    }
  });
  const { docs, sections } = writer.finish();
  return docs === 0 ? undefined : { meta: valuesMeta(kind, docs), sections };
}

/** One input's dictionary on its way through the merge. */
interface Source {
  readonly field: TermsField;
  readonly map: Int32Array;
  ordinal: number;
}

function* mergeTerms(
  inputs: readonly MergeInput[],
  maps: readonly Int32Array[],
  docCount: number,
  field: string,
  kind: 'text' | 'keyword',
): Generator<void, WrittenField | undefined> {
  const sources: Source[] = [];
  inputs.forEach(({ core }, i) => {
    const found = core.terms(field);
    if (found !== undefined && found.meta.kind === kind) sources.push({ field: found, map: maps[i]!, ordinal: 0 });
  });
  const shape = {
    frequencies: kind === 'text',
    positions: sources.every((source) => source.field.meta.positions),
  };
  const withNorms = sources.every((source) => source.field.meta.norms);
  const withColumn = sources.every((source) => source.field.column !== undefined);

  const exists = sharedBits(docCount);
  const sections: Record<string, SectionArray> = {};
  const norms = withNorms ? sharedUint8(docCount) : undefined;
  const lengths = kind === 'text' ? new Uint32Array(docCount) : undefined;
  let longest = 0;
  let postingsBound = 0;
  for (const { field: source, map } of sources) {
    postingsBound += source.meta.sumDocFreq;
    for (let doc = 0; doc < map.length; doc++) {
      const target = map[doc]!;
      if (target < 0 || (source.exists !== undefined && !hasBit(source.exists, doc))) continue;
      setBit(exists, target);
      if (norms !== undefined) norms[target] = source.norms[doc]!;
      if (lengths !== undefined) {
        const length = source.lengths?.[doc] ?? 0;
        lengths[target] = length;
        if (length > longest) longest = length;
      }
    }
    yield;
  }

  const writer = new PostingsWriter(shape, norms);
  const ordinals = withColumn ? new OrdinalsWriter(docCount, postingsBound) : undefined;
  const docs = new IntList(1024);
  const frequencies = new IntList(1024);
  const positions = new IntList(1024);
  const cursor = new Cursor();
  let steps = 0;
  let terms = 0;
  for (;;) {
    let least: Postings | undefined;
    let leastOrdinal = 0;
    for (const source of sources) {
      const { postings } = source.field;
      if (source.ordinal >= postings.size) continue;
      if (least === undefined || compareTerms(postings, source.ordinal, least, leastOrdinal) < 0) {
        least = postings;
        leastOrdinal = source.ordinal;
      }
    }
    if (least === undefined) break;
    docs.length = 0;
    frequencies.length = 0;
    positions.length = 0;
    for (const source of sources) {
      const { postings } = source.field;
      if (source.ordinal >= postings.size) continue;
      if (postings !== least && compareTerms(postings, source.ordinal, least, leastOrdinal) !== 0) continue;
      appendPostings(cursor.open(postings, source.ordinal), source.map, shape.positions, docs, frequencies, positions);
      steps += cursor.docFreq + 4;
      source.ordinal++;
    }
    if (docs.length > 0) {
      const start = least.start(leastOrdinal);
      writer.add(
        least.bytes,
        start,
        least.ends[leastOrdinal]!,
        docs.values,
        frequencies.values,
        0,
        docs.length,
        positions.values,
        0,
      );
      ordinals?.add(terms, docs.values, 0, docs.length);
      terms++;
    }
    if (steps > SLICE) {
      steps = 0;
      yield;
    }
  }
  const present = countBits(exists);
  if (present === 0) return undefined;
  if (lengths !== undefined) {
    const stored = sharedUnsigned(docCount, longest);
    stored.set(lengths);
    sections['lengths'] = stored;
  }
  if (norms !== undefined) sections['norms'] = norms;
  yield;
  const written = writer.finish();
  yield;
  Object.assign(sections, written.sections);
  if (terms >= MANY_TERMS) {
    const { terms: bytes, termEnds: ends } = written.sections as { terms: Uint8Array; termEnds: Uint32Array };
    sections['backwards'] = yield* orderBackwards({ bytes, ends });
  }
  if (ordinals !== undefined) Object.assign(sections, ordinals.finish(terms));
  yield;
  const presentBits = presence(exists, docCount);
  if (presentBits !== undefined) sections['exists'] = presentBits;
  return {
    meta: {
      kind,
      docs: lengths === undefined ? present : lengths.reduce((sum, length) => sum + (length > 0 ? 1 : 0), 0),
      sumTotalTermFreq: written.sumTotalTermFreq,
      sumDocFreq: written.sumDocFreq,
      frequencies: shape.frequencies,
      positions: shape.positions,
      norms: norms !== undefined,
      column: withColumn,
    },
    sections,
  };
}

function appendPostings(
  cursor: Cursor,
  map: Int32Array,
  withPositions: boolean,
  docs: IntList,
  frequencies: IntList,
  positions: IntList,
): void {
  const { postings } = cursor;
  let at = withPositions ? postings.blockPositions![cursor.first]! : 0;
  for (let block = cursor.first; block < cursor.end; block++) {
    cursor.load(block);
    cursor.loadFrequencies();
    for (let i = 0; i < cursor.count; i++) {
      const target = map[cursor.docs[i]!]!;
      const frequency = cursor.frequencies[i]!;
      if (target >= 0) {
        docs.push(target);
        frequencies.push(frequency);
        if (withPositions) for (let j = 0; j < frequency; j++) positions.push(postings.positions![at + j]!);
      }
      at += frequency;
    }
  }
}

function compareTerms(left: Postings, leftOrdinal: number, right: Postings, rightOrdinal: number): number {
  let i = left.start(leftOrdinal);
  let j = right.start(rightOrdinal);
  const iEnd = left.ends[leftOrdinal]!;
  const jEnd = right.ends[rightOrdinal]!;
  while (i < iEnd && j < jEnd) {
    const difference = left.bytes[i++]! - right.bytes[j++]!;
    if (difference !== 0) return difference;
  }
  return iEnd - i - (jEnd - j);
}
