// Options of queries that decide which documents match, or how they score.
import { deepEqual, equal, match, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, ids, load, startRest } from '../rest/harness.ts';

async function filled(): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: { properties: { n: { type: 'integer' }, d: { type: 'date' }, t: { type: 'text' } } },
  });
  await load(ask, 't', [
    { n: 1, d: '2020-01-01', t: 'the quick brown fox' },
    { n: 2, d: '2020-01-02', t: 'fox' },
    { n: 3, d: '2020-01-03', t: 'a fix and a fax' },
    { n: 4, d: '2020-01-04', t: 'fix for all' },
  ]);
  return ask;
}

const found = async (ask: Ask, query: object) => ids(await ask('POST /t/_search', { query })).sort();
const scores = async (ask: Ask, query: object): Promise<number[]> =>
  (await ask('POST /t/_search', { query, sort: ['n'], track_scores: true })).json.hits.hits.map(
    (hit: { _score: number }) => hit._score,
  );

test('of members of a range that say the same the last one counts', async () => {
  const ask = await filled();
  deepEqual(await found(ask, { range: { n: { gte: 2, include_lower: false } } }), ['3', '4']);
  deepEqual(await found(ask, { range: { n: { gte: 1, from: 3 } } }), ['3', '4']);
  deepEqual(await found(ask, { range: { n: { from: 3, gte: 1 } } }), ['1', '2', '3', '4']);
  deepEqual(await found(ask, { range: { n: { to: 2, include_upper: false } } }), ['1']);
  deepEqual(await found(ask, { range: { n: { gt: 1, gte: null, lt: 3 } } }), ['1', '2']);
  deepEqual(await found(ask, { range: { d: { gt: '2020-01-01', lte: '2020-01-03' } } }), ['2', '3']);
});

test('only exclusions match nothing without adjust_pure_negative', async () => {
  const ask = await filled();
  const query = { must_not: [{ term: { n: 1 } }] };
  deepEqual(await found(ask, { bool: query }), ['2', '3', '4']);
  deepEqual(await found(ask, { bool: { ...query, adjust_pure_negative: false } }), []);
});

test('words near a word score as rewrite says', async () => {
  const ask = await filled();
  const fuzzy = (rewrite?: string) => ({
    match: { t: { query: 'fox', fuzziness: 1, ...(rewrite === undefined ? {} : { fuzzy_rewrite: rewrite }) } },
  });
  deepEqual(await scores(ask, fuzzy('constant_score')), [1, 1, 1, 1]);
  // fix is in two documents, fox in two, fax in one: blended, all count as being in two.
  const blended = await scores(ask, fuzzy('top_terms_blended_freqs_50'));
  deepEqual(blended, await scores(ask, fuzzy()));
  const own = await scores(ask, fuzzy('scoring_boolean'));
  equal(own[0], blended[0]);
  notEqual(own[2], blended[2]);
  deepEqual(await found(ask, fuzzy('top_terms_1')), ['1', '2']);
  const boosts = await scores(ask, fuzzy('top_terms_boost_2'));
  deepEqual([boosts[0], boosts.at(-1)! < 1], [1, true]);
  deepEqual(await scores(ask, { fuzzy: { t: { value: 'fox', rewrite: 'constant_score' } } }), [1, 1, 1, 1]);
  // Elasticsearch reads it in a query string, and scores as without it.
  const near = { query: 't:fox~1' };
  deepEqual(
    await scores(ask, { query_string: { ...near, fuzzy_rewrite: 'constant_score' } }),
    await scores(ask, { query_string: near }),
  );
});

test('swapped letters are two edits for query strings without fuzzy_transpositions', async () => {
  const ask = await filled();
  for (const type of ['query_string', 'simple_query_string']) {
    const query = { query: 'ofx~1', fields: ['t'] };
    deepEqual(await found(ask, { [type]: query }), ['1', '2'], type);
    deepEqual(await found(ask, { [type]: { ...query, fuzzy_transpositions: false } }), [], type);
  }
});

test('options that say nothing to a query are refused by name', async () => {
  const ask = await filled();
  for (const [query, word] of [
    [{ prefix: { t: { value: 'f', max_determinized_states: 3 } } }, /\[prefix\].*\[max_determinized_states\]/],
    [{ query_string: { query: 't:/f(o|i)x.*/', max_determinized_states: 1 } }, /Determinizing/],
    [{ geo_distance: { distance: '1km', n: '1,1', validation_method: 'x' } }, /operator needs to be either/],
    [
      { multi_match: { query: 'a', fields: ['t'], type: 'bool_prefix', cutoff_frequency: 1 } },
      /\[cutoff_frequency\] not allowed for type \[bool_prefix\]/,
    ],
  ] as const) {
    const reply = await ask('POST /t/_search', { query });
    equal(reply.status, 400, JSON.stringify(query));
    match(reply.text, word);
  }
});

test('a point beyond the globe is brought back by validation_method COERCE and refused by the others', async () => {
  const ask = await startRest();
  await ask('PUT /globe', { mappings: { properties: { g: { type: 'geo_point' } } } });
  await ask('PUT /globe/_doc/1?refresh', { g: '0,-170' });
  const total = async (type: string, body: object, validation_method: string): Promise<unknown> => {
    const { json } = await ask('GET /globe/_search', { query: { [type]: { ...body, validation_method } } });
    return json.hits?.total.value ?? json.error.root_cause[0].reason;
  };
  const box = { g: { top_left: '10,185', bottom_right: '-10,195' } };
  const polygon = { g: { points: ['10,185', '10,195', '-10,195', '-10,185'] } };
  const distance = { g: { lat: 0, lon: 190 }, distance: '1km' };
  for (const [type, body] of [
    ['geo_distance', distance],
    ['geo_bounding_box', box],
    ['geo_polygon', polygon],
  ] as const) {
    equal(await total(type, body, 'COERCE'), 1, type);
    match(String(await total(type, body, 'IGNORE_MALFORMED')), /invalid longitude 1\d\d\.0; must be between/);
    match(String(await total(type, body, 'STRICT')), /illegal longitude value|couldn't validate latitude/);
  }
  const around = { g: { top_left: '10,0', bottom_right: '-10,360' } };
  equal(await total('geo_bounding_box', around, 'COERCE'), 1);
});
