import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, ids, load, startRest } from './harness.ts';

async function library(): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /books', {
    mappings: {
      properties: {
        title: { type: 'text' },
        tags: { type: 'keyword' },
        pages: { type: 'integer' },
        published: { type: 'date' },
        author: { properties: { name: { type: 'keyword' } } },
        notes: { type: 'nested', properties: { by: { type: 'keyword' }, stars: { type: 'integer' } } },
        place: { type: 'geo_point' },
        ip: { type: 'ip' },
        suggest: { type: 'completion' },
      },
    },
  });
  await load(ask, 'books', [
    {
      title: 'The quick brown fox',
      tags: ['animal', 'fast'],
      pages: 10,
      published: '2020-01-15',
      author: { name: 'Ann' },
      notes: [
        { by: 'x', stars: 5 },
        { by: 'y', stars: 1 },
      ],
      place: '52.5,13.4',
      ip: '10.0.0.1',
      suggest: 'quick fox',
    },
    {
      title: 'A quick guide to foxes',
      tags: ['animal'],
      pages: 20,
      published: '2020-02-20',
      author: { name: 'Bob' },
      notes: [{ by: 'x', stars: 1 }],
      place: '48.1,11.5',
      ip: '10.1.0.1',
      suggest: { input: 'quick guide', weight: 9 },
    },
    {
      title: 'Slow food',
      tags: ['food'],
      pages: 30,
      published: '2021-03-01',
      author: { name: 'Ann' },
      ip: '192.168.0.1',
    },
    { title: 'Brown bread, quick', pages: 40, published: '2021-03-31' },
  ]);
  return ask;
}

const search = (ask: Ask, query: unknown, more: object = {}): ReturnType<Ask> =>
  ask('POST /books/_search', { query, ...more });

test('each query type finds what it says', async () => {
  const ask = await library();
  const cases: [unknown, string[]][] = [
    [{ match_all: {} }, ['1', '2', '3', '4']],
    [{ match_none: {} }, []],
    [{ match: { title: { query: 'brown fox', operator: 'and' } } }, ['1']],
    [{ match: { title: { query: 'brown fox food', minimum_should_match: 2 } } }, ['1']],
    [{ match: { title: { query: 'quik', fuzziness: 'AUTO' } } }, ['1', '2', '4']],
    [{ match_phrase: { title: 'quick brown' } }, ['1']],
    [{ match_phrase: { title: { query: 'brown quick', slop: 2 } } }, ['1', '4']],
    [{ match_phrase_prefix: { title: 'quick gu' } }, ['2']],
    [{ match_bool_prefix: { title: { query: 'slow fo', operator: 'and' } } }, ['3']],
    [{ multi_match: { query: 'food', fields: ['title', 'tags^2'] } }, ['3']],
    [{ query_string: { query: 'title:(quick AND NOT brown) OR pages:[30 TO 30]' } }, ['2', '3']],
    [{ query_string: { query: 'published:>=2021-03-31' } }, ['4']],
    [{ query_string: { query: 'tags:ani*' } }, ['1', '2']],
    [{ simple_query_string: { query: '"quick brown" | slow', fields: ['title'] } }, ['1', '3']],
    [{ term: { tags: 'food' } }, ['3']],
    [{ term: { 'author.name': 'Ann' } }, ['1', '3']],
    [{ terms: { pages: [10, 40] } }, ['1', '4']],
    [{ term: { ip: '10.0.0.0/8' } }, ['1', '2']],
    [{ range: { pages: { gt: 10, lte: 30 } } }, ['2', '3']],
    [{ range: { published: { gte: '2020', lt: '2021' } } }, ['1', '2']],
    [{ range: { published: { gte: '2021-03-01||/M', lte: '2021-03||/M' } } }, ['3', '4']],
    [{ exists: { field: 'tags' } }, ['1', '2', '3']],
    [{ exists: { field: 'author' } }, ['1', '2', '3']],
    [{ prefix: { tags: 'ani' } }, ['1', '2']],
    [{ wildcard: { tags: { value: 'f*d' } } }, ['3']],
    [{ regexp: { tags: 'f(oo|as).' } }, ['1', '3']],
    [{ fuzzy: { tags: 'animol' } }, ['1', '2']],
    [{ ids: { values: ['2', '9'] } }, ['2']],
    [
      {
        bool: {
          must: { match: { title: 'quick' } },
          must_not: { term: { tags: 'fast' } },
          filter: { range: { pages: { lt: 40 } } },
        },
      },
      ['2'],
    ],
    [{ constant_score: { filter: { term: { tags: 'fast' } } } }, ['1']],
    [{ dis_max: { queries: [{ term: { tags: 'food' } }, { term: { tags: 'fast' } }] } }, ['1', '3']],
    [
      {
        boosting: { positive: { term: { tags: 'animal' } }, negative: { term: { tags: 'fast' } }, negative_boost: 0.5 },
      },
      ['1', '2'],
    ],
    [{ function_score: { query: { term: { tags: 'animal' } }, field_value_factor: { field: 'pages' } } }, ['1', '2']],
    [
      {
        nested: {
          path: 'notes',
          query: { bool: { must: [{ term: { 'notes.by': 'x' } }, { term: { 'notes.stars': 1 } }] } },
        },
      },
      ['2'],
    ],
    [{ geo_distance: { distance: '100km', place: { lat: 52, lon: 13 } } }, ['1']],
    [{ geo_bounding_box: { place: { top_left: '50,10', bottom_right: '47,13' } } }, ['2']],
  ];
  for (const [query, expected] of cases) {
    const reply = await search(ask, query);
    equal(reply.status, 200, `${JSON.stringify(query)}: ${reply.text}`);
    deepEqual(ids(reply).sort(), expected, JSON.stringify(query));
  }
});

