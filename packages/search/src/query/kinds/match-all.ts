// All documents, and none.
import { MatchAllWeight, MatchNoneWeight } from '../constant.ts';
import { fixed, ROOTS } from '../lucene/lucene-query.ts';
import type { QueryNode } from '../query.ts';
import { LEAF, type QueryKind } from '../query-kind.ts';
import { MATCH_NONE } from '../cluster/leaves.ts';
import { both } from '../cluster/on-cluster.ts';
import { SAFE } from '../cluster/verdict.ts';

export interface MatchAllQuery extends QueryNode {
  readonly kind: 'match_all';
  /** Whether elements of nested objects are no documents. */
  readonly ofRoots?: true;
}

export interface MatchNoneQuery extends QueryNode {
  readonly kind: 'match_none';
  /** Why there is nothing, as Lucene says it; absent where the request asked for nothing, or for a field that is not mapped. */
  readonly reason?: string;
}

export const matchAll: QueryKind<MatchAllQuery> = {
  ...LEAF,
  mark: () => undefined,
  caching: () => 'cheap',
  compile: (query, { boost, path }) =>
    query.ofRoots === true && path !== undefined ? new MatchNoneWeight() : new MatchAllWeight(boost, path),
  lucene: (source) => (source.ofRoots === true ? fixed(source, ROOTS) : { kind: 'all', source }),
  cluster: {
    ...both(SAFE),
    compile: (_, { boost }) => ({ match_all: { boost } }),
    samples: { sent: [{ kind: 'match_all' }] },
  },
};

export const matchNone: QueryKind<MatchNoneQuery> = {
  ...LEAF,
  mark: () => undefined,
  caching: () => 'cheap',
  compile: () => new MatchNoneWeight(),
  lucene: (source) => ({ kind: 'none', reason: source.reason ?? 'User requested "match_none" query.', source }),
  cluster: { ...both(SAFE), compile: () => MATCH_NONE, samples: { sent: [{ kind: 'match_none' }] } },
};
