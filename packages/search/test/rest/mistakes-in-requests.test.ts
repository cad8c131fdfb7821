// Mistakes that every endpoint can be asked with: methods, parameters and bodies; answered as Elasticsearch 7.10.2 answers them.
import { deepEqual, equal, match } from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Ask, load, startRest } from './harness.ts';

let ask: Ask;

before(async () => {
  ask = await startRest();
  await ask('PUT /o', { mappings: { properties: { t: { type: 'text' } } } });
  await load(ask, 'o', [{ t: 'fox' }]);
});

/** Target, body, type and reason of the error. */
type Row = readonly [target: string, body: string | undefined, type: string | undefined, reason: string];

async function check(rows: readonly Row[]): Promise<void> {
  for (const [target, body, type, reason] of rows) {
    const { status, json, text } = await ask(target, body);
    equal(status, 400, `${target} ${body}: ${text}`);
    deepEqual([json.error.type, json.error.reason], [type, reason], `${target} ${body}`);
  }
}

const ARGUMENT = 'illegal_argument_exception';

test('OPTIONS tells the methods of a path, and another method is refused with them', async () => {
  const options = await ask('OPTIONS /o/_search?x=1');
  deepEqual([options.status, options.headers['Allow'], options.text], [200, 'GET,POST', '']);
  match(options.headers['Content-Type'] ?? '', /^text\/plain/);
  const nothing = await ask('OPTIONS /_foo/bar/baz/a');
  deepEqual([nothing.status, nothing.headers['Allow']], [200, undefined]);
  const refused = await ask('DELETE /_search');
  deepEqual([refused.status, refused.headers['Allow']], [405, 'GET,POST']);
  deepEqual(refused.json, {
    error: 'Incorrect HTTP method for uri [/_search] and method [DELETE], allowed: [GET, POST]',
    status: 405,
  });
  equal((await ask('POST /o/_alias')).status, 405);
});

test('a parameter of another kind is refused whether the endpoint needs it or not', async () => {
  await check([
    ['GET /o/_search?from=1.5', undefined, ARGUMENT, 'Failed to parse int parameter [from] with value [1.5]'],
    [
      'GET /o/_search?size=99999999999',
      undefined,
      ARGUMENT,
      'Failed to parse int parameter [size] with value [99999999999]',
    ],
    ['GET /o/_search?terminate_after=-2', undefined, ARGUMENT, 'terminateAfter must be > 0'],
    [
      'GET /o/_search?track_total_hits=',
      undefined,
      ARGUMENT,
      'Failed to parse int parameter [track_total_hits] with value []',
    ],
    [
      'POST /o/_delete_by_query?terminate_after=-2',
      '{"query":{"match_all":{}}}',
      ARGUMENT,
      'terminateAfter must be > 0',
    ],
    ['POST /o/_update_by_query?search_type=x', '{}', ARGUMENT, 'No search type for [x]'],
    ['POST /o/_msearch?pre_filter_shard_size=0', '{}\n{}\n', ARGUMENT, 'preFilterShardSize must be >= 1'],
    [
      'POST /o/_msearch?max_concurrent_searches=0',
      '{}\n{}\n',
      ARGUMENT,
      'maxConcurrentSearchRequests must be positive',
    ],
    ['GET /o/_count?min_score=x', undefined, ARGUMENT, 'Failed to parse float parameter [min_score] with value [x]'],
    ['GET /o/_search?ignore_unavailable=1', undefined, ARGUMENT, 'Could not convert [ignore_unavailable] to boolean'],
    [
      'GET /o/_search?ccs_minimize_roundtrips=x',
      undefined,
      ARGUMENT,
      'Failed to parse value [x] as only [true] or [false] are allowed.',
    ],
    [
      'GET /o/_search?timeout=-5s',
      undefined,
      ARGUMENT,
      'failed to parse setting [timeout] with value [-5s] as a time value: negative durations are not supported',
    ],
    [
      'GET /o/_search?timeout=1.5h',
      undefined,
      ARGUMENT,
      'failed to parse [1.5h], fractional time values are not supported',
    ],
    ['GET /o/_search?expand_wildcards=open,x', undefined, ARGUMENT, 'No valid expand wildcard value [x]'],
    [
      'PUT /o/_doc/2?pipeline=',
      '{}',
      'action_request_validation_exception',
      'Validation Failed: 1: pipeline cannot be an empty string;',
    ],
  ]);
  equal((await ask('GET /o/_search?expand_wildcards=')).status, 200);
  equal((await ask('GET /o/_search?typed_keys=x')).status, 200);
});

