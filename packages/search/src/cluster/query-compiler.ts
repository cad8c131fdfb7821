// What the parts of the query compiler know of each other (compile-query.ts compiles, the files beside are its parts).
import type { Json } from '../json/json.ts';
import type { Query } from '../query/query.ts';
import type { ClusterFields } from './cluster-fields.ts';

export const MATCH_ALL: Json = { match_all: {} };
export const MATCH_NONE: Json = { match_none: {} };

/** A compiler at one place of a query tree. */
export interface QueryCompiler {
  readonly fields: ClusterFields;
  /** The product of the boosts from the root to here. */
  readonly boost: number;
  /** Compiles what only filters. */
  filter(query: Query): Json;
  /** Compiles a part that is scored where the whole is. */
  scored(query: Query): Json;
  /** A leaf over one field, found only where the view shows the field. */
  shown(path: string, leaf: Json): Json;
  /** @throws ProductError SEARCH_NOT_ON_CLUSTER: the kind, or this form of it, is not sent */
  refuse(query: Query): never;
}
