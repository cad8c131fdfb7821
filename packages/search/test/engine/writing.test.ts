// Writing to one index: versions and conditions, what searches see when, merging while writes go on, limits.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isProductError } from '@lockstitch/kernel';
import type { Index } from '../../src/engine/engine-api.ts';
import type { Operation, OperationResult, Update } from '../../src/index/operation.ts';
import { fileDirectory } from '../../src/directory/file.ts';
import { memoryDirectory } from '../../src/directory/memory.ts';
import { createTestIndex, deleting, getNow, indexing, openTestEngine } from './test-index.ts';

const one = async (index: Index, operation: Operation): Promise<OperationResult> =>
  (await index.apply([operation]))[0]!;

const brief = (result: OperationResult): unknown =>
  result.kind === 'done'
    ? [result.result, result.version, result.seqNo]
    : isProductError(result.error)
      ? [result.error.code, result.error.message]
      : result.error;

const ids = (index: Index): string[] =>
  index
    .searcher()
    .search({ query: { kind: 'match_all' }, size: 1000 })
    .hits.map((hit) => hit.id);

test('versions count the writes of a document, sequence numbers those of the index, deletions included', async () => {
  const index = await createTestIndex();
  assert.deepEqual(brief(await one(index, indexing('a', {}))), ['created', 1, 0]);
  assert.deepEqual(brief(await one(index, indexing('a', {}))), ['updated', 2, 1]);
  await index.refresh();
  assert.deepEqual(brief(await one(index, indexing('a', {}))), ['updated', 3, 2]);
  assert.deepEqual(brief(await one(index, deleting('a'))), ['deleted', 4, 3]);
  assert.deepEqual(brief(await one(index, deleting('a'))), ['not_found', 5, 4]);
  assert.deepEqual(brief(await one(index, indexing('a', {}))), ['created', 6, 5]);
  assert.equal(index.stats().maxSeqNo, 5);
});

test('a write whose condition fails is refused in its place and the others go through', async () => {
  const index = await createTestIndex();
  const results = await index.apply([
    indexing('a', {}),
    indexing('a', {}, { create: true }),
    indexing('b', {}, { ifSeqNo: 3, ifPrimaryTerm: 1 }),
    indexing('a', {}, { ifSeqNo: 7, ifPrimaryTerm: 1 }),
    indexing('a', {}, { ifSeqNo: 0, ifPrimaryTerm: 1 }),
  ]);
  assert.deepEqual(results.map(brief), [
    ['created', 1, 0],
    ['SEARCH_VERSION_CONFLICT', '[a]: version conflict, document already exists (current version [1])'],
    [
      'SEARCH_VERSION_CONFLICT',
      '[b]: version conflict, required seqNo [3], primary term [1]. but no document was found',
    ],
    [
      'SEARCH_VERSION_CONFLICT',
      '[a]: version conflict, required seqNo [7], primary term [1]. current document has seqNo [0] and primary term [1]',
    ],
    ['updated', 2, 1],
  ]);
});

test('an update is made of what the writes before left, in its batch and in others, and may come to nothing or fail', async () => {
  const index = await createTestIndex();
  const seen: unknown[] = [];
  const update = (id: string, make: (n: number) => Operation | undefined | Promise<Operation | undefined>): Update => ({
    kind: 'update',
    id,
    make(current) {
      const source = current === undefined ? '{}' : Buffer.from(current.source).toString();
      seen.push(current === undefined ? undefined : source);
      return make((JSON.parse(source) as { n?: number }).n ?? 0);
    },
  });
  const more = (n: number): Operation => indexing('a', { n: n + 1 });
  const [results, others] = await Promise.all([
    index.apply([
      update('a', more),
      update('a', (n) => Promise.resolve(more(n))),
      update('a', () => undefined),
      update('a', () => {
        throw new TypeError('not this');
      }),
      update('a', () => Promise.reject(new TypeError('nor this'))),
      deleting('a'),
      update('a', () => undefined),
      update('a', more),
    ]),
    index.apply([update('a', more)]),
  ]);
  assert.deepEqual([...results, ...others].map(brief), [
    ['created', 1, 0],
    ['updated', 2, 1],
    ['noop', 2, 1],
    new TypeError('not this'),
    new TypeError('nor this'),
    ['deleted', 3, 2],
    ['noop', -1, -1],
    ['created', 4, 3],
    ['updated', 5, 4],
  ]);
  const [none, one] = [undefined, '{"n":1}'];
  assert.deepEqual(seen, [none, one, '{"n":2}', '{"n":2}', '{"n":2}', none, none, one]);
});

