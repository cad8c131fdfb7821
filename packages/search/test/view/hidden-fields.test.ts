// A field that a caller may never read: they get the answers of an index without such a field.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine, createRestApi } from '@lockstitch/search';
import { type Ask, startRest } from '../rest/harness.ts';
import { EVERY_FIELD } from './every-field.ts';

const VIEW = { view: () => ({ hidden: ['secret', 'poster.name'] }) };

async function open(): Promise<Ask> {
  const ask = await startRest();
  const text = { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 4 } } };
  const properties = { title: text, secret: text, poster: { properties: { login: { type: 'keyword' }, name: text } } };
  await ask('PUT /t', { mappings: { properties } });
  const lines = [
    { title: 'red fox', secret: 'blue moon', poster: { login: 'ann', name: 'Ann Other' } },
    { title: 'blue dog', secret: 'red moon', poster: { login: 'bob', name: 'Bob Other' } },
  ].flatMap((source, at) => [{ index: { _index: 't', _id: String(at + 1) } }, source]);
  await ask('POST /_bulk?refresh=true', lines);
  return ask;
}

test('a hidden field is in no mapping, no source, no list of fields', async () => {
  const ask = await open();
  for (const [target, body] of [
    ['GET /t'],
    ['GET /t/_mapping'],
    ['GET /t/_mapping/field/*'],
    ['GET /t/_field_caps?fields=*'],
    ['GET /t/_doc/1'],
    ['GET /t/_source/1'],
    ['POST /t/_mget', { ids: ['1', '2'] }],
    ['POST /t/_search', { fields: ['*'], docvalue_fields: ['*.keyword'], highlight: { fields: { '*': {} } } }],
    ['POST /t/_search', { query: { query_string: { query: 'moon OR other OR red' } }, explain: true }],
    ['POST /t/_search', { _source: ['secret', 'poster.*'], query: { multi_match: { query: 'red', fields: ['*'] } } }],
  ] as const) {
    const { status, text } = await ask(target, body, VIEW);
    assert.equal(status, 200, text);
    assert.doesNotMatch(text, /secret|moon|Other|"name"|poster\.name/, target);
  }
});

test('a hidden field is asked for like one that was never mapped', async () => {
  const ask = await open();
  const bodies = (field: string): readonly unknown[] => [
    { query: { match: { [field]: 'moon' } } },
    { query: { term: { [`${field}.keyword`]: 'red' } } },
    { query: { exists: { field } } },
    { query: { query_string: { query: `${field}:moon` } } },
    { query: { range: { [field]: { gte: 'a' } } } },
    { query: { match_phrase_prefix: { [field]: 'blue mo' } } },
    { sort: [{ [`${field}.keyword`]: 'asc' }] },
    { sort: [{ [`${field}.keyword`]: { order: 'asc', unmapped_type: 'keyword' } }] },
    { aggs: { a: { terms: { field: `${field}.keyword` } } } },
    { aggs: { a: { terms: { field } } } },
    { aggs: { a: { missing: { field: `${field}.keyword` } } } },
    { collapse: { field: `${field}.keyword` } },
    { suggest: { s: { text: 'mooon', term: { field } } } },
    { query: { function_score: { field_value_factor: { field, missing: 1 } } } },
    { highlight: { fields: { [field]: {} } }, query: { match: { [field]: 'moon' } } },
  ];
  const plain = (text: string): string => text.replaceAll(/"took":\d+/g, '').replaceAll('nothing', 'secret');
  const absent = bodies('nothing');
  for (const [at, body] of bodies('secret').entries()) {
    const [hidden, unmapped] = [
      await ask('POST /t/_search', body, VIEW),
      await ask('POST /t/_search', absent[at], VIEW),
    ];
    assert.equal(hidden.status, unmapped.status, JSON.stringify(body));
    assert.equal(plain(hidden.text), plain(unmapped.text), JSON.stringify(body));
  }
});

test('nothing is written to an index of which a caller sees a part', async () => {
  const ask = await open();
  for (const [target, body] of [
    ['POST /t/_doc/1', { title: 'x' }],
    ['DELETE /t/_doc/1'],
    ['POST /t/_update/1', { doc: { title: 'x' } }],
    ['POST /t/_delete_by_query', { query: { match_all: {} } }],
    ['PUT /t/_mapping', { properties: { more: { type: 'keyword' } } }],
    ['DELETE /t'],
    ['POST /t/_forcemerge'],
    ['POST /t/_close'],
    ['PUT /t/_alias/other'],
    ['PUT /t/_settings', { index: { refresh_interval: '5s' } }],
  ] as const) {
    const { status, text } = await ask(target, body, VIEW);
    assert.equal(status, 403, `${target}: ${text}`);
  }
  assert.equal((await ask('GET /t/_count')).json.count, 2);
});

