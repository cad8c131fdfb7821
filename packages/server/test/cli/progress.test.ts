import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';

import { formatSeconds, printStep, showProgress } from '../../src/cli/progress.ts';

test('a step shows share, count, rate and the time that is left', () => {
  equal(
    printStep('Importing', 'row', { done: 500, total: 2000 }, 1000),
    'Importing  ▕██████░░░░░░░░░░░░░░░░░░▏ 25 %  500 rows  500/s  3.0 s left',
  );
  equal(printStep('Reading', 'row', { done: 5 }, 0), 'Reading  5 rows');
  equal(printStep('Reading', 'row', { done: 1 }, 0), 'Reading  1 row');
  equal(printStep('Reading', 'row', { done: 5, fraction: 0.5 }, 0, 20), 'Reading  50 %  5 rows');
});

test('durations are written for people', () => {
  deepEqual([0.04, 12.4, 200, 7300].map(formatSeconds), ['0.0 s', '12 s', '3 min 20 s', '2 h 1 min']);
});

test('a terminal gets one line that rewrites itself, a file a line now and then', () => {
  const draw = (isTTY: boolean): string => {
    let text = '';
    let time = 0;
    const err = { isTTY, columns: 80, write: (piece: string) => (text += piece) } as never;
    const progress = showProgress({ err }, 'Job', 'row', () => time);
    for (const at of [1000, 1010, 6000]) {
      time = at;
      progress.update({ done: at, total: 10_000 });
    }
    time = 10_000;
    progress.end({ done: 10_000 });
    return text;
  };
  equal(draw(true).split('\r').length, 4);
  equal(draw(true).endsWith('\r\u001B[KJob: 10,000 rows in 10 s, 1,000/s\n'), true);
  deepEqual(
    draw(false)
      .split('\n')
      .map((line) => line.slice(0, 6)),
    ['Job  ▕', 'Job: 1', ''],
  );
});

test('a job too short to have a time has no rate either', () => {
  let text = '';
  let time = 0;
  const err = { isTTY: false, write: (piece: string) => (text += piece) } as never;
  for (const taken of [40, 400]) {
    const progress = showProgress({ err }, 'Job', 'row', () => time);
    time += taken;
    progress.end({ done: 2000 });
  }
  equal(text, 'Job: 2,000 rows in 0.0 s\nJob: 2,000 rows in 0.4 s, 5,000/s\n');
});
