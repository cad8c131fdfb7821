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

const PARSER = 'x_content_parse_exception';

test('a mistake in a clause is the cause of what the clauses around it say', async () => {
  const { error } = (await ask('POST /t/_search', { query: { bool: { filter: { bool: { must: [{ foo: {} }] } } } } }))
    .json;
  const reasons: string[] = [];
  for (let each = error; each !== undefined; each = each.caused_by) reasons.push(each.reason);
  deepEqual(reasons, [
    '[bool] failed to parse field [filter]',
    '[bool] failed to parse field [must]',
    'unknown query [foo]',
    'unknown field [foo]',
  ]);
  deepEqual(error.root_cause[0].type, 'parsing_exception');
});

/** Query, type and root of the error, reason of the root. */
const QUERIES: readonly (readonly [unknown, string, string, string])[] = [
  [null, PARSING[0]!, PARSING[0]!, 'Unknown key for a VALUE_NULL in [query].'],
  [
    { bool: { mustt: [] } },
    PARSER,
    PARSER,
    '[bool] unknown field [mustt] did you mean any of [must, mustNot, must_not]?',
  ],
  [{ bool: { must: 'x' } }, PARSER, PARSER, "[bool] must doesn't support values of type: VALUE_STRING"],
  [{ bool: { boost: 'x' } }, PARSER, PARSER, '[bool] failed to parse field [boost]'],
  [
    { match_all: { boost: true } },
    PARSING[0]!,
    PARSING[0]!,
    "[match_all] boost doesn't support values of type: VALUE_BOOLEAN",
  ],
  [{ ids: { values: 1 } }, PARSING[0]!, PARSING[0]!, "[ids] values doesn't support values of type: VALUE_NUMBER"],
  [{ term: {} }, ARGUMENT[0]!, ARGUMENT[0]!, 'field name is null or empty'],
  [{ term: { n: {} } }, ARGUMENT[0]!, ARGUMENT[0]!, 'value cannot be null'],
  [{ terms: { n: [null] } }, PARSING[0]!, PARSING[0]!, 'No value specified for terms query'],
  [{ terms: { n: { index: 't' } } }, ARGUMENT[0]!, ARGUMENT[0]!, 'Required [id, path]'],
  [{ terms: { n: { index: 't', id: '1', path: 'n', x: 1 } } }, PARSER, PARSER, '[terms_lookup] unknown field [x]'],
  [{ match: { text: {} } }, PARSING[0]!, PARSING[0]!, 'No text specified for text query'],
  [
    { match: { text: { query: 'a', operator: 'x' } } },
    ARGUMENT[0]!,
    ARGUMENT[0]!,
    'No enum constant org.elasticsearch.index.query.Operator.X',
  ],
  [
    { match: { text: { query: 'a', prefix_length: 'x' } } },
    'number_format_exception',
    'number_format_exception',
    'For input string: "x"',
  ],
  [
    { match: { text: { query: 'a', fuzzy_rewrite: 'x' } } },
    SHARD[0]!,
    SHARD[1]!,
    'failed to create query: Failed to parse rewrite_method [x]',
  ],
  [{ match_phrase: { text: { query: 'a', slop: -1 } } }, ARGUMENT[0]!, ARGUMENT[0]!, 'No negative slop allowed.'],
  [
    { multi_match: { query: 'a', type: 'x' } },
    'parse_exception',
    'parse_exception',
    'failed to parse [multi_match] query type [x]. unknown type.',
  ],
  [
    { multi_match: { query: 'a', fields: ['text^x'] } },
    'number_format_exception',
    'number_format_exception',
    'For input string: "x"',
  ],
  [{ regexp: { absent: { value: 'x', flags: 'FOO' } } }, ARGUMENT[0]!, ARGUMENT[0]!, 'Unknown regexp flag [FOO]'],
  [
    { nested: { path: 'x', query: { match_all: {} }, score_mode: 'x' } },
    ARGUMENT[0]!,
    ARGUMENT[0]!,
    'No score mode for child query [x] found',
  ],
  [
    { bool: { should: [{ match_all: {} }], minimum_should_match: 'x' } },
    SHARD[0]!,
    SHARD[1]!,
    'failed to create query: For input string: "x"',
  ],
];

test('each mistake in a query has the types and words of Elasticsearch', async () => {
  for (const [query, type, root, reason] of QUERIES) {
    const { error } = (await ask('POST /t/_search', { query })).json;
    const [cause] = error.root_cause;
    deepEqual([error.type, cause.type, cause.reason], [type, root, reason], JSON.stringify(query));
  }
});

test('a member of a search is refused by its token, before anything is asked of an index', async () => {
  await check([
    ['POST /absent/_search', { slice: 1 }, PARSING],
    ['POST /absent/_search', { sort: null }, PARSING],
    ['POST /absent/_search', { stats: 'x' }, PARSING],
    ['POST /absent/_search', { stored_fields: true }, PARSING],
    ['POST /absent/_search', { search_after: [] }, ARGUMENT],
    ['POST /absent/_search', { docvalue_fields: [{}] }, ARGUMENT],
    ['POST /absent/_search', { sort: { n: 'up' } }, ARGUMENT],
    ['POST /absent/_search', { sort: [{ n: 1 }] }, [PARSER, PARSER]],
    ['POST /absent/_search', { sort: [{ n: { nested: { path: 'p', filter: { foo: {} } } } }] }, [PARSER, PARSING[0]!]],
    ['POST /absent/_search?request_cache=x', ALL, ARGUMENT],
    ['POST /absent/_count', '{"query":', PARSING],
    ['POST /absent/_explain/1', {}, ['action_request_validation_exception', 'action_request_validation_exception']],
    ['POST /absent/_search', { aggs: { a: { top_hits: { size: -1 } } } }, ARGUMENT],
    ['POST /t/_search', { sort: 'n:asc' }, SHARD],
  ]);
});

test('a bulk request is refused for the first mistake of its lines, and a copy for its wildcards before its numbers', async () => {
  const lines = ['{"update":{"_index":"t","_id":"1"}}', '{"docs":{}}', '{"index":{"_index":"t","x":{}}}', '{}', ''];
  const unread = ['x_content_parse_exception', 'x_content_parse_exception'];
  await check([
    ['POST /_bulk', lines.join('\n'), unread],
    ['POST /_bulk', [...lines.slice(2, 4), ...lines.slice(0, 2), ''].join('\n'), ARGUMENT],
  ]);
  const { text } = await ask('POST /t/_delete_by_query?max_docs=x&expand_wildcards=wrong', ALL);
  match(text, /No valid expand wildcard value \[wrong\]/);
});
