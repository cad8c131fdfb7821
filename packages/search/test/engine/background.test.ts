// Large buffers and large merges become segments in threads of their own; nothing about the index may depend on where.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileDirectory } from '../../src/directory/file.ts';
import { memoryDirectory } from '../../src/directory/memory.ts';
import type { Directory } from '../../src/directory/directory.ts';
import { BACKGROUND_DOCS, flushInBackground, mergeInBackground } from '../../src/engine/background.ts';
import type { Engine, Index } from '../../src/engine/engine-api.ts';
import type { Searcher } from '../../src/collect/search-request.ts';
import { EngineContext } from '../../src/index/engine-context.ts';
import { storedCore } from '../../src/index/segment-core.ts';
import type { SegmentView } from '../../src/index/segment-view.ts';
import { SegmentStore } from '../../src/engine/segment-store.ts';
import { runTask } from '../../src/tasks/scheduler.ts';
import { encodeId } from '../../src/index/ids.ts';
import { flush } from '../../src/index/flush.ts';
import { WriteBuffer } from '../../src/index/write-buffer.ts';
import { sortSegment } from '../../src/index/merge.ts';
import { plainMapper } from './plain-mapper.ts';
import { crash, deleting, getNow, indexing, openTestEngine } from './test-index.ts';

const half = Math.ceil(BACKGROUND_DOCS / 2) + 100;
const inputsOf = (searcher: Searcher) =>
  (searcher.segments as readonly SegmentView[]).map((segment) => ({ core: storedCore(segment), live: segment.live }));

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
      const merged = answers(index.searcher());
      await engine.close();
      if (name === 'memory') return;
      // The file that the thread wrote is the one that is opened.
      assert.equal(readdirSync(join(folder, 'test')).filter((file) => file.endsWith('.seg')).length, 1);
      const again = await openTestEngine(fileDirectory(folder));
      assert.deepEqual(answers(again.index('test').searcher()), merged);
      await again.close();
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

test('a merge of few documents goes to the thread where they are large', async () => {
  const { engine, index } = await open(memoryDirectory());
  for (const id of ['1', '2']) {
    await index.apply([indexing(id, { text: `many words of ${id} `.repeat(200_000) })]);
    await index.refresh();
  }
  const inputs = inputsOf(index.searcher());
  const { data, maps } = (await mergeInBackground(inputs, 'large'))!;
  assert.deepEqual([data.meta.docCount, maps.map((map) => Array.from(map))], [2, [[0], [1]]]);
  await index.forceMerge();
  assert.deepEqual([index.stats().docs, index.stats().segments], [2, 1]);
  await engine.close();
});

/** A document with every kind of field; some have no text, some nested parts, some a routing. */
const rich = (i: number) =>
  indexing(
    `key-${i}${i % 17 === 0 ? 'é' : ''}`,
    {
      ...(i % 11 === 0 ? {} : { text: `word${i % 97} and word${(i * 31) % 1009} and ${'long'.repeat(i % 40)}` }),
      tag: [`t${i % 5}`, `u${i % 300}`],
      n: [i, i % 3],
      place: { lat: i % 80, lon: -(i % 90) },
      ...(i % 7 === 0
        ? {
            comments: [
              { author: `a${i % 9}`, text: 'nice one' },
              { author: 'b', stars: i % 5 },
            ],
          }
        : {}),
    },
    i % 13 === 0 ? { routing: `r${i % 3}` } : {},
  ) as Extract<ReturnType<typeof indexing>, { kind: 'index' }>;

