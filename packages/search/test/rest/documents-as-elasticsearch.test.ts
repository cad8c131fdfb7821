// Writes, reads by id and names of indices as Elasticsearch 7.10.2 answers them, taken side by side with ours.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRest } from './harness.ts';

test('the routing of an update replaces that of the document, and that of a bulk action does not', async () => {
  const ask = await startRest();
  await ask('PUT /t/_doc/1?routing=a', { n: 1 });
  await ask('POST /t/_update/1?routing=b', { doc: { k: 1 } });
  assert.equal((await ask('GET /t/_doc/1')).json._routing, 'b');
  const same = await ask('POST /t/_update/1?routing=c', { doc: { k: 1 } });
  assert.equal(same.json.result, 'noop');
  await ask('POST /t/_bulk', [{ update: { _id: '1', routing: 'c' } }, { doc: { k: 2 } }]);
  assert.equal((await ask('GET /t/_doc/1')).json._routing, 'b');
});

test('a read of nothing that is stored shows no routing', async () => {
  const ask = await startRest();
  await ask('PUT /t/_doc/1?routing=a', { n: 1 });
  const routingOf = async (query: string): Promise<unknown> => (await ask(`GET /t/_doc/1?${query}`)).json._routing;
  assert.equal(await routingOf('_source=false'), undefined);
  assert.equal(await routingOf('_source=false&_source_includes=n'), undefined);
  assert.equal(await routingOf('_source=false&stored_fields=n'), 'a');
  assert.equal(await routingOf('stored_fields=_none_'), 'a');
  const { docs } = (await ask('POST /t/_mget?_source=false', { ids: ['1'] })).json;
  assert.equal(docs[0]._routing, undefined);
});

test('several documents are answered in the order of the body', async () => {
  const ask = await startRest();
  await ask('PUT /t/_doc/1', {});
  const idsOf = async (body: object): Promise<unknown> =>
    (await ask('POST /t/_mget', body)).json.docs.map(({ _id }: { readonly _id: string }) => _id);
  assert.deepEqual(await idsOf({ ids: ['1'], docs: [{ _id: '2' }] }), ['1', '2']);
  assert.deepEqual(await idsOf({ docs: [{ _id: '2' }], ids: ['1'] }), ['2', '1']);
});

test('capabilities leave out an index that cannot be read, and a validation says why', async () => {
  const ask = await startRest();
  await ask('PUT /a', { aliases: { both: {} } });
  await ask('PUT /b', { aliases: { both: {} }, mappings: { properties: { n: { type: 'long' } } } });
  await ask('PUT /c', { settings: { 'index.blocks.read': true } });
  await ask('POST /a/_close');
  assert.deepEqual((await ask('GET /a/_field_caps?fields=*')).json, { indices: [], fields: {} });
  assert.deepEqual((await ask('GET /both,c/_field_caps?fields=n')).json.indices, ['b']);
  const validated = await ask('GET /both/_validate/query');
  assert.deepEqual(validated.json, {
    _shards: { total: 0, successful: 0, failed: 0 },
    valid: false,
    explanations: [{ valid: false, error: 'index [a] blocked by: [FORBIDDEN/4/index closed];' }],
  });
  const { explanations } = (await ask('GET /c/_validate/query')).json;
  assert.equal(explanations[0].error, 'index [c] blocked by: [FORBIDDEN/7/index read (api)];');
});

test('an update by the alias of a closed index is blocked', async () => {
  const ask = await startRest();
  await ask('PUT /a', { aliases: { name: {} } });
  await ask('POST /a/_close');
  const byAlias = await ask('POST /name/_update/1', { doc: {} });
  assert.equal(byAlias.status, 403);
  assert.equal(byAlias.json.error.reason, 'index [a] blocked by: [FORBIDDEN/4/index closed];');
  assert.equal((await ask('POST /a/_update/1', { doc: {} })).json.error.type, 'index_closed_exception');
});

