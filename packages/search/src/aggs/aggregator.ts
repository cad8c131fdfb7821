// The contract of an aggregation while it runs: it is shown every matching document of every segment, each time with the
// number of the bucket the document fell into one level up, and prints its answer per such bucket afterwards.
import { tick } from '../tasks/request-budget.ts';
import type { Searcher } from '../collect/search-request.ts';
import type { SegmentReader } from '../index/segment.ts';
import type { QueryContext } from '../dsl/context.ts';
import { type Json, setMember } from '../json/json.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { RequestError } from '../errors/request-error.ts';

/** One segment as aggregations see it. */
export interface SegmentScope {
  readonly segment: SegmentReader;
  readonly searcher: Searcher;
  readonly mapping: Mapping;
  readonly context: QueryContext;
  /** Which documents exist for the caller. */
  /** The score of the document being shown; NaN unless asked for. */
  score: number;
}

/** Takes one document that fell into a bucket of the level above (0 at the top). */
export type Collect = (doc: number, bucket: number) => void;

/** Takes the first `count` of some documents. @param within the documents that count; undefined: all */
export type CollectAll = (docs: Int32Array, count: number, within: Int32Array | undefined) => void;

/** One index of a request that is profiled. */
export interface ProfiledIndex {
  readonly searcher: Searcher;
  readonly mapping: Mapping;
  /** How many there are: what is done for all of them together is shared out evenly. */
  readonly of: number;
}

/** One aggregation of a request. */
export interface Aggregator {
  readonly name: string;
  /** Elasticsearch's internal type name, shown with `typed_keys`. */
  readonly typeName: string;
  readonly meta: Json | undefined;
  readonly needsScores: boolean;
  /** Sees documents of the whole view instead of those that match the query. */
  readonly isGlobal?: boolean;
  /** Its buckets, where it makes any. */
  readonly buckets?: Buckets;
  /** Opens a segment; undefined: nothing in it concerns this aggregation. */
  open(scope: SegmentScope): Collect | undefined;
  /** Opens a segment for documents that all fall into bucket 0, many at a time; undefined: `open` it. Never both for one segment. */
  openAll?(scope: SegmentScope): CollectAll | undefined;
  /** For pipelines: the answer, from those of the aggregations beside it, which `result` knows nothing of. */
  fromSiblings?(printed: Record<string, unknown>): Json;
  /** The answer for one bucket of the level above; an empty answer when it never got a document, or is `NO_DOCUMENT` or `GAP`. */
  result(bucket: number): Json;
  /** What it did of an index, when the request asks for that. */
  profile?(index: ProfiledIndex): Json;
}

/** Stands for a bucket that no document fell into. */
export const NO_DOCUMENT = -1;
/**
 * Stands for one that no document can fall into: between those of a histogram, in ranges of a field and elements of a path that are not
 * mapped (Aggregator.buildEmptyAggregation).
 */
export const GAP = -2;

export const TOO_MANY_BUCKETS = 'too_many_buckets_exception';

/** Counts buckets over a whole request and stops it past the limit (`search.max_buckets`). */
export class BucketBudget {
  #used = 0;
  readonly #limit: number;
  /** Whether the buckets themselves are of interest: for a profile. */
  readonly isProfiled: boolean;

  constructor(limit: number, isProfiled = false) {
    this.#limit = limit;
    this.isProfiled = isProfiled;
  }

  get limit(): number {
    return this.#limit;
  }

