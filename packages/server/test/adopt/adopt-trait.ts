// A small database with one hostile trait, and its adoption.
import { join } from 'node:path';

import { freshDatabase } from '../fresh-database.ts';
import { adoptPostgres, adoptSqlite } from './adopt-and-compare.ts';

/** A database with one hostile trait, and what is expected of its adoption. */
export interface Trait {
  readonly sql: string;
  /** Rows that are compared with SQL. */
  readonly rows: number;
  /** Tables and columns that are left out, with the reason. */
  readonly left: readonly string[];
}

/** Creates and adopts it; the reason if there is no such database here. */
export async function adoptTrait(
  dialect: 'sqlite' | 'postgres',
  { sql }: Trait,
  folder: string,
): Promise<Pick<Trait, 'rows' | 'left'> | string> {
  const { rows, adoption } = (await (dialect === 'sqlite' ? onSqlite : onPostgres)(sql, folder)) ?? {};
  if (rows === undefined || adoption === undefined) return 'no PostgreSQL here';
  const left = adoption.leftOut.map(({ table: { schema, name }, column, reason }) => {
    const place = [schema, name, column].filter((part) => part !== undefined).join('.');
    return `${place}: ${reason}`;
  });
  return { rows, left };
}

/** Creates an SQLite file; returns its path. */
export function createSqlite(sql: string, folder: string): string {
  const file = join(folder, 'adopted.db');
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  database.exec(sql);
  database.close();
  return file;
}

function onSqlite(sql: string, folder: string): ReturnType<typeof adoptSqlite> {
  return adoptSqlite(createSqlite(sql, folder));
}

async function onPostgres(sql: string): Promise<Awaited<ReturnType<typeof adoptPostgres>> | undefined> {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) return undefined;
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
  return adoptPostgres(url);
}
