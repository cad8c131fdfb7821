// Pipelines that are stored, and documents that pass them on their way into an index, with what Elasticsearch 7.10.2 answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine, createRestApi } from '@lockstitch/search';
import { type Ask, startRest } from './harness.ts';

/** Stores pipelines by name, each of processors. */
async function store(ask: Ask, pipelines: Readonly<Record<string, readonly object[]>>): Promise<void> {
  for (const [name, processors] of Object.entries(pipelines))
    assert.equal((await ask(`PUT /_ingest/pipeline/${name}`, { processors })).status, 200);
}

const SET = { set: { field: 'a', value: 1 } };
const PIPELINES = {
  p: [SET],
  d: [{ drop: {} }],
  f: [{ fail: { message: 'm {{_index}}' } }],
  ix: [{ set: { field: '_index', value: 'other' } }, { set: { field: '_id', value: 'q' } }],
  loop: [{ pipeline: { name: 'loop' } }],
  nest: [{ pipeline: { name: 'p' } }, { set: { field: 'b', value: 2 } }],
};

const source = async (ask: Ask, path: string): Promise<unknown> => (await ask(`GET ${path}`)).json._source;

test('pipelines are stored, shown by name and pattern, and deleted', async () => {
  const ask = await startRest();
  assert.deepEqual((await ask('GET /_ingest/pipeline')).status, 404);
  assert.equal((await ask('DELETE /_ingest/pipeline/never')).status, 200);
  const one = { description: 'd', version: 3, processors: [SET] };
  await ask('PUT /_ingest/pipeline/one', one);
  await ask('PUT /_ingest/pipeline/two', { processors: [] });
  assert.deepEqual((await ask('GET /_ingest/pipeline/o*,nope')).json, { one });
  assert.deepEqual(Object.keys((await ask('GET /_ingest/pipeline')).json), ['one', 'two']);
  const missing = await ask('DELETE /_ingest/pipeline/nope');
  assert.deepEqual([missing.status, missing.json.error.reason], [404, 'pipeline [nope] is missing']);
  await ask('DELETE /_ingest/pipeline/*');
  assert.equal((await ask('GET /_ingest/pipeline/one')).status, 404);
});

test('a pipeline that cannot be read is refused, with the mistakes of all its processors', async () => {
  const ask = await startRest();
  const put = async (body: unknown): Promise<any> => (await ask('PUT /_ingest/pipeline/bad', body)).json.error;
  const both = await put({ processors: [{ set: { value: 1, tag: 't' } }, { foo: {} }] });
  assert.deepEqual(
    [both.reason, both.property_name, both.processor_type, both.processor_tag, both.suppressed[0].reason],
    ['[field] required property is missing', 'field', 'set', 't', 'No processor type exists with name [foo]'],
  );
  const reasons: readonly (readonly [unknown, string])[] = [
    [{}, '[processors] required property is missing'],
    [{ processors: {} }, "[processors] property isn't a list, but of type [java.util.HashMap]"],
    [{ processors: [], foo: 1 }, "pipeline [bad] doesn't support one or more provided configuration parameters [foo]"],
    [{ processors: [], on_failure: [] }, 'pipeline [bad] cannot have an empty on_failure option defined'],
    [
      { processors: [{ set: { field: 'a', value: 1, foo: 2 } }] },
      "processor [set] doesn't support one or more provided configuration parameters [foo]",
    ],
    [
      { processors: [{ set: { field: 'a', value: 1, on_failure: [] } }] },
      '[on_failure] processors list cannot be empty',
    ],
    [{ processors: [{ set: 1 }] }, "property isn't a map, but of type [java.lang.Integer]"],
    [{ processors: [{ script: { source: '1' } }] }, 'the processor [script] of pipelines is not supported'],
    [{ processors: [{ drop: { if: 'true' } }] }, '[if] of a processor is not supported'],
    ['{', 'Failed to parse content to map'],
  ];
  for (const [body, reason] of reasons) assert.equal((await put(body)).reason, reason);
  assert.equal((await ask('GET /_ingest/pipeline')).status, 404);
});

