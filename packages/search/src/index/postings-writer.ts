// Writes the terms and postings of one field, term after term in byte order: dictionary, blocks of 128 documents with packed
// gaps and frequencies, their impacts, and positions. Used by the flush and by merges alike. Reading is postings.ts.
import { BLOCK, bitsFor, packBits } from './bit-packing.ts';
import { ByteList, IntList, type SectionArray, sharedInt32, sharedUint32, sharedUnsigned } from './shared.ts';

/** Which parts a field's postings have. */
export interface PostingsShape {
  readonly frequencies: boolean;
  readonly positions: boolean;
}

/** The sections of one field's postings and the totals that go with them. */
export interface WrittenPostings {
  readonly sections: Readonly<Record<string, SectionArray>>;
  readonly terms: number;
  /** Sum of the frequencies of all postings (of ones, without frequencies). */
  readonly sumTotalTermFreq: number;
  readonly sumDocFreq: number;
}

/** Collects the postings of one field. */
export class PostingsWriter {
  private readonly terms = new ByteList(4096);
  private readonly termEnds = new IntList();
  private readonly docFreqs = new IntList();
  private readonly lastDocs = new IntList();
  private readonly blockOffsets = new IntList();
  private readonly blockBits = new IntList();
  private readonly blockPositions = new IntList();
  private readonly impactOffsets = new IntList();
  private readonly impacts = new ByteList(1024);
  private readonly positionValues = new IntList();
  private words = new Int32Array(4096);
  private wordCount = 0;
  private maxPosition = 0;
  private sumTotalTermFreq = 0;
  private sumDocFreq = 0;
  private readonly gaps = new Int32Array(BLOCK);
  private readonly extras = new Int32Array(BLOCK);
  /** By norm byte, the highest frequency in the block at hand. */
  private readonly best = new Int32Array(256);
  private readonly shape: PostingsShape;
  private readonly norms: Uint8Array | undefined;

  /** @param norms by document; undefined for a field without norms */
  constructor(shape: PostingsShape, norms: Uint8Array | undefined) {
    this.shape = shape;
    this.norms = norms;
  }

  /**
   * Adds the next term (greater than the one before) with its documents `docs[from … to)` in ascending order, their
   * frequencies at the same places, and all their positions from `positions[positionsFrom]` on.
   */
  add(
    bytes: Uint8Array,
    start: number,
    end: number,
    docs: Int32Array,
    frequencies: Int32Array,
    from: number,
    to: number,
    positions: Int32Array,
    positionsFrom: number,
  ): void {
    this.terms.append(bytes, start, end);
    this.termEnds.push(this.terms.length);
    this.docFreqs.push(to - from);
    this.sumDocFreq += to - from;
    let positionsAt = positionsFrom;
    let previous = -1;
    for (let block = from; block < to; block += BLOCK) {
      const count = Math.min(BLOCK, to - block);
      positionsAt += this.addBlock(docs, frequencies, block, count, previous, positionsAt - positionsFrom);
      previous = docs[block + count - 1]!;
    }
    if (this.shape.positions) {
      const list = this.positionValues;
      list.reserve(list.length + positionsAt - positionsFrom);
      for (let i = positionsFrom; i < positionsAt; i++) {
        const position = positions[i]!;
        if (position > this.maxPosition) this.maxPosition = position;
        list.values[list.length++] = position;
      }
    }
  }

  /** Writes one block; answers the sum of its frequencies. */
  private addBlock(
    docs: Int32Array,
    frequencies: Int32Array,
    from: number,
    count: number,
    previous: number,
    positionsBefore: number,
  ): number {
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
    this.blockPositions.push(this.positionValues.length + positionsBefore);
    const docBits = bitsFor(maxGap);
    const frequencyBits = this.shape.frequencies ? bitsFor(maxExtra) : 0;
    this.blockBits.push(docBits | (frequencyBits << 6));
    if (this.wordCount + 2 * BLOCK + 2 > this.words.length) {
      const grown = new Int32Array(this.words.length * 2);
      grown.set(this.words);
      this.words = grown;
    }
    this.wordCount = packBits(gaps, count, docBits, this.words, this.wordCount);
    this.wordCount = packBits(extras, count, frequencyBits, this.words, this.wordCount);
    this.impactOffsets.push(this.impacts.length);
    // Only pairs that no shorter field with as high a frequency dominates: the bound stays exact when the average length moves.
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
    return sum;
  }

  /** Ends the field. */
  finish(): WrittenPostings {
    const blocks = this.lastDocs.length;
    const terms = this.docFreqs.length;
    this.blockOffsets.push(this.wordCount);
    this.impactOffsets.push(this.impacts.length);
    const words = sharedInt32(this.wordCount);
    words.set(this.words.subarray(0, this.wordCount));
    const unsigned = (list: IntList): Uint32Array => {
      const copy = sharedUint32(list.length);
      copy.set(list.values.subarray(0, list.length));
      return copy;
    };
    const blockStarts = sharedUint32(terms + 1);
    for (let term = 0; term < terms; term++) {
      blockStarts[term + 1] = blockStarts[term]! + Math.ceil(this.docFreqs.values[term]! / BLOCK);
    }
    const blockBits = sharedUnsigned(blocks, 0xffff);
    blockBits.set(this.blockBits.values.subarray(0, blocks));
    const sections: Record<string, SectionArray> = {
      terms: this.terms.toShared(),
      termEnds: unsigned(this.termEnds),
      docFreqs: this.docFreqs.toShared(),
      blockStarts,
      lastDocs: this.lastDocs.toShared(),
      blockOffsets: unsigned(this.blockOffsets),
      blockBits,
      words,
    };
    if (this.shape.frequencies) {
      sections['impactOffsets'] = unsigned(this.impactOffsets);
      sections['impacts'] = this.impacts.toShared();
    }
    if (this.shape.positions) {
      sections['blockPositions'] = unsigned(this.blockPositions);
      const list = this.positionValues;
      const positions = this.maxPosition < 0x10000 ? sharedUnsigned(list.length, 0xffff) : sharedUint32(list.length);
      positions.set(list.values.subarray(0, list.length));
      sections['positions'] = positions;
    }
    return { sections, terms, sumTotalTermFreq: this.sumTotalTermFreq, sumDocFreq: this.sumDocFreq };
  }
}
