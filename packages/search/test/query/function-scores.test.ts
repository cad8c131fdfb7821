// Scores of functions, distances and chance, and the refusals of functions, as Elasticsearch 7.10.2 gave them for the same documents.
import { deepEqual, equal, match } from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Ask, startRest } from '../rest/harness.ts';

let ask: Ask;

before(async () => {
  ask = await startRest();
  await ask('PUT /h', {
    mappings: {
      properties: {
        n: { type: 'long' },
        v: { type: 'double' },
        k: { type: 'keyword' },
        d: { type: 'date' },
        g: { type: 'geo_point' },
        sf: { type: 'scaled_float', scaling_factor: 10 },
      },
    },
  });
  const documents = [
    { n: 1, v: 2, k: 'a', d: '2026-01-01', g: '1,1', sf: 1.5 },
    { n: 1, v: 3, k: ['a', 'b'], g: ['2,2', '3,3'] },
    { n: [4, 9, 2], v: 7.5, k: 'c' },
    { k: 'x' },
  ];
  for (const [id, document] of documents.entries()) await ask(`PUT /h/_doc/${id}`, document);
  await ask('POST /h/_refresh');
});

const scored = (functions: readonly unknown[], more: object = {}): object => ({
  query: { function_score: { query: { match_all: {} }, functions, ...more } },
});

async function scoresOf(
  functions: readonly unknown[],
  more: object = {},
): Promise<readonly (readonly [string, number])[]> {
  const { json, text } = await ask('POST /h/_search', scored(functions, more));
  equal(json.hits?.hits !== undefined, true, text);
  return json.hits.hits.map(({ _id, _score }: { _id: string; _score: number }) => [_id, _score]);
}

const far = (shape: string, mode: string): readonly unknown[] => [
  { [shape]: { g: { origin: '1,2', scale: '100km' }, multi_value_mode: mode } },
];

test('distances are those of Lucene’s sphere, to the last bit, between points of 32 bits a coordinate', async () => {
  deepEqual(await scoresOf(far('gauss', 'min')), [
    ['2', 1],
    ['3', 1],
    ['0', 0.424531],
    ['1', 0.4244203],
  ]);
  deepEqual(await scoresOf(far('gauss', 'sum')), [
    ['2', 1],
    ['3', 1],
    ['0', 0.424531],
    ['1', 0.00012674804],
  ]);
  deepEqual(await scoresOf(far('exp', 'max')), [
    ['2', 1],
    ['3', 1],
    ['0', 0.4627223],
    ['1', 0.17849192],
  ]);
  deepEqual(await scoresOf(far('linear', 'median')), [
    ['2', 1],
    ['3', 1],
    ['0', 0.44410926],
    ['1', 0.100494966],
  ]);
});

test('chance is decided by seed, index and value, as Elasticsearch decides it', async () => {
  const chance = (random: object): Promise<readonly (readonly [string, number])[]> =>
    scoresOf([{ random_score: random }]);
  deepEqual(await chance({ seed: 7, field: 'n' }), [
    ['2', 0.59035385],
    ['0', 0.15681905],
    ['1', 0.15681905],
    ['3', 0.12002182],
  ]);
  deepEqual(await chance({ seed: 7, field: 'k' }), [
    ['0', 0.81466377],
    ['1', 0.81466377],
    ['2', 0.25822288],
    ['3', 0.24041474],
  ]);
  deepEqual(await chance({ seed: 'abc', field: 'v' }), [
    ['3', 0.95960313],
    ['1', 0.67835796],
    ['2', 0.14175647],
    ['0', 0.013132393],
  ]);
  deepEqual((await chance({ seed: 7 }))[0], ['2', 0.59035385]);
});

test('factors and weights are numbers of 32 bits, and a score may be infinite before it is capped', async () => {
  const factor = (more: object): Promise<readonly (readonly [string, number])[]> =>
    scoresOf([{ field_value_factor: { field: 'n', missing: 3, ...more } }]);
  deepEqual((await factor({ factor: 1.3 }))[0], ['3', 3.8999999]);
  deepEqual((await factor({ factor: 1.3, modifier: 'square' }))[0], ['3', 15.209999]);
  deepEqual((await factor({ missing: 0, modifier: 'reciprocal' }))[0], ['3', 3.4028235e38]);
});

