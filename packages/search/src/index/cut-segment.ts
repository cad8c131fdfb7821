// Copies some documents of a segment into a segment of their own, in the same order and with new doc ids. A search of the copy takes as long
// as if the others had never been written, and its dictionaries hold none of their words. A generator like the merge: it yields about every
// millisecond. Views decide which documents are copied, and when (view/cuts.ts).
import { countBits, hasBit, nextBit, setBit, sharedBits } from './bits.ts';
import { OrdinalsWriter, presence } from './column-writer.ts';
import { DocumentColumnsWriter } from './document-columns.ts';
import { mergeValues } from './merge.ts';
import { Cursor } from './postings.ts';
import { PostingsWriter } from './postings-writer.ts';
import { SegmentCore, type StoredTerms } from './segment-core.ts';
import type { FieldMeta, SegmentData, WrittenField } from './segment-data.ts';
import type { WrittenSections } from './sections.ts';
import { IntList, sharedUint8, sharedUnsigned } from './shared.ts';

/** Postings between two yields. */
const SLICE = 1 << 16;
/** Cost of finding and opening a term, in postings. */
const TERM_STEPS = 16;
const NOTHING = new Uint8Array(0);

/** A field to copy. */
export interface CutField {
  readonly name: string;
  /** Documents that it has no values in. */
  readonly withheld: Int32Array | undefined;
}

/** A segment of some documents of another. */
export interface CutSegment {
  readonly core: SegmentCore;
  /** Documents whose sources were not copied. */
  readonly apart: ReadonlySet<number>;
  /** By document its number in the other segment. */
  readonly documents: Int32Array;
}

/** Documents whose sources are copied between two yields. */
const SOURCES = 16;

/**
 * Copies documents.
 *
 * @param rows roots; their nested documents come along
 * @param sourceOf the source to store for a document; undefined where it shall not be copied
 */
export function* cutSegment(
  base: SegmentCore,
  fields: readonly CutField[],
  rows: Int32Array,
  name: string,
  sourceOf: (doc: number) => Uint8Array | undefined,
): Generator<void, CutSegment> {
  const documents = documentsOf(base, rows);
  const docCount = documents.length;
  const columns = new DocumentColumnsWriter(docCount);
  const apart = new Set<number>();
  const { ids, ends } = base.ids.bytes;
  for (let target = 0; target < docCount; target++) {
    const doc = documents[target]!;
    // Counters of writes count hidden ones, too.
    columns.add(ids, doc === 0 ? 0 : ends[doc - 1]!, ends[doc]!, 1, 0);
    const source = sourceOf(doc);
    if (source === undefined) apart.add(target);
    columns.addSource(source ?? NOTHING);
    const routing = base.routing(doc);
    if (routing !== undefined) columns.route(target, routing);
    const path = base.nestedPath(doc);
    if (path !== undefined) columns.nest(path, base.nestedOffset(doc));
    if (target % SOURCES === SOURCES - 1) yield;
  }
  yield;
  const { sections, seqNoBase, readSources } = yield* columns.finish();
  const metas: FieldMeta[] = [];
  for (const { name: field, withheld } of fields) {
    const map = new Int32Array(base.docCount).fill(-1);
    for (let target = 0; target < docCount; target++) {
      const doc = documents[target]!;
      if (withheld === undefined || !hasBit(withheld, doc)) map[doc] = target;
    }
    const kind = base.meta(field)?.kind;
    const stored = base.terms(field);
    const written: WrittenField | undefined =
      kind === 'number' || kind === 'geo'
        ? mergeValues([{ core: base, live: undefined }], [map], docCount, field, kind)
        : stored && (yield* cutTerms(stored, documents, map));
    yield;
    if (written === undefined) continue;
    for (const [part, array] of Object.entries(written.sections)) sections.set(`${metas.length}/${part}`, array);
    metas.push({ ...written.meta, name: field });
  }
  const meta = { name, docCount, fields: metas, nestedPaths: columns.paths, seqNoBase, primaryTerm: 1 };
  const data: SegmentData = { meta, sections, readSources };
  return { core: new SegmentCore(data, name, base.engine), apart, documents };
}

function documentsOf({ docCount, roots }: SegmentCore, rows: Int32Array): Int32Array {
  const list = new IntList(countBits(rows));
  for (let root = nextBit(rows, 0); root >= 0 && root < docCount; root = nextBit(rows, root + 1)) {
    let first = root;
    if (roots !== undefined) while (first > 0 && !hasBit(roots, first - 1)) first--;
    for (let doc = first; doc <= root; doc++) list.push(doc);
  }
  return list.values.slice(0, list.length);
}

