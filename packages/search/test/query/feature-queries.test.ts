// Queries that score by a number of the document, or let it say how many words must match; and those by likeness.
import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine, createRestApi } from '@lockstitch/search';
import type { IndexSearcher } from '../../src/collect/searcher.ts';
import { typicalValue } from '../../src/query/feature-values.ts';
import { Statistics } from '../../src/query/statistics.ts';
import { withBudget } from '../../src/tasks/request-budget.ts';
import { type Ask, ids, load, type Reply, startRest } from '../rest/harness.ts';

const { fround } = Math;
const scores = (reply: Reply): number[] => reply.json.hits.hits.map((hit: { _score: number }) => fround(hit._score));

test('terms_set finds documents in which as many terms match as a number of theirs says', async () => {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: { properties: { codes: { type: 'keyword' }, required: { type: 'long' }, text: { type: 'text' } } },
  });
  await load(ask, 't', [
    { codes: ['a', 'b'], required: 2 },
    { codes: ['a', 'c'], required: 2 },
    { codes: ['a'], required: 1, text: 'red fox' },
    { codes: ['a', 'b', 'c'], required: [3, 2] },
    { codes: ['a', 'b'] },
    { codes: ['b', 'z'], required: 0 },
  ]);
  const found = async (body: object): Promise<string[]> =>
    ids(await ask('POST /t/_search', { query: { terms_set: body } })).sort();
  const number = { minimum_should_match_field: 'required' };
  deepEqual(await found({ codes: { terms: ['a', 'b'], ...number } }), ['1', '3', '4', '6']);
  deepEqual(await found({ codes: { terms: ['x'], ...number } }), []);
  deepEqual(await found({ text: { terms: ['red', 'blue'], ...number } }), ['3']);
  deepEqual(await found({ absent: { terms: ['a'], ...number } }), []);
  // The score is the sum of those that match.
  const both = await ask('POST /t/_search', { query: { terms_set: { codes: { terms: ['a', 'b'], ...number } } } });
  const sum = await ask('POST /t/_search', {
    query: { bool: { should: [{ term: { codes: 'a' } }, { term: { codes: 'b' } }] } },
  });
  const ofFirst = (reply: Reply): number => reply.json.hits.hits.find((hit: { _id: string }) => hit._id === '1')._score;
  equal(ofFirst(both), ofFirst(sum));
  const explained = await ask('POST /t/_explain/1', {
    query: { terms_set: { codes: { terms: ['a', 'b'], ...number } } },
  });
  equal(explained.json.explanation.details.length, 2, explained.text);
  for (const [body, reason] of [
    [{ codes: { terms: ['a'], minimum_should_match_script: {} } }, /\[minimum_should_match_script\] is not supported/],
    [{ codes: { terms: ['a'] } }, /No minimum should match/],
    [
      { codes: { terms: ['a'], minimum_should_match_field: 'absent' } },
      /failed to find minimum_should_match field \[absent\]/,
    ],
    [{ codes: { terms: ['a'], minimum_should_match_field: 'codes' } }, /holds no numbers/],
    [{ codes: { terms: 'a', ...number } }, /query does not support \[terms\]/],
    [{ codes: { term: ['a'], ...number } }, /query does not support \[term\].*did you mean \[terms\]/],
  ] as const) {
    const reply = await ask('POST /t/_search', { query: { terms_set: body } });
    equal(reply.status, 400, reply.text);
    match(reply.text, reason);
  }
});

