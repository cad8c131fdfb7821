// Large documents become segments in a thread: nothing but that may tell them from small ones.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEngine, createMapper, fileDirectory, memoryDirectory } from '@lockstitch/search';
import type { Index } from '../../src/engine/engine-api.ts';
import type { Operation } from '../../src/index/operation.ts';
import { crash, getNow } from './test-index.ts';

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const text = (value: Uint8Array | undefined): string => new TextDecoder().decode(value);
/** More than a thread is worth for. */
const long = (word: string): string => `${word} `.repeat(300_000 / (word.length + 1));
const write = (id: string, body: object, more: object = {}): Operation => ({
  kind: 'index',
  id,
  source: bytes(body),
  ...more,
});

/** The mapping of the main thread alone. */
const here: typeof createMapper = (definition) =>
  Object.defineProperty(createMapper(definition), 'weight', { value: undefined });

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'large-documents-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** What can be known of an index. */
async function contentOf(index: Index, ids: readonly string[]): Promise<unknown> {
  await index.refresh();
  await index.forceMerge();
  const { segments } = index.searcher() as unknown as { segments: { core: { data: { meta: { fields: unknown } } } }[] };
  return {
    mapping: index.mapper.toJSON(),
    gets: ids.map((id) => {
      const found = getNow(index, id);
      return found === undefined ? undefined : { ...found, source: text(found.source), readSource: undefined };
    }),
    docs: index.stats().docs,
    fields: segments.map(({ core }) => core.data.meta.fields),
  };
}

const operations = (): Operation[][] => [
  [write('a', { t: long('alpha'), n: 1 }), write('b', { t: 'beta', n: 2 })],
  [
    write('c', { t: long('gamma'), list: [{ x: 1 }, { x: 2 }] }),
    write('d', { n: 'no number', t: long('delta') }),
    write('a', { t: 'small again' }),
    write('a', { t: long('once more'), extra: { deep: true } }),
    { kind: 'delete', id: 'b' },
    { kind: 'delete', id: 'c' },
  ],
  [
    write('c', { t: long('back') }, { create: true }),
    write('c', { t: long('refused') }, { create: true }),
    write('e', { t: long('routed') }, { routing: 'r' }),
    write('f', { t: long('versioned') }, { version: 7, versionType: 'external' }),
    write('f', { t: long('older') }, { version: 6, versionType: 'external' }),
    { kind: 'index', id: 'g', source: new TextEncoder().encode(`{"t":"${long('broken')}"`) },
    { kind: 'index', id: 'h', source: new TextEncoder().encode(`["${long('list')}"]`) },
  ],
];

test('a document that a thread reads is what it would be if the main thread read it', async (t) => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const outcomes = [];
  for (const mapperFactory of [createMapper, here]) {
    const engine = await createEngine({ directory: fileDirectory(folder(t)), mapperFactory });
    const index = await engine.createIndex('test', { settings: { refreshInterval: -1 } });
    const results = [];
    for (const batch of operations()) {
      results.push(
        (await index.apply(batch)).map((result) =>
          result.kind === 'failed' ? { ...result, error: `${result.error.name}: ${result.error.message}` } : result,
        ),
      );
    }
    outcomes.push({ results, content: await contentOf(index, ids) });
    await engine.close();
  }
  deepEqual(outcomes[0], outcomes[1]);
});

test('a large document is got at once, and found after the next refresh only', async () => {
  const engine = await createEngine({ directory: memoryDirectory() });
  const index = await engine.createIndex('test', { settings: { refreshInterval: -1 } });
  await index.apply([write('1', { t: 'small' })]);
  await index.refresh();
  await index.apply([write('1', { t: long('large') }), write('2', { t: long('large') })]);
  equal(getNow(index, '1')?.version, 2);
  equal(index.stats().docs, 1);
  equal(index.stats().pending, 2);
  await index.apply([{ kind: 'delete', id: '2' }]);
  equal(getNow(index, '2'), undefined);
  await index.refresh();
  equal(index.stats().docs, 1);
  equal(index.stats().pending, 0);
  match(text(getNow(index, '1')?.source), /large/);
  await engine.close();
});