test('the shapes of a search response are those of Elasticsearch 7', async () => {
  const ask = await library();
  const { json } = await search(ask, { term: { tags: 'food' } }, { _source: ['title'] });
  deepEqual(Object.keys(json), ['took', 'timed_out', '_shards', 'hits']);
  deepEqual(json._shards, { total: 1, successful: 1, skipped: 0, failed: 0 });
  deepEqual(json.hits.total, { value: 1, relation: 'eq' });
  equal(json.hits.max_score, json.hits.hits[0]._score);
  deepEqual(
    { ...json.hits.hits[0], _score: 0 },
    { _index: 'books', _type: '_doc', _id: '3', _score: 0, _source: { title: 'Slow food' } },
  );
});

test('the paths of the specification work: status, all indices, typed search, count, q', async () => {
  const ask = await library();
  equal((await ask('GET /?pretty')).json.version.number, '7.10.2');
  equal((await ask('GET /_search')).json.hits.total.value, 4);
  equal((await ask('GET /_search', { query: { match_all: {} } })).json.hits.total.value, 4);
  deepEqual(ids(await ask('GET /books/book/_search?q=title:slow')), ['3']);
  equal((await ask('GET /books/book/_count')).json.count, 4);
  const facets = await ask('POST /books/book/_search', { aggs: { who: { terms: { field: 'author.name' } } } });
  deepEqual(facets.json.aggregations.who, {
    doc_count_error_upper_bound: 0,
    sum_other_doc_count: 0,
    buckets: [
      { key: 'Ann', doc_count: 2 },
      { key: 'Bob', doc_count: 1 },
    ],
  });
});

