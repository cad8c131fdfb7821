// Copies one term's postings for some documents, as a field with that one term, so that every reader of postings reads
// the copy too. Views decide which documents, and whether it pays (query/view-statistics.ts).
import { BLOCK } from './bit-packing.ts';
import { hasBit } from './bits.ts';
import { Cursor, Postings } from './postings.ts';
import { PostingsWriter } from './postings-writer.ts';
import { IntList } from './shared.ts';
import { type WrittenSections } from './sections.ts';

const NAMELESS = new Uint8Array(0);
/** Blocks between two yields: some 50 µs. */
const SLICE = 64;
/** Estimated bytes of an array besides its content. */
const OVERHEAD = 200;

/** Postings of one term, and their bytes in memory. */
export interface RestrictedPostings {
  readonly postings: Postings;
  readonly bytes: number;
}

/**
 * Writes the documents of a term that are in a set; yields now and then.
 *
 * @param count how many there are
 * @param norms by document, as the field has them
 */
export function* restrictPostings(
  source: Postings,
  ordinal: number,
  within: Int32Array,
  count: number,
  norms: Uint8Array,
): Generator<void, RestrictedPostings> {
  const cursor = new Cursor().open(source, ordinal);
  const { hasPositions } = source;
  const writer = new PostingsWriter({ frequencies: source.impacts !== undefined, positions: hasPositions }, norms, {
    terms: 1,
    bytes: 0,
    blocks: Math.ceil(count / BLOCK),
    words: count >>> 2,
    positions: count,
  });
  const docs = new IntList(count);
  const frequencies = new IntList(count);
  for (let block = cursor.first; block < cursor.end; block++) {
    cursor.load(block);
    cursor.loadFrequencies();
    let at = hasPositions ? source.blockPositions[block]! : 0;
    for (let i = 0; i < cursor.count; i++) {
      const doc = cursor.docs[i]!;
      const frequency = cursor.frequencies[i]!;
      if (hasBit(within, doc)) {
        docs.push(doc);
        frequencies.push(frequency);
        if (hasPositions) writer.addPositions(source.positions, at, at + frequency);
      }
      at += frequency;
    }
    if (block % SLICE === 0) yield;
  }
  writer.add(NAMELESS, 0, 0, docs.values, frequencies.values, 0, docs.length);
  const sections: WrittenSections = writer.finish().sections;
  let bytes = 0;
  for (const array of Object.values(sections)) bytes += array.byteLength + OVERHEAD;
  return { postings: new Postings((part) => sections[part]), bytes };
}
