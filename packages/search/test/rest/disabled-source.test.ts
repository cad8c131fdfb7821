// What an index whose mapping turns sources off answers where a source is needed, as Elasticsearch 7.10.2 does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRest } from './harness.ts';

test('requests that need a source that is not kept say so, or find nothing', async () => {
  const ask = await startRest();
  await ask('PUT /d', {
    mappings: { _source: { enabled: false }, properties: { f: { type: 'keyword' }, t: { type: 'text' } } },
  });
  await ask('PUT /d/_doc/1?refresh=true', { f: 'x', t: 'red fox' });
  const update = await ask('POST /d/_update/1', { doc: { f: 'y' } });
  assert.deepEqual(
    [update.status, update.json.error.type, update.json.error.reason],
    [400, 'document_source_missing_exception', '[_doc][1]: document source missing'],
  );
  assert.deepEqual((await ask('GET /d/_termvectors/1?fields=t')).json.term_vectors, {});
  const like = { fields: ['t'], like: [{ _index: 'd', _id: '1' }], min_term_freq: 1, min_doc_freq: 1 };
  for (const query of [{ terms: { f: { index: 'd', id: '1', path: 'f' } } }, { more_like_this: like }]) {
    const { status, json } = await ask('POST /d/_search', { query });
    assert.deepEqual([status, json.hits?.total.value], [200, 0]);
  }
});
