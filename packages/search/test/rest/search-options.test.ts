// Options of searches that change what hits show and how they are ordered, or are refused by name.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, load, startRest } from './harness.ts';

async function filled(): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /t', {
    settings: { number_of_replicas: 0 },
    mappings: {
      properties: {
        n: { type: 'integer' },
        d: { type: 'date' },
        ip: { type: 'ip' },
        tag: { type: 'keyword' },
        place: { type: 'geo_point' },
        items: { type: 'nested', properties: { n: { type: 'integer' }, t: { type: 'text' } } },
      },
    },
  });
  await load(ask, 't', [
    {
      n: 1,
      text: 'The quick fox. A lazy dog sleeps',
      items: [
        { n: 7, t: 'fox' },
        { n: 9, t: 'fox fox' },
      ],
      ip: '10.0.0.1',
    },
    { n: 20, text: 'fox', items: [{ n: 3, t: 'fox' }] },
    { n: 300, text: 'dogs', tag: 'a', d: '2020-01-01' },
  ]);
  return ask;
}

test('hits of a bucket are explained and scored where they are asked to be', async () => {
  const ask = await filled();
  const top = async (definition: object) =>
    (await ask('POST /t/_search', { query: { match: { text: 'fox' } }, aggs: { x: { top_hits: definition } } })).json
      .aggregations.x.hits;
  const explained = await top({ explain: true, size: 1 });
  equal(explained.hits[0]._explanation.value, explained.hits[0]._score);
  const sorted = await top({ sort: ['n'] });
  deepEqual([sorted.max_score, sorted.hits[0]._score], [null, null]);
  const scored = await top({ sort: ['n'], track_scores: true });
  ok(scored.hits[0]._score > 0 && scored.max_score >= scored.hits[0]._score);
});

test('inner hits show the columns of their element, and the sequence number of its document', async () => {
  const ask = await filled();
  const inner = (more: object) => ({
    query: { nested: { path: 'items', query: { match: { 'items.t': 'fox' } }, inner_hits: more } },
    sort: ['n'],
  });
  const found = await ask(
    'POST /t/_search',
    inner({ docvalue_fields: ['items.n', '_seq_no'], sort: ['items.n'], track_scores: true }),
  );
  const { hits, max_score } = found.json.hits.hits[0].inner_hits.items.hits;
  const [first, second] = hits;
  deepEqual(
    [first.fields, second.fields],
    [
      { 'items.n': [7], _seq_no: [0] },
      { 'items.n': [9], _seq_no: [0] },
    ],
  );
  // Of sorted hits the best score is told alone.
  ok(max_score > 0);
  equal(first._score, null);
});

test('numbers are shown in the format of their sort, and fields that are nowhere stored are refused', async () => {
  const ask = await filled();
  const sorted = await ask('POST /t/_search', { sort: [{ n: { format: '0000' } }], size: 1 });
  deepEqual(sorted.json.hits.hits[0].sort, ['0001']);
  const after = await ask('POST /t/_search', { sort: [{ n: { format: '0000' } }], size: 1, search_after: ['0001'] });
  deepEqual(after.json.hits.hits[0].sort, ['0020']);
  await ask('PUT /nosource', { mappings: { _source: { enabled: false } } });
  const refused = await ask('POST /nosource/_search', { fields: ['a'] });
  equal(refused.status, 400);
  match(
    refused.text,
    /Unable to retrieve the requested \[fields\] since _source is disabled in the mappings for index \[nosource\]/,
  );
});

test('fragments are words with the word scanner', async () => {
  const ask = await filled();
  const marked = async (options: object) =>
    (
      await ask('POST /t/_search', {
        query: { match: { text: 'fox dog' } },
        sort: ['n'],
        highlight: { fields: { text: options } },
      })
    ).json.hits?.hits[0].highlight.text;
  deepEqual(await marked({ boundary_scanner: 'word' }), ['<em>fox</em>', '<em>dog</em>']);
  deepEqual(await marked({ boundary_scanner: 'word', number_of_fragments: 1 }), ['<em>fox</em>']);
  const sentences = { boundary_scanner: 'sentence', fragment_size: 18, boundary_scanner_locale: 'en_US' };
  deepEqual(await marked(sentences), ['The quick <em>fox</em>.', 'A lazy <em>dog</em> sleeps']);
});