test('a single function without a filter is taken as it is, whatever the score mode', async () => {
  equal((await scoresOf([{ weight: 0 }], { score_mode: 'avg' }))[0]![1], 0);
  equal((await scoresOf([{ filter: { term: { k: 'a' } }, weight: 0 }], { score_mode: 'avg' }))[0]![1], 1);
  equal((await scoresOf([], { boost_mode: 'replace' }))[0]![1], 1);
});

/** What Elasticsearch says: the error's type, its cause's, and its words. */
const REFUSED: readonly (readonly [readonly unknown[], string, string, RegExp])[] = [
  [[{ weight: -1 }], 'illegal_argument_exception', 'illegal_argument_exception', /\[weight\] cannot be negative for a/],
  [
    [{ field_value_factor: { field: 'v', factor: -1, missing: 1 } }],
    'search_phase_execution_exception',
    'illegal_argument_exception',
    /field value function must not produce negative scores/,
  ],
  [
    [{ field_value_factor: { field: 'n', missing: 0, modifier: 'ln' } }],
    'search_phase_execution_exception',
    'illegal_argument_exception',
    /consider using ln1p or ln2p instead of ln to avoid negative scores/,
  ],
  [
    [{ field_value_factor: { field: 'v' } }],
    'search_phase_execution_exception',
    'exception',
    /Missing value for field \[v\]/,
  ],
  [
    [{ field_value_factor: { field: 'z' } }],
    'search_phase_execution_exception',
    'exception',
    /Unable to find a field mapper/,
  ],
  [
    [{ field_value_factor: { field: 'k' } }],
    'search_phase_execution_exception',
    'query_shard_exception',
    /of type \[keyword\]/,
  ],
  [
    [{ field_value_factor: {} }],
    'parsing_exception',
    'parsing_exception',
    /\[field_value_factor\] required field 'field' missing/,
  ],
  [
    [{ gauss: { z: { origin: 1, scale: 1 } } }],
    'search_phase_execution_exception',
    'parsing_exception',
    /unknown field \[z\]/,
  ],
  [
    [{ gauss: { sf: { origin: 1, scale: 1 } } }],
    'search_phase_execution_exception',
    'parsing_exception',
    /only numeric types/,
  ],
  [
    [{ gauss: { n: { origin: 1 } } }],
    'search_phase_execution_exception',
    'parse_exception',
    /both \[scale\] and \[origin\] must be set/,
  ],
  [
    [{ gauss: { n: { origin: 1, scale: 0 } } }],
    'search_phase_execution_exception',
    'query_shard_exception',
    /scale must be > 0\.0/,
  ],
  [[{ weight: 'x' }], 'number_format_exception', 'number_format_exception', /For input string: \\"x\\"/],
  [
    [{ random_score: { seed: 7.5, field: 'n' } }],
    'parsing_exception',
    'parsing_exception',
    /seed must be an int, long or string/,
  ],
];

test('a function that cannot be read or computed is refused as Elasticsearch refuses it, inside _msearch too', async () => {
  for (const [functions, type, cause, words] of REFUSED) {
    const body = scored(functions);
    const alone = (await ask('POST /h/_search', body)).json;
    deepEqual([alone.status, alone.error.type, alone.error.root_cause[0].type], [400, type, cause], words.source);
    match(JSON.stringify(alone), words);
    const among = (await ask('POST /_msearch', [{ index: 'h' }, body])).json;
    deepEqual(type === 'search_phase_execution_exception' ? among.responses[0] : among, alone);
  }
});

test('functions are computed only where a score is asked for', async () => {
  const body = scored([{ field_value_factor: { field: 'v', factor: -1, missing: 1 } }]);
  equal((await ask('POST /h/_search', { ...body, size: 0 })).status, 200);
  equal((await ask('POST /h/_search', { ...body, sort: ['n'] })).status, 200);
  equal((await ask('POST /h/_search', { ...body, size: 0, min_score: 0.1 })).status, 400);
});
