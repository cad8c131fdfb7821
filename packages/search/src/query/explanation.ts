// Why a document has its score.

/** An explanation of one score, as Elasticsearch's `explain` prints it. */
export interface Explanation {
  readonly value: number;
  readonly description: string;
  readonly details: readonly Explanation[];
  /** Set where it says why there is no match. */
  readonly fails?: boolean;
  /** Set where the value is a double; else it is a float. */
  readonly isDouble?: boolean;
}
