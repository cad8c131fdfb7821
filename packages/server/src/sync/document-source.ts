// Where the indexer reads documents from.

/** A search document as the data is now. */
export interface SourceDocument {
  readonly key: string;
  readonly source: Uint8Array;
}

export interface DocumentSource {
  /** Loads the documents with these keys that exist. */
  byKeys(type: string, keys: readonly string[]): Promise<readonly SourceDocument[]>;
  /** Loads at most `limit` documents in key order, after a key. */
  byRange(type: string, after: string | undefined, limit: number): Promise<readonly SourceDocument[]>;
  /** Number of documents, for progress. */
  count(type: string): Promise<number>;
}