test('a mapping that may not be changed leaves nothing in what callers of the same view see', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { a: { type: 'text' }, secret: { type: 'keyword' } } } });
  const view = { hidden: ['secret'] };
  const more = { view: () => view };
  const refused = await ask('PUT /t/_mapping', { properties: { secret: { type: 'long' }, b: { type: 'date' } } }, more);
  assert.equal(refused.status, 403);
  const { json } = await ask('GET /t/_mapping', undefined, more);
  assert.deepEqual(json.t.mappings.properties, { a: { type: 'text' } });
});

test('a view that could not be held is refused, whatever is asked', async () => {
  const ask = await startRest();
  const part = { type: 'nested', properties: { kind: { type: 'keyword' } } };
  const properties = { parts: part, all: { type: 'text' }, title: { type: 'text', copy_to: 'all' } };
  await ask('PUT /t', { mappings: { properties } });
  await ask('PUT /t/_doc/1?refresh=true', { parts: [{ kind: 'x' }], title: 'red' });
  const when = { kind: 'match_none' } as const;
  for (const [view, told] of [
    [{ hidden: ['parts'] }, /without \[parts\]: the field \[parts\] is nested/],
    [{ guarded: [{ path: 'parts', when }] }, /without \[parts\]/],
    [{ hidden: ['title'] }, /without \[title\]: the field \[title\] is copied to \[all\]/],
    [{ guarded: [{ path: 'title', when }] }, /copied to \[all\]/],
  ] as const) {
    for (const [target, body] of [
      ['POST /t/_search', {}],
      ['POST /t/_count', {}],
      ['GET /t/_doc/1'],
      ['GET /t/_mapping'],
      ['GET /_cat/indices'],
      ['GET /t/_stats'],
      ['GET /t/_termvectors/1'],
    ] as const) {
      const { status, text } = await ask(target, body, { view: () => view });
      assert.equal(status, 403, `${target} ${text}`);
      assert.match(text, told);
    }
    const { json } = await ask('POST /t/_mget', { ids: ['1'] }, { view: () => view });
    assert.equal(json.docs[0].error.type, 'security_exception');
  }
  for (const view of [{ hidden: ['parts.kind'] }, { hidden: ['title', 'all'] }])
    assert.equal((await ask('POST /t/_search', {}, { view: () => view })).status, 200);
});

test('whether a hidden document has a value decides neither what an aggregation refuses nor what it compares with', async () => {
  const properties = {
    owner: { type: 'keyword' },
    n: { type: 'long' },
    when: { type: 'date' },
    word: { type: 'keyword' },
    address: { type: 'ip' },
    place: { type: 'geo_point' },
  };
  const full = { n: 1, when: '2026-01-01', word: 'x', address: '10.0.0.1', place: { lat: 1, lon: 1 } };
  const start = async (hidden: object): Promise<Ask> => {
    const ask = await startRest();
    await ask('PUT /t', { mappings: { properties } });
    const lines = [{ index: { _id: '1' } }, { owner: 'ann' }, { index: { _id: '2' } }, { owner: 'bob', ...hidden }];
    assert.equal((await ask('POST /t/_bulk?refresh=true', lines)).json.errors, false);
    return ask;
  };
  const [some, none] = [await start(full), await start({})];
  const view = () => ({ rows: { kind: 'term', field: 'owner', term: 'ann' } }) as const;
  const around = [
    { terms: { field: 'word' } },
    { terms: { field: 'n' } },
    { histogram: { field: 'n', interval: 1 } },
    { date_histogram: { field: 'when', calendar_interval: 'day' } },
    { range: { field: 'n', ranges: [{ to: 5 }] } },
    { ip_range: { field: 'address', ranges: [{ to: '10.0.0.9' }] } },
    { geohash_grid: { field: 'place' } },
    { auto_date_histogram: { field: 'when' } },
    { composite: { sources: [{ k: { terms: { field: 'word' } } }] } },
    { terms: { field: 'word', min_doc_count: 0 } },
    { significant_terms: { field: 'word' } },
  ];
  const inside = [
    { significant_terms: { field: 'owner', min_doc_count: 1 } },
    { terms: { field: 'place' } },
    { terms: { field: 'n', include: 'x.*' } },
    { avg: { field: 'word' } },
    { histogram: { field: 'word', interval: 1 } },
    { cardinality: { field: 'n' } },
  ];
  for (const outer of [undefined, ...around]) {
    for (const inner of inside) {
      const aggs = outer === undefined ? { i: inner } : { o: { ...outer, aggs: { i: inner } } };
      const [a, b] = [
        await some('POST /t/_search', { size: 0, aggs }, { view }),
        await none('POST /t/_search', { size: 0, aggs }, { view }),
      ];
      const plain = (text: string): string => text.replaceAll(/"took":\d+/g, '');
      assert.equal(a.status, b.status, JSON.stringify(aggs));
      assert.equal(plain(a.text), plain(b.text), JSON.stringify(aggs));
    }
  }
});

