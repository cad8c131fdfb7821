// While the first thread comes up, nobody's time runs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createEngine, createRestApi } from '@lockstitch/search';
import { load, startRest } from '../rest/harness.ts';

test('The time that a thread takes to come up does not count as the time of those who wait for it', async () => {
  const engine = await createEngine();
  const ask = await startRest(createRestApi(engine, { maxTurn: 0, maxSearchTime: 1000 }));
  await load(ask, 'lists', [{ names: ['x', 'z'] }]);
  await load(ask, 'i', [{ name: 'x' }, { name: 'y' }, { name: 'z' }]);
  // Asked twice by the thread, once for the list: the second time the clock is looked at again.
  const terms = { 'name.keyword': { index: 'lists', id: '1', path: 'names' } };
  const asked = Array.from({ length: 5 }, () => ask('POST /i/_count', { query: { terms } }));
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  // This thread hears no sooner of the others.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
  const answers = await Promise.all(asked);
  assert.deepEqual(
    answers.map(({ status, json }) => json.count ?? status),
    [2, 2, 2, 2, 2],
  );
  await engine.close();
});
