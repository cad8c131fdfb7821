// Merges neighbouring segments into one without their deleted documents, in the same order. A generator like the
// flush: it yields about every millisecond. merge-policy.ts selects the segments.
import { runToEnd } from '../tasks/scheduler.ts';
import { orderReversed } from './reversed-terms.ts';
import { countBits, sharedBits, hasBit, setBit } from './bits.ts';
import { OrdinalsWriter, presence, ValuesColumnWriter } from './column-writer.ts';
import { DocumentColumnsWriter } from './document-columns.ts';
import { valuesMeta } from './flush.ts';
import { Cursor, type Postings } from './postings.ts';
import { type ExpectedPostings, PostingsWriter } from './postings-writer.ts';
import type { SegmentCore, StoredTerms } from './segment-core.ts';
import type { FieldMeta, SegmentData, WrittenField } from './segment-data.ts';
import type { WrittenSections } from './sections.ts';
import { IntList, sharedUint8, sharedUnsigned } from './shared.ts';
import type { SourcesOut } from './stored.ts';

const SLICE = 1 << 14;
/** Compressed blocks of sources below this many bytes are joined when segments are merged. */
const SMALL_BLOCK = 2048;

/** Minimum terms of a dictionary whose reversed order is stored with the segment, so that a search does not wait for it (20 ms). */
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

/**
 * Merges segments given in index order.
 *
 * @param out where the sources go; into the segment's sections without it
 */
