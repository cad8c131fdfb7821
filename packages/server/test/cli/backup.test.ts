// Backups of running servers: what is restored is what was acknowledged before, and nothing that exists is overwritten.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { openSqliteStore } from '@lockstitch/graph';

import { openIndexerLeases } from '../../src/fleet/indexer-lease.ts';
import { startClusterOfTools } from '../cluster-of-tools.ts';
import { NOTES_SCHEMA, startApp, type TestApp } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runLine } from './run-here.ts';

const config = {
  csrf: {
    ignore: [
      { ant: '/**', method: 'POST' },
      { ant: '/**', method: 'PUT' },
    ],
  },
  search: { ownIndexes: true },
};

/** Writes notes and documents until it is stopped; `written` is how many of each were acknowledged. */
function writing({ graph, call }: TestApp): {
  readonly written: () => number;
  /** Resolves when so many were written. */
  reached(count: number): Promise<void>;
  stop(): Promise<void>;
} {
  const state = { written: 0, isOn: true };
  const done = (async () => {
    for (let at = 0; state.isOn; at++) {
      await graph(`mutation { createNote(input: { title: "note ${at}", author: "ada" }) { id } }`);
      equal((await call(`/mine/_doc/${at}`, { method: 'PUT', json: { n: at } })).status, 201);
      state.written = at + 1;
    }
  })();
  return {
    written: () => state.written,
    async reached(count) {
      while (state.written < count) await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 5))]);
    },
    stop: () => {
      state.isOn = false;
      return done;
    },
  };
}

for (const withIndexes of [false, true]) {
  test(`a running application is backed up under writes and restored${withIndexes ? ', with its indexes' : ''}`, async (context) => {
    const home = temporaryFolder(context, { 'app/schema.graphql': NOTES_SCHEMA, 'app/texts/about.md': 'About.' });
    const folder = join(home, 'app');
    const before = await startApp(context, { folder, data: join(folder, '.lockstitch'), config });
    await before.graph('mutation { createAuthor(input: { login: "ada", name: "Ada" }) { login } }');
    const writer = writing(before);
    await writer.reached(10);
    const least = writer.written();
    const file = join(home, 'one.tar.gz');
    const taken = await runLine(['backup', folder, '--to', file, ...(withIndexes ? ['--with-indexes'] : [])]);
    const most = writer.written() + 1;
    equal(taken.code, 0, taken.err);
    match(taken.out, /one\.tar\.gz: .* database of SQLite at change /);
    await writer.stop();
    await before.close();
    equal(statSync(file).mode & 0o777, 0o600);
    deepEqual(readdirSync(home).toSorted(), ['app', 'one.tar.gz'], 'nothing is left beside it');
    deepEqual(
      readdirSync(join(folder, '.lockstitch')).filter((name) => name.startsWith('.')),
      [],
    );

    const target = join(home, 'restored');
    const restored = await runLine(['restore', file, target]);
    equal(restored.code, 0, restored.err);
    equal(readFileSync(join(target, 'texts/about.md'), 'utf8'), 'About.');
    equal(statSync(join(target, 'texts')).mode & 0o777, 0o700);
    equal(existingIndex(target, 'notes'), withIndexes);
    const after = await startApp(context, { folder: target, data: join(target, '.lockstitch'), config });
    const { notes } = await after.graph('{ notes(first: 1000) { title } }');
    ok(notes.length >= least && notes.length <= most, `${notes.length} of ${least} to ${most}`);
    for (let at = 0; at < least; at++) equal(notes[at].title, `note ${at}`);
    equal((await after.call('/notes/_count')).json.count, notes.length, 'the index follows the restored data');
    await after.call('/mine/_refresh', { method: 'POST' });
    const { count } = (await after.call('/mine/_count')).json;
    ok(count >= least && count <= most, `${count} documents of ${least} to ${most}`);
    await after.close();
  });
}

function existingIndex(folder: string, name: string): boolean {
  return readdirSync(join(folder, '.lockstitch/search')).some((entry) => entry.startsWith(name));
}

