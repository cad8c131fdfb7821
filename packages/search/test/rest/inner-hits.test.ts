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

test('a sort of inner hits by a field that is not mapped is refused', async () => {
  const ask = await products();
  const reply = await ask('POST /t/_search', {
    query: { nested: { path: 'reviews', query: { match_all: {} }, inner_hits: { sort: [{ nope: 'asc' }] } } },
  });
  equal(reply.status, 400, reply.text);
  match(reply.text, /No mapping found for \[nope\]/);
});

async function nests(): Promise<Ask> {
  const ask = await startRest();
  const deep = { type: 'nested', properties: { x: { type: 'keyword' } } };
  const nest = { type: 'nested', properties: { k: { type: 'keyword' }, v: { type: 'integer', store: true }, deep } };
  const properties = {
    place: { type: 'geo_point' },
    date: { type: 'date' },
    n: { type: 'integer', store: true },
    nest,
  };
  await ask('PUT /t', { mappings: { properties } });
  await load(ask, 't', [
    {
      n: 1,
      place: '1.5,2',
      date: '2020-01-02',
      nest: [
        { k: 'a', v: 1, deep: [{ x: 'd1' }, { x: 'd2' }] },
        { k: 'b', v: 2, deep: { x: 'd3' } },
      ],
    },
  ]);
  return ask;
}

test('an element shows its own stored fields and fields, and its source by the names of the whole document', async () => {
  const ask = await nests();
  const elements = async (body: object): Promise<any> => {
    const query = { nested: { path: 'nest', query: { match_all: {} }, inner_hits: body } };
    return (await ask('POST /t/_search', { query, _source: false })).json.hits.hits[0].inner_hits.nest.hits;
  };
  const shown = async (body: object): Promise<unknown> =>
    (await elements(body)).hits.map(({ _source, fields }: any) => ({
      ...(fields && { fields }),
      ...(_source && { _source }),
    }));
  deepEqual(await shown({ stored_fields: ['*'] }), [{ fields: { 'nest.v': [1] } }, { fields: { 'nest.v': [2] } }]);
  deepEqual(await shown({ stored_fields: ['n'] }), [{}, {}]);
  deepEqual(await shown({ fields: ['*'], _source: false }), [
    { fields: { 'nest.k': ['a'], 'nest.v': [1], 'nest.deep.x': ['d1', 'd2'] } },
    { fields: { 'nest.k': ['b'], 'nest.v': [2], 'nest.deep.x': ['d3'] } },
  ]);
  deepEqual(await shown({ _source: ['nest.k'] }), [{ _source: { k: 'a' } }, { _source: { k: 'b' } }]);
  deepEqual(await shown({ _source: ['k'] }), [{ _source: {} }, { _source: {} }]);
  deepEqual(await shown({ _source: { excludes: ['nest.deep', 'nest.v'] } }), [
    { _source: { k: 'a' } },
    { _source: { k: 'b' } },
  ]);
  const hidden = (await elements({ stored_fields: '_none_', _source: false })).hits[0];
  deepEqual([hidden._id, hidden._nested], ['1', { field: 'nest', offset: 0 }]);
  deepEqual((await elements({ size: 0 })).max_score, null);
});

test('inner hits of a nested query inside another stand in the hits of that one', async () => {
  const ask = await nests();
  const deep = { nested: { path: 'nest.deep', query: { match_all: {} }, inner_hits: { _source: false } } };
  const query = { nested: { path: 'nest', query: deep, inner_hits: { _source: false } } };
  const [hit] = (await ask('POST /t/_search', { query })).json.hits.hits;
  deepEqual(Object.keys(hit.inner_hits), ['nest']);
  deepEqual(
    hit.inner_hits.nest.hits.hits.map((each: any) =>
      each.inner_hits['nest.deep'].hits.hits.map((inner: any) => inner._nested),
    ),
    [
      [
        { field: 'nest', offset: 0, _nested: { field: 'deep', offset: 0 } },
        { field: 'nest', offset: 0, _nested: { field: 'deep', offset: 1 } },
      ],
      [{ field: 'nest', offset: 1, _nested: { field: 'deep', offset: 0 } }],
    ],
  );
});

test('hits show stored fields of the document alone, points in two formats, and refuse objects and wrong formats', async () => {
  const ask = await nests();
  const search = async (body: object): Promise<any> => (await ask('POST /t/_search', { _source: false, ...body })).json;
  const fields = async (body: object): Promise<unknown> => (await search(body)).hits.hits[0].fields;
  deepEqual(await fields({ stored_fields: ['*'] }), { n: [1] });
  equal((await search({ stored_fields: ['_source'] })).hits.hits[0]._source.n, 1);
  deepEqual(await fields({ fields: [{ field: 'place', format: 'wkt' }] }), { place: ['POINT (2.0 1.5)'] });
  deepEqual(await fields({ fields: [{ field: 'place', format: 'geojson' }] }), {
    place: [{ type: 'Point', coordinates: [2, 1.5] }],
  });
  deepEqual(await fields({ docvalue_fields: [{ field: 'n', format: null }] }), { n: [1] });
  for (const [body, type] of [
    [{ stored_fields: ['nest'] }, 'search_phase_execution_exception'],
    [{ fields: [{ field: 'date', format: 'use_field_mapping' }] }, 'search_phase_execution_exception'],
    [{ fields: [null] }, 'x_content_parse_exception'],
    [{ docvalue_fields: [{ field: 'date', format: 1 }] }, 'x_content_parse_exception'],
    [{ docvalue_fields: [{ field: ['n'] }] }, 'x_content_parse_exception'],
  ] as const) {
    const refused = await search(body);
    deepEqual([refused.status, refused.error.type], [400, type], JSON.stringify(body));
  }
  match((await ask('POST /t/_search', { stored_fields: ['nest'] })).text, /field \[nest\] isn't a leaf field/);
});
