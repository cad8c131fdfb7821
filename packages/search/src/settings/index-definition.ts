// What is stored with an index besides its documents.
import type { IndexSortKey } from '../index/index-sort.ts';

/** What the engine itself reads of an index's settings; the REST layer translates Elasticsearch's names. */
export interface IndexSettings {
  /** BM25's k1; 1.2 by default. */
  readonly k1?: number;
  /** BM25's b; 0.75 by default. */
  readonly b?: number;
  /** Multiplies BM25 by k1 + 1 as Elasticsearch 7 does (true by default); OpenSearch 3 and Lucene 8 do not. */
  readonly scaleByK1?: boolean;
  /** `request` (default): a write is answered once it is on disk. `async`: it is written out within `syncInterval`. */
  readonly durability?: 'request' | 'async';
  /** Milliseconds between syncs with `async`; 5,000 by default. */
  readonly syncInterval?: number;
  /** Milliseconds between automatic refreshes when something changed; 1,000 by default, -1 never. */
  readonly refreshInterval?: number;
  /** `from + size` at most; 10,000 by default. */
  readonly maxResultWindow?: number;
  /** Terms of one terms query at most; 65,536 by default. */
  readonly maxTermsCount?: number;
  /**
   * No document is refused for its values: a value that does not fit its field is not indexed, and the field is named in
   * `_ignored`. Default: false. For owners who cannot choose what they index.
   */
  readonly takesAll?: boolean;
  /** The order of the documents in each segment, by columns of the mapping; that in which they come by default. Fixed when the index is created. */
  readonly sort?: readonly IndexSortKey[];
}

/** What is stored with an index besides its documents. `settings` are the engine's; `custom` belongs to the owner. */
export interface IndexDefinition {
  /** The mapping as given or as the mapper's `toJSON` last answered. */
  readonly mappings?: unknown;
  readonly settings?: IndexSettings;
  /** Elasticsearch's settings as the client gave them, analyzers included; handed to the mapper factory. */
  readonly custom?: unknown;
  readonly aliases?: Readonly<Record<string, unknown>>;
}
