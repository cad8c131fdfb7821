// A SqlDatabase over node:sqlite, as a host would write it.
import { DatabaseSync } from 'node:sqlite';
import type { SqlConnection, SqlDatabase } from '../../src/users/sql-user-store.ts';

export function openMemoryDatabase(): SqlDatabase {
  const sqlite = new DatabaseSync(':memory:');
  const connection: SqlConnection = {
    query: async (sql, parameters) => sqlite.prepare(sql).all(...parameters),
  };
  return {
    ...connection,
    dialect: 'sqlite',
    async transaction(work) {
      sqlite.exec('BEGIN');
      try {
        const result = await work(connection);
        sqlite.exec('COMMIT');
        return result;
      } catch (error) {
        sqlite.exec('ROLLBACK');
        throw error;
      }
    },
  };
}
