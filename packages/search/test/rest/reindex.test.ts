// Copying documents from index to index, and requests that go on after they were answered.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, ids, load, startRest } from './harness.ts';

async function filled(): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /from', { mappings: { properties: { n: { type: 'long' }, tag: { type: 'keyword' } } } });
  await load(
    ask,
    'from',
    Array.from({ length: 1200 }, (_, n) => ({ n, tag: n % 2 === 0 ? 'even' : 'odd', list: [{ a: n }] })),
  );
  return ask;
}

test('_reindex copies what a query finds, with the members asked for', async () => {
  const ask = await filled();
  await ask('PUT /to', { mappings: { properties: { n: { type: 'keyword' } } } });
  const copied = await ask('POST /_reindex?refresh=true', {
    source: { index: 'from', query: { term: { tag: 'even' } }, _source: ['n', 'tag'] },
    dest: { index: 'to' },
  });
  equal(copied.status, 200, copied.text);
  deepEqual([copied.json.total, copied.json.created, copied.json.updated, copied.json.batches], [600, 600, 0, 1]);
  const found = await ask('POST /to/_search', { query: { term: { n: '4' } } });
  deepEqual(found.json.hits.hits[0]._source, { n: 4, tag: 'even' });
  const again = await ask('POST /_reindex', { source: { index: ['from'] }, dest: { index: 'to' }, max_docs: 3 });
  deepEqual([again.json.total, again.json.updated + again.json.created], [3, 3]);
  // An index that is not there is made, unless there is nothing to write to it.
  await ask('POST /_reindex', { source: { index: 'from', query: { term: { n: -5 } } }, dest: { index: 'nothing' } });
  equal((await ask('HEAD /nothing')).status, 404);
  await ask('POST /_reindex?refresh=true', { source: { index: 'fr*' }, dest: { index: 'new' } });
  equal((await ask('GET /new/_count')).json.count, 1200);
});

test('documents that are there are conflicts for op_type create, which stop the copying or are counted', async () => {
  const ask = await filled();
  await ask('PUT /to/_doc/2?refresh=true', { n: -1 });
  const create = { source: { index: 'from' }, dest: { index: 'to', op_type: 'create' } };
  const stopped = await ask('POST /_reindex', create);
  equal(stopped.status, 409, stopped.text);
  deepEqual([stopped.json.version_conflicts, stopped.json.failures.length, stopped.json.total], [1, 1, 1200]);
  equal(stopped.json.failures[0].cause.type, 'version_conflict_engine_exception');
  await ask('DELETE /to');
  await ask('PUT /to/_doc/2?refresh=true', { n: -1 });
  const counted = await ask('POST /_reindex?refresh=true', { ...create, conflicts: 'proceed' });
  deepEqual([counted.status, counted.json.version_conflicts, counted.json.created], [200, 1, 1199]);
  equal((await ask('GET /to/_doc/2')).json._source.n, -1);
});

test('external versions go along', async () => {
  const ask = await startRest();
  for (let n = 0; n < 3; n++) await ask('PUT /from/_doc/1?refresh=true', { n });
  const asked = { source: { index: 'from' }, dest: { index: 'to', version_type: 'external' } };
  await ask('POST /_reindex?refresh=true', asked);
  equal((await ask('GET /to/_doc/1')).json._version, 3);
  const again = await ask('POST /_reindex', { ...asked, conflicts: 'proceed' });
  equal(again.json.version_conflicts, 1, again.text);
});

