import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { IdFilter } from '../../src/index/id-filter.ts';
import { IdEncoder } from '../../src/index/ids.ts';

const encoder = new IdEncoder();
const hashOf = (number: number): number => encoder.encode(`package-${number}`).hash;

test('an id that was added is never said to be missing', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer()), (hashes) => {
      const filter = new IdFilter();
      for (const hash of hashes) filter.add(hash);
      for (const hash of hashes) ok(filter.mayHave(hash));
    }),
  );
});

test('of ids that were not added at most one in ten is taken for one that was, however many there are', () => {
  const filter = new IdFilter();
  const added = 400_000;
  for (let i = 0; i < added; i++) filter.add(hashOf(i));
  let wrong = 0;
  for (let i = 0; i < 20_000; i++) {
    ok(filter.mayHave(hashOf(i * 20)));
    if (filter.mayHave(hashOf(added + i))) wrong++;
  }
  ok(wrong < 20_000 / 10, `${wrong} of 20,000`);
  equal(filter.memory < added * 4, true);
});

test('ids that are written again and again take no more memory', () => {
  const filter = new IdFilter();
  for (let round = 0; round < 20; round++) for (let i = 0; i < 4000; i++) filter.add(hashOf(i));
  equal(filter.memory, 4096);
});

test('beyond its last part it gives its memory back and rules nothing out', () => {
  const filter = new IdFilter(2);
  for (let i = 0; i < 68_000; i++) filter.add(hashOf(i));
  equal(filter.memory, 4096 + 65_536);
  for (let i = 68_000; i < 80_000; i++) filter.add(hashOf(i));
  equal(filter.memory, 0);
  ok(filter.mayHave(hashOf(-1)));
});
