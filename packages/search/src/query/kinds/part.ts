// Part of an index: some of the shards that Elasticsearch would have, or one slice of several.
import { fixed } from '../lucene/lucene-query.ts';
import { partWeight } from '../part.ts';
import type { QueryNode } from '../query.ts';
import { LEAF, type QueryKind } from '../query-kind.ts';
import { neverSent } from '../cluster/on-cluster.ts';

/** One of several parts of a shard: by the hashes of ids, or of the numbers of a field. */
interface Slice {
  readonly id: number;
  readonly max: number;
  readonly by?: { readonly field: string; readonly isWhole: boolean };
}

/** Documents that Elasticsearch would keep in some of an index's shards, and of those one slice of several. Constant score. */
export interface PartQuery extends QueryNode {
  readonly kind: 'part';
  /** Shards of the index, and the slots that they share out among them. */
  readonly shards: number;
  readonly slots: number;
  /** The shards that are meant; undefined: all. */
  readonly wanted?: readonly number[] | undefined;
  readonly slice?: Slice | undefined;
}

export const part: QueryKind<PartQuery> = {
  ...LEAF,
  mark: () => undefined,
  caching: () => 'none',
  compile: (query, { boost }) => partWeight(query, boost),
  lucene: (source) => fixed(source, 'part of the index'),
  cluster: neverSent('slices follow the shards of the embedded engine', { kind: 'part', shards: 1, slots: 1 }),
};
