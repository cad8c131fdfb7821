// The servers that share a database: each has a row, and says every few seconds that it lives. Times are the database's,
// so the clocks of servers need not agree.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

import { type Model, schemaFingerprint, type Store } from '@lockstitch/graph';
import type { Log } from '@lockstitch/kernel';

import { createOwnTable } from './own-table.ts';
import { readVersion } from '../own-package.ts';

const TABLE = 'lockstitch_servers';
/** Milliseconds between signs of life. */
const HEARTBEAT = 5000;
/** Seconds without one after which a server counts as gone. */
const PATIENCE = 20;
const LIVES = `uses_schema AND seen > now() - make_interval(secs => ${PATIENCE})`;

/** Servers that search indexes on a cluster. */
export interface Fleet {
  /** Name of this server. */
  readonly server: string;
  /** Says which definitions of indexes this server searches. */
  useIndexes(definitions: readonly string[]): Promise<void>;
  /** Every definition that a server which lives searches. */
  usedIndexes(): Promise<ReadonlySet<string>>;
}

/** The row of this server. */
export interface Registration extends Fleet {
  /** Says that the database has the schema of this server, which uses it from now on. */
  useSchema(): Promise<void>;
  /** Removes the row. */
  leave(): Promise<void>;
}

/** The name of a server, for messages. Where the system chooses the port (0), many servers of a host have the same: its process and id name it. */
function serverName(port: number, id: string): string {
  return port === 0 ? `${hostname()} (process ${process.pid}, ${id.slice(0, 8)})` : `${hostname()}:${port}`;
}

/** Registers this server, in a table that is created when it is missing. PostgreSQL only. */
export async function register(store: Store, model: Model, port: number, log: Log): Promise<Registration> {
  const id = randomUUID();
  const self = [id, serverName(port, id), readVersion(), schemaFingerprint(model)] as const;
  let usesSchema = false;
  let indexes: string | null = null;
  const table = `CREATE TABLE IF NOT EXISTS ${TABLE} (id TEXT PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL,
    schema TEXT NOT NULL, uses_schema BOOLEAN NOT NULL, started TIMESTAMPTZ NOT NULL DEFAULT now(), seen TIMESTAMPTZ NOT NULL);
    ALTER TABLE ${TABLE} ADD COLUMN IF NOT EXISTS indexes TEXT`;
  const newest = "SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'indexes'";
  // ALTER TABLE waits for a backup that reads the table, and keeps the other servers waiting behind it.
  if ((await store.prepare(newest).rows([TABLE])).length === 0) await createOwnTable(store, table);
  const write = (sql: string, values: readonly (string | boolean | null)[]): Promise<number> =>
    store.transaction((session) => session.prepare(sql).run(values));
  const beat = (): Promise<number> =>
    write(
      `INSERT INTO ${TABLE} (id, name, version, schema, uses_schema, indexes, seen) VALUES ($1, $2, $3, $4, $5, $6, now())
       ON CONFLICT (id) DO UPDATE SET uses_schema = excluded.uses_schema, indexes = excluded.indexes, seen = excluded.seen`,
      [...self, usesSchema, indexes],
    );
  await write(`DELETE FROM ${TABLE} WHERE seen < now() - interval '1 day'`, []);
  await beat();
  let beating: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    beating = beat().catch((error: unknown) => log.write('debug', 'This server cannot say that it lives', { error }));
  }, HEARTBEAT).unref();
  return {
    server: self[1],
    async useIndexes(definitions) {
      indexes = JSON.stringify(definitions);
      await beat();
    },
    usedIndexes: () => usedIndexes(store),
    async useSchema() {
      usesSchema = true;
      await beat();
    },
    async leave() {
      clearInterval(timer);
      // One under way would write the row again.
      await beating;
      // If the database is away, the row grows old.
      await write(`DELETE FROM ${TABLE} WHERE id = $1`, [self[0]]).catch(() => undefined);
    },
  };
}

/** The fleet as a command sees it that works beside the servers, and is none of them. */
export function besideFleet(store: Store): Fleet {
  return {
    server: `${hostname()} (process ${process.pid})`,
    useIndexes: () => Promise.resolve(),
    usedIndexes: () => usedIndexes(store),
  };
}

async function usedIndexes(store: Store): Promise<ReadonlySet<string>> {
  if (!(await hasTable(store))) return new Set();
  const rows = await store.prepare(`SELECT indexes FROM ${TABLE} WHERE ${LIVES} AND indexes IS NOT NULL`).rows([]);
  return new Set(rows.flatMap(([used]) => JSON.parse(String(used)) as readonly string[]));
}

async function hasTable(store: Store): Promise<boolean> {
  return (await store.prepare('SELECT to_regclass($1)::text').text([TABLE])) !== null;
}

/** Names (host and port) of the servers that use another schema than this one. */
export async function serversOfOtherSchemas(store: Store, model: Model): Promise<readonly string[]> {
  if (!(await hasTable(store))) return [];
  const rows = await store
    .prepare(
      `SELECT name FROM ${TABLE}
       WHERE schema <> $1 AND ${LIVES} ORDER BY started`,
    )
    .rows([schemaFingerprint(model)]);
  return rows.map(([name]) => String(name));
}
