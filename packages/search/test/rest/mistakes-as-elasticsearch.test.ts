// Mistakes in requests, and what is looked at first, as Elasticsearch 7.10.2 answers them, taken side by side with ours.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, startRest } from './harness.ts';

const reasonOf = async (ask: Ask, target: string, body?: unknown): Promise<string> =>
  (await ask(target, body)).json.error.root_cause[0].reason;

test('a mapping below the name of a type has a member that it has no use for', async () => {
  const ask = await startRest();
  const typed = { mytype: { properties: { a: { type: 'text' } } } };
  const expected = 'Root mapping definition has unsupported parameters:  [mytype : {properties={a={type=text}}}]';
  assert.equal(await reasonOf(ask, 'PUT /t', { mappings: typed }), expected);
  assert.equal(await reasonOf(ask, 'PUT /_template/t', { index_patterns: ['z'], mappings: typed }), expected);
  await ask('PUT /u');
  assert.equal(await reasonOf(ask, 'PUT /u/_mapping', typed), expected);
  assert.match(
    await reasonOf(ask, 'PUT /t', { mappings: { _doc: { properties: {} } } }),
    /nested under a type \[_doc\]/,
  );
});

test('a version that no document has is refused before it is looked for', async () => {
  const ask = await startRest();
  await ask('PUT /t/_doc/1', {});
  const wrong = 'Validation Failed: 1: illegal version value';
  assert.equal(await reasonOf(ask, 'GET /t/_doc/1?version=0'), `${wrong} [0] for version type [INTERNAL];`);
  assert.equal(
    await reasonOf(ask, 'GET /t/_doc/1?version=-1&version_type=external'),
    `${wrong} [-1] for version type [EXTERNAL];`,
  );
  assert.equal((await ask('GET /t/_doc/1?version=-3')).status, 200);
});

test('parameters are refused, and warned of, where Elasticsearch does', async () => {
  const ask = await startRest();
  await ask('PUT /t');
  assert.match(await reasonOf(ask, 'GET /t/_mapping/field/a?master_timeout=1s'), /unrecognized parameter/);
  assert.match(await reasonOf(ask, 'GET /_cluster/settings?timeout=1s'), /unrecognized parameter/);
  assert.equal(await reasonOf(ask, 'POST /t/_update_by_query?from=-2'), '[from] parameter cannot be negative');
  assert.equal(await reasonOf(ask, 'GET /t/_search?from=-2'), '[from] parameter cannot be negative');
  const local = await ask('GET /t/_mapping/field/a?local=true');
  assert.match(local.headers['Warning']!, /Use \[local\] in get field mapping requests is deprecated/);
  assert.match((await ask('GET /_cat/nodes?local=true')).headers['Warning']!, /Deprecated parameter \[local\] used/);
  assert.equal(await reasonOf(ask, 'POST /t/_freeze'), 'request body is required');
  const all = await ask('GET /_all/_explain/1', { query: { match_all: {} } });
  assert.equal(all.json.error.reason, 'no such index [_all] and no indices exist');
});

test('whole numbers, locales and lists of analyzers are read as Java reads them', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { l: { type: 'long' } } } });
  assert.equal((await ask('PUT /t/_doc/1', { l: '9223372036854775807' })).status, 201);
  const beyond = await ask('PUT /t/_doc/1', { l: '9223372036854775808' });
  assert.equal(beyond.json.error.caused_by.reason, 'Value [9223372036854775808] is out of range for a long');
  const date = (locale: unknown): object => ({ mappings: { properties: { d: { type: 'date', locale } } } });
  assert.match(await reasonOf(ask, 'PUT /d', date('de_XX')), /Unknown country: XX$/);
  assert.equal((await ask('PUT /d', date(1.5))).status, 200);
  const filter = [{ type: 'keep_types', types: '' }];
  assert.match(
    await reasonOf(ask, 'POST /_analyze', { tokenizer: 'standard', filter, text: 'x' }),
    /^keep_types requires/,
  );
  const tokenizer = { type: 'char_group', tokenize_on_chars: ['whitespace'] };
  const { tokens } = (await ask('POST /_analyze', { tokenizer, text: 'a\u{a0}b\u{3000}c' })).json;
  assert.deepEqual(
    tokens.map(({ token }: { readonly token: string }) => token),
    ['a\u{a0}b', 'c'],
  );
});