test('1.1 whether a hidden document has a value decides not whether a visible one with several is refused', async () => {
  const properties = { owner: { type: 'keyword' }, a: { type: 'long' }, b: { type: 'long' } };
  const start = async (hidden: object): Promise<Ask> => {
    const ask = await startRest();
    await ask('PUT /t', { mappings: { properties } });
    const lines = [{ index: { _id: '1' } }, { owner: 'ann', a: [1, 2] }, { index: { _id: '2' } }, hidden];
    assert.equal((await ask('POST /t/_bulk?refresh=true', lines)).json.errors, false);
    return ask;
  };
  const [some, none] = [await start({ owner: 'bob', b: 1 }), await start({ owner: 'bob' })];
  const view = () => ({ rows: { kind: 'term', field: 'owner', term: 'ann' } }) as const;
  for (const aggregation of [
    { t_test: { a: { field: 'a' }, b: { field: 'b' }, type: 'paired' } },
    { t_test: { a: { field: 'b' }, b: { field: 'a' }, type: 'paired' } },
    { weighted_avg: { value: { field: 'b' }, weight: { field: 'a' } } },
  ]) {
    const body = { size: 0, aggs: { a: aggregation } };
    const [x, y] = [await some('POST /t/_search', body, { view }), await none('POST /t/_search', body, { view })];
    assert.equal(x.text.replace(/"took":\d+/, ''), y.text.replace(/"took":\d+/, ''), JSON.stringify(aggregation));
  }
});

test('1.1 documents of a request are read alike whether or not the index has a field that is hidden', async () => {
  const engine = await createEngine();
  const ask = await startRest(createRestApi(engine));
  const shown = { n: { type: 'long' }, title: { type: 'text' }, parts: { type: 'nested', properties: {} } };
  const strict = { ...shown, secret: { type: 'text' } };
  const settings = { 'mapping.ignore_malformed': true, 'mapping.nested_objects.limit': 2 };
  await ask('PUT /set', { settings, mappings: { properties: strict } });
  await ask('PUT /set-other', { settings, mappings: { properties: shown } });
  await engine.createIndex('all', { settings: { takesAll: true }, mappings: { properties: strict } });
  await engine.createIndex('all-other', { settings: { takesAll: true }, mappings: { properties: shown } });
  for (const doc of [{ title: 'red', n: 'none' }, { title: { inner: 'red' } }, { title: 'red', parts: [{}, {}, {}] }]) {
    for (const index of ['set', 'all']) {
      const answers: string[] = [];
      for (const name of [index, `${index}-other`]) {
        const target = `POST /${name}/_termvectors?filter_path=found,term_vectors,error.caused_by.reason`;
        const { status, text } = await ask(
          target,
          { doc },
          { view: () => ({ hidden: name === index ? ['secret'] : [] }) },
        );
        answers.push(`${status} ${text.replaceAll(`[${name}]`, '')}`);
      }
      assert.equal(answers[0], answers[1], JSON.stringify(doc));
    }
  }
});

test('1.1 a mapping is printed alike whether or not the index has a field that is hidden', async () => {
  const ask = await startRest();
  const completion = { type: 'completion', analyzer: 'standard', contexts: [{ name: 'kind', type: 'category' }] };
  const properties = { ...EVERY_FIELD.properties, limited: completion, empty: { properties: {} } };
  await ask('PUT /t', { mappings: { properties } });
  for (const target of ['GET /t/_mapping', 'GET /t/_mapping/field/*?include_defaults=true', 'GET /t']) {
    const [all, part] = [{}, { hidden: ['absent'] }].map((view) => ask(target, undefined, { view: () => view }));
    assert.equal((await part!).text, (await all!).text);
  }
});