test('updates that make much let other batches in between, and take their position with the last of them', async () => {
  const index = await createTestIndex();
  const source = Buffer.from(`{"keyword":"x"${' '.repeat(9 << 20)}}`);
  const writes = ['a', 'b', 'c', 'd'].map((id): Update => ({
    kind: 'update',
    id,
    make: () => ({ kind: 'index', id, source }),
  }));
  const [results, position] = await Promise.all([
    index.apply(writes, { position: 7 }),
    index.apply([indexing('other', {})]).then(([other]) => [brief(other!), index.position]),
  ]);
  assert.deepEqual(
    results.map(brief),
    [0, 1, 3, 4].map((seqNo) => ['created', 1, seqNo]),
  );
  assert.deepEqual(position, [['created', 1, 2], 0]);
  assert.equal(index.position, 7);
});

test('a position does not count when the last of its writes were refused, and those before are done', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'writing-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const engine = await openTestEngine(fileDirectory(folder));
  const index = await engine.createIndex('test', {});
  const source = Buffer.from(`{"keyword":"x"${' '.repeat(9 << 20)}}`);
  let gone: Promise<void> | undefined;
  const writes = ['a', 'b', 'c'].map((id): Update => ({
    kind: 'update',
    id,
    make() {
      gone ??= engine.deleteIndex('test');
      return { kind: 'index', id, source };
    },
  }));
  const results = await index.apply(writes, { position: 7 });
  assert.deepEqual(results.slice(0, 2).map(brief), [
    ['created', 1, 0],
    ['created', 1, 1],
  ]);
  assert.equal((brief(results[2]!) as readonly string[])[0], 'SEARCH_INDEX_NOT_FOUND');
  assert.deepEqual([index.position, index.durablePosition], [0, 0]);
  await gone;
  await engine.close();
});

test('external versions must grow, with external_gte not shrink; deletions remember theirs', async () => {
  const index = await createTestIndex();
  const write = (version: number, versionType: 'external' | 'external_gte' = 'external'): Promise<OperationResult> =>
    one(index, indexing('a', {}, { version, versionType }));
  assert.deepEqual(brief(await write(10)), ['created', 10, 0]);
  assert.deepEqual(brief(await write(10)), [
    'SEARCH_VERSION_CONFLICT',
    '[a]: version conflict, current version [10] is higher or equal to the one provided [10]',
  ]);
  assert.deepEqual(brief(await write(10, 'external_gte')), ['updated', 10, 1]);
  assert.deepEqual(brief(await one(index, { ...deleting('a'), version: 20, versionType: 'external' })), [
    'deleted',
    20,
    2,
  ]);
  assert.deepEqual(brief(await write(15)), [
    'SEARCH_VERSION_CONFLICT',
    '[a]: version conflict, current version [20] is higher or equal to the one provided [15]',
  ]);
  assert.deepEqual(brief(await write(21)), ['created', 21, 3]);
});

