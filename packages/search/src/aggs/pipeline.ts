// The contract of a pipeline that changes the buckets of the aggregation it stands in. Which there are is in pipelines.ts.
import type { Json } from '../json/json.ts';
import type { Bucket } from './buckets-path.ts';

/** Changes the buckets of the aggregation it stands in. */
export interface ParentPipeline {
  readonly name: string;
  /** The aggregations it reads, which may be pipelines too. */
  readonly reads: readonly string[];
  apply(buckets: readonly Bucket[], typedKeys: boolean): readonly Bucket[];
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

/** How a pipeline puts its number into a bucket, and prints it. */
export interface PipelineOutput {
  readonly put: (bucket: Bucket, typedKeys: boolean, value: Json) => Bucket;
  readonly format: (value: number) => Json;
}
