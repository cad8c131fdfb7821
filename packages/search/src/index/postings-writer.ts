// Writes the terms and postings of one field, term after term in byte order: dictionary, blocks of 128 documents with packed
// gaps and frequencies, their impacts, and positions. Used by the flush and by merges alike. Reading is postings.ts.
import { BLOCK, bitsFor, packBits } from './bit-packing.ts';
import { ByteList, IntList, sharedInt32, sharedUint16, sharedUint32 } from './shared.ts';
import type { SectionTypes, WrittenSections } from './sections.ts';

/** Which parts a field's postings have. */
export interface PostingsShape {
  readonly frequencies: boolean;
  readonly positions: boolean;
}

type PostingsSections = WrittenSections & Pick<SectionTypes, 'terms' | 'termEnds'>;

/** The sections of one field's postings and the totals that go with them. */
export interface WrittenPostings {
  readonly sections: PostingsSections;
  readonly terms: number;
  /** Sum of the frequencies of all postings (of ones, without frequencies). */
  readonly sumTotalTermFreq: number;
  readonly sumDocFreq: number;
}

/** Size estimates of a field; exact ones save a copy at the end. */
export interface ExpectedPostings {
  readonly terms: number;
  /** Of all terms. */
  readonly bytes: number;
  readonly blocks: number;
  /** Estimate; 0 if unknown. */
  readonly words: number;
  /** How many, exact or too many; or all of them, term after term, when the caller has put them in order already. */
  readonly positions: number | Uint16Array | Uint32Array;
}

/** Collects the postings of one field. */
export class PostingsWriter {
  private readonly terms: ByteList;
  private readonly termEnds: IntList;
  private readonly docFreqs: IntList;
  private readonly lastDocs: IntList;
  private readonly blockOffsets: IntList;
  private readonly blockBits: IntList;
  private readonly blockPositions: IntList;
  private readonly impactOffsets: IntList;
  private readonly impacts: ByteList;
  private positions: Uint16Array | Uint32Array;
  private positionCount = 0;
  /** Positions of the terms before. */
  private positionsBefore = 0;
  private words: Int32Array;
  private wordCount = 0;
  private sumTotalTermFreq = 0;
  private sumDocFreq = 0;
  private readonly gaps = new Int32Array(BLOCK);
  private readonly extras = new Int32Array(BLOCK);
  /** By norm byte, the highest frequency in the block at hand. */
  private readonly best = new Int32Array(256);
  private readonly shape: PostingsShape;
  private readonly norms: Uint8Array | undefined;

  /** @param norms by document; undefined for a field without norms */
  constructor(shape: PostingsShape, norms: Uint8Array | undefined, expected: ExpectedPostings) {
    this.shape = shape;
    this.norms = norms;
    const { blocks } = expected;
    this.terms = new ByteList(expected.bytes + 64);
    this.termEnds = new IntList(expected.terms + 1);
    this.docFreqs = new IntList(expected.terms + 1);
    this.lastDocs = new IntList(blocks + 1);
    this.blockOffsets = new IntList(blocks + 1);
    this.blockBits = new IntList(blocks + 1);
    this.blockPositions = new IntList(blocks + 1);
    this.impactOffsets = new IntList(blocks + 1);
    this.impacts = new ByteList(4 * blocks + 64);
    this.words = expected.words === 0 ? new Int32Array(32 * BLOCK) : sharedInt32(expected.words + 4 * BLOCK);
    if (typeof expected.positions === 'number') this.positions = sharedUint16(shape.positions ? expected.positions : 0);
    else {
      this.positions = expected.positions;
      this.positionCount = expected.positions.length;
    }
  }

  /** Appends positions of the next term, document after document, before the term is added. */
  addPositions(from: Int32Array | Uint16Array | Uint32Array | Uint8Array, start: number, end: number): void {
    const length = this.positionCount + end - start;
    if (length > this.positions.length) this.copyPositions(this.positions, Math.max(length, this.positions.length * 2));
    let { positions } = this;
    let at = this.positionCount;
    if (positions instanceof Uint16Array) {
      if (from instanceof Uint16Array && end - start > 32) {
        positions.set(from.subarray(start, end), at);
        this.positionCount = length;
        return;
      }
      for (let i = start; i < end; i++) {
        const position = from[i]!;
        if (position > 0xffff) {
          positions = this.copyPositions(sharedUint32(0), positions.length);
          for (let rest = i; rest < end; rest++) positions[at++] = from[rest]!;
          break;
        }
        positions[at++] = position;
      }
    } else {
      for (let i = start; i < end; i++) positions[at++] = from[i]!;
    }
    this.positionCount = length;
  }

  /** Moves the positions to an array of the type of `like`. */
  private copyPositions(like: Uint16Array | Uint32Array, length: number): Uint16Array | Uint32Array {
    const copy = like instanceof Uint16Array ? sharedUint16(length) : sharedUint32(length);
    copy.set(this.positions);
    this.positions = copy;
    return copy;
  }