test('parameters of a query in the URL are unknown without one', async () => {
  for (const name of ['df', 'analyzer', 'analyze_wildcard', 'default_operator', 'lenient'])
    for (const path of ['_search', '_count', '_explain/1'])
      match((await ask(`GET /o/${path}?${name}=x`)).text, new RegExp(`contains unrecognized parameter: \\[${name}\\]`));
  equal((await ask('GET /o/_search?q=fox&df=t&lenient=true')).json.hits.total.value, 1);
});

test('a body that is no object is refused by its first token, with its place', async () => {
  const search = await ask('POST /o/_search', ' [1');
  deepEqual(
    [search.json.error.reason, search.json.error.line, search.json.error.col],
    ['Expected [START_OBJECT] but found [START_ARRAY]', 1, 2],
  );
  const count = await ask('POST /o/_count', '\n{"foo": 1}');
  deepEqual(
    [count.json.error.reason, count.json.error.line, count.json.error.col],
    ['request does not support [foo]', 2, 2],
  );
  const PARSER = 'x_content_parse_exception';
  await check([
    ['POST /o/_search', ' ', 'parsing_exception', 'Expected [START_OBJECT] but found [null]'],
    ['POST /o/_count', 'null', 'parsing_exception', 'Expected [START_OBJECT] but found [VALUE_NULL]'],
    ['POST /_analyze', '[', PARSER, '[1:1] [analyze_request] Expected START_OBJECT but was: START_ARRAY'],
    ['POST /_reindex', '"a"', PARSER, '[1:1] [reindex] Expected START_OBJECT but was: VALUE_STRING'],
    ['POST /_aliases', ' ', PARSER, '[1:0] [aliases] Expected START_OBJECT but was: null'],
    ['PUT /_index_template/x', '[', PARSER, '[1:1] [index_template] Expected START_OBJECT but was: START_ARRAY'],
    ['POST /o/_rollover', '1', PARSER, '[1:1] [rollover] Expected START_OBJECT but was: VALUE_NUMBER'],
    ['PUT /o/_clone/p', '{"foo":1}', PARSER, '[1:2] [resize_request] unknown field [foo]'],
    [
      'PUT /fresh',
      '[]',
      'not_x_content_exception',
      'Compressor detection can only be called on some xcontent bytes or compressed xcontent bytes',
    ],
    ['POST /o/_field_caps', '{', ARGUMENT, "specified fields can't be null or empty"],
    [
      'POST /o/_validate/query',
      '{}',
      'action_request_validation_exception',
      'Validation Failed: 1: query cannot be null;',
    ],
  ]);
});

test('text after the body is ignored, but for a search', async () => {
  const query = '{"query":{"match_all":{}}}';
  for (const target of [
    'POST /o/_count',
    'POST /o/_validate/query',
    'POST /o/_explain/1',
    'POST /o/_update_by_query?refresh=true',
  ])
    for (const more of ['x', ' {}', '}']) equal((await ask(target, query + more)).status, 200, target + more);
  const { error } = (await ask('POST /o/_search', `${query}{}`)).json;
  deepEqual(
    [error.reason, error.line, error.col],
    ['Unexpected token [START_OBJECT] found after the main object.', 1, query.length + 1],
  );
  equal((await ask('POST /o/_search', `${query} x`)).json.error.type, 'json_parse_exception');
});

test('a body that is no JSON is reported before a parameter that there is not', async () => {
  equal((await ask('POST /o/_update/1?foo=1', '{"doc"')).json.error.type, 'json_e_o_f_exception');
  match((await ask('POST /o/_update/1?foo=1', '{"doc":{}}')).text, /contains unrecognized parameter: \[foo\]/);
});

test('a body needs a media type that is one, whatever the method', async () => {
  for (const method of ['GET', 'POST']) {
    const missing = await ask(`${method} /o/_search`, '{}', { headers: {} });
    deepEqual([missing.status, missing.json], [406, { error: 'Content-Type header [] is not supported', status: 406 }]);
    const odd = await ask(`${method} /o/_search`, '{}', { headers: { 'content-type': 'json' } });
    deepEqual([odd.status, odd.json.error.type], [400, 'content_type_header_exception']);
  }
});

