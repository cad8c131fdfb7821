// Finds indexes of the schema: by name, and the one that knows most of the feed.
import { didYouMean } from '@lockstitch/kernel';

import { serverErrors } from '../errors.ts';
import type { SchemaIndex } from './schema-index.ts';
import type { IndexAhead } from './sync.ts';

/** The position of an index in the feed. */
export type IndexPosition = Pick<IndexAhead, 'index' | 'indexPosition'>;

/** The indexes of these names; all without names. @throws ProductError SERVER_INDEX_UNKNOWN */
export function selectIndexes(wanted: readonly SchemaIndex[], names: readonly string[]): readonly SchemaIndex[] {
  if (names.length === 0) return wanted;
  const known = wanted.map(({ name }) => name);
  return names.map((index) => {
    const found = wanted.find(({ name }) => name === index);
    if (found !== undefined) return found;
    const suggestion = didYouMean(index, known);
    throw serverErrors.create('SERVER_INDEX_UNKNOWN', { index, suggestion, known: known.join(', ') || 'none' });
  });
}

/** The highest position; undefined if there is none. */
export function furthestOf(positions: readonly IndexPosition[]): IndexPosition | undefined {
  return positions.toSorted((a, b) => b.indexPosition - a.indexPosition)[0];
}

/** The index that is furthest, if it knows changes that the database does not have. */
export function aheadOf(positions: readonly IndexPosition[], databasePosition: number): IndexAhead | undefined {
  const furthest = furthestOf(positions);
  return furthest !== undefined && furthest.indexPosition > databasePosition
    ? { ...furthest, databasePosition }
    : undefined;
}
