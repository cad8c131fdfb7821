// Scores as they are printed: the fewest digits, from six on, that read back as the same float32.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { shortFloat } from '../../src/fetch/fetch.ts';

function bySpelling(value: number): number {
  for (let digits = 6; digits <= 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === Math.fround(value)) return short;
  }
  return value;
}

test('a score is printed with the fewest digits that read back the same', () => {
  const score = fc.oneof(
    fc.float({ noNaN: true, noDefaultInfinity: true }),
    fc.float({ min: Math.fround(0.0005), max: 20_000, noNaN: true }),
    fc.float({ min: 1, max: 12, noNaN: true }),
    fc.constantFrom(1, 10, 100, 1000, 10_000, 9.999_999, 99.999_99, 0.1, 0.01, 0.001, 1.5, -2.25).map(Math.fround),
  );
  fc.assert(
    fc.property(score, (value) => {
      assert.equal(shortFloat(value), bySpelling(value));
    }),
    { numRuns: 20_000 },
  );
});

test('what is no number is printed as null', () => {
  for (const value of [Number.NaN, Infinity, -Infinity]) assert.equal(shortFloat(value), null);
});
