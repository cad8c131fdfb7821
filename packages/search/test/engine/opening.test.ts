// Opening an index, which goes piece by piece: it finds everything again.
import { deepEqual, equal } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createEngine, type Directory, type Engine, fileDirectory, type Operation } from '@lockstitch/search';
import { crash, getNow } from './test-index.ts';

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'opening-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const indexing = (id: string, source: object): Operation => ({
  kind: 'index',
  id,
  source: Buffer.from(JSON.stringify(source)),
});

const fieldNames = Array.from({ length: 900 }, (_, at) => `field "${at}"]}`);

async function filled(directory: Directory): Promise<Engine> {
  const engine = await createEngine({ directory });
  const properties = Object.fromEntries(fieldNames.map((name) => [name, { type: 'keyword' }]));
  const definition = { mappings: { properties }, settings: { refreshInterval: -1 } };
  const index = await engine.createIndex('t', definition);
  const wide = Object.fromEntries(fieldNames.map((name, at) => [name, `value ${at}`]));
  await index.apply([indexing('wide', wide)]);
  for (let at = 0; at < 5; at++)
    await index.apply(
      Array.from({ length: 2000 }, (_, n) => indexing(`${at * 2000 + n}`, { text: `words of document ${n % 100}` })),
    );
  return engine;
}

test('an index of many fields and documents is there again, from its segments as from its log', async (t) => {
  for (const ending of ['closed', 'crashed']) {
    const folder = folderFor(t);
    const directory = fileDirectory(folder);
    const before = await filled(directory);
    if (ending === 'closed') await before.close();
    else await crash(before, directory);
    const engine = await createEngine({ directory: fileDirectory(folder) });
    const index = engine.index('t');
    equal(index.stats().docs, 10_001, ending);
    const searcher = index.searcher();
    const count = (field: string, term: string): number =>
      searcher.search({ query: { kind: 'term', field, term }, size: 0 }).total!.value;
    equal(count(fieldNames[899]!, 'value 899'), 1);
    equal(count('text', 'words'), 10_000);
    searcher.release();
    await engine.close();
  }
});

test('a directory may be given as a path', async (t) => {
  const directory = join(folderFor(t), 'made/on/the/way');
  const before = await createEngine({ directory });
  await (await before.createIndex('t')).apply([indexing('1', { a: 1 })]);
  await before.close();
  const engine = await createEngine({ directory });
  equal(engine.index('t').stats().docs, 1);
  await engine.close();
});

test('large documents of the log come back in their order, among small ones of the same ids', async (t) => {
  const folder = folderFor(t);
  const directory = fileDirectory(folder);
  const engine = await createEngine({ directory });
  const index = await engine.createIndex('t', { settings: { refreshInterval: -1 } });
  const long = (word: string): object => ({ text: `${word} `.repeat(60_000) });
  await index.apply([indexing('a', long('first')), indexing('b', { text: 'small' }), indexing('c', long('gone'))]);
  await index.apply([indexing('a', { text: 'second' }), indexing('b', long('later')), { kind: 'delete', id: 'c' }]);
  await crash(engine, directory);
  const again = await createEngine({ directory: fileDirectory(folder) });
  const opened = again.index('t');
  const searcher = opened.searcher();
  const found = (term: string): string[] =>
    searcher.search({ query: { kind: 'term', field: 'text', term }, size: 10 }).hits.map(({ id }) => id);
  deepEqual(['first', 'second', 'small', 'later', 'gone'].map(found), [[], ['a'], [], ['b'], []]);
  searcher.release();
  deepEqual([getNow(opened, 'b')!.version, getNow(opened, 'b')!.seqNo, opened.stats().maxSeqNo], [2, 4, 5]);
  equal(opened.get('c'), undefined);
  await again.close();
});
