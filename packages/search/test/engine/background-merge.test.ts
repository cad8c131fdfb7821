// Large merges run in a thread of their own; nothing about the index may depend on where.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileDirectory } from '../../src/directory/file.ts';
import { memoryDirectory } from '../../src/directory/memory.ts';
import type { Directory } from '../../src/directory/directory.ts';
import { BACKGROUND_DOCS, mergeInBackground } from '../../src/engine/background-merge.ts';
import type { Engine, Index } from '../../src/engine/engine-api.ts';
import type { Searcher } from '../../src/index/search-request.ts';
import type { SegmentView } from '../../src/index/segment-view.ts';
import { deleting, indexing, openTestEngine } from './test-index.ts';

const half = Math.ceil(BACKGROUND_DOCS / 2) + 100;
const inputsOf = (searcher: Searcher) =>
  (searcher.segments as readonly SegmentView[]).map(({ core, live }) => ({ core, live }));

interface Opened {
  readonly engine: Engine;
  readonly index: Index;
}

async function open(directory: Directory): Promise<Opened> {
  const engine = await openTestEngine(directory);
  return { engine, index: await engine.createIndex('test', { settings: { refreshInterval: -1 } }) };
}

async function fill(directory: Directory): Promise<Opened> {
  const created = await open(directory);
  for (const part of [0, 1]) {
    const numbers = Array.from({ length: half }, (_, i) => part * half + i);
    await created.index.apply(
      numbers.map((i) => indexing(String(i), { text: `word${i % 7} common`, tag: `t${i % 5}`, n: i })),
    );
    await created.index.refresh();
  }
  await created.index.apply([deleting('3'), deleting(String(half + 3))]);
  await created.index.refresh();
  return created;
}

const answers = (searcher: Searcher): unknown =>
  ['common', 'word3', 'absent'].map((term) => {
    const { hits, total } = searcher.search({ query: { kind: 'term', field: 'text', term }, size: 50 });
    return [total, hits.map((hit) => [hit.id, hit.score, Buffer.from(hit.segment.source(hit.doc)).toString()])];
  });

for (const [name, make] of [
  ['memory', (): Directory => memoryDirectory()],
  ['files', (folder: string): Directory => fileDirectory(folder)],
] as const) {
  test(`a large merge in a thread leaves what a search answers and drops what was deleted (${name})`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'merge-'));
    try {
      const { engine, index } = await fill(make(folder));
      // Sources of committed segments are in files: the thread has to open them.
      await index.commit();
      const inputs = inputsOf(index.searcher());
      assert.notEqual(mergeInBackground(inputs, 'probe'), undefined);
      const before = answers(index.searcher());
      const deleted = index.stats().deleted;
      await index.forceMerge();
      assert.deepEqual(
        [deleted, index.stats().segments, index.stats().deleted, index.stats().docs],
        [2, 1, 0, 2 * half - 2],
      );
      // The statistics behind scores no longer count what was deleted.
      const show = (list: unknown): unknown =>
        (list as [unknown, [string, number, string][]][]).map(([total, hits]) => [
          total,
          hits.map(([id, , source]) => [id, source]),
        ]);
      assert.deepEqual(show(answers(index.searcher())), show(before));
      await engine.close();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

test('a large merge in a thread writes the bytes that a merge on the main thread writes', async () => {
  const { mergeSegments } = await import('../../src/index/merge.ts');
  const { engine, index } = await fill(memoryDirectory());
  const inputs = inputsOf(index.searcher());
  const there = await mergeInBackground(inputs, 'm')!;
  const steps = mergeSegments(inputs, 'm');
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  assert.deepEqual(there.data.meta, step.value.data.meta);
  assert.deepEqual(there.data.sections, step.value.data.sections);
  assert.deepEqual(there.maps, step.value.maps);
  await engine.close();
});

test('an index is closed without waiting for a merge in the thread', async () => {
  const { engine, index } = await fill(memoryDirectory());
  const merging = index.forceMerge();
  await engine.close();
  await merging;
  assert.throws(() => index.searcher(), { code: 'SEARCH_CLOSED' });
});

test('a small merge stays on the main thread', async () => {
  const { engine, index } = await open(memoryDirectory());
  await index.apply([indexing('1', { text: 'a' })]);
  await index.refresh();
  assert.equal(mergeInBackground(inputsOf(index.searcher()), 'small'), undefined);
  await engine.close();
});