test('aggregations compute over the matching documents and nest', async () => {
  const ask = await library();
  const { json } = await search(
    ask,
    { match_all: {} },
    {
      size: 0,
      aggs: {
        tags: { terms: { field: 'tags', order: { most: 'desc' } }, aggs: { most: { max: { field: 'pages' } } } },
        months: {
          date_histogram: { field: 'published', calendar_interval: 'month', min_doc_count: 1, time_zone: '+01:00' },
        },
        pages: { histogram: { field: 'pages', interval: 20 } },
        sizes: { range: { field: 'pages', ranges: [{ to: 25 }, { from: 25 }] } },
        stats: { stats: { field: 'pages' } },
        kinds: { cardinality: { field: 'tags' } },
        untagged: { missing: { field: 'tags' } },
        stars: {
          nested: { path: 'notes' },
          aggs: { mean: { avg: { field: 'notes.stars' } }, good: { filter: { range: { 'notes.stars': { gte: 5 } } } } },
        },
        pairs: {
          composite: {
            sources: [
              { a: { terms: { field: 'author.name' } } },
              { y: { date_histogram: { field: 'published', calendar_interval: 'year', format: 'yyyy' } } },
            ],
          },
        },
        best: { top_hits: { size: 1, sort: [{ pages: 'desc' }], _source: false } },
        quick: { filters: { filters: { yes: { match: { title: 'quick' } } }, other_bucket: true } },
      },
    },
  );
  const found = json.aggregations;
  deepEqual(
    found.tags.buckets.map((each: { key: string; most: { value: number } }) => [each.key, each.most.value]),
    [
      ['food', 30],
      ['animal', 20],
      ['fast', 10],
    ],
  );
  deepEqual(
    found.months.buckets.map((each: { key_as_string: string; doc_count: number }) => [
      each.key_as_string,
      each.doc_count,
    ]),
    [
      ['2020-01-01T00:00:00.000+01:00', 1],
      ['2020-02-01T00:00:00.000+01:00', 1],
      ['2021-03-01T00:00:00.000+01:00', 2],
    ],
  );
  deepEqual(found.pages.buckets, [
    { key: 0, doc_count: 1 },
    { key: 20, doc_count: 2 },
    { key: 40, doc_count: 1 },
  ]);
  deepEqual(found.sizes.buckets, [
    { key: '*-25.0', to: 25, doc_count: 2 },
    { key: '25.0-*', from: 25, doc_count: 2 },
  ]);
  deepEqual(found.stats, { count: 4, min: 10, max: 40, avg: 25, sum: 100 });
  deepEqual([found.kinds.value, found.untagged.doc_count], [3, 1]);
  deepEqual(found.stars, { doc_count: 3, mean: { value: 7 / 3 }, good: { doc_count: 1 } });
  deepEqual(
    found.pairs.buckets.map((each: { key: object }) => each.key),
    [
      { a: 'Ann', y: '2020' },
      { a: 'Ann', y: '2021' },
      { a: 'Bob', y: '2020' },
    ],
  );
  deepEqual(found.pairs.after_key, { a: 'Bob', y: '2020' });
  deepEqual(found.best.hits.hits[0]._id, '4');
  deepEqual([found.quick.buckets.yes.doc_count, found.quick.buckets._other_.doc_count], [3, 1]);
});

test('a terms aggregation on text is refused and names the keyword beside it', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ name: 'Ann' }]);
  const reply = await ask('POST /t/_search', { aggs: { x: { terms: { field: 'name' } } } });
  equal(reply.status, 400);
  match(reply.json.error.root_cause[0].reason, /Text fields are not optimised.*Use \[name\.keyword\]/);
});

