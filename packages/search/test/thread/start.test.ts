// The first long search starts the thread that answers it, and has its whole time from when the thread is there.
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createEngine, createRestApi } from '@lockstitch/search';
import { load, type Reply, startRest } from '../rest/harness.ts';

test('A thread that does not come up is given up with a refusal, and the next search has another', async () => {
  const engine = await createEngine();
  const ask = await startRest(createRestApi(engine, { maxTurn: 0 }));
  await load(ask, 'i', [{ name: 'x' }]);
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const answers: Reply[] = [];
    void ask('POST /i/_count').then((reply) => answers.push(reply));
    // A thread takes far longer than a turn of the event loop to come up, so the time runs out in the turn after it was started.
    while (answers.length === 0) {
      await nextTurn();
      mock.timers.tick(20_000);
    }
    const [refused] = answers;
    assert.equal(refused!.status, 503);
    assert.match(refused!.text, /did not come up within 20000 ms.*"hint":"[^"]*later/);
  } finally {
    mock.timers.reset();
  }
  assert.equal((await ask('POST /i/_count')).json.count, 1);
  await engine.close();
});
