// `_rank_eval` and templates of searches. What is expected was answered by Elasticsearch 7.10.2.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, load, startRest } from '../rest/harness.ts';

async function filled(): Promise<Ask> {
  const ask = await startRest();
  await load(ask, 'city', [
    { a: 'berlin big', n: 1 },
    { a: 'amsterdam big', n: 2 },
    { a: 'berlin amsterdam', n: 3 },
    { a: 'paris', n: 4 },
  ]);
  return ask;
}

const rated = (ratings: Readonly<Record<string, number>>): object[] =>
  Object.entries(ratings).map(([_id, rating]) => ({ _index: 'city', _id, rating }));
const REQUESTS = [
  { id: 'q1', request: { query: { match: { a: 'amsterdam' } } }, ratings: rated({ 2: 1, 3: 0 }) },
  { id: 'q2', request: { query: { match: { a: 'berlin' } } }, ratings: rated({ 1: 3 }) },
];

test('each metric says how good the order of hits is', async () => {
  const ask = await filled();
  for (const [metric, scores, details] of [
    [{ precision: {} }, [0.5, 0.5, 0.5], { relevant_docs_retrieved: 1, docs_retrieved: 2 }],
    [{ precision: { ignore_unlabeled: true } }, [0.75, 0.5, 1], { relevant_docs_retrieved: 1, docs_retrieved: 1 }],
    [
      { precision: { k: 1, ignore_unlabeled: true, relevant_rating_threshold: 2 } },
      [0.5, 0, 1],
      { relevant_docs_retrieved: 1, docs_retrieved: 1 },
    ],
    [{ recall: { k: 1 } }, [1, 1, 1], { relevant_docs_retrieved: 1, relevant_docs: 1 }],
    [{ mean_reciprocal_rank: {} }, [1, 1, 1], { first_relevant: 1 }],
    [{ dcg: {} }, [4, 1, 7], { dcg: 7, unrated_docs: 1 }],
    [
      { dcg: { normalize: true, unknown_doc_rating: 2 } },
      [1.1351992329081693, 1, 1.2703984658163388],
      { dcg: 8.892789260714371, ideal_dcg: 7, normalized_dcg: 1.2703984658163388, unrated_docs: 1 },
    ],
    [{ expected_reciprocal_rank: { maximum_relevance: 3 } }, [0.5, 0.125, 0.875], { unrated_docs: 1 }],
  ] as const) {
    const { json } = await ask('POST /city/_rank_eval', { requests: REQUESTS, metric });
    const { q1, q2 } = json.details;
    deepEqual([json.metric_score, q1.metric_score, q2.metric_score], scores, JSON.stringify(metric));
    deepEqual(Object.values(q2.metric_details), [details]);
  }
});

test('a rated search shows its hits with their ratings, or why it failed', async () => {
  const ask = await filled();
  const requests = [
    { id: 'ok', request: { sort: ['n'] }, ratings: rated({ 1: 1 }), summary_fields: ['n'] },
    { id: 'bad', request: { query: { match: { n: 'x' } } }, ratings: [] },
  ];
  const { json } = await ask('POST /city/_rank_eval', { requests, metric: { precision: { k: 2 } } });
  deepEqual(json.details.ok.hits, [
    { hit: { _index: 'city', _type: '_doc', _id: '1', _score: null, _source: { n: 1 }, sort: [1] }, rating: 1 },
    { hit: { _index: 'city', _type: '_doc', _id: '2', _score: null, _source: { n: 2 }, sort: [2] }, rating: null },
  ]);
  deepEqual(json.details.ok.unrated_docs, [{ _index: 'city', _id: '2' }]);
  equal(json.failures.bad.error.type, 'search_phase_execution_exception');
  const none = await ask('POST /absent/_rank_eval', { requests, metric: { precision: {} } });
  deepEqual([none.status, none.json.metric_score, Object.keys(none.json.failures)], [200, 'NaN', ['ok', 'bad']]);
});

