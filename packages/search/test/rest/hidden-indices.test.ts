// Which indices and aliases an expression reaches, hidden and closed ones among them, as Elasticsearch 7.10.2 answered.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { startRest } from './harness.ts';

type Ask = Awaited<ReturnType<typeof startRest>>;

async function filled(): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /logs-1', { aliases: { current: {}, mine: { is_hidden: true } } });
  await ask('PUT /logs-2');
  await ask('PUT /people');
  await ask('POST /people/_close');
  await ask('PUT /hid', { settings: { 'index.hidden': true }, aliases: { seen: {} } });
  await ask('PUT /.dot', { settings: { 'index.hidden': true } });
  return ask;
}

async function names(ask: Ask, target: string): Promise<string[]> {
  return Object.keys((await ask(`GET ${target}`)).json).toSorted();
}

test('wildcards pass hidden indices and aliases by, unless they are asked for or begin with the same dot', async () => {
  const ask = await filled();
  deepEqual(await names(ask, '/*'), ['logs-1', 'logs-2']);
  deepEqual(await names(ask, '/h*'), []);
  deepEqual(await names(ask, '/hid'), ['hid']);
  deepEqual(await names(ask, '/.d*'), ['.dot']);
  deepEqual(await names(ask, '/mi*'), []);
  deepEqual(await names(ask, '/mine'), ['logs-1']);
  deepEqual(await names(ask, '/se*'), ['hid']);
  deepEqual(await names(ask, '/*?expand_wildcards=open,hidden'), ['.dot', 'hid', 'logs-1', 'logs-2']);
  deepEqual(await names(ask, '/*?expand_wildcards=all'), ['.dot', 'hid', 'logs-1', 'logs-2', 'people']);
  deepEqual(await names(ask, '/*?expand_wildcards=hidden'), []);
  deepEqual(await names(ask, '/_alias'), ['.dot', 'hid', 'logs-1', 'logs-2', 'people']);
  // Beside another expression a wildcard finds aliases, too.
  deepEqual(await names(ask, '/*,-logs-1'), ['hid', 'logs-2']);
  equal((await ask('GET /_cat/indices?h=index&s=index')).text, 'logs-1\nlogs-2\npeople\n');
  equal((await ask('GET /_all,-logs-1/_count')).json.error.type, 'invalid_index_name_exception');
});

test('hidden indices are not deleted, closed or changed by a wildcard', async () => {
  const ask = await filled();
  equal((await ask('PUT /h*/_settings', { 'index.priority': 2 })).status, 404);
  await ask('POST /*/_close');
  await ask('DELETE /*');
  deepEqual(await names(ask, '/_all?expand_wildcards=all'), ['.dot', 'hid']);
  equal((await ask('DELETE /h*?expand_wildcards=open,hidden')).status, 200);
  deepEqual(await names(ask, '/_all?expand_wildcards=all'), ['.dot']);
});

test('what is deleted is no alias: one that is named is refused, or passed by', async () => {
  const ask = await filled();
  equal((await ask('DELETE /current')).status, 400);
  equal((await ask('DELETE /current?ignore_unavailable=true')).status, 200);
  equal((await ask('DELETE /cur*')).status, 200);
  equal((await ask('DELETE /cur*?allow_no_indices=false')).status, 404);
  equal((await ask('HEAD /logs-1')).status, 200);
  await ask('DELETE /logs-*,-logs-1');
  deepEqual(await names(ask, '/*'), ['logs-1']);
});

test('_resolve/index tells what is hidden, and what an expression takes back', async () => {
  const ask = await filled();
  const shown = async (target: string): Promise<unknown> => {
    const { indices, aliases } = (await ask(`GET /_resolve/index/${target}`)).json;
    return [
      indices.map(({ name, attributes }: { name: string; attributes: string[] }) => `${name} ${attributes.join()}`),
      aliases.map(({ name }: { name: string }) => name),
    ];
  };
  deepEqual(await shown('*'), [
    ['logs-1 open', 'logs-2 open'],
    ['current', 'seen'],
  ]);
  deepEqual(await shown('hid,mine'), [['hid hidden,open'], ['mine']]);
  deepEqual(await shown('*,-logs-1'), [['logs-2 open'], ['current', 'seen']]);
  deepEqual(await shown('*?expand_wildcards=none'), [[], []]);
  deepEqual(await shown('p*?expand_wildcards=closed'), [['people closed'], []]);
});

test('where nothing is meant and something must be, the refusal names the expression', async () => {
  const ask = await filled();
  for (const [target, expected] of [
    ['/_all/_count?expand_wildcards=none', 'no such index [_all] and no indices exist'],
    ['/nothing*/_count?', 'no such index [nothing*]'],
    ['/people/_count?ignore_unavailable=true', 'no such index [null]'],
  ] as const)
    equal((await ask(`GET ${target}&allow_no_indices=false`)).json.error.reason, expected);
  // What is taken back must be there.
  equal((await ask('GET /*,-absent/_count')).status, 404);
  equal((await ask('GET /*,-absent/_count?ignore_unavailable=true')).status, 200);
  equal((await ask('HEAD /people/_alias')).status, 200);
  equal((await ask('HEAD /logs-2/_alias/c*')).status, 200);
  equal((await ask('HEAD /logs-2/_alias/current')).status, 404);
});