test('pages follow each other by from, search_after, scroll and point in time', async () => {
  const ask = await library();
  const sort = [{ pages: 'desc' }];
  deepEqual(ids(await search(ask, undefined, { sort, size: 2, from: 1 })), ['3', '2']);
  const after = await search(ask, undefined, { sort, size: 2, search_after: [30] });
  deepEqual([ids(after), after.json.hits.hits[0].sort], [['2', '1'], [20]]);
  const first = await ask('POST /books/_search?scroll=1m', { size: 3, sort });
  await ask('PUT /books/_doc/5?refresh=true', { pages: 99 });
  const second = await ask('POST /_search/scroll', { scroll: '1m', scroll_id: first.json._scroll_id });
  deepEqual([ids(first), ids(second)], [['4', '3', '2'], ['1']]);
  equal((await ask('DELETE /_search/scroll', { scroll_id: first.json._scroll_id })).json.num_freed, 1);
  equal((await ask('POST /_search/scroll', { scroll_id: first.json._scroll_id })).status, 404);
  const { id } = (await ask('POST /books/_pit?keep_alive=1m')).json;
  await ask('DELETE /books/_doc/5?refresh=true');
  equal((await ask('POST /_search', { pit: { id } })).json.hits.total.value, 5);
});

test('search_after takes a score as it was shown', async () => {
  const ask = await library();
  const sort = ['_score', { _id: 'asc' }];
  const query = { match: { tags: 'animal' } };
  const whole = await search(ask, query, { sort });
  const [first, ...rest] = whole.json.hits.hits;
  const after = await search(ask, query, { sort, search_after: first.sort });
  deepEqual(
    ids(after),
    rest.map((hit: { _id: string }) => hit._id),
  );
});

test('a scroll opened under one view is not found under another', async () => {
  const ask = await library();
  const view = (term: string): object => ({ view: () => ({ rows: { kind: 'term', field: 'tags', term } }) });
  const first = await ask('POST /books/_search?scroll=1m', { size: 1 }, view('animal'));
  equal((await ask('POST /_search/scroll', { scroll_id: first.json._scroll_id }, view('food'))).status, 404);
  equal((await ask('POST /_search/scroll', { scroll_id: first.json._scroll_id }, view('animal'))).status, 200);
});

test('highlights mark the words that matched, phrases only together', async () => {
  const ask = await library();
  const marked = await search(ask, { match: { title: 'brown quick' } }, { highlight: { fields: { title: {} } } });
  deepEqual(marked.json.hits.hits.find((hit: { _id: string }) => hit._id === '1').highlight.title, [
    'The <em>quick</em> <em>brown</em> fox',
  ]);
  const phrase = await search(
    ask,
    { match_phrase: { title: 'quick brown' } },
    { highlight: { pre_tags: ['['], post_tags: [']'], fields: { '*': {} } } },
  );
  deepEqual(phrase.json.hits.hits[0].highlight, { title: ['The [quick] [brown] fox'] });
});

test('the score of a near word is printed with the digits of a float', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ t: 'brown' }]);
  const suggest = { near: { text: 'brwon', term: { field: 't' } } };
  match((await ask('POST /t/_search', { suggest })).text, /"text":"brown","score":0\.8,/);
});

test('suggesters offer near words and completions by weight', async () => {
  const ask = await library();
  const { json } = await ask('POST /books/_search', {
    size: 0,
    suggest: {
      near: { text: 'brwn', term: { field: 'title' } },
      typed: { prefix: 'qui', completion: { field: 'suggest' } },
    },
  });
  deepEqual(
    json.suggest.near[0].options.map((each: { text: string }) => each.text),
    ['brown'],
  );
  deepEqual(
    json.suggest.typed[0].options.map((each: { text: string }) => each.text),
    ['quick guide', 'quick fox'],
  );
});

test('collapse keeps the best hit of each group', async () => {
  const ask = await library();
  const reply = await search(
    ask,
    { exists: { field: 'author' } },
    { collapse: { field: 'author.name' }, sort: [{ pages: 'desc' }] },
  );
  deepEqual(
    reply.json.hits.hits.map((hit: { _id: string; fields: object }) => [hit._id, hit.fields]),
    [
      ['3', { 'author.name': ['Ann'] }],
      ['2', { 'author.name': ['Bob'] }],
    ],
  );
});

