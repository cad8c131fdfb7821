// How copies, updates and deletions by query are divided, slowed down and ended, as Elasticsearch 7.10.2 answered.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { startRest } from './harness.ts';

type Ask = Awaited<ReturnType<typeof startRest>>;

async function filled(): Promise<Ask> {
  const ask = await startRest();
  for (const index of ['d', 'e'])
    for (const id of [1, 2, 3]) await ask(`PUT /${index}/_doc/${id}?refresh=true`, { n: id });
  return ask;
}

test('a request is divided into slices, each told with what it did', async () => {
  const ask = await filled();
  const { json } = await ask('POST /d/_update_by_query?slices=2&refresh=true');
  deepEqual([json.total, json.updated, json.slices.length, json.slices[1].slice_id], [3, 3, 2, 1]);
  equal(
    json.slices.reduce((sum: number, { updated }: { updated: number }) => sum + updated, 0),
    3,
  );
  const copied = (await ask('POST /_reindex?slices=3', { source: { index: 'd' }, dest: { index: 'f' } })).json;
  deepEqual([copied.total, copied.created, copied.slices.length], [3, 3, 3]);
  // One shard is one slice.
  equal((await ask('POST /d/_delete_by_query?slices=auto', { query: { match_all: {} } })).json.slices, undefined);
  for (const [target, reason] of [
    ['/e/_update_by_query?slices=2&max_docs=1', /\[max_docs\] should be >= \[slices\]/],
    ['/e/_update_by_query?slices=0', /\[slices\] must be a positive integer or the string \\"auto\\", but was \[0\]/],
    ['/e/_update_by_query?slices=100000', /more than the limit of \[1024\]/],
  ] as const)
    match((await ask(`POST ${target}`)).text, reason);
  match((await ask('POST /absent/_update_by_query?slices=0')).text, /\[slices\] must be a positive integer/);
  match(
    (await ask('POST /e/_update_by_query?slices=auto', { slice: { id: 0, max: 2 } })).text,
    /can't specify both manual and automatic slicing at the same time/,
  );
});

test('a batch goes over the ends of indices, and the total is what was found', async () => {
  const ask = await filled();
  const { json } = await ask('POST /d,e/_update_by_query?refresh=true&scroll_size=4');
  deepEqual([json.total, json.updated, json.batches], [6, 6, 2]);
  // The first documents of each index, then the second ones.
  await ask('POST /_reindex?refresh=true&max_docs=2', { source: { index: 'd,e', size: 1 }, dest: { index: 'both' } });
  deepEqual((await ask('GET /both/_search')).json.hits.hits.length, 1);
  await ask('PUT /g', { mappings: { dynamic: 'strict' } });
  const stopped = await ask('POST /_reindex', { source: { index: 'd,e', size: 2 }, dest: { index: 'g' } });
  deepEqual([stopped.status, stopped.json.total, stopped.json.batches, stopped.json.failures.length], [400, 6, 1, 2]);
});

test('max_docs is read once from each place, and two of them agree', async () => {
  const ask = await filled();
  const refused = async (query: string, body: object): Promise<string> =>
    (await ask(`POST /d/_update_by_query?${query}`, body)).json.error.reason;
  equal(await refused('max_docs=1', { max_docs: 0 }), '[max_docs] should be >= [slices]');
  equal(await refused('max_docs=1&size=2', {}), '[max_docs] set to two different values [2] and [1]');
  equal(await refused('max_docs=1', { max_docs: 2 }), '[max_docs] set to two different values [2] and [1]');
  equal(await refused('max_docs=-1&size=1', {}), '[max_docs] set to two different values [1] and [-1]');
  equal(await refused('max_docs=-1', {}), '[max_docs] parameter cannot be negative, found [-1]');
  const both = await ask('POST /_reindex', { source: { index: 'd' }, dest: { index: 'f' }, max_docs: 2, size: 1 });
  match(both.json.error.reason, /\[reindex\] failed to parse field \[size\]$/);
});

