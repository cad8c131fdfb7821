// `top_hits` sorts by elements of nested fields as a search does.
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { load, startRest } from '../rest/harness.ts';

test('top_hits sorts documents by the values of their nested elements', async () => {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: {
      properties: { parts: { type: 'nested', properties: { v: { type: 'long' }, k: { type: 'keyword' } } } },
    },
  });
  await load(ask, 't', [
    { parts: [{ v: 5, k: 'b' }, { v: 9 }] },
    { parts: [] },
    { parts: [{ v: 2, k: 'c' }] },
    { parts: [{ v: 7 }, { v: 1, k: 'd' }] },
  ]);
  const sortsOf = async (sort: object): Promise<readonly (readonly unknown[])[]> => {
    const { json } = await ask('POST /t/_search', {
      sort: [sort],
      aggs: { a: { top_hits: { sort: [sort], size: 9 } } },
    });
    const shown = (hits: readonly { readonly _id: string; readonly sort: readonly unknown[] }[]) =>
      hits.map(({ _id, sort: [value] }) => [_id, value]);
    deepEqual(shown(json.aggregations.a.hits.hits), shown(json.hits.hits));
    return shown(json.hits.hits).map(([, value]) => [value]);
  };
  const nested = { path: 'parts' };
  deepEqual((await sortsOf({ 'parts.v': { nested } })).slice(0, 3), [[1], [2], [5]]);
  deepEqual((await sortsOf({ 'parts.v': { nested, order: 'desc' } })).slice(0, 3), [[9], [7], [2]]);
  deepEqual((await sortsOf({ 'parts.v': { nested, mode: 'sum' } })).slice(0, 3), [[2], [8], [14]]);
  deepEqual((await sortsOf({ 'parts.k': { nested, order: 'desc' } })).slice(0, 3), [['d'], ['c'], ['b']]);
});