test('distance_feature scores by nearness, and of several values the nearest counts', async () => {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: { properties: { at: { type: 'date' }, place: { type: 'geo_point' }, n: { type: 'long' } } },
  });
  await load(ask, 't', [
    { at: '2026-01-01', place: '0,0' },
    { at: ['2026-01-03', '2026-02-01'], place: ['0,1', '10,10'] },
    { n: 1 },
    { at: '2026-01-05', place: '0,2' },
  ]);
  const reply = await ask('POST /t/_search', {
    query: { distance_feature: { field: 'at', origin: '2026-01-02T00:00:00.000Z', pivot: '2d', boost: 3 } },
  });
  deepEqual(ids(reply), ['1', '2', '4']);
  deepEqual(scores(reply), [fround(2), fround(2), fround((3 * 2) / 5)]);
  const ofMillis = { distance_feature: { field: 'at', origin: 1767312000000.5, pivot: '2d', boost: 3 } };
  deepEqual(scores(await ask('POST /t/_search', { query: ofMillis })), scores(reply));
  const near = await ask('POST /t/_search', {
    query: { distance_feature: { field: 'place', origin: '0,1', pivot: '111.2km' } },
  });
  deepEqual(ids(near), ['2', '1', '4']);
  equal(scores(near)[0], 1);
  equal(Math.round(scores(near)[1]! * 1000), 500);
  deepEqual(
    ids(await ask('POST /t/_search', { query: { distance_feature: { field: 'absent', origin: 'now', pivot: '1d' } } })),
    [],
  );
  for (const [body, reason] of [
    [{ field: 'n', origin: 1, pivot: '1' }, /Illegal data type of \[long\]/],
    [{ field: 'n', origin: true, pivot: '1' }, /origin doesn't support values of type: VALUE_BOOLEAN/],
    [{ field: 'place', origin: 1, pivot: '1km' }, /Illegal type \[class java.lang.Long\] for \[origin\]!/],
    [{ field: 'n', origin: '1', pivot: '1' }, /can only be run on a date, date_nanos or geo_point/],
    [{ field: 'at', origin: 'now' }, /Required \[pivot\]/],
    [{ field: 'at', origin: 'now', pivot: 'soon' }, /\[distance_feature.pivot\] with value \[soon\] as a time value/],
    [{ field: 'at', origin: 'now', pivot: '0' }, /pivotDistance must be > 0/],
    [{ field: 'at', origin: 'now', pivot: '1d', decay: 1 }, /unknown field \[decay\]/],
  ] as const) {
    const refused = await ask('POST /t/_search', { query: { distance_feature: body } });
    equal(refused.status, 400, refused.text);
    match(refused.text, reason);
  }
});

test('rank_feature scores by saturation, logarithm or sigmoid of nine bits of the value', async () => {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: {
      properties: {
        rank: { type: 'rank_feature' },
        hops: { type: 'rank_feature', positive_score_impact: false },
        huge: { type: 'rank_features' },
        n: { type: 'long' },
      },
    },
  });
  await load(ask, 't', [{ rank: 8, hops: 4 }, { rank: 100, hops: 2 }, { rank: 0.3 }, { n: 1 }]);
  const asked = async (body: object): Promise<readonly (readonly [string, number])[]> => {
    const reply = await ask('POST /t/_search', { query: { rank_feature: body } });
    equal(reply.status, 200, reply.text);
    return ids(reply).map((id, at) => [id, scores(reply)[at]!]);
  };
  // 0.3 loses all but nine bits: 0.2998046875.
  const third = 0.2998046875;
  deepEqual(await asked({ field: 'rank', saturation: { pivot: 8 } }), [
    ['2', fround(1 - 8 / 108)],
    ['1', 0.5],
    ['3', fround(1 - fround(8 / fround(third + 8)))],
  ]);
  deepEqual(await asked({ field: 'rank', log: { scaling_factor: 4 }, boost: 2 }), [
    ['2', fround(2 * Math.log(104))],
    ['1', fround(2 * Math.log(12))],
    ['3', fround(2 * Math.log(fround(4 + third)))],
  ]);
  const power = (base: number): number => base ** fround(0.6);
  deepEqual(await asked({ field: 'rank', sigmoid: { pivot: 8, exponent: 0.6 } }), [
    ['2', fround(1 - power(8) / (power(100) + power(8)))],
    ['1', 0.5],
    ['3', fround(1 - power(8) / (power(third) + power(8)))],
  ]);
  deepEqual(await asked({ field: 'hops', saturation: { pivot: 0.25 } }), [
    ['2', fround(1 - fround(0.25 / 0.75))],
    ['1', 0.5],
  ]);
  // Without a pivot the typical value of the index scores a half: here one between 0.3 and 100.
  const [, middle] = await asked({ field: 'rank' });
  equal(middle![0], '1');
  equal(middle![1] > 0.5 && middle![1] < 0.8, true, String(middle![1]));
  // A field whose small values are good keeps their inverses, and so is its typical value one of these: 3/8 of 1/4 and 1/2.
  deepEqual(await asked({ field: 'hops' }), [
    ['2', fround(1 - fround(0.375 / 0.875))],
    ['1', fround(1 - fround(0.375 / 0.625))],
  ]);
  for (const [body, reason] of [
    [{ field: 'n' }, /only works on \[rank_feature\] fields/],
    [{ field: 'hops', log: { scaling_factor: 1 } }, /negative score impact/],
    [{ field: 'rank', log: { scaling_factor: 1 }, saturation: {} }, /Can only specify one/],
    [{ field: 'rank', sigmoid: { pivot: 1 } }, /Required \[exponent\]/],
    [{ field: 'rank', saturation: { pivot: 0 } }, /pivot must be > 0/],
    // Beyond the floats.
    [{ field: 'rank', saturation: { pivot: 1e300 } }, /pivot must be > 0, got: Infinity/],
    [{ field: 'rank', sigmoid: { pivot: 1e300, exponent: 1 } }, /pivot must be > 0, got: Infinity/],
    [{ field: 'rank', sigmoid: { pivot: 1, exponent: 1e300 } }, /exp must be > 0, got: Infinity/],
    [{ field: 'rank', log: { scaling_factor: 1e308 } }, /scalingFactor must be >= 1, got: Infinity/],
  ] as const) {
    const refused = await ask('POST /t/_search', { query: { rank_feature: body } });
    equal(refused.status, 400, refused.text);
    match(refused.text, reason);
  }
  // The powers overflow, or become zero, and the sum with the feature leaves the floats: the scores stay numbers.
  deepEqual(await asked({ field: 'rank', sigmoid: { pivot: 8, exponent: 400 } }), [
    ['2', 1],
    ['1', 0.5],
    ['3', 0],
  ]);
  deepEqual(await asked({ field: 'hops', sigmoid: { pivot: 0.25, exponent: 4000 } }), [
    ['2', 1],
    ['1', 0.5],
  ]);
  equal((await ask('PUT /t/_doc/8?refresh', { huge: { h: 3e38 } })).status, 201);
  const [, logarithm] = (await asked({ field: 'huge.h', log: { scaling_factor: 3e38 } }))[0]!;
  equal(logarithm > 88 && logarithm < 90, true, String(logarithm));
  const negative = await ask('PUT /t/_doc/9', { rank: -1 });
  equal(negative.status, 400, negative.text);
});

