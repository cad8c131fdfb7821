import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { load, startRest } from '../rest/harness.ts';
import { EXPLAINED, PRINTED } from './explained.ts';

const MAPPING = {
  text: { type: 'text', fields: { keyword: { type: 'keyword' } } },
  nn: { type: 'text', norms: false },
  dl: { type: 'text' },
  tag: { type: 'keyword' },
  n: { type: 'long' },
  i: { type: 'integer' },
  sh: { type: 'short' },
  d: { type: 'double' },
  f: { type: 'float' },
  h: { type: 'half_float' },
  sc: { type: 'scaled_float', scaling_factor: 10 },
  when: { type: 'date' },
  fine: { type: 'date_nanos' },
  flag: { type: 'boolean' },
  span: { type: 'integer_range' },
  lspan: { type: 'long_range' },
  dspan: { type: 'double_range' },
  dr: { type: 'date_range' },
  ipr: { type: 'ip_range' },
  rank: { type: 'rank_feature' },
  place: { type: 'geo_point' },
  ip: { type: 'ip' },
  typed: { type: 'search_as_you_type' },
  start: { type: 'completion' },
  label: { type: 'alias', path: 'tag' },
  parts: { type: 'nested', properties: { kind: { type: 'keyword' }, v: { type: 'long' }, note: { type: 'text' } } },
  poster: { properties: { login: { type: 'keyword' } } },
  nodv: { type: 'long', doc_values: false },
  noidx: { type: 'keyword', doc_values: false },
};

const DOCUMENTS = [
  {
    text: 'red fox red',
    nn: 'red fox',
    dl: 'red fox',
    tag: ['x', 'y'],
    n: 3,
    i: 3,
    sh: 3,
    d: 3.5,
    f: 3.5,
    h: 3.5,
    sc: 3.5,
    when: '2026-01-01',
    fine: '2026-01-01T00:00:00.000000001Z',
    flag: true,
    span: { gte: 1, lt: 5 },
    lspan: { gte: 1, lt: 5 },
    dspan: { gte: 1, lt: 5 },
    dr: { gte: '2026-01-01' },
    ipr: '10.0.0.0/24',
    rank: 7,
    place: { lat: 1, lon: 1 },
    ip: '10.0.0.1',
    typed: 'red fox',
    start: 'red',
    parts: [
      { kind: 'x', v: 1, note: 'red fox' },
      { kind: 'y', v: 2, note: 'red' },
    ],
    poster: { login: 'ann' },
    nodv: 4,
    noidx: 'z',
  },
  { text: 'blue fox', tag: 'z', n: 4 },
];

interface Told {
  readonly value: number;
  readonly description: string;
  readonly details: readonly Told[];
}

const lines = ({ description, details, value }: Told, depth = 0): readonly string[] => [
  `${' '.repeat(depth)}${Number.isInteger(value) && value < 1e21 ? `${value}.0` : value}  ${description}`,
  ...details.flatMap((each) => lines(each, depth + 2)),
];

test('queries print, and documents are explained, in the words of Elasticsearch 7.10', async () => {
  const ask = await startRest();
  equal((await ask('PUT /p1', { mappings: { properties: MAPPING } })).status, 200);
  await load(ask, 'p1', DOCUMENTS);
  for (const [query, text] of PRINTED) {
    const { json } = await ask('POST /p1/_validate/query?explain=true', { query: JSON.parse(query) });
    equal(json.explanations[0].explanation, text, query);
  }
  for (const [query, tree] of EXPLAINED) {
    const { json } = await ask('POST /p1/_explain/1', { query: JSON.parse(query) });
    deepEqual(lines(json.explanation), tree.split('\n'), query);
    equal(json.matched, !/^0\.0 {2}(?!sum of)/.test(tree), query);
  }
});

test('true and false score as words do, and as a set all the same', async () => {
  const ask = await startRest();
  await ask('PUT /b', { mappings: { properties: { flag: { type: 'boolean' }, n: { type: 'long' } } } });
  await load(ask, 'b', [{ flag: true }, { flag: false }, { flag: [true, false] }, {}, { flag: true }, { flag: '' }]);
  const scores = async (query: object): Promise<unknown> =>
    (await ask('POST /b/_search', { query })).json.hits.hits.map((hit: { _score: number }) => hit._score);
  deepEqual(await scores({ term: { flag: true } }), [0.57843524, 0.57843524, 0.57843524]);
  deepEqual(await scores({ match: { flag: { query: 'false', boost: 3 } } }), [1.735306, 1.735306, 1.735306]);
  deepEqual(await scores({ terms: { flag: [true] } }), [1, 1, 1]);
  deepEqual(await scores({ bool: { filter: { term: { flag: true } } } }), [0, 0, 0]);
  const { json } = await ask('POST /b/_explain/3', { query: { term: { flag: false } } });
  deepEqual(
    [json.explanation.value, json.explanation.description],
    [0.57843524, 'weight(flag:F in 2) [PerFieldSimilarity], result of:'],
  );
});

test('a document without a date or a point is told by its number, and an endless value is a text', async () => {
  const ask = await startRest();
  const properties = { n: { type: 'double' }, when: { type: 'date' }, place: { type: 'geo_point' } };
  await ask('PUT /e', { mappings: { properties } });
  await load(ask, 'e', [{ n: 3, when: 0, place: '1,1' }, { n: 3 }]);
  const explained = async (id: number, query: object): Promise<Told> =>
    (await ask(`POST /e/_explain/${id}`, { query })).json.explanation;
  for (const [field, origin, pivot] of [
    ['when', '1970-01-01', '1d'],
    ['place', '1,1', '1km'],
  ])
    equal(
      (await explained(2, { distance_feature: { field, origin, pivot } })).description,
      `Document 1 doesn't have a value for field ${field}`,
    );
  const endless = { field_value_factor: { field: 'n', factor: 1e308, modifier: 'square' } };
  const one = await explained(1, { function_score: { functions: [endless], boost_mode: 'replace' } });
  deepEqual([one.value, one.details[0]?.value], [3.4028235e38, 'Infinity']);
  const functions = [{ weight: 2, ...endless }, { weight: 3 }];
  const sum = await explained(1, { function_score: { functions, boost_mode: 'replace', score_mode: 'sum' } });
  deepEqual([sum.value, sum.details[0]?.value], [3.4028235e38, 'Infinity']);
});
