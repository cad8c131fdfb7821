// Which indices an expression means, and how one that means none is refused: what Elasticsearch 7.10.2 answers.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, startRest } from './harness.ts';

async function filled(): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /a-1', { aliases: { al: {}, hid: { is_hidden: true } } });
  await ask('PUT /a-2', { aliases: { al: {}, solo: {} } });
  await ask('PUT /b-1');
  await ask('PUT /.h', { settings: { 'index.hidden': true } });
  await ask('PUT /c-1');
  await ask('POST /c-1/_close');
  return ask;
}

const missing = (name: string | null, kind = 'index_or_alias', id: unknown = name): string =>
  `404 no such index [${name}]${kind === 'index_expression' && id === '_all' ? ' and no indices exist' : ''} ${kind} ${JSON.stringify(id)}`;

/** An expression, parameters, and the indices that are found or what is refused. */
const CASES: readonly (readonly [string, string, string])[] = [
  ['al*,-a-1', '', 'a-2'],
  ['*,-al', '', 'a-1,a-2,b-1'],
  ['*,-al*', '', 'b-1'],
  ['-a-*', '', ''],
  ['a-1,', '', 'a-1'],
  ['a-1,,b-1', '', missing('')],
  ['nope', 'expand_wildcards=none', ''],
  ['nope', 'expand_wildcards=', ''],
  ['nope', 'ignore_unavailable=', missing('nope')],
  ['nope', 'ignore_unavailable=true&allow_no_indices=false', missing('nope', 'index_expression')],
  ['al', 'expand_wildcards=hidden', 'a-1,a-2'],
  ['_foo', 'expand_wildcards=none', ''],
  ['_foo', '', "400 Invalid index name [_foo], must not start with '_'."],
  ['a-1,_all', 'expand_wildcards=none', missing('_all', 'index_expression')],
  ['a-*,-nope*', 'allow_no_indices=false', missing('nope*')],
  ['a-*', 'allow_no_indices=false&expand_wildcards=closed', missing(null, 'index_or_alias', 'a-*')],
  ['h*', 'allow_no_indices=false', missing(null, 'index_or_alias', 'h*')],
  ['*,-*', 'allow_no_indices=false', missing(null, 'index_or_alias', ['*', '-*'])],
  ['c*', 'expand_wildcards=all', 'c-1'],
];

test('wildcards are expanded before names are looked up, and what means no index is refused by kind', async () => {
  const ask = await filled();
  for (const [expression, params, expected] of CASES) {
    const { status, json } = await ask(`GET /${expression}/_settings?${params}`);
    const { reason, 'resource.type': kind, 'resource.id': id } = json.error ?? {};
    const told =
      status === 200
        ? Object.keys(json).sort().join()
        : [status, reason, ...(kind === undefined ? [] : [kind, JSON.stringify(id)])].join(' ');
    equal(told, expected, `${expression} ${params}`);
  }
});

test('what opens, closes and deletes indices wants one by name', async () => {
  const ask = await filled();
  const reasons = await Promise.all(
    ['POST /_close', 'POST /_open', 'DELETE /'].map(async (target) => (await ask(target)).json.error.reason),
  );
  deepEqual(reasons, [
    'Validation Failed: 1: index is missing;',
    'Validation Failed: 1: index is missing;',
    'Validation Failed: 1: index / indices is missing;',
  ]);
});

test('closing tells of the indices that it closed, and recovery of closed ones too', async () => {
  const ask = await filled();
  deepEqual((await ask('POST /c-1/_close')).json, { acknowledged: true, shards_acknowledged: false, indices: {} });
  deepEqual((await ask('POST /a-1,c-1/_close')).json.indices, { 'a-1': { closed: true } });
  const types = await ask('GET /b-1,c-1/_recovery?filter_path=*.shards.type');
  deepEqual(types.json, {
    'b-1': { shards: [{ type: 'EMPTY_STORE' }] },
    'c-1': { shards: [{ type: 'EXISTING_STORE' }] },
  });
});

test('one member of an alias action is one name, and all actions are read before what one lacks is told', async () => {
  const ask = await filled();
  const change = async (...actions: readonly object[]): Promise<unknown> => {
    const { json } = await ask('POST /_aliases', { actions });
    return json.error?.caused_by?.caused_by?.caused_by?.reason ?? json.error?.caused_by?.reason ?? json.error?.reason;
  };
  equal(await change({ add: { index: 'a-1,b-1', alias: 'x' } }), 'no such index [a-1,b-1]');
  equal(await change({ add: { alias: 'x' } }, { add: { index: 'a-1', alias: '' } }), "[alias] can't be empty string");
  equal(await change({ add: { alias: 'x' } }), 'One of [index] or [indices] is required');
});

test('help of a table takes no part of the path, and a task of a node that is not there is missing', async () => {
  const ask = await filled();
  equal(
    (await ask('GET /_cat/indices/a-1?help')).json.error.reason,
    'request [/_cat/indices/a-1] contains unrecognized parameter: [index]',
  );
  const { error } = (await ask('GET /_tasks/x:1')).json;
  deepEqual([error.type, error.root_cause[0].reason], ['resource_not_found_exception', 'no such index [.tasks]']);
});

test('requests are refused for the first of their mistakes, in the order in which Elasticsearch reads them', async () => {
  const ask = await filled();
  const source = { index: 'a-1' };
  const told: unknown[] = [];
  for (const [target, body] of [
    ['PUT /new?master_timeout=x', { mapping: {} }],
    ['PUT /-bad?wait_for_active_shards=x', {}],
    ['POST /_reindex', { source, dest: { index: 'd', op_type: 'wrong', wrong: 1 } }],
    ['POST /_reindex', { source, dest: { index: 'd' }, max_docs: 0, wrong: 1 }],
    ['POST /_reindex', { source, dest: { index: 'd' }, conflicts: 'x', max_docs: 0 }],
    ['POST /_bulk', [{ update: { _index: 'a-1', _id: '1', version: 2 } }, { doc_as_upsert: true }]],
    ['GET /_mget?levl=shards', undefined],
    ['PUT /a-1/_block/wrong', undefined],
    ['POST /b-1/_split/c', { settings: { number_of_shards: 2 } }],
    ['POST /*/_open?allow_no_indices=false&expand_wildcards=none', undefined],
    ['GET /_cat/count', '[]'],
  ] as const) {
    const { json } = await ask(target, body);
    told.push(json.error.reason.replace(/^\[\d+:\d+\] /, ''));
  }
  deepEqual(told, [
    'unknown key [mapping] for create index',
    'cannot parse ActiveShardCount[x]',
    '[reindex] failed to parse field [dest]',
    '[reindex] failed to parse field [max_docs]',
    '[reindex] failed to parse field [conflicts]',
    'Update requests do not support versioning. Please use `if_seq_no` and `if_primary_term` instead',
    'request body or source parameter is required',
    'No block found with name wrong',
    'Validation Failed: 1: index.number_of_shards is required for split operations;',
    'no such index [*]',
    'Expected [START_OBJECT] but found [START_ARRAY]',
  ]);
});

test('_cat/count counts what a query finds', async () => {
  const ask = await startRest();
  await ask('PUT /o/_doc/1?refresh=true', { n: 1 });
  await ask('PUT /o/_doc/2?refresh=true', { n: 2 });
  equal((await ask('GET /_cat/count?h=count&q=n:1')).text, '1\n');
  equal((await ask('GET /_cat/count/o?h=count', { query: { range: { n: { gte: 1 } } } })).text, '2\n');
});
