// Somebody else who writes to the database of a store: another connection, with the driver's own means.
import { DatabaseSync } from 'node:sqlite';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { Store } from '../../src/store/store.ts';
import { openPostgresStore } from '../../src/store/store-postgres.ts';
import { openSqliteStore } from '../../src/store/store-sqlite.ts';
import { freshSchema, postgresUrl } from '../stores.ts';

export interface Others {
  /** Runs statements as one transaction. */
  write(sql: string): Promise<void>;
  /** Opens a transaction (PostgreSQL). */
  begin(sql: string): Promise<void>;
  commit(): Promise<void>;
  /** The first value of a query. */
  ask(sql: string): Promise<unknown>;
  /** What another process needs to open the store: a file and '', or a URL and a schema. */
  address(): Promise<readonly [string, string]>;
  close(): Promise<void>;
}

/** Opens another connection to the database of a store. */
export function openOthers(store: Store): Promise<Others> {
  return store.dialect === 'sqlite' ? Promise.resolve(openSqlite(store.description)) : openPostgres(store);
}

type Body = (store: Store, others: Others) => Promise<void>;

async function run(store: Store, body: Body): Promise<void> {
  const others = await openOthers(store);
  try {
    await body(store, others);
  } finally {
    await others.close();
    await store.close();
  }
}

/** Runs a body on an empty SQLite file, with somebody else beside the store. */
export async function withSqlite(body: Body): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'others-'));
  try {
    await run(await openSqliteStore({ file: join(folder, 'data.sqlite'), durability: 'normal' }), body);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The same on PostgreSQL. Returns the reason if there is none. */
export async function withPostgres(body: Body): Promise<string | undefined> {
  const url = await postgresUrl();
  if (!url.startsWith('postgres:')) return url;
  await run(await openPostgresStore({ url, schema: freshSchema() }), body);
  return undefined;
}

/** Runs a test body on both. */
export function testWithOthers(name: string, body: Body): void {
  test(`SQLite: ${name}`, () => withSqlite(body));
  test(`PostgreSQL: ${name}`, async (t) => {
    const skipped = await withPostgres(body);
    if (skipped !== undefined) t.skip(skipped);
  });
}

function openSqlite(file: string): Others {
  const database = new DatabaseSync(file, { timeout: 0, enableForeignKeyConstraints: true });
  let isOpen = true;
  return {
    async write(sql) {
      for (;;) {
        try {
          database.exec(`BEGIN IMMEDIATE; ${sql}; COMMIT`);
          break;
        } catch (error) {
          if (database.isTransaction) database.exec('ROLLBACK');
          // The store of this process writes; it needs the thread.
          if ((error as { readonly errcode?: number }).errcode !== 5) throw error;
        }
        await setTimeout(1);
      }
      // Reads of one turn of the event loop share a snapshot.
      await setTimeout(1);
    },
    address: () => Promise.resolve([file, '']),
    begin: () => Promise.reject(new Error('The thread of the store would wait for itself.')),
    commit: () => Promise.resolve(),
    ask: (sql) => Promise.resolve(Object.values(database.prepare(sql).get() ?? {})[0]),
    close() {
      if (isOpen) database.close();
      isOpen = false;
      return Promise.resolve();
    },
  };
}

async function openPostgres(store: Store): Promise<Others> {
  const path = await store.prepare('SHOW search_path').text([]);
  // The description has no password.
  const url = new URL(store.description);
  url.password = 'postgres';
  const client = new pg.Client({
    connectionString: url.href,
    options: `-c search_path=${String(path).replaceAll(' ', '')}`,
  });
  await client.connect();
  let closing: Promise<void> | undefined;
  return {
    async write(sql) {
      await client.query(`BEGIN; ${sql}; COMMIT`).catch(async (error: unknown) => {
        await client.query('ROLLBACK');
        throw error;
      });
    },
    async address() {
      return [url.href, String(await store.prepare('SELECT current_schema()').text([]))];
    },
    async begin(sql) {
      await client.query(`BEGIN; ${sql}`);
    },
    async commit() {
      await client.query('COMMIT');
    },
    async ask(sql) {
      const value = Object.values(((await client.query(sql)).rows[0] ?? {}) as object)[0] as unknown;
      return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
    },
    close: () => (closing ??= client.end()),
  };
}
