// Databases and indexes on a cluster that go back to a former state while servers run.
import { deepEqual, match, rejects } from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import type { Change, Feed } from '@lockstitch/graph';

import { followFeed } from '../../src/sync/follow-feed.ts';
import { until } from '../../../kernel/test/until.ts';
import { startApp, type TestApp } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { startCluster } from './fake-cluster.ts';

const kept = Array.from({ length: 6 }, (_, at) => `a${at}`);
const lost = Array.from({ length: 4 }, (_, at) => `lost${at}`);
const later = Array.from({ length: 6 }, (_, at) => `n${at}`);

async function create(app: TestApp, logins: readonly string[]): Promise<void> {
  for (const login of logins) await app.graph(`mutation { createAuthor(input: {login: "${login}"}) { login } }`);
}

/** Takes the database of a running server back to its first changes, as a standby that lacks the last writes. */
function goBack(folder: string, position: number, kept: readonly string[]): void {
  const database = new DatabaseSync(join(folder, 'data', 'data.sqlite'));
  const names = kept.map((login) => `'${login}'`).join();
  database.exec(`BEGIN IMMEDIATE; DELETE FROM lockstitch_feed WHERE position > ${position};
    UPDATE sqlite_sequence SET seq = ${position} WHERE name = 'lockstitch_feed';
    DELETE FROM authors WHERE login NOT IN (${names}); COMMIT`);
  database.close();
}

/** What searches of the embedded engine find; while the index is built again they answer 503. */
async function found(app: TestApp): Promise<readonly string[]> {
  let answer = await app.call('/authors/_search?size=100');
  while (answer.status === 503) {
    match(answer.text, /it is being built from the data/);
    await pause(20);
    answer = await app.call('/authors/_search?size=100');
  }
  return answer.json.hits.hits.map(({ _id }: { readonly _id: string }) => _id).toSorted();
}

async function startOn(context: TestContext, search: object, lines: string[] = []): Promise<TestApp> {
  const folder = temporaryFolder(context);
  const log = {
    write: (level: string, message: string, { error }: { readonly error?: Error } = {}) =>
      void lines.push(`${level} ${message} ${error?.message ?? ''}`),
  };
  return startApp(context, { config: { search }, folder, data: join(folder, 'data'), log });
}

const idsOf = (logins: readonly string[]): readonly string[] => logins.toSorted();

test('an embedded index is built again when its database goes back and writes on while the server runs', async (context) => {
  const lines: string[] = [];
  const app = await startOn(context, {}, lines);
  await create(app, [...kept, ...lost]);
  await until(async () => (await found(app)).length === 10);
  goBack(app.folder, kept.length, kept);
  await create(app, later);
  await until(async () => (await found(app)).includes('n5') && !(await found(app)).includes('lost0'));
  deepEqual(await found(app), idsOf([...kept, ...later]));
  match(lines.join('\n'), /The database has gone back: its changes up to 10 are not those/);
});

test('a feed that has gone back is told once, also where it has come to the same position again', async () => {
  const entry = (position: number, key: string): Change => ({
    position,
    key,
    type: 'Note',
    operation: 'created',
    at: '',
    principal: '',
  });
  let entries = [entry(1, 'a'), entry(2, 'b')];
  const read: Feed['read'] = (after) => Promise.resolve(entries.filter(({ position }) => position > after));
  const feed = followFeed({ head: () => Promise.resolve(entries.length), read });
  deepEqual((await feed.read(0)).length, 2);
  entries = [entry(1, 'a'), entry(2, 'c')];
  await rejects(feed.read(2), { code: 'SERVER_FEED_GONE_BACK' });
  deepEqual(await feed.read(2), []);
});

test('an index on a cluster is built again when its database goes back while the server runs', async (context) => {
  const { cluster, url } = await startCluster(context);
  const lines: string[] = [];
  const app = await startOn(context, { engine: 'opensearch', nodes: [url] }, lines);
  const ids = (): readonly string[] => cluster.ids('lockstitch-authors');
  await create(app, [...kept, ...lost]);
  await until(() => ids().length === 10);
  goBack(app.folder, kept.length, kept);
  await until(() => ids().length === 6);
  await create(app, later);
  await until(() => ids().length === 12);
  deepEqual(ids(), idsOf([...kept, ...later]));
});

test('an index on a cluster is built again when its database has gone back and further than before', async (context) => {
  const { cluster, url } = await startCluster(context);
  const app = await startOn(context, { engine: 'opensearch', nodes: [url] });
  const ids = (): readonly string[] => cluster.ids('lockstitch-authors');
  await create(app, [...kept, ...lost]);
  await until(() => ids().length === 10);
  goBack(app.folder, kept.length, kept);
  await create(app, later);
  await until(() => ids().includes('n5') && !ids().includes('lost0'));
  deepEqual(ids(), idsOf([...kept, ...later]));
});

test('a snapshot that is restored over an index, with servers running or stopped, is noticed, and the index built again', async (context) => {
  const { cluster, url } = await startCluster(context);
  const search = { engine: 'opensearch', nodes: [url] };
  const app = await startOn(context, search);
  const ids = (): readonly string[] => cluster.ids('lockstitch-authors');
  const position = (): unknown => {
    const [[, control] = []] = [...cluster.indexes].filter(([name]) => name === 'lockstitch.control');
    const [generation] = cluster.names('lockstitch-authors-');
    return (control?.documents.get(generation!)?.source as { readonly position?: number } | undefined)?.position;
  };
  await create(app, kept);
  await until(() => ids().length === 6 && position() === 6);
  const control = cluster.indexes.get('lockstitch.control')!;
  const snapshot = {
    documents: new Map(cluster.published('lockstitch-authors')[0]!.documents),
    positions: new Map(control.documents),
  };
  const restore = (): void => {
    const authors = cluster.published('lockstitch-authors')[0]!;
    authors.documents = new Map(snapshot.documents);
    authors.history = 'of the snapshot';
  };
  await create(app, later);
  await until(() => ids().length === 12 && position() === 12);
  restore();
  control.documents = snapshot.positions;
  await until(() => ids().length === 12);
  deepEqual(ids(), idsOf([...kept, ...later]));

  await app.close();
  restore();
  await startApp(context, { config: { search }, folder: app.folder, data: join(app.folder, 'data') });
  deepEqual(ids(), idsOf([...kept, ...later]));
});

test('a server does not take itself for another one where it builds indexes while it writes', async (context) => {
  const { cluster, url } = await startCluster(context);
  const lines: string[] = [];
  const app = await startOn(context, { engine: 'opensearch', nodes: [url] }, lines);
  await create(app, kept);
  let writes = 0;
  // A write between the builds of both indexes.
  cluster.before = async ({ target }) => {
    if (/^PUT \/lockstitch-[a-z]+-[\da-f]+-g[^/]*$/.test(target)) await create(app, [`later${writes++}`]);
    return undefined;
  };
  for (const name of cluster.indexes.keys()) cluster.indexes.delete(name);
  await until(() => cluster.ids('lockstitch-authors').length === 8 && cluster.published('lockstitch-notes').length > 0);
  deepEqual([writes, lines.filter((line) => line.includes('Another server'))], [2, []]);
});
