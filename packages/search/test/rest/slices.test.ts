// Parts of an index: slices of a scroll, and the shards that a routing leads to.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine, createRestApi } from '@lockstitch/search';
import { type Ask, ids, load, startRest } from './harness.ts';

const COUNT = 40;

async function filled(shards: number, ask?: Ask): Promise<Ask> {
  const made = ask ?? (await startRest());
  await made('PUT /t', { settings: { number_of_shards: shards } });
  const documents = Array.from({ length: COUNT }, (_, n) => ({ n, list: [{ a: n }] }));
  await load(made, 't', documents);
  return made;
}

async function scrolled(ask: Ask, slice: object): Promise<string[]> {
  let page = await ask('POST /t/_search?scroll=1m', { size: 7, sort: ['n'], slice });
  if (page.status !== 200) throw new Error(page.text);
  const found: string[] = [];
  while (ids(page).length > 0) {
    found.push(...ids(page));
    page = await ask('POST /_search/scroll', { scroll_id: page.json._scroll_id });
  }
  equal(page.json.hits.total.value, found.length);
  return found;
}

test('the slices of a scroll hold every document once, as many shards as there are', async () => {
  for (const shards of [1, 2, 5]) {
    const ask = await filled(shards);
    for (const max of [2, 3, 7]) {
      const slices = [];
      for (let id = 0; id < max; id++) slices.push(await scrolled(ask, { id, max }));
      const all = slices
        .flat()
        .map(Number)
        .sort((a, b) => a - b);
      deepEqual(
        all,
        Array.from({ length: COUNT }, (_, at) => at + 1),
        `${shards} shards, ${max} slices`,
      );
      if (shards === 1) for (const slice of slices) equal(slice.length > 0, true);
    }
  }
});

test('slices are the same ones as in Elasticsearch: by the hash of an id packed as Lucene keeps it', async () => {
  const ask = await startRest();
  for (const id of ['1', '2', '3', '10', 'AA', 'abc', 'ÄÖ', 'some-id.with.dots'])
    await ask(`PUT /t/_doc/${encodeURIComponent(id)}`, { n: 1 });
  await ask('POST /t/_refresh');
  const found = [];
  for (let id = 0; id < 2; id++) {
    const page = await ask('POST /t/_search?scroll=1m', { size: 20, slice: { id, max: 2 } });
    found.push(ids(page).sort());
  }
  // Worked out with Lucene 8.7's StringHelper.murmurhash3_x86_32(Uid.encodeId(id), 7919).
  deepEqual(found, [
    ['10', '3', 'AA', 'abc', 'ÄÖ'],
    ['1', '2', 'some-id.with.dots'],
  ]);
});

test('slices outside of a scroll, too many of them, and such that are none are refused', async () => {
  const ask = await filled(1);
  for (const [target, slice, word] of [
    ['POST /t/_search', { id: 0, max: 2 }, /cannot be used outside of a scroll context/],
    ['POST /t/_search?scroll=1m', { id: 0, max: 1 }, /max must be greater than 1/],
    ['POST /t/_search?scroll=1m', { id: 2, max: 2 }, /max must be greater than id/],
    ['POST /t/_search?scroll=1m', { id: -1, max: 2 }, /id must be greater than or equal to 0/],
    [
      'POST /t/_search?scroll=1m',
      { id: 0, max: 2, field: '_seq_no' },
      /\[field\] \[_seq_no\] of type \[_seq_no\] of a \[slice\]/,
    ],
    [
      'POST /t/_search?scroll=1m',
      { id: 0, max: 1025 },
      /The number of slices \[1025\] is too large. It must be less than \[1024\]/,
    ],
  ] as const) {
    const refused = await ask(target, { slice });
    equal(refused.status, 400, refused.text);
    match(refused.text, word);
  }
  await ask('PUT /t/_settings', { 'index.max_slices_per_scroll': 1025 });
  equal((await ask('POST /t/_search?scroll=1m', { slice: { id: 0, max: 1025 } })).status, 200);
});

test('a routing searches, counts and deletes in the shards that it leads to, in a thread too', async () => {
  for (const maxTurn of [5, 0]) {
    const rest = createRestApi(await createEngine(), { maxTurn });
    const ask = await startRest(rest);
    await ask('PUT /t', { settings: { number_of_shards: 8 } });
    for (const tenant of ['a', 'b', 'c', 'd']) await ask(`PUT /t/_doc/${tenant}1?routing=${tenant}`, { tenant });
    await ask('POST /t/_refresh');
    const counts = [];
    for (const tenant of ['a', 'b', 'c', 'd']) {
      const found = await ask(`GET /t/_search?routing=${tenant}`);
      equal(ids(found).includes(`${tenant}1`), true, found.text);
      counts.push(ids(found).length);
      equal((await ask(`GET /t/_count?routing=${tenant}`)).json.count, ids(found).length);
    }
    equal(counts.includes(1), true, String(counts));
    equal(ids(await ask('GET /t/_search?routing=a,b,c,d')).length, 4);
    await ask('PUT /t/_alias/only-a', { search_routing: 'a' });
    equal(ids(await ask('GET /only-a/_search')).length, counts[0]);
    const many = await ask('POST /_msearch', [{ index: 't', routing: 'a' }, {}]);
    equal(many.json.responses[0].hits.total.value, counts[0]);
    equal((await ask('POST /t/_delete_by_query?routing=a', { query: { match_all: {} } })).json.deleted, counts[0]);
    rest.close();
  }
});

test('updates by query and copies take a slice', async () => {
  const ask = await filled(1);
  const counts = [];
  for (let id = 0; id < 3; id++) {
    const updated = await ask('POST /t/_update_by_query', { slice: { id, max: 3 } });
    counts.push(updated.json.updated);
    const copied = await ask('POST /_reindex', {
      source: { index: 't', slice: { id, max: 3 } },
      dest: { index: 'copy' },
    });
    equal(copied.json.created, updated.json.updated, copied.text);
  }
  equal(
    counts.reduce((sum, each) => sum + each, 0),
    COUNT,
  );
});
