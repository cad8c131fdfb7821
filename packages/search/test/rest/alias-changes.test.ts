// Aliases of open and closed indices, and what is refused of their changes. The answers are those of Elasticsearch 7.10.2.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, startRest } from './harness.ts';

async function twoIndices(): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /a', { aliases: { al: {} } });
  await ask('PUT /b', { aliases: { al: { is_write_index: true } } });
  await ask('POST /b/_close');
  return ask;
}

test('aliases of closed indices are shown, also by wildcards, unless they are asked not to reach them', async () => {
  const ask = await twoIndices();
  for (const target of ['GET /_alias', 'GET /_alias/al', 'GET /*/_alias', 'GET /a,b/_alias/a*', 'GET /_aliases'])
    deepEqual(Object.keys((await ask(target)).json), ['a', 'b'], target);
  deepEqual(Object.keys((await ask('GET /*/_alias?expand_wildcards=open')).json), ['a']);
  equal((await ask('HEAD /b/_alias/al')).status, 200);
});

test('aliases of closed indices are changed by their names, and wildcards reach open ones', async () => {
  const ask = await twoIndices();
  equal((await ask('PUT /b/_alias/own')).status, 200);
  equal((await ask('PUT /*/_alias/all')).status, 200);
  deepEqual(Object.keys((await ask('GET /b/_alias')).json.b.aliases), ['al', 'own']);
  equal((await ask('DELETE /b/_alias/own')).status, 200);
  equal((await ask('PUT /none*/_alias/x')).status, 404);
  equal((await ask('DELETE /a/_alias/absent')).json.error.reason, 'aliases [absent] missing');
});

test('only concrete indices are given aliases', async () => {
  const ask = await twoIndices();
  const reason = /The provided expression \[al\] matches an alias/;
  match((await ask('PUT /al/_alias/x')).json.error.reason, reason);
  match((await ask('POST /_aliases', { actions: [{ remove_index: { index: 'al' } }] })).json.error.reason, reason);
  equal((await ask('PUT /_alias/x')).json.error.reason, "[indices] can't be empty");
});

test('changes of aliases are refused as a whole where one of them cannot be read', async () => {
  const ask = await twoIndices();
  const add = { add: { index: 'a', alias: 'x' } };
  const cases: readonly (readonly [object, string, string])[] = [
    [{ add: { index: 'a' } }, 'illegal_argument_exception', 'One of [alias] or [aliases] is required'],
    [{ add: { alias: 'x' } }, 'illegal_argument_exception', 'One of [index] or [indices] is required'],
    [
      { add: { index: 'a', alias: 'x', filtr: {} } },
      'x_content_parse_exception',
      '[add] unknown field [filtr] did you mean [filter]?',
    ],
    [{ wrong: {} }, 'x_content_parse_exception', '[alias_action] unknown field [wrong]'],
  ];
  for (const [action, type, reason] of cases) {
    const { status, json } = await ask('POST /_aliases', { actions: [add, action] });
    let cause = json.error;
    while (cause.caused_by !== undefined) cause = cause.caused_by;
    deepEqual([status, json.error.type, cause], [400, 'x_content_parse_exception', { type, reason }]);
  }
  equal((await ask('POST /_aliases', { actions: [] })).json.error.reason, 'No action specified');
  equal((await ask('HEAD /_alias/x')).status, 404);
});

test('a removal that finds nothing is refused only where nothing else is done', async () => {
  const ask = await twoIndices();
  const remove = { remove: { index: 'a', alias: 'absent' } };
  equal((await ask('POST /_aliases', { actions: [remove] })).status, 404);
  equal((await ask('POST /_aliases', { actions: [remove, { add: { index: 'a', alias: 'x' } }] })).status, 200);
  equal((await ask('HEAD /_alias/x')).status, 200);
});

test('an alias has one index that is written to, one routing for writes, and flags that are flags', async () => {
  const ask = await twoIndices();
  const writer = (index: string): object => ({ add: { index, alias: 'w', is_write_index: true } });
  const { status, json } = await ask('POST /_aliases', { actions: [writer('a'), writer('b')] });
  deepEqual([status, json.error.reason], [400, 'alias [w] has more than one write index [a,b]']);
  const refusals = [{ index_routing: 'r,s' }, { is_write_index: 'yes' }, { filter: { wrong: {} } }];
  const reasons = await Promise.all(
    refusals.map(async (body) => (await ask('PUT /a/_alias/x', body)).json.error.reason),
  );
  deepEqual(reasons, [
    'alias [x] has several index routing values associated with it',
    'Failed to parse value [yes] as only [true] or [false] are allowed.',
    'failed to parse filter for alias [x]',
  ]);
  equal(
    (await ask('PUT /a/_alias/b')).json.error.reason,
    'Invalid alias name [b], an index exists with the same name as the alias',
  );
});

test('the last column of a table is not padded', async () => {
  const ask = await twoIndices();
  equal((await ask('GET /_cat/aliases?h=index,is_write_index&s=index')).text, 'a -\nb true\n');
  deepEqual((await ask('GET /_cat/aliases?h=i,a&format=json&s=i')).json[0], { i: 'a', a: 'al' });
  // The help is a table of three columns that are all padded.
  match((await ask('GET /_cat/repositories?help')).text, /\| repository type {5}\n/);
});

test('what is written by an alias with a routing has that routing, and another one is refused', async () => {
  const ask = await startRest();
  await ask('PUT /o', { aliases: { r: { routing: 'r1' }, two: { index_routing: 'r2', search_routing: 'r1,r2' } } });
  await ask('PUT /r/_doc/1', { n: 1 });
  await ask('POST /_bulk', [
    { index: { _index: 'two', _id: '2' } },
    { n: 2 },
    { update: { _index: 'r', _id: '3' } },
    { doc: { n: 3 }, doc_as_upsert: true },
  ]);
  for (const [id, routing] of [
    ['1', 'r1'],
    ['2', 'r2'],
    ['3', 'r1'],
  ] as const)
    equal((await ask(`GET /o/_doc/${id}`)).json._routing, routing, id);
  const reason =
    'Alias [r] has index routing associated with it [r1], and was provided with routing value [x], rejecting operation';
  for (const target of ['PUT /r/_doc/4?routing=x', 'DELETE /r/_doc/1?routing=x', 'GET /r/_doc/1?routing=x']) {
    const { status, json } = await ask(target, target.startsWith('PUT') ? {} : undefined);
    deepEqual([status, json.error.reason], [400, reason], target);
  }
});