test('a rated search is refused for what is no search, or no rating', async () => {
  const ask = await filled();
  const one = (request: object): object => ({
    requests: [{ id: 'q', ratings: [], ...request }],
    metric: { precision: {} },
  });
  const twice = [...rated({ 1: 1 }), ...rated({ 1: 2 })];
  for (const [body, reason] of [
    [{}, /Required \[requests, metric\]/],
    [{ requests: [], metric: { precision: {} } }, /Cannot evaluate ranking if no search requests/],
    [{ requests: REQUESTS, metric: { nobody: {} } }, /unknown field \[nobody\]/],
    [{ requests: REQUESTS, metric: { precision: { k: 0 } } }, /Window size k must be positive/],
    [{ requests: REQUESTS, metric: { expected_reciprocal_rank: {} } }, /Required \[maximum_relevance\]/],
    [one({ request: { aggs: { a: { max: { field: 'n' } } } } }), /should not contain aggregations/],
    [one({ request: { explain: true } }), /should not use explain/],
    [one({ request: { query: { nobody: {} } } }), /unknown query \[nobody\]/],
    [one({ request: {}, ratings: twice }), /Found duplicate rated document key/],
    [one({}), /Need to set at least test request/],
    [one({ request: {}, template_id: 't' }), /Ambiguous rated request/],
    [one({ template_id: 't', params: { x: 1 } }), /neither template nor evaluation request/],
  ] as const) {
    const { status, text } = await ask('POST /city/_rank_eval', body);
    equal(status, 400, text);
    match(text, reason);
  }
});

test('templates are filled with values for strings, lists and objects', async () => {
  const ask = await filled();
  const params = {
    s: 'a"b & c',
    l: ['q', 1],
    o: { k: 'v', m: [1] },
    list: [{ k: 1 }, { k: 2 }],
    t: true,
    f: false,
    z: 0,
    e: '',
    none: [],
  };
  for (const [source, expected] of [
    ['"{{s}}"', 'a"b & c'],
    ['"{{o.k}} {{o.m.0}} {{l.1}} {{l.size}} {{nobody.x}}"', 'v 1 1 2 '],
    ['{{#toJson}}o{{/toJson}}', { k: 'v', m: [1] }],
    ['"{{#toJson}}o.k{{/toJson}}{{#toJson}}nobody{{/toJson}}"', 'v'],
    [`"{{#join}}l{{/join}} {{#join delimiter='||'}}l{{/join delimiter='||'}} {{#join}}t{{/join}}"`, 'q,1 q||1 t'],
    ['"{{#url}}{{o.k}}/{{l.0}} é+*~{{/url}}"', 'v%2Fq+%C3%A9%2B*%7E'],
    ['"{{#list}}{{k}}{{#t}},{{/t}}{{/list}} {{#l}}<{{.}}>{{/l}}"', '1,2, <q><1>'],
    ['"{{#t}}T{{/t}}{{#f}}F{{/f}}{{#z}}Z{{/z}}{{#e}}E{{/e}}{{^none}}N{{/none}}{{! no }}"', 'TZN'],
    ['"{{=<% %>=}}<% o.k %> {{s}}"', 'v {{s}}'],
    ['"{{l}} {{o}}"', '{0=q, 1=1} {k=v, m=[1]}'],
  ] as const) {
    const { json, text } = await ask('POST /_render/template', { source: `{"a":${source}}`, params });
    deepEqual(json.template_output, { a: expected }, text);
  }
  for (const [source, reason] of [
    ['{{#x}}', "Failed to close 'x' tag @[query-template:1]"],
    ['\n{{x', 'Improperly closed variable @[query-template:2]'],
    ['{{#x}}{{/y}}', 'Mismatched start/end tags: x != y in query-template:1 @[query-template:1]'],
    ['{{> p}}', 'Template p not found'],
    ['{{#toJson}}{{/toJson}}', 'Mustache function [toJson] must contain one and only one identifier'],
  ] as const) {
    const { json, status } = await ask('POST /_render/template', { source });
    deepEqual([status, json.error.type, json.error.reason], [400, 'script_exception', reason]);
  }
});

test('a template whose lists multiply is refused before it grows too long', async () => {
  const ask = await startRest();
  const depth = 8;
  const source = `"${'{{#l}}'.repeat(depth)}x${'{{/l}}'.repeat(depth)}"`;
  const { status, text } = await ask('POST /_render/template', {
    source,
    params: { l: Array.from({ length: 50 }, () => 1) },
  });
  equal(status, 400);
  match(text, /The template makes more than \[200000\] parts/);
});

