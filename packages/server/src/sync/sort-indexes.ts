// What is to become of each index at the start: goes on where it stands, answers while its successor is built, or is built at once. Building
// is build-index.ts.
import type { Feed } from '@lockstitch/graph';
import type { Engine, Index } from '@lockstitch/search';

import { isCurrent, mayServeMeanwhile, ownershipOf, type SchemaIndex } from './schema-index.ts';
import { reachesBack } from './wait-for-more.ts';

/** Indexes by what is to become of them. */
export interface SortedIndexes {
  /** What the feed leads on from where they stand, by type. */
  readonly current: ReadonlyMap<string, Index>;
  /** Types whose index answers, but follows no more. */
  readonly stale: readonly string[];
  /** What is not there, or may not answer. */
  readonly missing: readonly SchemaIndex[];
}

/**
 * Deletes what an earlier schema asked for, and sorts the rest.
 *
 * @param head the latest position of the feed
 * @param anew names of indexes to build anew although they are current
 */
export async function sortIndexes(
  engine: Engine,
  feed: Feed,
  wanted: readonly SchemaIndex[],
  head: number,
  anew: readonly string[],
): Promise<SortedIndexes> {
  const names = new Set(wanted.map(({ name }) => name));
  for (const index of engine.indices()) {
    if (ownershipOf(index) !== undefined && !names.has(index.name)) await engine.deleteIndex(index.name);
  }
  const current = new Map<string, Index>();
  const stale: string[] = [];
  const missing: SchemaIndex[] = [];
  for (const index of wanted) {
    // An index ahead of the feed belongs to another database.
    const isOurs = engine.has(index.name) && engine.index(index.name).position <= head;
    if (!isOurs || anew.includes(index.name) || !mayServeMeanwhile(engine, index)) missing.push(index);
    else if (isCurrent(engine, index) && (await reachesBack(feed, engine.index(index.name).position)))
      current.set(index.type, engine.index(index.name));
    else stale.push(index.type);
  }
  return { current, stale, missing };
}
