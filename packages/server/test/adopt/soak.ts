// `npm run soak -- adopt [DATABASES [SEED [FILE]]]`: adopts databases with one hostile trait each, and random ones, and
// compares every type with SQL row by row; then changes each random one and looks for the change at the next adoption.
// FILE: a schema of PostgreSQL as SQL, such as the structure.sql of a product, filled with generated rows.
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { deepEqual, equal, ok } from 'node:assert/strict';

import { compareDescriptions } from '@lockstitch/graph';
import { createRandom } from '@lockstitch/search/requests';

import { freshDatabase } from '../fresh-database.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { adoptPostgres, adoptSqlite } from './adopt-and-compare.ts';
import { adoptTrait, createSqlite } from './adopt-trait.ts';
import { fillTables } from './fill-tables.ts';
import { POSTGRES_TRAITS } from './postgres-traits.ts';
import { randomDatabase } from './random-database.ts';
import { SQLITE_TRAITS } from './sqlite-traits.ts';

const [databases = '20', seed = String(Date.now() % 1_000_000), file] = process.argv.slice(2);

for (const [dialect, traits] of [
  ['sqlite', SQLITE_TRAITS],
  ['postgres', POSTGRES_TRAITS],
] as const) {
  for (const [name, trait] of Object.entries(traits)) {
    test(`${dialect}: ${name}`, async (context) => {
      const found = await adoptTrait(dialect, trait, temporaryFolder(context));
      if (typeof found === 'string') return context.skip(found);
      deepEqual(found.left, trait.left);
      equal(found.rows, trait.rows);
    });
  }
}

const CHANGE = 'CREATE TABLE later (id INTEGER PRIMARY KEY)';

for (let at = 0; at < Number(databases); at++) {
  const number = Number(seed) + at;
  test(`random database ${number}`, async (context) => {
    const sql = randomDatabase(createRandom(number), 3 + (at % 30));
    const path = createSqlite(sql, temporaryFolder(context));
    const before = await adoptSqlite(path);
    ok(before.rows > 0);
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const database = new DatabaseSync(path);
    database.exec(CHANGE);
    database.close();
    const after = await adoptSqlite(path);
    deepEqual(
      compareDescriptions(before.description, after.description).map(({ place }) => place),
      ['later'],
    );
    const url = await freshDatabase();
    if (!url.startsWith('postgres:')) return;
    await run(url, sql);
    const there = await adoptPostgres(url);
    equal(there.rows, before.rows);
    await run(url, CHANGE);
    const changes = compareDescriptions(there.description, (await adoptPostgres(url)).description);
    deepEqual(
      changes.map(({ place }) => place),
      ['later'],
    );
  });
}

if (file !== undefined)
  test(file, async (context) => {
    const url = await freshDatabase();
    if (!url.startsWith('postgres:')) return context.skip(url);
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(readFileSync(file, 'utf8'));
    await client.query('RESET search_path');
    const filled = await fillTables(client, 3);
    await client.end();
    const started = Date.now();
    const { adoption, rows } = await adoptPostgres(url);
    process.stdout.write(
      `${file}: ${adoption.types.length} types, ${adoption.leftOut.length} left out, ${rows} rows compared of ${filled}, ${Date.now() - started} ms\n`,
    );
    ok(rows > 0);
  });

async function run(url: string, sql: string): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}
