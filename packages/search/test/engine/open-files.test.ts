// Files of segments that were merged away are closed at once, by the index as by the threads that searched them, unless somebody still reads
// them; and then with the last of those.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createEngine, createRestApi, fileDirectory } from '@lockstitch/search';
import { until } from '../../../kernel/test/until.ts';
import { ids, startRest } from '../rest/harness.ts';
import { faultyDirectory, type Faults } from './small-disk.ts';
import { getNow, openTestEngine } from './test-index.ts';

const DESCRIPTORS = '/proc/self/fd';

function temporary(context: TestContext): string {
  const quick = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const folder = mkdtempSync(join(quick, 'open-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The files of segments that this process has open. */
function openSegments(folder: string): string[] {
  return readdirSync(DESCRIPTORS).flatMap((descriptor) => {
    try {
      const path = readlinkSync(join(DESCRIPTORS, descriptor));
      return path.startsWith(folder) && path.includes('.seg') ? [path] : [];
    } catch {
      return [];
    }
  });
}

test('4.6 after many merges no more files are open than there are segments, unless a search still reads them', async (context) => {
  if (!existsSync(DESCRIPTORS)) {
    context.skip('the system does not list open files');
    return;
  }
  const folder = temporary(context);
  const engine = await createEngine({ directory: fileDirectory(folder) });
  // In threads, which open the files themselves.
  const rest = createRestApi(engine, { maxTurn: 0 });
  const ask = await startRest(rest);
  const large = 'x'.repeat(400_000);
  await ask('PUT /a', { settings: { refresh_interval: '-1' } });
  const write = async (at: number): Promise<void> => {
    await ask(`PUT /a/_doc/${at}`, { n: at, text: `word ${at}` });
    await ask('POST /a/_flush');
  };
  const index = engine.index('a');
  /** Merges under way have their inputs open, and what a thread was told may be a moment old. */
  const settled = (most: number): Promise<void> =>
    until(
      () => openSegments(folder).length <= most,
      () => `${openSegments(folder).length} files are open for ${index.stats().segments} segments`,
    );
  for (let at = 0; at < 40; at++) {
    await write(at);
    assert.equal(
      (await ask('GET /a/_search', { query: { match: { text: 'word' } }, size: 1 })).json.hits.total.value,
      at + 1,
    );
    // Twice each: once by the index, once by the thread that has searched it.
    if (at % 10 === 9) await settled(2 * index.stats().segments);
  }
  // A scroll, a point in time and a large document that is read later hold what they were opened on.
  await ask('PUT /a/_doc/large', { large });
  await ask('POST /a/_flush');
  const scroll = await ask('GET /a/_search?scroll=1m', { query: { match_all: {} }, size: 5 });
  const pit = await ask('POST /a/_pit?keep_alive=1m');
  const later = getNow(index, 'large')!;
  const before = openSegments(folder).length;
  await ask('POST /a/_forcemerge?max_num_segments=1');
  await ask('POST /a/_flush');
  for (let at = 0; at < 40; at++) await ask(`DELETE /a/_doc/${at}`);
  await ask('DELETE /a/_doc/large');
  await ask('POST /a/_forcemerge?max_num_segments=1');
  await ask('POST /a/_flush');
  assert.ok(before > 2);
  const page = await ask('POST /_search/scroll', { scroll: '1m', scroll_id: scroll.json._scroll_id });
  assert.deepEqual([page.json.hits.total.value, ids(page).length], [41, 5]);
  assert.equal(page.json.hits.hits[0]._source.text, 'word 5');
  const seen = await ask('GET /_search', { pit: { id: pit.json.id }, size: 100 });
  assert.equal(seen.json.hits.hits.length, 41);
  assert.equal(Buffer.from(await later.readSource!()).length, JSON.stringify({ large }).length);
  assert.equal(Buffer.from(await later.readSource!()).length, later.source.length);

  await ask('DELETE /_search/scroll', { scroll_id: scroll.json._scroll_id });
  await ask('DELETE /_pit', { id: pit.json.id });
  await settled(2 * index.stats().segments);
  // An index that is deleted leaves none, nor does the engine.
  await write(99);
  await ask('GET /a/_search');
  const held = index.searcher();
  await ask('DELETE /a');
  assert.equal(Buffer.from(held.segments.at(-1)!.source(0)).toString(), '{"n":99,"text":"word 99"}');
  held.release();
  await settled(0);
  rest.close();
  await engine.close();
});

test('4.1 what cannot be made for want of room leaves no file open', async (context) => {
  if (!existsSync(DESCRIPTORS)) {
    context.skip('the system does not list open files');
    return;
  }
  const folder = temporary(context);
  const faults: Faults = { count: 0, from: Infinity, to: Infinity, code: 'ENOSPC', failed: [] };
  const engine = await openTestEngine(faultyDirectory(fileDirectory(folder), faults));
  const logs = (): number =>
    readdirSync(DESCRIPTORS).filter((descriptor) => {
      try {
        return readlinkSync(join(DESCRIPTORS, descriptor)).startsWith(join(folder, 'made'));
      } catch {
        return false;
      }
    }).length;
  for (let at = 0; ; at++) {
    faults.from = faults.count + at;
    faults.to = faults.from + 1;
    const made = await engine.createIndex('made').then(
      () => true,
      (error: unknown) => {
        assert.equal((error as { code?: string }).code, 'SEARCH_DISK_FULL');
        return false;
      },
    );
    if (made) break;
    assert.deepEqual([logs(), engine.has('made'), existsSync(join(folder, 'made'))], [0, false, false]);
  }
  assert.ok(faults.failed.length >= 4, faults.failed.join());
  await engine.close();
  assert.equal(logs(), 0);
});
