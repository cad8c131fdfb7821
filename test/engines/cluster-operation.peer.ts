// What operators and outages do to a search cluster: it freezes, or a snapshot is restored. Servers notice, and the indexes are those of
// the data again.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import pg from 'pg';

import { startCluster as startFakeCluster } from '../../packages/server/test/cluster/fake-cluster.ts';
import { ledIndexes } from '../../packages/server/test/cluster/led-indexes.ts';
import { freshDatabase } from '../../packages/server/test/fresh-database.ts';
import { NOTES_SCHEMA, startApp, type TestApp } from '../../packages/server/test/start-app.ts';
import { temporaryFolder } from '../../packages/server/test/temporary-folder.ts';
import { askIndexControl } from '../../packages/server/src/sync/index-control.ts';
import { type Place, startPlace } from './cluster-notes.ts';
import { CHOSEN, type Engine } from './engines.ts';

const SCHEMA = NOTES_SCHEMA.replace(
  'type Query {',
  'type Query { searchAuthors(query: String!, first: Int = 10): AuthorSearchConnection ',
);
/** Milliseconds that an operation may take in all. */
const OPERATION = 10_000;

interface OperatedPlace extends Place {
  /** Starts a server. @param data the data folder */
  readonly start: (prefix: string, data?: string, lines?: string[]) => Promise<TestApp & { readonly data: string }>;
}

async function startOperatedPlace(context: TestContext, engine: Engine): Promise<OperatedPlace | undefined> {
  const place = await startPlace(context, engine);
  return (
    place && {
      ...place,
      async start(prefix, data = join(temporaryFolder(context), 'data'), lines = []) {
        const times = { commitInterval: 50, refreshInterval: 50 };
        const app = await startApp(context, {
          folder: temporaryFolder(context),
          data,
          schema: SCHEMA,
          config: {
            search: { engine: place.kind, nodes: [place.cluster.url], prefix, replicas: 0, ...times },
            csrf: { enabled: false },
          },
          log: {
            write: (level, message, { error } = {}) =>
              void lines.push(`${level} ${message} ${error instanceof Error ? error.message : ''}`),
          },
        });
        return { ...app, data };
      },
    }
  );
}

/** Creates authors, and waits until searches find them. */
async function create(app: TestApp, ...logins: readonly string[]): Promise<void> {
  for (const login of logins) await app.graph(`mutation { createAuthor(input: {login: "${login}"}) { login } }`);
  await until(async () => (await found(app)).includes(logins.at(-1)!));
}

async function found(app: TestApp): Promise<readonly string[]> {
  const { json } = await app.call('/authors/_search?size=100');
  return ((json.hits?.hits ?? []) as readonly { readonly _id: string }[]).map(({ _id }) => _id).toSorted();
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(100);
}

const verify = async (data: string): Promise<readonly number[]> => {
  const { reports } = (await askIndexControl(data, { kind: 'verify', indexes: [], mend: false }, () => undefined))!;
  return reports.map(({ changed, missing, surplus }) => changed + missing + surplus);
};