export function* mergeSegments(inputs: readonly MergeInput[], name: string, out?: SourcesOut): Generator<void, Merged> {
  const maps: Int32Array[] = [];
  let docCount = 0;
  for (const { core, live } of inputs) {
    const map = new Int32Array(core.docCount);
    for (let doc = 0; doc < core.docCount; doc++) map[doc] = live === undefined || hasBit(live, doc) ? docCount++ : -1;
    maps.push(map);
    yield;
  }
  const documents = new DocumentColumnsWriter(docCount, out);
  for (let i = 0; i < inputs.length; i++) {
    const { core } = inputs[i]!;
    const map = maps[i]!;
    const { sources } = core;
    const { ids, ends } = core.ids.bytes;
    for (let block = 0; block < sources.blocks; block++) {
      const first = sources.firstDoc(block, core.docCount);
      const end = sources.firstDoc(block + 1, core.docCount);
      // A block without deletions is copied as it is, unless it is so small that joining it with others saves space.
      const target = map[first]!;
      const kept = target >= 0 && map[end - 1]! - target + 1 === end - first;
      const frame = kept ? sources.frame(block) : undefined;
      const whole = frame !== undefined && frame.length >= SMALL_BLOCK;
      if (whole) documents.addBlock(frame, end - first);
      for (let doc = first; doc < end; doc++) {
        if (map[doc]! < 0) continue;
        documents.add(ids, doc === 0 ? 0 : ends[doc - 1]!, ends[doc]!, core.versions[doc]!, core.seqNo(doc));
        if (!whole) documents.addSource(core.source(doc));
        const routing = core.routing(doc);
        if (routing !== undefined) documents.route(map[doc]!, routing);
        const path = core.nestedPath(doc);
        if (path !== undefined) documents.nest(path, core.nestedOffset(doc));
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
  const { seqNoBase, readSources } = finished;
  const meta = { name, docCount, fields, nestedPaths: documents.paths, seqNoBase, primaryTerm: 1 };
  const data: SegmentData = { meta, sections, readSources };
  return { data, maps };
}

/**
 * Rewrites one field of a segment with the values of some documents; doc ids stay.
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
  return runToEnd(mergeTerms(inputs, [map], core.docCount, field, kind));
}

export function mergeValues(
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

/** Integers up to this are exact. */
const KEY_BYTES = 6;

/** An iterator over one input's dictionary. */
interface Source {
  readonly field: StoredTerms;
  readonly map: Int32Array;
  /** Whether no document is dropped. */
  readonly whole: boolean;
  ordinal: number;
  /** The first six bytes of the term at hand as a number: it decides most comparisons. Infinity behind the last term. */
  key: number;
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
    if (found === undefined || found.meta.kind !== kind) return;
    const map = maps[i]!;
    const source = { field: found, map, whole: !map.includes(-1), ordinal: -1, key: 0 };
    advance(source);
    sources.push(source);
  });
  const shape = {
    frequencies: kind === 'text',
    positions: sources.every((source) => source.field.meta.positions),
  };
  const withNorms = sources.every((source) => source.field.meta.norms);
  const withColumn = sources.every((source) => source.field.column !== undefined);

  const { exists, norms, lengths, longest } = yield* mergeLengths(sources, docCount, kind, withNorms);
  const writer = new PostingsWriter(shape, norms, expectedOf(sources));
  const postingsBound = sources.reduce((sum, source) => sum + source.field.meta.sumDocFreq, 0);
  const ordinals = withColumn ? new OrdinalsWriter(docCount, postingsBound) : undefined;
  const terms = yield* mergePostings(sources, writer, ordinals, shape.positions);
  const present = countBits(exists);
  if (present === 0) return undefined;
  const sections: WrittenSections = {};
  if (lengths !== undefined) {
    const stored = sharedUnsigned(docCount, longest);
    stored.set(lengths);
    sections.lengths = stored;
  }
  if (norms !== undefined) sections.norms = norms;
  yield;
  const written = writer.finish();
  yield;
  Object.assign(sections, written.sections);
  if (terms >= MANY_TERMS) {
    const { terms: bytes, termEnds: ends } = written.sections;
    sections.backwards = yield* orderReversed({ bytes, ends });
  }
  if (ordinals !== undefined) Object.assign(sections, ordinals.finish(terms));
  yield;
  const presentBits = presence(exists, docCount);
  if (presentBits !== undefined) sections.exists = presentBits;
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

/** What a merged field has by document. */
interface MergedLengths {
  readonly exists: Int32Array;
  readonly norms: Uint8Array | undefined;
  readonly lengths: Uint32Array | undefined;
  readonly longest: number;
}

/** Merges which documents have the field, and how long it is there. */
function* mergeLengths(
  sources: readonly Source[],
  docCount: number,
  kind: 'text' | 'keyword',
  withNorms: boolean,
): Generator<void, MergedLengths> {
  const exists = sharedBits(docCount);
  const norms = withNorms ? sharedUint8(docCount) : undefined;
  const lengths = kind === 'text' ? new Uint32Array(docCount) : undefined;
  let longest = 0;
  for (const { field: source, map } of sources) {
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
  return { exists, norms, lengths, longest };
}

/** Merges the terms in order, each with its postings. @returns how many terms there are */
function* mergePostings(
  sources: readonly Source[],
  writer: PostingsWriter,
  ordinals: OrdinalsWriter | undefined,
  withPositions: boolean,
): Generator<void, number> {
  const docs = new IntList(1024);
  const frequencies = new IntList(1024);
  const cursor = new Cursor();
  const equal: Source[] = [];
  let steps = 0;
  let terms = 0;
  for (;;) {
    // The sources whose terms are the least, in order.
    let count = 0;
    for (const source of sources) {
      if (count > 0) {
        const order = compareSources(source, equal[0]!);
        if (order > 0) continue;
        if (order < 0) count = 0;
      }
      equal[count++] = source;
    }
    const least = equal[0];
    if (least === undefined || least.key === Infinity) break;
    const { postings: dictionary } = least.field;
    const leastOrdinal = least.ordinal;
    docs.length = 0;
    frequencies.length = 0;
    for (let i = 0; i < count; i++) {
      const source = equal[i]!;
      cursor.open(source.field.postings, source.ordinal);
      appendPostings(cursor, source, withPositions ? writer : undefined, docs, frequencies);
      steps += cursor.docFreq + 4;
      advance(source);
    }
    if (docs.length > 0) {
      const start = dictionary.start(leastOrdinal);
      writer.add(
        dictionary.bytes,
        start,
        dictionary.ends[leastOrdinal]!,
        docs.values,
        frequencies.values,
        0,
        docs.length,
      );
      ordinals?.add(terms, docs.values, 0, docs.length);
      terms++;
    }
    if (steps > SLICE) {
      steps = 0;
      yield;
    }
  }
  return terms;
}

/** Upper bounds of the merged field. */
function expectedOf(sources: readonly Source[]): ExpectedPostings {
  const expected = { terms: 0, bytes: 0, blocks: 0, words: 0, positions: 0 };
  for (const { field } of sources) {
    const { postings } = field;
    expected.terms = Math.max(expected.terms, postings.size);
    expected.bytes = Math.max(expected.bytes, postings.bytes.length);
    expected.blocks += postings.blockBits.length;
    expected.words += postings.words.length;
    expected.positions += postings.positions.length;
  }
  return expected;
}

/** Goes on to the next term. */
function advance(source: Source): void {
  const { postings } = source.field;
  const ordinal = ++source.ordinal;
  if (ordinal >= postings.size) {
    source.key = Infinity;
    return;
  }
  const start = postings.start(ordinal);
  const length = postings.ends[ordinal]! - start;
  let key = 0;
  for (let i = 0; i < KEY_BYTES; i++) key = key * 256 + (i < length ? postings.bytes[start + i]! : 0);
  source.key = key;
}

function compareSources(left: Source, right: Source): number {
  if (left.key !== right.key) return left.key < right.key ? -1 : 1;
  if (left.key === Infinity) return 0;
  const { postings: leftPostings } = left.field;
  const { postings: rightPostings } = right.field;
  return compareTerms(leftPostings, left.ordinal, rightPostings, right.ordinal);
}

function appendPostings(
  cursor: Cursor,
  { map, whole }: Source,
  positions: PostingsWriter | undefined,
  docs: IntList,
  frequencies: IntList,
): void {
  const { postings } = cursor;
  const start = positions === undefined ? 0 : postings.blockPositions[cursor.first]!;
  let at = start;
  docs.reserve(docs.length + cursor.docFreq);
  frequencies.reserve(frequencies.length + cursor.docFreq);
  for (let block = cursor.first; block < cursor.end; block++) {
    cursor.load(block);
    cursor.loadFrequencies();
    const { count } = cursor;
    for (let i = 0; i < count; i++) {
      const target = map[cursor.docs[i]!]!;
      const frequency = cursor.frequencies[i]!;
      if (target >= 0) {
        docs.values[docs.length++] = target;
        frequencies.values[frequencies.length++] = frequency;
        if (!whole) positions?.addPositions(postings.positions, at, at + frequency);
      }
      at += frequency;
    }
  }
  if (whole) positions?.addPositions(postings.positions, start, at);
}

/** Compares terms whose first six bytes are equal, as far as they have so many. */
function compareTerms(left: Postings, leftOrdinal: number, right: Postings, rightOrdinal: number): number {
  const leftStart = left.start(leftOrdinal);
  const rightStart = right.start(rightOrdinal);
  const leftLength = left.ends[leftOrdinal]! - leftStart;
  const rightLength = right.ends[rightOrdinal]! - rightStart;
  const common = Math.min(leftLength, rightLength);
  for (let i = KEY_BYTES; i < common; i++) {
    const difference = left.bytes[leftStart + i]! - right.bytes[rightStart + i]!;
    if (difference !== 0) return difference;
  }
  return leftLength - rightLength;
}
