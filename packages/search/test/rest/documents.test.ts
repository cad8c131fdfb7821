import { deepEqual, equal, match, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { ids, load, startRest } from './harness.ts';

test('a document can be indexed, read, updated and deleted, with versions and sequence numbers', async () => {
  const ask = await startRest();
  const created = await ask('PUT /t/_doc/1', { a: 1, o: { x: 1 } });
  deepEqual([created.status, created.json.result, created.json._version, created.json._seq_no], [201, 'created', 1, 0]);
  const read = await ask('GET /t/_doc/1');
  deepEqual([read.json.found, read.json._source], [true, { a: 1, o: { x: 1 } }]);
  const updated = await ask('POST /t/_update/1', { doc: { o: { y: 2 } } });
  deepEqual([updated.json.result, updated.json._version], ['updated', 2]);
  deepEqual((await ask('GET /t/_source/1')).json, { a: 1, o: { x: 1, y: 2 } });
  equal((await ask('POST /t/_update/1', { doc: { a: 1 } })).json.result, 'noop');
  equal((await ask('DELETE /t/_doc/1')).json.result, 'deleted');
  const gone = await ask('GET /t/_doc/1');
  deepEqual([gone.status, gone.json], [404, { _index: 't', _type: '_doc', _id: '1', found: false }]);
});

test('a write with a stale sequence number is a 409 that names both', async () => {
  const ask = await startRest();
  await ask('PUT /t/_doc/1', { a: 1 });
  await ask('PUT /t/_doc/1', { a: 2 });
  const stale = await ask('PUT /t/_doc/1?if_seq_no=0&if_primary_term=1', { a: 3 });
  deepEqual([stale.status, stale.json.error.type], [409, 'version_conflict_engine_exception']);
  equal((await ask('PUT /t/_create/1', { a: 3 })).status, 409);
});

test('bulk answers each item, and one that fails leaves the others alone', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { n: { type: 'long' } } } });
  const reply = await ask('POST /t/_bulk?refresh', [
    { index: { _id: '1' } },
    { n: 1 },
    { index: { _id: '2' } },
    { n: 'x' },
    { create: { _id: '1' } },
    { n: 2 },
    { delete: { _id: '9' } },
    { update: { _id: '1' } },
    { doc: { n: 5 } },
  ]);
  equal(reply.json.errors, true);
  deepEqual(
    reply.json.items.map((item: Record<string, { status: number }>) => Object.values(item)[0]!.status),
    [201, 400, 409, 404, 200],
  );
  equal(reply.json.items[1].index.error.type, 'mapper_parsing_exception');
  deepEqual((await ask('GET /t/_source/1')).json, { n: 5 });
});

test('bulk names a malformed action line by its number', async () => {
  const ask = await startRest();
  const reply = await ask('POST /t/_bulk', [{ index: {} }, { a: 1 }, { indx: {} }, { a: 2 }]);
  equal(reply.status, 400);
  match(reply.json.error.reason, /line \[3\].*\[indx\]/);
});

test('bulk without an index or an id somewhere is refused as a whole, every lack named, and nothing is written', async () => {
  const ask = await startRest();
  const reply = await ask('POST /_bulk', [
    { index: { _index: 't', _id: '1' } },
    { a: 1 },
    { index: {} },
    { a: 2 },
    { delete: { _index: 't' } },
  ]);
  equal(reply.status, 400);
  equal(reply.json.error.reason, 'Validation Failed: 1: index is missing;2: id is missing;');
  equal((await ask('HEAD /t')).status, 404);
});

test('mget answers found and missing documents in order', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ a: 1 }]);
  const reply = await ask('POST /t/_mget', { ids: ['1', '2'] });
  deepEqual(
    reply.json.docs.map((each: { found: boolean }) => each.found),
    [true, false],
  );
});

