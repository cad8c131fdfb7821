// Sorts by elements of nested fields and by distances, as Elasticsearch 7.10.2 answered for the same documents.
import { deepEqual, equal } from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Ask, load, startRest } from '../rest/harness.ts';

let ask: Ask;

before(async () => {
  ask = await startRest();
  const inside = { type: 'nested', properties: { w: { type: 'long' }, c: { type: 'keyword' } } };
  const parts = { k: { type: 'keyword' }, v: { type: 'long' }, p: { type: 'geo_point' }, in: inside };
  await ask('PUT /t', {
    mappings: { properties: { g: { type: 'geo_point' }, parts: { type: 'nested', properties: parts } } },
  });
  await load(ask, 't', [
    {
      g: '1,1',
      parts: [
        {
          k: 'a',
          v: [3, 9],
          p: '1,1',
          in: [
            { w: 5, c: 'x' },
            { w: 1, c: 'y' },
          ],
        },
        { k: 'b', v: 1, p: '3,3', in: [{ w: 0, c: 'x' }] },
      ],
    },
    {
      g: '2,2',
      parts: [
        { k: 'b', v: 5, p: '2,2', in: [{ w: 7, c: 'x' }] },
        {
          k: 'a',
          v: 2,
          p: '9,9',
          in: [
            { w: 2, c: 'x' },
            { w: 3, c: 'y' },
          ],
        },
      ],
    },
    { g: '3,3', parts: [{ k: 'c' }, { k: 'a', v: 8 }, { k: 'b', v: -2 }] },
  ]);
});

const NONE = 2 ** 63;

async function sorted(sort: object): Promise<readonly unknown[]> {
  const { json, text } = await ask('POST /t/_search', { sort: [sort] });
  equal(json.hits !== undefined, true, text);
  return json.hits.hits.map((hit: { readonly sort: readonly unknown[] }) => hit.sort[0]);
}

async function refusal(sort: unknown): Promise<string> {
  const { json, status } = await ask('POST /t/_search', { sort: [sort] });
  equal(status, 400);
  return json.error.root_cause[0].reason;
}

test('a nested sort reads only so many elements with a value as max_children says', async () => {
  deepEqual(await sorted({ 'parts.v': { nested: { path: 'parts', max_children: 1 } } }), [3, 5, 8]);
  const two = { path: 'parts', max_children: 2 };
  deepEqual(await sorted({ 'parts.v': { order: 'desc', mode: 'sum', nested: two } }), [13, 7, 6]);
  deepEqual(await sorted({ 'parts.v': { nested: { path: 'parts', max_children: 0 } } }), [NONE, NONE, NONE]);
  equal(
    await refusal({ 'parts.in.w': { nested: { path: 'parts', nested: { path: 'parts.in', max_children: 1 } } } }),
    'max_children is only supported on top level of nested sort',
  );
});

test('a nested sort inside of another reads elements that lie in elements which match', async () => {
  const filter = { term: { 'parts.k': 'a' } };
  const deep = { path: 'parts.in', filter: { term: { 'parts.in.c': 'x' } } };
  deepEqual(await sorted({ 'parts.in.w': { nested: { path: 'parts', nested: { path: 'parts.in' } } } }), [0, 2, NONE]);
  deepEqual(await sorted({ 'parts.in.w': { nested: { path: 'parts', filter, nested: deep } } }), [2, 5, NONE]);
  deepEqual(await sorted({ 'parts.v': { nested: { path: 'parts', nested: { path: 'parts' } } } }), [NONE, NONE, NONE]);
  deepEqual(await sorted({ 'parts.v': { nested: {} } }), [NONE, NONE, NONE]);
});

test('inner hits and top_hits sort elements by the elements that lie in them', async () => {
  const sort = [{ 'parts.in.w': { order: 'desc', nested: { path: 'parts.in' } } }];
  const { json } = await ask('POST /t/_search', {
    query: { nested: { path: 'parts', query: { match_all: {} }, inner_hits: { sort } } },
    aggs: { n: { nested: { path: 'parts' }, aggs: { a: { top_hits: { size: 4, sort } } } } },
  });
  const shown = (hits: readonly { readonly sort: readonly unknown[] }[]) => hits.map((hit) => hit.sort[0]);
  deepEqual(shown(json.hits.hits[0].inner_hits.parts.hits.hits), [5, 0]);
  deepEqual(shown(json.aggregations.n.a.hits.hits), [7, 5, 3, 0]);
});

test('distances of the points of nested elements sort as others do', async () => {
  const near = await sorted({ _geo_distance: { 'parts.p': '1,1', nested: { path: 'parts' }, unit: 'km' } });
  deepEqual([near[0], Math.round(Number(near[1])), near[2]], [0, 157, 'Infinity']);
  equal(
    await refusal({ _geo_distance: { 'parts.p': '1,1', mode: 'median', nested: { path: 'parts' } } }),
    'Unsupported sort mode: MEDIAN',
  );
});

test('a point beyond the globe is refused, brought back or left as validation_method says', async () => {
  const far = (validation_method: string) => ({ _geo_distance: { g: '91,1', validation_method, unit: 'km' } });
  deepEqual(
    (await sorted(far('coerce'))).map((each) => Math.round(Number(each))),
    [9785, 9896, 10008],
  );
  equal(await refusal(far('strict')), 'illegal latitude value [91.0] for [GeoDistanceSort] for field [g].');
  equal(await refusal(far('x')), 'operator needs to be either [COERCE, IGNORE_MALFORMED, STRICT], but not [x]');
});

test('mistakes in a sort by distance are told in the words of Elasticsearch', async () => {
  for (const [body, reason] of [
    [{ g: '1,1', x: '2,2' }, 'Trying to reset fieldName to [x], already set to [g].'],
    [{ g: '1,1', foo: 7 }, '[_geo_distance] does not support [foo]'],
    [{ g: '1,1', mode: 'sum' }, "sort_mode [sum] isn't supported for sorting by geo distance"],
    [{ g: '1,1', mode: 'x' }, 'Unknown SortMode [x]'],
    [{ g: '1,1', unit: 'x' }, 'No distance unit match [x]'],
    [{ g: '1,1', distance_type: 'x' }, 'No geo distance for [x]'],
    [{ g: [] }, 'Geo distance sorting needs at least one point.'],
    ['asc', 'No mapping found for [_geo_distance] in order to sort on'],
  ] as const)
    equal(await refusal({ _geo_distance: body }), reason);
});
