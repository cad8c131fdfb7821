// Shadow indexes: invisible until they take their place, in one step, also across a crash at any point of it.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileDirectory } from '../../src/directory/file.ts';
import type { Engine, Index } from '../../src/engine/engine-api.ts';
import { crash, indexing, openTestEngine } from './test-index.ts';

const SETTINGS = { refreshInterval: -1, durability: 'async' } as const;

function temporary(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'search-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const texts = (searcher: ReturnType<Index['searcher']>): string[] =>
  searcher
    .search({ query: { kind: 'match_all' }, size: 100 })
    .hits.map(({ segment, doc }) => new TextDecoder().decode(segment.source(doc)));

async function fill(index: Index, word: string, position: number): Promise<Index> {
  await index.apply([indexing('1', { text: word })], { position });
  await index.refresh();
  return index;
}

async function withOld(engine: Engine): Promise<Index> {
  const old = await fill(await engine.createIndex('notes', { settings: SETTINGS }), 'old', 3);
  await old.commit();
  return old;
}

test('a shadow index is found only once it has taken its place; open searches keep the former state', async (context) => {
  const engine = await openTestEngine(fileDirectory(temporary(context)));
  await withOld(engine);
  const open = engine.index('notes').searcher();
  const shadow = await fill(await engine.createShadow('notes', { settings: SETTINGS }), 'new', 7);
  assert.deepEqual(engine.indices().length, 1);
  assert.deepEqual(texts(engine.index('notes').searcher()), ['{"text":"old"}']);
  await engine.replaceIndex(shadow);
  assert.equal(engine.index('notes'), shadow);
  assert.equal(engine.index('notes').durablePosition, 7);
  assert.deepEqual(texts(engine.index('notes').searcher()), ['{"text":"new"}']);
  // From a file that has gone from its folder by now.
  assert.deepEqual(texts(open), ['{"text":"old"}']);
  open.release();
  await engine.close();
});

test('what has taken the place is there after a restart, and can be replaced again', async (context) => {
  const folder = temporary(context);
  let engine = await openTestEngine(fileDirectory(folder));
  await withOld(engine);
  for (const [word, position] of [
    ['second', 5],
    ['third', 9],
  ] as const) {
    await engine.replaceIndex(await fill(await engine.createShadow('notes', { settings: SETTINGS }), word, position));
    await engine.close();
    engine = await openTestEngine(fileDirectory(folder));
    assert.deepEqual(texts(engine.index('notes').searcher()), [`{"text":"${word}"}`]);
    assert.equal(engine.index('notes').position, position);
  }
  assert.equal(readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()).length, 1);
  await engine.deleteIndex('notes');
  await engine.close();
  engine = await openTestEngine(fileDirectory(folder));
  assert.equal(engine.has('notes'), false);
  await engine.close();
});

test('a crash before the step leaves the former index, a crash after it the new one, never both', async (context) => {
  const folder = temporary(context);
  const directory = fileDirectory(folder);
  let engine = await openTestEngine(directory);
  await withOld(engine);
  const former = join(folder, 'notes');
  const saved = join(temporary(context), 'saved');
  cpSync(former, saved, { recursive: true });
  await (await fill(await engine.createShadow('notes', { settings: SETTINGS }), 'new', 7)).commit();
  await crash(engine, directory);

  engine = await openTestEngine(fileDirectory(folder));
  assert.deepEqual(texts(engine.index('notes').searcher()), ['{"text":"old"}']);
  await engine.replaceIndex(await fill(await engine.createShadow('notes', { settings: SETTINGS }), 'new', 7));
  await engine.close();
  // As if the crash had come between the step and the removal of the former index.
  cpSync(saved, former, { recursive: true });
  engine = await openTestEngine(fileDirectory(folder));
  assert.deepEqual(texts(engine.index('notes').searcher()), ['{"text":"new"}']);
  assert.deepEqual(
    engine.indices().map(({ name }) => name),
    ['notes'],
  );
  await engine.close();
});

test('a shadow index can be dropped, and its name taken by a first index', async () => {
  const engine = await openTestEngine();
  await engine.discardShadow(await engine.createShadow('notes'));
  assert.equal(engine.has('notes'), false);
  const shadow = await fill(await engine.createShadow('notes', { settings: SETTINGS }), 'first', 1);
  await engine.replaceIndex(shadow);
  assert.deepEqual(texts(engine.index('notes').searcher()), ['{"text":"first"}']);
  await assert.rejects(engine.replaceIndex(shadow), /notes/);
  await engine.close();
});