test('what a template reads counts, whether it prints it or not', async () => {
  const ask = await startRest();
  const nested = (name: string, levels: number, inner: string): string =>
    `${`{{#${name}}}`.repeat(levels)}${inner}${`{{/${name}}}`.repeat(levels)}`;
  const ones = (count: number): number[] => Array.from({ length: count }, () => 1);
  const nulls = Array.from({ length: 100_000 }, () => null);
  const long = 'a.'.repeat(4000);
  for (const [source, params, reason] of [
    [nested('url', 50, '{{{v}}}'), { v: '%'.repeat(400_000) }, /characters/],
    [`{{#l}}{{#join delimiter=''}}n{{/join delimiter=''}}{{/l}}`, { l: ones(2000), n: nulls }, /parts/],
    ['{{#l}}{{n}}{{/l}}', { l: ones(2000), n: nulls }, /parts/],
    ['{{#l}}{{#toJson}}n{{/toJson}}{{/l}}', { l: ones(2000), n: nulls }, /parts/],
    [`{{#l}}{{${long}}}{{/l}}`, { l: ones(2000) }, /characters/],
    [nested('a', 90, '{{#l}}{{q}}{{q}}{{/l}}'), { a: {}, l: ones(60_000) }, /characters/],
    [`{{${'a'.repeat(20_000)}}}`, {}, /A name in the template has more than \[10000\] characters/],
    ['{{a}}'.repeat(90_000), {}, /The template has more than \[200000\] parts/],
    [nested('a', 6000, 'x'), { a: { b: 1 } }, /nested deeper than \[100\] levels/],
  ] as const) {
    const { json, status, text } = await ask('POST /_render/template', { source, params });
    deepEqual([status, json.error.type], [400, 'script_exception'], text.slice(0, 200));
    match(json.error.reason, reason);
  }
  const half = { source: '"{{#url}}{{{v}}}{{/url}}"', params: { v: 'a\ud800b' } };
  equal((await ask('POST /_render/template', half)).json.template_output, 'a%3Fb');
});

test('a template that makes no object is refused, and text behind the object is ignored', async () => {
  const ask = await filled();
  for (const [source, token, line, col] of [
    ['[]', 'START_ARRAY', 1, 1],
    ['\n  [1]', 'START_ARRAY', 2, 3],
    ['5 6', 'VALUE_NUMBER', 1, 1],
    ['"x"', 'VALUE_STRING', 1, 1],
    ['null', 'VALUE_NULL', 1, 1],
    [' {{x}} ', 'null', 1, 0],
  ] as const) {
    const reason = `Expected [START_OBJECT] but found [${token}]`;
    const { error } = (await ask('POST /city/_search/template', { source })).json;
    deepEqual([error.type, error.reason, error.line, error.col], ['parsing_exception', reason, line, col]);
    const several = await ask('POST /city/_msearch/template', [{}, { source }, {}, { source: '{}' }]);
    equal(several.json.responses[0].error.reason, reason);
    const rank = {
      templates: [{ id: 't', template: { source } }],
      requests: [{ id: 'q', template_id: 't', params: { y: 1 }, ratings: [] }],
      metric: { dcg: {} },
    };
    const { json, status } = await ask('POST /city/_rank_eval', rank);
    deepEqual([status, json.error.reason], [400, reason]);
  }
  equal((await ask('POST /city/_search/template', { source: '{} [' })).json.hits.total.value, 4);
  const empty = 'Validation Failed: 1: template is missing;';
  equal((await ask('POST /_render/template', { source: '' })).json.error.reason, empty);
  equal((await ask('POST /_msearch/template', [{}, { source: '{}' }, {}, { source: '' }])).json.error.reason, empty);
});

test('rated searches of any name are shown, and scores that are no numbers are texts', async () => {
  const ask = await filled();
  const requests = [{ id: '__proto__', request: { query: { ids: { values: ['1'] } } }, ratings: rated({ 1: 2000 }) }];
  const { json } = await ask('POST /city/_rank_eval', { requests, metric: { dcg: { normalize: true } } });
  deepEqual([json.metric_score, Object.keys(json.details)], ['NaN', ['__proto__']]);
  const [shown] = Object.values(json.details) as { metric_score: unknown; metric_details: { dcg: object } }[];
  deepEqual(
    [shown?.metric_score, shown?.metric_details.dcg],
    ['NaN', { dcg: 'Infinity', ideal_dcg: 'Infinity', normalized_dcg: 'NaN', unrated_docs: 0 }],
  );
});

test('a search by a template is the search that it makes', async () => {
  const ask = await filled();
  const source = { query: { match: { a: '{{x}}' } }, size: '{{n}}{{^n}}10{{/n}}', _source: false };
  const found = async (target: string, body: unknown): Promise<unknown> => {
    const { json } = await ask(target, body);
    return json.hits.hits.map(({ _id }: { _id: string }) => _id);
  };
  deepEqual(await found('POST /city/_search/template', { source, params: { x: 'berlin' } }), ['1', '3']);
  const text = JSON.stringify(source);
  deepEqual(await found('POST /city/_search/template?size=9', { source: text, params: { x: 'berlin', n: 1 } }), ['1']);
  const explained = await ask('POST /city/_search/template', { source, params: { x: 'paris' }, explain: true });
  equal(explained.json.hits.hits[0]._explanation.value, explained.json.hits.hits[0]._score);
  for (const [body, type] of [
    [{ params: {} }, 'action_request_validation_exception'],
    [{ source: '{"query":{"nobody":{}}}' }, 'parsing_exception'],
    [{ source: '{' }, 'json_e_o_f_exception'],
    [{ nobody: 1 }, 'x_content_parse_exception'],
  ] as const) {
    const { json, status } = await ask('POST /city/_search/template', body);
    deepEqual([status, json.error.type], [400, type]);
  }
  const lines = [{}, { source, params: { x: 'paris' } }, { index: 'absent' }, { source }, {}, { id: 'absent' }];
  const several = await ask('POST /city/_msearch/template', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  deepEqual(
    several.json.responses.map((each: { error?: { type: string }; hits?: { total: { value: number } } }) =>
      each.error === undefined ? each.hits?.total.value : each.error.type,
    ),
    [1, 'index_not_found_exception', 'resource_not_found_exception'],
  );
});

test('a stored template is found by its id, and scripts of other languages are refused', async () => {
  const ask = await filled();
  const source = { query: { match: { a: '{{x}}' } } };
  equal((await ask('PUT /_scripts/by-name', { script: { lang: 'mustache', source } })).json.acknowledged, true);
  deepEqual((await ask('GET /_scripts/by-name')).json, {
    _id: 'by-name',
    found: true,
    script: {
      lang: 'mustache',
      source: JSON.stringify(source),
      options: { content_type: 'application/json; charset=UTF-8' },
    },
  });
  const params = { x: 'paris' };
  equal((await ask('POST /city/_search/template', { id: 'by-name', params })).json.hits.total.value, 1);
  deepEqual((await ask('POST /_render/template/by-name', { params })).json.template_output, {
    query: { match: { a: 'paris' } },
  });
  const templates = [{ id: 't', template: { id: 'by-name' } }];
  const requests = [{ id: 'q', template_id: 't', params, ratings: rated({ 4: 1 }) }];
  const { json } = await ask('POST /city/_rank_eval', { templates, requests, metric: { precision: {} } });
  equal(json.metric_score, 1);
  equal((await ask('DELETE /_scripts/by-name')).json.acknowledged, true);
  equal((await ask('POST /city/_search/template', { id: 'by-name' })).status, 404);
  for (const [script, reason] of [
    [{ source: 'x' }, /must specify lang for stored script/],
    [{ lang: 'nobody', source: 'x' }, /unable to put stored script with unsupported lang \[nobody\]/],
    [{ lang: 'painless', source: '1' }, /is not supported/],
    [{ lang: 'mustache', source: 'x', options: { a: 'b' } }, /illegal compiler options/],
    [{ lang: 'mustache', source: 'x'.repeat(70_000) }, /exceeded max allowed stored script size in bytes \[65535\]/],
  ] as const) {
    const { status, text } = await ask('PUT /_scripts/s', { script });
    equal(status, 400);
    match(text, reason);
  }
});
