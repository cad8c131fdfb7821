// What callers learn of each other's work where they see a part of an index: nothing.
import { deepEqual, equal, match, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import type { IndexView } from '@lockstitch/search';
import { type Ask, startRest } from '../rest/harness.ts';

const SHOWN: IndexView = { rows: { kind: 'term', field: 'owner', term: 'ann' } };

async function open(): Promise<{ readonly ask: Ask; readonly ann: Ask }> {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { owner: { type: 'keyword' } } } });
  await ask('PUT /t/_doc/1?refresh=true', { owner: 'ann' });
  const ann: Ask = (target, body) => ask(target, body, { caller: 'ann', view: () => SHOWN });
  return { ask, ann };
}

test('1.3 numbers of an index under a view count nothing that others do', async () => {
  const { ask, ann } = await open();
  const asked = [
    'GET /t/_stats?groups=_all&level=shards',
    'GET /_stats',
    'GET /_cat/indices?format=json&h=health,docs.count,flush.total',
    'GET /t/_stats/flush',
  ];
  const told = async (): Promise<readonly string[]> => {
    const answers: string[] = [];
    for (const target of asked) answers.push((await ann(target)).text);
    return answers;
  };
  const before = await told();
  equal(JSON.parse(before[0]!).indices.t.total.flush.total, 0);
  for (const target of ['POST /t/_flush', 'POST /t/_flush/synced', 'POST /_flush'])
    for (const caller of [ask, ann]) await caller(target);
  await ask('POST /t/_search', { stats: ['others'] });
  deepEqual(await told(), before);
  // Who sees the whole index is shown all of it.
  notEqual((await ask('GET /t/_stats')).json.indices.t.total.flush.total, 0);
});

test('1.3 the number of a task does not tell how many others were started, nor do those end its memory', async () => {
  const { ask } = await open();
  const start = async (caller: string): Promise<string> => {
    const { json } = await ask('POST /t/_update_by_query?wait_for_completion=false', {}, { caller });
    match(json.task, /^lockstitch:\d+$/);
    await ask(`GET /_tasks/${json.task}?wait_for_completion=true`, undefined, { caller });
    return json.task;
  };
  const first = await start('ann');
  for (let count = 0; count < 101; count++) await start('bob');
  const second = await start('ann');
  const number = (task: string): number => Number(task.slice('lockstitch:'.length));
  notEqual(number(second) - number(first), 102);
  equal((await ask(`GET /_tasks/${first}`, undefined, { caller: 'ann' })).json.completed, true);
});

test('1.3 what is copied first, or at all, does not tell which documents were written last', async () => {
  const copies = async (order: readonly string[]): Promise<readonly unknown[]> => {
    const { ask, ann } = await open();
    for (const id of order) await ask(`PUT /t/_doc/${id}?refresh=true`, { owner: 'ann', [`only${id}`]: id });
    const copied: unknown[] = [];
    for (const asked of ['_reindex?refresh=true', '_reindex?refresh=true&max_docs=2']) {
      equal((await ann(`POST /${asked}`, { source: { index: 't', size: 1 }, dest: { index: 'copy' } })).status, 200);
      const { json } = await ann('POST /copy/_search', { seq_no_primary_term: true, sort: ['_doc'] });
      copied.push(json.hits.hits);
      await ask('DELETE /copy');
    }
    return copied;
  };
  const found = await copies(['1', '2', '3', '10']);
  deepEqual(await copies(['10', '3', '1', '2']), found);
  equal((found[0] as readonly unknown[]).length, 4);
  equal((found[1] as readonly unknown[]).length, 2);
});
