// What copies, updates and deletions by query tell of what they did: Elasticsearch's BulkByScrollResponse.
import type { Index } from '../../engine/engine-api.ts';
import type { OperationResult } from '../../index/operation.ts';
import type { Json } from '../../json.ts';
import { causeOf } from '../../error-shape.ts';
import type { Answer } from '../request/request.ts';
import type { SearchBody } from '../../api/search-body.ts';
import { enriched } from './writing.ts';

/** The sums of one request, from when it is made. */
export class ByQueryOutcome {
  readonly #started = performance.now();
  readonly #failures: Json[] = [];
  #conflicts = 0;
  batches = 0;
  total = 0;

  /** Whether nothing has gone wrong that ends the request. */
  get isWell(): boolean {
    return this.#failures.length === 0;
  }

  /** Takes note of a document that was not written. @param proceed whether conflicts are only counted */
  refused(result: Extract<OperationResult, { kind: 'failed' }>, index: Index, proceed: boolean): void {
    const isConflict = 'code' in result.error && result.error.code === 'SEARCH_VERSION_CONFLICT';
    if (isConflict) this.#conflicts++;
    if (isConflict && proceed) return;
    const cause = causeOf(enriched(result.error, index));
    this.#failures.push({ index: index.name, type: '_doc', id: result.id, cause: cause.error, status: cause.status });
  }

  /** @param done how many documents came to what @param slice the part of the documents that the request was about */
  answer(done: Json, slice?: SearchBody['slice']): Answer {
    const failures = this.#failures;
    return {
      status: failures.reduce((most, { status }) => Math.max(most, Number(status)), 200),
      json: {
        took: Math.round(performance.now() - this.#started),
        timed_out: false,
        ...(slice === undefined ? {} : { slice_id: slice.id }),
        total: this.total,
        ...done,
        batches: this.batches,
        version_conflicts: this.#conflicts,
        noops: 0,
        retries: { bulk: 0, search: 0 },
        throttled_millis: 0,
        requests_per_second: -1,
        throttled_until_millis: 0,
        failures,
      },
    };
  }
}
