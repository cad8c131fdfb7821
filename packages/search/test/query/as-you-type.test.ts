// Prefixes of fields that are searched as people type, with the answers of Elasticsearch 7.10.2.
import { deepEqual, match } from 'node:assert/strict';
import { test } from 'node:test';
import { ids, load, startRest } from '../rest/harness.ts';

test('a prefix on search_as_you_type is words in a row, the last of them begun', async () => {
  const ask = await startRest();
  await ask('PUT /s', { mappings: { properties: { s: { type: 'search_as_you_type' } } } });
  const texts = ['quick brown fox', 'quick fox', 'brown bear quick', 'the quick brown fox jumps', 'qu br', 'Quick'];
  await load(
    ask,
    's',
    texts.map((s) => ({ s })),
  );
  const found = async (field: string, prefix: string) =>
    ids(await ask('POST /s/_search', { query: { prefix: { [field]: prefix } } })).sort();
  deepEqual(await found('s', 'quick b'), ['1', '4']);
  deepEqual(await found('s', 'quick brown fox'), ['1', '4']);
  deepEqual(await found('s', 'brown fox j'), ['4']);
  deepEqual(await found('s', 'quick brown fox j'), []);
  deepEqual(await found('s', 'qu'), ['1', '2', '3', '4', '5', '6']);
  deepEqual(await found('s._2gram', 'quick'), ['1', '2', '3', '4', '6']);
  deepEqual(await found('s._2gram', 'quick brown fox'), ['1', '4']);
  deepEqual(await found('s._3gram', 'q'), ['1', '2', '3', '4', '5', '6']);
});

test('beginnings of words in a row are terms of `_index_prefix`, with scores of their own', async () => {
  const ask = await startRest();
  await ask('PUT /s', { mappings: { properties: { t: { type: 'search_as_you_type' }, k: { type: 'keyword' } } } });
  const texts = ['quick brown fox jumps', 'brown fox', 'fox', 'foxy lady a', 'the'];
  await load(
    ask,
    's',
    [...texts, ['internationalization specification of', 'fox fox']].map((t) => ({ t })),
  );
  const scores = async (query: object): Promise<unknown> => {
    const { hits } = (await ask('POST /s/_search', { query })).json.hits;
    return hits.map(({ _id, _score }: { _id: string; _score: number }) => [_id, _score]);
  };
  const twice = (score: number): unknown => [
    ['1', score],
    ['2', score],
  ];
  deepEqual(await scores({ prefix: { 't._3gram': 'brown f' } }), twice(1));
  deepEqual(await scores({ prefix: { 't._index_prefix': 'brown f' } }), twice(1.694864));
  deepEqual(await scores({ span_term: { 't._index_prefix': 'bro' } }), twice(1.694864));
  deepEqual(await scores({ match_phrase_prefix: { t: 'brown fo' } }), twice(1.694864));
  deepEqual(await scores({ match_phrase_prefix: { t: 'quick brown fox j' } }), [['1', 1.6285465]]);
  deepEqual(await scores({ match_phrase: { t: 'brown fox' } }), [
    ['2', 0.89701396],
    ['1', 0.60996956],
  ]);
  const fields = ['t', 't._2gram', 't._3gram'];
  deepEqual(await scores({ multi_match: { query: 'brown fox', type: 'cross_fields', fields } }), [
    ['2', 0.89701396],
    ['1', 0.60996956],
  ]);
  const reply = await ask('POST /s/_search', { fields: ['t._i*'], query: { ids: { values: ['2'] } } });
  deepEqual(reply.json.hits.hits[0].fields, { 't._index_prefix': ['brown fox'] });
  const refused = async (query: object): Promise<string> => (await ask('POST /s/_search', { query })).text;
  match(await refused({ match_phrase: { 't._index_prefix': 'a b' } }), /Can only use phrase queries on text fields/);
  match(await refused({ intervals: { 't._2gram': { match: { query: 'a' } } } }), /Can only use interval queries/);
  match(await refused({ exists: { field: 't.*' } }), /Cannot run exists query on \[t\._index_prefix\]/);
});
