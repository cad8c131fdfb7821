// The content of one segment as searches read it. A stored segment implements it (segment-core.ts), and so does what a view shows of one
// (view/masked-segment.ts), member by member: a new member compiles only once the view says what it shows of it.
import type { EngineContext } from './engine-context.ts';
import type { EncodedId } from './ids.ts';
import type { NumericSkipIndex } from './numeric-skip-index.ts';
import type { Postings } from './postings.ts';
import type { GeoColumn, KeywordColumn, NumberColumn } from './segment.ts';
import type { FieldMeta } from './segment-data.ts';

/** Properties of a field that documents do not change. */
export type FieldShape = Pick<FieldMeta, 'name' | 'kind' | 'frequencies' | 'positions' | 'norms' | 'column'>;
/** Totals of a field over all documents of a segment, deleted ones included. */
export type FieldCounts = Pick<FieldMeta, 'docs' | 'sumTotalTermFreq' | 'sumDocFreq'>;

/** A text or keyword field. */
export interface TermsField {
  readonly postings: Postings;
  /** Length bytes by document; all ones for a field without norms, whose length counts as 1. */
  readonly norms: Uint8Array;
  /** Tokens by document, for statistics on part of the documents; undefined for keyword fields. */
  readonly lengths: Uint8Array | Uint16Array | Uint32Array | undefined;
  /** Documents with the field; undefined: all. */
  readonly exists: Int32Array | undefined;
  readonly column: KeywordColumn | undefined;
}

/** A segment's content. */
export interface CoreReader {
  /** Unique: caches are keyed by it. */
  readonly name: string;
  readonly docCount: number;
  /** Root documents, hidden ones included; undefined when there are no nested documents. */
  readonly roots: Int32Array | undefined;
  /** The same object for the same field content, whichever documents are visible: key of caches of field content. */
  readonly content: object;
  readonly engine: EngineContext;
  /** By document its number in the stored segment, ascending; undefined where it is the same. */
  readonly documents: Int32Array | undefined;
  /** Doc ids of all documents, visible or not. Do not change it. */
  all(): Int32Array;

  fieldNames(): readonly string[];
  shape(field: string): FieldShape | undefined;
  /** Undefined if it would count hidden documents. */
  counts(field: string): FieldCounts | undefined;
  /** A text or keyword field. */
  terms(field: string): TermsField | undefined;
  /** Ordinals of the terms of visible documents; undefined if hidden documents add none. */
  shownTerms(field: string): Int32Array | undefined;
  number(field: string): NumberColumn | undefined;
  /** The skip index of a single-valued numeric column; undefined while it is being built, and without such a column. */
  numericSkipIndex(field: string, descending: boolean): NumericSkipIndex | undefined;
  geo(field: string): GeoColumn | undefined;
  /** Documents that have the field; undefined when none has. Do not change it. */
  documentsWith(field: string): Int32Array | undefined;

  /** The id of a document; empty for nested documents. */
  id(doc: number): string;
  /** The last document with an id, or -1; it may be a deleted one. */
  find(id: EncodedId): number;
  version(doc: number): number;
  seqNo(doc: number): number;
  primaryTerm(doc: number): number;
  routing(doc: number): string | undefined;
  source(doc: number): Uint8Array;
  /** The source, or for a large one a function that reads it in the background. */
  readSource(doc: number): Uint8Array | (() => Promise<Uint8Array>);
  sourceText(doc: number): string;

  nestedPath(doc: number): string | undefined;
  nestedOffset(doc: number): number;
  /** Documents of a nested path; undefined when there are none. Do not change it. */
  documentsOfPath(path: string): Int32Array | undefined;
}