test('documents are written no faster than the request says', async () => {
  const ask = await filled();
  const { json } = await ask('POST /d/_update_by_query?requests_per_second=50&scroll_size=1');
  deepEqual([json.updated, json.requests_per_second, json.throttled_millis > 0], [3, 50, true]);
  for (const rate of ['0', '-2', 'x'])
    match((await ask(`POST /d/_update_by_query?requests_per_second=${rate}`)).text, /must be a float greater than 0/);
});

async function started(ask: Ask): Promise<string> {
  const path = '/d/_update_by_query?requests_per_second=0.01&scroll_size=1&wait_for_completion=false';
  const { task } = (await ask(`POST ${path}`)).json;
  while ((await ask(`GET /_tasks/${task}`)).json.task.status.updated !== 1) await new Promise(setImmediate);
  return task;
}

test('a request that was told to go slowly can be told to go faster', async () => {
  const ask = await filled();
  const task = await started(ask);
  const running = (await ask(`GET /_tasks/${task}`)).json;
  deepEqual([running.completed, running.task.status.total, running.task.cancellable], [false, 3, true]);
  const { nodes } = (await ask(`POST /_update_by_query/${task}/_rethrottle?requests_per_second=-1`)).json;
  equal(nodes.lockstitch.tasks[task].status.requests_per_second, -1);
  const { response } = (await ask(`GET /_tasks/${task}?wait_for_completion=true`)).json;
  deepEqual([response.updated, response.batches], [3, 3]);
  match((await ask(`POST /_reindex/${task}/_rethrottle`)).text, /requests_per_second is a required parameter/);
  match((await ask(`POST /_reindex/${task}/_rethrottle?requests_per_second=1`)).text, /is missing/);
});

test('a request that runs can be cancelled, and tells what it has done', async () => {
  const ask = await filled();
  const task = await started(ask);
  deepEqual(Object.keys((await ask('POST /_tasks/_cancel?actions=*byquery')).json.nodes.lockstitch.tasks), [task]);
  const { response } = (await ask(`GET /_tasks/${task}?wait_for_completion=true`)).json;
  deepEqual([response.canceled, response.updated, response.total], ['by user request', 1, 3]);
  deepEqual((await ask('POST /_tasks/_cancel')).json, { nodes: {} });
  match((await ask(`POST /_tasks/${task}/_cancel`)).text, /is not found/);
  match((await ask('POST /_tasks/x:1/_cancel')).text, /No such node \[x\]/);
  match((await ask('GET /_tasks?group_by=wrong')).text, /must be one of \[nodes\], \[parents\] or \[none\]/);
});

test('nobody cancels what others have started', async () => {
  const ask = await filled();
  const path = '/d/_update_by_query?requests_per_second=0.01&scroll_size=1&wait_for_completion=false';
  const { task } = (await ask(`POST ${path}`, undefined, { caller: 'one' })).json;
  deepEqual((await ask('POST /_tasks/_cancel', undefined, { caller: 'two' })).json, { nodes: {} });
  match((await ask(`POST /_tasks/${task}/_cancel`, undefined, { caller: 'two' })).text, /is not found/);
  equal((await ask(`GET /_tasks/${task}`, undefined, { caller: 'one' })).json.completed, false);
  await ask(`POST /_tasks/${task}/_cancel?wait_for_completion=true`, undefined, { caller: 'one' });
  equal((await ask(`GET /_tasks/${task}`, undefined, { caller: 'one' })).json.completed, true);
});

test('what is wrong with a document is told before that its version is another', async () => {
  const ask = await filled();
  for (const target of [
    'PUT /d/_create/1',
    'PUT /d/_doc/1?version=1&version_type=external',
    'PUT /d/_doc/1?if_seq_no=77&if_primary_term=1',
  ])
    equal((await ask(target, { n: 'x' })).json.error.type, 'mapper_parsing_exception', target);
  equal((await ask('PUT /d/_create/1', { n: 1, more: 2 })).status, 409);
  equal((await ask('GET /d/_mapping')).json.d.mappings.properties.more.type, 'long');
});

test('a deletion in bulk is not asked for an alias, and needs an id', async () => {
  const ask = await filled();
  equal((await ask('POST /_bulk?require_alias=true', [{ delete: { _index: 'd', _id: '1' } }])).json.errors, false);
  equal((await ask('POST /_bulk', [{ delete: { _index: 'd', _id: '' } }])).status, 400);
});