test('what _reindex cannot do is refused by name, and nothing is made', async () => {
  const ask = await filled();
  for (const [body, reason] of [
    [{ source: { index: 'from' }, dest: { index: 'from' } }, /cannot write into an index its reading from/],
    [{ source: { index: 'from' }, dest: {} }, /index must be specified/],
    [{ source: {}, dest: { index: 'to' } }, /use _all/],
    [{ source: { index: 'from' } }, /index must be specified/],
    [{ source: { index: 'from', remote: {} }, dest: { index: 'to' } }, /\[remote\].*not supported/],
    [{ source: { index: 'from' }, dest: { index: 'to' }, script: {} }, /\[script\].*not supported/],
    [{ source: { index: 'from', query: { trem: {} } }, dest: { index: 'to' } }, /unknown query \[trem\]/],
    [{ source: { index: 'from' }, dest: { index: 'to', routing: 'x' } }, /routing must be unset/],
    [{ source: { index: 'from' }, dest: { index: 'to' }, max_docs: 0 }, /\[max_docs\] should be >= \[slices\]/],
    [{ source: { index: 'from' }, dest: { index: 'to', wrong: 1 } }, /\[dest\] unknown field \[wrong\]/],
    [{ source: { index: 'from', wrong: 1 }, dest: { index: 'to' } }, /Unknown key for a VALUE_NUMBER in \[wrong\]/],
    [{ source: { index: 'absent' }, dest: { index: 'to' } }, /no such index \[absent\]/],
  ] as const) {
    const reply = await ask('POST /_reindex', body);
    equal(reply.status, /no such/.test(reason.source) ? 404 : 400, reply.text);
    match(reply.text, reason);
  }
  equal((await ask('HEAD /to')).status, 404);
});

test('a caller copies only what he sees, and into no index that is kept from him', async () => {
  const ask = await filled();
  const seen = { view: () => ({ rows: { kind: 'term', field: 'tag', term: 'odd' } as const, hidden: ['list'] }) };
  const copied = await ask(
    'POST /_reindex?refresh=true',
    { source: { index: 'from' }, dest: { index: 'to' } },
    {
      view: (name) => (name === 'from' ? seen.view() : undefined),
    },
  );
  equal(copied.json.total, 600, copied.text);
  const found = await ask('POST /to/_search', { query: { match_all: {} }, size: 1 });
  deepEqual(Object.keys(found.json.hits.hits[0]._source), ['n', 'tag']);
  const refused = await ask(
    'POST /_reindex',
    { source: { index: 'from' }, dest: { index: 'kept' } },
    { readOnly: (name) => name === 'kept' },
  );
  equal(refused.status, 403, refused.text);
});

test('a request that nobody waits for is a task, which its caller finds with its answer', async () => {
  const ask = await filled();
  const started = await ask(
    'POST /_reindex?wait_for_completion=false&refresh=true',
    {
      source: { index: 'from' },
      dest: { index: 'to' },
    },
    { caller: 'ann' },
  );
  match(started.json.task, /^lockstitch:\d+$/);
  const path = `GET /_tasks/${started.json.task}`;
  const task = await ask(`${path}?wait_for_completion=true`, undefined, { caller: 'ann' });
  equal(task.json.completed, true, task.text);
  equal(task.json.response.created, 1200);
  equal(task.json.task.action, 'indices:data/write/reindex');
  equal((await ask(path, undefined, { caller: 'bob' })).status, 404);
  deepEqual((await ask('GET /_tasks?actions=*reindex', undefined, { caller: 'ann' })).json.nodes, {});
  const deleted = await ask('POST /from/_delete_by_query?wait_for_completion=false', {
    query: { term: { tag: 'odd' } },
  });
  const end = await ask(`GET /_tasks/${deleted.json.task}?wait_for_completion=true`);
  equal(end.json.response.deleted, 600, end.text);
  // What is wrong from the start is told at once.
  const wrong = await ask('POST /from/_delete_by_query?wait_for_completion=false', { query: { trem: {} } });
  equal(wrong.status, 400, wrong.text);
  equal((await ask('GET /_tasks/nonsense')).status, 400);
  equal((await ask('GET /_tasks/lockstitch:999')).status, 404);
});

test('field capabilities take the fields from the body too', async () => {
  const ask = await filled();
  const reply = await ask('POST /from/_field_caps', { fields: ['n', 't*'] });
  deepEqual(Object.keys(reply.json.fields), ['n', 'tag']);
  deepEqual(ids(await ask('POST /from/_search', { size: 1, sort: ['n'] })), ['1']);
});

test('a document without the routing that its new index requires is one failure', async () => {
  const ask = await startRest();
  await ask('PUT /to', { mappings: { _routing: { required: true } } });
  await ask('PUT /from/_doc/1?refresh=true', { n: 1 });
  await ask('PUT /from/_doc/2?refresh=true&routing=r', { n: 2 });
  const { status, json } = await ask('POST /_reindex', { source: { index: 'from' }, dest: { index: 'to' } });
  deepEqual([status, json.created, json.failures.length, json.failures[0]?.id], [400, 1, 1, '1']);
});
