// Groups of hits: what is inside a group comes from all indices of the request, in an order and with groups of its own.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, ids, load, startRest } from './harness.ts';

async function places(): Promise<Ask> {
  const ask = await startRest();
  const mappings = {
    properties: {
      country: { type: 'keyword' },
      city: { type: 'keyword' },
      n: { type: 'long' },
      text: { type: 'text' },
    },
  };
  await ask('PUT /a', { mappings });
  await ask('PUT /b', { mappings: { properties: { ...mappings.properties, land: { type: 'keyword' } } } });
  await load(ask, 'a', [
    { country: 'uk', city: 'london', n: 1, text: 'red fox' },
    { country: 'uk', city: 'leeds', n: 2, text: 'fox' },
    { country: 'fr', city: 'paris', n: 3, text: 'fox' },
  ]);
  await load(ask, 'b', [
    { country: 'uk', city: 'london', n: 4, text: 'fox' },
    { country: 'fr', city: 'lyon', n: 5, text: 'fox' },
  ]);
  return ask;
}

test('the hits of a group come from all indices of the request, with what they are asked to show', async () => {
  const ask = await places();
  const reply = await ask('POST /a,b/_search', {
    query: { match: { text: 'fox' } },
    sort: [{ n: 'asc' }],
    collapse: {
      field: 'country',
      inner_hits: [
        { name: 'last', size: 2, sort: [{ n: 'desc' }], _source: ['n'], highlight: { fields: { text: {} } } },
        { name: 'cities', collapse: { field: 'city' }, sort: [{ n: 'asc' }] },
      ],
    },
  });
  equal(reply.status, 200, reply.text);
  deepEqual(ids(reply), ['1', '3']);
  const { last, cities } = reply.json.hits.hits[0].inner_hits;
  equal(last.hits.total.value, 3);
  deepEqual(
    last.hits.hits.map((hit: { _source: { n: number } }) => hit._source),
    [{ n: 4 }, { n: 2 }],
  );
  deepEqual(last.hits.hits[0].highlight.text, ['<em>fox</em>']);
  deepEqual(
    last.hits.hits.map((hit: { sort: number[]; _index: string }) => [hit._index, hit.sort]),
    [
      ['b', [4]],
      ['a', [2]],
    ],
  );
  deepEqual(
    cities.hits.hits.map((hit: { fields: { city: string[] } }) => hit.fields.city),
    [['london'], ['leeds']],
  );
  equal(cities.hits.total.value, 3);
});

test('groups inside of groups end there, and an unknown member is refused by name', async () => {
  const ask = await places();
  for (const [inner, reason] of [
    [{ collapse: { field: 'city', inner_hits: {} } }, /Invalid token in the inner collapse/],
    [{ sizee: 1 }, /unknown field \[sizee\]/],
  ] as const) {
    const reply = await ask('POST /a/_search', { collapse: { field: 'country', inner_hits: inner } });
    equal(reply.status, 400, reply.text);
    match(reply.text, reason);
  }
});

test('hits are not collapsed by dates and booleans, as in Elasticsearch', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ on: true, at: '2020-01-01', n: 1 }]);
  for (const field of ['on', 'at']) {
    const reply = await ask('POST /t/_search', { collapse: { field } });
    equal(reply.status, 400);
    equal(
      reply.json.error.root_cause[0].reason,
      `unknown type for collapse field \`${field}\`, only keywords and numbers are accepted`,
    );
  }
  equal((await ask('POST /t/_search', { collapse: { field: 'n' } })).status, 200);
});

test('the name of the index is no field to collapse on, as in Elasticsearch', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ a: 'x' }]);
  for (const collapse of [{ field: '_index' }, { field: '_index', inner_hits: { name: 'x' } }]) {
    const reply = await ask('POST /t/_search', { collapse });
    equal(reply.status, 400);
    equal(reply.json.error.root_cause[0].reason.includes('only keywords and numbers are accepted'), true);
  }
});

test('a search that asks for suggestions alone finds no documents', async () => {
  const ask = await places();
  const suggest = { s: { text: 'foxx', term: { field: 'text', min_word_length: 3 } } };
  const alone = await ask('POST /a/_search', { suggest, post_filter: { match_all: {} } });
  deepEqual(alone.json.hits, { total: { value: 0, relation: 'eq' }, max_score: null, hits: [] });
  equal(alone.json.suggest.s[0].options[0].text, 'fox');
  equal((await ask('POST /a/_search', { suggest, query: { match_all: {} } })).json.hits.total.value, 3);
  equal((await ask('POST /a/_search', { suggest, aggs: {} })).json.hits.total.value, 3);
});

test('scores are told where the order or `track_scores` asks for them', async () => {
  const ask = await places();
  const scores = async (body: object): Promise<unknown> => {
    const { hits } = (await ask('POST /a/_search', body)).json;
    return [hits.max_score, hits.hits[0]._score];
  };
  const aggs = { top: { top_hits: {} } };
  deepEqual(await scores({ aggs, sort: ['n'] }), [null, null]);
  deepEqual(await scores({ min_score: 0.5, sort: ['n'] }), [null, null]);
  deepEqual(await scores({ sort: ['_score', 'n'] }), [null, 1]);
  deepEqual(await scores({ sort: [{ _score: 'asc' }] }), [null, 1]);
  deepEqual(await scores({ sort: ['n'], track_scores: true }), [1, 1]);
  deepEqual(await scores({ sort: ['_score'] }), [1, 1]);
  deepEqual(await scores({ collapse: { field: 'country' } }), [null, 1]);
  deepEqual(await scores({ collapse: { field: 'country' }, sort: ['n'], track_scores: true }), [null, 1]);
});

test('the group of documents without a value shows no field', async () => {
  const ask = await places();
  await load(ask, 'a', [{ n: 9 }]);
  const reply = await ask('POST /a/_search', { collapse: { field: 'country' }, query: { term: { n: 9 } } });
  equal('fields' in reply.json.hits.hits[0], false);
});

test('hits are grouped by fields with one value a document, and without a query inner hits score 0', async () => {
  const ask = await places();
  const plain = await ask('POST /a/_search', { collapse: { field: 'country', inner_hits: { name: 'i' } } });
  equal(plain.json.hits.hits[0].inner_hits.i.hits.max_score, 0);
  await load(ask, 'a', [{ country: ['uk', 'fr'] }]);
  const reply = await ask('POST /a/_search', { collapse: { field: 'country' } });
  equal(reply.status, 400);
  equal(reply.json.error.type, 'search_phase_execution_exception');
  match(reply.text, /the collapse field must be single valued/);
});
