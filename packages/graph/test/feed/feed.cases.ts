import { deepEqual, equal, rejects } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { createPrincipal, systemClock } from '@lockstitch/kernel';
import { SOURCE_FLAGS } from '../../../kernel/test/source-flags.ts';
import { createFeed } from '../../src/feed/feed.ts';
import type { Store } from '../../src/store/store.ts';
import { openPostgresStore } from '../../src/store/store-postgres.ts';
import { openSqliteStore } from '../../src/store/store-sqlite.ts';
import { freshSchema, postgresUrl, testOnStores } from '../stores.ts';
import { openWriting, type Writing } from '../writing.ts';

async function addUsers(writing: Writing, count: number, prefix = 'u'): Promise<void> {
  for (let index = 0; index < count; index++) await writing.run(`addUser(githubLogin: "${prefix}${index}")`);
}

testOnStores('a change contains principal, object and time, and pages follow each other', async (store) => {
  const writing = await openWriting(store);
  equal(await writing.feed.head(), 0);
  deepEqual(await writing.feed.read(0), []);
  await writing.run('addUser(githubLogin: "a")', { principal: createPrincipal('ann') });
  await addUsers(writing, 4);
  const [first] = await writing.feed.read(0, 1);
  deepEqual([first!.type, first!.key, first!.operation, first!.principal], ['User', 'a', 'created', 'ann']);
  equal(new Date(first!.at).toISOString(), first!.at);
  const rest = await writing.feed.read(first!.position);
  deepEqual(
    rest.map((change) => change.key),
    ['u0', 'u1', 'u2', 'u3'],
  );
  equal(rest.at(-1)!.position, await writing.feed.head());
});

testOnStores('a commit wakes waiters, a rollback does not', async (store) => {
  const writing = await openWriting(store);
  const woken = writing.feed.wait(0).then(() => 'woken');
  await rejects(writing.run('deleteUser(githubLogin: "nobody")'));
  equal(await Promise.race([woken, Promise.resolve('asleep')]), 'asleep');
  await addUsers(writing, 1);
  equal(await woken, 'woken');
  await writing.feed.wait(0);
});

testOnStores('an aborted wait rejects with the reason', async (store) => {
  const writing = await openWriting(store);
  const controller = new AbortController();
  const waiting = writing.feed.wait(0, controller.signal);
  controller.abort(new Error('enough'));
  await rejects(waiting, /enough/);
  await rejects(writing.feed.wait(0, controller.signal), /enough/);
});

testOnStores('readers keep their positions, and trimming stops at the slowest or at the maximum', async (store) => {
  const writing = await openWriting(store);
  await addUsers(writing, 10);
  const positions = (await writing.feed.read(0)).map((change) => change.position);
  const index = writing.feed.reader('index');
  const audit = writing.feed.reader('audit');
  equal(await index.position(), 0);
  await index.advance(positions[6]!);
  await audit.advance(positions[3]!);
  await audit.advance(positions[1]!);
  equal(await audit.position(), positions[3]);
  deepEqual(
    (await writing.feed.readers()).map((reader) => reader.name),
    ['audit', 'index'],
  );

  equal(await writing.feed.trim(), 0, 'few entries are kept for subscribers who resume');
  equal(await writing.feed.trim({ keep: 0 }), 4);
  deepEqual((await writing.feed.read(positions[3]!)).length, 6);
  await rejects(writing.feed.read(0), (error: Error & { code?: string }) => error.code === 'GRAPH_FEED_TRIMMED');

  equal(await writing.feed.trim({ atMost: 2 }), 4);
  await audit.remove();
  await index.advance(positions[9]!);
  equal(await writing.feed.trim({ keep: 0 }), 1, 'the newest entry stays');
  equal(await writing.feed.head(), positions[9]);
  await addUsers(writing, 1, 'later');
  deepEqual(
    (await writing.feed.read(positions[9]!)).map((change) => change.key),
    ['later0'],
  );
});

testOnStores('a dead reader keeps the feed up to the maximum, and is then deleted', async (store) => {
  const writing = await openWriting(store);
  await addUsers(writing, 20);
  const positions = (await writing.feed.read(0)).map((change) => change.position);
  await writing.feed.reader('dead').advance(positions[1]!);
  const alive = writing.feed.reader('alive');
  await alive.advance(positions[19]!);
  equal(await writing.feed.trim({ keep: 0, atMost: 100 }), 2, 'within the bound it is waited for');
  await writing.feed.trim({ keep: 0, atMost: 5 });
  equal((await writing.feed.read(positions[14]!)).length, 5, 'the newest stay');
  deepEqual(await writing.feed.readers(), [{ name: 'alive', position: positions[19] }]);
  equal(await writing.feed.trim({ keep: 0, atMost: 5 }), 4, 'nobody is waited for any more');
  equal(await writing.feed.reader('dead').position(), 0);
});

/** Two stores on one database simulate two processes. */
async function checkTwoProcesses(open: () => Promise<Store>): Promise<void> {
  const [here, there] = [await open(), await open()];
  const writing = await openWriting(here);
  const other = createFeed(there, systemClock);
  const keepAlive = setInterval(() => undefined, 1000);
  const woken = other.wait(0);
  await addUsers(writing, 1);
  await woken;
  deepEqual(
    (await other.read(0)).map((change) => change.key),
    ['u0'],
  );
  clearInterval(keepAlive);
  await here.close();
  await there.close();
}

test('SQLite: a reader in another process is woken', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'feed-'));
  await checkTwoProcesses(() => openSqliteStore({ file: join(folder, 'data.db') }));
  await rm(folder, { recursive: true, force: true });
});

test('SQLite: a reader in another process gets every change', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'feed-'));
  const file = join(folder, 'data.db');
  const store = await openSqliteStore({ file });
  const writing = await openWriting(store);
  const child = spawn(process.execPath, [...SOURCE_FLAGS, join(import.meta.dirname, 'reader-child.ts'), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    equal((await lines.next()).value, 'waiting');
    for (let number = 0; number < 5; number++) {
      await writing.run(`addUser(githubLogin: "u${number}")`);
      equal((await lines.next()).value, `u${number}`);
    }
  } finally {
    child.kill();
    await once(child, 'exit');
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
});

test('PostgreSQL: a reader in another process is woken', async (t) => {
  const url = await postgresUrl();
  if (!url.startsWith('postgres:')) return t.skip(url);
  const schema = freshSchema();
  await checkTwoProcesses(() => openPostgresStore({ url, schema }));
});

test('PostgreSQL: a reader misses no change of overlapping transactions', async (t) => {
  const url = await postgresUrl();
  if (!url.startsWith('postgres:')) return t.skip(url);
  const store = await openPostgresStore({ url, schema: freshSchema() });
  const writing = await openWriting(store);
  const seen: string[] = [];
  let position = 0;
  let writingDone = false;
  const reading = (async () => {
    for (;;) {
      const finished = writingDone;
      const changes = await writing.feed.read(position);
      for (const change of changes) seen.push(change.key);
      position = changes.at(-1)?.position ?? position;
      if (finished && changes.length === 0) return;
    }
  })();
  await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((prefix) => addUsers(writing, 15, prefix)));
  writingDone = true;
  await reading;
  equal(new Set(seen).size, 120);
  equal(seen.length, 120);
  await store.close();
});