test('under a view a document that is not visible is not found by any way', async () => {
  const ask = await startRest();
  await load(ask, 't', [
    { owner: 'ann', text: 'secret plan' },
    { owner: 'bob', text: 'public plan' },
  ]);
  const view = { view: () => ({ rows: { kind: 'term', field: 'owner.keyword', term: 'bob' } }) as const };
  equal((await ask('GET /t/_doc/1', undefined, view)).status, 404);
  equal((await ask('GET /t/_source/1', undefined, view)).status, 404);
  equal((await ask('GET /t/_mget', { ids: ['1'] }, view)).json.docs[0].found, false);
  equal((await ask('GET /t/_explain/1', { query: { match_all: {} } }, view)).status, 404);
  deepEqual(ids(await ask('GET /t/_search', { query: { match: { text: 'plan' } } }, view)), ['2']);
  equal((await ask('GET /t/_count', undefined, view)).json.count, 1);
  notEqual((await ask('GET /_cat/count/t?h=count', undefined, view)).text.trim(), '2');
});

test('an index that is read-only here refuses writes and stays readable', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ a: 1 }]);
  const more = { readOnly: () => true };
  for (const [target, body] of [
    ['PUT /t/_doc/1', { a: 2 }],
    ['DELETE /t/_doc/1', undefined],
    ['POST /t/_update/1', { doc: { a: 2 } }],
    ['POST /t/_delete_by_query', { query: { match_all: {} } }],
    ['DELETE /t', undefined],
    ['PUT /t/_mapping', { properties: { b: { type: 'text' } } }],
    ['PUT /t/_alias/x', undefined],
    ['PUT /new', undefined],
  ] as const) {
    equal((await ask(target, body, more)).status, 403, target);
  }
  const bulk = await ask('POST /_bulk', [{ delete: { _index: 't', _id: '1' } }], more);
  equal(bulk.json.items[0].delete.status, 403);
  deepEqual((await ask('GET /t/_source/1', undefined, more)).json, { a: 1 });
});

test('a document is missed by a routing that leads to another shard, as in Elasticsearch', async () => {
  const ask = await startRest();
  await ask('PUT /r', { settings: { number_of_shards: 5, number_of_routing_shards: 5 } });
  await ask('PUT /r/_doc/1?routing=5', { a: 1 });
  equal((await ask('GET /r/_doc/1?routing=5')).json.found, true);
  equal((await ask('GET /r/_doc/1')).status, 404);
  equal((await ask('GET /r/_source/1?routing=4')).status, 404);
  const many = await ask('POST /r/_mget', { docs: [{ _id: '1' }, { _id: '1', routing: '5' }] });
  deepEqual(
    many.json.docs.map((doc: { found: boolean }) => doc.found),
    [false, true],
  );
  equal((await ask('DELETE /r/_doc/1')).status, 404);
  equal((await ask('POST /r/_bulk', [{ delete: { _id: '1' } }])).json.items[0].delete.status, 404);
  equal((await ask('POST /r/_update/1', { doc: { a: 2 } })).status, 404);
  equal((await ask('GET /r/_doc/1?routing=5')).json._source.a, 1);
  equal((await ask('DELETE /r/_doc/1?routing=5')).status, 200);
});

test('in an index of one shard every routing finds the document', async () => {
  const ask = await startRest();
  await ask('PUT /r/_doc/1?routing=5', { a: 1 });
  equal((await ask('GET /r/_doc/1')).json._routing, '5');
});

test('a bulk index with op_type create is answered as a create, and an update shows the source the URL asks for', async () => {
  const ask = await startRest();
  const reply = await ask('POST /t/_bulk?_source=true', [
    { index: { _id: '1', op_type: 'create' } },
    { a: 1 },
    { update: { _id: '1' } },
    { doc: { b: 2 } },
  ]);
  equal(reply.json.items[0].create.result, 'created');
  deepEqual(reply.json.items[1].update.get._source, { a: 1, b: 2 });
});

