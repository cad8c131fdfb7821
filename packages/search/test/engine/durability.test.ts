// What survives: acknowledged writes after a crash, damage named instead of served, positions together with the documents.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { isProductError } from '@lockstitch/kernel';
import type { Directory } from '../../src/directory/directory.ts';
import { fileDirectory } from '../../src/directory/file.ts';
import type { Index } from '../../src/engine/engine-api.ts';
import { HEADER } from '../../src/engine/log-file.ts';
import type { Operation } from '../../src/index/operation.ts';
import { killRounds } from './kill-rounds.ts';
import { crash, deleting, getNow, indexing, openTestEngine } from './test-index.ts';

function temporary(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'search-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Where the records of a log end: the file is lengthened ahead with zeros. */
const recordsEnd = (log: Buffer): number => log.findLastIndex((byte) => byte !== 0) + 1;

/** A log of which nothing from a place on has reached the disk. */
const cutOff = (log: Buffer, at: number): Buffer => Buffer.from(log).fill(0, at);

const ids = (index: Index): string[] =>
  index
    .searcher()
    .search({ query: { kind: 'match_all' }, size: 1000 })
    .hits.map((hit) => hit.id);

const codeOf = async (action: () => Promise<unknown>): Promise<string | undefined> => {
  try {
    await action();
    return undefined;
  } catch (error) {
    if (isProductError(error)) return error.code;
    throw error;
  }
};

test('after a crash every acknowledged write is there, and the position of the last batch', async (context) => {
  const folder = temporary(context);
  let directory = fileDirectory(folder);
  let engine = await openTestEngine(directory);
  let index = await engine.createIndex('a');
  await index.apply([indexing('1', { text: 'one' }), indexing('2', { text: 'two' })], { position: 5 });
  await index.commit();
  await index.apply([indexing('2', { text: 'two again' }), deleting('1')], { position: 6 });
  await index.apply([indexing('3', { text: 'three', tag: ['x'] }, { routing: 'r' })], { position: 9 });
  const before = getNow(index, '2');
  await crash(engine, directory);

  directory = fileDirectory(folder);
  engine = await openTestEngine(directory);
  index = engine.index('a');
  assert.deepEqual(ids(index), ['2', '3']);
  assert.equal(index.position, 9);
  assert.equal(index.durablePosition, 9);
  assert.deepEqual(
    { ...getNow(index, '2'), source: Buffer.from(getNow(index, '2')!.source).toString() },
    { ...before, source: '{"text":"two again"}' },
  );
  assert.equal(getNow(index, '3')!.routing, 'r');
  assert.equal(index.stats().maxSeqNo, 4);
  await engine.close();
});

test('a write after a restart finds the documents of before it, in segments of before, of the log and joined with later ones', async (context) => {
  const folder = temporary(context);
  let directory = fileDirectory(folder);
  let engine = await openTestEngine(directory);
  let index = await engine.createIndex('a', { settings: { refreshInterval: -1 } });
  await index.apply(['committed', 'merged', 'gone'].map((id) => indexing(id, {})));
  await index.commit();
  await index.apply([indexing('logged', {})]);
  await crash(engine, directory);

  directory = fileDirectory(folder);
  engine = await openTestEngine(directory);
  index = engine.index('a');
  const write = async (operation: Operation): Promise<unknown> => {
    const [result] = await index.apply([operation]);
    return result?.kind === 'done' ? [result.result, result.version] : result;
  };
  assert.deepEqual(await write(indexing('committed', {})), ['updated', 2]);
  assert.deepEqual(await write(indexing('logged', {})), ['updated', 2]);
  assert.deepEqual(await write(indexing('new', {})), ['created', 1]);
  await index.forceMerge();
  assert.deepEqual(await write(indexing('merged', {})), ['updated', 2]);
  assert.deepEqual(await write(indexing('new', {})), ['updated', 2]);
  assert.deepEqual(await write(deleting('gone')), ['deleted', 2]);
  await index.refresh();
  assert.deepEqual(ids(index).sort(), ['committed', 'logged', 'merged', 'new']);
  await engine.close();
});

test('a batch of thousands of writes and of megabytes is there after a crash as a small one is, and as a whole or not at all', async (context) => {
  const folder = temporary(context);
  let directory = fileDirectory(folder);
  let engine = await openTestEngine(directory);
  let index = await engine.createIndex('a');
  await index.apply([indexing('first', { text: 'first' })], { position: 1 });
  // Many small ones; few large ones, over the pieces' bounds; and one of its own.
  await index.apply(
    Array.from({ length: 2500 }, (_, at) => (at % 5 === 4 ? deleting(`${at - 1}`) : indexing(`${at}`, { n: at }))),
    { position: 2 },
  );
  await index.apply(
    Array.from({ length: 7 }, (_, at) =>
      indexing(`large ${at}`, { text: 'é '.repeat(200_000 + at) }, { routing: 'r' }),
    ),
  );
  await index.apply([indexing('last', { text: 'last' })], { position: 3 });
  const read = (): unknown[] =>
    ['first', '0', '3', '2498', 'large 0', 'large 6', 'last'].map((id) => {
      // Whether a large source is to be read later depends on where it is.
      const { source, readSource: _later, ...rest } = getNow(index, id) ?? { source: new Uint8Array(0) };
      return { ...rest, source: Buffer.from(source).toString() };
    });
  const before = read();
  assert.equal(index.stats().maxSeqNo, 2508);
  await crash(engine, directory);
  const log = join(folder, 'a', 'translog-0.log');
  const whole = readFileSync(log);

  directory = fileDirectory(folder);
  engine = await openTestEngine(directory);
  index = engine.index('a');
  assert.deepEqual(read(), before);
  assert.equal(index.position, 3);
  assert.equal(index.stats().maxSeqNo, 2508);
  await crash(engine, directory);

  // Cut within the batch of large ones: what did not reach the disk reads as zeros.
  writeFileSync(log, cutOff(whole, recordsEnd(whole) - 2_000_000));
  directory = fileDirectory(folder);
  engine = await openTestEngine(directory);
  index = engine.index('a');
  assert.equal(getNow(index, 'large 0'), undefined);
  assert.equal(getNow(index, '2497')!.seqNo, 2498);
  assert.equal(index.position, 2);
  await engine.close();
});

test('a committed index opens without its translog and answers the same', async (context) => {
  const folder = temporary(context);
  let engine = await openTestEngine(fileDirectory(folder));
  let index = await engine.createIndex('a');
  for (let round = 0; round < 5; round++) {
    await index.apply(
      Array.from({ length: 50 }, (_, i) =>
        indexing(String(i + round * 20), {
          text: `word${i % 7} other word`,
          n: [i, i + 1],
          tag: ['t', `t${i % 3}`],
          place: { lat: i, lon: -i },
          comments: [{ author: `u${i % 4}`, stars: i % 5 }],
        }),
      ),
      { position: round + 1 },
    );
    await index.apply([deleting(String(round))]);
    await index.commit();
  }
  const queries = [
    { kind: 'term', field: 'text', term: 'word3' },
    {
      kind: 'phrase',
      field: 'text',
      terms: [
        { position: 0, terms: ['other'] },
        { position: 1, terms: ['word'] },
      ],
    },
    { kind: 'term', field: 'tag', term: 't1' },
    { kind: 'number_range', field: 'n', from: 10, to: 20 },
    { kind: 'geo_distance', field: 'place', lat: 10, lon: -10, metres: 400_000 },
    { kind: 'nested', path: 'comments', query: { kind: 'term', field: 'comments.author', term: 'u1' } },
  ] as const;
  const answers = (): unknown =>
    queries.map((query) =>
      index
        .searcher()
        .search({ query, size: 100, sort: [{ kind: 'field', field: 'n', type: 'number' }, { kind: 'score' }] })
        .hits.map((hit) => [hit.id, hit.score, hit.sort, Buffer.from(hit.segment.source(hit.doc)).toString()]),
    );
  const before = answers();
  assert.ok((before as unknown[][]).every((hits) => hits.length > 0));
  await engine.close();
  assert.ok(
    !readdirSync(join(folder, 'a')).some(
      (name) => name.startsWith('translog') && readFileSync(join(folder, 'a', name)).length > HEADER,
    ),
  );
  engine = await openTestEngine(fileDirectory(folder));
  index = engine.index('a');
  assert.deepEqual(answers(), before);
  assert.equal(index.position, 5);
  await engine.close();
});

/** Makes an index with a commit and two writes after it, and leaves it as a crash would. */
async function crashed(folder: string): Promise<void> {
  const directory = fileDirectory(folder);
  const engine = await openTestEngine(directory);
  const index = await engine.createIndex('a');
  // One deletion of four: few enough that no merge takes the segment's place.
  await index.apply(['1', '2', '5', '6'].map((id) => indexing(id, { text: `first ${id}` })));
  await index.commit();
  await index.apply([deleting('2')]);
  await index.commit();
  await index.apply([indexing('3', { text: 'three' })]);
  await index.apply([indexing('4', { text: 'four' })]);
  await crash(engine, directory);
}

test('a record cut off by a crash was never acknowledged: the writes before it are there', async (context) => {
  const folder = temporary(context);
  await crashed(folder);
  const log = join(
    folder,
    'a',
    readdirSync(join(folder, 'a')).find((name) => name.startsWith('translog'))!,
  );
  const whole = readFileSync(log);
  const second = HEADER + 8 + new DataView(whole.buffer, whole.byteOffset).getUint32(HEADER, true);
  for (let size = second; size < recordsEnd(whole); size++) {
    writeFileSync(log, cutOff(whole, size));
    const directory = fileDirectory(folder);
    const engine = await openTestEngine(directory);
    assert.deepEqual(ids(engine.index('a')), ['1', '5', '6', '3'], `cut at ${size}`);
    await crash(engine, directory);
  }
  // And the log goes on behind the cut.
  const engine = await openTestEngine(fileDirectory(folder));
  await engine.index('a').apply([indexing('7', { text: 'seven' })]);
  await engine.index('a').refresh();
  assert.deepEqual(ids(engine.index('a')), ['1', '5', '6', '3', '7']);
  await engine.close();
});

test('a page of the translog that never reached the disk reads as zeros and is dropped', async (context) => {
  const folder = temporary(context);
  await crashed(folder);
  const log = join(
    folder,
    'a',
    readdirSync(join(folder, 'a')).find((name) => name.startsWith('translog'))!,
  );
  const whole = readFileSync(log);
  writeFileSync(log, Buffer.concat([whole, Buffer.alloc(4096)]));
  const engine = await openTestEngine(fileDirectory(folder));
  assert.deepEqual(ids(engine.index('a')), ['1', '5', '6', '3', '4']);
  await engine.close();
});

test('any flipped byte in any file is named, or changes nothing; never is it served', async (context) => {
  const folder = temporary(context);
  await crashed(folder);
  const inner = join(folder, 'a');
  const names = readdirSync(inner);
  const sound = '1:{"text":"first 1"},5:{"text":"first 5"},6:{"text":"first 6"},3:{"text":"three"},4:{"text":"four"}';
  assert.ok(['manifest', '.seg', '.live', '.log'].every((part) => names.some((name) => name.endsWith(part))));
  for (const name of names) {
    const file = join(inner, name);
    const whole = readFileSync(file);
    // Every byte of small files, a sample of larger ones.
    const step = Math.max(1, Math.floor(whole.length / 150));
    for (let at = 0; at < whole.length; at += step) {
      const flipped = Buffer.from(whole);
      flipped[at]! ^= 0x20;
      writeFileSync(file, flipped);
      const directory = fileDirectory(folder);
      let served: string | undefined;
      const code = await codeOf(async () => {
        const engine = await openTestEngine(directory);
        try {
          const index = engine.index('a');
          served = ids(index)
            .map((id) => `${id}:${Buffer.from(getNow(index, id)!.source).toString()}`)
            .join();
        } finally {
          await crash(engine, directory);
        }
      });
      if (code === undefined) assert.equal(served, sound, `${name} at ${at}`);
      else assert.ok(code === 'SEARCH_INDEX_RED' || code === 'SEARCH_DAMAGED', `${name} at ${at}: ${code}`);
      // The log may have been cut on opening: each round starts from the same state.
      for (const left of readdirSync(inner)) if (!names.includes(left)) rmSync(join(inner, left));
      writeFileSync(file, whole);
    }
  }
});

test('a truncated or missing file is named', async (context) => {
  const folder = temporary(context);
  await crashed(folder);
  const inner = join(folder, 'a');
  const named = async (name: string): Promise<void> => {
    const engine = await openTestEngine(fileDirectory(folder));
    assert.deepEqual(
      engine.damaged().map((each) => [each.name, each.reason.includes(`[a/${name}]`)]),
      [['a', true]],
      name,
    );
    await engine.close();
  };
  for (const name of readdirSync(inner)) {
    const file = join(inner, name);
    const whole = readFileSync(file);
    for (const size of [0, 3, whole.length >> 1, whole.length - 1]) {
      truncateSync(file, size);
      await named(name);
      writeFileSync(file, whole);
    }
    rmSync(file);
    await named(name);
    writeFileSync(file, whole);
  }
});

test('one directory serves one engine at a time', async (context) => {
  const folder = temporary(context);
  const engine = await openTestEngine(fileDirectory(folder));
  assert.equal(await codeOf(() => openTestEngine(fileDirectory(folder))), 'SEARCH_LOCKED');
  await engine.close();
  await (await openTestEngine(fileDirectory(folder))).close();
});

test('when the disk is full the write is refused and so is every later one, while searches go on', async (context) => {
  const real = fileDirectory(temporary(context));
  let full = false;
  const wrap = (inner: Directory): Directory => ({
    ...inner,
    directory: async (name) => wrap(await inner.directory(name)),
    async openAppend(name, size) {
      const file = await inner.openAppend(name, size);
      return {
        get size() {
          return file.size;
        },
        append(bytes) {
          if (full) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
          file.append(bytes);
        },
        sync: () => file.sync(),
        close: () => file.close(),
      };
    },
  });
  const engine = await openTestEngine(wrap(real));
  const index = await engine.createIndex('a', { settings: { refreshInterval: -1 } });
  await index.apply([indexing('1', { text: 'one' })]);
  await index.refresh();
  full = true;
  assert.equal(await codeOf(() => index.apply([indexing('2', { text: 'two' })])), 'SEARCH_DISK_FULL');
  full = false;
  assert.equal(await codeOf(() => index.apply([indexing('3', { text: 'three' })])), 'SEARCH_DISK_FULL');
  assert.deepEqual(ids(index), ['1']);
  await engine.close();
  const again = await openTestEngine(real);
  assert.deepEqual(ids(again.index('a')), ['1']);
  await again.close();
});

test('searches see new writes while a commit waits for the disk, and the commit holds what was there when it began', async (context) => {
  const folder = temporary(context);
  const real = fileDirectory(folder);
  const begun = Promise.withResolvers<undefined>();
  const released = Promise.withResolvers<undefined>();
  const wrap = (inner: Directory): Directory => ({
    ...inner,
    directory: async (name) => wrap(await inner.directory(name)),
    async writeFile(name, parts) {
      if (name.endsWith('.seg')) {
        begun.resolve(undefined);
        await released.promise;
      }
      await inner.writeFile(name, parts);
    },
  });
  const engine = await openTestEngine(wrap(real));
  const index = await engine.createIndex('a', { settings: { refreshInterval: -1, durability: 'async' } });
  await index.apply([indexing('1', { text: 'one' }), indexing('2', { text: 'two' })], { position: 1 });
  const committed = index.commit();
  await begun.promise;
  await index.apply([deleting('1'), indexing('3', { text: 'three' })], { position: 2 });
  await index.refresh();
  assert.deepEqual(ids(index), ['2', '3']);
  released.resolve(undefined);
  await committed;
  assert.equal(index.durablePosition, 1);
  assert.deepEqual(ids(index), ['2', '3']);
  await crash(engine, real);

  // The log since then never reached the disk.
  truncateSync(join(folder, 'a', 'translog-1.log'), HEADER);
  const again = await openTestEngine(fileDirectory(folder));
  assert.deepEqual(ids(again.index('a')), ['1', '2']);
  assert.equal(again.index('a').position, 1);
  await again.close();
});

test('a process killed while it writes loses nothing it acknowledged', async (context) => {
  const lost = await killRounds({ folder: temporary(context), rounds: 10, seed: 1 });
  assert.deepEqual(lost, { rounds: 10, lost: 0, invented: 0, acknowledged: lost.acknowledged });
  assert.ok(lost.acknowledged > 0);
});

test('an index may be called like a file that stands beside it, and no name is too long for the file system', async (context) => {
  const folder = temporary(context);
  const engine = await openTestEngine(fileDirectory(folder));
  await engine.updateMetadata({ templates: 'kept' });
  for (const name of ['lock', 'metadata', 'metadata.tmp']) {
    const index = await engine.createIndex(name);
    await index.apply([indexing('a', {})]);
  }
  await engine.updateMetadata({ templates: 'kept on' });
  for (const letter of ['ä', '@', '😀']) {
    const code = await codeOf(() => engine.createIndex(letter.repeat(255 / Buffer.byteLength(letter))));
    assert.equal(code, 'SEARCH_INVALID_INDEX_NAME', letter);
  }
  await engine.createIndex('ä'.repeat(40));
  assert.equal(await codeOf(() => openTestEngine(fileDirectory(folder))), 'SEARCH_LOCKED');
  await engine.close();
  const again = await openTestEngine(fileDirectory(folder));
  assert.deepEqual(
    again.indices().map(({ name }) => name),
    ['lock', 'metadata', 'metadata.tmp', 'ä'.repeat(40)],
  );
  assert.deepEqual(ids(again.index('lock')), ['a']);
  assert.deepEqual(again.metadata, { templates: 'kept on' });
  await again.close();
});

test('folders that are none of an index are left alone, and no index is made in them', async (context) => {
  const folder = temporary(context);
  for (const path of ['holidays/2026', 'Photos', 'lost+found', 'half-made', 'half-made@1']) {
    mkdirSync(join(folder, path), { recursive: true });
  }
  const foreign = ['holidays/2026/beach.jpg', 'Photos/cat.jpg', 'notes.txt'];
  for (const file of foreign) writeFileSync(join(folder, file), 'precious');
  writeFileSync(join(folder, 'half-made', 'translog-1.log'), '');
  writeFileSync(join(folder, 'half-made@1', 's0-0a1b2c3d.seg.tmp'), '');

  const engine = await openTestEngine(fileDirectory(folder));
  for (const file of foreign) assert.equal(readFileSync(join(folder, file), 'utf8'), 'precious');
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('half') || name.startsWith('lost')),
    ['lost+found'],
  );
  assert.equal(await codeOf(() => engine.createIndex('holidays')), 'SEARCH_FOREIGN_FOLDER');
  assert.equal(readFileSync(join(folder, foreign[0]!), 'utf8'), 'precious');
  await engine.createIndex('half-made');
  await engine.createIndex('photos');
  await engine.close();
});
