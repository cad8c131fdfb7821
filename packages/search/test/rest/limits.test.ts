import { equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine, createRestApi, type RestOptions } from '@lockstitch/search';
import { type Ask, load, type Reply, startRest } from './harness.ts';

/** Asks of an API made with options. */
async function startWith(options: RestOptions): Promise<Ask> {
  const rest = createRestApi(await createEngine(), options);
  return startRest(rest);
}

function refused(reply: Reply, type: string, reason: RegExp): void {
  equal(reply.status, 400, reply.text);
  const { error } = reply.json;
  const inner = error.failed_shards?.[0]?.reason ?? error;
  equal(inner.type, type, reply.text);
  match(inner.reason, reason);
}

async function startWords(options: RestOptions = {}): Promise<Ask> {
  const ask = await startWith(options);
  await load(
    ask,
    'words',
    Array.from({ length: 50 }, (_, at) => ({ text: `word${at} common`, number: at })),
  );
  return ask;
}

test('a query has 1,024 words at most, however they are spread over its clauses', async () => {
  const ask = await startWords();
  const many = (count: number, query: unknown): unknown => ({
    query: { bool: { should: Array.from({ length: count }, () => query) } },
  });
  const of = async (body: unknown): Promise<Reply> => ask('POST /words/_search', body);
  equal((await of(many(256, { match: { text: 'a b c d' } }))).status, 200);
  refused(
    await of(many(257, { match: { text: 'a b c d' } })),
    'query_shard_exception',
    /maxClauseCount is set to 1024/,
  );
  refused(
    await of({ query: { query_string: { query: '*x* '.repeat(1025), default_field: 'text' } } }),
    'query_shard_exception',
    /1024/,
  );
  refused(
    await of({ query: { simple_query_string: { query: 'x* '.repeat(1025), fields: ['text'] } } }),
    'query_shard_exception',
    /1024/,
  );
  // Leniency is about values, not about size: all fields are asked leniently.
  refused(await of({ query: { query_string: { query: 'x '.repeat(1025) } } }), 'query_shard_exception', /1024/);
  refused(await of({ query: { match_phrase: { text: 'x '.repeat(60_000) } } }), 'query_shard_exception', /1024/);
  const cross = { multi_match: { query: 'x '.repeat(1025), fields: ['text'], type: 'cross_fields' } };
  refused(await of({ query: cross }), 'query_shard_exception', /1024/);
});

test('date math has 100 steps at most, which each may ask for the clock of a zone', async () => {
  const ask = await startWith({});
  await ask('PUT /t/_doc/1?refresh=true', { at: '2020-01-01' });
  const of = (steps: number): Promise<Reply> =>
    ask('POST /t/_search', { query: { range: { at: { lte: `now${'+1d'.repeat(steps)}` } } } });
  equal((await of(100)).json.hits.total.value, 1);
  refused(await of(101), 'query_shard_exception', /date math of more than 100 steps/);
});

test('the patterns of a request share a number of terms that they may visit', async () => {
  const ask = await startWords({ maxVisitedTerms: 200 });
  const search = async (count: number): Promise<Reply> =>
    ask('POST /words/_search', { query: { query_string: { query: '*ord1* '.repeat(count), default_field: 'text' } } });
  equal((await search(2)).json.hits.total.value, 11);
  refused(await search(10), 'too_many_clauses', /visit more than 200 terms/);
});

test('a request has 200 aggregations at most, those inside of others and filters included', async () => {
  const ask = await startWords();
  const siblings = (count: number): Record<string, unknown> =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, { terms: { field: 'number' } }]));
  const search = async (aggs: unknown): Promise<Reply> => ask('POST /words/_search', { size: 0, aggs });
  equal((await search(siblings(200))).status, 200);
  refused(
    await search(siblings(201)),
    'illegal_argument_exception',
    /at most \[200\] are allowed but there were \[201\]/,
  );
  const inner = { outer: { terms: { field: 'number' }, aggs: siblings(200) } };
  refused(await search(inner), 'illegal_argument_exception', /\[201\]/);
  const filters = Array.from({ length: 200 }, () => ({ match_all: {} }));
  refused(await search({ f: { filters: { filters } } }), 'illegal_argument_exception', /\[201\]/);
  const fewer = await startWith({ maxAggregations: 1 });
  refused(await fewer('POST /_search', { aggs: siblings(2) }), 'illegal_argument_exception', /\[1\]/);
});

