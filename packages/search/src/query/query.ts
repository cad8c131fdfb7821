// The query tree: what can be asked of the index, free of JSON spelling, analysis and mappings, which the request parser has dealt
// with. Plain data (structured clone and JSON keep it), so that trees can be cached, compared and sent to workers. Each kind is defined
// in kinds/.
import type { Kinds } from './kinds.ts';

/** What every node may carry. */
export interface QueryNode {
  /** Multiplies the score; 1 by default. Never negative. */
  readonly boost?: number;
  /** Elasticsearch's `_name`: reported in `matched_queries`. */
  readonly name?: string;
}

export type Query = Kinds[keyof Kinds];