test('shards of a search show every alias that names an index', async () => {
  const ask = await startRest();
  await ask('PUT /m', { aliases: { a: { filter: { term: { n: 1 } } }, b: {} } });
  const shown = async (names: string): Promise<unknown> => (await ask(`GET /${names}/_search_shards`)).json.indices.m;
  assert.deepEqual(await shown('m'), {});
  assert.deepEqual(await shown('m,a'), { aliases: ['a'] });
  assert.deepEqual(await shown('a,*'), { aliases: ['a', 'b'] });
  assert.deepEqual(await shown('a,b'), { aliases: ['a', 'b'] });
});

test('shards of closed indices are listed only where the request names nothing', async () => {
  const ask = await startRest();
  await ask('PUT /l1', { aliases: { both: {} }, settings: { number_of_replicas: 0 } });
  await ask('PUT /l2', { aliases: { both: {} }, settings: { number_of_replicas: 0 } });
  await ask('POST /l1/_close');
  assert.equal((await ask('GET /_cat/shards/both')).json.error.type, 'index_closed_exception');
  assert.equal((await ask('GET /_cat/shards/l*?h=index')).text, 'l2\n');
  assert.equal((await ask('GET /_cat/shards?h=index&s=index')).text, 'l1\nl2\n');
});

test('an alias of a legacy template is no write index and not hidden', async () => {
  const ask = await startRest();
  const aliases = { w: { is_write_index: true }, h: { is_hidden: true, filter: { term: { a: 1 } } } };
  await ask('PUT /_template/t', { index_patterns: ['x*'], aliases });
  await ask('PUT /x1');
  assert.deepEqual((await ask('GET /x1/_alias')).json.x1.aliases, { w: {}, h: { filter: { term: { a: 1 } } } });
});

test('a setting that is given with its prefix and without it has the value without it', async () => {
  const ask = await startRest();
  await ask('PUT /t');
  const refused = await ask('PUT /t/_settings', { number_of_replicas: 'x', index: { number_of_replicas: '0' } });
  assert.equal(refused.json.error.reason, 'Failed to parse value [x] for setting [index.number_of_replicas]');
  await ask('PUT /t/_settings', { 'translog.durability': 'async', 'index.translog.durability': 'x' });
  const { index } = (await ask('GET /t/_settings')).json.t.settings;
  assert.deepEqual(index.translog, { durability: 'async' });
});

test('what the mapping leaves out of sources is in no hit, fragment, element, vector or copy', async () => {
  const ask = await startRest();
  const text = { type: 'text' };
  const mappings = {
    _source: { excludes: ['x', 'n.y'] },
    properties: { x: text, s: text, n: { type: 'nested', properties: { y: text, z: { type: 'keyword' } } } },
  };
  await ask('PUT /u', { mappings });
  await ask('PUT /u/_doc/1?refresh=true', { x: 'a fox', s: 'a fox', n: [{ y: 'fox', z: 'a' }] });
  const highlight = { fields: { '*': {} } };
  const flat = await ask('POST /u/_search', { query: { match: { x: 'fox' } }, highlight, fields: ['*'] });
  const [hit] = flat.json.hits.hits;
  assert.deepEqual(hit.fields, { s: ['a fox'], 'n.z': ['a'] });
  assert.equal(hit.highlight, undefined);
  const nested = { path: 'n', query: { match: { 'n.y': 'fox' } }, inner_hits: { highlight, fields: ['*'] } };
  const [element] = (await ask('POST /u/_search', { query: { nested } })).json.hits.hits[0].inner_hits.n.hits.hits;
  assert.deepEqual([element._source, element.fields, element.highlight], [{ z: 'a' }, { 'n.z': ['a'] }, undefined]);
  const aggs = { n: { nested: { path: 'n' }, aggs: { h: { top_hits: {} } } } };
  const { h } = (await ask('POST /u/_search', { aggs })).json.aggregations.n;
  assert.deepEqual(h.hits.hits[0]._source, { z: 'a' });
  assert.deepEqual((await ask('GET /u/_termvectors/1?fields=x')).json.term_vectors, {});
  await ask('POST /_reindex', { source: { index: 'u' }, dest: { index: 'w' } });
  assert.deepEqual((await ask('GET /w/_source/1')).json, { s: 'a fox', n: [{ z: 'a' }] });
});