test('a document passes the pipeline of its request: changed, dropped, refused, sent elsewhere', async () => {
  const ask = await startRest();
  await store(ask, PIPELINES);
  await ask('PUT /t/_doc/1?pipeline=p', { x: 1 });
  assert.deepEqual(await source(ask, '/t/_doc/1'), { x: 1, a: 1 });
  const dropped = await ask('PUT /t/_doc/1?pipeline=d', { x: 2 });
  assert.deepEqual([dropped.status, dropped.json.result, dropped.json._version], [200, 'noop', -3]);
  assert.equal((await ask('POST /t/_doc?pipeline=d', {})).json._id, 'auto-generated');
  const reason = async (name: string): Promise<string> =>
    (await ask(`PUT /new/_doc/1?pipeline=${name}`, {})).json.error.reason;
  assert.equal(await reason('f'), 'm new');
  assert.equal(await reason('nope'), 'pipeline with id [nope] does not exist');
  assert.equal(await reason('loop'), 'Cycle detected for pipeline: loop');
  assert.equal((await ask('GET /new')).status, 404);
  const sent = (await ask('PUT /t/_doc/1?pipeline=ix', { x: 3 })).json;
  assert.deepEqual([sent._index, sent._id], ['other', 'q']);
  assert.deepEqual(await source(ask, '/t/_doc/1'), { x: 1, a: 1 });
});

test('items of a bulk request pass pipelines each for itself', async () => {
  const ask = await startRest();
  await store(ask, PIPELINES);
  const { json } = await ask('POST /t/_bulk?pipeline=p', [
    { index: { _id: '1' } },
    { x: 1 },
    { index: { _id: '2', pipeline: 'd' } },
    {},
    { create: { _id: '3', pipeline: 'f' } },
    {},
    { index: { _id: '4', pipeline: 'ix' } },
    {},
    { update: { _id: '5' } },
    { doc: { y: 1 }, upsert: { u: 1 } },
    { delete: { _id: '9' } },
    { index: { _id: '6', pipeline: '_none' } },
    { x: 1 },
  ]);
  const told = json.items.map((item: any) => {
    const [{ _index, _id, result, error }] = Object.values<any>(item);
    return [_index, _id, result ?? error.type].join(' ');
  });
  assert.deepEqual(told, [
    't 1 created',
    't 2 noop',
    't 3 fail_processor_exception',
    'other q created',
    't 5 created',
    't 9 not_found',
    't 6 created',
  ]);
  assert.equal(typeof json.ingest_took, 'number');
  assert.deepEqual(await source(ask, '/t/_doc/5'), { u: 1, a: 1 });
  assert.deepEqual(await source(ask, '/t/_doc/6'), { x: 1 });
});

test('what pipelines add to the documents of one bulk request is limited', async () => {
  const ask = await startRest();
  const large = [{ set: { field: 'b', value: '{{a}}'.repeat(18) } }, { remove: { field: 'a' } }];
  await store(ask, { large });
  await ask('PUT /t', { mappings: { dynamic: false } });
  const a = 'x'.repeat(500_000);
  const lines = [1, 2, 3, 4].flatMap((id) => [{ index: { _id: String(id) } }, { a }]);
  const { items } = (await ask('POST /t/_bulk?pipeline=large', lines)).json;
  const told = items.map(({ index }: any) => index.error?.type ?? index.status);
  assert.deepEqual(told, [201, 201, 201, 'es_rejected_execution_exception']);
  assert.equal(items[3].index.status, 429);
});

test('an index has a default and a final pipeline, as has one that a template makes', async () => {
  const ask = await startRest();
  await store(ask, PIPELINES);
  await ask('PUT /t', { settings: { 'index.default_pipeline': 'p', 'index.final_pipeline': 'nest' } });
  await ask('PUT /t/_doc/1', { x: 1 });
  assert.deepEqual(await source(ask, '/t/_doc/1'), { x: 1, a: 1, b: 2 });
  await ask('PUT /t/_settings', { index: { default_pipeline: 'p', final_pipeline: '_none' } });
  await ask('PUT /t/_doc/2?pipeline=_none', { x: 1 });
  assert.deepEqual(await source(ask, '/t/_doc/2'), { x: 1 });
  await ask('POST /t/_update/2', { doc: { y: 1 } });
  assert.deepEqual(await source(ask, '/t/_doc/2'), { x: 1, y: 1, a: 1 });
  await ask('PUT /t/_settings', { index: { default_pipeline: null, final_pipeline: 'ix' } });
  const { error } = (await ask('PUT /t/_doc/3', {})).json;
  assert.deepEqual(
    [error.type, error.reason],
    ['illegal_state_exception', "final pipeline [ix] can't change the target index"],
  );
  await ask('PUT /_index_template/t', { index_patterns: ['made*'], template: { settings: { default_pipeline: 'p' } } });
  await ask('PUT /made/_doc/1', {});
  assert.deepEqual(await source(ask, '/made/_doc/1'), { a: 1 });
});

