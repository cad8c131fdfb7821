// A copy of the indices while they are written: it opens as an engine does after a crash.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileDirectory } from '../../src/directory/file.ts';
import { deleting, getNow, indexing, openTestEngine } from './test-index.ts';

function folders(t: TestContext): { readonly own: string; readonly copy: string } {
  const folder = mkdtempSync(join(tmpdir(), 'snapshot-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const copy = join(folder, 'copy');
  mkdirSync(copy);
  return { own: join(folder, 'own'), copy };
}

test('a snapshot holds every write acknowledged before it, while writes go on', async (t) => {
  const { own, copy } = folders(t);
  const engine = await openTestEngine(fileDirectory(own), { bufferBytes: 20_000 });
  const index = await engine.createIndex('notes', { settings: { refreshInterval: 10 } });
  const state = { written: 0, isWriting: true };
  const writer = (async () => {
    for (; state.isWriting; state.written++) {
      await index.apply([
        indexing(`${state.written}`, { text: ['word', `n${state.written}`] }),
        indexing('last', { n: state.written }),
      ]);
      if (state.written % 3 === 0) await index.apply([deleting(`${state.written - 300}`)]);
    }
  })();
  try {
    for (let round = 0; round < 3; round++) {
      const enough = (round + 1) * 20;
      while (state.written < enough) await Promise.race([writer, new Promise((resolve) => setImmediate(resolve))]);
      const before = state.written;
      const folder = join(copy, String(round));
      mkdirSync(folder);
      deepEqual(await engine.snapshot(folder, () => true), ['notes']);
      const copied = await openTestEngine(fileDirectory(folder));
      const there = copied.index('notes');
      const last = JSON.parse(Buffer.from(getNow(there, 'last')!.source).toString()) as { n: number };
      ok(last.n >= before - 1, `${last.n} of ${before}`);
      for (let id = Math.max(0, before - 10); id < before; id++) ok(getNow(there, `${id}`), `document ${id}`);
      deepEqual(copied.damaged(), []);
      await copied.close();
    }
  } finally {
    state.isWriting = false;
    await writer;
    await engine.close();
  }
});

test('a snapshot takes the wanted indices, damaged ones as they are, and templates', async (t) => {
  const { own, copy } = folders(t);
  const first = await openTestEngine(fileDirectory(own));
  for (const name of ['a', 'b', 'c']) await (await first.createIndex(name)).apply([indexing('1', { n: name })]);
  await first.updateMetadata({ templates: ['t'] });
  await first.close();
  truncateSync(join(own, 'b', 'manifest'), 20);
  const engine = await openTestEngine(fileDirectory(own));
  deepEqual(
    engine.damaged().map(({ name }) => name),
    ['b'],
  );
  deepEqual(await engine.snapshot(copy, (name) => name !== 'c'), ['a', 'b']);
  deepEqual(readdirSync(copy).toSorted(), ['_indices', 'a', 'b', 'metadata']);
  equal(statSync(join(copy, 'a')).mode & 0o777, 0o700);
  const copied = await openTestEngine(fileDirectory(copy));
  deepEqual(
    [copied.indices().map(({ name }) => name), copied.damaged().map(({ name }) => name), copied.metadata],
    [['a'], ['b'], { templates: ['t'] }],
  );
  await copied.close();
  // A copy shares no file that is written later.
  await engine.index('a').apply([indexing('2', { n: 'later' })]);
  await engine.close();
  const again = await openTestEngine(fileDirectory(copy));
  equal(getNow(again.index('a'), '2'), undefined);
  await again.close();
});

test('an index that is deleted meanwhile is left out', async (t) => {
  const { own, copy } = folders(t);
  const engine = await openTestEngine(fileDirectory(own));
  for (const name of ['a', 'b', 'c']) await (await engine.createIndex(name)).apply([indexing('1', { n: name })]);
  const copying = engine.snapshot(copy, (name) => engine.index(name).name !== 'c');
  await engine.deleteIndex('b');
  const names = await copying;
  equal(names[0], 'a');
  const copied = await openTestEngine(fileDirectory(copy));
  deepEqual([copied.indices().map(({ name }) => name), copied.damaged()], [names, []]);
  await copied.close();
  await engine.close();
});

test('an engine in memory has no files to copy', async (t) => {
  const engine = await openTestEngine();
  await rejects(
    engine.snapshot(folders(t).copy, () => true),
    { code: 'SEARCH_NOT_WRITABLE' },
  );
  await engine.close();
});
