// Texts about a database that has lost changes which its search index has seen.
import type { IndexAhead } from './sync.ts';
import type { IndexPosition } from './select-indexes.ts';

/** The database exists but is behind the index. */
export function describeAhead({ index, indexPosition, databasePosition }: IndexAhead): string {
  return `the database knows ${databasePosition} changes, the index ${index} has seen ${indexPosition}: later changes are lost, or it is another database`;
}

/** The database no longer exists. */
export function describeGone(database: string, { index, indexPosition }: IndexPosition): string {
  return `the database ${database} is gone (0 changes known), the index ${index} beside it is still there and has seen ${indexPosition}`;
}
