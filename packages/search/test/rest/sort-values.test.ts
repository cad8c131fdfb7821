// What stands for a missing value among the sort values of a hit, and which of several values counts, as Elasticsearch 7.10.2 answers for
// the same documents.
import { deepEqual, equal, match } from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Ask, startRest } from './harness.ts';

let ask: Ask;

before(async () => {
  ask = await startRest();
  await ask('PUT /h', {
    mappings: {
      properties: {
        n: { type: 'long' },
        v: { type: 'double' },
        sf: { type: 'scaled_float', scaling_factor: 10 },
        b: { type: 'boolean' },
        d: { type: 'date' },
        k: { type: 'keyword' },
        g: { type: 'geo_point' },
        parts: { type: 'nested', properties: { v: { type: 'long' } } },
      },
    },
  });
  const documents = [
    { n: 1, v: 2, sf: 1.5, b: true, d: '2026-01-01', k: 'a', g: '1,1', parts: [{ v: 3 }, { v: 1 }] },
    { n: [1, 5, 7, 10], v: [2.5, 7], sf: [0.1, 0.2], b: [true, false], k: ['b', 'c'], parts: [{ v: 5 }] },
    {},
  ];
  for (const [id, document] of documents.entries()) await ask(`PUT /h/_doc/${id}`, document);
  await ask('POST /h/_refresh');
});

const MOST = 2 ** 63;

async function sorted(sort: unknown, more: object = {}): Promise<readonly unknown[]> {
  const { json, text } = await ask('POST /h/_search', { sort: [sort], ...more });
  equal(json.hits !== undefined, true, text);
  return json.hits.hits.map(({ _id, sort: [value] }: { _id: string; sort: unknown[] }) => `${_id} ${String(value)}`);
}

test('a missing number is shown as the greatest or least of its type, and pages go on after it', async () => {
  deepEqual(await sorted('n'), ['0 1', '1 1', `2 ${MOST}`]);
  deepEqual(await sorted({ n: 'desc' }), ['1 10', '0 1', `2 ${-MOST}`]);
  deepEqual(await sorted({ n: { missing: '_first' } }), [`2 ${-MOST}`, '0 1', '1 1']);
  deepEqual(await sorted({ n: { order: 'desc', missing: '_first' } }), [`2 ${MOST}`, '1 10', '0 1']);
  deepEqual(await sorted('v'), ['0 2', '1 2.5', '2 Infinity']);
  deepEqual(await sorted({ v: 'desc' }), ['1 7', '0 2', '2 -Infinity']);
  deepEqual(await sorted('k'), ['0 a', '1 b', '2 null']);
  match((await ask('POST /h/_search', { sort: ['n'] })).text, /"sort":\[9223372036854775807\]/);
  const rest = await ask('POST /h/_search', '{"sort":["n","k"],"search_after":[9223372036854775807,null]}');
  deepEqual(rest.json.hits.hits, []);
  deepEqual(await sorted('v', { search_after: ['Infinity'] }), []);
});

test('an average of whole numbers is rounded, and numeric_type long cuts fractions off', async () => {
  deepEqual(await sorted({ n: { mode: 'avg' } }), ['0 1', '1 6', `2 ${MOST}`]);
  deepEqual(await sorted({ n: { mode: 'median' } }), ['0 1', '1 6', `2 ${MOST}`]);
  deepEqual(await sorted({ sf: { numeric_type: 'long' } }), ['1 0', '0 1', `2 ${MOST}`]);
  deepEqual(await sorted({ n: { numeric_type: 'double' } }), ['0 1', '1 1', '2 Infinity']);
  deepEqual(await sorted({ b: 'desc' }), ['0 1', '1 1', `2 ${-MOST}`]);
});

test('a field of nested elements has no value without nested', async () => {
  deepEqual(await sorted('parts.v'), [`0 ${MOST}`, `1 ${MOST}`, `2 ${MOST}`]);
  deepEqual(await sorted({ 'parts.v': { nested: { path: 'parts' } } }), ['0 1', '1 5', `2 ${MOST}`]);
});