test('rank_features keep any number of features, each scored like a rank_feature', async () => {
  const ask = await startRest();
  const features = { type: 'rank_features' };
  const properties = { f: features, o: { properties: { f: features } }, a: { type: 'alias', path: 'f' } };
  await ask('PUT /t', { mappings: { properties } });
  await load(ask, 't', [
    { f: { x: 8, y: 0.3, n: null }, o: { f: { 'x\0': 4 } } },
    { f: { x: 100, 'a.b': 4 }, 'o.f': { x: 1 } },
    { f: [{ x: 10 }, { y: '5' }] },
    {},
  ]);
  const asked = async (body: object): Promise<readonly (readonly [string, number])[]> => {
    const reply = await ask('POST /t/_search', { query: { rank_feature: body } });
    equal(reply.status, 200, reply.text);
    return ids(reply).map((id, at) => [id, scores(reply)[at]!]);
  };
  deepEqual(await asked({ field: 'f.x', saturation: { pivot: 8 } }), [
    ['2', fround(1 - 8 / 108)],
    ['3', fround(1 - fround(8 / 18))],
    ['1', 0.5],
  ]);
  deepEqual(await asked({ field: 'f.y', log: { scaling_factor: 4 } }), [
    ['3', fround(Math.log(9))],
    ['1', fround(Math.log(fround(4 + 0.2998046875)))],
  ]);
  // The mean of the bits of 0.2998046875 and 5, as Elasticsearch 7.10.2 has it.
  const explained = await ask('POST /t/_explain/1', { query: { rank_feature: { field: 'f.y' } } });
  deepEqual(explained.json.explanation.value, 0.19692111);
  match(explained.text, /Saturation function on the f field for the y feature/);
  match(explained.text, /"value":1\.2226562,/);
  deepEqual(await asked({ field: 'o.f.x' }), [['2', 0.5]]);
  for (const field of ['f', 'f.nobody', 'f.a.b', 'a.x', 'nobody.x'])
    if (field === 'f') equal((await ask('POST /t/_search', { query: { rank_feature: { field } } })).status, 400);
    else deepEqual(await asked({ field }), []);
  for (const [document, reason] of [
    [{ f: 3 }, /must be json objects, expected a START_OBJECT but got: VALUE_NUMBER/],
    [{ f: null }, /must be json objects, expected a START_OBJECT but got: VALUE_NULL/],
    [{ f: [{ x: 1 }, { x: 2 }] }, /multiple values for the same rank feature \[f\.x\]/],
    [{ f: { x: [1] } }, /strictly positive float, but got unexpected token START_ARRAY/],
    [{ f: { x: 0 } }, /positive normal float, got: 0\.0 for feature x on field f/],
    [{ f: { x: 'many' } }, /For input string/],
    // Halves of surrogate pairs are stored as the same character.
    [{ f: { '\ud800': 1, '\ud801': 2 } }, /multiple values for the same rank feature/],
  ] as const) {
    const refused = await ask('PUT /t/_doc/9', document);
    equal(refused.status, 400, refused.text);
    match(refused.text, reason);
  }
  for (const query of [
    { exists: { field: 'f' } },
    { term: { f: 'x' } },
    { match: { f: 'x' } },
    { terms: { f: ['x'] } },
  ]) {
    const refused = await ask('POST /t/_search', { query });
    equal(refused.status, 400, refused.text);
    match(refused.text, /\[rank_features\] fields (?:are|do) not support/);
  }
  const caps = await ask('GET /t/_field_caps?fields=f');
  deepEqual(caps.json.fields.f.rank_features.searchable, false);
});