test('copies and updates by query pass pipelines, and tell what failed', async () => {
  const ask = await startRest();
  await store(ask, PIPELINES);
  await ask('PUT /t/_doc/1?refresh=true', { x: 1 });
  const copy = async (pipeline: string): Promise<any> =>
    (await ask('POST /_reindex?refresh=true', { source: { index: 't' }, dest: { index: 'c', pipeline } })).json;
  assert.equal((await copy('p')).created, 1);
  assert.deepEqual(await source(ask, '/c/_doc/1'), { x: 1, a: 1 });
  const { failures } = await copy('f');
  assert.deepEqual([failures[0].id, failures[0].cause.reason], ['1', 'm c']);
  // A document that is refused makes no index.
  const refused = { source: { index: 't' }, dest: { index: 'never', pipeline: 'f' } };
  assert.equal((await ask('POST /_reindex', refused)).json.failures[0].index, 'never');
  await ask('PUT /_cluster/settings', { persistent: { 'action.auto_create_index': 'false' } });
  assert.equal((await ask('POST /_reindex', refused)).status, 404);
  await ask('PUT /_cluster/settings', { persistent: { 'action.auto_create_index': null } });
  assert.equal((await ask('GET /never')).status, 404);
  await copy('ix');
  assert.deepEqual(await source(ask, '/other/_doc/q'), { x: 1 });
  const { json } = await ask('POST /t/_update_by_query?pipeline=nest', {});
  assert.deepEqual([json.updated, await source(ask, '/t/_doc/1')], [1, { x: 1, a: 1, b: 2 }]);
  assert.equal((await ask('POST /t/_update_by_query?refresh=true&pipeline=nope', {})).status, 400);
});

test('a failure is handled where the pipeline says, which learns what failed', async () => {
  const ask = await startRest();
  await store(ask, { inner: [{ fail: { message: 'm' } }] });
  const value = ['pipeline', 'message', 'processor_type'].map((name) => `{{_ingest.on_failure_${name}}}`).join(' ');
  const onFailure = { processors: [{ pipeline: { name: 'inner' } }], on_failure: [{ set: { field: 'e', value } }] };
  await ask('PUT /_ingest/pipeline/outer', onFailure);
  await ask('PUT /t/_doc/1?pipeline=outer', {});
  assert.deepEqual(await source(ask, '/t/_doc/1'), { e: 'inner m fail' });
  const { json } = await ask('POST /_ingest/pipeline/outer/_simulate?verbose', { docs: [{ _source: {} }] });
  const steps = json.docs[0].processor_results.map((each: any) => [each.processor_type, each.status]);
  assert.deepEqual(steps, [
    ['pipeline', 'success'],
    ['fail', 'error'],
    ['set', 'success'],
  ]);
});

test('a pipeline sends no document where its caller may not write, and they store none', async () => {
  const rest = createRestApi(await createEngine());
  const ask = await startRest(rest);
  await store(ask, PIPELINES);
  const byPath = await ask('PUT /t/_doc/1?pipeline=ix', {}, { indexByPathOnly: true });
  assert.match(byPath.json.error.reason, /^explicit index \[other\] in the body is not allowed/);
  const readOnly = (index: string): boolean => index === 'other' || index === '*';
  assert.equal((await ask('PUT /t/_doc/1?pipeline=ix', {}, { readOnly })).status, 403);
  const lines = [{ index: { _id: '1', pipeline: 'ix' } }, {}];
  const [{ index }] = (await ask('POST /t/_bulk', lines, { readOnly })).json.items;
  assert.equal(index.status, 403);
  assert.equal((await ask('PUT /_ingest/pipeline/mine', { processors: [] }, { readOnly })).status, 403);
  assert.equal((await ask('DELETE /_ingest/pipeline/p', undefined, { readOnly })).status, 403);
  assert.equal((await ask('GET /other')).status, 404);
});

