// What a metric holds besides what it prints, for pipelines that join the metrics of several buckets: distinct values, or all of them in
// order. It hangs on the printed answer by a symbol, which no printing of JSON shows.
import type { Json } from '../json/json.ts';

/** Where it hangs. */
export const HELD: unique symbol = Symbol('held');

/** The values of a metric in one bucket. */
export type Held =
  | { readonly kind: 'distinct'; readonly values: ReadonlySet<string | number> }
  /** Ascending, with how the metric prints other ones. */
  | { readonly kind: 'sorted'; readonly values: Float64Array; readonly print: (values: Float64Array) => Json };

const isHolder = (answer: unknown): answer is { readonly [HELD]: Held } =>
  typeof answer === 'object' && answer !== null && HELD in answer;

/** What an answer holds, if anything. */
export function heldBy(answer: unknown): Held | undefined {
  return isHolder(answer) ? answer[HELD] : undefined;
}