test('a length of time is read in the same way wherever it stands, and the refusal names what it is of', async () => {
  const unit = (setting: string, value: string): string =>
    `failed to parse setting [${setting}] with value [${value}] as a time value: unit is missing or unrecognized`;
  const search = (body: object): string => JSON.stringify(body);
  const decay = (at: object): string =>
    search({ query: { function_score: { gauss: { at: { origin: 'now', ...at } } } } });
  const ages = (offset: string): string =>
    search({ aggs: { a: { date_histogram: { field: 'at', fixed_interval: '1d', offset } } } });
  await ask('PUT /times', { mappings: { properties: { at: { type: 'date' } } } });
  const reasonOf = async (target: string, body: string): Promise<string> => {
    const { json, status } = await ask(target, body);
    const { error } = json;
    equal(status, 400, target);
    const { caused_by: cause, reason } = error.failed_shards?.[0].reason ?? error;
    return cause?.type === ARGUMENT ? cause.reason : reason;
  };
  const rows: readonly (readonly [target: string, body: string, reason: string])[] = [
    ['GET /times/_search', search({ timeout: '5M' }), unit('timeout', '5M')],
    ['GET /times/_search', search({ timeout: 5 }), unit('timeout', '5')],
    ['GET /times/_search?timeout=1w', '{}', unit('timeout', '1w')],
    ['GET /times/_search', decay({ scale: '2w' }), unit('DecayFunctionParser.scale', '2w')],
    ['GET /times/_search', decay({ scale: '1d', offset: '3' }), unit('DecayFunctionParser.offset', '3')],
    [
      'GET /times/_search',
      decay({ scale: '1.5d' }),
      'failed to parse [1.5d], fractional time values are not supported',
    ],
    ['GET /times/_search', ages('+1x'), unit('DateHistogramAggregationBuilder.parseOffset', '1x')],
    [
      'PUT /times/_settings',
      search({ refresh_interval: '-5s' }),
      'failed to parse setting [index.refresh_interval] with value [-5s] as a time value: negative durations are not supported',
    ],
    ['PUT /times/_settings', search({ refresh_interval: 'xs' }), 'failed to parse [xs]'],
  ];
  for (const [target, body, reason] of rows) equal(await reasonOf(target, body), reason, `${target} ${body}`);
  for (const timeout of ['-1', '0', '+5s', '5 s', '10MICROS'])
    equal((await ask('GET /times/_search', { timeout })).status, 200, timeout);
});

