// What a read replica needs of the rest of the configuration.
import type { ConfigProblem } from './check-config.ts';
import type { ResolvedConfig } from './config.ts';
import { isPostgresUrl, variableOf } from './database-address.ts';

/** The address of the database is known by then, if it is given at all. */
export function findReplicaProblems({ database }: ResolvedConfig): readonly ConfigProblem[] {
  const { maxStaleness, replica, url } = database;
  if (replica === undefined)
    return maxStaleness === undefined
      ? []
      : [
          {
            keys: ['database', 'maxStaleness'],
            message: 'There is no replica that could be stale.',
            hint: 'Set database.replica or DATABASE_REPLICA_URL, or leave maxStaleness out.',
          },
        ];
  if (url !== undefined && (isPostgresUrl(url) || variableOf(url) !== undefined)) return [];
  return [
    {
      keys: ['database', 'replica'],
      message: 'Only a PostgreSQL database has a replica, and no address of one is given.',
      hint: 'Set DATABASE_URL or database.url to postgres://…, or leave the replica out.',
    },
  ];
}