test('suggestions leave frequent words alone, and what is near enough is counted', async () => {
  const ask = await startRest();
  await load(ask, 't', [
    ...Array.from({ length: 30 }, () => ({ t: 'word' })),
    { t: 'sword' },
    { t: 'worm' },
    { t: 'worm' },
  ]);
  const options = async (text: string, definition: object) =>
    (
      await ask('POST /t/_search', { suggest: { s: { text, term: { field: 't', ...definition } } } })
    ).json.suggest.s[0].options.map((each: { text: string }) => each.text);
  deepEqual(await options('word', { suggest_mode: 'always' }), []);
  deepEqual(await options('word', { suggest_mode: 'always', max_term_freq: 50 }), ['worm']);
  deepEqual(await options('wort', { min_doc_freq: 2 }), ['word']);
  deepEqual(await options('wort', { min_doc_freq: 1 }), ['word', 'worm']);
  deepEqual(await options('wort', { shard_size: 1 }), ['word']);
  deepEqual(await options('WORD', { analyzer: 'whitespace' }), []);
});

test('a write that wants more copies than there are is refused, and creation says what it has', async () => {
  const ask = await startRest();
  const made = await ask('PUT /two?wait_for_active_shards=all');
  deepEqual([made.status, made.json.shards_acknowledged], [200, false]);
  equal(
    (await ask('PUT /one?wait_for_active_shards=all', { settings: { number_of_replicas: 0 } })).json
      .shards_acknowledged,
    true,
  );
  equal((await ask('PUT /one/_doc/1?wait_for_active_shards=all', { n: 1 })).status, 201);
  const refused = await ask('PUT /two/_doc/1?wait_for_active_shards=2', { n: 1 });
  deepEqual([refused.status, refused.json.error.type], [503, 'unavailable_shards_exception']);
  match(refused.text, /have 1, needed 2/);
  equal((await ask('PUT /two/_doc/1?wait_for_active_shards=7', { n: 1 })).status, 503);
  equal((await ask('PUT /two/_doc/1?wait_for_active_shards=-7', { n: 1 })).status, 400);
  equal((await ask('PUT /three?wait_for_active_shards=7')).status, 400);
  equal((await ask('HEAD /three')).status, 404);
  equal((await ask('GET /two/_doc/1')).status, 404);
});

test('what cannot be done is refused by name', async () => {
  const ask = await filled();
  const cases: readonly (readonly [object, RegExp])[] = [
    [
      { sort: [{ tag: { numeric_type: 'long' } }] },
      /\[numeric_type\] option cannot be set on a non-numeric field, got keyword/,
    ],
    [{ highlight: { fields: { text: { boundary_scanner: 'chars' } } } }, /Invalid boundary scanner type: chars/],
    [{ fields: [{ field: 'n', include_unmapped: true }] }, /unknown field \[include_unmapped\]/],
    [
      { aggs: { x: { terms: { field: 'ip', include: '10.*' } } } },
      /\[x\] cannot support regular expression style include\/exclude/,
    ],
    [
      { aggs: { x: { terms: { field: 'd', include: '20.*' } } } },
      /\[x\] cannot support regular expression style include\/exclude/,
    ],
  ];
  for (const [body, word] of cases) {
    const reply = await ask('POST /t/_search', body);
    equal(reply.status, 400, JSON.stringify(body));
    match(reply.text, word);
  }
});

