import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';

import { createLog } from '../../src/http/log.ts';

function collect(format: 'auto' | 'pretty' | 'json' | 'none', isTTY = false, level: 'debug' | 'warn' = 'debug') {
  const lines: string[] = [];
  const sink = { isTTY, write: (text: string) => lines.push(text) };
  return { lines, log: createLog({ format, level, requests: false }, sink, { now: () => 0 }) };
}

test('away from a terminal each event is one line of JSON', () => {
  const { lines, log } = collect('auto');
  log.write('info', 'Listening', { port: 1, big: 2n });
  equal(lines.length, 1);
  deepEqual(JSON.parse(lines[0]!), {
    time: '1970-01-01T00:00:00.000Z',
    level: 'info',
    message: 'Listening',
    port: 1,
    big: '2',
  });
});

test('an error is logged with its stack and its cause, on one line', () => {
  const { lines, log } = collect('json');
  log.write('error', 'Failed', { error: new Error('outer', { cause: new Error('inner') }) });
  const line = JSON.parse(lines[0]!);
  equal(line.error.message, 'outer');
  equal(line.error.cause.message, 'inner');
  match(line.error.stack, /log\.test\.ts/);
  equal(lines[0]!.indexOf('\n'), lines[0]!.length - 1);
});

test('facts that cannot be serialized do not lose the line', () => {
  const { lines, log } = collect('json');
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  log.write('info', 'Odd', { cycle });
  equal(JSON.parse(lines[0]!).message, 'Odd');
});

test('on a terminal a line is for people, with colour', () => {
  const { lines, log } = collect('auto', true);
  log.write('warn', 'Slow', { path: '/a', took: 3, text: 'two words' });
  equal(lines[0], "\u001B[90m00:00:00.000\u001B[39m \u001B[33mwarn \u001B[39m Slow path=/a took=3 text='two words'\n");
});

test('events below the level are left out, and "none" writes nothing', () => {
  const warn = collect('json', false, 'warn');
  warn.log.write('info', 'x');
  warn.log.write('error', 'y');
  equal(warn.lines.length, 1);
  const none = collect('none');
  none.log.write('error', 'x');
  equal(none.lines.length, 0);
});

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Cs}/u;
const EVIL = '\u009b2J\u007f\u001b[31m\r\nfake\u2028\u202e\u2066\ufeff\ud800\u0000';

for (const format of ['json', 'pretty'] as const) {
  test(`3.4 control characters, separators and marks of direction are escaped wherever they stand (${format})`, () => {
    const { lines, log } = collect(format);
    const cycle: Record<string, unknown> = { [EVIL]: EVIL };
    cycle['self'] = cycle;
    log.write('info', EVIL, { [EVIL]: EVIL, deep: { [EVIL]: [EVIL] } });
    log.write('info', 'cycle', { cycle });
    log.write('error', 'failed', { error: new Error(EVIL, { cause: new TypeError(EVIL) }) });
    equal(lines.length, 3);
    for (const line of lines) {
      equal(UNSAFE.test(line), false, JSON.stringify(line));
      // Lines of an error are indented where people read them.
      equal(/\n(?!$| {4})/.test(line), false, JSON.stringify(line));
    }
    if (format === 'json') equal(JSON.parse(lines[0]!).message, EVIL);
  });
}
