// What an index does whose log or manifest is not what it was: it is never taken for an empty one.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { crc32 } from 'node:zlib';
import { fileDirectory } from '../../src/directory/file.ts';
import type { Engine } from '../../src/engine/engine-api.ts';
import { crash, deleting, getNow, indexing, openTestEngine } from './test-index.ts';

const HEADER = 64;

function temporary(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'logs-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An index of 60 documents, 50 of which were deleted since the last commit, and 40 of which came since. */
async function crashed(folder: string): Promise<void> {
  const directory = fileDirectory(folder);
  const engine = await openTestEngine(directory);
  const index = await engine.createIndex('own', { settings: { refreshInterval: -1 } });
  await engine.createIndex('other').then((other) => other.apply([indexing('1', {})]));
  await index.apply(Array.from({ length: 60 }, (_, at) => indexing(`${at}`, { text: `before ${at}` })));
  await index.commit();
  for (let at = 0; at < 50; at++) await index.apply([deleting(`${at}`)]);
  for (let at = 100; at < 140; at++) await index.apply([indexing(`${at}`, { text: `after ${at}` })]);
  await crash(engine, directory);
}

function logOf(folder: string): string {
  const [name] = readdirSync(join(folder, 'own')).filter((each) => each.startsWith('translog'));
  return join(folder, 'own', name!);
}

/** Opens, and says whether the index is refused, or how many documents it has. */
async function found(folder: string): Promise<string | number> {
  const lines: string[] = [];
  const directory = fileDirectory(folder);
  const log = { write: (level: string, message: string) => void lines.push(`${level} ${message}`) };
  const engine: Engine = await openTestEngine(directory, { log });
  try {
    assert.equal(getNow(engine.index('other'), '1')?.version, 1);
    const [red] = engine.damaged();
    if (red === undefined) return engine.index('own').stats().docs;
    assert.equal(red.name, 'own');
    assert.throws(() => engine.index('own'), { code: 'SEARCH_INDEX_RED', status: 503 });
    assert.ok(engine.has('own'));
    await assert.rejects(engine.createIndex('own'), { code: 'SEARCH_INDEX_EXISTS' });
    assert.ok(lines.some((line) => line.startsWith('error A search index cannot be read')));
    return red.reason;
  } finally {
    await crash(engine, directory);
  }
}

test('4.3 a log that is missing, shortened, of another index or another commit is refused, and the index says so', async (context) => {
  const folder = temporary(context);
  await crashed(folder);
  const log = logOf(folder);
  const whole = readFileSync(log);
  assert.equal(await found(folder), 50);
  const end = whole.findLastIndex((byte) => byte !== 0) + 1;
  const first = HEADER + 8 + whole.readUInt32LE(HEADER);
  const shortened = [0, 1, HEADER - 1, HEADER, HEADER + 3, first, (first + end) >> 1, end - 1, end];
  for (const size of shortened) {
    writeFileSync(log, whole.subarray(0, size));
    assert.match(
      String(await found(folder)),
      /translog-1\.log\] is damaged: it is shorter than it was/,
      `${size} bytes`,
    );
  }
  rmSync(log);
  assert.match(String(await found(folder)), /translog-1\.log\] is damaged: it is missing/);
  const theirs = readdirSync(join(folder, 'other')).find((name) => name.startsWith('translog'))!;
  writeFileSync(log, readFileSync(join(folder, 'other', theirs)));
  assert.match(String(await found(folder)), /belongs to another index or commit/);
  // Restored, it is as it was.
  writeFileSync(log, whole);
  assert.equal(await found(folder), 50);
});

test('4.3 what a crash left of a write that nobody was told of is no damage', async (context) => {
  const folder = temporary(context);
  await crashed(folder);
  const log = logOf(folder);
  const whole = readFileSync(log);
  const end = whole.findLastIndex((byte) => byte !== 0) + 1;
  const first = HEADER + 8 + whole.readUInt32LE(HEADER);
  const record = whole.subarray(HEADER, first);
  // A record begun behind the last one, as far as it came.
  for (const bytes of [1, 4, 7, 9, record.length - 1]) {
    const torn = Buffer.from(whole);
    record.copy(torn, end, 0, bytes);
    writeFileSync(log, torn);
    assert.equal(await found(folder), 50, `${bytes} bytes`);
    writeFileSync(log, whole);
  }
  // The file itself may have grown by it.
  writeFileSync(log, Buffer.concat([whole, record.subarray(0, 20)]));
  assert.equal(await found(folder), 50);
  // And what follows is written and found.
  const engine = await openTestEngine(fileDirectory(folder));
  await engine.index('own').apply([indexing('new', {})]);
  await engine.close();
  assert.equal(await found(folder), 51);
});