  /** @param isReduced whether buckets are made while the answers of shards are joined, which is no failure of a shard */
  take(count = 1, isReduced = false): void {
    this.#used += count;
    if (this.#used > this.#limit) throw tooManyBuckets(this.#limit, this.#used, isReduced);
  }
}

export function tooManyBuckets(limit: number, used: number, isReduced: boolean): Error {
  return new RequestError(
    'SEARCH_SHARD_FAILURE',
    TOO_MANY_BUCKETS,
    `Trying to create too many buckets. Must be less than or equal to: [${limit}] but was [${used}]. This limit can be set by changing the [search.max_buckets] cluster level setting.`,
    { phase: isReduced ? 'reduce' : true, fields: { max_buckets: limit } },
  );
}

/** Buckets of one aggregation: numbers handed out in order, with document counts and the aggregations inside. */
export class Buckets {
  readonly children: readonly Aggregator[];
  readonly #budget: BucketBudget;
  readonly #typedKeys: boolean;
  /** Those that documents of an index fell into, while profiling. */
  readonly #used: Map<Searcher, Set<number>> | undefined;
  counts = new Float64Array(16);
  size = 0;

  constructor(children: readonly Aggregator[], budget: BucketBudget, typedKeys: boolean) {
    this.children = children;
    this.#budget = budget;
    this.#typedKeys = typedKeys;
    if (budget.isProfiled) this.#used = new Map();
  }

  /** How many of them documents of an index fell into; known while profiling. */
  used(searcher: Searcher): number {
    return this.#used?.get(searcher)?.size ?? 0;
  }

  add(): number {
    // Memory is bounded here; what a response may hold is counted when it is printed.
    if (this.size >= 2_000_000) this.#budget.take(Infinity);
    if (this.size === this.counts.length) {
      const grown = new Float64Array(this.size * 2);
      grown.set(this.counts);
      this.counts = grown;
    }
    return this.size++;
  }

  /**
   * Passes over a segment that has no values for the buckets. The aggregations inside are opened all the same: what they refuse, and what
   * they compare with, must not depend on whether some document, which the caller may not even see, has such a value.
   */
  skip(scope: SegmentScope): undefined {
    for (const child of this.children) child.open(scope);
    return undefined;
  }

  /** Opens the aggregations inside for a segment. */
  open(scope: SegmentScope): Collect {
    const collect = this.#openPlain(scope);
    if (this.#used === undefined) return collect;
    const used = this.#used.get(scope.searcher) ?? new Set();
    this.#used.set(scope.searcher, used);
    return (doc, bucket) => {
      used.add(bucket);
      collect(doc, bucket);
    };
  }

  #openPlain(scope: SegmentScope): Collect {
    const leaves = this.children.map((child) => child.open(scope)).filter((leaf) => leaf !== undefined);
    // Read through `this`: the array is replaced when it grows.
    if (leaves.length === 0)
      return (_, bucket) => {
        this.counts[bucket]!++;
      };
    return (doc, bucket) => {
      this.counts[bucket]!++;
      for (const leaf of leaves) leaf(doc, bucket);
    };
  }

  /**
   * `doc_count` and the inner answers of a bucket; `undefined` prints an empty one.
   *
   * @param owner the bucket above: what is empty in a gap is part of it
   */
  print(bucket: number | undefined, owner?: number): Record<string, unknown> {
    tick(512);
    this.#budget.take(1, bucket === undefined);
    return {
      doc_count: bucket === undefined ? 0 : this.counts[bucket]!,
      ...printAll(this.children, bucket ?? (owner === GAP ? GAP : NO_DOCUMENT), this.#typedKeys),
    };
  }
}

/** The answers of several aggregations for one bucket, by name. */
export function printAll(
  aggregators: readonly Aggregator[],
  bucket: number,
  typedKeys: boolean,
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const pipelines = aggregators.some((each) => each.fromSiblings !== undefined);
  const ordered = pipelines
    ? aggregators.toSorted((x, y) => Number(x.fromSiblings !== undefined) - Number(y.fromSiblings !== undefined))
    : aggregators;
  for (const each of ordered) {
    const key = typedKeys ? `${each.typeName}#${each.name}` : each.name;
    const result = each.fromSiblings === undefined ? each.result(bucket) : each.fromSiblings(found);
    setMember(found, key, each.meta === undefined ? result : { meta: each.meta, ...result });
  }
  return found;
}
