// Decides at start what happens to each index: it continues, with a rebuild in the background or without one, waits for its rebuild,
// or is built before the start completes. Building is build-index.ts.
import type { Feed } from '@lockstitch/graph';
import type { Engine, Index } from '@lockstitch/search';

import { customOf, isCurrent, mayServeMeanwhile, ownershipOf, type SchemaIndex } from './schema-index.ts';
import { reachesBack } from './feed-position.ts';

export interface ClassifiedIndexes {
  /** By type: indexes that follow the feed from their position. */
  readonly followed: ReadonlyMap<string, Index>;
  /** Types whose index is rebuilt in the background. */
  readonly stale: readonly string[];
  /** Indexes that do not exist or may not serve searches. */
  readonly missing: readonly SchemaIndex[];
}

/**
 * Deletes indexes of an earlier schema and classifies the others.
 *
 * @param head the latest position of the feed
 * @param rebuild names of indexes to rebuild even if they are current
 */
export async function classifyIndexes(
  engine: Engine,
  feed: Feed,
  wanted: readonly SchemaIndex[],
  head: number,
  rebuild: readonly string[],
): Promise<ClassifiedIndexes> {
  const names = new Set(wanted.map(({ name }) => name));
  for (const index of engine.indices()) {
    if (ownershipOf(index) !== undefined && !names.has(index.name)) await engine.deleteIndex(index.name);
  }
  const followed = new Map<string, Index>();
  const stale: string[] = [];
  const missing: SchemaIndex[] = [];
  for (const index of wanted) {
    // An index ahead of the feed belongs to another database.
    const isOurs = engine.has(index.name) && engine.index(index.name).position <= head;
    if (!isOurs || rebuild.includes(index.name) || !mayServeMeanwhile(customOf(engine, index), index)) {
      missing.push(index);
      continue;
    }
    const isFollowed = await reachesBack(feed, engine.index(index.name).position);
    if (isFollowed) followed.set(index.type, engine.index(index.name));
    if (!isFollowed || !isCurrent(engine, index)) stale.push(index.type);
  }
  return { followed, stale, missing };
}
