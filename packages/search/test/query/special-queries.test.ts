// Queries that need fixtures of their own: nested elements, sloppy phrases, functions of the score, places, names and limits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProductError } from '@lockstitch/kernel';
import type { Index } from '../../src/engine/engine-api.ts';
import type { Query } from '../../src/query/query.ts';
import { createTestIndex, indexing } from '../engine/test-index.ts';
import { startRest } from '../rest/harness.ts';

async function indexOf(documents: Readonly<Record<string, object>>): Promise<Index> {
  const index = await createTestIndex();
  await index.apply(Object.entries(documents).map(([id, body]) => indexing(id, body)));
  await index.refresh();
  return index;
}

const found = (index: Index, query: Query): string[] =>
  index
    .searcher()
    .search({ query })
    .hits.map((hit) => hit.id);
const scores = (index: Index, query: Query): Record<string, number> =>
  Object.fromEntries(
    index
      .searcher()
      .search({ query })
      .hits.map((hit) => [hit.id, hit.score]),
  );

const comments = {
  p1: {
    text: 'first',
    comments: [
      { author: 'ann', stars: 5 },
      { author: 'bob', stars: 1 },
    ],
  },
  p2: {
    text: 'second',
    comments: [
      { author: 'ann', stars: 1 },
      { author: 'bob', stars: 5 },
    ],
  },
  p3: { text: 'third' },
};
const annWith = (stars: number): Query => ({
  kind: 'nested',
  path: 'comments',
  query: {
    kind: 'boolean',
    must: [
      { kind: 'term', field: 'comments.author', term: 'ann' },
      { kind: 'number_range', field: 'comments.stars', from: stars },
    ],
  },
});

test('a nested query holds within one element; hidden documents are no hits and count for nothing', async () => {
  const index = await indexOf(comments);
  assert.deepEqual(found(index, annWith(5)), ['p1']);
  assert.deepEqual(found(index, annWith(1)).sort(), ['p1', 'p2']);
  assert.deepEqual(found(index, { kind: 'term', field: 'comments.author', term: 'ann' }), []);
  assert.deepEqual(found(index, { kind: 'boolean', mustNot: [annWith(1)] }), ['p3']);
  assert.equal(index.searcher().count({ kind: 'match_all' }), 3);
  assert.equal(index.stats().docs, 3);
  const without: Query = {
    kind: 'nested',
    path: 'comments',
    query: { kind: 'boolean', mustNot: [{ kind: 'term', field: 'comments.author', term: 'bob' }] },
  };
  assert.deepEqual(found(index, without), ['p1', 'p2']);
});

test('the scores of nested elements join as asked', async () => {
  const index = await indexOf({
    one: { comments: [{ n: 1 }, { n: 2 }] },
    two: { comments: [{ n: 2 }, { n: 3 }, { n: 4 }] },
  });
  const query = (scoreMode: 'avg' | 'max' | 'min' | 'sum' | 'none'): Query => ({
    kind: 'nested',
    path: 'comments',
    scoreMode,
    query: {
      kind: 'function_score',
      query: { kind: 'match_all' },
      functions: [{ function: { kind: 'field_value_factor', field: 'comments.n' } }],
    },
  });
  assert.deepEqual(scores(index, query('avg')), { two: 3, one: 1.5 });
  assert.deepEqual(scores(index, query('sum')), { two: 9, one: 3 });
  assert.deepEqual(scores(index, query('max')), { two: 4, one: 2 });
  assert.deepEqual(scores(index, query('min')), { two: 2, one: 1 });
  assert.deepEqual(scores(index, query('none')), { one: 0, two: 0 });
});

test('deleting or replacing a document takes its nested elements with it, merged or not', async () => {
  const index = await indexOf(comments);
  await index.apply([indexing('p1', { comments: [{ author: 'cid' }] }), { kind: 'delete', id: 'p2' }]);
  for (const step of [() => index.refresh(), () => index.forceMerge()]) {
    await step();
    assert.deepEqual(found(index, annWith(1)), []);
    assert.deepEqual(
      found(index, {
        kind: 'nested',
        path: 'comments',
        query: { kind: 'term', field: 'comments.author', term: 'cid' },
      }),
      ['p1'],
    );
    assert.equal(index.stats().docs, 2);
  }
});

