// Merges a field of terms: its dictionary, postings with positions, lengths and norms, and its column of ordinals.
import { orderReversed } from './reversed-terms.ts';
import { countBits, hasBit, setBit, sharedBits } from './bits.ts';
import { OrdinalsWriter, presence } from './column-writer.ts';
import { DictionaryCursor, findLeast } from './dictionary-cursor.ts';
import type { MergeInput } from './merge-input.ts';
import { Cursor } from './postings.ts';
import { type ExpectedPostings, PostingsWriter } from './postings-writer.ts';
import type { StoredTerms } from './segment-core.ts';
import type { WrittenField } from './segment-data.ts';
import type { WrittenSections } from './sections.ts';
import { IntList, sharedUint8, sharedUnsigned } from './shared.ts';
import { UnsortedPositions } from './unsorted-positions.ts';

const SLICE = 1 << 14;

/** Minimum terms of a dictionary whose reversed order is stored with the segment, so that a search does not wait for it (20 ms). */
const MANY_TERMS = 32_768;

/** An iterator over one input's dictionary. */
class Source extends DictionaryCursor {
  readonly field: StoredTerms;
  readonly map: Int32Array;
  /** Whether no document is dropped. */
  readonly whole: boolean;

  constructor(field: StoredTerms, map: Int32Array) {
    super(field.postings);
    this.field = field;
    this.map = map;
    this.whole = !map.includes(-1);
  }
}

/** A field of terms that is merged. */
interface MergedField {
  readonly field: string;
  readonly kind: 'text' | 'keyword';
  /** Whether the documents come in another order than in the inputs. */
  readonly isSorted: boolean;
}

/** Merges the terms of a field. @returns undefined where no document has it any more */
export function* mergeTerms(
  inputs: readonly MergeInput[],
  maps: readonly Int32Array[],
  docCount: number,
  { field, kind, isSorted }: MergedField,
): Generator<void, WrittenField | undefined> {
  const sources: Source[] = [];
  inputs.forEach(({ core }, i) => {
    const found = core.terms(field);
    if (found !== undefined && found.meta.kind === kind) sources.push(new Source(found, maps[i]!));
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
  const unsorted = isSorted ? new UnsortedPositions(docCount) : undefined;
  const terms = yield* mergePostings(sources, writer, ordinals, shape.positions, unsorted);
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
  unsorted: UnsortedPositions | undefined,
): Generator<void, number> {
  const docs = new IntList(1024);
  const frequencies = new IntList(1024);
  const cursor = new Cursor();
  const equal: Source[] = [];
  const positions = withPositions ? (unsorted ?? writer) : undefined;
  let steps = 0;
  let terms = 0;
  for (;;) {
    const count = findLeast(sources, equal);
    if (count === 0) break;
    const { postings: dictionary, ordinal } = equal[0]!;
    docs.length = 0;
    frequencies.length = 0;
    for (let i = 0; i < count; i++) {
      const source = equal[i]!;
      cursor.open(source.field.postings, source.ordinal);
      appendPostings(cursor, source, positions, docs, frequencies);
      steps += cursor.docFreq + 4;
      source.advance();
    }
    unsorted?.sort(docs, frequencies, withPositions ? writer : undefined);
    if (docs.length > 0) {
      const start = dictionary.start(ordinal);
      writer.add(dictionary.bytes, start, dictionary.ends[ordinal]!, docs.values, frequencies.values, 0, docs.length);
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

function appendPostings(
  cursor: Cursor,
  { map, whole }: Source,
  positions: Pick<PostingsWriter, 'addPositions'> | undefined,
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
