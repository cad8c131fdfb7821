// Reads the terms and postings of one field of one segment: which documents hold a term, how often, where. `Cursor` is the one
// iterator over postings; the scorers work on its decoded blocks directly. Writing is postings-writer.ts.
import { tick } from '../tasks/request-budget.ts';
import { runInBackground, runToEnd } from '../tasks/scheduler.ts';
import { orderReversed } from './reversed-terms.ts';
import { BLOCK, unpackDocs, unpackFrequencies, wordsFor } from './bit-packing.ts';
import { NO_MORE_DOCS, type TermDictionary } from './segment.ts';
import { sectionIn, type SectionSource } from './sections.ts';

const encoder = new TextEncoder();
const scratch = new Uint8Array(32766 * 3);
const NO_POSITIONS = new Uint16Array(0);

/** Dictionaries of this size keep a table of where each pair of first bytes starts: it halves the steps of a lookup. */
const JUMP_FROM = 4096;

/** Cost of a block, in steps of the request budget. */
const BLOCK_STEPS = 256;

/** Searches that need the reversed order of a dictionary before it is built. */
const ASKED = 3;

/** From this length on, marks of terms do not tell lengths apart. */
export const MARKED_LENGTH = 15;
/** Terms that are marked at once: a millisecond. */
const MARKED_AT_ONCE = 1 << 18;

/** The dictionary and blocks of one field. Terms are whole in memory: any of them can be compared in place. */
export class Postings implements TermDictionary {
  readonly size: number;
  readonly docFreqs: Int32Array;
  readonly blockStarts: Uint32Array;
  readonly lastDocs: Int32Array;
  readonly blockOffsets: Uint32Array;
  readonly blockBits: Uint16Array;
  readonly words: Int32Array;
  readonly impactOffsets: Uint32Array | undefined;
  readonly impacts: Uint8Array | undefined;
  readonly hasPositions: boolean;
  /** By block where its positions start; empty without positions. */
  readonly blockPositions: Uint32Array;
  readonly positions: Uint16Array | Uint32Array;
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
  private readonly text: Buffer;
  private reversed: Uint32Array | undefined;
  private asked = 0;
  /** null while they are made. */
  private marked: Uint8Array | null | undefined;
  private jumps: Uint32Array | undefined;
  private readonly derived: (bytes: number) => void;