test('inner hits are the matching elements of one document, best first', async () => {
  const index = await indexOf(comments);
  const searcher = index.searcher();
  const place = searcher.find('p2')!;
  const hits = searcher.innerHits(
    { kind: 'number_range', field: 'comments.stars', from: 2 },
    'comments',
    place.segment,
    place.doc,
  );
  assert.deepEqual(
    hits.map((hit) => place.segment.nestedOffset(hit.doc)),
    [1],
  );
  assert.equal(place.segment.rootOf(hits[0]!.doc), place.doc);
  assert.equal(place.segment.parentOf(hits[0]!.doc), place.doc);
});

const phrase = (terms: string, slop = 0): Query => ({
  kind: 'phrase',
  field: 'text',
  slop,
  terms: terms.split(' ').map((term, position) => ({ position, terms: [term] })),
});

test('a phrase needs its terms in order and next to each other; slop lets them move', async () => {
  const index = await indexOf({
    exact: { text: 'x quick fox x' },
    gap: { text: 'quick brown fox' },
    swapped: { text: 'fox quick' },
    far: { text: 'quick a b c d e fox' },
  });
  assert.deepEqual(found(index, phrase('quick fox')), ['exact']);
  assert.deepEqual(found(index, phrase('quick fox', 1)), ['exact', 'gap']);
  assert.deepEqual(found(index, phrase('quick fox', 2)).sort(), ['exact', 'gap', 'swapped']);
  assert.deepEqual(found(index, phrase('quick fox', 5)).sort(), ['exact', 'far', 'gap', 'swapped']);
});

test('a repeated term of a sloppy phrase needs as many occurrences', async () => {
  const index = await indexOf({ once: { text: 'to be or not' }, twice: { text: 'to be or not to be' } });
  assert.deepEqual(found(index, phrase('to be to be', 4)), ['twice']);
  assert.deepEqual(found(index, phrase('be be', 10)), ['twice']);
});

test('a phrase is found behind 65,535 words, too, also once its segment is merged', async () => {
  const index = await indexOf({
    long: { text: `${'a '.repeat(70_000)}quick fox` },
    short: { text: 'quick brown fox' },
  });
  assert.deepEqual(found(index, phrase('quick fox')), ['long']);
  await index.apply([indexing('other', { text: 'fox quick' })]);
  await index.forceMerge();
  assert.deepEqual(found(index, phrase('quick fox')), ['long']);
  assert.deepEqual(found(index, phrase('brown fox')), ['short']);
});

test('values of one field are far enough apart that no phrase crosses from one to the next', async () => {
  const index = await createTestIndex();
  await index.apply([
    { kind: 'index', id: 'a', source: new TextEncoder().encode('{"text":["one two","three four"]}') },
  ]);
  await index.refresh();
  assert.deepEqual(found(index, phrase('two three')), []);
  assert.deepEqual(found(index, phrase('two three', 100)), ['a']);
});

test('functions change the score by their modes', async () => {
  const index = await indexOf({ a: { n: 4, tag: 'x' }, b: { n: 9 }, c: {} });
  const query = (more: Partial<Extract<Query, { kind: 'function_score' }>>): Query => ({
    kind: 'function_score',
    query: { kind: 'match_all', boost: 2 },
    functions: [
      { function: { kind: 'field_value_factor', field: 'n', modifier: 'sqrt', missing: 1 } },
      { filter: { kind: 'term', field: 'tag', term: 'x' }, weight: 10 },
    ],
    ...more,
  });
  assert.deepEqual(scores(index, query({})), { a: 40, b: 6, c: 2 });
  assert.deepEqual(scores(index, query({ scoreMode: 'sum' })), { a: 24, b: 6, c: 2 });
  assert.deepEqual(scores(index, query({ scoreMode: 'max', boostMode: 'replace' })), { a: 10, b: 3, c: 1 });
  assert.deepEqual(scores(index, query({ scoreMode: 'first', boostMode: 'sum' })), { b: 5, a: 4, c: 3 });
  assert.deepEqual(scores(index, query({ boostMode: 'replace', maxBoost: 5 })), { a: 5, b: 3, c: 1 });
  assert.deepEqual(scores(index, query({ minScore: 6 })), { a: 40, b: 6 });
});