test('clauses share what they read of a feature, and memory and time of a search are counted', async (context) => {
  const engine = await createEngine();
  context.after(() => engine.close());
  const ask = await startRest(createRestApi(engine, { maxVisitedTerms: 10 }));
  const properties = { f: { type: 'rank_features' }, rank: { type: 'rank_feature' } };
  await ask('PUT /t', { mappings: { properties } });
  await load(ask, 't', [{ f: { x: 8, y: 1 } }, { f: { x: 100, y: 2, z: 1 } }, {}, {}, { f: { x: 3, z: 4 } }]);
  const clauses = (field: string): object[] =>
    Array.from({ length: 20 }, (_, at) => ({
      rank_feature: { field, ...(at % 2 === 0 ? {} : { saturation: { pivot: at } }) },
    }));
  const shared = await ask('POST /t/_search', { query: { bool: { should: clauses('f.x') } } });
  equal(shared.status, 200, shared.text);
  deepEqual(ids(shared), ['2', '1', '5']);

  // Few of many documents have the feature.
  await ask('PUT /u', { mappings: { properties } });
  const few = Array.from({ length: 200 }, (_, at) => (at % 50 === 7 ? { f: { rare: 1 + at } } : {}));
  await load(ask, 'u', few);
  deepEqual(ids(await ask('POST /u/_search', { query: { bool: { should: clauses('f.rare') } } })), [
    '158',
    '108',
    '58',
    '8',
  ]);
  const searcher = engine.index('t')!.searcher();
  context.after(() => searcher.release());
  const feature = (name: string) =>
    ({
      kind: 'rank_feature',
      field: 'f',
      feature: name,
      inverse: false,
      shape: { kind: 'saturation', pivot: 2 },
    }) as const;
  const count = (memory: number, ...names: string[]): number =>
    withBudget({ time: 1e9, terms: 1e9, memory }, () =>
      searcher.count({ kind: 'boolean', should: names.map(feature) }),
    );
  equal(count(30, 'x', 'x', 'x'), 3);
  equal(count(50, 'x', 'y'), 3);
  throws(() => count(50, 'x', 'y', 'z'), { code: 'SEARCH_MEMORY' });

  // The walk for the typical value looks at the clock: no document of the search is scored here.
  await ask('PUT /w', { mappings: { properties } });
  const many = Array.from({ length: 5000 }, () => ({ rank: 1 }));
  await load(ask, 'w', many);
  const walked = engine.index('w').searcher() as IndexSearcher;
  context.after(() => walked.release());
  const { segments, similarity, limits } = walked;
  const statistics = new Statistics(segments, similarity, limits);
  const typical = (): number => typicalValue(statistics, { field: 'rank', inverse: false });
  throws(() => withBudget({ time: 1e9, terms: 1e9, cancelled: Int32Array.of(1) }, typical), {
    code: 'SEARCH_CANCELLED',
  });
  equal(typical(), 1);
});

async function stories(): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: {
      properties: {
        title: { type: 'text', fields: { raw: { type: 'keyword' } } },
        body: { type: 'text' },
        tag: { type: 'keyword' },
        n: { type: 'long' },
      },
    },
  });
  await load(ask, 't', [
    { title: 'red fox', body: 'the quick fox jumps over the lazy fox', tag: 'animal' },
    { title: 'blue dog', body: 'the dog sleeps and the dog dreams of a fox', tag: 'animal' },
    { title: 'green fox', body: 'a fox and a fox and the wine', tag: 'drink' },
    { title: 'wine', body: 'the wine and the cellar', tag: 'drink' },
    { title: 'other', body: 'nothing in common here', tag: 'none' },
  ]);
  return ask;
}

