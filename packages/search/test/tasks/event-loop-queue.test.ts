// Who goes on next on the main thread.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../kernel/test/until.ts';
import { isTurnTaken, yieldTurn } from '../../src/tasks/event-loop-queue.ts';
import { startRest } from '../rest/harness.ts';

const { nodeTiming } = performance;
const turnNow = (): number => nodeTiming.uvMetricsInfo.loopCount;

/** Takes more of a turn than what may be done in it by several. */
function takeTurn(): void {
  const until = performance.now() + 6;
  while (performance.now() < until);
}

test('of works that take long one goes on in a turn, in the order in which they came', async () => {
  const turns: number[] = [];
  const order: number[] = [];
  await Promise.all(
    Array.from({ length: 10 }, async (_, at) => {
      await yieldTurn();
      turns.push(turnNow());
      order.push(at);
      takeTurn();
    }),
  );
  equal(new Set(turns).size, 10);
  deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('of works that take hardly any time many go on in one turn', async () => {
  await yieldTurn();
  const before = turnNow();
  await Promise.all(Array.from({ length: 1000 }, () => yieldTurn()));
  equal(turnNow() - before < 500, true);
});

test('who waits goes on although something else takes every turn', async () => {
  let others = 0;
  let going = true;
  const hog = (): void => {
    isTurnTaken();
    takeTurn();
    others++;
    if (going && others < 200) setImmediate(hog);
  };
  hog();
  for (let round = 0; round < 5; round++) await yieldTurn();
  going = false;
  equal(others < 200, true);
});

test('a turn is taken once much was done in it, and the next is not', async () => {
  // A turn is also taken where something else has the processor for as long: then it is one of the next that is not.
  const isNextFree = async (): Promise<boolean> => {
    await yieldTurn();
    return !isTurnTaken();
  };
  await until(isNextFree);
  takeTurn();
  equal(isTurnTaken(), true);
  await until(isNextFree);
});

test('a request that comes while others wait is answered after them', async () => {
  const ask = await startRest();
  await ask('PUT /t/_doc/1', {});
  const order: string[] = [];
  const others = yieldTurn().then(() => order.push('those before'));
  const answer = ask('GET /t/_doc/1').then(({ status }) => order.push(`${status}`));
  const later = yieldTurn().then(() => order.push('those after'));
  await Promise.all([others, answer, later]);
  deepEqual(order, ['those before', '200', 'those after']);
});