test('a decay falls to its value at the scale, beyond the offset', async () => {
  const index = await indexOf({ at: { n: 100 }, near: { n: 110 }, edge: { n: 120 }, none: {} });
  for (const shape of ['gauss', 'exp', 'linear'] as const) {
    const result = scores(index, {
      kind: 'function_score',
      query: { kind: 'match_all' },
      functions: [{ function: { kind: 'decay', shape, field: 'n', origin: 100, offset: 10, scale: 10, decay: 0.25 } }],
    });
    assert.deepEqual(result, { at: 1, near: 1, none: 1, edge: 0.25 }, shape);
  }
});

test('a function that needs a value which is missing, or gives a negative score, is refused', async () => {
  const index = await indexOf({ a: { n: -4 }, b: {} });
  const codeOf = (modifier: 'none' | 'sqrt', query: Query): string => {
    try {
      found(index, {
        kind: 'function_score',
        query,
        functions: [{ function: { kind: 'field_value_factor', field: 'n', modifier } }],
      });
      return 'none';
    } catch (error) {
      return isProductError(error) ? error.code : 'other';
    }
  };
  assert.equal(codeOf('none', { kind: 'ids', ids: ['b'] }), 'SEARCH_MISSING_VALUE');
  assert.equal(codeOf('none', { kind: 'ids', ids: ['a'] }), 'SEARCH_NEGATIVE_FACTOR');
  assert.equal(codeOf('sqrt', { kind: 'ids', ids: ['a'] }), 'SEARCH_BAD_SCORE');
});

test('places are found by distance and by boxes, across the date line too', async () => {
  const index = await indexOf({
    berlin: { place: { lat: 52.52, lon: 13.405 } },
    potsdam: { place: { lat: 52.39, lon: 13.065 } },
    fiji: { place: { lat: -17.7, lon: 178 } },
    samoa: { place: { lat: -13.8, lon: -172 } },
  });
  const within = (metres: number): Query => ({ kind: 'geo_distance', field: 'place', lat: 52.52, lon: 13.405, metres });
  assert.deepEqual(found(index, within(1000)), ['berlin']);
  assert.deepEqual(found(index, within(30_000)), ['berlin', 'potsdam']);
  assert.deepEqual(found(index, { kind: 'geo_box', field: 'place', top: 0, bottom: -30, left: 170, right: -170 }), [
    'fiji',
    'samoa',
  ]);
  assert.deepEqual(found(index, { kind: 'geo_box', field: 'place', top: 53, bottom: 52.4, left: 13, right: 14 }), [
    'berlin',
  ]);
});

test('the names of the parts that match are reported', async () => {
  const index = await indexOf({ a: { text: 'x y' }, b: { text: 'x' } });
  const query: Query = {
    kind: 'boolean',
    should: [
      { kind: 'term', field: 'text', term: 'x', name: 'has x' },
      { kind: 'term', field: 'text', term: 'y', name: 'has y' },
    ],
    name: 'any',
  };
  const searcher = index.searcher();
  const names = (id: string): readonly string[] => {
    const place = searcher.find(id)!;
    return searcher.matchedNames(query, place.segment, place.doc);
  };
  assert.deepEqual(names('a'), ['any', 'has x', 'has y']);
  assert.deepEqual(names('b'), ['any', 'has x']);
});