test('fields that are not there, and types, are answered by name', async () => {
  const ask = await startRest();
  const mappings = { own: { properties: { t1: { type: 'text' } } } };
  await ask('PUT /i?include_type_name=true', { mappings });
  const told = async (path: string): Promise<unknown> => {
    const { status, json } = await ask(`GET ${path}?include_type_name=true`);
    return [status, json];
  };
  const t1 = { full_name: 't1', mapping: { t1: { type: 'text' } } };
  assert.deepEqual(await told('/i/_mapping/own/field/absent'), [200, {}]);
  assert.deepEqual(await told('/i/_mapping/field/absent'), [200, { i: { mappings: {} } }]);
  assert.deepEqual(await told('/i/_mapping/other/field/t1'), [404, {}]);
  assert.deepEqual(await told('/i/_mapping/o*/field/t1'), [200, { i: { mappings: { own: { t1 } } } }]);
  assert.deepEqual(await told('/i/_mapping/own,other/field/t1,x'), [200, { i: { mappings: { own: { t1 } } } }]);
});

test('an alias is hidden in all of its indices or in none', async () => {
  const ask = await startRest();
  await ask('PUT /a', { aliases: { mine: { is_hidden: true } } });
  await ask('PUT /b');
  const expected =
    'alias [mine] has is_hidden set to true on indices [a] but does not have is_hidden set to true on indices [b]; alias must have the same is_hidden setting on all indices';
  assert.equal(await reasonOf(ask, 'PUT /b/_alias/mine'), expected);
  assert.equal(await reasonOf(ask, 'POST /_aliases', { actions: [{ add: { index: 'b', alias: 'mine' } }] }), expected);
  const both = { actions: [{ add: { index: '*', alias: 'mine', is_hidden: true } }] };
  assert.equal((await ask('POST /_aliases', both)).status, 200);
});

test('a rate, a preference, an empty flag and an index are looked at where Elasticsearch looks at them', async () => {
  const ask = await startRest();
  await ask('PUT /t/_doc/1?refresh=true', { a: 1 });
  const rate = '[requests_per_second] must be a float greater than 0. Use -1 to disable throttling.';
  assert.equal(await reasonOf(ask, 'POST /t/_update_by_query?max_docs=x&requests_per_second=0'), rate);
  assert.equal(await reasonOf(ask, 'GET /_search_shards?preference=_primary'), 'no Preference for [_primary]');
  assert.equal((await ask('POST /t/_update_by_query?request_cache=')).json.updated, 1);
  assert.equal(await reasonOf(ask, 'POST /_msearch'), 'request body or source parameter is required');
  assert.equal(await reasonOf(ask, 'GET /none/_stats?level=wrong'), 'no such index [none]');
  assert.match(await reasonOf(ask, 'POST /t/_update/1?type=', { doc: {} }), /type is missing/);
  assert.match(
    await reasonOf(ask, 'POST /_cluster/voting_config_exclusions?node_ids='),
    /^Please set node identifiers/,
  );
  assert.equal((await ask('GET /_cat/aliases?allow_no_indices=false&ignore_unavailable=true')).status, 200);
  const none = await ask('POST /none*/_delete_by_query?slices=auto', { query: { match_all: {} } });
  assert.deepEqual([none.json.total, none.json.slices], [0, undefined]);
});

