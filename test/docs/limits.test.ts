// The page of limits says what the configuration's defaults are.
import { deepEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { checkConfig } from '../../packages/server/src/config/check-config.ts';
import { ROOT } from './code-blocks.ts';

test('limits in the guide are the defaults of their keys', () => {
  const { config } = checkConfig({});
  const wrong: string[] = [];
  let compared = 0;
  for (const row of readFileSync(join(ROOT, 'docs/guide/limits.md'), 'utf8').split('\n')) {
    const [, , limit = '', setBy = ''] = row.split('|');
    for (const [, key] of setBy.matchAll(/`((?:limits|graph|search)\.[\w.]+)`/g)) {
      const value = valueAt(config, key!);
      if (typeof value !== 'number') continue;
      compared++;
      if (!spellings(value).some((text) => limit.includes(text))) wrong.push(`${key}: ${value} is not in "${limit}"`);
    }
  }
  ok(compared >= 12);
  deepEqual(wrong, []);
});

function valueAt(config: object, key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], config);
}

function spellings(value: number): readonly string[] {
  const number = value.toLocaleString('en-US');
  return [
    `${number} `,
    `${value / 1000} s`,
    `${value / 2 ** 10} KiB`,
    `${value / 2 ** 20} MiB`,
    `${value / 2 ** 30} GB`,
  ];
}