test('documents without a point are infinitely far away', async () => {
  deepEqual(await sorted({ _geo_distance: { g: [1, 1] } }), ['0 0', '1 Infinity', '2 Infinity']);
  deepEqual(await sorted({ _geo_distance: { g: [1, 1], order: 'desc' } }), ['1 Infinity', '2 Infinity', '0 0']);
});

test('a field that is not mapped has the missing value of the type that is asked', async () => {
  deepEqual(await sorted({ z: { unmapped_type: 'long' } }), [`0 ${MOST}`, `1 ${MOST}`, `2 ${MOST}`]);
  deepEqual(await sorted({ z: { unmapped_type: 'float', order: 'desc' } }), [
    '0 -Infinity',
    '1 -Infinity',
    '2 -Infinity',
  ]);
  deepEqual(await sorted({ z: { unmapped_type: 'keyword', missing: 'x' } }), ['0 x', '1 x', '2 x']);
});

test('a sort that cannot be is refused as Elasticsearch refuses it', async () => {
  const refused: readonly (readonly [unknown, string, string])[] = [
    [{ n: { bogus: 1 } }, 'x_content_parse_exception', 'x_content_parse_exception'],
    [{ n: { mode: 'x' } }, 'x_content_parse_exception', 'x_content_parse_exception'],
    [{ n: { missing: 'x' } }, 'search_phase_execution_exception', 'number_format_exception'],
    [{ d: { missing: '2026-01-02' } }, 'search_phase_execution_exception', 'number_format_exception'],
    [{ k: { mode: 'avg' } }, 'search_phase_execution_exception', 'query_shard_exception'],
    [{ n: { nested: { path: 'z' } } }, 'search_phase_execution_exception', 'query_shard_exception'],
    [
      { n: { mode: 'median', nested: { path: 'parts' } } },
      'search_phase_execution_exception',
      'illegal_argument_exception',
    ],
    [{ z: { unmapped_type: 'text' } }, 'search_phase_execution_exception', 'illegal_argument_exception'],
    ['g', 'search_phase_execution_exception', 'illegal_argument_exception'],
  ];
  for (const [sort, type, cause] of refused) {
    const { error, status } = (await ask('POST /h/_search', { sort: [sort] })).json;
    deepEqual([status, error?.type, error?.root_cause[0].type], [400, type, cause], JSON.stringify(sort));
  }
});

test('a sort by falling score alone is none', async () => {
  const { hits } = (await ask('POST /h/_search', { sort: ['_score'] })).json;
  deepEqual([hits.max_score, hits.hits[0]._score, hits.hits[0].sort], [1, 1, undefined]);
});

test('floats are shown and read back as the shortest numbers that they are', async () => {
  await ask('PUT /floats', { mappings: { properties: { f: { type: 'float' }, half: { type: 'half_float' } } } });
  await ask('PUT /floats/_doc/0', { f: 0.1, half: 0.1 });
  await ask('PUT /floats/_doc/1?refresh', { f: [0.2, 1e30], half: [0.3, 1000] });
  const values = async (sort: unknown, more: object = {}): Promise<readonly unknown[]> =>
    (await ask('POST /floats/_search', { sort: [sort], ...more })).json.hits.hits.map(
      ({ sort: [value] }: { readonly sort: readonly unknown[] }) => value,
    );
  deepEqual(await values('f'), [0.1, 0.2]);
  deepEqual(await values('half'), [0.099975586, 0.30004883]);
  deepEqual(await values({ f: { numeric_type: 'double' } }), [0.10000000149011612, 0.20000000298023224]);
  deepEqual(await values('f', { search_after: [0.1] }), [0.2]);
  deepEqual(await values({ f: 'desc' }, { search_after: [1e30] }), [0.1]);
});
