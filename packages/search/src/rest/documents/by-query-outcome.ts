// What copies, updates and deletions by query tell of what they did: Elasticsearch's BulkByScrollResponse.
import type { Index } from '../../engine/engine-api.ts';
import type { OperationResult } from '../../index/operation.ts';
import type { Json } from '../../json/json.ts';
import { causeOf } from '../../json/error-shape.ts';
import type { Answer } from '../request/request.ts';
import type { Pace } from './pace.ts';
import { enriched } from './writing.ts';

/** What documents come to, in the order in which it is told. */
export type Done = 'updated' | 'created' | 'deleted';

/** The sums of one part of a request, or of all of it where it has one part. */
class PartOutcome {
  readonly #slice: number | undefined;
  readonly #done: Partial<Record<Done, number>>;
  readonly #pace: Pace;
  readonly failures: Json[] = [];
  readonly written: Set<Index>;
  #conflicts = 0;
  batches = 0;
  total = 0;
  throttled = 0;

  /** @param written the indices that documents of all parts went to */
  constructor(kinds: readonly Done[], slice: number | undefined, pace: Pace, written: Set<Index>) {
    this.written = written;
    this.#done = Object.fromEntries(kinds.map((kind) => [kind, 0]));
    this.#slice = slice;
    this.#pace = pace;
  }

  /** Whether nothing has gone wrong, or been asked, that ends the part. */
  get isWell(): boolean {
    return this.failures.length === 0 && this.#pace.cancelled === undefined;
  }

  count(kind: Done): void {
    this.#done[kind] = (this.#done[kind] ?? 0) + 1;
  }

  /** Takes note of a document that was not written. @param index undefined: none was asked @param proceed whether conflicts are only counted */
  refused(
    result: Extract<OperationResult, { kind: 'failed' }>,
    name: string,
    index: Index | undefined,
    proceed: boolean,
  ): void {
    const isConflict = 'code' in result.error && result.error.code === 'SEARCH_VERSION_CONFLICT';
    if (isConflict) this.#conflicts++;
    if (isConflict && proceed) return;
    const cause = causeOf(index === undefined ? result.error : enriched(result.error, index));
    this.failures.push({
      index: index?.name ?? name,
      type: '_doc',
      id: result.id,
      cause: cause.error,
      status: cause.status,
    });
  }

  /** @param parts among which the rate is divided */
  shown(parts: number): Json {
    const { perSecond, cancelled, left } = this.#pace;
    return {
      ...(this.#slice === undefined ? {} : { slice_id: this.#slice }),
      total: this.total,
      ...this.#done,
      batches: this.batches,
      version_conflicts: this.#conflicts,
      noops: 0,
      retries: { bulk: 0, search: 0 },
      throttled_millis: this.throttled,
      requests_per_second: perSecond === -1 ? -1 : perSecond / parts,
      ...(cancelled === undefined ? {} : { canceled: cancelled }),
      throttled_until_millis: left,
    };
  }
}

/** Sums that are added up; the other members are those of the whole. */
const SUMS = ['total', 'updated', 'created', 'deleted', 'batches', 'version_conflicts', 'noops', 'throttled_millis'];

/** What one request did, from when it is made. */
export class ByQueryOutcome {
  readonly #started = performance.now();
  readonly #kinds: readonly Done[];
  readonly #pace: Pace;
  readonly #slices: number;
  readonly #parts: PartOutcome[] = [];
  /** The indices that documents went to, wherever their pipelines sent them. */
  readonly written = new Set<Index>();

  /** @param slices parts that the request is divided into by itself */
  constructor(kinds: readonly Done[], pace: Pace, slices: number) {
    this.#kinds = kinds;
    this.#pace = pace;
    this.#slices = slices;
    pace.status = () => this.#shown();
  }

  /** Begins a part. @param slice its number; undefined where all is one part */
  part(slice: number | undefined): PartOutcome {
    const part = new PartOutcome(this.#kinds, slice, this.#pace, this.written);
    this.#parts.push(part);
    return part;
  }

  #shown(): Json {
    const parts = this.#parts.map((part) => part.shown(this.#slices));
    if (this.#slices === 1) return parts[0] ?? {};
    const sums = Object.fromEntries(
      Object.entries(parts[0] ?? {})
        .filter(([name]) => name !== 'slice_id')
        .map(([name, value]) => [
          name,
          SUMS.includes(name) ? parts.reduce((sum, each) => sum + Number(each[name]), 0) : value,
        ]),
    );
    return { ...sums, requests_per_second: this.#pace.perSecond, slices: parts };
  }

  answer(): Answer {
    const failures = this.#parts.flatMap((part) => part.failures);
    return {
      status: failures.reduce((most, { status }) => Math.max(most, Number(status)), 200),
      json: {
        took: Math.round(performance.now() - this.#started),
        timed_out: false,
        ...this.#shown(),
        failures,
      },
    };
  }
}