test('what a caller under a view gets equals what an index of only the visible documents answers', async () => {
  const all = [
    { owner: 'ann', text: 'red fox red', tag: 'a', n: 1 },
    { owner: 'bob', text: 'red dog', tag: 'b', n: 2 },
    { owner: 'ann', text: 'blue dog dog', tag: 'b', n: 3 },
    { owner: 'bob', text: 'secret badger', tag: 'hidden', n: 4 },
  ];
  const whole = await startRest();
  const cut = await startRest();
  await load(whole, 't', all);
  const lines = all.flatMap((document, at) =>
    document.owner === 'ann' ? [{ index: { _index: 't', _id: String(at + 1) } }, document] : [],
  );
  await cut('POST /_bulk?refresh=true', lines);
  const view = { view: () => ({ rows: { kind: 'term', field: 'owner.keyword', term: 'ann' } }) as const };
  const bodies = [
    { query: { match: { text: 'red dog' } }, highlight: { fields: { text: {} } } },
    {
      size: 0,
      aggs: {
        tags: { terms: { field: 'tag.keyword', min_doc_count: 0 } },
        all: { global: {}, aggs: { sum: { sum: { field: 'n' } } } },
      },
      query: { term: { n: 1 } },
    },
    { size: 0, suggest: { s: { text: 'badgre secrt', term: { field: 'text', suggest_mode: 'always' } } } },
    { query: { match: { text: 'badger' } } },
    { sort: [{ n: 'desc' }], collapse: { field: 'tag.keyword' } },
  ];
  for (const body of bodies) {
    const seen = await whole('POST /t/_search', body, view);
    const truth = await cut('POST /t/_search', body);
    deepEqual({ ...seen.json, took: 0 }, { ...truth.json, took: 0 }, JSON.stringify(body));
  }
});

test('several indices are searched as one, hits in order of score or sort, aggregations over all', async () => {
  const ask = await startRest();
  await load(ask, 'a1', [
    { n: 1, k: 'x' },
    { n: 3, k: 'y' },
  ]);
  await ask('POST /_bulk?refresh=true', [{ index: { _index: 'a2', _id: '9' } }, { n: 2, k: 'x' }]);
  const reply = await ask('POST /a*/_search', {
    sort: [{ n: 'desc' }],
    aggs: { k: { terms: { field: 'k.keyword' } } },
  });
  deepEqual(ids(reply), ['2', '9', '1']);
  deepEqual(reply.json.aggregations.k.buckets, [
    { key: 'x', doc_count: 2 },
    { key: 'y', doc_count: 1 },
  ]);
  await ask('POST /_aliases', {
    actions: [{ add: { index: 'a1', alias: 'small', filter: { range: { n: { lt: 2 } } } } }],
  });
  deepEqual(ids(await ask('POST /small/_search')), ['1']);
});