test('buckets are counted over all aggregations of a request', async () => {
  const ask = await startWords();
  await ask('PUT /_cluster/settings', { transient: { 'search.max_buckets': 120 } });
  const terms = { terms: { field: 'number', size: 50 } };
  equal((await ask('POST /words/_search', { aggs: { a: terms, b: terms } })).status, 200);
  const reply = await ask('POST /words/_search', { aggs: { a: terms, b: terms, c: terms } });
  match(reply.text, /too_many_buckets_exception/);
});

test('limits that hold for everybody are not changed by callers of a host that keeps indexes to itself', async () => {
  const ask = await startWords();
  const more = { readOnly: () => false };
  const change = { transient: { 'search.max_buckets': 1 } };
  equal((await ask('PUT /_cluster/settings', change, more)).status, 403);
  const aggs = { a: { terms: { field: 'number', size: 50 } } };
  equal((await ask('POST /words/_search', { aggs }, more)).status, 200);
});

test('hits show at most 100 listed fields, by 1,000 patterns of the source', async () => {
  const ask = await startWords();
  const list = (count: number): string[] => Array.from({ length: count }, (_, at) => `f${at}`);
  for (const key of ['docvalue_fields', 'fields', 'stored_fields']) {
    equal((await ask('POST /words/_search', { [key]: list(100) })).status, 200);
    refused(
      await ask('POST /words/_search', { [key]: list(101) }),
      'illegal_argument_exception',
      /Must be less than or equal to: \[100\] but was \[101\]/,
    );
  }
  equal((await ask('POST /words/_search', { _source: list(1000) })).status, 200);
  for (const source of [list(1001), { includes: list(600), excludes: list(600) }])
    refused(await ask('POST /words/_search', { _source: source }), 'illegal_argument_exception', /\[_source\]/);
  const highlight = (count: number): unknown => ({
    fields: Object.fromEntries(list(count).map((name) => [name, {}])),
  });
  equal((await ask('POST /words/_search', { highlight: highlight(1000) })).status, 200);
  refused(
    await ask('POST /words/_search', { highlight: highlight(1001) }),
    'illegal_argument_exception',
    /\[highlight\]/,
  );
});

test('a document with too many new fields is refused and leaves none behind', async () => {
  const ask = await startWords();
  const many = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`new${at}`, 1]));
  for (const document of [many, Object.fromEntries(Object.entries(many).slice(0, 998))]) {
    refused(
      await ask('PUT /words/_doc/x', document),
      'illegal_argument_exception',
      /Limit of total fields \[1000\] has been exceeded/,
    );
    const mapping = await ask('GET /words/_mapping');
    equal(Object.keys(mapping.json.words.mappings.properties).join(), 'number,text');
  }
  equal((await ask('PUT /words/_doc/x', { new1: 1 })).status, 201);
});

test('a search without time left is ended: with what it found, or an error when there is nothing to show', async () => {
  const common = { query: { match: { text: 'common' } } };
  const ended = (reply: Reply): void => refused(reply, 'timeout_exception', /took longer/);
  // Kept from threads: a search whose turn is over as well goes in line for one, however short it is.
  const ask = await startWords({ maxSearchTime: -1, maxTurn: Infinity });
  ended(await ask('POST /words/_search', common));
  ended(await ask('POST /words/_count', common));
  const facets = { size: 0, aggs: { n: { avg: { field: 'number' } } } };
  const counted = await ask('POST /words/_search', facets);
  equal(counted.json.timed_out, true);
  equal(counted.json.aggregations.n.value, null);
  // In line for a thread it has found nothing yet.
  const inThreads = await startWords({ maxSearchTime: -1, maxTurn: 0 });
  ended(await inThreads('POST /words/_search', facets));
  ended(await inThreads('POST /words/_count', common));
  const other = await startWords();
  const whole = await other('POST /words/_search', { timeout: '1h', query: { match: { text: 'common' } } });
  equal(whole.json.timed_out, false);
  ok(whole.json.hits.hits.length > 0);
});

test('an index kept by its host is not merged by others', async () => {
  const ask = await startWords();
  const more = { readOnly: (index: string) => index === 'words' };
  equal((await ask('POST /words/_forcemerge', undefined, more)).status, 403);
  equal((await ask('POST /words/_forcemerge')).status, 200);
});

test('an alias cannot have the name of an index', async () => {
  const ask = await startWords();
  refused(
    await ask('PUT /other', { aliases: { words: {} } }),
    'invalid_alias_name_exception',
    /an index exists with the same name as the alias/,
  );
  equal((await ask('HEAD /other')).status, 404);
});

test('searches of one request are answered in order, however many', async () => {
  const ask = await startWords();
  const lines = Array.from({ length: 100 }, (_, at) => [{ index: 'words' }, { query: { term: { number: at % 50 } } }]);
  const reply = await ask('POST /_msearch', lines.flat());
  const found = reply.json.responses.map((each: any) => Number(each.hits.hits[0]._id) - 1);
  equal(found.join(), Array.from({ length: 100 }, (_, at) => at % 50).join());
});