test('a body that cannot be read is reported before an unknown parameter, in the words of its parser', async () => {
  const ask = await startRest();
  const typeOf = async (target: string, body: string): Promise<string> => (await ask(target, body)).json.error.type;
  assert.equal(await typeOf('PUT /_index_template/x?foo=1', '{"a":'), 'json_e_o_f_exception');
  assert.equal(
    await reasonOf(ask, 'PUT /_index_template/x?foo=1', { foo: 1 }),
    '[1:2] [index_template] unknown field [foo]',
  );
  assert.equal(await typeOf('PUT /_component_template/x?foo=1', '[]'), 'x_content_parse_exception');
  const cut = (await ask('PUT /_component_template/x', '{')).json.error;
  assert.equal(cut.reason, '[1:1] [component_template] failed to parse object');
  assert.equal(cut.caused_by.type, 'json_e_o_f_exception');
  assert.equal(await typeOf('POST /t/_update/1?foo=1', '{"doc":'), 'json_e_o_f_exception');
  assert.equal(await reasonOf(ask, 'POST /t/_update/1?foo=1', { foo: 1 }), '[1:2] [UpdateRequest] unknown field [foo]');
  assert.match(await reasonOf(ask, 'POST /t/_update/1?foo=1', {}), /unrecognized parameter: \[foo\]/);
});

test('what a request lacks is reported before its preference and options of indices', async () => {
  const ask = await startRest();
  await ask('PUT /t/_doc/1', {});
  const all = { query: { match_all: {} } };
  assert.match(await reasonOf(ask, 'POST /t/_explain/1?preference=_primary'), /query is missing/);
  assert.equal(await reasonOf(ask, 'POST /t/_explain/1?preference=_primary', all), 'no Preference for [_primary]');
  assert.equal(await reasonOf(ask, 'POST /none/_explain/1?preference=_primary', all), 'no such index [none]');
  const lacks = "specified fields can't be null or empty";
  assert.equal(await reasonOf(ask, 'POST /t/_field_caps?ignore_unavailable=x'), lacks);
  assert.match(await reasonOf(ask, 'POST /t/_field_caps?ignore_unavailable=x&fields=a'), /^Could not convert/);
});

test('a fingerprint leaves a position free between texts', async () => {
  const ask = await startRest();
  const positions = async (filter: unknown, text: readonly string[]): Promise<unknown> =>
    (await ask('POST /_analyze', { tokenizer: 'standard', filter, text })).json.tokens.map(
      ({ position }: { position: number }) => position,
    );
  assert.deepEqual(await positions(['fingerprint'], ['a', 'd e', 'x y']), [0, 102, 204]);
  assert.deepEqual(await positions(['fingerprint'], ['. .', 'a']), [101]);
  assert.deepEqual(await positions(['stop', 'fingerprint'], ['a fox the', 'b']), [0, 102]);
});

test('text after the body of an alias must be JSON', async () => {
  const ask = await startRest();
  await ask('PUT /t');
  for (const body of ['{} x', '{"routing":"a"} x', '1 x', '[] x'])
    assert.equal((await ask('PUT /t/_alias/a', body)).json.error?.type, 'json_parse_exception', body);
  assert.equal((await ask('PUT /t/_alias/a', '{}{}')).status, 200);
});

test('a number beyond those of its field is refused by every query', async () => {
  const ask = await startRest();
  const types = ['long', 'integer', 'short', 'byte', 'float', 'half_float'];
  await ask('PUT /t', { mappings: { properties: Object.fromEntries(types.map((type) => [type, { type }])) } });
  const asked = async (query: unknown): Promise<unknown> => {
    const { json } = await ask('POST /t/_search', { query });
    return json.error?.root_cause[0].reason ?? json.hits.total.value;
  };
  const beyond = (what: string): string => `failed to create query: Value [3000000000] is out of range for ${what}`;
  for (const type of ['integer', 'short', 'byte']) {
    assert.equal(await asked({ term: { [type]: 3e9 } }), beyond('an integer'));
    assert.equal(await asked({ terms: { [type]: [1, '3000000000'] } }), beyond('an integer'));
    assert.equal(await asked({ range: { [type]: { lt: 3e9 } } }), beyond('an integer'));
    assert.equal(await asked({ match: { [type]: 3e9 } }), beyond('an integer'));
    assert.equal(await asked({ match: { [type]: { query: 3e9, lenient: true } } }), 0);
    assert.equal(await asked({ term: { [type]: 1.5 } }), 0);
  }
  assert.equal(await asked({ term: { short: 70_000 } }), 0);
  assert.equal(await asked({ range: { long: { lte: 2 ** 63 } } }), 0);
  assert.match(String(await asked({ range: { long: { lte: 1e30 } } })), /out of range for a long$/);
  assert.match(String(await asked({ term: { long: '9223372036854775808' } })), /out of range for a long$/);
  assert.match(String(await asked({ term: { _seq_no: 1e20 } })), /For input string/);
  assert.match(String(await asked({ range: { float: { lt: 1e300 } } })), /\[float\] supports only finite values/);
  assert.match(String(await asked({ term: { half_float: 70_000 } })), /\[half_float\] supports only finite values/);
});