test('bad requests are 400 with the offending word and a suggestion, in Elasticsearch’s shape', async () => {
  const ask = await library();
  const cases: [string, unknown, number, RegExp][] = [
    [
      'POST /books/_search',
      { query: { mtch: { title: 'x' } } },
      400,
      /unknown query \[mtch\] did you mean \[match\]\?/,
    ],
    [
      'POST /books/_search',
      { query: { match: { title: { query: 'x', operater: 'and' } } } },
      400,
      /\[match\] query does not support \[operater\].*operator/,
    ],
    ['POST /books/_search', { qurey: {} }, 400, /\[qurey\].*query/],
    [
      'POST /books/_search',
      { aggs: { x: { term: { field: 'tags' } } } },
      400,
      /Unknown aggregation type \[term\] did you mean \[terms\]\?/,
    ],
    ['POST /books/_search', { query: { geo_shape: {} } }, 400, /\[geo_shape\] is not supported/],
    ['POST /books/_search', { slice: { id: 0, max: 2 } }, 400, /`slice` cannot be used outside of a scroll/],
    ['GET /books/_search?sizee=1', undefined, 400, /unrecognized parameter: \[sizee\] -> did you mean \[size\]\?/],
    ['POST /books/_search', '{"query":', 400, /JSON/],
    ['POST /books/_search', '['.repeat(5000), 400, /nested deeper/],
    ['POST /books/_search', { from: 9990, size: 20 }, 400, /Result window is too large/],
    ['POST /books/_search', { query: { term: { pages: 'many' } } }, 400, /For input string: "many"/],
    ['GET /books/_search?q=title:(', undefined, 400, /Cannot parse 'title:\('/],
    ['POST /books/_search', { sort: [{ nope: 'asc' }] }, 400, /No mapping found for \[nope\] in order to sort on/],
    ['GET /boks/_search', undefined, 404, /no such index \[boks\]/],
    ['PUT /books/_search', undefined, 405, /Incorrect HTTP method/],
    ['GET /_nodes/x/y/z', undefined, 400, /no handler found/],
  ];
  for (const [target, body, status, reason] of cases) {
    const reply = await ask(target, body);
    equal(reply.status, status, `${target} ${JSON.stringify(body)}: ${reply.text}`);
    match(reply.text.replaceAll('\\"', '"'), reason);
  }
  const missing = (await ask('GET /boks/_search')).json;
  deepEqual(missing, {
    error: {
      root_cause: [
        {
          type: 'index_not_found_exception',
          reason: 'no such index [boks]',
          'resource.type': 'index_or_alias',
          'resource.id': 'boks',
          index_uuid: '_na_',
          index: 'boks',
        },
      ],
      type: 'index_not_found_exception',
      reason: 'no such index [boks]',
      'resource.type': 'index_or_alias',
      'resource.id': 'boks',
      index_uuid: '_na_',
      index: 'boks',
    },
    status: 404,
  });
});

test('filter_path, pretty, rest_total_hits_as_int and typed_keys shape the response', async () => {
  const ask = await library();
  deepEqual((await ask('GET /books/_search?filter_path=hits.total.value,hits.hits._id&size=1')).json, {
    hits: { total: { value: 4 }, hits: [{ _id: '1' }] },
  });
  equal((await ask('GET /books/_search?rest_total_hits_as_int=true')).json.hits.total, 4);
  ok((await ask('GET /?pretty')).text.startsWith('{\n  "name" : '));
  deepEqual(
    Object.keys(
      (await ask('POST /books/_search?typed_keys=true', { aggs: { x: { terms: { field: 'tags' } } } })).json
        .aggregations,
    ),
    ['sterms#x'],
  );
});

test('msearch answers each search on its own', async () => {
  const ask = await library();
  const reply = await ask('POST /_msearch', [{ index: 'books' }, { size: 0 }, { index: 'nope' }, {}]);
  deepEqual(
    reply.json.responses.map((each: { status: number }) => each.status),
    [200, 404],
  );
});

test('the media type of newer clients is answered in kind', async () => {
  const ask = await library();
  const reply = await ask('GET /books/_count', undefined, {
    headers: { accept: 'application/vnd.elasticsearch+json; compatible-with=8' },
  });
  deepEqual(
    [reply.headers['Content-Type'], reply.headers['X-Elastic-Product']],
    ['application/vnd.elasticsearch+json;compatible-with=8', 'Elasticsearch'],
  );
});

test('numbers and booleans may stand where texts are usual', async () => {
  const ask = await library();
  deepEqual(ids(await search(ask, { match: { title: { query: 'slaw', fuzziness: 1 } } })), ['3']);
  await ask('PUT /numbered', { settings: { number_of_replicas: 0 } });
  await ask('POST /_aliases', { actions: [{ add: { index: 'numbered', alias: 'n', routing: 5 } }] });
  equal((await ask('GET /n/_settings')).json.numbered.settings.index.number_of_replicas, '0');
  equal((await ask('GET /_alias/n')).json.numbered.aliases.n.index_routing, '5');
});
