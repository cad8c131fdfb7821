// Aliases that move from one index to another while they are used: on disk, where making that durable takes some turns.
import { deepEqual, equal } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createEngine, createRestApi, fileDirectory } from '@lockstitch/search';
import { type Ask, type Reply, startRest } from './harness.ts';

async function startOnDisk(t: TestContext): Promise<Ask> {
  const folder = mkdtempSync(join(tmpdir(), 'aliases-'));
  const engine = await createEngine({ directory: fileDirectory(folder) });
  t.after(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return await startRest(createRestApi(engine));
}

/** Asks again in every turn until something is done; answers what was answered besides. */
async function meanwhile(done: Promise<Reply>, ask: () => Promise<Reply>): Promise<readonly Reply[]> {
  const asked: Promise<Reply>[] = [];
  const state = { going: true };
  const ended = done.finally(() => (state.going = false));
  while (state.going) {
    asked.push(ask());
    await nextTurn();
  }
  equal((await ended).json.acknowledged, true);
  return await Promise.all(asked);
}

for (const own of [{}, { is_write_index: true }])
  test(`who writes to an alias while it rolls over is not refused (${JSON.stringify(own)})`, async (t) => {
    const ask = await startOnDisk(t);
    await ask('PUT /logs-1', { aliases: { logs: own } });
    const written = await meanwhile(ask('POST /logs/_rollover'), () => ask('POST /logs/_doc', {}));
    deepEqual(
      written.filter(({ status }) => status !== 201).map(({ text }) => text),
      [],
    );
  });

test('who searches an alias while it is moved finds one of the two indices', async (t) => {
  const ask = await startOnDisk(t);
  for (const index of ['one', 'two']) await ask(`PUT /${index}/_doc/1?refresh=true`, {});
  await ask('PUT /one/_alias/both');
  const actions = [{ remove: { index: 'one', alias: 'both' } }, { add: { index: 'two', alias: 'both' } }];
  const found = await meanwhile(ask('POST /_aliases', { actions }), () => ask('GET /both/_search'));
  deepEqual(new Set(found.map(({ json }) => json.hits?.total.value)), new Set([1]));
});
