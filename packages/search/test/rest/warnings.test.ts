// The headers `Warning` and `Location`: each text is what Elasticsearch 7.10.2 answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRest } from './harness.ts';

const warningsOf = (headers: Readonly<Record<string, string>>): readonly string[] =>
  Array.from(
    (headers['Warning'] ?? '').matchAll(/299 Elasticsearch-7\.10\.2-unknown "((?:[^"\\]|\\.)*)"/g),
    ([, text]) => text!,
  );

test('requests that name types are warned of', async () => {
  const ask = await startRest();
  await ask('PUT /t/ty/1?refresh=true', { a: 1 });
  const typed = (what: string): string => `[types removal] Specifying types in ${what} is deprecated.`;
  const cases: readonly (readonly [string, string | undefined, unknown?])[] = [
    [
      'PUT /t/ty/1',
      '[types removal] Specifying types in document index requests is deprecated, use the typeless endpoints instead (/{index}/_doc/{id}, /{index}/_doc, or /{index}/_create/{id}).',
      { a: 1 },
    ],
    [
      'GET /t/ty/1',
      '[types removal] Specifying types in document get requests is deprecated, use the /{index}/_doc/{id} endpoint instead.',
    ],
    ['PUT /t/_doc/1', undefined, { a: 1 }],
    ['GET /t/_doc/1', undefined],
    ['GET /t/_doc/1/_source', typed('get_source and exist_sourcerequests')],
    ['GET /t/_source/1?type=ty', typed('get_source and exist_sourcerequests')],
    ['POST /_bulk', typed('bulk requests'), [{ index: { _index: 't', _type: 'ty', _id: '5' } }, { a: 1 }]],
    ['POST /_bulk', undefined, [{ index: { _index: 't', _id: '5' } }, { a: 1 }]],
    ['POST /_mget', typed('multi get requests'), { docs: [{ _index: 't', _type: 'ty', _id: '1' }] }],
    ['GET /t/ty/_search', typed('search requests')],
    ['GET /t/_doc/_search', typed('search requests')],
    ['GET /t/_search', undefined],
    ['GET /t/ty/_count', typed('count requests')],
    ['POST /_msearch', typed('multi search requests'), [{ index: 't', type: 'ty' }, {}]],
    ['GET /t/ty/_mtermvectors', typed('multi term vector requests'), { ids: ['1'] }],
    ['POST /t/ty/_delete_by_query', typed('search requests'), { query: { match_none: {} } }],
    ['HEAD /t/_mapping/ty', 'Type exists requests are deprecated, as types have been deprecated.'],
    [
      'GET /t?include_type_name=false',
      '[types removal] Using `include_type_name` in get indices requests is deprecated. The parameter will be removed in the next major version.',
    ],
    [
      'GET /t/_mapping?include_type_name=true',
      '[types removal] Using include_type_name in get mapping requests is deprecated. The parameter will be removed in the next major version.',
    ],
  ];
  for (const [target, expected, body] of cases) {
    const { headers } = await ask(target, body);
    assert.deepEqual(warningsOf(headers), expected === undefined ? [] : [expected], target);
  }
});