for (const engine of CHOSEN) {
  test(`a cluster that an operator has to look after: ${engine.name}`, { timeout: 300_000 }, async (context) => {
    const place = await startOperatedPlace(context, engine);
    if (place === undefined) return;
    const { ask, cluster, start } = place;

    await context.test('a frozen cluster is shown as trouble, and holds up no start, stop or command', async () => {
      const lines: string[] = [];
      const app = await start('frozen', undefined, lines);
      await create(app, 'ada');
      cluster.nodes[0]!.pause();
      try {
        // Nobody knows yet that it is frozen.
        for (const mostly of [OPERATION, 1000]) {
          const begin = performance.now();
          const both = '{ searchAuthors(query: "ada") { totalCount } author(login: "ada") { login } }';
          const { json, text } = await app.call('/graphql', { json: { query: both } });
          assert.equal(json.errors?.[0].extensions.code, 'SERVER_SEARCH_AWAY', text);
          assert.deepEqual(json.data, { searchAuthors: null, author: { login: 'ada' } });
          assert.ok(performance.now() - begin < mostly, text);
        }
        const query = 'mutation { createAuthor(input: {login: "bob"}) { login } }';
        assert.equal((await app.call('/graphql', { json: { query } })).status, 200);
        for (const kind of ['verify', 'rebuild'] as const)
          await assert.rejects(
            askIndexControl(app.data, { kind, indexes: [], mend: true }, () => undefined),
            {
              code: /^SERVER_CLUSTER_(?:UNREACHABLE|STALLED)$/,
            },
          );
        await until(async () => (await app.call('/metrics')).text.includes('\nlockstitch_index_trouble 1\n'));
        await until(async () => (await app.call('/readyz?door=search')).status === 503);
        assert.equal((await app.call('/readyz')).status, 200);
        const other = await start('other', undefined, lines);
        assert.equal((await other.call('/readyz?door=search')).status, 503);
        await other.close();
        await app.close();
      } finally {
        cluster.nodes[0]!.resume();
      }
      const again = await start('frozen', app.data);
      await until(async () => (await found(again)).length === 2);
      assert.deepEqual(await verify(app.data), [0, 0]);
      assert.ok(lines.filter((line) => line.includes('no whole answer')).length <= 2, lines.join('\n'));
      await again.close();
    });

    await context.test('a copy of an application that runs leaves the prefix to it, until it ends', async () => {
      const original = await start('living');
      await create(original, 'ada');
      await original.close();
      const folder = join(temporaryFolder(context), 'copy');
      cpSync(original.data, folder, { recursive: true });
      const again = await start('living', original.data);
      const lines: string[] = [];
      const copy = await start('living', folder, lines);
      await copy.graph('mutation { createAuthor(input: {login: "of-the-copy"}) { login } }');
      await until(() => Promise.resolve(lines.some((line) => line.includes('Another application writes under'))));
      for (let write = 0; write < 3; write++) {
        await create(again, `later-${write}`);
        assert.equal((await copy.call('/authors/_search')).status, 503);
        assert.equal((await copy.call('/readyz?door=search')).status, 503);
      }
      assert.deepEqual(await verify(again.data), [0, 0]);
      await again.close();
      await until(async () => (await copy.call('/authors/_search')).status === 200);
      assert.deepEqual(await found(copy), ['ada', 'of-the-copy']);
      assert.deepEqual(await verify(copy.data), [0, 0]);
      await copy.close();
    });

    await context.test('a snapshot that is restored is noticed, with a server running or stopped', async () => {
      const names = 'snap-*,snap.control';
      await ask('PUT', '/_snapshot/kept', { type: 'fs', settings: { location: 'kept' } });
      const lines: string[] = [];
      const app = await start('snap', undefined, lines);
      await create(app, 'ada', 'bob');
      await ask('PUT', '/_snapshot/kept/one?wait_for_completion=true', { indices: names });
      await create(app, 'cyd');
      await app.graph('mutation { updateAuthor(login: "ada", input: { name: "Ada" }) { login } }');
      const generation = async (): Promise<string | undefined> => {
        const all = (await ask('GET', '/snap-authors-*/_alias')) as Readonly<Record<string, { aliases: object }>>;
        // The others have aliases to write through alone.
        return Object.keys(all).find((name) => Object.keys(all[name]!.aliases).some((alias) => !/-W\d+$/.test(alias)));
      };
      const restore = async (): Promise<void> => {
        await ask('POST', `/${names}/_close`);
        await ask('POST', '/_snapshot/kept/one/_restore?wait_for_completion=true', { indices: names });
      };
      const before = await generation();
      await restore();
      await until(async () => (await found(app)).length === 3 && (await generation()) !== before);
      await until(async () => (await app.app.status()).indexes.every(({ state }) => state === 'current'));
      assert.deepEqual(await verify(app.data), [0, 0]);
      await create(app, 'dan');
      await app.close();

      for (const name of Object.keys(await ask('GET', `/${names}`))) await ask('DELETE', `/${name}`);
      await ask('POST', '/_snapshot/kept/one/_restore?wait_for_completion=true', { indices: names });
      const again = await start('snap', app.data, lines);
      assert.deepEqual(await found(again), ['ada', 'bob', 'cyd', 'dan']);
      assert.deepEqual(await verify(app.data), [0, 0]);
    });
  });
}

test(
  'a server that cannot renew its lease ends its work, and goes on once it can',
  { timeout: 120_000 },
  async (context) => {
    const url = await freshDatabase();
    if (!url.startsWith('postgres:')) return context.skip('PostgreSQL is not there');
    const { cluster, url: node } = await startFakeCluster(context);
    const config = { servers: 'several', database: { url }, search: { engine: 'opensearch', nodes: [node] } };
    const app = await startApp(context, { config });
    await until(async () => (await ledIndexes(app)).length > 0);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    context.after(() => other.end());
    await other.query('BEGIN');
    await other.query('SELECT * FROM lockstitch_indexers FOR UPDATE');
    await until(async () => (await ledIndexes(app)).length === 0);
    const asked = (): boolean => cluster.ids('lockstitch-authors').includes('ada');
    await app.graph('mutation { createAuthor(input: {login: "ada"}) { login } }');
    assert.equal(asked(), false);
    await other.query('ROLLBACK');
    await until(() => Promise.resolve(asked()));
  },
);
