import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine, createRestApi } from '@lockstitch/search';
import { type Ask, startRest } from './harness.ts';

async function source(shards: number, given?: Ask): Promise<Ask> {
  const ask = given ?? (await startRest());
  const settings = {
    number_of_shards: shards,
    refresh_interval: '-1',
    analysis: { analyzer: { own: { tokenizer: 'whitespace', filter: ['uppercase'] } } },
  };
  const mappings = { dynamic: false, properties: { t: { type: 'text', analyzer: 'own' }, n: { type: 'byte' } } };
  equal((await ask('PUT /old', { settings, mappings, aliases: { a: {} } })).status, 200);
  for (let id = 0; id < 5; id++) await ask(`PUT /old/_doc/${id}?routing=r${id}`, { t: `Fox ${id}`, n: id });
  await ask('PUT /old/_doc/1?routing=r1', { t: 'Dog', n: 1 });
  equal((await ask('PUT /old/_settings', { 'index.blocks.write': true })).status, 200);
  return ask;
}

for (const [kind, body, shards] of [
  ['clone', {}, '4'],
  ['shrink', { settings: { 'index.number_of_shards': 2 } }, '2'],
  ['split', { settings: { 'index.number_of_shards': 8 } }, '8'],
] as const)
  test(`_${kind} makes an index of the same documents, settings and mapping`, async () => {
    const ask = await source(4);
    const made = await ask(`PUT /old/_${kind}/fresh`, { ...body, aliases: { b: {} } });
    deepEqual([made.status, made.json], [200, { acknowledged: true, shards_acknowledged: true, index: 'fresh' }]);
    equal((await ask('PUT /fresh/_settings', { 'index.priority': 2 })).status, 200);
    equal((await ask('PUT /fresh/_settings', { 'index.priority': null })).status, 200);
    const { fresh } = (await ask('GET /fresh')).json;
    deepEqual(fresh.mappings, (await ask('GET /old')).json.old.mappings);
    deepEqual(
      [fresh.settings.index.number_of_shards, fresh.settings.index.blocks, Object.keys(fresh.aliases)],
      [shards, { write: 'true' }, ['b']],
    );
    equal((await ask('POST /fresh/_count', { query: { term: { t: 'Fox' } } })).json.count, 0);
    equal((await ask('POST /fresh/_count', { query: { term: { t: 'FOX' } } })).json.count, 4);
    const document = (await ask('GET /fresh/_doc/1?routing=r1')).json;
    deepEqual([document._version, document._routing, document._source.t], [2, 'r1', 'Dog']);
    equal((await ask('PUT /fresh/_doc/9', { n: 1 })).status, 403);
  });

test('blocks of the source can be left behind', async () => {
  const ask = await source(1);
  equal((await ask('PUT /old/_clone/fresh', { settings: { 'index.blocks.write': null } })).status, 200);
  equal((await ask('PUT /fresh/_doc/9', { n: 1 })).status, 201);
});

test('what cannot be resized is refused, and nothing is made', async () => {
  const ask = await source(4);
  await ask('PUT /open');
  for (const [target, body, status, reason] of [
    ['open/_clone/x', {}, 400, /index open must be read-only to resize index. use \\"index.blocks.write=true\\"/],
    ['nope/_clone/x', {}, 404, /no such index \[nope\]/],
    ['old/_clone/open', {}, 400, /already exists/],
    [
      'old/_clone/x',
      { settings: { number_of_shards: 2 } },
      400,
      /target shards \(2\) must be the same as the number of  source shards \( 4\)/,
    ],
    ['old/_shrink/x', { settings: { number_of_shards: 3 } }, 400, /source shards \[4\] must be a multiple of \[3\]/],
    [
      'old/_shrink/x',
      { settings: { number_of_shards: 8 } },
      400,
      /must be less that the number of source shards \[4\]/,
    ],
    [
      'old/_split/x',
      { settings: { 'index.number_of_shards': 6 } },
      400,
      /source shards \[4\] must be a factor of \[6\]/,
    ],
    ['old/_split/x', {}, 400, /index.number_of_shards is required/],
    ['old/_split/x', { mappings: {} }, 400, /\[resize_request\] unknown field \[mappings\]/],
    [
      'nope/_clone/x',
      { settings: { 'index.sort.field': null, 'index.routing_partition_size': 2 } },
      400,
      /Validation Failed: 1: can't override index sort when resizing an index;"/,
    ],
    [
      'old/_split/x',
      { settings: { index: { sort: { order: 'desc' } } } },
      400,
      /1: can't override index sort when resizing an index;2: index.number_of_shards is required for split operations;/,
    ],
    [
      'old/_shrink/x',
      { settings: { sort: { field: 'n' } } },
      400,
      /1: can't override index sort when resizing an index;"/,
    ],
    [
      'old/_clone/x',
      { settings: { 'index.soft_deletes.enabled': false } },
      400,
      /Can't disable \[index.soft_deletes.enabled\] setting on resize/,
    ],
    ['old/_clone/x?copy_settings=false', {}, 400, /can not be explicitly set to \[false\]/],
  ] as const) {
    const reply = await ask(`PUT /${target}`, body);
    equal(reply.status, status, `${target}: ${reply.text}`);
    match(reply.text, reason);
  }
  equal((await ask('HEAD /x')).status, 404);
});

test('a copy under a view has what is seen', async () => {
  const ask = await source(1);
  const view = { rows: { kind: 'number_range', field: 'n', to: 2 } } as const;
  const more = { view: (index: string) => (index === 'old' ? view : undefined) };
  equal((await ask('PUT /old/_clone/fresh', {}, more)).status, 200);
  equal((await ask('GET /fresh/_count')).json.count, 3);
});

test('a copy that takes longer than a search may leaves no index behind', async (t) => {
  const engine = await createEngine();
  const hurried = createRestApi(engine, { maxTurn: 0, maxSearchTime: 1e-3 });
  t.after(() => hurried.close());
  const ask = await source(1, await startRest(createRestApi(engine)));
  const reply = await (await startRest(hurried))('PUT /old/_clone/fresh', {});
  deepEqual([reply.status, (await ask('HEAD /fresh')).status], [400, 404], reply.text);
});
