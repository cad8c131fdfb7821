// Requests that meet: an index is created while one of its name is being deleted, and templates are changed while a change before cannot
// be kept.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileDirectory } from '../../src/directory/file.ts';
import { crash, getNow, indexing, openTestEngine } from './test-index.ts';
import { faultyDirectory, type Faults } from './small-disk.ts';

test('4.3 an index that is created while one of its name is being deleted is kept', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'same-name-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const directory = fileDirectory(folder);
  const engine = await openTestEngine(directory);
  for (let round = 0; round < 5; round++) {
    await (await engine.createIndex('logs')).apply([indexing('old', { n: round })]);
    const deleted = engine.deleteIndex('logs');
    if (round % 2 === 1) await Promise.resolve();
    const [, index] = await Promise.all([deleted, engine.createIndex('logs')]);
    assert.equal(getNow(index, 'old'), undefined);
    await index.apply([indexing('new', { n: round })]);
    if (round < 4) await engine.deleteIndex('logs');
  }
  await crash(engine, directory);

  const again = await openTestEngine(fileDirectory(folder));
  assert.deepEqual(again.damaged(), []);
  assert.equal(Buffer.from(getNow(again.index('logs'), 'new')!.source).toString(), '{"n":4}');
  await again.close();
});

test('4.8 a change of templates that was refused is not kept by the change after it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'same-name-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const faults: Faults = { count: 0, from: Infinity, to: Infinity, code: 'ENOSPC', failed: [] };
  const directory = faultyDirectory(fileDirectory(folder), faults);
  const engine = await openTestEngine(directory);
  await engine.updateMetadata({ a: 1 });
  const change = (name: string): Promise<void> => engine.updateMetadata({ ...(engine.metadata as object), [name]: 1 });
  faults.from = faults.count;
  faults.to = faults.count + 1;
  const outcomes = await Promise.allSettled([change('b'), change('c')]);
  const kept = ['b', 'c'].filter((_, at) => outcomes[at]!.status === 'fulfilled');
  assert.deepEqual(outcomes[0].status, 'rejected');
  assert.deepEqual(Object.keys(engine.metadata as object), ['a', ...kept]);
  await change('d');
  assert.deepEqual(Object.keys(engine.metadata as object), ['a', ...kept, 'd']);
  await crash(engine, directory);

  const again = await openTestEngine(fileDirectory(folder));
  assert.deepEqual(Object.keys(again.metadata as object), ['a', ...kept, 'd']);
  await again.close();
});