/** @param map by document of the field its number here, -1 where it has no values */
function* cutTerms(
  { postings, norms, lengths, exists, meta }: StoredTerms,
  documents: Int32Array,
  map: Int32Array,
): Generator<void, WrittenField | undefined> {
  const docCount = documents.length;
  const present = sharedBits(docCount);
  const ownNorms = meta.norms ? sharedUint8(docCount) : undefined;
  const ownLengths = lengths === undefined ? undefined : new Uint32Array(docCount);
  let longest = 0;
  let docs = 0;
  for (let target = 0; target < docCount; target++) {
    const doc = documents[target]!;
    if (map[doc]! < 0 || (exists !== undefined && !hasBit(exists, doc))) continue;
    setBit(present, target);
    if (ownNorms !== undefined) ownNorms[target] = norms[doc]!;
    if (lengths === undefined || ownLengths === undefined) docs++;
    else {
      const length = lengths[doc]!;
      ownLengths[target] = length;
      if (length > longest) longest = length;
      if (length > 0) docs++;
    }
  }
  const count = countBits(present);
  if (count === 0) return undefined;
  yield;
  const { frequencies, positions, column } = meta;
  const writer = new PostingsWriter({ frequencies, positions }, ownNorms, {
    terms: 0,
    bytes: 0,
    blocks: 0,
    words: 0,
    positions: 0,
  });
  const pairs = new Pairs();
  const found = new IntList(128);
  const often = new IntList(128);
  const cursor = new Cursor();
  let steps = 0;
  let terms = 0;
  for (let ordinal = 0; ordinal < postings.size; ordinal++) {
    cursor.open(postings, ordinal);
    found.length = 0;
    often.length = 0;
    for (let block = cursor.first; block < cursor.end; block++) {
      cursor.load(block);
      steps += cursor.count;
      takeBlock(cursor, map, found, often, positions ? writer : undefined);
    }
    steps += TERM_STEPS;
    if (found.length > 0) {
      const start = postings.start(ordinal);
      writer.add(postings.bytes, start, postings.ends[ordinal]!, found.values, often.values, 0, found.length);
      if (column) pairs.add(found);
      terms++;
    }
    if (steps > SLICE) {
      steps = 0;
      yield;
    }
  }
  const written = writer.finish();
  yield;
  const sections: WrittenSections = { ...written.sections };
  if (column) Object.assign(sections, pairs.ordinals(docCount, terms));
  if (ownNorms !== undefined) sections.norms = ownNorms;
  if (ownLengths !== undefined) {
    const stored = sharedUnsigned(docCount, longest);
    stored.set(ownLengths);
    sections.lengths = stored;
  }
  const some = presence(present, docCount);
  if (some !== undefined) sections.exists = some;
  const { sumTotalTermFreq, sumDocFreq } = written;
  const { kind, norms: withNorms } = meta;
  return {
    meta: { kind, docs, sumTotalTermFreq, sumDocFreq, frequencies, positions, norms: withNorms, column },
    sections,
  };
}

/** Adds the copied documents of a decoded block. Frequencies and positions are read only if there are any; most blocks have none. */
function takeBlock(
  cursor: Cursor,
  map: Int32Array,
  found: IntList,
  often: IntList,
  writer: PostingsWriter | undefined,
): void {
  const { docs, count, postings } = cursor;
  let first = 0;
  while (first < count && map[docs[first]!]! < 0) first++;
  if (first === count) return;
  cursor.loadFrequencies();
  const { frequencies } = cursor;
  let at = 0;
  if (writer !== undefined) {
    at = postings.blockPositions[cursor.decoded]!;
    for (let i = 0; i < first; i++) at += frequencies[i]!;
  }
  for (let i = first; i < count; i++) {
    const target = map[docs[i]!]!;
    const frequency = frequencies[i]!;
    if (target >= 0) {
      found.push(target);
      often.push(frequency);
      writer?.addPositions(postings.positions, at, at + frequency);
    }
    at += frequency;
  }
}

/** Pairs of document and ordinal, of unknown number. */
class Pairs {
  private readonly docs = new IntList(1024);
  private readonly ends = new IntList(256);

  /** Adds the documents of the next ordinal. */
  add({ values, length }: IntList): void {
    this.docs.reserve(this.docs.length + length);
    for (let i = 0; i < length; i++) this.docs.values[this.docs.length++] = values[i]!;
    this.ends.push(this.docs.length);
  }

  ordinals(docCount: number, terms: number): WrittenSections {
    const writer = new OrdinalsWriter(docCount, this.docs.length);
    for (let ordinal = 0, from = 0; ordinal < terms; ordinal++) {
      const to = this.ends.values[ordinal]!;
      writer.add(ordinal, this.docs.values, from, to);
      from = to;
    }
    return writer.finish(terms);
  }
}
