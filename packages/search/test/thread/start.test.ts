// The first long search starts the thread that answers it, and has its whole time from when the thread is there.
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createEngine, createRestApi } from '@lockstitch/search';
import { load, startRest } from '../rest/harness.ts';

test('A thread that does not come up is given up with a refusal, and the next search has another', async () => {
  const engine = await createEngine();
  const ask = await startRest(createRestApi(engine, { maxTurn: 0 }));
  await load(ask, 'i', [{ name: 'x' }]);
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    // In the turn of the event loop in which it was started, so before anybody can hear of it.
    process.once('worker', () => mock.timers.tick(20_000));
    const refused = await ask('POST /i/_count');
    assert.equal(refused.status, 503);
    assert.match(refused.text, /did not come up within 20000 ms.*"hint":"[^"]*later/);
  } finally {
    mock.timers.reset();
  }
  assert.equal((await ask('POST /i/_count')).json.count, 1);
  await engine.close();
});