test('4.3 an index whose manifest is gone does not vanish, one without documents neither', async (context) => {
  const folder = temporary(context);
  await crashed(folder);
  rmSync(join(folder, 'own', 'manifest'));
  assert.match(String(await found(folder)), /own\/manifest\] is damaged: it is missing/);
  const engine = await openTestEngine(fileDirectory(folder));
  await engine.deleteIndex('own');
  await engine.createIndex('own', { aliases: { all: {} } });
  await engine.close();
  rmSync(join(folder, 'own', 'manifest'));
  assert.match(String(await found(folder)), /own\/manifest\] is damaged: it is missing/);
});

test('4.3 a creation or deletion that a crash cut off leaves nothing', async (context) => {
  const folder = temporary(context);
  await crashed(folder);
  // A deletion renames the manifest first.
  writeFileSync(join(folder, 'own', 'unfinished'), readFileSync(join(folder, 'own', 'manifest')));
  rmSync(join(folder, 'own', 'manifest'));
  const engine = await openTestEngine(fileDirectory(folder));
  assert.deepEqual([engine.damaged(), engine.has('own'), engine.has('other')], [[], false, true]);
  assert.ok(!readdirSync(folder).includes('own'));
  await engine.close();
});

test('4.3 a folder of an earlier release is read, written on, and then as strict as a new one', async (context) => {
  const folder = temporary(context);
  await crashed(folder);
  // Its logs had neither headers nor room ahead, and its manifest said so by its number.
  const log = logOf(folder);
  const whole = readFileSync(log);
  writeFileSync(log, whole.subarray(HEADER, whole.findLastIndex((byte) => byte !== 0) + 1));
  const file = join(folder, 'own', 'manifest');
  const json = readFileSync(file, 'utf8').slice(9).replace('"format":2', '"format":1');
  assert.ok(json.includes('"format":1'));
  writeFileSync(file, `${crc32(json).toString(16).padStart(8, '0')}\n${json}`);
  assert.equal(await found(folder), 50);

  const directory = fileDirectory(folder);
  const engine = await openTestEngine(directory);
  await engine.index('own').apply([indexing('more', {})]);
  await engine.index('own').updateDefinition({ aliases: { a: {} } });
  await crash(engine, directory);
  assert.equal(await found(folder), 51);
  assert.ok(!readFileSync(file, 'utf8').includes('"format":1'));

  const again = await openTestEngine(fileDirectory(folder));
  await again.index('own').commit();
  await again.index('own').apply([indexing('last', {})]);
  await again.close();
  assert.equal(await found(folder), 52);
  assert.ok(!readFileSync(file, 'utf8').includes('plainTranslog'));
  writeFileSync(logOf(folder), '');
  assert.match(String(await found(folder)), /it is shorter than it was/);
});

test('4.3 a folder that was deleted between two runs leaves its index red, until it is put back or deleted by the API', async (context) => {
  const folder = temporary(context);
  await crashed(folder);
  const own = join(folder, 'own');
  cpSync(own, `${folder}-copy`, { recursive: true });
  context.after(() => rmSync(`${folder}-copy`, { recursive: true }));
  rmSync(own, { recursive: true });
  for (let time = 0; time < 2; time++)
    assert.match(String(await found(folder)), /own\] is damaged: its folder is missing/);
  rmSync(own, { recursive: true, force: true });
  cpSync(`${folder}-copy`, own, { recursive: true });
  assert.equal(await found(folder), 50);
  rmSync(own, { recursive: true });
  const directory = fileDirectory(folder);
  const engine = await openTestEngine(directory);
  await engine.deleteIndex('own');
  await engine.createIndex('more');
  await engine.deleteIndex('more');
  await crash(engine, directory);
  // A list that is gone or damaged is rewritten.
  for (const damage of [() => rmSync(join(folder, '_indices')), () => writeFileSync(join(folder, '_indices'), 'x')]) {
    damage();
    const again = await openTestEngine(fileDirectory(folder));
    assert.deepEqual([again.damaged(), again.has('own'), again.has('other')], [[], false, true]);
    await again.close();
  }
  rmSync(join(folder, 'other'), { recursive: true });
  const last = await openTestEngine(fileDirectory(folder));
  assert.deepEqual(
    last.damaged().map(({ name }) => name),
    ['other'],
  );
  await last.close();
});
