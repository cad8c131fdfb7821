// Prefixes of fields that are searched as people type, with the answers of Elasticsearch 7.10.2.
import { deepEqual } from 'node:assert/strict';
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
