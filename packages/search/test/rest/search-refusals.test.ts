// Members of a search body that cannot be, alone or together: how Elasticsearch 7.10.2 tells them.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { load, startRest } from './harness.ts';

const PHASE = 'search_phase_execution_exception';
const SCROLL = 'POST /t/_search?scroll=1m';

/** A request, the type of its error, and that of the cause. */
const REFUSED: readonly (readonly [string, unknown, string, string])[] = [
  ['POST /t/_search', { size: 'x' }, 'number_format_exception', 'number_format_exception'],
  ['POST /t/_search', { size: true }, 'json_parse_exception', 'json_parse_exception'],
  ['POST /t/_search', { size: null }, 'parsing_exception', 'parsing_exception'],
  ['POST /t/_search', { min_score: [1] }, 'parsing_exception', 'parsing_exception'],
  ['POST /t/_search', { explain: 1 }, 'json_parse_exception', 'json_parse_exception'],
  ['POST /t/_search', { version: 'x' }, 'illegal_argument_exception', 'illegal_argument_exception'],
  ['POST /t/_search', { search_after: 'x' }, 'parsing_exception', 'parsing_exception'],
  ['POST /t/_search', { search_after: [1] }, PHASE, 'illegal_argument_exception'],
  ['POST /t/_search', { search_after: [1, 2], sort: ['n'] }, PHASE, 'illegal_argument_exception'],
  ['POST /t/_search', { search_after: ['x'], sort: ['n'] }, PHASE, 'illegal_argument_exception'],
  ['POST /t/_search', { search_after: [1], sort: ['n'], from: 1 }, PHASE, 'search_exception'],
  ['POST /t/_search', { collapse: { field: 'n', x: 1 } }, 'x_content_parse_exception', 'x_content_parse_exception'],
  ['POST /t/_search', { collapse: { field: 'n' }, search_after: [1], sort: ['n'] }, PHASE, 'search_exception'],
  ['POST /t/_search', { slice: { id: 0, max: 2 } }, PHASE, 'search_exception'],
  [SCROLL, { slice: { id: 2, max: 2 } }, 'x_content_parse_exception', 'x_content_parse_exception'],
  [SCROLL, { collapse: { field: 'n' } }, PHASE, 'search_exception'],
  ['POST /t/_search', { indices_boost: [{ t: -2 }] }, PHASE, 'illegal_argument_exception'],
  ['POST /t/_search', { indices_boost: [{ t: 'x' }] }, 'parsing_exception', 'parsing_exception'],
  [
    'POST /_search/scroll',
    { scroll_id: 'nobody opened it' },
    'illegal_argument_exception',
    'illegal_argument_exception',
  ],
  ['POST /_search/scroll', { scroll_id: 7 }, 'illegal_argument_exception', 'illegal_argument_exception'],
  ['GET /_search/scroll/absent', undefined, 'illegal_argument_exception', 'illegal_argument_exception'],
  ['DELETE /_search/scroll/absent', undefined, 'illegal_argument_exception', 'illegal_argument_exception'],
];

test('members of a search that cannot be are refused with the types of Elasticsearch', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ n: 1 }, { n: 2 }]);
  for (const [target, body, type, cause] of REFUSED) {
    const { error, status } = (await ask(target, body)).json;
    deepEqual(
      [status, error?.type, error?.root_cause[0].type],
      [400, type, cause],
      `${target} ${JSON.stringify(body)}`,
    );
  }
});

test('a search that ends early says so only where there was more to find', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ n: 1 }, { n: 2 }]);
  const early = async (body: object): Promise<unknown> => (await ask('POST /t/_search', body)).json.terminated_early;
  equal(await early({ terminate_after: 1 }), true);
  equal(await early({ terminate_after: 2 }), false);
  equal(await early({ terminate_after: 1, query: { term: { n: 2 } } }), false);
});

test('-1 stands for the usual size and start, and numbers lose their fractions', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ n: 1 }, { n: 2 }]);
  const count = async (body: object): Promise<number> => (await ask('POST /t/_search', body)).json.hits.hits.length;
  deepEqual([await count({ size: -1 }), await count({ from: -1 }), await count({ size: 1.5 })], [2, 2, 1]);
  equal((await ask('POST /t/_search', { track_total_hits: -1 })).json.hits.total, undefined);
  equal(
    (await ask('POST /t/_search?track_total_hits=-2')).json.error.reason,
    '[track_total_hits] parameter must be positive or equals to -1, got -2',
  );
});

test('a search of no index has no aggregations, and a best score of zero', async () => {
  const ask = await startRest();
  const { json } = await ask('POST /nobody*/_search', { aggs: { a: { terms: { field: 'n' } } } });
  deepEqual([json.aggregations, json.hits.max_score, json._shards.total], [undefined, 0, 0]);
});

test('a format that would be printed for each bucket or hit has at most 1,000 characters', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ n: 1, d: '2020-01-01' }]);
  const [text, number] = [`'${'x'.repeat(1000)}'yyyy`, `'${'x'.repeat(1000)}'0`];
  for (const body of [
    { aggs: { a: { date_histogram: { field: 'd', fixed_interval: '1d', format: text } } } },
    { aggs: { a: { histogram: { field: 'n', interval: 1, format: number } } } },
    { docvalue_fields: [{ field: 'd', format: text }] },
    { docvalue_fields: [{ field: 'n', format: number }] },
    { query: { range: { d: { gte: '2020', format: text } } } },
  ]) {
    const { status, text: told } = await ask('POST /t/_search', body);
    equal(status, 400, told);
    match(told, /a \[format\] has at most \[1000\] characters/);
  }
});

test('a filter of a function is read whole, also where it matches everything', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ n: 1 }]);
  const asked = async (filter: object): Promise<number> =>
    (await ask('POST /t/_search', { query: { function_score: { functions: [{ filter, weight: 2 }] } } })).status;
  deepEqual(
    [await asked({ match_all: {} }), await asked({ match_all: '5' }), await asked({ match_all: {}, wrong: 1 })],
    [200, 400, 400],
  );
});

test('hits without anything stored show no fields', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ n: 1 }]);
  const none = { stored_fields: '_none_', fields: ['n'] };
  equal(
    (await ask('POST /t/_search', none)).json.error.root_cause[0].reason,
    '[stored_fields] cannot be disabled when using the [fields] option',
  );
  equal((await ask('POST /t/_search', { size: 0, aggs: { a: { top_hits: { ...none, _source: true } } } })).status, 200);
});

test('a query of no ids is one of nothing', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ n: 1 }]);
  const { json } = await ask('POST /t/_validate/query?explain=true', { query: { ids: { values: [] } } });
  equal(json.explanations[0].explanation, 'MatchNoDocsQuery("User requested "match_none" query.")');
});
