// How it is said that a database has lost changes which the search index beside it has seen.
import type { IndexAhead } from './sync.ts';
import type { IndexSeen } from './furthest-index.ts';

/** A database that is there and knows less. */
export function describeAhead({ index, indexPosition, databasePosition }: IndexAhead): string {
  return `the database knows ${databasePosition} changes, the index ${index} has seen ${indexPosition}: later changes are lost, or it is another database`;
}

/** A database that is not there any more. */
export function describeGone(database: string, { index, indexPosition }: IndexSeen): string {
  return `the database ${database} is gone (0 changes known), the index ${index} beside it is still there and has seen ${indexPosition}`;
}
