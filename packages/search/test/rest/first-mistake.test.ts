// Which of several mistakes a request is refused for, and in what shape: as Elasticsearch 7.10.2 answers.
import { deepEqual, match } from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Ask, load, startRest } from './harness.ts';

let ask: Ask;

before(async () => {
  ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { n: { type: 'long' }, text: { type: 'text' } } } });
  await load(ask, 't', [{ n: 1, text: 'red fox' }]);
});

const UNKNOWN = { query: { foo: {} } };
const ALL = { query: { match_all: {} } };
/** Only the mapping says that it is wrong. */
const MISFIT = { query: { term: { n: 'x' } } };
const PARSING = ['parsing_exception', 'parsing_exception'];
const ABSENT = ['index_not_found_exception', 'index_not_found_exception'];
const ARGUMENT = ['illegal_argument_exception', 'illegal_argument_exception'];
const SHARD = ['search_phase_execution_exception', 'query_shard_exception'];

type Row = readonly [target: string, body: unknown, types: readonly string[]];

async function check(rows: readonly Row[]): Promise<void> {
  for (const [target, body, types] of rows) {
    const { json } = await ask(target, body);
    const { error } = json;
    deepEqual(
      [error?.type, error?.root_cause?.[0]?.type],
      types,
      `${target} ${JSON.stringify(body)}: ${error?.reason}`,
    );
  }
}

test('a body that cannot be read is refused before an index that there is not', async () => {
  const doors = ['_search', '_count', '_explain/1', '_delete_by_query', '_update_by_query'];
  await check(
    doors.flatMap((door): readonly Row[] => [
      [`POST /absent/${door}`, UNKNOWN, PARSING],
      [`POST /absent/${door}`, MISFIT, ABSENT],
      [`POST /absent/${door}`, ALL, ABSENT],
    ]),
  );
  await check([['POST /absent*/_search', UNKNOWN, PARSING]]);
});

test('a body that cannot be read is refused before a parameter that there is not, and that before a failing shard', async () => {
  await check(
    ['_search', '_count', '_delete_by_query'].flatMap((door): readonly Row[] => [
      [`POST /t/${door}?foo=1`, UNKNOWN, PARSING],
      [`POST /t/${door}?foo=1`, MISFIT, ARGUMENT],
      [`POST /t/${door}`, MISFIT, SHARD],
    ]),
  );
});

test('what is missing is told after a parameter that there is not', async () => {
  const { json } = await ask('POST /t/_delete_by_query?foo=1', {});
  match(json.error.reason, /contains unrecognized parameter: \[foo\]/);
  match((await ask('POST /t/_delete_by_query', {})).json.error.reason, /query is missing/);
});

test('a search that cannot be read fails all of a _msearch, one that fails on a shard only itself', async () => {
  await check([
    ['POST /t/_msearch', [{}, ALL, {}, UNKNOWN], PARSING],
    ['POST /t/_msearch', [{ index: 'absent' }, ALL, {}, { foo: 1 }], PARSING],
    ['POST /t/_msearch', [{}, ALL, { foo: 1 }, ALL], ARGUMENT],
  ]);
  const { responses } = (await ask('POST /t/_msearch', [{}, MISFIT, { index: 'absent' }, MISFIT, {}, ALL])).json;
  deepEqual(
    responses.map((each: any) => [each.status, each.error?.root_cause[0].type]),
    [
      [400, 'query_shard_exception'],
      [404, 'index_not_found_exception'],
      [200, undefined],
    ],
  );
});

test('of several members and clauses the first that cannot be read is named, whatever shards say of others', async () => {
  const reason = async (body: object): Promise<string> => (await ask('POST /t/_search', body)).json.error.reason;
  match(await reason({ query: { foo: {} }, bar: 1 }), /unknown query \[foo\]/);
  match(await reason({ bar: 1, query: { foo: {} } }), /Unknown key for a VALUE_NUMBER in \[bar\]/);
  match(await reason({ ...MISFIT, aggs: { a: { foo: {} } } }), /Unknown aggregation type \[foo\]/);
  match(await reason({ ...MISFIT, sort: [{ absent: { order: 'up' } }] }), /order/);
  match(await reason({ ...MISFIT, aggs: { a: { filter: { foo: {} } } } }), /unknown query \[foo\]/);
  match(await reason({ size: 20_000, post_filter: { foo: {} } }), /unknown query \[foo\]/);
});
