// What a segment can be asked: the reading contract between the engine and whatever computes over it (aggregations,
// suggesters, highlighting). How segments are written and laid out in bytes is elsewhere.

/**
 * A set of documents of one segment, one bit a document: document d is in it when
 * `(bits[d >>> 5]! & (1 << (d & 31))) !== 0`.
 */
export type DocBits = Int32Array;

/** Document number past every document; iterators stand on it when they are exhausted. */
export const NO_MORE_DOCS = 0x7fffffff;

/** A column of numbers (dates in milliseconds, booleans 0 and 1). */
export interface NumberColumn {
  readonly kind: 'number';
  /** Without `starts`, the value of document d is `values[d]`; with it, `values[starts[d]] … values[starts[d + 1] - 1]`, ascending. */
  readonly values: Float64Array;
  readonly starts: Uint32Array | undefined;
  /** Documents with a value; undefined when every document has one. */
  readonly exists: DocBits | undefined;
}

/** A column of strings by ordinals into the field's sorted terms. */
export interface KeywordColumn {
  readonly kind: 'keyword';
  /**
   * Each entry is the term's ordinal **plus one**; 0 means no value. Without `starts`, `ordinals[d]` is document d's entry;
   * with it, `ordinals[starts[d]] … ordinals[starts[d + 1] - 1]`, ascending and without duplicates.
   */
  readonly ordinals: Uint8Array | Uint16Array | Uint32Array;
  readonly starts: Uint32Array | undefined;
  readonly exists: DocBits | undefined;
  /** The terms that the ordinals number; terms of deleted documents may still be among them. */
  readonly terms: TermDictionary;
}

/** A column of points: the values of document d are at `starts[d] … starts[d + 1] - 1`, or at d without `starts`. */
export interface GeoColumn {
  readonly kind: 'geo';
  readonly lat: Float64Array;
  readonly lon: Float64Array;
  readonly starts: Uint32Array | undefined;
  readonly exists: DocBits | undefined;
}

/** The sorted terms of one field of one segment. Order is that of the UTF-8 bytes. */
export interface TermDictionary {
  readonly size: number;
  /** The term's text. @param ordinal 0 ≤ ordinal < size */
  term(ordinal: number): string;
  /** The ordinal of a term, or -1. */
  lookup(term: string): number;
  /** The first ordinal whose term is ≥ the text; `size` when there is none. */
  lowerBound(term: string): number;
  /** Documents that hold the term, deleted ones included. */
  docFreq(ordinal: number): number;
}

/** One immutable batch of documents as it stands at one refresh. Document numbers run from 0 to `docCount - 1`. */
export interface SegmentReader {
  /** Unique within the index and kept while the segment lives; with `generation` a key for caches. */
  readonly name: string;
  /** Grows when documents of the segment are deleted. */
  readonly generation: number;
  /** Position of the segment's first document in the order of the whole index (add to a document number). */
  readonly base: number;
  /** Documents, hidden nested ones and deleted ones included. */
  readonly docCount: number;
  /** Documents not deleted; undefined when none is deleted. Nested documents live and die with their root. */
  readonly live: DocBits | undefined;
  /** Documents that are roots; undefined when the segment has no nested documents. */
  readonly roots: DocBits | undefined;
  /** The names of the fields the segment has anything for. */
  fieldNames(): readonly string[];
  number(field: string): NumberColumn | undefined;
  keyword(field: string): KeywordColumn | undefined;
  geo(field: string): GeoColumn | undefined;
  /** The terms of a text or keyword field. */
  terms(field: string): TermDictionary | undefined;
  /** Adds to `into` every document that holds the term. */
  collectTerm(field: string, ordinal: number, into: DocBits): void;
  /** The documents that hold the term, counted within `within` (all documents when undefined). */
  countTerm(field: string, ordinal: number, within: DocBits | undefined): number;
  id(doc: number): string;
  version(doc: number): number;
  seqNo(doc: number): number;
  primaryTerm(doc: number): number;
  routing(doc: number): string | undefined;
  /** The source bytes. Slow beside columns (decompression): for hits, not for aggregations. */
  source(doc: number): Uint8Array;
  /** The source bytes, or what reads them beside the event loop where decompressing them would hold it. */
  readSource(doc: number): Uint8Array | (() => Promise<Uint8Array>);
  /** The source as text. */
  sourceText(doc: number): string;
  /** The nested path of a hidden document, undefined for a root. */
  nestedPath(doc: number): string | undefined;
  /** The position of a hidden document in its array. */
  nestedOffset(doc: number): number;
  /** The root document a hidden document belongs to (a root answers itself). Children precede their root. */
  rootOf(doc: number): number;
  /** The next document above: for path `a.b` the enclosing `a` element, for `a` the root. */
  parentOf(doc: number): number;
}