test('names with many stars are answered', async () => {
  const ask = await startWith({});
  const name = 'a'.repeat(200);
  await ask(`PUT /${name}`);
  await ask(`PUT /${name}/_doc/1?refresh=true`, { [name]: 1 });
  const stars = '*a'.repeat(50) + '*z';
  equal((await ask(`GET /${stars}/_count`)).json.count, 0);
  equal((await ask(`POST /${name}/_search?filter_path=hits.hits._source.${stars}`)).text, '{}');
  equal((await ask(`POST /${name}/_search?filter_path=${'**.'.repeat(3000)}z`)).text, '{}');
  equal(JSON.stringify((await ask(`GET /${name}/_doc/1?_source=${stars}`)).json._source), '{}');
  equal(JSON.stringify((await ask(`GET /${name}/_field_caps?fields=${stars}`)).json.fields), '{}');
});

test('hits are sorted by 32 keys at most', async () => {
  const ask = await startWords();
  const sorted = (count: number): Promise<Reply> =>
    ask('POST /words/_search', { sort: Array.from({ length: count }, () => ({ number: 'asc' })) });
  equal((await sorted(32)).status, 200);
  refused(
    await sorted(33),
    'illegal_argument_exception',
    /^Too many sort keys: \[33\] were given and \[32\] are the most/,
  );
});

test('a refused request on several indices leaves those it might change as they were', async () => {
  const ask = await startWords();
  await ask('PUT /zoo/_doc/1?refresh=true', { a: 1 });
  await ask('PUT /ant/_doc/1?refresh=true', { a: 1 });
  await ask('PUT /ant/_alias/kept');
  const before = (await ask('GET /ant,zoo')).text;
  const more = { readOnly: (index: string) => index === 'words' };
  for (const [target, body] of [
    ['POST /_all/_delete_by_query?refresh=true', { query: { match_all: {} } }],
    ['POST /*/_update_by_query', {}],
    ['PUT /_all/_alias/foo', {}],
    ['PUT /_settings', { 'index.max_result_window': 5 }],
    ['PUT /_all/_mapping', { properties: { x: { type: 'keyword' } } }],
    ['POST /_all/_close', undefined],
    ['DELETE /_all', undefined],
  ] as const) {
    equal((await ask(target, body, more)).status, 403, target);
    equal((await ask('GET /ant,zoo')).text, before, target);
    const document = (await ask('GET /ant/_doc/1')).json;
    equal(document.found, true, target);
    equal(document._version, 1, target);
  }
  await ask('PUT /words/_alias/kept');
  equal((await ask('DELETE /_all/_alias/kept', undefined, more)).status, 403);
  equal((await ask('HEAD /ant/_alias/kept')).status, 200);
});

test('_analyze shows 10,000 tokens at most, or what the index says, and does not make all of them to find out', async () => {
  const ask = await startRest();
  const many = 'word '.repeat(10_000);
  const reply = await ask('POST /_analyze', { text: many });
  equal(reply.json.tokens.length, 10_000, reply.text.slice(0, 200));
  for (const body of [
    { text: `${many} more` },
    { text: [many, 'more'] },
    { text: 'word '.repeat(4_000_000) },
    {
      text: many.repeat(2),
      tokenizer: 'whitespace',
      filter: ['lowercase', { type: 'limit', max_token_count: 1 }],
      explain: true,
    },
  ]) {
    const answer = await ask('POST /_analyze', body);
    equal(answer.status, 400, answer.text.slice(0, 200));
    match(answer.text, /exceeded the allowed maximum of \[10000\]/);
  }
  await ask('PUT /t', { settings: { 'index.analyze.max_token_count': 2 } });
  equal((await ask('POST /t/_analyze', { text: 'a b' })).status, 200);
  const few = await ask('POST /t/_analyze', { text: 'a b c' });
  match(few.text, /exceeded the allowed maximum of \[2\]/);
  const long = await ask('POST /_analyze', { text: 'x'.repeat(200_000), tokenizer: 'keyword' });
  equal(long.json.tokens.length, 1);
});

test('a request holds 1,000 searches at most', async () => {
  const ask = await startRest();
  await ask('PUT /t');
  const reply = await ask(
    'POST /t/_msearch',
    Array.from({ length: 2002 }, () => ({})),
  );
  equal(reply.status, 400);
  match(reply.text, /at most \[1000\] are allowed but there were \[1001\]/);
});
