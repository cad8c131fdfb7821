// A server whose search cluster does not answer, or cannot be used.
import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { AS_USER, NOTES_SCHEMA, startApp } from '../start-app.ts';
import { type Received, startCluster, startNode } from './fake-cluster.ts';

const on = (url: string, more = {}): Readonly<Record<string, unknown>> => ({
  search: { engine: 'opensearch', nodes: [url], ...more },
});

const SEARCHED = NOTES_SCHEMA.replace(
  'type Query {',
  'type Query { searchAuthors(query: String!, first: Int = 10): AuthorSearchConnection ',
);

test('without its cluster a server starts and serves GraphQL, and search says 503', async (context) => {
  const lines: string[] = [];
  const node = await startNode(context, () => 'cut');
  const log = { write: (level: string, message: string) => void lines.push(`${level} ${message}`) };
  const app = await startApp(context, { config: on(node.url), log, schema: SEARCHED });
  await app.graph('mutation { createAuthor(input: {login: "ada"}) { login } }');
  match(lines.join('\n'), /error Search is unavailable until the search cluster can be used/);
  const found = await app.call('/authors/_search');
  equal(found.status, 503, found.text);
  const asField = await app.call('/graphql', {
    json: { query: '{ searchAuthors(query: "ada") { totalCount } author(login: "ada") { login } }' },
  });
  equal(asField.json.errors[0].extensions.code, 'SERVER_SEARCH_AWAY', asField.text);
  deepEqual(asField.json.data, { searchAuthors: null, author: { login: 'ada' } });
  match(asField.json.errors[0].message, /^The search does not answer: /);
  equal((await app.call('/readyz')).status, 200);
  const ready = await app.call('/readyz?door=search');
  equal(ready.status, 503, ready.text);
  const { text } = await app.call('/metrics');
  match(text, /\nlockstitch_index_lag_changes 1\n/);
  match(text, /\nlockstitch_index_trouble 1\n/);
  for (const index of ['authors', 'notes'])
    match(text, new RegExp(`\nlockstitch_index_leader\\{index="${index}",definition="${index}-[0-9a-f]+"\\} 0\n`));
  const asked = node.received.length;
  while (node.received.length === asked) await pause(20);
});

test('a caller who leaves ends the search on the cluster, by either door', { timeout: 25_000 }, async (context) => {
  const { cluster, url } = await startCluster(context);
  // Nothing else ends it before the time of the test.
  const config = { ...on(url, { maxSearchTime: 600_000 }), graph: { limits: { time: 600_000 } } };
  const app = await startApp(context, { config, schema: SEARCHED });
  const queries = [
    '{ searchAuthors(query: "ada") { totalCount } }',
    '{ searchAuthors(query: "ada") { nodes { login } } }',
  ];
  const search = { query: { match: { login: 'ada' } } };
  const posted = [
    ...queries.map((query) => ['/graphql', { query }] as const),
    ['/authors/_search', search],
    ['/authors/_search?scroll=1m', search],
    ['/authors/_count', search],
    ['/authors/_mget', { ids: ['ada'] }],
  ] as const;
  const lines = `{"index":"authors"}\n${JSON.stringify(search)}\n`;
  const doors = [
    ...posted.map(([path, body]) => ['POST', path, JSON.stringify(body), 'application/json'] as const),
    ['POST', '/_msearch', lines, 'application/x-ndjson'],
    ['GET', '/authors/_doc/ada', undefined, 'application/json'],
    ['HEAD', '/authors/_doc/ada', undefined, 'application/json'],
    ['GET', '/authors/_source/ada', undefined, 'application/json'],
  ] as const;
  for (const [method, path, body, type] of doors) {
    const { promise, resolve } = Promise.withResolvers<Received>();
    cluster.before = (received) => {
      if (!/\/_search\b/.test(received.target)) return undefined;
      resolve(received);
      return 'hang';
    };
    const leaving = new AbortController();
    const headers = { ...AS_USER, 'content-type': type };
    const asked = fetch(app.url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      signal: leaving.signal,
    });
    const { closed } = await promise;
    leaving.abort();
    await rejects(asked, { name: 'AbortError' });
    await closed;
  }
  cluster.before = () => undefined;
});

test('a cluster of another kind or version, or that wants other credentials, is refused at the start', async (context) => {
  const version = (distribution: string | undefined, number: string) => () => ({
    status: 200,
    body: { version: { ...(distribution && { distribution }), number } },
  });
  const cases = [
    [version(undefined, '7.10.2'), 'SERVER_CLUSTER_KIND'],
    [version('opensearch', '1.3.0'), 'SERVER_CLUSTER_VERSION'],
    [() => ({ status: 401 }), 'SERVER_CLUSTER_DENIED'],
  ] as const;
  for (const [answer, code] of cases) {
    const node = await startNode(context, answer);
    await rejects(startApp(context, { config: on(node.url) }), { code });
  }
  const node = await startNode(context, version('opensearch', '2.19.1'));
  const config = on(node.url, { auth: { apiKey: 'env:NOT_SET' } });
  await rejects(startApp(context, { config }), { code: 'SERVER_CLUSTER_UNNAMED' });
});

test('a server is not ready for searches while one of its indexes is missing, and says which', async (context) => {
  const { cluster, url } = await startCluster(context);
  const app = await startApp(context, { config: on(url) });
  equal((await app.call('/readyz?door=search')).status, 200);
  cluster.before = ({ target }) => (/^PUT \/lockstitch-notes-g[^/]*$/.test(target) ? { status: 429 } : undefined);
  for (const name of cluster.names('lockstitch-notes-')) cluster.indexes.delete(name);
  while ((await app.call('/readyz?door=search')).status !== 503) await pause(20);
  const missing = await app.call('/notes/_search');
  equal(missing.status, 503);
  match(missing.text, /the index \[notes\] is not there/);
  equal((await app.call('/readyz')).status, 200);
  cluster.before = () => undefined;
  while ((await app.call('/readyz?door=search')).status !== 200) await pause(20);
});

test('a new database with a seed starts beside the indexes of another one, and builds its own with a warning', async (context) => {
  const { cluster, url } = await startCluster(context);
  const former = await startApp(context, { config: on(url) });
  for (const login of ['ada', 'bob', 'cyd'])
    await former.graph(`mutation { createAuthor(input: {login: "${login}"}) { login } }`);
  while (cluster.ids('lockstitch-authors').length < 3) await pause(20);
  await former.close();
  // Its claim has stood still for long: a new database waits 20 s for that.
  for (const [name, { documents }] of cluster.indexes) if (name.endsWith('.control')) documents.delete('claim');
  const lines: string[] = [];
  const log = { write: (level: string, message: string) => void lines.push(`${level} ${message}`) };
  const seed = `export default async ({ write }) => write('Author', [{ login: 'eve' }]);`;
  await startApp(context, { config: { ...on(url), seed: './seed.mjs' }, files: { 'seed.mjs': seed }, log });
  deepEqual(cluster.ids('lockstitch-authors'), ['eve']);
  match(lines.join('\n'), /warn The database is older than its index on the search cluster, or another one/);
});