test('searches see the state of the last refresh as a whole; get sees the latest write', async () => {
  const index = await createTestIndex();
  await index.apply([indexing('a', { n: 1 }), indexing('b', { n: 1 })]);
  assert.deepEqual(ids(index), []);
  assert.equal(Buffer.from(getNow(index, 'a')!.source).toString(), '{"n":1}');
  await index.refresh();
  const before = index.searcher();
  await index.apply([indexing('a', { n: 2 }), deleting('b')]);
  assert.deepEqual(ids(index), ['a', 'b']);
  assert.equal(Buffer.from(getNow(index, 'a')!.source).toString(), '{"n":2}');
  assert.equal(getNow(index, 'b'), undefined);
  await index.refresh();
  assert.deepEqual(ids(index), ['a']);
  // A searcher taken before keeps its state.
  assert.deepEqual(
    before.search({ query: { kind: 'match_all' } }).hits.map((hit) => hit.id),
    ['a', 'b'],
  );
  assert.equal(before.find('b')!.doc, 1);
});

test('an update made while a refresh or a merge runs never makes its document disappear', async () => {
  const index = await createTestIndex();
  const count = 4000;
  const batch = (round: number): Operation[] =>
    Array.from({ length: count }, (_, i) => indexing(String(i), { text: `w${i % 50} r${round}`, n: round }));
  await index.apply(batch(0));
  await index.refresh();
  for (let round = 1; round <= 6; round++) {
    const writing = index.apply(batch(round));
    const working = round % 2 === 0 ? index.forceMerge() : index.refresh();
    const state = { settled: false };
    void Promise.all([writing, working]).then(() => (state.settled = true));
    while (!state.settled) {
      assert.equal(index.searcher().docCount(), count);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  await index.refresh();
  assert.equal(index.searcher().count({ kind: 'number_range', field: 'n', from: 6 }), count);
  await index.forceMerge();
  assert.equal(index.searcher().count({ kind: 'number_range', field: 'n', from: 6 }), count);
  assert.deepEqual([index.stats().segments, index.stats().deleted], [1, 0]);
});

test('many small refreshes are merged down while the order of last writes is kept', async () => {
  const index = await createTestIndex();
  for (let i = 0; i < 130; i++) {
    await index.apply([indexing(String(i % 100), { n: i })]);
    await index.refresh();
  }
  while (index.stats().segments > 20) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(ids(index), [
    ...Array.from({ length: 70 }, (_, i) => String(i + 30)),
    ...Array.from({ length: 30 }, (_, i) => String(i)),
  ]);
});

test('a document with a refused field leaves the one before it untouched', async () => {
  const index = await createTestIndex();
  await index.apply([indexing('a', { tag: 'short' })]);
  await index.refresh();
  const result = await one(index, indexing('a', { tag: 'x'.repeat(40_000) }));
  assert.equal(
    result.kind === 'failed' && isProductError(result.error) ? result.error.code : '',
    'SEARCH_TERM_TOO_LONG',
  );
  await index.refresh();
  assert.deepEqual(ids(index), ['a']);
  assert.equal(getNow(index, 'a')!.version, 1);
  const merged = await one(index, indexing('b', { tag: 'fine' }));
  assert.equal(merged.kind, 'done');
});

test('a keyword of 32,766 bytes is taken and one more is refused, wherever the encoding ends', async () => {
  const index = await createTestIndex();
  for (const character of ['x', 'é', '中', '😀']) {
    const width = Buffer.byteLength(character);
    const most = `${'y'.repeat(32_766 % width)}${character.repeat(Math.floor(32_766 / width))}`;
    assert.equal((await one(index, indexing('most', { tag: most }))).kind, 'done');
    assert.equal((await one(index, indexing('more', { tag: `y${most}` }))).kind, 'failed');
    assert.equal((await one(index, indexing('more', { tag: most + character }))).kind, 'failed');
  }
});

test('writes beyond the memory budget are refused with 429 and searches go on', async () => {
  const engine = await openTestEngine(memoryDirectory(), { memoryBudget: 200_000 });
  const index = await engine.createIndex('small', { settings: { refreshInterval: -1 } });
  const refused: unknown[] = [];
  for (let i = 0; i < 1000 && refused.length === 0; i++) {
    await index
      .apply([indexing(String(i), { text: `some words of document ${i} `.repeat(20) })])
      .catch((error: unknown) => refused.push(error));
  }
  const [error] = refused;
  assert.ok(isProductError(error) && error.code === 'SEARCH_MEMORY' && error.status === 429);
  await index.refresh();
  assert.ok(ids(index).length > 0);
});

test('a document larger than the limit is refused in its place', async () => {
  const engine = await openTestEngine(memoryDirectory(), { maxDocumentBytes: 50 });
  const index = await engine.createIndex('a');
  const results = await index.apply([indexing('big', { text: 'x'.repeat(100) }), indexing('small', {})]);
  assert.deepEqual(
    results.map((result) =>
      result.kind === 'failed' && isProductError(result.error) ? result.error.code : result.kind,
    ),
    ['SEARCH_DOCUMENT_TOO_LARGE', 'done'],
  );
});

test("names of indices follow Elasticsearch's rules", async () => {
  const engine = await openTestEngine();
  for (const name of [
    '',
    'Upper',
    '_start',
    '-start',
    'a b',
    'a/b',
    'a*',
    'a,b',
    'a#b',
    'a:b',
    '.',
    '..',
    'x'.repeat(256),
  ]) {
    await assert.rejects(
      engine.createIndex(name),
      (error) => isProductError(error) && error.code === 'SEARCH_INVALID_INDEX_NAME',
    );
  }
  await engine.createIndex('ok.name-1_ü');
  await assert.rejects(
    engine.createIndex('ok.name-1_ü'),
    (error) => isProductError(error) && error.code === 'SEARCH_INDEX_EXISTS',
  );
  await engine.deleteIndex('ok.name-1_ü');
  assert.throws(
    () => engine.index('ok.name-1_ü'),
    (error) => isProductError(error) && error.code === 'SEARCH_INDEX_NOT_FOUND',
  );
});

test('the definition of an index is kept, and changes of it', async () => {
  const engine = await openTestEngine();
  const index = await engine.createIndex('a', { aliases: { x: {} }, custom: { number_of_shards: 1 } });
  await index.updateDefinition({ aliases: { y: {} }, settings: { maxResultWindow: 5 } });
  assert.deepEqual(index.definition.aliases, { y: {} });
  assert.deepEqual(index.definition.custom, { number_of_shards: 1 });
  assert.throws(
    () => index.searcher().search({ query: { kind: 'match_all' }, size: 6 }),
    (error) =>
      isProductError(error) && error.code === 'SEARCH_RESULT_WINDOW' && /\[5\] but was \[6\]/.test(error.message),
  );
});

test('sources come through merges byte for byte, whole blocks and thinned ones', async () => {
  const index = await createTestIndex();
  // Hardly compressible, so that blocks stay large.
  const body = (i: number): object => ({
    filler: Buffer.from(Array.from({ length: 900 }, (_, k) => (i * 31 + k * k * 17) % 251))
      .toString('base64')
      .slice(0, 1000),
    n: i,
  });
  const expected = new Map<string, string>();
  for (let i = 0; i < 240; i++) {
    const operation = indexing(String(i), body(i));
    expected.set(String(i), Buffer.from((operation as Extract<Operation, { kind: 'index' }>).source).toString());
    await index.apply([operation]);
    if (i % 60 === 59) await index.refresh();
  }
  for (const removed of [[], ['3', '100', '239']]) {
    await index.apply(removed.map(deleting));
    for (const id of removed) expected.delete(id);
    await index.forceMerge();
    assert.deepEqual([index.stats().segments, index.stats().deleted], [1, 0]);
    for (const [id, source] of expected) assert.equal(Buffer.from(getNow(index, id)!.source).toString(), source);
    const { hits } = index.searcher().search({ query: { kind: 'match_all' }, size: 300 });
    assert.deepEqual(
      hits.map((hit) => [hit.id, Buffer.from(hit.segment.source(hit.doc)).toString()]),
      [...expected],
    );
  }
});
