// The contract of pipelines: numbers computed from printed buckets, beside the aggregation that made them or inside of each of them.
import type { Json } from '../json/json.ts';
import type { Bucket, GapPolicy } from './buckets-path.ts';
import type { AnyAggregation } from './on-cluster.ts';

/** A number of one bucket. */
export interface BucketNumber {
  readonly key: string;
  readonly value: number;
}

/** What the reader of a sibling pipeline is given. */
export interface SiblingRequest {
  readonly name: string;
  readonly body: Json;
  /** Prints a number by `format`; undefined: as it is. */
  readonly print: ((value: number) => string) | undefined;
  /** `value`, and `value_as_string` where there is a format. */
  readonly format: (value: number) => Json;
}

/** A pipeline that stands beside the aggregation it works on. */
export interface SiblingDefinition extends AnyAggregation {
  readonly kind: 'sibling';
  readonly options: readonly string[];
  /** What `typed_keys` calls the answer. */
  readonly typeName: string;
  /** Answers what is computed of the numbers of the buckets. */
  readonly read: (request: SiblingRequest) => (found: readonly BucketNumber[]) => Json;
}

/** A pipeline that changes the buckets of the aggregation it stands in. */
export interface ParentDefinition extends AnyAggregation {
  readonly kind: 'parent';
  readonly options: readonly string[];
  /** What `typed_keys` calls the answer; `simple_value` by default. */
  readonly typeName?: string;
  /** Whether it needs buckets in a row, which a histogram makes. */
  readonly needsHistogram?: true;
  /** Whether the reader of the aggregation reads `buckets_path` itself, or the common code does. */
  readonly path: 'own' | 'one';
  /** Members without which it is refused, by a parser of objects. */
  readonly needs?: readonly string[];
  /** The tokens that its members begin with where Elasticsearch reads it by hand; absent: a parser of objects does. */
  readonly isReadByHand?: readonly string[];
  readonly read: (request: ParentRequest) => ParentPipeline;
}

/** What the reader of a parent pipeline is given. */
export interface ParentRequest {
  readonly type: string;
  readonly name: string;
  readonly body: Json;
  /** `buckets_path` where it is one; empty where the reader reads it. */
  readonly path: string;
  readonly gaps: GapPolicy;
  readonly parent: ParentOf;
  /** Puts the answer into a bucket. */
  readonly put: (bucket: Bucket, typedKeys: boolean, value: Json) => Bucket;
  /** `value`, and `value_as_string` where there is a format. */
  readonly format: (value: number) => Json;
}

/** What a parent pipeline stands in. */
export interface ParentOf {
  readonly type: string;
  readonly body: Json;
  /** The definitions inside of it. */
  readonly inner: Json;
  /** The pipeline's own `meta`. */
  readonly meta: unknown;
}

/** Changes the buckets of the aggregation it stands in. */
export interface ParentPipeline {
  readonly name: string;
  /** The aggregations it reads, which may be pipelines too. */
  readonly reads: readonly string[];
  apply(buckets: readonly Bucket[], typedKeys: boolean): readonly Bucket[];
}

/** A number as it is printed; null for one that JSON does not know. */
export const shown = (value: number): number | null => (Number.isFinite(value) ? value : null);
