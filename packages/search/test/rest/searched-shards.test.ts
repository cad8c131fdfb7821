import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { load, startRest } from './harness.ts';

test('searches and counts say how many shards of each index they asked', async () => {
  const ask = await startRest();
  await ask('PUT /five', { settings: { number_of_shards: 5 }, mappings: { properties: { t: { type: 'text' } } } });
  await load(ask, 'five', [{ t: 'fox' }]);
  await load(ask, 'one', [{ t: 1 }]);
  const shards = async (target: string, body?: unknown): Promise<readonly number[]> => {
    const { total, successful, failed } = (await ask(target, body)).json._shards;
    return [total, successful, failed];
  };
  for (const target of ['POST /five/_search', 'POST /five/_count', 'POST /five/_search?scroll=1m'])
    deepEqual(await shards(target, {}), [5, 5, 0], target);
  deepEqual(await shards('POST /five,one/_search', {}), [6, 6, 0]);
  deepEqual(await shards('POST /five/_search?routing=1', {}), [1, 1, 0]);
  deepEqual(await shards('POST /five/_search?preference=_shards:1,2', {}), [2, 2, 0]);
  const numeric = { query: { match: { t: 'fox' } } };
  for (const target of ['POST /five,one/_search', 'POST /five,one/_count'])
    deepEqual(await shards(target, numeric), [6, 5, 1], target);
  const sorted = { sort: [{ t: 'asc' }] };
  deepEqual(await shards('POST /five,one/_search', sorted), [6, 1, 5]);
});
