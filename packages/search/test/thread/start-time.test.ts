// While the first thread comes up, nobody's time runs.
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { createEngine, createRestApi } from '@lockstitch/search';
import { load, startRest } from '../rest/harness.ts';

/** Keeps back what threads say that start from now on. @returns lets it through */
function silenceThreads(): () => void {
  let held: (() => unknown)[] | undefined = [];
  process.on('worker', (worker: Worker) => {
    const emit = worker.emit.bind(worker);
    mock.method(worker, 'emit', (...event: Parameters<typeof emit>) => {
      if (held === undefined || event[0] !== 'message') return emit(...event);
      held.push(() => emit(...event));
      return true;
    });
  });
  return () => {
    const said = held ?? [];
    held = undefined;
    for (const say of said) say();
  };
}

test('The time that a thread takes to come up does not count as the time of those who wait for it', async (context) => {
  context.after(() => mock.restoreAll());
  const engine = await createEngine();
  const ask = await startRest(createRestApi(engine, { maxTurn: 0, maxSearchTime: 60_000 }));
  await load(ask, 'lists', [{ names: ['x', 'z'] }]);
  await load(ask, 'i', [{ name: 'x' }, { name: 'y' }, { name: 'z' }]);
  // Asked twice by the thread, once for the list: the second time the clock is looked at again.
  const terms = { 'name.keyword': { index: 'lists', id: '1', path: 'names' } };
  const hearThreads = silenceThreads();
  const asked = Array.from({ length: 5 }, () => ask('POST /i/_count', { query: { terms } }));
  for (let turn = 0; turn < 100; turn++) await nextTurn();
  const now = performance.now.bind(performance);
  mock.method(performance, 'now', () => now() + 100_000);
  hearThreads();
  const answers = await Promise.all(asked);
  assert.deepEqual(
    answers.map(({ status, json }) => json.count ?? status),
    [2, 2, 2, 2, 2],
  );
  await engine.close();
});