test('a mistake in an aggregation names the member that it is in, and is the cause', async () => {
  await ask('PUT /members', {
    mappings: {
      properties: { n: { type: 'long' }, k: { type: 'keyword' }, at: { type: 'date' }, g: { type: 'geo_point' } },
    },
  });
  const source = (kind: string, body: object): object => ({ composite: { sources: [{ s: { [kind]: body } }] } });
  const day = { field: 'at', fixed_interval: '1d' };
  const rows: readonly (readonly [aggregation: object, where: readonly string[], reason: string])[] = [
    [
      { histogram: { field: 'n', interval: 0 } },
      ['histogram.interval'],
      '[interval] must be >0 for histogram aggregation [a]',
    ],
    [{ histogram: { field: 'n', interval: 5, offset: 'x' } }, ['histogram.offset'], 'For input string: "x"'],
    [
      { date_histogram: { ...day, interval: '1d' } },
      ['date_histogram.interval'],
      'Cannot use [interval] with [fixed_interval] or [calendar_interval] configuration options.',
    ],
    [
      { date_histogram: { ...day, calendar_interval: 'month' } },
      ['date_histogram.calendar_interval'],
      'Cannot use [calendar_interval] with [fixed_interval] configuration option.',
    ],
    [
      { date_histogram: { field: 'at', calendar_interval: '2d' } },
      ['date_histogram.calendar_interval'],
      'The supplied interval [2d] could not be parsed as a calendar interval.',
    ],
    [
      { geo_distance: { field: 'g', origin: '1,1', unit: 'zz', ranges: [{ to: 1 }] } },
      ['geo_distance.unit'],
      'No distance unit match [zz]',
    ],
    [
      { geohash_grid: { field: 'g', precision: 13 } },
      ['geohash_grid.precision'],
      'Invalid geohash aggregation precision of 13. Must be between 1 and 12.',
    ],
    [
      { cardinality: { field: 'n', precision_threshold: -1 } },
      ['cardinality.precision_threshold'],
      '[precisionThreshold] must be greater than or equal to 0. Found [-1] in [a]',
    ],
    [
      { percentiles: { field: 'n', tdigest: { compression: -1 } } },
      ['percentiles.tdigest', 'tdigest.compression'],
      '[compression] must be greater than or equal to 0. Found [-1.0]',
    ],
    [
      { percentiles: { field: 'n', hdr: { number_of_significant_value_digits: 9 } } },
      ['percentiles.hdr', 'hdr.number_of_significant_value_digits'],
      '[numberOfSignificantValueDigits] must be between 0 and 5',
    ],
    [
      { auto_date_histogram: { field: 'at', minimum_interval: 'x' } },
      ['auto_date_histogram.minimum_interval'],
      'minimum_interval must be one of [[minute, year, month, hour, second, day]]',
    ],
    [
      source('histogram', { field: 'n', interval: 0 }),
      ['composite.sources', 'histogram.interval'],
      '[interval] must be greater than 0 for [histogram] source',
    ],
    [
      source('date_histogram', { ...day, offset: '1x' }),
      ['composite.sources', 'date_histogram.offset'],
      'failed to parse setting [DateHistogramAggregationBuilder.parseOffset] with value [1x] as a time value: unit is missing or unrecognized',
    ],
    [
      source('geotile_grid', { field: 'g', precision: 40 }),
      ['composite.sources', 'geotile_grid.precision'],
      'Invalid geotile_grid precision of 40. Must be between 0 and 29.',
    ],
  ];
  for (const [aggregation, where, reason] of rows) {
    let { error } = (await ask('GET /members/_search', { aggs: { a: aggregation } })).json;
    for (const each of where) {
      const [parser, member] = each.split('.');
      equal(error.reason, `[${parser}] failed to parse field [${member}]`);
      error = error.caused_by;
    }
    equal(error.reason, reason);
  }
});

test('a parameter of a field that it cannot have, or a value that it cannot take, is refused in the words of Elasticsearch', async () => {
  await ask('PUT /fields');
  const rows: readonly (readonly [definition: object, reason: RegExp | string, cause?: string])[] = [
    [
      { type: 'search_as_you_type', fielddata: true },
      /^unknown parameter \[fielddata\] on mapper \[x\] of type \[search_as_you_type\]/,
    ],
    [
      { type: 'alias', path: 'n', fields: { k: { type: 'keyword' } } },
      /^Mapping definition for \[x\] has unsupported parameters: {2}\[fields : \{k=\{type=keyword\}\}\]/,
    ],
    [{ type: 'geo_point', zzz: ['a', { b: 1 }] }, /unsupported parameters: {2}\[zzz : \[a, \{b=1\}\]\]/],
    [
      { type: 'object', dynamic: 'x' },
      'Could not convert [dynamic.dynamic] to boolean',
      'Failed to parse value [x] as only [true] or [false] are allowed.',
    ],
    [
      { type: 'object', include_in_root: 'x' },
      'Could not convert [x.include_in_root] to boolean',
      'Failed to parse value [x] as only [true] or [false] are allowed.',
    ],
    [{ type: 'date', locale: 'xx' }, 'Unknown language: xx', "Couldn't find 3-letter language code for xx"],
    [{ type: 'long', meta: ['a'] }, '[meta] must be an object, got ArrayList[[a]] for field [x]'],
    [{ type: 'long', meta: { a: null } }, "[meta] values can't be null (field [x])"],
    [{ type: 'text', similarity: 'classic' }, /^The \[classic\] similarity may not be used anymore/],
  ];
  for (const [definition, reason, cause] of rows) {
    const { error } = (await ask('PUT /fields/_mapping', { properties: { x: definition } })).json;
    if (typeof reason === 'string') equal(error.reason, reason);
    else match(error.reason, reason);
    if (cause !== undefined) equal(error.caused_by.reason, cause);
  }
  equal((await ask('PUT /fields/_mapping', { properties: { c: { type: 'completion', index: 'x' } } })).status, 200);
});