test('sub-fields for prefixes and pairs of words count as fields', async () => {
  const ask = await startRest();
  const p = { type: 'text', index_prefixes: {}, index_phrases: true };
  const made = (limit: number): ReturnType<Ask> =>
    ask('PUT /t', { settings: { 'index.mapping.total_fields.limit': limit }, mappings: { properties: { p } } });
  assert.equal((await made(2)).json.error.reason, 'Limit of total fields [2] has been exceeded');
  assert.equal((await made(3)).status, 200);
});

test('ranges of addresses are counted, far years have their own digits, and texts below a point are those of the source', async () => {
  const ask = await startRest();
  const g = { type: 'geo_point', fields: { k: { type: 'keyword' } } };
  await ask('PUT /t', { mappings: { properties: { r: { type: 'ip_range' }, d: { type: 'date' }, g } } });
  await ask('PUT /t/_doc/1?refresh=true', { r: '10.0.0.0/8', d: '+12026-01-01T00:00:00Z', g: { lat: 1.5, lon: 2.25 } });
  await ask('PUT /t/_doc/2?refresh=true', { d: 253_402_300_800_000, g: [2.5, 1] });
  const aggs = Object.fromEntries(
    ['value_count', 'cardinality', 'missing'].map((type) => [type, { [type]: { field: 'r' } }]),
  );
  const { json } = await ask('POST /t/_search', { aggs, fields: ['d', 'g.k'], docvalue_fields: ['d'], sort: ['_doc'] });
  assert.deepEqual(json.aggregations, {
    value_count: { value: 1 },
    cardinality: { value: 1 },
    missing: { doc_count: 1 },
  });
  assert.deepEqual(
    json.hits.hits.map(({ fields }: { fields: unknown }) => fields),
    [
      { d: ['+12026-01-01T00:00:00.000Z'], 'g.k': ['{lon=2.25, lat=1.5}'] },
      { d: ['+10000-01-01T00:00:00.000Z'], 'g.k': ['2.5', '1'] },
    ],
  );
});

test('a boost below zero is a mistake of the request, also of a query that stands for no document', async () => {
  const ask = await startRest();
  await ask('PUT /q', { mappings: { properties: { g: { type: 'geo_point' } } } });
  for (const query of [
    { constant_score: { filter: { term: { absent: 'x' } }, boost: -1 } },
    { more_like_this: { like: 'red fox dog', boost: '-1' } },
    { geo_distance: { g: '1,1', distance: '1km', boost: -0.5 } },
    { nested: { path: 'absent', query: { match_all: {} }, boost: -1 } },
  ]) {
    const { error } = (await ask('POST /q/_search', { query })).json;
    assert.match(
      `${error.type}: ${error.reason}`,
      /^illegal_argument_exception: negative \[boost\] are not allowed in \[/,
    );
    assert.equal((await ask('POST /q/_count', { query })).json.error.reason, 'Failed to parse');
    assert.deepEqual((await ask('POST /q/_validate/query', { query })).json, { valid: false });
  }
});
