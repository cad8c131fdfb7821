import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { load, startRest } from './harness.ts';

test('queries that may take long are refused by their kind where the cluster does not allow them, and no others', async () => {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: {
      properties: {
        text: { type: 'text', fields: { raw: { type: 'keyword' } } },
        n: { type: 'long' },
        items: { type: 'nested' },
      },
    },
  });
  await load(ask, 't', [{ text: 'cold outside', n: 1, items: [{ a: 'b' }] }]);
  await ask('PUT /_cluster/settings', { transient: { 'search.allow_expensive_queries': 'false' } });
  const refused: readonly (readonly [object, RegExp])[] = [
    [{ prefix: { text: 'out' } }, /\[prefix\] queries cannot be executed when .*please enable \[index_prefixes\]/],
    [{ fuzzy: { text: 'outwide' } }, /\[fuzzy\] queries cannot/],
    [{ match: { text: { query: 'outwide', fuzziness: 1 } } }, /\[fuzzy\] queries cannot/],
    [{ match_bool_prefix: { text: 'cold out' } }, /\[prefix\] queries cannot/],
    [{ regexp: { text: '.*ou.*' } }, /\[regexp\] queries cannot/],
    [{ wildcard: { 'text.raw': 'out?ide' } }, /\[wildcard\] queries cannot/],
    [{ query_string: { query: 'out*', fields: ['text'] } }, /\[prefix\] queries cannot/],
    [{ range: { text: { gte: 'a' } } }, /\[range\] queries on \[text\] or \[keyword\] fields cannot/],
    [{ range: { 'text.raw': { gte: 'a' } } }, /\[range\] queries on \[text\] or \[keyword\] fields cannot/],
    [{ nested: { path: 'items', query: { match_all: {} } } }, /\[joining\] queries cannot/],
  ];
  for (const [query, reason] of refused) {
    const reply = await ask('POST /t/_search', { query });
    equal(reply.status, 400, reply.text);
    equal(reply.json.error.type, 'search_phase_execution_exception');
    equal(reply.json.error.root_cause[0].type, 'exception');
    match(reply.json.error.root_cause[0].reason, reason);
  }
  for (const query of [
    { match: { text: 'cold' } },
    { range: { n: { gte: 0 } } },
    { match_phrase: { text: 'cold outside' } },
  ])
    equal((await ask('POST /t/_search', { query })).json.hits.total.value, 1);
  await ask('PUT /_cluster/settings', { transient: { 'search.allow_expensive_queries': null } });
  for (const [query] of refused) equal((await ask('POST /t/_search', { query })).status, 200);
});

test('a member of an analyzer, a tokenizer or a filter that nothing reads is refused by name', async () => {
  const ask = await startRest();
  const parts: readonly (readonly [object, RegExp])[] = [
    [
      { analyzer: { x: { tokenizer: 'standard', filters: ['lowercase'] } } },
      /\[filters\] of the analyzer \[x\].*did you mean \[filter\]/,
    ],
    [{ analyzer: { x: { type: 'standard', stopword: '_english_' } } }, /\[stopword\] of the analyzer \[x\]/],
    [
      { filter: { y: { type: 'stop', stop_words: ['a'] } }, analyzer: { x: { tokenizer: 'standard', filter: ['y'] } } },
      /\[stop_words\] of the filter \[y\].*did you mean \[stopwords\]/,
    ],
    [
      { tokenizer: { y: { type: 'ngram', min: 1 } }, analyzer: { x: { tokenizer: 'y' } } },
      /\[min\] of the tokenizer \[y\]/,
    ],
    [
      {
        char_filter: { y: { type: 'mapping', map: [] } },
        analyzer: { x: { tokenizer: 'standard', char_filter: ['y'] } },
      },
      /mapping|\[map\]/,
    ],
    [{ normalizer: { x: { filters: ['lowercase'] } } }, /\[filters\] of the normalizer \[x\]/],
  ];
  for (const [analysis, reason] of parts) {
    const reply = await ask('PUT /t', { settings: { analysis } });
    equal(reply.status, 400, reply.text);
    match(reply.text, reason);
  }
});

test('documents of an index whose reads are blocked are neither found nor got, while it is written', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ n: 1 }]);
  await ask('PUT /t/_settings', { 'index.blocks.read': true });
  for (const target of [
    'GET /t/_search',
    'GET /t/_count',
    'GET /t/_doc/1',
    'GET /t/_source/1',
    'POST /t/_explain/1?q=*',
    'GET /_search',
  ]) {
    const reply = await ask(target);
    equal(reply.status, 403, `${target}: ${reply.text}`);
    match(reply.text, /cluster_block_exception.*index \[t\] blocked by: \[FORBIDDEN\/7\/index read \(api\)\]/);
  }
  equal((await ask('PUT /t/_doc/2', { n: 2 })).status, 201);
  await ask('PUT /t/_settings', { 'index.blocks.read': false });
  equal((await ask('GET /t/_count?q=*')).status, 200);
});
