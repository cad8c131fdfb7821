import { deepEqual, equal } from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { freshDatabase } from '../fresh-database.ts';
import { startApp } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';

test('servers that share a database each have an index: what one writes, searches of the other find', async (context) => {
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
