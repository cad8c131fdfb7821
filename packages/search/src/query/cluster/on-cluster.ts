// What a kind of query says of search clusters: its verdict, and its JSON there.
import type { Json } from '../../json/json.ts';
import type { Query } from '../query.ts';
import type { ClusterCompiler } from './cluster-compiler.ts';
import { refused, rewritten, SAFE, type Verdict } from './verdict.ts';

export interface OnCluster<Q> {
  /** Where it only filters. */
  readonly filter: Verdict;
  /** Where its score is asked for. */
  readonly score: Verdict;
  compile(query: Q, at: ClusterCompiler): Json;
  /** Queries that a test compiles, over the fields of `test/cluster/compile-query.test.ts`. */
  readonly samples: {
    readonly sent?: readonly Q[];
    /** Sent where they filter, refused where they score. */
    readonly filters?: readonly Q[];
    readonly refused?: readonly Q[];
  };
}

type Verdicts = Pick<OnCluster<never>, 'filter' | 'score'>;

export const both = (verdict: Verdict): Verdicts => ({ filter: verdict, score: verdict });
export const filters = (score: Verdict): Verdicts => ({ filter: SAFE, score });
export const BY_PARTS = both(rewritten('the same, with each of its parts rewritten'));
export const BM25 = filters(rewritten('BM25 over the visible documents, by numbers that the request carries'));

/** A kind that no cluster is asked. */
export const neverSent = <Q extends Query>(why: string, sample: Q): OnCluster<Q> => ({
  ...both(refused(why)),
  compile: (query, at) => at.refuse(query),
  samples: { refused: [sample] },
});

/** A part of samples. */
export const RED = { kind: 'term', field: 'text', term: 'red' } as const;