test('a query is refused, and matches, as in Elasticsearch whatever values its options have', async () => {
  const properties = { t: { type: 'text' }, k: { type: 'keyword' }, n: { type: 'long' } };
  await ask('PUT /options', { mappings: { properties } });
  await load(ask, 'options', [
    { t: 'red', k: 'a', n: 1 },
    { t: 'blue', k: 'b', n: 2 },
  ]);
  const search = (query: object): ReturnType<Ask> => ask('GET /options/_search', { query });
  for (const minimum of [0, '0', '0%', -1, -5]) {
    const optional = { bool: { should: [{ term: { k: 'a' } }], minimum_should_match: minimum } };
    const required = { bool: { ...optional.bool, must: [{ match_all: {} }] } };
    const counts = [optional, { bool: { filter: [optional] } }, { bool: { must_not: [optional] } }, required];
    const found = await Promise.all(counts.map(async (query) => (await search(query)).json.hits.total.value));
    deepEqual(found, [1, 1, 1, 2], `one optional clause has to match where none other does: ${minimum}`);
  }
  const rows: readonly (readonly [query: object, reason: string])[] = [
    [{ fuzzy: { t: { value: 'rad', prefix_length: -1 } } }, 'prefixLength cannot be negative.'],
    [
      { match: { n: { query: 2, fuzziness: 1 } } },
      'Can only use fuzzy queries on keyword and text fields - not on [n] which is of type [long]',
    ],
    [
      { multi_match: { query: '2', fields: ['n'], fuzziness: 1 } },
      'Can only use fuzzy queries on keyword and text fields - not on [n] which is of type [long]',
    ],
    [{ range: { n: { gte: 1, format: 'true' } } }, 'Unknown pattern letter: t'],
    [{ range: { none: { gte: 1, format: 'bad' } } }, 'Unknown pattern letter: b'],
    [{ range: { k: { gte: { a: 1 } } } }, '[range] query does not support [a]'],
    [{ ids: { values: ['', '1'] } }, "Ids can't be empty"],
  ];
  for (const [query, reason] of rows) {
    const { json, status } = await search(query);
    equal(status, 400);
    const { caused_by: cause, reason: first } = json.error.failed_shards?.[0].reason ?? json.error;
    equal(cause?.reason ?? first, reason);
  }
  for (const query of [
    { match: { n: { query: 2, fuzziness: 1, lenient: true } } },
    { query_string: { query: 'rad~', fuzzy_prefix_length: -1 } },
    { simple_query_string: { query: 'rad~1', fuzzy_prefix_length: -1 } },
  ])
    equal((await search(query)).json.hits.total.value, 0);
});

test('the root of what failed a shard is named as the cause of the search, unless it is that failure itself', async () => {
  await ask('PUT /roots', { mappings: { properties: { at: { type: 'date' }, n: { type: 'long' } } } });
  const errorOf = async (query: object): Promise<ReturnType<typeof JSON.parse>> =>
    (await ask('GET /roots/_search', { query })).json.error;
  const date = await errorOf({ term: { at: 'no date' } });
  equal(date.caused_by.type, 'parse_exception');
  equal(date.root_cause[0].type, 'parse_exception');
  deepEqual(date.caused_by, date.failed_shards[0].reason.caused_by);
  const number = await errorOf({ term: { n: 'no number' } });
  deepEqual([number.caused_by, number.root_cause[0].type], [undefined, 'query_shard_exception']);
  const score = (body: object): object => ({ function_score: body });
  const rows: readonly (readonly [query: object, reason: string])[] = [
    [
      score({ weight: 2, functions: [] }),
      'failed to parse [function_score] query. already found function [weight], now encountering [functions]. use [functions] array if you want to define several functions.',
    ],
    [score({ query: 'x' }), 'failed to parse [function_score] query. field [query] is not supported'],
    [
      score({ score_mode: 'most' }),
      'No enum constant org.elasticsearch.common.lucene.search.function.FunctionScoreQuery.ScoreMode.MOST',
    ],
    [{ dis_max: { queries: 5 } }, '[dis_max] query does not support [queries]'],
    [{ range: { n: { gte: 1, time_zone: 'zz' } } }, 'java.time.zone.ZoneRulesException: Unknown time-zone ID: zz'],
  ];
  for (const [query, reason] of rows) equal((await errorOf(query)).reason, reason);
});