test('a file that a commit may name stays when the index is closed, though its segment was merged away meanwhile', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'store-'));
  try {
    const store = new SegmentStore(fileDirectory(folder), new EngineContext());
    const buffer = new WriteBuffer();
    for (let i = 0; i < 50; i++) {
      const { source } = rich(i);
      buffer.add(plainMapper().parse(String(i), source), encodeId(String(i)), 1, i);
    }
    const [{ segment: written }, { segment: dropped }] = [await store.flush(buffer, 0), await store.flush(buffer, 0)];
    const { file } = await store.write({ segment: written, generation: 0, live: undefined });
    await store.close();
    assert.deepEqual(readdirSync(folder), [file]);
    written.use.end();
    dropped.use.end();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** An order of an index. */
const SORT = [{ column: 'n', descending: true, mode: 'max', missing: 'last' }] as const;

test('a buffer made a segment in a thread gives the bytes that the main thread makes of it', async () => {
  const mapper = plainMapper();
  const buffer = new WriteBuffer();
  for (const round of [0, 1]) {
    for (let i = 0; i < 3000; i++) {
      const { id, source, routing } = rich(i * (round + 1));
      buffer.add(mapper.parse(id, source, routing), encodeId(id), i, i + 5);
      // The second time the main thread has time for a part of the work.
      if (round === 1 && i === 1500) while (buffer.readAhead());
    }
    const there = await flushInBackground(buffer, 'f', undefined, 0)!;
    const here = await runTask(flush(buffer.content(), 'f'));
    assert.deepEqual(there.data.meta, here.meta);
    assert.deepEqual(there.data.sections, here.sections);
    const sorted = await flushInBackground(buffer, 'f', undefined, 0, SORT)!;
    const wanted = await runTask(sortSegment(here, SORT));
    assert.deepEqual(sorted.maps, wanted.maps);
    assert.deepEqual(sorted.data.sections, wanted.data.sections);
    // The second time in the memory of the first.
    buffer.clear();
  }
});

test('writers that are faster than the thread wait for it, and what is written is all there', async () => {
  const engine = await openTestEngine(memoryDirectory(), { bufferBytes: 50_000 });
  const index = await engine.createIndex('test', { settings: { refreshInterval: -1 } });
  const batches = Array.from({ length: 40 }, (_, batch) =>
    Array.from({ length: 100 }, (_, i) => indexing(`${batch} ${i}`, { text: `batch${batch} ${'filling '.repeat(9)}` })),
  );
  const rest = [...batches];
  const write = async (): Promise<void> => {
    for (let batch = rest.shift(); batch !== undefined; batch = rest.shift()) await index.apply(batch);
  };
  await Promise.all([write(), write(), write()]);
  const flushed = index.stats().refreshTotal;
  assert.ok(flushed >= 5 && flushed <= 40, `${flushed} refreshes`);
  await index.refresh();
  for (const batch of batches.keys())
    assert.equal(index.searcher().count({ kind: 'term', field: 'text', term: `batch${batch}` }), 100);
  assert.equal(index.searcher().count({ kind: 'term', field: 'text', term: 'filling' }), 4000);
  await engine.close();
});

for (const [name, broken] of [
  ['', false],
  [', though the thread cannot write files', true],
] as const) {
  test(`documents are written, replaced and deleted while threads make segments of them${name}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'flush-'));
    const real = fileDirectory(folder);
    const wrap = (inner: Directory): Directory => ({
      ...inner,
      path: (file) => join(folder, 'absent', file),
      directory: async (child) => wrap(await inner.directory(child)),
    });
    const directory = broken ? wrap(real) : real;
    let engine = await openTestEngine(directory, { bufferBytes: 200_000 });
    const index = await engine.createIndex('test', { settings: { refreshInterval: -1 } });
    const latest = new Map<string, string>();
    try {
      for (let round = 0; round < 12; round++) {
        const batch = Array.from({ length: 400 }, (_, i) => rich(round * 250 + i));
        const writing = index.apply(batch);
        // While a full buffer of before may be on its way.
        const gone = [...latest.keys()].filter((_, i) => i % 29 === round);
        const deleted = index.apply(gone.map((id) => deleting(id)));
        await Promise.all([writing, deleted]);
        for (const { id, source } of batch) latest.set(id, Buffer.from(source).toString());
        for (const id of gone) latest.delete(id);
        for (const id of [...gone, ...latest.keys()]) {
          const found = getNow(index, id);
          assert.equal(found && Buffer.from(found.source).toString(), latest.get(id), `${id} in round ${round}`);
        }
        if (round === 6) await index.commit();
      }
      assert.ok(index.stats().refreshTotal >= 3, 'full buffers were flushed');
      const all = (searched: Index): Map<string, string> => {
        const { hits, total } = searched.searcher().search({ query: { kind: 'match_all' }, size: 10_000 });
        assert.equal(total!.value, hits.length);
        return new Map(hits.map((hit) => [hit.id, Buffer.from(hit.segment.source(hit.doc)).toString()]));
      };
      await index.refresh();
      assert.deepEqual(all(index), latest);
      // What was not committed comes back from the log, and what the threads left behind is swept away.
      await crash(engine, directory);
      engine = await openTestEngine(directory);
      assert.deepEqual(all(engine.index('test')), latest);
      await engine.index('test').forceMerge({ maxSegments: 1000 });
      await engine.index('test').commit();
      const { memoryBytes, segments } = engine.index('test').stats();
      await engine.close();
      const files = readdirSync(join(folder, 'test')).filter((file) => file.endsWith('.seg'));
      assert.equal(files.length, segments);
      // Nor is memory kept for writes that do not come.
      engine = await openTestEngine(directory);
      assert.ok(memoryBytes < engine.index('test').stats().memoryBytes + 20_000);
      assert.deepEqual(all(engine.index('test')), latest);
    } finally {
      await engine.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
