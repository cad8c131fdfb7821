import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';

import { createApp } from '../../src/app.ts';
import { loadApp } from '../../src/app/load-app.ts';
import { listenStarting } from '../../src/http/starting.ts';
import { NOTES_SCHEMA } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const SEED = `export default async ({ write }) => { await globalThis.seeding; await write('Author', [{ login: 'ada' }]); };`;

test('3.7 before the first build the process lives, is not ready and answers nothing; then the application takes over', async (context) => {
  const folder = temporaryFolder(context, {
    'schema.graphql': NOTES_SCHEMA,
    'seed.mjs': SEED,
    'lockstitch.config.mjs': `export default { seed: './seed.mjs' };`,
  });
  const loaded = await loadApp(folder, { LOCKSTITCH_USER_PASSWORD: 'x' }, { port: 0, data: ':memory:' });
  const starting = await listenStarting(loaded.config);
  const seeding = Promise.withResolvers<void>();
  (globalThis as Record<string, unknown>)['seeding'] = seeding.promise;
  const opening = createApp(loaded, { starting });
  const ask = (path: string, init: RequestInit = {}): Promise<Response> => fetch(starting.listening.url + path, init);

  deepEqual([(await ask('/healthz')).status, await (await ask('/healthz')).json()], [200, { status: 'ok' }]);
  const ready = await ask('/readyz');
  deepEqual(
    [ready.status, ready.headers.get('retry-after'), await ready.json()],
    [503, '1', { status: 'starting', doors: {} }],
  );
  for (const init of [{}, { method: 'POST', body: 'x'.repeat(100_000) }, { method: 'HEAD' }]) {
    const answer = await ask('/graphql', init);
    deepEqual(
      [answer.status, answer.headers.get('retry-after'), answer.headers.get('connection')],
      [503, '1', 'close'],
    );
  }
  equal(((await (await ask('/_search')).json()) as { code: string }).code, 'SERVER_STARTING');

  seeding.resolve();
  const app = await opening;
  context.after(() => app.close());
  await app.listen();
  deepEqual(await (await ask('/readyz')).json(), {
    status: 'ready',
    doors: { graph: { status: 'ready' }, search: { status: 'ready', lag: 0 } },
  });
  equal((await ask('/readyz', { method: 'HEAD' })).status, 200);
  equal((await ask('/_search')).status, 401);
});
