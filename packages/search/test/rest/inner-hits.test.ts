// Elements and best documents inside of answers: in an order of their own, with the words marked that they were found by.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, load, startRest } from './harness.ts';

async function products(): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: {
      properties: {
        title: { type: 'text' },
        kind: { type: 'keyword' },
        reviews: {
          type: 'nested',
          properties: { stars: { type: 'integer' }, text: { type: 'text' }, by: { type: 'keyword' } },
        },
      },
    },
  });
  await load(ask, 't', [
    {
      title: 'red shoes',
      kind: 'a',
      reviews: [
        { stars: 2, text: 'good shoes', by: 'z' },
        { stars: 5, text: 'very good', by: 'a' },
        { stars: 3, text: 'bad' },
        { text: 'good enough', by: 'm' },
      ],
    },
    { title: 'blue shoes', kind: 'a', reviews: [{ stars: 1, text: 'good' }] },
  ]);
  return ask;
}

test('elements are sorted by their own values, missing ones where the sort says, with the words marked', async () => {
  const ask = await products();
  const inner = async (body: object): Promise<any> => {
    const reply = await ask('POST /t/_search', {
      query: { nested: { path: 'reviews', query: { match: { 'reviews.text': 'good' } }, inner_hits: body } },
    });
    equal(reply.status, 200, reply.text);
    return reply.json.hits.hits.find((hit: { _id: string }) => hit._id === '1').inner_hits.reviews.hits;
  };
  const byStars = await inner({ sort: [{ 'reviews.stars': 'desc' }], highlight: { fields: { 'reviews.text': {} } } });
  deepEqual(
    byStars.hits.map((hit: any) => [hit._nested.offset, hit.sort, hit._score, hit.highlight['reviews.text']]),
    [
      [1, [5], null, ['very <em>good</em>']],
      [0, [2], null, ['<em>good</em> shoes']],
      [3, [-(2 ** 63)], null, ['<em>good</em> enough']],
    ],
  );
  equal(byStars.max_score, null);
  const first = await inner({ sort: [{ 'reviews.stars': { order: 'asc', missing: '_first' } }], size: 1, from: 1 });
  deepEqual(
    first.hits.map((hit: any) => hit._nested.offset),
    [0],
  );
  const byName = await inner({ sort: ['reviews.by'] });
  deepEqual(
    byName.hits.map((hit: any) => hit.sort),
    [['a'], ['m'], ['z']],
  );
  const byScore = await inner({ highlight: { fields: { title: {} } } });
  equal(byScore.hits[0].highlight, undefined);
  equal(typeof byScore.hits[0]._score, 'number');
});

test('the best documents of a bucket, and of nested ones, have the words marked', async () => {
  const ask = await products();
  const reply = await ask('POST /t/_search', {
    query: { match: { title: 'red' } },
    aggs: {
      kinds: {
        terms: { field: 'kind' },
        aggs: { top: { top_hits: { size: 1, highlight: { fields: { title: {} } } } } },
      },
    },
  });
  deepEqual(reply.json.aggregations.kinds.buckets[0].top.hits.hits[0].highlight, { title: ['<em>red</em> shoes'] });
});

test('a sort that takes more than the values of the element is refused by name', async () => {
  const ask = await products();
  for (const [sort, reason] of [
    [
      [{ 'reviews.stars': { nested: { path: 'reviews', filter: { term: { 'reviews.by': 'a' } } } } }],
      /a filter of nested elements in the sort of .*not supported/,
    ],
    [[{ nope: 'asc' }], /No mapping found for \[nope\]/],
  ] as const) {
    const reply = await ask('POST /t/_search', {
      query: { nested: { path: 'reviews', query: { match_all: {} }, inner_hits: { sort } } },
    });
    equal(reply.status, 400, reply.text);
    match(reply.text, reason);
  }
});
