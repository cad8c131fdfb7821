// What a search of several indices answers where some of them cannot take it: the others answer, and the response lists those that failed.
import { isProductError } from '@lockstitch/kernel';
import { type Cause, RequestError } from '../errors/request-error.ts';
import { shardErrors } from '../errors/search-errors.ts';
import { countShards, type SearchTarget } from '../fetch/target.ts';
import { causeOf } from '../json/error-shape.ts';

/** An index that failed, as responses list it. */
export interface FailedIndex {
  readonly shard: 0;
  readonly index: string;
  readonly node: string;
  readonly reason: Cause;
}

/** The indices of one request that failed so far. */
export class FailingIndices {
  readonly #targets: readonly SearchTarget[];
  readonly #mustAll: boolean;
  readonly #errors = new Map<SearchTarget, unknown>();

  /** @param mustAll whether one that fails makes the request fail */
  constructor(targets: readonly SearchTarget[], mustAll: boolean) {
    this.#targets = targets;
    this.#mustAll = mustAll;
  }

  get count(): number {
    return this.#errors.size;
  }

  has(target: SearchTarget): boolean {
    return this.#errors.has(target);
  }

  /** How many shards the failed indices have. */
  get shards(): number {
    return [...this.#errors.keys()].reduce((sum, { target }) => sum + countShards(target), 0);
  }

  /** In the order of the request. */
  get list(): readonly FailedIndex[] {
    return this.#targets.filter((each) => this.#errors.has(each)).map((each) => this.#failureOf(each));
  }

  /**
   * Does the work of indices, or of hits of them. Those of an index that fails are left out, and not worked on any further.
   *
   * @throws RequestError where no index of the request is left, or where all must answer
   */
  each<Item, Result>(
    items: readonly Item[],
    targetOf: (item: Item) => SearchTarget,
    work: (item: Item, at: number) => Result,
  ): Result[] {
    const done: { readonly target: SearchTarget; readonly result: Result }[] = [];
    for (const [at, item] of items.entries()) {
      const target = targetOf(item);
      if (this.#errors.has(target)) continue;
      try {
        done.push({ target, result: work(item, at) });
      } catch (error) {
        if (this.#mustAll || !isFailureOfIndex(error)) throw error;
        this.#errors.set(target, error);
        if (this.#errors.size === this.#targets.length) throw this.#allFailed(error);
      }
    }
    return done.filter(({ target }) => !this.#errors.has(target)).map(({ result }) => result);
  }

  #failureOf(target: SearchTarget): FailedIndex {
    const reason = causeOf(this.#errors.get(target)).error;
    return { shard: 0, index: target.target.index.name, node: 'lockstitch', reason };
  }

  #allFailed(last: unknown): unknown {
    if (this.#targets.length === 1) return last;
    const failures = this.list;
    const { caused_by: causedBy, reason, type, ...fields } = failures[0]!.reason;
    return new RequestError('SEARCH_SHARD_FAILURE', type, reason, {
      phase: true,
      fields,
      ...(causedBy === undefined ? {} : { causedBy }),
      failures,
    });
  }
}

/** Whether Elasticsearch reports an error for a shard, not for the request. */
function isFailureOfIndex(error: unknown): boolean {
  return error instanceof RequestError
    ? error.details.phase === true
    : isProductError(error) && shardErrors.has(error.code);
}
