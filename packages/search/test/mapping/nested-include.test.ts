// What a document has of the nested ones in it (`include_in_parent`, `include_in_root`), and of fields that read no values, as Elasticsearch 7.10.2.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ids, startRest } from '../rest/harness.ts';

test('a document above a nested one is given its fields, and no nested documents of its own', async () => {
  const ask = await startRest();
  const word = { type: 'keyword', copy_to: 'all' };
  const inner = { type: 'nested', properties: { word } };
  const outer = { type: 'nested', include_in_parent: true, properties: { inner, rank: { type: 'rank_feature' } } };
  const all = { type: 'text' };
  await ask('PUT /n', { mappings: { properties: { all, outer, shown: { ...outer, include_in_root: true } } } });
  const body = { outer: [{ inner: [{ word: 'a' }], rank: 1 }, { rank: 2 }], shown: { inner: { word: 'b' } } };
  assert.equal((await ask('PUT /n/_doc/1?refresh=true', body)).status, 201);
  const { json } = await ask('POST /n/_search', { sort: ['_doc'] });
  // Three documents of `outer` and two of `shown` come before their own.
  assert.deepEqual(json.hits.hits[0].sort, [5]);
  const find = async (query: object): Promise<unknown> => ids(await ask('POST /n/_search', { query }));
  assert.deepEqual(await find({ exists: { field: 'outer.rank' } }), ['1']);
  assert.deepEqual(await find({ term: { 'outer.inner.word': 'a' } }), []);
  assert.deepEqual(await find({ match: { all: 'a' } }), ['1']);
});

test('a list of anything is taken by a binary field that is neither stored nor a column', async () => {
  const ask = await startRest();
  await ask('PUT /b', {
    mappings: { properties: { plain: { type: 'binary' }, copied: { type: 'binary', copy_to: 'all' } } },
  });
  assert.equal((await ask('PUT /b/_doc/1?refresh=true', { plain: [{ any: 1 }, 5], copied: ['x'] })).status, 201);
  assert.deepEqual(ids(await ask('POST /b/_search', { query: { match: { all: 'x' } } })), ['1']);
});
