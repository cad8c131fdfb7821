// What requests count of an index beside the engine: searches by the names that they give themselves (`stats`), documents that are read by
// their ids, and flushes that found nothing to write. Kept in memory, as Elasticsearch does, and for the whole index: callers under a view are shown none of it, for it
// counts what others do.
import type { Index } from '../../engine/engine-api.ts';
import { viewOfIndex, wholeIndex } from '../../view/filtered-index.ts';

interface Counters {
  readonly groups: Map<string, number>;
  /** Documents that were read by their ids. */
  readonly gets: { found: number; missing: number };
  /** Flushes that had nothing to do. */
  idleFlushes: number;
  /** The last write that a synced flush found, and the mark it left. */
  synced: { readonly seqNo: number; readonly id: string } | undefined;
}

/** Names of groups that are remembered of one index at most. */
const MOST_GROUPS = 1000;
/** Characters of such a name: otherwise a caller could fill the memory with a thousand names of a megabyte. */
const LONGEST_GROUP = 1000;

const counted = new WeakMap<Index, Counters>();

function countersOf(index: Index): Counters {
  const whole = wholeIndex(index);
  let counters = counted.get(whole);
  if (counters === undefined)
    counted.set(
      whole,
      (counters = { groups: new Map(), gets: { found: 0, missing: 0 }, idleFlushes: 0, synced: undefined }),
    );
  return counters;
}

/** Counts a search for the groups it names. */
export function countSearch(index: Index, groups: readonly string[]): void {
  if (groups.length === 0) return;
  const counters = countersOf(index);
  for (const group of groups) {
    const before = counters.groups.get(group);
    if (before !== undefined || (counters.groups.size < MOST_GROUPS && group.length <= LONGEST_GROUP))
      counters.groups.set(group, (before ?? 0) + 1);
  }
}

/** Counts a document that is read by its id, and returns it. */
export function countGet<Read extends object>(
  index: Index,
  read: Read | undefined | Promise<Read | undefined>,
): Read | undefined | Promise<Read | undefined> {
  if (read instanceof Promise) return read.then((document) => countGet(index, document));
  const { gets } = countersOf(index);
  if (read === undefined) gets.missing++;
  else gets.found++;
  return read;
}

/** Documents that were read by their ids; none for callers under a view. */
export function getCounts(index: Index): { readonly found: number; readonly missing: number } {
  return viewOfIndex(index) === undefined ? countersOf(index).gets : { found: 0, missing: 0 };
}

/** Searches by group. */
export function searchGroups(index: Index): ReadonlyMap<string, number> {
  return countersOf(index).groups;
}

/** Commits, as a request asks for. @param synced leaves a mark for as long as nothing is written */
export async function flushIndex(index: Index, synced: boolean): Promise<void> {
  const before = index.stats().flushTotal;
  await index.commit();
  if (viewOfIndex(index) !== undefined) return;
  const counters = countersOf(index);
  const { flushTotal, maxSeqNo } = index.stats();
  if (flushTotal === before) counters.idleFlushes++;
  if (synced) counters.synced = { seqNo: maxSeqNo, id: `${index.uuid}-${maxSeqNo}` };
}

/** Flushes on request, which the engine does not count. */
export function idleFlushes(index: Index): number {
  return viewOfIndex(index) === undefined ? countersOf(index).idleFlushes : 0;
}

/** The mark of the last synced flush, if nothing was written since. */
export function syncId(index: Index): string | undefined {
  if (viewOfIndex(index) !== undefined) return undefined;
  const { synced } = countersOf(index);
  return synced?.seqNo === index.stats().maxSeqNo ? synced.id : undefined;
}
