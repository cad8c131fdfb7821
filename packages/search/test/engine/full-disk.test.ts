// A disk that is full, or a process that may open no more files: what was refused is never seen, what was acknowledged is never lost,
// nothing ends the process, and writes are taken again as soon as there is room, without a restart.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { isProductError } from '@lockstitch/kernel';
import { until } from '../../../kernel/test/until.ts';
import { fileDirectory } from '../../src/directory/file.ts';
import type { Directory } from '../../src/directory/directory.ts';
import type { Engine, Index } from '../../src/engine/engine-api.ts';
import { faultyDirectory, type Faults, leaveFree, mountDisk } from './small-disk.ts';
import { crash, deleting, getNow, indexing, openTestEngine } from './test-index.ts';

/** Where a sync takes no time, if there is such a place. */
const quick = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

function temporary(context: TestContext): string {
  const folder = mkdtempSync(join(quick, 'full-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What a writer was told: the text of each document that was acknowledged. */
class Told {
  readonly documents = new Map<string, number>();
  refused = 0;
  private round = 0;

  /** Writes a batch; a refusal must be for lack of room. */
  async write(engine: Engine, ids: readonly string[], gone: readonly string[] = [], size = 1): Promise<boolean> {
    this.round++;
    const text = `round${this.round} ${'x'.repeat(size)}`;
    const writes = [...ids.map((id) => indexing(id, { text, n: this.round })), ...gone.map((id) => deleting(id))];
    try {
      const results = await engine.index('a').apply(writes);
      assert.ok(results.every((result) => result.kind === 'done'));
    } catch (error) {
      this.refused++;
      assert.ok(isProductError(error) && error.status === 503, String(error));
      return false;
    }
    for (const id of ids) this.documents.set(id, this.round);
    for (const id of gone) this.documents.delete(id);
    return true;
  }

  /** Compares what is found with what was told; by id, where the index does not ask for patience. */
  check(index: Index, all: readonly string[]): void {
    const held = new Map<string, number>();
    for (const id of all) {
      try {
        const found = getNow(index, id);
        if (found !== undefined) held.set(id, (JSON.parse(Buffer.from(found.source).toString()) as { n: number }).n);
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'SEARCH_DISK_FULL');
        const told = this.documents.get(id);
        if (told !== undefined) held.set(id, told);
      }
    }
    assert.deepEqual(new Map([...held].sort()), new Map([...this.documents].sort()));
  }

  /** Compares what a search finds, all of it refreshed. */
  async checkSearch(index: Index): Promise<void> {
    await index.refresh();
    const searcher = index.searcher();
    const { hits } = searcher.search({ query: { kind: 'match_all' }, size: 10_000 });
    const found = hits.map((hit): [string, number] => [
      hit.id,
      (JSON.parse(Buffer.from(hit.segment.source(hit.doc)).toString()) as { n: number }).n,
    ]);
    searcher.release();
    assert.deepEqual(new Map(found.sort()), new Map([...this.documents].sort()));
  }
}

/** Waits until writes are taken again; there is room. */
async function untilTaken(told: Told, engine: Engine, id: string): Promise<void> {
  await until(
    () => told.write(engine, [id]),
    () => 'no writes are taken although there is room',
  );
}

const all = Array.from({ length: 12 }, (_, at) => `${at}`).concat('healed', 'big');

/** Does everything that writes, and keeps count of what was told. */
async function busy(engine: Engine, told: Told): Promise<void> {
  const passing = async (action: () => Promise<unknown>): Promise<void> => {
    try {
      await action();
    } catch (error) {
      assert.ok(isProductError(error) && error.status === 503, String(error));
    }
    if (engine.has('a')) told.check(engine.index('a'), all);
  };
  await passing(() => engine.index('a').updateDefinition({ aliases: { x: {} } }));
  await told.write(engine, ['0', '1', '2', '3']);
  await passing(() => engine.index('a').refresh());
  await told.write(engine, ['4', '5'], ['0']);
  await passing(() => engine.index('a').commit());
  await told.write(engine, ['1', '6'], ['2', '5']);
  await passing(() => engine.index('a').refresh());
  await told.write(engine, ['1', '7'], ['3']);
  await passing(() => engine.index('a').forceMerge());
  await told.write(engine, ['big'], [], 400_000);
  await passing(() => engine.index('a').commit());
  await told.write(engine, ['8', '9'], ['1']);
  await passing(() => engine.index('a').commit());
  await told.write(engine, ['0', '10', '11'], ['9']);
}

async function sweep(context: TestContext, code: string, width: number, step: number): Promise<ReadonlySet<string>> {
  const failed = new Set<string>();
  for (let from = 0; ; from += step) {
    const folder = join(temporary(context), 'data');
    const faults: Faults = { count: 0, from: Infinity, to: Infinity, code, failed: [] };
    const directory = faultyDirectory(fileDirectory(folder), faults);
    const engine = await openTestEngine(directory);
    await engine.createIndex('a', { settings: { refreshInterval: -1 } });
    const told = new Told();
    faults.from = faults.count + from;
    faults.to = faults.from + width;
    await busy(engine, told);
    const isOver = faults.failed.length === 0;
    faults.to = 0;
    for (const each of faults.failed) failed.add(each);
    try {
      await untilTaken(told, engine, 'healed');
      told.check(engine.index('a'), all);
      await told.checkSearch(engine.index('a'));
      await engine.index('a').commit();
      await told.checkSearch(engine.index('a'));
      // As a crash and as an orderly end leave it.
      if ((from / step) % 2 === 0) await crash(engine, directory);
      else await engine.close();
      const again = await openTestEngine(fileDirectory(folder));
      assert.deepEqual(again.damaged(), []);
      told.check(again.index('a'), all);
      await told.checkSearch(again.index('a'));
      await again.close();
    } catch (error) {
      throw new Error(`${code} at write ${from}: ${faults.failed.join(', ')}`, { cause: error });
    }
    if (isOver) return failed;
  }
}

test('4.8 whichever write finds no room, refused writes are never seen, acknowledged ones never lost', async (context) => {
  const failed = await sweep(context, 'ENOSPC', 1, 2);
  for (const what of [
    'append to translog-.log',
    'sync translog-.log',
    'write manifest',
    'write s.seg',
    'write translog-.log',
  ])
    assert.ok(failed.has(what), what);
});

test('4.8 of writes that wait for the disk together each is found as it was told', async (context) => {
  for (let from = 0; from < 12; from++) {
    const folder = join(temporary(context), 'data');
    const faults: Faults = { count: 0, from: Infinity, to: Infinity, code: 'EIO', failed: [] };
    const directory = faultyDirectory(fileDirectory(folder), faults);
    const engine = await openTestEngine(directory);
    const index = await engine.createIndex('a', { settings: { refreshInterval: 1 } });
    faults.from = faults.count + from;
    faults.to = faults.from + 1;
    const told = new Map<string, boolean>();
    const seen = new Set<string>();
    const look = (at: Index): void => {
      const searcher = at.searcher();
      for (const hit of searcher.search({ query: { kind: 'match_all' }, size: 100 }).hits) seen.add(hit.id);
      searcher.release();
    };
    // Each a few turns after the one before, so that some are logged while a sync of others is under way.
    await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        for (let turn = 0; turn < at; turn++) await new Promise((resolve) => setImmediate(resolve));
        const done = index.apply([indexing(`${at}`, { text: 'x' })]).then(
          () => true,
          () => false,
        );
        look(index);
        told.set(`${at}`, await done);
      }),
    );
    faults.to = 0;
    await untilTaken(new Told(), engine, 'healed');
    const again = engine.index('a');
    await again.refresh();
    look(again);
    for (const [id, isDone] of told) {
      assert.equal(again.get(id) !== undefined, isDone, `${id} after ${faults.failed.join()} at ${from}`);
      assert.equal(seen.has(id), isDone, `${id} seen, after ${faults.failed.join()} at ${from}`);
    }
    await crash(engine, directory);
    const last = await openTestEngine(fileDirectory(folder));
    for (const [id, isDone] of told) assert.equal(last.index('a').get(id) !== undefined, isDone, `${id} at ${from}`);
    await last.close();
  }
});

