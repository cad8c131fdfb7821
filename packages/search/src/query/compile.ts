// Binds a query tree to a search: statistics are looked up, boosts multiplied down the tree, limits checked. What comes out is a
// tree of weights.
import { searchError } from '../errors/search-errors.ts';
import { BooleanWeight } from './boolean.ts';
import { kindOf } from './kinds.ts';
import type { Query } from './query.ts';
import { CachedWeight } from './query-cache.ts';
import type { Weight } from './scorer.ts';
import type { Statistics } from './statistics.ts';
import { clausesOf } from './walk-query.ts';

const { fround } = Math;

/**
 * Compiles a query.
 *
 * @param path the nested path whose elements are searched; undefined: root documents
 * @throws ProductError when a limit is passed or a pattern is malformed
 */
export function compile(query: Query, statistics: Statistics, path?: string): Weight {
  statistics.checkClauses(clausesOf(query));
  return new Compiler(statistics, { boost: 1, path, depth: 0, isScored: true }).build(query);
}

/** Where in the tree the compiler is. */
interface Place {
  /** The product of the boosts from the root to here. */
  readonly boost: number;
  /** The nested path the documents belong to; undefined: roots. */
  readonly path: string | undefined;
  readonly depth: number;
  /** Whether the score is asked for. */
  readonly isScored: boolean;
}

/** Compiles the parts of a query. */
export class Compiler implements Place {
  readonly statistics: Statistics;
  readonly boost: number;
  readonly path: string | undefined;
  readonly depth: number;
  readonly isScored: boolean;

  constructor(statistics: Statistics, { boost, depth, isScored, path }: Place) {
    this.statistics = statistics;
    this.boost = boost;
    this.path = path;
    this.depth = depth;
    this.isScored = isScored;
  }

  build(query: Query): Weight {
    const { depth, isScored, path, statistics } = this;
    const { maxDepth } = statistics.limits;
    if (depth > maxDepth) throw searchError('SEARCH_QUERY_TOO_DEEP', { limit: maxDepth });
    const boost = query.boost === undefined ? this.boost : fround(this.boost * fround(query.boost));
    const weight = kindOf(query).compile(query, new Compiler(statistics, { boost, path, isScored, depth: depth + 1 }));
    if (query.name === undefined) return weight;
    // A wrapper, as one weight may stand for two nodes after simplification.
    const named =
      weight.name === undefined
        ? weight
        : new BooleanWeight({ must: [weight], filter: [], should: [], mustNot: [], minimumShouldMatch: 0 });
    named.name = query.name;
    return named;
  }

  /** Compiles a clause that only filters: its matches are cached where finding them is costly. */
  buildFilter(query: Query): Weight {
    const weight = this.unscored().build(query);
    return kindOf(query).caching(query) === 'costly' ? new CachedWeight(weight, query) : weight;
  }

  /** The query with the words of the index for which it stands; undefined where it stands for none. */
  expand(query: Query): Query | undefined {
    return kindOf(query).expand(query, this.statistics);
  }

  /** The same place, where no score is asked for. */
  unscored(): Compiler {
    const { depth, path, statistics } = this;
    return new Compiler(statistics, { boost: 1, depth, isScored: false, path });
  }

  /** The same place among the elements of a nested path. */
  within(path: string): Compiler {
    const { boost, depth, isScored, statistics } = this;
    return new Compiler(statistics, { boost, depth, isScored, path });
  }
}