  /**
   * Adds the next term (greater than the one before) with its documents `docs[from … to)` in ascending order and their
   * frequencies at the same places.
   */
  add(
    bytes: Uint8Array,
    start: number,
    end: number,
    docs: Int32Array,
    frequencies: Int32Array,
    from: number,
    to: number,
  ): void {
    this.terms.append(bytes, start, end);
    this.termEnds.push(this.terms.length);
    this.docFreqs.push(to - from);
    this.sumDocFreq += to - from;
    let previous = -1;
    for (let block = from; block < to; block += BLOCK) {
      const count = Math.min(BLOCK, to - block);
      this.addBlock(docs, frequencies, block, count, previous);
      previous = docs[block + count - 1]!;
    }
  }

  private addBlock(docs: Int32Array, frequencies: Int32Array, from: number, count: number, previous: number): void {
    const { gaps, extras, best, norms } = this;
    let last = previous;
    let maxGap = 0;
    let maxExtra = 0;
    let sum = 0;
    let lowest = 255;
    let highest = 0;
    for (let i = 0; i < count; i++) {
      const doc = docs[from + i]!;
      const gap = doc - last - 1;
      last = doc;
      gaps[i] = gap;
      maxGap |= gap;
      const frequency = frequencies[from + i]!;
      sum += frequency;
      extras[i] = frequency - 1;
      maxExtra |= frequency - 1;
      const norm = norms === undefined ? 1 : norms[doc]!;
      if (frequency > best[norm]!) best[norm] = frequency;
      if (norm < lowest) lowest = norm;
      if (norm > highest) highest = norm;
    }
    this.lastDocs.push(last);
    this.blockOffsets.push(this.wordCount);
    this.blockPositions.push(this.positionsBefore);
    this.positionsBefore += sum;
    const docBits = bitsFor(maxGap);
    const frequencyBits = this.shape.frequencies ? bitsFor(maxExtra) : 0;
    this.blockBits.push(docBits | (frequencyBits << 6));
    if (this.wordCount + 2 * BLOCK + 2 > this.words.length) {
      const grown = new Int32Array(Math.ceil(this.words.length * 1.5) + 4 * BLOCK);
      grown.set(this.words);
      this.words = grown;
    }
    this.wordCount = packBits(gaps, count, docBits, this.words, this.wordCount);
    this.wordCount = packBits(extras, count, frequencyBits, this.words, this.wordCount);
    this.impactOffsets.push(this.impacts.length);
    // Only pairs that no shorter field with as high a frequency dominates (Pareto front): the bound stays exact when the average length changes.
    let reached = 0;
    for (let norm = lowest; norm <= highest; norm++) {
      const frequency = best[norm]!;
      if (frequency === 0) continue;
      best[norm] = 0;
      if (frequency > reached) {
        reached = frequency;
        if (this.shape.frequencies) {
          this.impacts.push(Math.min(255, frequency));
          this.impacts.push(norm);
        }
      }
    }
    this.sumTotalTermFreq += sum;
  }

  /** Ends the field. */
  finish(): WrittenPostings {
    const blocks = this.lastDocs.length;
    const terms = this.docFreqs.length;
    this.blockOffsets.push(this.wordCount);
    this.impactOffsets.push(this.impacts.length);
    const used = this.words.subarray(0, this.wordCount);
    // Some unused room may stay: a copy would double the largest part of the segment for a moment.
    const fits = used.buffer instanceof SharedArrayBuffer && this.wordCount > this.words.length * 0.95;
    const words = fits ? used : sharedInt32(this.wordCount);
    if (words !== used) words.set(used);
    const unsigned = (list: IntList): Uint32Array => {
      const copy = sharedUint32(list.length);
      copy.set(list.values.subarray(0, list.length));
      return copy;
    };
    const blockBits = sharedUint16(blocks);
    blockBits.set(this.blockBits.values.subarray(0, blocks));
    const sections: PostingsSections = {
      terms: this.terms.toShared(),
      termEnds: unsigned(this.termEnds),
      docFreqs: this.docFreqs.toShared(),
      blockStarts: blockStartsOf(this.docFreqs),
      lastDocs: this.lastDocs.toShared(),
      blockOffsets: unsigned(this.blockOffsets),
      blockBits,
      words,
    };
    if (this.shape.frequencies) {
      sections.impactOffsets = unsigned(this.impactOffsets);
      sections.impacts = this.impacts.toShared();
    }
    if (this.shape.positions) {
      sections.blockPositions = unsigned(this.blockPositions);
      const wanted = this.positions.subarray(0, this.positionCount);
      const exact = wanted.length === this.positions.length;
      const positions = exact
        ? this.positions
        : (wanted instanceof Uint16Array ? sharedUint16 : sharedUint32)(wanted.length);
      if (!exact) positions.set(wanted);
      sections.positions = positions;
    }
    return { sections, terms, sumTotalTermFreq: this.sumTotalTermFreq, sumDocFreq: this.sumDocFreq };
  }
}

/** The first block of each term. */
function blockStartsOf({ values, length }: IntList): Uint32Array {
  const starts = sharedUint32(length + 1);
  for (let term = 0; term < length; term++) starts[term + 1] = starts[term]! + Math.ceil(values[term]! / BLOCK);
  return starts;
}