test('refreshes, commits and merges go on while large documents are written, and none is lost or there twice', async (t) => {
  const path = folder(t);
  const directory = fileDirectory(path);
  const engine = await createEngine({ directory });
  const index = await engine.createIndex('test', { settings: { refreshInterval: -1 } });
  const write6 = async (): Promise<void> => {
    for (let round = 0; round < 6; round++) {
      const body = (id: number): object => ({ t: long(`word${round}`), id });
      await index.apply([0, 1, 2].flatMap((id) => [write(`l${id}`, body(id)), write(`s${id}`, { round, id })]));
    }
  };
  const writing = write6();
  const ended = writing.then(() => true);
  for (let turn = 0; !(await Promise.race([ended, sleep(5, false)])); turn++) {
    await (turn % 3 === 0 ? index.commit() : turn % 3 === 1 ? index.forceMerge() : index.refresh());
    ok(index.stats().docs <= 6, 'a document is there twice');
  }
  await writing;
  await crash(engine, directory);
  const again = await createEngine({ directory: fileDirectory(path) });
  const opened = again.index('test');
  await opened.refresh();
  equal(opened.stats().docs, 6);
  for (const id of [0, 1, 2]) match(text(getNow(opened, `l${id}`)?.source), /^\{"t":"word5/);
  await again.close();
});

test('fields that a large document brings are refused where they are too many, and the document with them', async () => {
  const engine = await createEngine({ directory: memoryDirectory() });
  const custom = { settings: { 'mapping.total_fields.limit': 3 } };
  const index = await engine.createIndex('test', { settings: { refreshInterval: -1 }, custom });
  const [result] = await index.apply([write('1', { a: 1, b: 2, t: long('word'), c: 3 })]);
  equal(result?.kind, 'failed');
  deepEqual(index.mapper.toJSON(), {});
  equal(index.get('1'), undefined);
  await engine.close();
});

test('a mapping that is changed while a thread reads a document holds for it', async () => {
  const engine = await createEngine({ directory: memoryDirectory() });
  const index = await engine.createIndex('test', { settings: { refreshInterval: -1 } });
  const writing = index.apply([write('1', { t: long('word'), late: 'A Keyword' })]);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  (index.mapper as ReturnType<typeof createMapper>).merge({ properties: { late: { type: 'keyword' } } });
  const [result] = await writing;
  equal(result?.kind, 'done');
  deepEqual((index.mapper.toJSON() as { properties: { late: unknown } }).properties.late, { type: 'keyword' });
  await engine.close();
});

test('an index of hundreds of fields is the same wherever its segment was made, and after it was closed and opened', async (t) => {
  const body = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`field ${at}`, at % 3 === 0 ? at : `some text of ${at}`]),
  );
  const seen: unknown[] = [];
  for (const mapperFactory of [createMapper, here]) {
    const directory = fileDirectory(folder(t));
    const engine = await createEngine({ directory, mapperFactory });
    const index = await engine.createIndex('test', { settings: { refreshInterval: -1 } });
    const [result] = await index.apply([write('a', body)]);
    equal(result!.kind, 'done');
    seen.push(await sectionsOf(index));
    await engine.close();
    const reopened = await createEngine({ directory, mapperFactory });
    seen.push(await sectionsOf(reopened.index('test')));
    equal(text(getNow(reopened.index('test'), 'a')?.source), JSON.stringify(body));
    await reopened.close();
  }
  ok((seen[0] as { sections: unknown[] }).sections.length > 1000);
  for (const other of seen.slice(1)) deepEqual(other, seen[0]);
});

/** The fields of the one segment of an index and all its arrays, by name. */
async function sectionsOf(index: Index): Promise<unknown> {
  await index.refresh();
  const { segments } = index.searcher() as unknown as {
    segments: { core: { data: { meta: { fields: unknown }; sections: Map<string, Uint8Array> } } }[];
  };
  const [{ core }] = segments as [(typeof segments)[0]];
  const sections = [...core.data.sections]
    .filter(([name]) => !name.startsWith('source'))
    .map(([name, array]) => [name, array.constructor.name, Array.from(array)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { fields: core.data.meta.fields, sections };
}
