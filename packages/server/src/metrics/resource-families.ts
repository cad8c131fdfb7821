// Families about what a server depends on: database and its connections, room on the disk, backups, files of indexes.
import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

import type { Store, WatchedReplica } from '@lockstitch/graph';

import { LAST_BACKUP } from './last-backup.ts';
import { counter, type Family, gauge } from './print-metrics.ts';

export interface ResourceParts {
  readonly store: Pick<Store, 'pool'>;
  readonly replica: Pick<WatchedReplica, 'lag' | 'answers'> | undefined;
  /** The data folder, or `:memory:`. */
  readonly folder: string;
  readonly search: {
    /** Number of damaged indexes. */
    damaged(): number;
    /** Bytes. */
    memory(): { readonly used: number; readonly limit: number };
  };
  /** Number of subscriptions. */
  readonly subscriptions: () => number;
}

/** @param isDatabaseUp whether the database has just responded */
export async function resourceFamilies(
  { store, replica, folder, search, subscriptions }: ResourceParts,
  isDatabaseUp: boolean,
): Promise<readonly Family[]> {
  const memory = search.memory();
  return [
    gauge('lockstitch_database_up', '1 while the database responds.', isDatabaseUp ? 1 : 0),
    ...poolFamilies(store),
    ...replicaFamilies(replica),
    gauge('lockstitch_indexes_damaged', 'Indexes with a damaged or missing file.', search.damaged()),
    gauge('lockstitch_search_memory_bytes', 'What indexes take in memory.', memory.used),
    gauge('lockstitch_search_memory_limit_bytes', 'What they may take: `search.memoryBudget`.', memory.limit),
    gauge('lockstitch_subscriptions', 'Subscriptions under way.', subscriptions()),
    ...(folder === ':memory:' ? [] : await folderFamilies(folder)),
  ];
}

/** PostgreSQL only. */
function poolFamilies(store: ResourceParts['store']): readonly Family[] {
  if (store.pool === undefined) return [];
  const { busy, most, waiting } = store.pool();
  return [
    gauge('lockstitch_database_connections', 'Connections to the database that run a statement.', busy),
    gauge('lockstitch_database_connections_max', 'Largest number of them.', most),
    gauge('lockstitch_database_waiting', 'Statements and transactions that wait for a connection.', waiting),
  ];
}

function replicaFamilies(replica: ResourceParts['replica']): readonly Family[] {
  if (replica === undefined) return [];
  const lag = replica.lag();
  return [
    gauge('lockstitch_database_replica_up', '1 while the read replica can answer.', lag === Infinity ? 0 : 1),
    gauge(
      'lockstitch_database_replica_lag_seconds',
      'How far the read replica is behind at most; +Inf: not known.',
      lag / 1000,
    ),
    counter(
      'lockstitch_database_replica_queries_total',
      'Queries that the read replica has answered.',
      replica.answers,
    ),
  ];
}

/** Empty if the folder cannot be looked at: the other metrics matter most then. */
async function folderFamilies(folder: string): Promise<readonly Family[]> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    const backup = await stat(join(folder, LAST_BACKUP)).catch(() => undefined);
    return [
      gauge('lockstitch_data_filesystem_avail_bytes', 'Room left in the file system of the data.', bavail * bsize),
      gauge('lockstitch_data_filesystem_size_bytes', 'Size of that file system.', blocks * bsize),
      gauge(
        'lockstitch_backup_last_success_timestamp_seconds',
        'When `lockstitch backup` last succeeded, since 1970; 0: never.',
        backup === undefined ? 0 : backup.mtimeMs / 1000,
      ),
    ];
  } catch {
    return [];
  }
}
