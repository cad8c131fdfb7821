import { equal } from 'node:assert/strict';
import { test } from 'node:test';

import { locateKey } from '../../src/config/locate-key.ts';

const SOURCE = `import { defineConfig } from 'lockstitch';

const other = { port: 1 };
// export default { port: 2 }
export default defineConfig({
  // port: 3,
  host: 'port: 4 {', limits: {
    port: 5,
    bodySize: 6,
  },
  port: 7,
  users: [
    { username: 'a' },
    {
      'rolls': [],
    },
  ],
  seed: async () => { const port = 1; },
});
`;

test('a key is found at its own depth, past comments, strings and inner objects', () => {
  equal(locateKey(SOURCE, ['port']), 11);
  equal(locateKey(SOURCE, ['limits', 'bodySize']), 9);
  equal(locateKey(SOURCE, ['host']), 7);
  equal(locateKey(SOURCE, ['seed']), 18);
});

test('items of a list are counted', () => {
  equal(locateKey(SOURCE, ['users', 1, 'rolls']), 15);
  equal(locateKey(SOURCE, ['users', 0, 'username']), 13);
});

test('a key that is not written out leads to the deepest one that is', () => {
  equal(locateKey(SOURCE, ['users', 1, 'password']), 14);
  equal(locateKey(SOURCE, ['users', 7]), 12);
  equal(locateKey(SOURCE, ['absent']), undefined);
});

test('an object declared before it is exported is found through defineConfig', () => {
  equal(locateKey('const c = defineConfig({\n port: 1 });\nexport default c;', ['port']), 2);
});

test('text that is no configuration has no line', () => {
  equal(locateKey('', ['port']), undefined);
  equal(locateKey('{{{[[', ['port']), undefined);
  equal(locateKey('export default 3', ['port']), undefined);
});
