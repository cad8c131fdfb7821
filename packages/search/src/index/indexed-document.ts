// A document as the mapping hands it to the writer: analyzed into terms, column values and source bytes.
// Field types, analysis and JSON are known to the mapping alone.

/** Terms in UTF-8: term i is `bytes[bounds[2 * i], bounds[2 * i + 1])`. At least twelve bytes, whatever they are, follow each. */
export interface TermRow {
  readonly bytes: Uint8Array;
  readonly bounds: Int32Array;
  readonly count: number;
}

/** Takes the tokens of one text field of one document, in order. */
export interface TermSink {
  /**
   * Adds one token.
   *
   * @param term any text; longer than 32,766 bytes in UTF-8 is refused (`SEARCH_TERM_TOO_LONG`), as Lucene does
   * @param position the token's position, never smaller than the one before; equal positions are synonyms and do not
   *   lengthen the field (Lucene's `discountOverlaps`). Values of an array are 100 positions apart.
   */
  add(term: string, position: number): void;
  /** Adds tokens at positions in a row, the first at `from`; the caller may reuse the arrays afterwards. Fastest. */
  addRow(row: TermRow, from: number): void;
}

/** An analysed field: terms with frequencies, positions and (with `norms`) its length. No column. */
export interface TextField {
  readonly kind: 'text';
  readonly field: string;
  /** Whether the length of the field takes part in the score. */
  readonly norms: boolean;
  /** Whether phrases can be asked. */
  readonly positions: boolean;
  /** Pushes the tokens; called once, synchronously. */
  analyze(sink: TermSink): void;
}

/** A text field with the standard analyzer. It cannot be refused, so it is tokenized when the segment is made. */
export interface PlainTextField {
  readonly kind: 'plain_text';
  readonly field: string;
  readonly norms: boolean;
  readonly positions: boolean;
  readonly values: readonly string[];
  /** Positions between two values. */
  readonly gap: number;
  /** Longer words are cut there: UTF-16 units, `MAX_PLAIN_LENGTH` at most. */
  readonly maxLength: number;
}

/** Longer words could be too long for a term: a unit takes three bytes, and six when lower-cased. */
export const MAX_PLAIN_LENGTH = 5000;

/** Whole strings as terms without frequencies (they score as constants per idf) and, with `docValues`, as a column. */
export interface KeywordField {
  readonly kind: 'keyword';
  readonly field: string;
  /** In the order of the source; duplicates allowed. Empty: the field is absent. */
  readonly values: readonly string[];
  readonly docValues: boolean;
}

/** Numbers, dates (milliseconds since 1970) and booleans (0, 1): a column; term and range queries run on the column. */
export interface NumberField {
  readonly kind: 'number';
  readonly field: string;
  /** Finite numbers; the writer sorts them. */
  readonly values: readonly number[];
}

/** Points on the globe, in degrees. */
export interface GeoField {
  readonly kind: 'geo';
  readonly field: string;
  readonly points: readonly { readonly lat: number; readonly lon: number }[];
}

/** One field of one document. A field name keeps one kind within an index. */
export type IndexedField = TextField | PlainTextField | KeywordField | NumberField | GeoField;

/** An element of a `nested` array: a hidden document of its own, found only through a nested query. */
export interface NestedDocument {
  /** The dotted path of the nested field, for example `comments`; nested in nested is `comments.votes`. */
  readonly path: string;
  /** Position in its array, for inner hits. */
  readonly offset: number;
  /** Full dotted field names (`comments.author`). */
  readonly fields: readonly IndexedField[];
  readonly nested?: readonly NestedDocument[];
}

/** One document ready to be indexed. */
export interface IndexedDocument {
  readonly id: string;
  /** The JSON the client sent, as UTF-8; returned byte for byte as `_source`. */
  readonly source: Uint8Array;
  readonly routing?: string | undefined;
  readonly fields: readonly IndexedField[];
  readonly nested?: readonly NestedDocument[] | undefined;
}

/** A field that a document brought and the mapping did not have. */
export interface LearnedField {
  readonly path: string;
  readonly definition: Readonly<Record<string, unknown>>;
}

/** Thrown if a document has too many new fields to add in one turn of the event loop. */
export class TooManyForATurn extends Error {}

/**
 * Parses sources into indexed documents: the mapping as the engine uses it. Sources are parsed again when the
 * translog is replayed after a crash, so an equal source and mapping must give an equal document.
 */
export interface DocumentMapper {
  /**
   * Reads a document.
   *
   * @param most new fields that it may bring; of mappers with a `weight`
   * @throws ProductError when the source is not JSON or does not fit the mapping
   * @throws TooManyForATurn when it brings more new fields; nothing is learned then
   */
  parse(id: string, source: Uint8Array, routing?: string, most?: number): IndexedDocument;
  /** The mapping as JSON, dynamic fields included, to be stored with the index. */
  toJSON(): unknown;
  /** Version of the mapping; grows with every change, so that the engine knows when to store it. */
  readonly version: number;
  /**
   * How many times as long as usual the text of a document may take, at the field whose analysis is the hardest. Left out by mappers that
   * only the main thread has: with it, `createMapper` makes the same mapper of the index's definition with `toJSON()` in another thread.
   */
  readonly weight?: number;
  /** Adds a definition, in steps, so that a large one does not hold the event loop. @throws ProductError when it cannot be */
  mergeInSteps?(definition: unknown): Generator<void, void>;
  /** Adds the new fields of a document that was parsed in another thread. Only for mappers with a `weight`. */
  learn?(fields: readonly LearnedField[]): void;
}
