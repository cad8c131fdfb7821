// Work in slices on the main thread.
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../kernel/test/until.ts';
import { runInBackground } from '../../src/tasks/scheduler.ts';
import { createTestIndex, indexing } from '../engine/test-index.ts';

function* slices(count: number): Generator<void, number> {
  for (let i = 0; i < count; i++) yield;
  if (count === 2) throw new RangeError('Array buffer allocation failed');
  return count;
}

test('work that nobody waits for is kept when it is done, and stays undone when it fails', async () => {
  const kept: number[] = [];
  for (const count of [1, 2, 3]) runInBackground(slices(count), (made) => kept.push(made));
  await until(
    () => kept.length === 2,
    () => `kept: ${kept.join()}`,
  );
  deepEqual(kept.toSorted(), [1, 3]);
});

test('tables that searches for misspelt words make of a dictionary count as memory of the index', async () => {
  const index = await createTestIndex();
  await index.apply(Array.from({ length: 500 }, (_, n) => indexing(`${n}`, { text: `word${n} w${n}ord` })));
  await index.refresh();
  const before = index.stats().memoryBytes;
  const query = { kind: 'fuzzy', field: 'text', term: 'wurd77', maxEdits: 1, prefixLength: 0 } as const;
  // Four bytes a term for its reversed order, and one for its mark.
  await until(
    () => {
      index.searcher().search({ query });
      return index.stats().memoryBytes - before >= 5 * 1000;
    },
    () => `${before} bytes, then ${index.stats().memoryBytes}`,
  );
});
