// The whole server over a real PostgreSQL: it writes, searches, refuses a duplicate, and starts again where it was.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { postgresUrl } from '../../graph/test/stores.ts';
import { freshDatabase } from './fresh-database.ts';
import { startApp } from './start-app.ts';
import { temporaryFolder } from './temporary-folder.ts';

test('an application over PostgreSQL writes, searches and starts again where it was', async (context) => {
  const url = await postgresUrl();
  if (!url.startsWith('postgres:')) return context.skip(url);
  const folder = temporaryFolder(context);
  const options = { folder, data: 'data', config: { database: { url }, search: { refreshInterval: 1 } } };

  const first = await startApp(context, options);
  match(first.app.graph.store.description, /^postgres:\/\/postgres@127\.0\.0\.1:\d+\/postgres$/);
  await first.graph('mutation { createAuthor(input: {login: "ada", name: "Ada Lovelace"}) { login } }');
  const { createNote } = await first.graph(
    'mutation { createNote(input: {title: "On the engine", likes: 3, author: "ada"}) { id title author { name } } }',
  );
  deepEqual(createNote, { id: '1', title: 'On the engine', author: { name: 'Ada Lovelace' } });
  const found = async (call: typeof first.call): Promise<string[]> => {
    const answer = await call('/notes/note/_search?q=author.name:lovelace');
    return answer.json.hits.hits.map((hit: { _source: { title: string } }) => hit._source.title);
  };
  while ((await found(first.call)).length === 0) await sleep(20);
  deepEqual(await found(first.call), ['On the engine']);
  const taken = await first.call('/graphql', {
    json: { query: 'mutation { createAuthor(input: {login: "ada"}) { login } }' },
  });
  equal(taken.json.errors[0].extensions.code, 'GRAPH_NOT_UNIQUE');
  const { text: metrics } = await first.call('/metrics');
  for (const sample of ['up 1', 'connections_max 10', 'waiting 0'])
    ok(metrics.includes(`\nlockstitch_database_${sample}\n`));
  await first.close();

  const second = await startApp(context, options);
  deepEqual(await second.graph('{ notes { title author { login } } }'), {
    notes: [{ title: 'On the engine', author: { login: 'ada' } }],
  });
  deepEqual(await found(second.call), ['On the engine']);
  await second.close();
});

test("servers that share a database each have an index, and find each other's writes", async (context) => {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) return context.skip(url);
  const start = (data: string) => {
    const folder = temporaryFolder(context);
    return startApp(context, {
      folder,
      data: data === ':memory:' ? data : join(folder, data),
      config: { database: { url } },
    });
  };
  const first = await start('data');
  const second = await start('data');
  const third = await start(':memory:');
  equal((await first.app.graph.feed.readers()).length, 3);
  await first.graph('mutation { createAuthor(input: { login: "ada", name: "Ada" }) { login } }');
  await second.graph('mutation { createNote(input: { title: "from elsewhere", author: "ada" }) { id } }');
  const position = String(await first.app.graph.feed.head());
  const headers = { 'lockstitch-min-position': position };
  for (const { call } of [first, second, third]) {
    const found = (await call('/notes/_search?q=elsewhere', { headers })).json.hits.hits;
    deepEqual(
      found.map((hit: { _source: { author: unknown } }) => hit._source.author),
      [{ login: 'ada', name: 'Ada' }],
    );
  }
  // An index in memory is gone with its server, and so is its claim on the feed.
  await third.close();
  equal((await first.app.graph.feed.readers()).length, 2);
});
