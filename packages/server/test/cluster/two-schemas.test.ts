// Servers of two schemas on one search cluster, after one another and side by side, and what nobody needs any more.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { openPostgresStore } from '@lockstitch/graph';
import { silentLog } from '@lockstitch/kernel';

import { ClusterClient } from '../../src/cluster/cluster-client.ts';
import { Generations } from '../../src/cluster/generations.ts';
import { UnusedGenerations } from '../../src/cluster/unused-generations.ts';
import { openIndexerLeases } from '../../src/fleet/indexer-lease.ts';
import { until } from '../../../kernel/test/until.ts';
import { runLine } from '../cli/run-here.ts';
import { freshDatabase } from '../fresh-database.ts';
import { NOTES_SCHEMA, startApp, type TestApp } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { type FakeCluster, idsIn, type KeptIndex, startCluster } from './fake-cluster.ts';
import { ledIndexes } from './led-indexes.ts';

const WIDER = NOTES_SCHEMA.replace('age: Int ', 'age: Int @search ');
/** The index of its authors is that of the first schema. */
const LABELLED = NOTES_SCHEMA.replace('likes: Int @search', 'likes: Int @search  label: String @search');

const create = (app: TestApp, login: string): Promise<unknown> =>
  app.graph(`mutation { createAuthor(input: {login: "${login}"}) { login } }`);

/** Ids that the generations of an index hold: of a schema without a field, and of one with it. */
function heldIn(cluster: FakeCluster, index: string, field: string): readonly (readonly string[])[] {
  const has = ({ definition }: KeptIndex): boolean => JSON.stringify(definition.mappings).includes(`"${field}"`);
  const all = cluster.published(`lockstitch-${index}`);
  return [false, true].map((isWider) => all.filter((each) => has(each) === isWider).flatMap(idsIn));
}

const stateOf = async ({ app }: TestApp): Promise<unknown> =>
  (await app.status()).indexes.find(({ name }) => name === 'authors')?.state;

test('the index of a former schema follows the data while it is searched during the build, cut to its fields', async (context) => {
  const { cluster, url } = await startCluster(context);
  const folder = temporaryFolder(context);
  const start = (schema: string): Promise<TestApp> =>
    startApp(context, {
      config: { search: { engine: 'opensearch', nodes: [url] } },
      folder,
      data: join(folder, 'data'),
      schema,
    });
  const before = await start(NOTES_SCHEMA);
  await create(before, 'ann');
  await create(before, 'bob');
  await until(() => cluster.ids('lockstitch-authors').length === 2);
  await before.close();

  const { promise, resolve } = Promise.withResolvers<undefined>();
  cluster.before = ({ target }) => (/^PUT \/lockstitch-authors-[^/]*-g[^/]*$/.test(target) ? promise : undefined);
  const app = await start(WIDER);
  equal(await stateOf(app), 'stale');
  const sent = { headers: { 'lockstitch-wait': '60000' } };
  const query = 'mutation { updateAuthor(login: "ann", input: {name: "Ann", age: 7}) { login } }';
  equal((await app.call('/graphql', { ...sent, json: { query } })).headers['lockstitch-searchable'], 'true');
  const [former] = cluster.published('lockstitch-authors');
  const { _key, _order, ...source } = former!.documents.get('ann')!.source as Readonly<Record<string, unknown>>;
  deepEqual(source, { login: 'ann', name: 'Ann' });
  resolve(undefined);
  await until(async () => (await stateOf(app)) === 'current');
  deepEqual(heldIn(cluster, 'authors', 'age')[1], ['ann', 'bob']);
  let written = '';
  await until(async () => {
    await create(app, (written = `${written}c`));
    await until(() => heldIn(cluster, 'authors', 'age')[1]!.includes(written));
    return !heldIn(cluster, 'authors', 'age')[0]!.includes(written);
  });

  // What another schema wrote may have other sources: after going back it is not taken for what this one built.
  await app.close();
  const back = await start(NOTES_SCHEMA);
  equal(await stateOf(back), 'current');
  deepEqual(heldIn(cluster, 'authors', 'age')[0], heldIn(cluster, 'authors', 'age')[1]);
  ok(!cluster.published('lockstitch-authors').includes(former!));
});

test('a server of the former schema that comes back while its index is taken over finds it unadapted', async (context) => {
  const database = await freshDatabase();
  if (!database.startsWith('postgres:')) return context.skip(database);
  const { cluster, url } = await startCluster(context);
  const config = { search: { engine: 'opensearch', nodes: [url] }, database: { url: database }, servers: 'several' };
  const before = await startApp(context, { config, schema: NOTES_SCHEMA });
  await create(before, 'ann');
  await until(() => cluster.ids('lockstitch-authors').length === 1);
  await before.close();
  const [former] = cluster.published('lockstitch-authors');
  const [alias] = [...former!.aliases].filter((each) => !each.includes('-W'));
  const written = structuredClone(former!.documents);
  const store = await openPostgresStore({ url: database });
  context.after(() => store.close());
  let comings = 0;
  cluster.before = async ({ body, target }) => {
    const isMark = target.startsWith('PUT /lockstitch.control/_doc/lockstitch-authors-') && body.includes('isAdapted');
    if (isMark && comings++ === 0)
      await store.script(`INSERT INTO lockstitch_servers (id, name, version, schema, uses_schema, indexes, seen)
        VALUES ('back', 'back', '0', 'former', true, '["${alias}"]', now() + interval '1 hour')`);
    return undefined;
  };
  const app = await startApp(context, { config, schema: WIDER });
  await app.graph('mutation { updateAuthor(login: "ann", input: {name: "Ann", age: 7}) { login } }');
  await create(app, 'bob');
  await until(() => heldIn(cluster, 'authors', 'age')[1]!.length === 2);
  equal(comings, 1, 'it had begun to take the index over');
  deepEqual(former!.documents, written);
});