test('an index and a template are warned of what a later version refuses', async () => {
  const ask = await startRest();
  const cases: readonly (readonly [string, string | undefined, unknown?])[] = [
    [
      'PUT /.dot',
      "index name [.dot] starts with a dot '.', in the next major version, index names starting with a dot are reserved for hidden indices and system indices",
    ],
    ['PUT /.hidden', undefined, { settings: { 'index.hidden': true } }],
    ['PUT /_template/a', undefined, { index_patterns: ['zz*'] }],
    ['PUT /_template/b', 'Deprecated field [template] used, replaced by [index_patterns]', { template: 'zz*' }],
    [
      'PUT /zz',
      'index [zz] matches multiple legacy templates [a, b], composable templates will only match a single template',
    ],
    [
      'PUT /_index_template/c',
      'index template [c] has index patterns [z*] matching patterns from existing older templates [a,b] with patterns (a => [zz*],b => [zz*]); this template [c] will take precedence during new index creation',
      { index_patterns: ['z*'] },
    ],
    [
      'PUT /_template/d',
      'legacy template [d] has index patterns [za*] matching patterns from existing composable templates [c] with patterns (c => [z*]); this template [d] may be ignored in favor of a composable template at index creation time',
      { index_patterns: 'za*' },
    ],
    [
      'PUT /r',
      'Translog retention settings [index.translog.retention.age] and [index.translog.retention.size] are deprecated and effectively ignored. They will be removed in a future version.',
      { settings: { 'index.translog.retention.size': '1mb' } },
    ],
    [
      'POST /r/_flush/synced',
      'Synced flush is deprecated and will be removed in 8.0. Use flush at _/flush or /{index}/_flush instead.',
    ],
    [
      'POST /r/_forcemerge?max_num_segments=1&only_expunge_deletes=true',
      'setting only_expunge_deletes and max_num_segments at the same time is deprecated and will be rejected in a future version',
    ],
  ];
  for (const [target, expected, body] of cases) {
    const { headers, status } = await ask(target, body);
    assert.equal(status, 200, target);
    assert.deepEqual(warningsOf(headers), expected === undefined ? [] : [expected], target);
  }
});

test('a search or count that cannot be read warns of no type, a _validate does', async () => {
  const ask = await startRest();
  await ask('PUT /t');
  const unknown = { query: { nobody: {} } };
  for (const [target, body, warnings] of [
    ['POST /t/ty/_search', unknown, 0],
    ['POST /t/ty/_search?size=x', undefined, 0],
    ['POST /t/ty/_count', unknown, 0],
    ['POST /t/ty/_msearch', [{}, unknown], 0],
    ['POST /t/ty/_validate/query', unknown, 1],
    ['POST /t/ty/_search', { query: { term: { a: 'x' } } }, 1],
  ] as const)
    assert.equal(warningsOf((await ask(target, body)).headers).length, warnings, target);
});

