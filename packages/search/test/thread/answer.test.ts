// A search that takes longer than its turn of the event loop is answered by a thread, and nobody can tell but by the clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createEngine, createRestApi, type Engine, fileDirectory } from '@lockstitch/search';
import { comparable } from '@lockstitch/search/requests';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ask, load, startRest } from '../rest/harness.ts';
import { EVERY_FIELD } from '../view/every-field.ts';
import { arbitraryRead } from '../view/requests.ts';

const ON_MAIN = { maxTurn: Infinity };
const IN_THREADS = { maxTurn: 0 };
/** Ends somewhere within most searches. */
const CUT_SHORT = { maxTurn: 0.03 };

/** Two indices with updates and deletions over several segments. */
async function fill(engine: Engine): Promise<Ask> {
  const ask = await startRest(createRestApi(engine));
  for (const index of ['t', 'b']) {
    const aliases = index === 't' ? { mine: { filter: { term: { owner: 'ann' } } }, hushed: {}, any: {} } : {};
    await ask(`PUT /${index}`, { mappings: EVERY_FIELD, aliases });
    for (const round of [0, 1, 2]) {
      const lines = Array.from({ length: 40 }, (_, at) => [
        { index: { _index: index, _id: String((at * 7 + round * 31) % 90) } },
        {
          owner: at % 3 === 0 ? 'ann' : 'bob',
          text: ['red fox', 'blue dog red', 'fox fox', 'dog'][(at + round) % 4],
          tag: at % 5 === 0 ? ['x', 'zed'] : 'y',
          n: at % 6,
          when: `2026-01-0${1 + (at % 3)}`,
          poster: { login: at % 2 === 0 ? 'ann' : 'cid', name: 'red rex' },
          secret: 'secret fox',
          flag: at % 2 === 0,
          rank: 1 + (at % 9),
          span: { gte: at % 3, lt: 5 },
          place: { lat: at % 3, lon: at % 4 },
          address: at % 2 === 0 ? '10.0.0.1' : 'fe80::1',
          typed: 'red fox',
          start: at % 3 === 0 ? 'red fox' : 'blue',
          flat: { colour: at % 2 === 0 ? 'red' : 'blue' },
          parts: Array.from({ length: at % 3 }, (_none, v) => ({ kind: v === 0 ? 'x' : 'y', v, note: 'red dog' })),
        },
      ]);
      await ask('POST /_bulk?refresh=true', [...lines.flat(), { delete: { _index: index, _id: String(round) } }]);
    }
  }
  return ask;
}

const plain = (text: string): string => comparable(text).replaceAll(/"id":"[\w-]{32}"/g, '');

test('A thread answers every request as the main thread does, and a search that is cut off begins anew without a trace', async () => {
  const engine = await createEngine();
  await fill(engine);
  const main = await startRest(createRestApi(engine, ON_MAIN));
  const threads = await startRest(createRestApi(engine, IN_THREADS));
  const cut = await startRest(createRestApi(engine, CUT_SHORT));
  const views = fc.constantFrom(
    undefined,
    { rows: { kind: 'term', field: 'owner', term: 'ann' } } as const,
    { hidden: ['secret', 'tag'] },
    {
      rows: { kind: 'term', field: 'owner', term: 'bob' },
      guarded: [{ path: 'text', when: { kind: 'term', field: 'tag', term: 'y' } }],
    } as const,
  );
  await fc.assert(
    fc.asyncProperty(arbitraryRead, views, async (asked, view) => {
      if (asked.kind === 'pages') return;
      const { target, body } = asked;
      const on = target.replace(/ \/t\/(?=_search|_count|_msearch)/, ' /t,b/');
      const more = { view: () => view };
      const [expected, ...others] = await Promise.all([main, threads, cut].map((ask) => ask(on, body, more)));
      for (const { status, text } of others) {
        assert.equal(plain(text), plain(expected!.text));
        assert.equal(status, expected!.status);
      }
    }),
    { numRuns: 150 },
  );
  await engine.close();
});

test('A scroll and a point in time go on in threads over the state they were opened on', async () => {
  const engine = await createEngine();
  const ask = await startRest(createRestApi(engine, IN_THREADS));
  await load(
    ask,
    'i',
    Array.from({ length: 10 }, (_, n) => ({ n })),
  );
  const first = await ask('POST /i/_search?scroll=1m', { size: 4, sort: 'n' });
  const pit = await ask('POST /i/_pit?keep_alive=1m');
  await ask('DELETE /i/_doc/8?refresh=true');
  const seen = [first];
  for (let page = 0; page < 2; page++)
    seen.push(await ask('POST /_search/scroll', { scroll_id: first.json._scroll_id, scroll: '1m' }));
  assert.deepEqual(
    seen.flatMap(({ json }) => json.hits.hits.map((hit: { sort: unknown[] }) => hit.sort[0])),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
  const then = await ask('POST /_search', { size: 0, pit: { id: pit.json.id } });
  assert.equal(then.json.pit_id, pit.json.id);
  assert.equal(then.json.hits.total.value, 10);
  assert.equal((await ask('POST /i/_count')).json.count, 9);
  await engine.close();
});

test('A thread knows fields that documents brought along since it first saw the index', async () => {
  const engine = await createEngine();
  const ask = await startRest(createRestApi(engine, IN_THREADS));
  await load(ask, 'i', [{ name: 'x' }]);
  assert.equal((await ask('POST /i/_count', { query: { match: { later: 'y' } } })).json.count, 0);
  await ask('PUT /i/_doc/2?refresh=true', { later: 'y' });
  assert.equal((await ask('POST /i/_count', { query: { match: { later: 'y' } } })).json.count, 1);
  await engine.close();
});

test('Sources that a commit moves from memory into a file are read from there', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'lockstitch-thread-'));
  const engine = await createEngine({ directory: fileDirectory(folder) });
  context.after(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const ask = await startRest(createRestApi(engine, IN_THREADS));
  await load(ask, 'i', [{ name: 'x' }]);
  const before = await ask('POST /i/_search');
  await engine.index('i').commit();
  const after = await ask('POST /i/_search');
  assert.deepEqual(after.json.hits.hits[0]._source, { name: 'x' });
  assert.equal(plain(after.text), plain(before.text));
});

