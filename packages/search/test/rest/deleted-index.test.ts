// An index that is deleted while somebody reads it: what is open reads on over the files as they were, and never anything else.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createMapper, createRestApi, fileDirectory, openEngine } from '@lockstitch/search';
import { load, startRest } from './harness.ts';

for (const maxTurn of [Infinity, 0]) {
  const where = maxTurn === 0 ? 'in a thread' : 'on the main thread';
  test(`scrolls, points in time and copies read on after their index was deleted, ${where}`, async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'lockstitch-deleted-'));
    const engine = await openEngine({ directory: fileDirectory(folder), mapperFactory: createMapper });
    context.after(async () => {
      await engine.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const ask = await startRest(createRestApi(engine, { maxTurn }));
    const texts = Array.from({ length: 3000 }, (_, at) => ({ text: `first ${at} ${'x'.repeat(100)}` }));
    await load(ask, 'first', texts);
    await ask('POST /first/_flush');
    const { id } = (await ask('POST /first/_pit?keep_alive=1m')).json;
    const { _scroll_id } = (await ask('POST /first/_search?scroll=1m', { size: 10, sort: ['_doc'] })).json;
    const copying = ask('POST /_reindex?refresh=true', { source: { index: 'first' }, dest: { index: 'copy' } });
    assert.equal((await ask('DELETE /first')).status, 200);
    // Takes the number of a file that was closed.
    await load(
      ask,
      'second',
      texts.map(({ text }) => ({ text: text.replace('first', 'other') })),
    );
    await ask('POST /second/_flush');
    const found = await ask('POST /_search', { pit: { id }, from: 2500, size: 3 });
    assert.deepEqual(
      found.json.hits?.hits.map((hit: { _source: unknown }) => hit._source),
      texts.slice(2500, 2503),
      found.text,
    );
    const scrolled = await ask('POST /_search/scroll', { scroll_id: _scroll_id });
    assert.deepEqual(
      scrolled.json.hits?.hits.map((hit: { _source: unknown }) => hit._source),
      texts.slice(10, 20),
      scrolled.text,
    );
    const copied = await copying;
    assert.equal(copied.status, 200, copied.text);
    assert.equal((await ask('GET /copy/_count')).json.count, 3000);
  });
}