test('a text in a warning is quoted, and a refusal keeps its warnings', async () => {
  const ask = await startRest();
  const { headers, status } = await ask('GET /t/ty/_search?q=(');
  assert.equal(status, 404);
  assert.equal(warningsOf(headers).length, 1);
  await ask('PUT /_template/%22%C3%A4', { index_patterns: ['zz*'] });
  await ask('PUT /_template/b', { index_patterns: ['zz*'] });
  const made = await ask('PUT /zz');
  assert.match(made.headers['Warning'] ?? '', /legacy templates \[\\"%C3%A4, b\]/);
});

test('a document that is made says where it is', async () => {
  const ask = await startRest();
  const location = async (target: string, body: unknown = {}): Promise<string | undefined> =>
    (await ask(target, body)).headers['Location'];
  assert.equal(await location('PUT /t/_doc/1'), '/t/_doc/1');
  assert.equal(await location('PUT /t/_doc/1'), undefined);
  assert.equal(await location('PUT /t/_create/%C3%A4%20b?routing=r1'), '/t/_doc/%C3%A4+b?routing=r1');
  assert.equal(await location('POST /t/_update/2', { doc: {}, doc_as_upsert: true }), '/t/_doc/2');
  assert.match((await location('POST /t/_doc')) ?? '', /^\/t\/_doc\/[\w-]{20}$/);
});

test('names of a path may stand in the query, unless paths decide who may do what', async () => {
  const ask = await startRest();
  await ask('PUT /t/_doc/1?refresh=true', { a: 1 });
  assert.equal((await ask('GET /_mget?index=t', { ids: ['1'] })).json.docs[0].found, true);
  assert.deepEqual(Object.keys((await ask('GET /t/_stats?metric=docs')).json._all.total), ['docs']);
  await ask('PUT /t/_doc/_doc?id=5', { a: 2 });
  assert.equal((await ask('GET /t/_doc/5')).status, 404);
  assert.equal((await ask('DELETE /t/_doc/_doc?id=1')).json._id, '_doc');
  assert.equal((await ask('GET /t/_doc/1')).json.found, true);
  const refused = await ask('GET /_search?index=t', undefined, { indexByPathOnly: true });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /unrecognized parameter: \[index\]/);
});

test('a forced merge to no segments ends', async () => {
  const ask = await startRest();
  await ask('PUT /t/_doc/1?refresh=true', { a: 1 });
  assert.deepEqual((await ask('POST /t/_forcemerge?max_num_segments=0')).json._shards.failed, 0);
});

const OF_TYPE = /^\[types removal\] Using the _type field in queries and aggregations is deprecated/;
const OF_ID = /^Loading the fielddata on the _id field is deprecated/;

/** Bodies of searches, and what Elasticsearch 7.10.2 warns of. */
const SEARCHES: readonly (readonly [body: object, ...warnings: RegExp[]])[] = [
  [
    { query: { bool: { mustNot: { term: { n: 2 } } } } },
    /^\[bool\]\[1:29\] Deprecated field \[mustNot\] used, expected/,
  ],
  [
    { query: { ids: { values: ['1'], type: '_doc' } } },
    /^\[types removal\] Types are deprecated in \[ids\] queries\.$/,
  ],
  [
    { query: { terms: { k: { index: 't', type: '_doc', id: '1', path: 'k' } } } },
    /^\[terms_lookup\]\[1:44\] Deprecated/,
  ],
  [{ query: { nested: { path: 'p', query: { type: { value: '_doc' } } } } }, /^\[types removal\] Type queries/],
  [{ query: { constant_score: { filter: { term: { _type: '_doc' } } } } }, OF_TYPE],
  [
    {
      query: { bool: { must: [{ wrapper: { query: btoa('{"common":{"t":{"query":"a","cutoff_frequency":1}}}') } }] } },
    },
    /^Deprecated field \[common\] used/,
  ],
  [{ docvalue_fields: ['_id'] }, OF_ID],
  [{ size: 0, docvalue_fields: ['_id'] }],
  [{ query: { function_score: { random_score: { seed: 1 } } } }, /^As of version 7\.0/, OF_ID],
  [{ query: { simple_query_string: { query: 'x', all_fields: true } } }, /^Deprecated field \[all_fields\]/],
  [{ query: { range: { d: { gte: '2026-01-01', format: 'strictDate' } } } }, /^Camel case format name strictDate/],
  [{ sort: [{ 'p.v': { nested_path: 'p' } }] }, /^\[nested_path\] has been deprecated in favor of/],
  [{ sort: ['_id', '_type'] }, OF_ID, OF_TYPE],
  [{ docvalue_fields: [{ field: 'n', format: 'use_field_mapping' }] }, /^\[use_field_mapping\] is a special format/],
  [{ _source: { include: ['n'] } }, /^Deprecated field \[include\] used, expected \[includes\] instead$/],
  [{ indices_boost: { t: 2 } }, /^Object format in indices_boost is deprecated/],
  [{ aggs: { a: { terms: { field: '_id', order: { _term: 'asc' } } } } }, OF_ID, /^Deprecated aggregation order key/],
  [
    { aggs: { a: { filter: { match_all: {} }, aggs: { b: { date_histogram: { field: 'd', interval: 'day' } } } } } },
    /^\[interval\] on \[date_histogram\] is deprecated/,
  ],
  [{ query: { term: { type: 'x' } }, sort: ['_score'], aggs: { a: { terms: { field: 'k' } } } }],
];

test('a search warns of options of its parts that later versions do not have', async () => {
  const ask = await startRest();
  const p = { type: 'nested', properties: { v: { type: 'long' } } };
  const properties = { n: { type: 'long' }, k: { type: 'keyword' }, d: { type: 'date' }, type: { type: 'keyword' }, p };
  await ask('PUT /t', { mappings: { properties } });
  for (const [body, ...wanted] of SEARCHES) {
    const { headers, status, text } = await ask('POST /t/_search', body);
    assert.equal(status, 200, text);
    const warnings = warningsOf(headers).toSorted();
    assert.equal(warnings.length, wanted.length, `${JSON.stringify(body)} ${warnings.join()}`);
    for (const each of wanted)
      assert.ok(
        warnings.some((text) => each.test(text)),
        `${each} ${warnings.join()}`,
      );
  }
  assert.deepEqual(warningsOf((await ask('POST /absent*/_search', { sort: ['_id'] })).headers), []);
});
