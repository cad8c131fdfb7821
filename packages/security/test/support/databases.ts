// The databases that stores are tested on, as a host would hand them in: SQLite in memory and a real PostgreSQL, which
// starts when a test first asks for it. Where the platform has none, those tests are skipped and say why.
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import pg from 'pg';
import { freshSchema, postgresUrl } from '../../../graph/test/stores.ts';
import type { SqlConnection, SqlDatabase } from '../../src/stores/sql-database.ts';

/** Runs a test body on SQLite and on PostgreSQL, each time on an empty database. */
export function testOnDatabases(name: string, body: (database: SqlDatabase) => Promise<void>): void {
  test(`SQLite: ${name}`, () => body(sqliteDatabase()));
  test(`PostgreSQL: ${name}`, async (t) => {
    const url = await postgresUrl();
    if (!url.startsWith('postgres:')) return t.skip(url);
    const schema = freshSchema();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(`CREATE SCHEMA ${schema}; SET search_path TO ${schema}`);
      await body(postgresDatabase(client));
    } finally {
      await client.end();
    }
  });
}

function sqliteDatabase(): SqlDatabase {
  const sqlite = new DatabaseSync(':memory:');
  return inTransactions('sqlite', async (sql, parameters) => sqlite.prepare(sql).all(...parameters));
}

function postgresDatabase(client: pg.Client): SqlDatabase {
  return inTransactions('postgres', async (sql, parameters) => {
    const result = await client.query<Record<string, unknown>>(sql, [...parameters]);
    return result.rows;
  });
}

/** One connection, so transactions and single statements wait for each other. */
function inTransactions(dialect: SqlDatabase['dialect'], run: SqlConnection['query']): SqlDatabase {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work);
    last = turn.catch(() => undefined);
    return turn;
  };
  return {
    dialect,
    query: (sql, parameters) => inTurn(() => run(sql, parameters)),
    transaction: (work) =>
      inTurn(async () => {
        await run('BEGIN', []);
        try {
          const result = await work({ query: run });
          await run('COMMIT', []);
          return result;
        } catch (error) {
          await run('ROLLBACK', []);
          throw error;
        }
      }),
  };
}