test('4.7 a disk that stays full for a while is made up for in place', async (context) => {
  await sweep(context, 'ENOSPC', 12, 9);
});

test('4.6 a process that may open no more files for a while goes on when it may', async (context) => {
  const failed = await sweep(context, 'EMFILE', 3, 4);
  assert.ok(failed.size > 3);
});

test(
  '4.7 an index that fails again while it is being reopened is reopened once more',
  { timeout: 300_000 },
  async (context) => {
    const fail = (index: Index): void => {
      (index as unknown as { readonly durability: { fail(error: Error): void } }).durability.fail(new Error('full'));
    };
    const reopened: string[] = [];
    const done = Promise.withResolvers<undefined>();
    const engine = await openTestEngine(fileDirectory(temporary(context)), {
      log: {
        write(_level, message) {
          if (message !== 'A search index takes writes again.') return;
          reopened.push(message);
          if (reopened.length === 1) fail(engine.index('a'));
          else done.resolve(undefined);
        },
      },
    });
    context.after(() => engine.close());
    fail(await engine.createIndex('a'));
    await done.promise;
    const [result] = await engine.index('a').apply([indexing('1', { text: 'one' })]);
    assert.equal(result!.kind, 'done');
  },
);

test('4.1 a disk that fills up at any byte ends nothing, and takes writes again when there is room', async (context) => {
  const folder = mountDisk(context, '8m');
  if (folder === undefined) {
    context.skip('no file system can be mounted here');
    return;
  }
  for (let free = 0; free <= 40; free += 5) {
    leaveFree(folder, 6_000_000);
    const data = join(folder, `data${free}`);
    const directory: Directory = fileDirectory(data);
    let engine = await openTestEngine(directory);
    await engine.createIndex('a', { settings: { refreshInterval: -1 } });
    const told = new Told();
    leaveFree(folder, free * 4096);
    // A new index needs room, too, and leaves nothing where there is none.
    const made = await engine.createIndex('b').then(
      () => true,
      () => false,
    );
    assert.equal(engine.has('b'), made);
    await busy(engine, told);
    if (free % 2 === 0) {
      // A crash, and a start on a disk that is still full: what is there is served.
      await crash(engine, directory);
      engine = await openTestEngine(directory);
      assert.deepEqual(engine.damaged(), []);
      told.check(engine.index('a'), all);
      await told.write(engine, ['7'], ['8']);
      told.check(engine.index('a'), all);
    }
    leaveFree(folder, 6_000_000);
    try {
      await untilTaken(told, engine, 'healed');
      if (!made) await engine.createIndex('b');
      told.check(engine.index('a'), all);
      await told.checkSearch(engine.index('a'));
      await engine.close();
      const again = await openTestEngine(fileDirectory(data));
      assert.deepEqual([again.damaged(), again.has('b')], [[], true]);
      await told.checkSearch(again.index('a'));
      await again.close();
    } catch (error) {
      throw new Error(`${free} pages free`, { cause: error });
    }
    rmSync(data, { recursive: true, force: true });
  }
});
