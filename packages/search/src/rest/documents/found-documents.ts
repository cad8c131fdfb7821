// The documents that a request goes through one after the other, in batches: copies, updates and deletions by query. Finding them is a
// search's work, and done where searches are; what becomes of them is the caller's.
import { matchesIn } from '../../api/matches.ts';
import type { SearchTarget } from '../../api/target.ts';
import type { SegmentReader } from '../../index/segment.ts';
import { asObject } from '../../json.ts';
import { answerMatches } from '../../thread/answer.ts';
import type { Call } from '../request/request.ts';
import { limitsOf, type SearchState } from '../request/search-state.ts';

/** One document, and by number the target it was found in. */
export interface FoundDocument {
  readonly target: number;
  readonly segment: SegmentReader;
  readonly doc: number;
}

/** What is asked of them. */
export interface Wanted {
  readonly query: unknown;
  /** Documents in one batch. */
  readonly batch: number;
  /** Documents at most, of all indices together. */
  readonly limit: number;
  /** Documents at most of each index. */
  readonly limitEach?: number | undefined;
  /** Milliseconds that finding them may take, if less than searches may. */
  readonly time?: number | undefined;
}

/**
 * Finds documents in targets that stay open until the caller has had them all.
 *
 * @returns batches, each of one target
 */
export async function foundDocuments(
  state: SearchState,
  call: Call,
  targets: readonly SearchTarget[],
  wanted: Wanted,
): Promise<Iterable<readonly FoundDocument[]>> {
  const { allowance } = limitsOf(state, call);
  const matches = await answerMatches(
    wanted.query === undefined || wanted.query === null ? undefined : asObject(wanted.query, 'query'),
    targets,
    { allowance: { ...allowance, time: Math.min(allowance.time, wanted.time ?? Infinity) }, now: call.now },
    call.request.signal,
  );
  return batches(targets, matches, wanted);
}

function* batches(
  targets: readonly SearchTarget[],
  matches: readonly (readonly Int32Array[])[],
  { batch, limit, limitEach = Infinity }: Wanted,
): Generator<readonly FoundDocument[]> {
  let left = limit;
  for (const [target, { searcher }] of targets.entries()) {
    let leftHere = Math.min(left, limitEach);
    let found: FoundDocument[] = [];
    for (const [at, segment] of searcher.segments.entries()) {
      const bits = matches[target]![at]!;
      for (const doc of matchesIn(segment, bits)) {
        if (leftHere === 0) break;
        if (segment.nestedPath(doc) !== undefined) continue;
        found.push({ target, segment, doc });
        leftHere--;
        left--;
        if (found.length < batch) continue;
        yield found;
        found = [];
      }
    }
    if (found.length > 0) yield found;
  }
}
