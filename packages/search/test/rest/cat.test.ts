// The `_cat` tables: columns, sorting, formats and refusals as Elasticsearch 7.10.2 answered them.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { startRest } from './harness.ts';

async function filled(): Promise<Awaited<ReturnType<typeof startRest>>> {
  const ask = await startRest();
  await ask('PUT /one', { settings: { number_of_replicas: 0 } });
  await ask('PUT /one/_doc/1?refresh=true', { n: 1 });
  await ask('PUT /many', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
  return ask;
}

test('an index that has fewer copies than its settings say is yellow everywhere', async () => {
  const ask = await filled();
  equal((await ask('GET /_cat/indices?h=health,pri,rep,index&s=index')).text, 'yellow 2 1 many\ngreen  1 0 one\n');
  equal((await ask('GET /_cat/health?h=status,shards,unassign,asp')).text, 'yellow 3 2 60.0%\n');
  deepEqual(
    [(await ask('GET /_cluster/health')).json, (await ask('GET /_cluster/stats')).json].map(({ status }) => status),
    ['yellow', 'yellow'],
  );
  equal(
    (await ask('GET /_cat/shards?h=index,shard,prirep,state,ur&s=index,shard,prirep')).text,
    [
      'many 0 p STARTED    ',
      'many 0 r UNASSIGNED INDEX_CREATED',
      'many 1 p STARTED    ',
      'many 1 r UNASSIGNED INDEX_CREATED',
      'one  0 p STARTED    ',
      '',
    ].join('\n'),
  );
  // Nobody asked for the second copy of an index that the first document made; there it is asked for by the default, too.
  await ask('DELETE /many');
  await ask('PUT /made/_doc/1', {});
  equal((await ask('GET /_cluster/health')).json.status, 'yellow');
});

test('numbers of indices, shards and nodes are columns that are shown when they are asked for', async () => {
  const ask = await filled();
  equal(
    (await ask('GET /_cat/indices/one?v&h=i,indexing.*total,pri.indexing.index_total,fielddata.memory_size,sth')).text,
    'i   indexing.delete_total indexing.index_total pri.indexing.index_total fielddata.memory_size sth\n' +
      'one                     0                    1                        1                    0b false\n',
  );
  equal(
    (await ask('GET /_cat/shards/one?v&h=i,seq*,get.total,gti')).text.split('\n')[1],
    'one          0                       0                        0         0  0s',
  );
  match((await ask('GET /_cat/nodes?h=script.compilations,suggest.total')).text, /^0 0\n$/);
  const help = (await ask('GET /_cat/indices?help')).text.split('\n').map((line) => line.split(' ')[0]);
  deepEqual([help.length, help[12], help[13]], [133, 'completion.size', 'pri.completion.size']);
});

test('columns are chosen by name, alias and pattern, and headed by what they were asked for by', async () => {
  const ask = await filled();
  equal((await ask('GET /_cat/indices/one?h=i,index,absent,dc&v')).text, 'i   index dc\none one    1\n');
  equal(
    (await ask('GET /_cat/indices/one?h=docs*,i&v')).text,
    'docs.count docs.deleted i\n         1            0 one\n',
  );
  equal((await ask('GET /_cat/indices/one?h=absent')).text, '\n');
  // Of three columns with one alias the last has it.
  match((await ask('GET /_cat/nodes?h=l&v')).text, /^ *l\n/);
});

test('rows are sorted by values, and an unknown key is refused', async () => {
  const ask = await filled();
  equal((await ask('GET /_cat/indices?h=index&s=docs.count:desc,index')).text, 'one\nmany\n');
  equal((await ask('GET /_cat/indices?h=index&s=index:asc')).text, 'many\none\n');
  equal((await ask('GET /_cat/indices?h=index&s=store.size')).text, 'many\none\n');
  const { status, json } = await ask('GET /_cat/indices?s=index:wrong');
  deepEqual([status, json.error.type], [400, 'unsupported_operation_exception']);
  match(json.error.reason, /^Unable to sort by unknown sort key `index:wrong`$/);
});

test('every table takes units, and refuses what no table takes', async () => {
  const ask = await filled();
  match((await ask('GET /_cat/plugins?bytes=kb&time=ms&ts=false&pri')).text, /^$/);
  equal((await ask('GET /_cat/indices/many?h=store.size&bytes=b')).text, '0\n');
  match((await ask('GET /_cat/nodes?h=uptime&time=s')).text, /^\d+\n$/);
  equal((await ask('GET /_cat/indices?timeout=1')).status, 400);
  equal(
    (await ask('GET /_cat/indices?v=maybe')).json.error.reason,
    'Failed to parse value [maybe] as only [true] or [false] are allowed.',
  );
});