test('the content of a document sets no metadata, in a request or through json, kv and dissect', async () => {
  const ask = await startRest();
  await store(ask, {
    ...PIPELINES,
    root: [{ json: { field: 't', add_to_root: true } }],
    kv: [{ kv: { field: 't', field_split: ' ', value_split: '=' } }],
    dissect: [{ dissect: { field: 't', pattern: '%{*k}=%{&k}' } }],
  });
  const meta = { _index: 'other', _id: 'zz', _routing: 'r', _version: 7, _version_type: 'external' };
  const texts: readonly (readonly [string, object])[] = [
    ['p', { ...meta }],
    ['root', { t: JSON.stringify({ ...meta, b: 1 }) }],
    ['kv', { t: '_index=other _source._id=zz _routing=r b=1' }],
    ['dissect', { t: '_index=other' }],
  ];
  for (const [name, body] of texts) {
    const { json } = await ask(`PUT /t/_doc/${name}?pipeline=${name}`, body);
    assert.deepEqual([json._index, json._id, json._version], ['t', name, 1]);
    assert.equal((await ask(`GET /t/_doc/${name}`)).json._routing, undefined);
  }
  const { json } = await ask('POST /t/_bulk?pipeline=p', [{ index: { _id: '2' } }, { ...meta, x: 1 }]);
  assert.deepEqual([json.items[0].index._index, json.items[0].index._id], ['t', '2']);
  assert.deepEqual(await source(ask, '/t/_doc/2'), { x: 1, a: 1 });
  const docs = [{ _index: 'i', _id: '1', _source: { ...meta, x: 1 } }];
  const { doc } = (await ask('POST /_ingest/pipeline/p/_simulate', { docs })).json.docs[0];
  assert.deepEqual([doc._index, doc._id, doc._version, doc._source], ['i', '1', undefined, { x: 1, a: 1 }]);
});

test('who may not write to the index that they name runs no pipeline', async () => {
  const ask = await startRest(createRestApi(await createEngine()));
  await store(ask, PIPELINES);
  await ask('PUT /t', {});
  const readOnly = (): boolean => true;
  for (const name of ['t', 'new']) {
    assert.equal((await ask(`PUT /${name}/_doc/9?pipeline=d`, {}, { readOnly })).status, 403);
    const lines = [{ index: { _id: '1', pipeline: 'd' } }, {}];
    assert.equal((await ask(`POST /${name}/_bulk`, lines, { readOnly })).json.items[0].index.status, 403);
  }
});

test('copies have the version that a pipeline gives, and are found after a refresh wherever it sends them', async () => {
  const ask = await startRest();
  const external = [{ set: { field: '_version', value: 5 } }, { set: { field: '_version_type', value: 'external' } }];
  const shown = [{ set: { field: 'v', value: '{{_version}}' } }];
  await store(ask, { external, shown, moved: [{ set: { field: '_index', value: 'moved' } }] });
  await ask('PUT /t/_doc/1?refresh=true&version=3&version_type=external', { x: 1 });
  const copy = (dest: object): Promise<unknown> => ask('POST /_reindex?refresh=true', { source: { index: 't' }, dest });
  await copy({ index: 'c', pipeline: 'external' });
  assert.equal((await ask('GET /c/_doc/1')).json._version, 5);
  await copy({ index: 'e', pipeline: 'shown', version_type: 'external' });
  assert.deepEqual(await source(ask, '/e/_doc/1'), { x: 1, v: '3' });
  await copy({ index: 'c', pipeline: 'moved' });
  assert.equal((await ask('GET /moved/_count')).json.count, 1);
  await store(ask, { again: [{ pipeline: { name: 'moved' } }, SET] });
  await ask('POST /t/_update_by_query?refresh=true&pipeline=again', {});
  assert.equal((await ask('GET /moved/_count?q=a:1')).json.count, 1);
});

test('a long update without an upsert passes an index with a pipeline', async () => {
  const ask = await startRest();
  await store(ask, PIPELINES);
  await ask('PUT /t', { settings: { default_pipeline: 'p' }, mappings: { dynamic: false } });
  await ask('PUT /t/_doc/1', {});
  const big = `upsert ${'x'.repeat(5_100_000)}`;
  const { json } = await ask('POST /t/_bulk?_source=false', [{ update: { _id: '1' } }, { doc: { big } }]);
  assert.equal(json.items[0].update.status, 200, JSON.stringify(json));
});
