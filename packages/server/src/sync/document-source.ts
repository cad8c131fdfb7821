// What the synchroniser needs of the data: documents by key or by range. The graph fills it; nothing here knows how.

/** A search document as the data is now. */
export interface SourceDocument {
  readonly key: string;
  readonly source: Uint8Array;
}

/** Where documents come from. */
export interface DocumentSource {
  /** The documents of those keys that exist. */
  byKeys(type: string, keys: readonly string[]): Promise<readonly SourceDocument[]>;
  /** Documents in key order, after a key, at most `limit`. */
  byRange(type: string, after: string | undefined, limit: number): Promise<readonly SourceDocument[]>;
  /** How many there are, for progress. */
  count(type: string): Promise<number>;
}
