// Keys of numbers order as the numbers do, as far as float32 tells them apart; a number that is a float32 is at least any other of its key.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { floatKey, HIGHEST_KEY } from '../../src/index/float-key.ts';

test('a smaller key is that of a smaller number, and a float32 is the least number of its key', () => {
  const value = fc.oneof(
    fc.double({ noNaN: true }),
    fc.float({ noNaN: true }),
    fc.integer({ min: -5, max: 5 }),
    fc.constantFrom(1e-50, -1e-50, 1e300, -1e300, 16_777_217, -16_777_217, Infinity, -Infinity, 0),
  );
  fc.assert(
    fc.property(value, value, (a, b) => {
      if (floatKey(a) < floatKey(b)) assert.ok(a < b);
      if (a < b) assert.ok(floatKey(a) <= floatKey(b));
      if (Math.fround(a) === a && floatKey(b) >= floatKey(a)) assert.ok(b >= a);
      assert.ok(floatKey(a) < HIGHEST_KEY);
      assert.equal(floatKey(a), floatKey(a) | 0);
    }),
    { numRuns: 5000 },
  );
});