test('a refused word is never what is suggested', async () => {
  const ask = await startRest();
  await ask('PUT /t/_doc/1?refresh', { a: 1 });
  const hunspell = await ask('POST /_analyze', { tokenizer: 'standard', filter: ['hunspell'], text: 'a' });
  equal(hunspell.json.error.reason, 'filter [hunspell] is not supported');
  equal((await ask('POST /t/_update/1', { scrip: { a: 1 } })).json.error.reason.includes('"script"'), false);
  equal((await ask('POST /t/_search', { script_field: {} })).json.error.reason.includes('script_fields'), false);
  match(
    (await ask('POST /t/_update/1', { script: 'a' })).json.error.reason,
    /\[script\] in an update is not supported/,
  );
});

test('a number too large for any field is refused by an update, large or small, as by a write', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { n: { type: 'double' } } } });
  await ask('PUT /t/_doc/1', { n: 1, empty: null });
  const padding = ' '.repeat(300 * 1024);
  const sayings = await Promise.all(
    [
      ['PUT /t/_doc/2', '{"n":1e400}'],
      ['POST /t/_update/1', '{"doc":{"n":1e400}}'],
      ['POST /t/_update/1', `{"doc":{"n":1e400}}${padding}`],
      ['POST /t/_update/2', '{"doc":{},"upsert":{"n":1e400}}'],
      ['POST /t/_update/2', `{"doc":{},"upsert":{"n":1e400,"long":"${'x'.repeat(300 * 1024)}"}}`],
    ].map(async ([target, body]) => {
      const { status, json } = await ask(target!, body);
      return [status, json.error?.type, /\[n\]/.test(json.error?.reason)];
    }),
  );
  deepEqual(
    sayings,
    sayings.map(() => [400, 'mapper_parsing_exception', true]),
  );
  deepEqual((await ask('GET /t/_source/1')).json, { n: 1, empty: null });
});

test('a member called __proto__ is a member: merged, shown in part, and an aggregation like any other', async () => {
  const ask = await startRest();
  await ask('PUT /t/_doc/1?refresh', '{"__proto__":{"a":1},"x":1}');
  await ask('POST /t/_update/1?refresh', '{"doc":{"__proto__":{"b":2}}}');
  equal((await ask('GET /t/_source/1')).text, '{"__proto__":{"a":1,"b":2},"x":1}');
  const { text: mapping } = await ask('GET /t/_mapping?filter_path=**.b.type,**.x.type');
  equal(
    mapping,
    '{"t":{"mappings":{"properties":{"__proto__":{"properties":{"b":{"type":"long"}}},"x":{"type":"long"}}}}}',
  );
  equal((await ask('GET /t/_source/1?_source_excludes=x')).text, '{"__proto__":{"a":1,"b":2}}');
  equal((await ask('GET /t/_doc/1?filter_path=_source.__proto__.b')).text, '{"_source":{"__proto__":{"b":2}}}');
  const { text } = await ask(
    'POST /t/_search?filter_path=aggregations',
    '{"aggs":{"__proto__":{"sum":{"field":"__proto__.b"}}}}',
  );
  equal(text, '{"aggregations":{"__proto__":{"value":2}}}');
});

test('an index that many documents need at once is made once and takes them all', async () => {
  const ask = await startRest();
  const puts = Array.from({ length: 20 }, (_, i) => ask(`PUT /t/_doc/${i}`, { i }));
  const bulks = Array.from({ length: 20 }, (_, i) => ask('POST /_bulk', [{ index: { _index: 't' } }, { i }]));
  deepEqual([...new Set((await Promise.all(puts)).map(({ status }) => status))], [201]);
  deepEqual([...new Set((await Promise.all(bulks)).map(({ json }) => json.errors))], [false]);
  await ask('POST /t/_refresh');
  equal((await ask('GET /t/_count')).json.count, 40);
  // A request for the index itself shows that there is one.
  const made = await Promise.all(Array.from({ length: 3 }, () => ask('PUT /u')));
  deepEqual(made.map(({ status }) => status).toSorted(), [200, 400, 400]);
});
