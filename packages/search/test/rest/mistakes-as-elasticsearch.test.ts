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