test('A terms lookup in a thread is answered by what the main thread sees', async () => {
  const engine = await createEngine();
  const ask = await startRest(createRestApi(engine, IN_THREADS));
  await load(ask, 'lists', [{ names: ['x', 'z'] }]);
  await load(ask, 'i', [{ name: 'x' }, { name: 'y' }, { name: 'z' }]);
  const terms = { 'name.keyword': { index: 'lists', id: '1', path: 'names' } };
  assert.equal((await ask('POST /i/_count', { query: { terms } })).json.count, 2);
  await engine.close();
});

test('A refusal in a thread is worded as on the main thread', async () => {
  const engine = await createEngine();
  const main = await startRest(createRestApi(engine, ON_MAIN));
  const threads = await startRest(createRestApi(engine, IN_THREADS));
  await load(main, 'i', [{ name: 'x' }]);
  for (const body of [
    { query: { nope: {} } },
    { query: { regexp: { name: '(' } } },
    { aggs: { a: { terms: { field: 'name.keyword', size: -1 } } } },
    { from: 9999, size: 9999 },
    { query: { terms: { name: { index: 'other', id: '1', path: 'names' } } } },
    { query: { more_like_this: { fields: ['name'], like: [{ _index: 'other', _id: '1' }] } } },
  ]) {
    const asked = { indexByPathOnly: true };
    const [expected, found] = await Promise.all([main, threads].map((ask) => ask('POST /i/_search', body, asked)));
    assert.ok(expected!.status >= 400);
    assert.equal(found!.text, expected!.text);
  }
  await engine.close();
});

test('A large answer of a thread is printed pretty and filtered as a small one is', async () => {
  const engine = await createEngine();
  const main = await startRest(createRestApi(engine, ON_MAIN));
  const threads = await startRest(createRestApi(engine, IN_THREADS));
  await load(
    main,
    'i',
    Array.from({ length: 300 }, (_, n) => ({ n, text: 'word '.repeat(400) })),
  );
  for (const form of ['pretty', 'filter_path=hits.hits._source.n', 'size=300&pretty&filter_path=hits.hits']) {
    const [expected, found] = await Promise.all([main, threads].map((ask) => ask(`POST /i/_search?size=300&${form}`)));
    assert.equal(
      plain(found!.text.replaceAll(/"took" : \d+/g, '')),
      plain(expected!.text.replaceAll(/"took" : \d+/g, '')),
    );
  }
  const lines = [{}, { size: 300 }, {}, { size: 1 }];
  const [expected, found] = await Promise.all([main, threads].map((ask) => ask('POST /i/_msearch', lines)));
  assert.equal(plain(found!.text), plain(expected!.text));
  await engine.close();
});

test('A thread tells the words of documents as the main thread does, of one or of many, of all or of those that a caller sees', async () => {
  const engine = await createEngine();
  await fill(engine);
  const main = await startRest(createRestApi(engine, ON_MAIN));
  const threads = await startRest(createRestApi(engine, IN_THREADS));
  const more = { term_statistics: true, fields: ['text', 'tag', 'parts.note'] };
  const docs = [
    { _id: '9', ...more },
    { _index: 'b', _id: '9', ...more },
    { _id: 'none' },
    { doc: { text: 'a red fox' }, ...more },
    { _id: '10', per_field_analyzer: { text: 'nope' }, fields: ['text'] },
    { _index: 'nope', _id: '1' },
  ];
  const view = (): object => ({ rows: { kind: 'term', field: 'owner', term: 'ann' }, hidden: ['tag'] });
  for (const [target, body] of [
    ['POST /t/_termvectors/9', more],
    ['POST /t/_termvectors/none', more],
    ['POST /t/_termvectors', { doc: { text: 'red' }, per_field_analyzer: { text: 'nope' } }],
    ['POST /t/_mtermvectors', { docs }],
    ['POST /t/_mtermvectors', { docs: [{ _index: 'nope', _id: '1' }] }],
  ] as const) {
    for (const options of [{}, { view }]) {
      const [expected, found] = await Promise.all([main, threads].map((ask) => ask(target, body, options as never)));
      assert.equal(plain(found!.text), plain(expected!.text));
      assert.equal(found!.status, expected!.status);
    }
  }
  await engine.close();
});

test('A search whose sender is gone is ended', async () => {
  const engine = await createEngine();
  const ask = await startRest(createRestApi(engine, IN_THREADS));
  await load(ask, 'i', [{ name: 'x' }]);
  const gone = AbortSignal.abort();
  const ended = await ask('POST /i/_search', {}, { signal: () => gone });
  assert.equal(ended.json.error.type, 'task_cancelled_exception');
  // Of many that wait for a thread, those that are in line when their sender leaves never begin.
  const leaving = new AbortController();
  const asked = Array.from({ length: 8 }, () => ask('POST /i/_search', {}, { signal: () => leaving.signal }));
  leaving.abort();
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  assert.ok(statuses.filter((status) => status === 400).length >= 6, statuses.join());
  assert.equal((await ask('POST /i/_search')).status, 200);
  await engine.close();
});