test('servers of two schemas each follow the data, whoever of them ends', async (context) => {
  const database = await freshDatabase();
  if (!database.startsWith('postgres:')) return context.skip(database);
  const { cluster, url } = await startCluster(context);
  const users = [{ username: 'user', password: '{noop}correct horse', roles: ['ADMIN'] }];
  const config = {
    search: { engine: 'opensearch', nodes: [url] },
    database: { url: database },
    servers: 'several',
    users,
    passwordEncoder: 'delegating',
  };
  const start = (schema: string): Promise<TestApp> => startApp(context, { config, schema });
  const [first, second] = [await start(NOTES_SCHEMA), await start(NOTES_SCHEMA)];
  const third = await start(LABELLED);
  const both = await ledIndexes(first);
  deepEqual([both, await ledIndexes(second), await ledIndexes(third)], [['notes', 'authors'], [], ['notes']]);
  await create(second, 'ann');
  const write = (app: TestApp): Promise<unknown> =>
    app.graph('mutation { createNote(input: {title: "t", author: "ann"}) { id } }');
  const holds = (...wanted: readonly (readonly string[])[]): Promise<void> =>
    until(() => JSON.stringify(heldIn(cluster, 'notes', 'label')) === JSON.stringify(wanted));
  await write(second);
  await write(third);
  await holds(['1', '2'], ['1', '2']);
  equal(cluster.names('lockstitch-authors-').length, 1, 'what both share is built once');
  // A command beside the servers, which has no server in its data folder.
  const beside = await runLine(['index', 'verify', second.folder], {});
  match(beside.err, /Another server, \S+ \(process \d+, [\da-f]{8}\), writes to the index notes/);
  deepEqual([await ledIndexes(first), await ledIndexes(third)], [both, ['notes']]);
  await first.close();
  await write(third);
  await third.graph('mutation { deleteNote(id: 1) { id } }');
  await holds(['2', '3'], ['2', '3']);
  ok((await ledIndexes(second)).includes('notes'));
  await third.close();
  await write(second);
  await holds(['2', '3', '4'], ['2', '3']);
  deepEqual(cluster.ids('lockstitch-authors'), ['ann']);
});

test('generations that nobody uses are dropped, and only those that a server of this database led', async (context) => {
  const { cluster, url } = await startCluster(context);
  const client = new ClusterClient({ nodes: [url] });
  context.after(() => client.close());
  const { feed, store } = (await startApp(context)).app.graph;
  const generations = new Generations(client, 'app');
  const create = (definition: string): Promise<string> => generations.create(definition, generations.newName(), {});
  const leases = await openIndexerLeases({ store, prefix: 'app', server: undefined });
  await leases.acquire(['notes-a', 'notes-b', 'notes-c'], 1);
  const [published, replaced, built] = [await create('notes-a'), await create('notes-a'), await create('notes-a')];
  await generations.lead(published, 1);
  await generations.publish('notes-a', published, 1);
  const others = [await create('notes-b'), await create('notes-b')];
  const elsewhere = [await create('notes-c'), await create('notes-d')];
  const readerName = (definition: string): string => `cluster-${definition}`;
  for (const name of ['notes-a', 'notes-b', 'notes-b/notes', 'notes-bb'])
    await feed.reader(readerName(name)).advance(1);
  const used = new Set(['notes-a', 'notes-c']);
  const parts = { generations, feed, used: () => Promise.resolve(used), readerName, log: silentLog };
  const led = new Map([['notes-a', new Set([published, built])]]);
  const left = (): readonly string[] => cluster.names('app-').toSorted();

  const patient = new UnusedGenerations(parts);
  await patient.drop(leases, led);
  await patient.drop(leases, led);
  deepEqual(left(), [published, replaced, built, ...others, ...elsewhere].toSorted());
  await new UnusedGenerations({ ...parts, kept: 0 }).drop(leases, led);
  deepEqual(left(), [published, built, ...elsewhere].toSorted());
  deepEqual((await leases.definitions()).toSorted(), ['notes-a', 'notes-c']);
  const readers = (await feed.readers()).map(({ name }) => name).filter((name) => name.startsWith('cluster-'));
  deepEqual(readers, ['cluster-notes-a', 'cluster-notes-bb']);
});