test("limits on clauses, terms and depth answer with Elasticsearch's words", async () => {
  const index = await createTestIndex({ maxTermsCount: 10 });
  const refuse = (query: Query, code: string): void =>
    assert.throws(
      () => index.searcher().search({ query }),
      (error) => isProductError(error) && error.code === code && error.status === 400,
    );
  const term: Query = { kind: 'term', field: 'text', term: 'x' };
  refuse({ kind: 'boolean', should: Array.from({ length: 1025 }, () => term) }, 'SEARCH_TOO_MANY_CLAUSES');
  refuse({ kind: 'terms', field: 'tag', terms: Array.from({ length: 11 }, String) }, 'SEARCH_TOO_MANY_TERMS');
  let deep: Query = term;
  for (let i = 0; i < 200; i++) deep = { kind: 'boolean', must: [deep] };
  refuse(deep, 'SEARCH_QUERY_TOO_DEEP');
});

test('under a view, elements of invisible documents are neither found nor counted in scores', async () => {
  const bodies = {
    a: { tag: 'mine', comments: [{ text: 'good' }, { text: 'good enough' }] },
    b: { tag: 'yours', comments: [{ text: 'good' }, { text: 'bad' }, { text: 'bad' }] },
    c: { tag: 'mine', comments: [{ text: 'bad' }] },
  };
  const whole = await indexOf(bodies);
  const part = await indexOf({ a: bodies.a, c: bodies.c });
  const view: Query = { kind: 'term', field: 'tag', term: 'mine' };
  for (const term of ['good', 'bad', 'enough']) {
    const query: Query = { kind: 'nested', path: 'comments', query: { kind: 'term', field: 'comments.text', term } };
    const show = (index: Index, under?: Query): unknown =>
      index
        .searcher()
        .search({ query, view: under })
        .hits.map((hit) => [hit.id, hit.score]);
    assert.deepEqual(show(whole, view), show(part));
    assert.equal(whole.searcher().docCount(view), 2);
  }
});

test('1.1 queries find inputs of completion fields, of several words too, and score them by how rare they are', async () => {
  const ask = await startRest();
  await ask('PUT /c', { mappings: { properties: { start: { type: 'completion' } } } });
  await ask('PUT /c/_doc/0', { start: 'rex' });
  await ask('PUT /c/_doc/1', { start: { input: ['rex'], weight: 7 } });
  await ask('PUT /c/_doc/2?refresh=true', { start: 'red fox' });
  const found = async (query: object): Promise<unknown> => {
    const { hits } = (await ask('POST /c/_search', { query })).json.hits;
    return hits.map((hit: { _id: string; _score: number }) => [hit._id, hit._score]);
  };
  const rare = 0.9808291;
  const usual = 0.4700036;
  const both = [
    ['0', usual],
    ['1', usual],
  ];
  assert.deepEqual(await found({ term: { start: 'rex' } }), both);
  assert.deepEqual(await found({ match: { start: 'Rex' } }), both);
  assert.deepEqual(await found({ match: { start: 'red fox' } }), [['2', rare]]);
  assert.deepEqual(await found({ term: { start: 'red fox' } }), []);
  assert.deepEqual(await found({ terms: { start: ['rex', 'x'] } }), [
    ['0', 1],
    ['1', 1],
  ]);
  // As in Elasticsearch, they are neither begun nor spelt otherwise.
  for (const query of [{ match_bool_prefix: { start: 're' } }, { match: { start: { query: 'rex', fuzziness: 1 } } }])
    assert.match((await ask('POST /c/_search', { query })).text, /Can only use (?:prefix|fuzzy) queries on/);
});

test('1.1 a completion with more inputs scores lower', async () => {
  const ask = await startRest();
  await ask('PUT /c', { mappings: { properties: { start: { type: 'completion' } } } });
  await ask('PUT /c/_doc/0', { start: ['rex', 'dog', 'red fox'] });
  await ask('PUT /c/_doc/1?refresh=true', { start: 'rex' });
  const { hits } = (await ask('POST /c/_search', { query: { match: { start: 'rex' } } })).json.hits;
  assert.deepEqual(
    hits.map((hit: { _id: string; _score: number }) => [hit._id, hit._score]),
    [
      ['1', 0.22920428],
      ['0', 0.15136129],
    ],
  );
});
