import { deepEqual, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { readTermFilter } from '../../src/aggs/term-filter.ts';

const kept = (include: unknown, exclude: unknown, terms: readonly string[]): string[] => {
  const filter = readTermFilter('terms', { include, exclude })!;
  return terms.filter((term) => filter.accepts(term));
};

test('include and exclude take patterns of the whole term, or lists', () => {
  const terms = ['sport', 'sports', 'water_sports', 'news'];
  deepEqual(kept('.*sport.*', 'water_.*', terms), ['sport', 'sports']);
  deepEqual(kept(['news', 'sport'], undefined, terms), ['sport', 'news']);
  deepEqual(kept(undefined, ['news'], terms), ['sport', 'sports', 'water_sports']);
});

test('partitions share the terms out without overlap', () => {
  const terms = Array.from({ length: 50 }, (_, at) => `term${at}`);
  const parts = [0, 1, 2].map((partition) => kept({ partition, num_partitions: 3 }, undefined, terms));
  deepEqual(parts.flat().sort(), terms.toSorted());
});

test('a pattern that would take exponential time elsewhere is answered or refused at once', () => {
  deepEqual(kept('(a+)+b', undefined, [`${'a'.repeat(5000)}c`, 'aab']), ['aab']);
  throws(() => kept('(((', undefined, ['a']), /failed to parse field \[include\]/);
});