test('an index is left out of field capabilities where mapping and dates rule the filter out', async () => {
  const ask = await startRest();
  const mappings = { properties: { k: { type: 'keyword' }, d: { type: 'date' }, n: { type: 'integer' } } };
  await ask('PUT /old', { mappings });
  await ask('PUT /new', { mappings: { properties: { ...mappings.properties, only: { type: 'keyword' } } } });
  await load(ask, 'old', [{ d: '2020-01-01', n: 1 }, { d: '2020-03-01' }]);
  await load(ask, 'new', [{ d: '2021-01-01', n: 9 }]);
  const found = async (index_filter: object) =>
    (await ask('POST /old,new/_field_caps?fields=d', { index_filter })).json.indices;
  deepEqual(await found({ range: { d: { gte: '2020-06-01' } } }), ['new']);
  deepEqual(await found({ range: { d: { gte: '2020-01-15', lt: '2020-01-20' } } }), ['old']);
  deepEqual(await found({ range: { d: { lt: '2020-01-01' } } }), []);
  deepEqual(await found({ range: { d: { gte: 'no date' } } }), []);
  // No other values are looked at.
  for (const query of [{ range: { n: { gte: 100 } } }, { term: { k: 'nobody' } }, { match: { n: 'x' } }])
    deepEqual(await found(query), ['new', 'old'], JSON.stringify(query));
  const [unmapped, none] = [{ term: { only: 'x' } }, { match_none: {} }];
  deepEqual(await found(unmapped), ['new']);
  deepEqual(await found({ exists: { field: 'only' } }), ['new']);
  deepEqual(await found({ term: { _index: 'o*' } }), ['old']);
  deepEqual(await found({ bool: { filter: unmapped, must_not: { match_all: {} } } }), ['new']);
  deepEqual(await found({ bool: { should: [unmapped, none] } }), ['new']);
  deepEqual(await found({ constant_score: { filter: none } }), []);
  deepEqual(await found({ dis_max: { queries: [none] } }), ['new', 'old']);
  equal((await ask('POST /old/_field_caps?fields=d', { index_filter: { nope: {} } })).status, 400);
});

test('field capabilities tell of metadata, and of counts of tokens as whole numbers', async () => {
  const ask = await startRest();
  await ask('PUT /m', { mappings: { properties: { c: { type: 'token_count', analyzer: 'standard' } } } });
  const { fields } = (await ask('GET /m/_field_caps?fields=*')).json;
  deepEqual(fields._seq_no, { _seq_no: { type: '_seq_no', searchable: true, aggregatable: true } });
  deepEqual(Object.keys(fields.c), ['integer']);
  deepEqual((await ask('GET /m/_mapping/field/_seq_no')).json.m.mappings._seq_no.full_name, '_seq_no');
});

test('field capabilities call every point searchable, and tell the meta of a field and not of its shingles', async () => {
  const ask = await startRest();
  const properties = {
    p: { type: 'geo_point', index: false },
    s: { type: 'search_as_you_type', meta: { unit: 'ms' } },
  };
  await ask('PUT /m', { mappings: { properties } });
  const { fields } = (await ask('GET /m/_field_caps?fields=p,s*')).json;
  deepEqual(fields.p.geo_point, { type: 'geo_point', searchable: true, aggregatable: true });
  deepEqual(fields.s.search_as_you_type.meta, { unit: ['ms'] });
  for (const beside of ['s._2gram', 's._index_prefix'])
    deepEqual(Object.keys(Object.values<object>(fields[beside])[0]!), ['type', 'searchable', 'aggregatable']);
});

test('a validation tells of each index why the query fails there', async () => {
  const ask = await startRest();
  await load(ask, 'numbers', [{ n: 1 }]);
  await load(ask, 'words', [{ n: 'one' }]);
  const { json } = await ask('POST /numbers,words/_validate/query?explain=true', { query: { term: { n: 'x' } } });
  const { valid, explanations } = json;
  equal(valid, false);
  deepEqual(
    explanations.map((each: { index: string; valid: boolean }) => [each.index, each.valid]),
    [
      ['numbers', false],
      ['words', true],
    ],
  );
  match(
    explanations[0].error,
    /^\[numbers\/[\w-]{22}\] QueryShardException\[failed to create query: For input string: "x"\]; nested: NumberFormatException\[For input string: "x"\];; java.lang.NumberFormatException: For input string: "x"$/,
  );
});