test('more_like_this looks for the words that tell most of a text or a document', async () => {
  const ask = await stories();
  const found = async (body: object): Promise<string[]> => {
    const reply = await ask('POST /t/_search', { query: { more_like_this: { min_doc_freq: 1, ...body } } });
    equal(reply.status, 200, reply.text);
    return ids(reply).sort();
  };
  deepEqual(await found({ fields: ['body'], like: 'fox fox' }), ['1', '2', '3']);
  // Words that come once do not count by default, and rare ones neither.
  deepEqual(await found({ fields: ['body'], like: 'fox' }), []);
  deepEqual(await found({ fields: ['body'], like: 'fox fox', min_doc_freq: 4 }), []);
  deepEqual(await found({ fields: ['body'], like: 'fox fox the the', max_doc_freq: 3, min_term_freq: 1 }), [
    '1',
    '2',
    '3',
  ]);
  // The document itself is not found, unless it is asked for.
  deepEqual(await found({ fields: ['body'], like: { _id: '1' } }), ['2', '3', '4']);
  deepEqual(await found({ fields: ['body'], like: { _id: '1' }, stop_words: ['the'] }), ['2', '3']);
  deepEqual(await found({ fields: ['body'], like: { _index: 't', _id: '1' }, stop_words: ['the'], include: true }), [
    '1',
    '2',
    '3',
  ]);
  deepEqual(await found({ fields: ['body'], like: [{ doc: { body: 'dog dog' } }, 'wine wine'] }), ['2', '3', '4']);
  deepEqual(await found({ fields: ['body'], like: 'fox fox wine wine', unlike: 'fox' }), ['3', '4']);
  deepEqual(await found({ fields: ['body'], like: 'fox fox dog dog wine wine', unlike: { _id: '3' } }), ['2']);
  deepEqual(await found({ fields: ['tag'], like: { _id: '1' }, min_term_freq: 1 }), ['2']);
  deepEqual(await found({ fields: ['body', 'absent'], like: 'wine', min_term_freq: 1 }), ['3', '4']);
  deepEqual(await found({ fields: ['body'], like: { _id: 'absent' } }), []);
  deepEqual(await found({ fields: ['body'], like: 'fox fox wine wine the the', minimum_should_match: '100%' }), ['3']);
  deepEqual(await found({ fields: ['body'], like: 'fox wine the', min_word_length: 4, min_term_freq: 1 }), ['3', '4']);
  // Of many words those that are most and rarest.
  deepEqual(await found({ fields: ['body'], like: 'fox fox fox dog dog cellar cellar', max_query_terms: 1 }), [
    '1',
    '2',
    '3',
  ]);
});

test('boost_terms weighs words by how much they tell', async () => {
  const ask = await stories();
  const [plain, weighed] = await Promise.all(
    [0, 2].map((boost_terms) =>
      ask('POST /t/_search', {
        query: {
          more_like_this: { fields: ['body'], like: 'wine wine wine wine the the', min_doc_freq: 1, boost_terms },
        },
      }),
    ),
  );
  deepEqual(ids(plain!).sort(), ids(weighed!).sort());
  const ratio = (reply: Reply): number => reply.json.hits.hits.find((hit: { _id: string }) => hit._id === '4')._score;
  equal(ratio(weighed!) > 2 * ratio(plain!), true);
});

test('what more_like_this cannot read is refused by name', async () => {
  const ask = await stories();
  for (const [body, reason] of [
    [{ fields: ['body'] }, /requires 'like' to be specified/],
    [{ fields: [], like: 'x' }, /requires 'fields' to be non-empty/],
    [{ fields: ['n'], like: 'x' }, /only supports text\/keyword fields: \[n\]/],
    [{ fields: ['body'], like: {} }, /either \[_id\] or \[doc\]/],
    [{ fields: ['body'], like: { _id: '1', per_field_analyzer: {} } }, /\[per_field_analyzer\] is not supported/],
    [{ fields: ['body'], like: 'x', max_query_terms: 0 }, /maxQueryTerms/],
    [{ like: 'x' }, /cannot infer the field to analyze the free text/],
    [{ fields: ['body'], like: 'x', min_term_frequency: 1 }, /did you mean \[min_term_freq\]/],
  ] as const) {
    const reply = await ask('POST /t/_search', { query: { more_like_this: body } });
    equal(reply.status, 400, reply.text);
    match(reply.text, reason);
  }
});