  /** @param derived is told the bytes of each table that is made of the content on use */
  constructor(sections: SectionSource, derived: (bytes: number) => void = () => {}) {
    this.derived = derived;
    this.bytes = sectionIn(sections, 'terms');
    this.ends = sectionIn(sections, 'termEnds');
    this.docFreqs = sectionIn(sections, 'docFreqs');
    this.blockStarts = sectionIn(sections, 'blockStarts');
    this.lastDocs = sectionIn(sections, 'lastDocs');
    this.blockOffsets = sectionIn(sections, 'blockOffsets');
    this.blockBits = sectionIn(sections, 'blockBits');
    this.words = sectionIn(sections, 'words');
    this.impactOffsets = sections('impactOffsets');
    this.impacts = sections('impacts');
    const positions = sections('positions');
    this.hasPositions = positions !== undefined;
    this.positions = positions ?? NO_POSITIONS;
    this.blockPositions = sections('blockPositions') ?? new Uint32Array(0);
    this.reversed = sections('backwards');
    this.size = this.docFreqs.length;
    this.text = Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);
  }

  start(ordinal: number): number {
    return ordinal === 0 ? 0 : this.ends[ordinal - 1]!;
  }

  term(ordinal: number): string {
    return this.text.toString('utf8', this.start(ordinal), this.ends[ordinal]);
  }

  docFreq(ordinal: number): number {
    return this.docFreqs[ordinal]!;
  }

  lookup(term: string): number {
    const length = encodeTerm(term);
    const ordinal = this.lowerBoundBytes(scratch, length);
    return ordinal < this.size && this.compare(ordinal, scratch, length) === 0 ? ordinal : -1;
  }

  lowerBound(term: string): number {
    return this.lowerBoundBytes(scratch, encodeTerm(term));
  }

  /** The ordinals in a range whose terms contain the bytes, ascending: one substring search through all their bytes. */
  *holding(bytes: Uint8Array, from: number, to: number): Generator<number, void> {
    const { ends } = this;
    const end = to === 0 ? 0 : ends[to - 1]!;
    let ordinal = from;
    for (let at = this.text.indexOf(bytes, this.start(from)); at >= 0 && at + bytes.length <= end;) {
      let low = ordinal;
      let high = to;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (ends[middle]! <= at) low = middle + 1;
        else high = middle;
      }
      ordinal = low;
      // What is found may begin in one term and end in the next.
      const isWhole = at + bytes.length <= ends[ordinal]!;
      if (isWhole) yield ordinal++;
      at = this.text.indexOf(bytes, isWhole ? ends[ordinal - 1]! : at + 1);
    }
  }

  /** The first ordinal whose term is ≥ `bytes[0, length)`. */
  lowerBoundBytes(bytes: Uint8Array, length: number): number {
    let low = 0;
    let high = this.size;
    if (high >= JUMP_FROM && length > 0) {
      const jumps = (this.jumps ??= this.keep(this.makeJumps()));
      const key = length > 1 ? (bytes[0]! << 8) | bytes[1]! : bytes[0]! << 8;
      low = jumps[key]!;
      high = jumps[key + 1]!;
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(middle, bytes, length) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** By the first two bytes (a missing second counts as 0), the first ordinal whose term starts with them or comes after. */
  private makeJumps(): Uint32Array {
    const jumps = new Uint32Array(0x10001).fill(this.size);
    const { bytes } = this;
    let filled = 0;
    for (let ordinal = 0; ordinal < this.size; ordinal++) {
      const start = this.start(ordinal);
      const length = this.ends[ordinal]! - start;
      const key = length === 0 ? 0 : length === 1 ? bytes[start]! << 8 : (bytes[start]! << 8) | bytes[start + 1]!;
      while (filled <= key) jumps[filled++] = ordinal;
    }
    return jumps;
  }

  /** Compares a term with `bytes[0, length)`: negative when the term comes first. */
  compare(ordinal: number, bytes: Uint8Array, length: number): number {
    const start = this.start(ordinal);
    const size = this.ends[ordinal]! - start;
    const common = size < length ? size : length;
    for (let i = 0; i < common; i++) {
      const difference = this.bytes[start + i]! - bytes[i]!;
      if (difference !== 0) return difference;
    }
    return size - length;
  }

  /**
   * The ordinals in the order of reversed terms; undefined if there is no such order yet. Merged segments have it. For
   * others it is built after a few calls, in slices between requests: a search would not wait for it.
   */
  reversedTerms(): Uint32Array | undefined {
    if (this.reversed === undefined && ++this.asked === ASKED)
      runInBackground(orderReversed(this), (order) => (this.reversed = this.keep(order)));
    return this.reversed;
  }

  /**
   * By ordinal, a byte about the term: its length (`MARKED_LENGTH` for all from there on) above the last four bits of its first byte. One
   * byte a term stays in the processor's cache, terms and their offsets do not. Built on first use, for large dictionaries in slices between
   * requests; undefined until then.
   */
  marks(): Uint8Array | undefined {
    if (this.marked === undefined) {
      this.marked = null;
      if (this.size > MARKED_AT_ONCE) runInBackground(this.mark(), (marks) => (this.marked = this.keep(marks)));
      else this.marked = this.keep(runToEnd(this.mark()));
    }
    return this.marked ?? undefined;
  }

  private keep<T extends Uint8Array | Uint32Array>(table: T): T {
    this.derived(table.byteLength);
    return table;
  }

  private *mark(): Generator<void, Uint8Array> {
    const marks = new Uint8Array(this.size);
    for (let from = 0; from < this.size; from += MARKED_AT_ONCE) {
      markTerms(this.bytes, this.ends, from, Math.min(this.size, from + MARKED_AT_ONCE), marks);
      yield;
    }
    return marks;
  }
}

function markTerms(bytes: Uint8Array, ends: Uint32Array, from: number, to: number, marks: Uint8Array): void {
  let start = from === 0 ? 0 : ends[from - 1]!;
  for (let ordinal = from; ordinal < to; ordinal++) {
    const end = ends[ordinal]!;
    const length = end - start;
    marks[ordinal] = ((length < MARKED_LENGTH ? length : MARKED_LENGTH) << 4) | (length === 0 ? 0 : bytes[start]! & 15);
    start = end;
  }
}

/** Encodes into the shared scratch buffer; returns the length. A text longer than any term is cut to a length that no term has. */
function encodeTerm(term: string): number {
  const { length } = term;
  if (length < 64) {
    let i = 0;
    for (; i < length; i++) {
      const code = term.charCodeAt(i);
      if (code > 127) break;
      scratch[i] = code;
    }
    if (i === length) return length;
  }
  return encoder.encodeInto(term, scratch).written;
}

/**
 * Walks the documents of one term in ascending order. Starts before the first document (`doc` is -1); `doc` is
 * `NO_MORE_DOCS` at the end. `docs[0 … count)` is the decoded block at hand, `index` the place in it.
 */
export class Cursor {
  doc = -1;
  docFreq = 0;
  /** First block, block after the last, block at hand for `advanceShallow`, decoded block (-1: none). */
  first = 0;
  end = 0;
  block = 0;
  decoded = -1;
  count = 0;
  index = 0;
  postings!: Postings;
  readonly docs = new Int32Array(BLOCK + 1);
  readonly frequencies = new Int32Array(BLOCK);
  private frequenciesOf = -1;
  private positionsOf = -1;
  private positionsIndex = 0;
  private positionsAt = 0;

  /** Points the cursor at a term. */
  open(postings: Postings, ordinal: number): this {
    this.postings = postings;
    this.first = postings.blockStarts[ordinal]!;
    this.end = postings.blockStarts[ordinal + 1]!;
    this.docFreq = postings.docFreqs[ordinal]!;
    this.rewind();
    return this;
  }

  /** Back to before the first document. */
  rewind(): void {
    this.block = this.first;
    this.decoded = -1;
    this.frequenciesOf = -1;
    this.positionsOf = -1;
    this.count = 0;
    this.index = 0;
    this.doc = -1;
  }

  /** Decodes a block's documents; `index` is the caller's to set. */
  load(block: number): void {
    tick(BLOCK_STEPS);
    const { postings } = this;
    const count = block === this.end - 1 ? this.docFreq - ((block - this.first) << 7) : BLOCK;
    const base = block === this.first ? -1 : postings.lastDocs[block - 1]!;
    unpackDocs(postings.words, postings.blockOffsets[block]!, postings.blockBits[block]! & 63, count, base, this.docs);
    this.docs[count] = NO_MORE_DOCS;
    this.count = count;
    this.decoded = block;
    this.block = block;
  }

  /** Decodes the frequencies of the block at hand into `frequencies`. */
  loadFrequencies(): void {
    const block = this.decoded;
    if (this.frequenciesOf === block) return;
    const { postings, count } = this;
    const bits = postings.blockBits[block]!;
    const at = postings.blockOffsets[block]! + wordsFor(count, bits & 63);
    unpackFrequencies(postings.words, at, bits >>> 6, count, this.frequencies);
    this.frequenciesOf = block;
  }

  /** How often the term is in the current document. */
  frequency(): number {
    if (this.frequenciesOf !== this.decoded) this.loadFrequencies();
    return this.frequencies[this.index]!;
  }

  /** Moves `block` to the first block that may hold `target`, without decoding it; `end` when there is none. */
  advanceShallow(target: number): number {
    const { lastDocs } = this.postings;
    const { block, end } = this;
    if (block >= end || lastDocs[block]! >= target) return block;
    let low = block;
    let step = 1;
    while (low + step < end && lastDocs[low + step]! < target) {
      low += step;
      step <<= 1;
    }
    let high = Math.min(low + step, end);
    low++;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (lastDocs[middle]! < target) low = middle + 1;
      else high = middle;
    }
    this.block = low;
    return low;
  }

  /** The first document ≥ target; stays when already there. */
  advance(target: number): number {
    if (this.doc >= target) return this.doc;
    const block = this.advanceShallow(target);
    if (block >= this.end) {
      this.doc = NO_MORE_DOCS;
      return NO_MORE_DOCS;
    }
    if (this.decoded !== block) {
      this.load(block);
      this.index = 0;
    }
    const { docs } = this;
    let low = this.index;
    if (docs[low]! < target) {
      let high = this.count;
      low++;
      // Targets of conjunctions are mostly near; a binary search pays only over longer distances.
      while (high - low > 16) {
        const middle = (low + high) >>> 1;
        if (docs[middle]! < target) low = middle + 1;
        else high = middle;
      }
      while (docs[low]! < target) low++;
      this.index = low;
    }
    this.doc = docs[low]!;
    return this.doc;
  }

  next(): number {
    let index = this.index + 1;
    if (this.decoded < 0) {
      if (this.first >= this.end) {
        this.doc = NO_MORE_DOCS;
        return NO_MORE_DOCS;
      }
      this.load(this.first);
      index = 0;
    } else if (index >= this.count) {
      if (this.decoded + 1 >= this.end) {
        this.doc = NO_MORE_DOCS;
        return NO_MORE_DOCS;
      }
      this.load(this.decoded + 1);
      index = 0;
    }
    this.index = index;
    this.doc = this.docs[index]!;
    return this.doc;
  }

  /** Where in `postings.positions` the positions of the current document start; there are `frequency()` of them. */
  positionsStart(): number {
    const block = this.decoded;
    this.loadFrequencies();
    const { index, frequencies } = this;
    let at = this.postings.blockPositions[block]!;
    let i = 0;
    if (this.positionsOf === block && this.positionsIndex <= index) {
      at = this.positionsAt;
      i = this.positionsIndex;
    }
    for (; i < index; i++) at += frequencies[i]!;
    this.positionsOf = block;
    this.positionsIndex = index;
    this.positionsAt = at;
    return at;
  }
}
