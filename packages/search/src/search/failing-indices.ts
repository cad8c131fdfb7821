// What a search of several indices answers where some of them cannot take it: the others answer, and the response lists those that failed.
import { isProductError } from '@lockstitch/kernel';
import { type Cause, RequestError } from '../errors/request-error.ts';
import { shardErrors } from '../errors/search-errors.ts';
import type { SearchTarget } from '../fetch/target.ts';
import { causeOf } from '../json/error-shape.ts';

/** An index that failed, as responses list it. */
export interface FailedIndex {
  readonly shard: 0;
  readonly index: string;
  readonly node: string;
  readonly reason: Cause;
}

/** What stopped a search on one of its indices. */
class IndexFailure extends Error {
  readonly target: SearchTarget;

  constructor(target: SearchTarget, cause: unknown) {
    super('A search failed on an index', { cause });
    this.target = target;
  }
}

/** Does the work of one index. Failures that Elasticsearch reports for a shard reach `fromThoseThatCan`. */
export function onIndex<Result>(target: SearchTarget, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const fails =
      error instanceof RequestError
        ? error.details.phase === true
        : isProductError(error) && shardErrors.has(error.code);
    throw fails ? new IndexFailure(target, error) : error;
  }
}

/**
 * Answers from the indices that can. One that fails is left out of everything: the others are asked again, as what it gave to sums and
 * counts before it failed would stay in them.
 *
 * @param ask asks the given ones, each by `onIndex`
 * @throws RequestError where none can answer, or where all must
 */
export function fromThoseThatCan<Result>(
  targets: readonly SearchTarget[],
  mustAll: boolean,
  ask: (targets: readonly SearchTarget[], failures: readonly FailedIndex[]) => Result,
): Result {
  const failures: FailedIndex[] = [];
  let left = targets;
  for (;;) {
    try {
      return ask(left, failures);
    } catch (error) {
      if (!(error instanceof IndexFailure)) throw error;
      const { cause, target: failed } = error;
      if (mustAll) throw cause;
      left = left.filter((each) => each !== failed);
      const reason = causeOf(cause).error;
      if (left.length === 0) throw failures.length === 0 ? cause : allFailed([...failures, failureOf(failed, reason)]);
      failures.push(failureOf(failed, reason));
    }
  }
}

/**
 * Shows hits. Those of an index that fails at it are left out and stay counted, as that index was searched.
 *
 * @param count of the indices that were searched
 * @throws an error that `fromThoseThatCan` takes, where all of them fail or must not
 */
export function shownHits<Hit extends { readonly asked: SearchTarget }, Shown>(
  hits: readonly Hit[],
  count: number,
  mustAll: boolean,
  show: (hit: Hit) => Shown,
): { readonly shown: readonly Shown[]; readonly failures: readonly FailedIndex[] } {
  const failures = new Map<SearchTarget, FailedIndex>();
  const found: { readonly asked: SearchTarget; readonly shown: Shown }[] = [];
  for (const hit of hits) {
    const { asked } = hit;
    if (failures.has(asked)) continue;
    try {
      found.push({ asked, shown: onIndex(asked, () => show(hit)) });
    } catch (error) {
      if (mustAll || !(error instanceof IndexFailure) || error.target !== asked || failures.size + 1 === count)
        throw error;
      failures.set(asked, failureOf(asked, causeOf(error.cause).error));
    }
  }
  const shown = found.filter(({ asked }) => !failures.has(asked)).map((each) => each.shown);
  return { shown, failures: [...failures.values()] };
}

function failureOf({ target }: SearchTarget, reason: Cause): FailedIndex {
  return { shard: 0, index: target.index.name, node: 'lockstitch', reason };
}

function allFailed(failures: readonly FailedIndex[]): RequestError {
  const { caused_by: causedBy, reason, type, ...fields } = failures[0]!.reason;
  return new RequestError('SEARCH_SHARD_FAILURE', type, reason, {
    phase: true,
    fields,
    ...(causedBy === undefined ? {} : { causedBy }),
    failures,
  });
}