test('a query that cannot be read is invalid for no index, in the words of Elasticsearch', async () => {
  const ask = await startRest();
  await ask('PUT /v', { mappings: { properties: { n: { type: 'long' } } } });
  const validated = async (body: object, how = '?explain=true') =>
    (await ask(`POST /v/_validate/query${how}`, body)).json;
  deepEqual(await validated({ foo: 1 }), {
    valid: false,
    error: 'org.elasticsearch.common.ParsingException: request does not support [foo]',
  });
  deepEqual(await validated({ query: { nope: {} } }, ''), { valid: false });
});

test('a suggestion fails in the shard that lacks its field, and has no answer where there is no index', async () => {
  const ask = await startRest();
  await ask('PUT /v', { mappings: { properties: { n: { type: 'text' } } } });
  for (const kind of ['term', 'phrase', 'completion']) {
    const body = { suggest: { s: { text: 'x', [kind]: { field: 'absent' } } } };
    const { json } = await ask('POST /v/_search', body);
    deepEqual(
      [json.error.type, json.error.root_cause[0].reason],
      ['search_phase_execution_exception', 'no mapping found for field [absent]'],
    );
    const nowhere = await ask('POST /*,-v/_search', body);
    deepEqual([nowhere.status, nowhere.json.suggest], [200, undefined]);
  }
});

test('the least length of a term suggestion is that of the word given, and one edit is enough where it finds enough', async () => {
  const ask = await startRest();
  await ask('PUT /s', { mappings: { properties: { t: { type: 'text' } } } });
  await load(ask, 's', [{ t: 'red rex reds tree' }]);
  const options = async (term: object, text = 'redx'): Promise<unknown> => {
    const reply = await ask('POST /s/_search', { suggest: { s: { text, term: { field: 't', ...term } } } });
    return reply.json.suggest.s[0].options.map((each: { text: string; score: number }) => [each.text, each.score]);
  };
  deepEqual(await options({}), [
    ['reds', 0.75],
    ['red', 0.6666666],
    ['rex', 0.6666666],
  ]);
  deepEqual(await options({}, 'rdx'), []);
  deepEqual(await options({ min_word_length: 3 }, 'rdx'), [['rex', 0.6666666]]);
  deepEqual(await options({ accuracy: 0.7 }), [['reds', 0.75]]);
  equal('suggest' in (await ask('POST /s/_search', { suggest: {} })).json, false);
});

test('more_like_this with max_doc_freq 0 takes no words', async () => {
  const ask = await startRest();
  await load(ask, 's', [{ t: 'red fox' }]);
  const total = async (options: object): Promise<number> => {
    const query = { more_like_this: { fields: ['t'], like: 'red', min_term_freq: 1, min_doc_freq: 1, ...options } };
    return (await ask('POST /s/_search', { query })).json.hits.total.value;
  };
  equal(await total({ max_doc_freq: 0 }), 0);
  equal(await total({}), 1);
});

test('a preference for shards searches, counts and deletes in these alone', async () => {
  const ask = await filled();
  const hits = async (target: string) => (await ask(`POST ${target}`, {})).json;
  const none = { _shards: { total: 0, successful: 0, skipped: 0, failed: 0 }, total: { value: 0, relation: 'eq' } };
  for (const shards of ['1', '', '-1', '7,2|abc']) {
    const { _shards, hits: found } = await hits(`/t/_search?preference=_shards:${shards}`);
    deepEqual({ _shards, total: found.total }, none, shards);
  }
  equal((await hits('/t/_search?preference=_shards:0,3')).hits.total.value, 3);
  deepEqual(await hits('/t/_count?preference=_shards:3'), { count: 0, _shards: none._shards });
  deepEqual((await hits('/t/_search_shards?preference=_shards:1')).shards, []);
  const all = { query: { match_all: {} } };
  equal((await ask('POST /t/_delete_by_query?preference=_shards:1', all)).json.deleted, 0);
  await ask('PUT /two', { settings: { number_of_shards: 2 } });
  await load(ask, 'two', [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }, { n: 5 }]);
  const [zero, one] = await Promise.all(
    [0, 1].map(async (shard) => (await hits(`/two/_count?preference=_shards:${shard}`)).count as number),
  );
  ok(zero! > 0 && one! > 0);
  equal(zero! + one!, 5);
});