test('an application that is not running is backed up, too', async (context) => {
  const home = temporaryFolder(context);
  const folder = join(home, 'app');
  mkdirSync(folder);
  const app = await startApp(context, { folder, data: join(folder, '.lockstitch'), config });
  await app.graph('mutation { createAuthor(input: { login: "ada" }) { login } }');
  await app.call('/mine/_doc/1', { method: 'PUT', json: { n: 1 } });
  await app.close();
  const original = await identityOf(join(folder, '.lockstitch'));
  const { code, out, err } = await runLine(['backup', folder, '--to', join(home, 'b.tar.gz'), '--json']);
  equal(code, 0, err);
  const report = JSON.parse(out);
  deepEqual([report.indexes, report.database], [['mine'], { kind: 'sqlite', file: '.lockstitch/data.sqlite' }]);
  equal((await runLine(['restore', join(home, 'b.tar.gz'), join(home, 'again')])).code, 0);
  notEqual(
    await identityOf(join(home, 'again/.lockstitch')),
    original,
    'a copy has no index of the original on a cluster',
  );

  const url = `sqlite:${join(home, 'elsewhere.sqlite')}`;
  const elsewhere = await runLine(['restore', join(home, 'b.tar.gz'), join(home, 'third')], { DATABASE_URL: url });
  deepEqual([elsewhere.code, elsewhere.out.includes(`Set DATABASE_URL to ${url}`)], [0, true], elsewhere.err);
  ok(statSync(join(home, 'elsewhere.sqlite')).size > 0);
  const postgres = { DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' };
  const refused = await runLine(['restore', join(home, 'b.tar.gz'), join(home, 'fourth')], postgres);
  match(refused.err, /a database of SQLite[^]*a restore converts nothing[^]*SERVER_RESTORE_WHERE/);
});

/** What tells the database from others that write to the same search cluster. */
async function identityOf(data: string): Promise<string> {
  const store = await openSqliteStore({ file: join(data, 'data.sqlite') });
  const { database } = await openIndexerLeases({ store, prefix: 'app', server: undefined });
  await store.close();
  return database;
}

test('accounts are part of a backup', async (context) => {
  const home = temporaryFolder(context);
  const folder = join(home, 'app');
  mkdirSync(folder);
  const app = await startApp(context, { folder, data: join(folder, '.lockstitch'), config: { userStore: 'sql' } });
  await app.close();
  const added = await runLine(['user', 'add', folder, 'grace', '--roles', 'ADMIN'], {}, 'a long password\n');
  equal(added.code, 0, added.err);
  equal((await runLine(['backup', folder, '--to', join(home, 'b.tar.gz')])).code, 0);
  equal((await runLine(['restore', join(home, 'b.tar.gz'), join(home, 'again')])).code, 0);
  match((await runLine(['user', 'list', join(home, 'again')])).out, /grace/);
});

test('nothing is overwritten, and a backup that is not whole restores nothing', async (context) => {
  const home = temporaryFolder(context);
  const folder = join(home, 'app');
  mkdirSync(folder);
  const app = await startApp(context, { folder, data: join(folder, '.lockstitch'), config });
  await app.close();
  const file = join(home, 'b.tar.gz');
  const missing = await runLine(['backup', folder]);
  deepEqual([missing.code, /--to/.test(missing.err)], [2, true]);
  equal((await runLine(['backup', folder, '--to', file])).code, 0);
  match((await runLine(['backup', folder, '--to', file])).err, /SERVER_BACKUP_EXISTS/);
  match(
    (await runLine(['backup', folder, '--to', join(home, 'no/such/folder.tar.gz')])).err,
    /SERVER_FOLDER_NOT_WRITABLE/,
  );
  match((await runLine(['restore', file, folder])).err, /SERVER_FOLDER_NOT_EMPTY/);
  match((await runLine(['restore', join(home, 'nothing'), join(home, 'x')])).err, /there is no such file/);

  const whole = readFileSync(file);
  const damaged = join(home, 'damaged.tar.gz');
  for (const bytes of [
    whole.subarray(0, whole.length >> 1),
    Buffer.from('no archive'),
    Buffer.alloc(0),
    changed(file),
  ]) {
    writeFileSync(damaged, bytes);
    const refused = await runLine(['restore', damaged, join(home, 'x')]);
    deepEqual([refused.code, /SERVER_BACKUP_UNREADABLE/.test(refused.err)], [1, true], refused.err);
  }
  deepEqual(readdirSync(home).toSorted(), ['app', 'b.tar.gz', 'damaged.tar.gz'], 'a refusal leaves nothing behind');

  const memory = await runLine(['backup', folder, '--to', join(home, 'm.tar.gz'), '--data', ':memory:']);
  match(memory.err, /SERVER_BACKUP_NO_DATA/);
});

test('a place that leads out of the new folder is refused', async (context) => {
  const home = temporaryFolder(context);
  const folder = join(home, 'app');
  mkdirSync(folder);
  const app = await startApp(context, { folder, data: join(folder, '.lockstitch'), config });
  await app.close();
  const file = join(home, 'b.tar.gz');
  equal((await runLine(['backup', folder, '--to', file])).code, 0);
  writeFileSync(
    file,
    repacked(file, (inside) => {
      const manifest = join(inside, 'backup.json');
      writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"data": ".lockstitch"', '"data": "../outside"'));
    }),
  );
  match((await runLine(['restore', file, join(home, 'x')])).err, /SERVER_RESTORE_WHERE/);
  deepEqual(readdirSync(home).toSorted(), ['app', 'b.tar.gz']);
});

/** The archive with another text in a file, as its list does not know it. */
function changed(file: string): Buffer {
  return repacked(file, (inside) => writeFileSync(join(inside, 'app/schema.graphql'), 'type Query { a: Int }'));
}

function repacked(file: string, change: (inside: string) => void): Buffer {
  const inside = temporaryFolder(undefined);
  execFileSync('tar', ['-xzf', file, '-C', inside]);
  change(inside);
  const out = join(temporaryFolder(undefined), 'out.tar.gz');
  execFileSync('tar', ['-czf', out, '-C', inside, 'backup.json', 'app', 'data', 'database.sqlite']);
  return readFileSync(out);
}

test('a database of PostgreSQL is copied by its own tools into an empty database only', async (context) => {
  const cluster = await startClusterOfTools();
  if (typeof cluster === 'string') return context.skip(cluster);
  context.after(() => cluster.stop());
  const [url, target] = [await cluster.database('one'), await cluster.database('two')];
  const home = temporaryFolder(context);
  const folder = join(home, 'app');
  mkdirSync(folder);
  const data = join(folder, '.lockstitch');
  const app = await startApp(context, {
    folder,
    data,
    config: { ...config, database: { url: 'env:SHOP' } },
    environment: { SHOP: url },
  });
  await app.graph('mutation { createAuthor(input: { login: "ada", name: "Ada" }) { login } }');
  const writer = writing(app);
  await writer.reached(5);
  const least = writer.written();
  const file = join(home, 'p.tar.gz');
  const wrong = await runLine(['backup', folder, '--to', file], { SHOP: url.replace(':secret@', ':wrong-secret@') });
  deepEqual([wrong.code, wrong.err.includes('wrong-secret')], [1, false], wrong.err);
  const taken = await runLine(['backup', folder, '--to', file], { SHOP: url });
  equal(taken.code, 0, taken.err);
  await writer.stop();
  await app.close();
  match((await runLine(['restore', file, join(home, 'r')])).err, /SERVER_RESTORE_WHERE/);
  match((await runLine(['restore', file, join(home, 'r'), '--database', url])).err, /SERVER_DATABASE_NOT_EMPTY/);
  const restored = await runLine(['restore', file, join(home, 'r')], { DATABASE_URL: target });
  equal(restored.code, 0, restored.err);
  match(restored.out, /still names the database that was backed up/);
  ok(!restored.out.includes('secret'), 'no password in the output');
  const after = await startApp(context, {
    folder: join(home, 'r'),
    data: join(home, 'r/.lockstitch'),
    config: { ...config, database: { url: 'env:SHOP' } },
    environment: { SHOP: target },
  });
  const { notes } = await after.graph('{ notes(first: 1000) { title } }');
  ok(notes.length >= least, `${notes.length} of at least ${least}`);
  equal((await after.call('/notes/_count')).json.count, notes.length);
  // The next key is free: sequences are restored, too.
  await after.graph('mutation { createNote(input: { title: "later", author: "ada" }) { id } }');
  await after.close();
});
