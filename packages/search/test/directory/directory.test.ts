// Both directories keep the same contract: whole files replaced at once, logs that grow, folders in folders.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Directory } from '../../src/directory/directory.ts';
import { fileDirectory } from '../../src/directory/file.ts';
import { memoryDirectory } from '../../src/directory/memory.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (content: Uint8Array): string => Buffer.from(content).toString();

const kinds: Readonly<Record<string, (context: TestContext) => Directory>> = {
  memory: () => memoryDirectory(),
  file(context) {
    const folder = mkdtempSync(join(tmpdir(), 'directory-'));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    return fileDirectory(join(folder, 'made', 'on', 'demand'));
  },
};

for (const [name, make] of Object.entries(kinds)) {
  test(`${name}: a file is written as a whole, replaced, read at random and removed`, async (context) => {
    const directory = make(context);
    assert.deepEqual(await directory.list(), []);
    await directory.writeFile('b', [bytes('one '), bytes('two')]);
    await directory.writeFile('a', []);
    assert.deepEqual(await directory.list(), ['a', 'b']);
    assert.equal(text(await directory.readFile('b')), 'one two');
    const reader = await directory.open('b');
    assert.deepEqual(
      [reader.size, text(reader.read(4, 3)), text(reader.read(4, 100)), reader.read(50, 3).length],
      [7, 'two', 'two', 0],
    );
    await directory.writeFile('b', [bytes('three')]);
    assert.equal(text(reader.read(0, 7)), 'one two');
    reader.close();
    assert.equal(text(await directory.readFile('b')), 'three');
    await directory.remove('b');
    await directory.remove('b');
    assert.deepEqual([await directory.exists('a'), await directory.exists('b')], [true, false]);
    await assert.rejects(directory.readFile('b'), { code: 'ENOENT' });
    await assert.rejects(directory.open('b'), { code: 'ENOENT' });
  });

  test(`${name}: a log grows, is read as it grows, and goes on from a cut`, async (context) => {
    const directory = make(context);
    const log = await directory.openAppend('log');
    log.append(bytes('hello '));
    log.append(bytes('world'));
    await log.sync();
    assert.equal(log.size, 11);
    assert.equal(text(await directory.readFile('log')), 'hello world');
    log.close();
    const again = await directory.openAppend('log', 6);
    again.append(bytes('there'));
    await again.sync();
    again.close();
    assert.equal(text(await directory.readFile('log')), 'hello there');
  });

  test(`${name}: folders are made on demand and removed with their files`, async (context) => {
    const directory = make(context);
    const inner = await directory.directory('inner');
    await inner.writeFile('x', [bytes('x')]);
    assert.deepEqual(await directory.directories(), ['inner']);
    assert.equal(text(await (await directory.directory('inner')).readFile('x')), 'x');
    await directory.removeDirectory('inner');
    assert.deepEqual(await directory.directories(), []);
  });
}

test('a write that fails leaves the old file and no rest behind', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'directory-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const directory = fileDirectory(folder);
  await directory.writeFile('f', [bytes('old')]);
  const bad = new Proxy(bytes('new'), {
    get(target, key) {
      if (key === 'length') throw new Error('no more');
      return Reflect.get(target, key) as unknown;
    },
  });
  await assert.rejects(directory.writeFile('f', [bytes('part'), bad]));
  assert.equal(text(await directory.readFile('f')), 'old');
  assert.deepEqual(readdirSync(folder), ['f']);
});