test('fields for prefixes and pairs of words are listed beside their text', async () => {
  const ask = await startRest();
  const t = { type: 'text', index_prefixes: {}, index_phrases: true };
  await ask('PUT /v', { mappings: { properties: { t } } });
  await ask('PUT /v/_doc/1?refresh=true', { t: 'ab cd' });
  const { fields } = (await ask('GET /v/_field_caps?fields=t._*')).json;
  assert.deepEqual(fields, {
    't._index_phrase': { phrase: { type: 'phrase', searchable: true, aggregatable: false } },
    't._index_prefix': { prefix: { type: 'prefix', searchable: true, aggregatable: false } },
  });
  const { hits } = (await ask('POST /v/_search', { fields: ['*_prefix'] })).json;
  assert.deepEqual(hits.hits[0].fields, { 't._index_prefix': ['ab cd'] });
});

test('settings are checked in the order of their names', async () => {
  const ask = await startRest();
  await ask('PUT /t');
  const reasonOf = async (target: string, body: object): Promise<string> =>
    (await ask(target, body)).json.error.root_cause[0].reason;
  const wrongCodec = 'unknown value for [index.codec] must be one of [default, best_compression] but was: wrong';
  assert.equal(await reasonOf('PUT /t/_settings', { 'version.created': 1, codec: 'wrong', foo: 1 }), wrongCodec);
  assert.match(await reasonOf('PUT /t/_settings', { 'version.created': 1, foo: 1 }), /^unknown setting \[index\.foo\]/);
  assert.match(
    await reasonOf('PUT /u', { settings: { 'version.created': 1, foo: 1 } }),
    /^unknown setting \[index\.foo\]/,
  );
});

test('aggregations of an index without documents refuse what they refuse with them', async () => {
  const ask = await startRest();
  const typed = (type: string): object => ({ type });
  await ask('PUT /t', {
    mappings: { properties: { t: typed('text'), k: typed('keyword'), b: typed('binary'), n: typed('long') } },
  });
  const reasonOf = async (aggs: object): Promise<string> =>
    (await ask('POST /t/_search', { size: 0, aggs })).json.error.root_cause[0].reason;
  assert.match(await reasonOf({ a: { terms: { field: 't' } } }), /^Text fields are not optimised/);
  assert.match(
    await reasonOf({ a: { filter: { match_all: {} }, aggs: { b: { terms: { field: 'b' } } } } }),
    /^Can't load fielddata on \[b\]/,
  );
  const sum = { sum: { field: 'k' } };
  const notSupported = 'Field [k] of type [keyword] is not supported for aggregation [sum]';
  assert.equal(await reasonOf({ a: { terms: { field: 'k' }, aggs: { b: sum } } }), notSupported);
  assert.equal(await reasonOf({ a: { terms: { field: 'n', missing: '1,2' } } }), 'For input string: "1,2"');
  const answer = await ask('POST /t/_search', { size: 0, aggs: { a: { stats: { field: 'n' } } } });
  assert.equal(answer.json.aggregations.a.count, 0);
});

test('missing numbers of whole types may be any number', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { b: { type: 'byte' } } } });
  await ask('PUT /t/_doc/1?refresh=true', {});
  for (const [missing, key] of [
    [300, 300],
    [1.7, 1.7],
    [1e20, 2 ** 63],
  ]) {
    const { json } = await ask('POST /t/_search', { size: 0, aggs: { a: { terms: { field: 'b', missing } } } });
    assert.equal(json.aggregations.a.buckets[0].key, key);
  }
});
