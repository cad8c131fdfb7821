// A process that is killed in the middle of a migration leaves the old state or the new one, and nothing between.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SOURCE_FLAGS } from '../../../kernel/test/source-flags.ts';
import { until } from '../../../kernel/test/until.ts';
import { applyMigration, openPostgresStore, openSqliteStore, planMigration, type Store } from '../../src/index.ts';
import { modelOf } from '../photo-schema.ts';
import { freshSchema, postgresUrl } from '../stores.ts';

const OLD = `type Photo @entity { id: ID! name: String note: String album: Album } type Album @entity { id: ID! title: String photos: [Photo!]! }
  type Query { photo(id: ID!): Photo album(id: ID!): Album }`;
/** New table, new columns, an index, a column gone and one that may no longer be empty: tables are rebuilt on SQLite. */
const NEW = `type Photo @entity { id: ID! name: String! @index likes: Int! @default(value: "0") album: Album tags: [Tag!]! }
  type Album @entity { id: ID! title: String! @unique photos: [Photo!]! } type Tag @entity { id: ID! photos: [Photo!]! }
  type Query { photo(id: ID!): Photo album(id: ID!): Album }`;

async function fill(store: Store, rows: number): Promise<void> {
  await applyMigration(modelOf(OLD), store);
  const series =
    store.dialect === 'sqlite'
      ? `WITH RECURSIVE series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ${rows}) SELECT n FROM series`
      : `SELECT n FROM generate_series(1, ${rows}) AS series(n)`;
  await store.script(
    `INSERT INTO albums (id, title) VALUES (1, 'a'); INSERT INTO photos (id, name, note, album) SELECT n, 'p' || n, 'n', 1 FROM (${series}) each`,
  );
}

/** `old` or `new`; anything between makes the test fail. */
async function stateOf(store: Store, rows: number): Promise<'old' | 'new'> {
  const left = await planMigration(modelOf(NEW), store);
  const state = left.steps.length === 0 ? 'new' : 'old';
  deepEqual((await planMigration(modelOf(state === 'new' ? NEW : OLD), store)).steps, []);
  const [[count, sum]] = (await store.prepare('SELECT count(*), sum(id) FROM photos').rows([])) as [[unknown, unknown]];
  deepEqual([Number(count), Number(sum)], [rows, (rows * (rows + 1)) / 2]);
  return state;
}

/** Processes are started and waited for; should one never come to its point, the test ends all the same. */
const PATIENCE = { timeout: 300_000 };

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function migrate(place: string, schema: string, file: string) {
  return spawn(
    process.execPath,
    [...SOURCE_FLAGS, join(import.meta.dirname, 'migrate-child.ts'), place, schema, file],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
}

test(
  'SQLite: a migration that is killed leaves the database whole, in the old state or in the new',
  PATIENCE,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'migrate-'));
    const rows = 20_000;
    const [file, original, schema] = ['data.db', 'original.db', 'new.graphql'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await writeFile(schema, NEW);
    const before = await openSqliteStore({ file: original });
    await fill(before, rows);
    await before.close();
    for (const delay of [0, 10, 25, 50]) {
      await copyFile(original, file);
      const child = migrate(file, '', schema);
      // It may be done before it is killed.
      const closed = once(child, 'close');
      await Promise.race([once(child.stdout, 'data'), closed]);
      child.stdout.resume();
      await pause(delay);
      child.kill('SIGKILL');
      await closed;
      const store = await openSqliteStore({ file });
      deepEqual(await store.prepare('PRAGMA integrity_check').rows([]), [['ok']]);
      const state = await stateOf(store, rows);
      if (state === 'old') await applyMigration(modelOf(NEW), store, { allow: ['drop photos.note'] });
      equal(await stateOf(store, rows), 'new');
      await store.close();
      await Promise.all(['-wal', '-shm'].map((end) => rm(file + end, { force: true })));
    }
    await rm(folder, { recursive: true, force: true });
  },
);

test(
  'PostgreSQL: a migration whose process is killed while it waits leaves the old state or the new',
  PATIENCE,
  async (t) => {
    const url = await postgresUrl();
    if (!url.startsWith('postgres:')) return t.skip(url);
    const rows = 1000;
    const schema = freshSchema();
    const folder = await mkdtemp(join(tmpdir(), 'migrate-'));
    const file = join(folder, 'new.graphql');
    await writeFile(file, NEW);
    const store = await openPostgresStore({ url, schema });
    await fill(store, rows);
    let child: ReturnType<typeof migrate> | undefined;
    let output = '';
    let waiting: readonly number[] = [];
    // A reader of the photos keeps the migration from changing them: it stops in its middle.
    await store.transaction(async (session) => {
      await session.prepare('SELECT count(*) FROM photos').rows([]);
      child = migrate(url, schema, file);
      child.stdout!.on('data', (part: Buffer) => (output += part.toString()));
      while (waiting.length === 0) {
        equal(child.exitCode, null, 'the child has ended by itself');
        await pause(10);
        // On another connection: in a transaction the view stays as it was when first looked at.
        const found = await store.prepare("SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'").rows([]);
        waiting = found.map((row) => Number(row[0]));
      }
      child.kill('SIGKILL');
      await once(child, 'close');
    });
    ok(!output.includes('done'));
    // Its connection ends when the server notices that nobody is there any more.
    const sql = `SELECT count(*)::int FROM pg_stat_activity WHERE pid IN (${waiting.join(', ')}) AND state <> 'idle'`;
    await until(async () => Number((await store.prepare(sql).rows([]))[0]![0]) === 0);
    const state = await stateOf(store, rows);
    if (state === 'old') await applyMigration(modelOf(NEW), store, { allow: ['drop photos.note'] });
    equal(await stateOf(store, rows), 'new');
    await store.close();
    await rm(folder, { recursive: true, force: true });
  },
);
