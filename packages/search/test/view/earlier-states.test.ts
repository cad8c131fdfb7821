// A state of the index that is kept open while documents are written again: what a caller sees of it is decided by the documents as they
// were then, whatever was worked out for later states in between.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine, createRestApi, type IndexView } from '@lockstitch/search';
import { startRest } from '../rest/harness.ts';

const guarded = (owner: string): { readonly view: () => IndexView } => ({
  view: () => ({ guarded: [{ path: 'text', when: { kind: 'term', field: 'owner', term: owner } }] }),
});

for (const maxTurn of [Infinity, 0]) {
  const where = maxTurn === 0 ? 'in a thread' : 'on the main thread';
  test(`a point in time withholds fields of documents that were written again before it was first asked, ${where}`, async () => {
    const ask = await startRest(createRestApi(await createEngine(), { maxTurn }));
    const properties = { text: { type: 'text' }, owner: { type: 'keyword' } };
    await ask('PUT /t', { mappings: { properties } });
    await ask('PUT /t/_doc/1', { text: 'hidden words', owner: 'bob' });
    await ask('PUT /t/_doc/2?refresh=true', { text: 'own words', owner: 'ann' });
    const ann = guarded('ann');
    const { id } = (await ask('POST /t/_pit?keep_alive=1m', undefined, ann)).json;
    await ask('PUT /t/_doc/1?refresh=true', { text: 'other words', owner: 'bob' });
    assert.equal((await ask('POST /t/_search', { query: { match: { text: 'words' } } }, ann)).json.hits.total.value, 1);
    const found = await ask('POST /_search', { pit: { id } }, ann);
    assert.deepEqual(
      found.json.hits.hits.map((hit: { _id: string; _source: unknown }) => [hit._id, hit._source]),
      [
        ['1', { text: null, owner: 'bob' }],
        ['2', { text: 'own words', owner: 'ann' }],
      ],
    );
    const searched = await ask('POST /_search', { pit: { id }, query: { match: { text: 'hidden' } } }, ann);
    assert.equal(searched.json.hits.total.value, 0);
  });
}
