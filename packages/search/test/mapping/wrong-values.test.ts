// What documents are refused for, in the words of Elasticsearch 7.10.2, and which dates it reads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, ids, startRest } from '../rest/harness.ts';

/** Type and reason of the refusal, of its root and of its cause. */
async function refusal(ask: Ask, document: object): Promise<readonly (string | undefined)[]> {
  const { status, json } = await ask('PUT /t/_doc/1', document);
  if (status < 400) return [String(status)];
  const {
    reason,
    root_cause: [root],
    caused_by: cause,
  } = json.error;
  return [reason, root.type, cause?.type, cause?.reason];
}

test('a value that does not fit is refused with its field, its type and a preview', async () => {
  const ask = await startRest();
  const properties = {
    n: { type: 'long' },
    strict: { type: 'integer', coerce: false },
    words: { type: 'token_count', analyzer: 'standard' },
    span: { type: 'integer_range' },
    days: { type: 'date_range' },
    place: { type: 'geo_point' },
    start: { type: 'completion' },
    label: { type: 'alias', path: 'n' },
    part: { properties: { x: { type: 'long' } } },
    rank: { type: 'rank_feature' },
    column: { type: 'binary', doc_values: true },
    plain: { type: 'binary' },
    flag: { type: 'boolean' },
    when: { type: 'date' },
    tag: { type: 'keyword' },
  };
  await ask('PUT /t', { mappings: { properties } });
  const refused = (field: string, type: string, preview: string): string =>
    `failed to parse field [${field}] of type [${type}] in document with id '1'. Preview of field's value: '${preview}'`;
  const parsing = 'mapper_parsing_exception';
  for (const [document, ...wanted] of [
    [{ n: 'z' }, refused('n', 'long', 'z'), parsing, 'illegal_argument_exception', 'For input string: "z"'],
    [{ n: true }, refused('n', 'long', 'true'), parsing, 'json_parse_exception'],
    [{ n: 1e20 }, refused('n', 'long', '100000000000000000000'), parsing, 'input_coercion_exception'],
    [{ strict: 'z' }, refused('strict', 'integer', 'z'), parsing, 'illegal_argument_exception'],
    [{ flag: 7 }, refused('flag', 'boolean', '7'), parsing, 'json_parse_exception'],
    [{ when: '' }, refused('when', 'date', ''), parsing, 'illegal_argument_exception', 'cannot parse empty date'],
    [{ tag: { x: 1 } }, refused('tag', 'keyword', '{x=1}'), parsing, 'illegal_state_exception'],
    [{ strict: 1577836800.5 }, refused('strict', 'integer', '1.5778368005E9'), parsing],
    [{ words: { x: 1 } }, refused('words', 'integer', '{x=1}'), parsing],
    [{ n: { lat: 1, lon: 2 } }, refused('n', 'long', '{lon=2, lat=1}'), parsing],
    [
      { span: 'z' },
      refused('span', 'integer_range', 'z'),
      parsing,
      parsing,
      'error parsing field [span], expected an object but got span',
    ],
    [
      { span: { gte: 3, lte: 1 } },
      refused('span', 'integer_range', 'null'),
      parsing,
      'illegal_argument_exception',
      'min value (3) is greater than max value (1)',
    ],
    [
      { span: { gte: 'a' } },
      refused('span', 'integer_range', 'a'),
      parsing,
      'number_format_exception',
      'For input string: "a"',
    ],
    [{ days: { gte: 'now' } }, refused('days', 'date_range', 'now'), parsing],
    [
      { place: 1 },
      'failed to parse field [place] of type [geo_point]',
      'parse_exception',
      'parse_exception',
      'geo_point expected',
    ],
    [
      { place: 'Tor' },
      'failed to parse field [place] of type [geo_point]',
      'parse_exception',
      'parse_exception',
      'unsupported symbol [T] in geohash [Tor]',
    ],
    [
      { place: { lat: 100, lon: 2 } },
      'failed to parse field [place] of type [geo_point]',
      parsing,
      'illegal_argument_exception',
      'illegal latitude value [100.0] for place',
    ],
    [
      { start: 1 },
      'failed to parse',
      'parsing_exception',
      'parsing_exception',
      'failed to parse [start]: expected text or object, but got VALUE_NUMBER',
    ],
    [
      { start: { weigth: 1 } },
      'failed to parse',
      parsing,
      'illegal_argument_exception',
      'unknown field name [weigth], must be one of [input, weight, contexts]',
    ],
    [{ label: 1 }, 'failed to parse', parsing, 'illegal_argument_exception', 'Cannot write to a field alias [label].'],
    [
      { part: [1] },
      'object mapping for [part] tried to parse field [null] as object, but found a concrete value',
      parsing,
    ],
    [{ rank: [1, 2] }, refused('rank', 'rank_feature', '2'), parsing],
    [{ column: 12 }, refused('column', 'binary', '12'), parsing, 'json_parse_exception'],
  ] as const) {
    const found = await refusal(ask, document);
    assert.deepEqual(found.slice(0, wanted.length), wanted, JSON.stringify(document));
  }
  for (const taken of [{ n: '' }, { plain: 12 }, { start: { weight: 3 } }, { start: '' }, { label: [] }])
    assert.equal((await ask('PUT /t/_doc/1', taken)).status < 300, true, JSON.stringify(taken));
});

test('a bare number is a date in the format of its field, in documents and in queries', async () => {
  const ask = await startRest();
  const date = (format: string): object => ({ type: 'date', format });
  const properties = {
    seconds: date('epoch_second'),
    spans: { type: 'date_range', format: 'epoch_second' },
    year: date('yyyy'),
    day: date('basic_date'),
    week: date('week_date'),
  };
  await ask('PUT /t', { mappings: { properties } });
  const document = {
    seconds: 1577836800,
    spans: { gte: 1577836800, lte: 1577836805 },
    year: 2020,
    day: 20200101,
    week: '2020-W01-3',
  };
  assert.equal((await ask('PUT /t/_doc/1?refresh=true', document)).status, 201);
  const { json } = await ask('POST /t/_search', {
    docvalue_fields: [
      'year',
      'day',
      'week',
      ...Object.keys(properties)
        .filter((name) => name !== 'spans')
        .map((field) => ({ field, format: 'epoch_millis' })),
    ],
  });
  assert.deepEqual(json.hits.hits[0].fields, {
    seconds: ['1577836800000'],
    year: ['2020', '1577836800000'],
    day: ['20200101', '1577836800000'],
    week: ['2020-W01-3', '1577836800000'],
  });
  const found: readonly (readonly [object, number])[] = [
    [{ range: { seconds: { gte: 1577836800, lt: 1577836801 } } }, 1],
    [{ range: { seconds: { gt: 1577836800 } } }, 0],
    [{ term: { seconds: 1577836800 } }, 1],
    [{ range: { spans: { gte: 1577836805 } } }, 1],
    [{ range: { spans: { gt: 1577836805 } } }, 0],
    [{ range: { year: { gte: 2020, lte: 2020 } } }, 1],
    [{ range: { year: { gt: 2019, lt: 2021 } } }, 1],
    [{ range: { day: { lte: 20200101 } } }, 1],
    [{ range: { week: { gte: 2020, format: 'yyyy' } } }, 1],
  ];
  for (const [query, count] of found)
    assert.equal((await ask('POST /t/_count', { query })).json.count, count, JSON.stringify(query));
  const unread = await ask('POST /t/_search', { query: { range: { year: { gte: 'x' } } } });
  assert.deepEqual(unread.json.error.root_cause[0].type, 'parse_exception');
});

test('years of five digits have a sign, and days end at 23:59', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { d: { type: 'date' }, y: { type: 'date', format: 'yyyy-MM-dd' } } } });
  const statuses = async (field: string, ...values: readonly unknown[]): Promise<number[]> => {
    const all: number[] = [];
    for (const value of values) all.push((await ask(`PUT /t/_doc/${all.length}`, { [field]: value })).status);
    return all.map((status) => (status < 300 ? 200 : status));
  };
  assert.deepEqual(
    await statuses('d', '+20200-01-01', '-0001-01-01', '20200-01-01', '2020-01-01T24:00:00'),
    [200, 200, 400, 400],
  );
  assert.deepEqual(await statuses('d', -1, -1000, '1.5', 1.999999999, '1577836800.1234567'), [400, 200, 200, 400, 400]);
  assert.deepEqual(await statuses('y', '+20200-01-01', '-0001-01-01', '2020-1-01'), [200, 400, 400]);
});

test('_field_caps tells of an object where it tells of a field inside', async () => {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: { properties: { o: { properties: { p: { type: 'nested', properties: { x: { type: 'long' } } } } } } },
  });
  const names = async (fields: string): Promise<string[]> =>
    Object.keys((await ask(`GET /t/_field_caps?fields=${fields}`)).json.fields);
  assert.deepEqual(await names('o'), []);
  assert.deepEqual(await names('o.p.x'), ['o', 'o.p', 'o.p.x']);
  assert.deepEqual(ids(await ask('POST /t/_search', {})), []);
});

test('columns are shown in the formats that their types have, and values as their fields read them', async () => {
  const ask = await startRest();
  const properties = {
    k: { type: 'keyword' },
    d: { type: 'date' },
    f: { type: 'float' },
    half: { type: 'half_float' },
    scaled: { type: 'scaled_float', scaling_factor: 10 },
    words: { type: 'token_count', analyzer: 'standard' },
    span: { type: 'date_range' },
    told: { type: 'text', fielddata: true },
    rank: { type: 'rank_feature' },
    start: { type: 'completion' },
  };
  await ask('PUT /t', { mappings: { properties } });
  const document = {
    k: 'x',
    d: '2020-01-02',
    f: 1.1,
    half: 1.1,
    scaled: 2.25,
    words: 'a b c',
    span: { gte: '2020-01-01' },
    told: 'b a',
  };
  await ask('PUT /t/_doc/1?refresh=true', document);
  const search = async (body: object): Promise<any> => (await ask('POST /t/_search', body)).json;
  const columns = await search({ docvalue_fields: ['d', { field: 'd', format: 'yyyy' }, 'k', 'k', 'scaled', 'told'] });
  assert.deepEqual(columns.hits.hits[0].fields, {
    d: ['2020-01-02T00:00:00.000Z', '2020'],
    k: ['x', 'x'],
    scaled: [2.3000000000000003],
    told: ['a', 'b'],
  });
  const values = await search({ fields: ['f', 'half', 'scaled', 'words', 'span', '_index', '_id'] });
  assert.deepEqual(values.hits.hits[0].fields, {
    f: [1.1],
    half: [1.1],
    scaled: [2.3],
    words: [3],
    span: [{ gte: '2020-01-01T00:00:00.000Z' }],
  });
  assert.equal((await search({ query: { range: { scaled: { gte: 2.3, lte: 2.3 } } } })).hits.total.value, 1);
  assert.equal((await search({ query: { range: { scaled: { gt: 2.2, lt: 2.3 } } } })).hits.total.value, 0);
  for (const [body, reason] of [
    [{ docvalue_fields: [{ field: 'k', format: '#' }] }, 'Field [k] of type [keyword] does not support custom formats'],
    [{ docvalue_fields: ['start'] }, 'Fielddata is not supported on field [start] of type [completion]'],
    [{ docvalue_fields: ['rank'] }, '[rank_feature] fields do not support sorting, scripting or aggregating'],
    [
      { docvalue_fields: [{ field: 'd', format: 'x{' }] },
      "Invalid format: [x{]: Pattern includes reserved character: '{'",
    ],
    [{ docvalue_fields: 'k' }, 'Unknown key for a VALUE_STRING in [docvalue_fields].'],
    [{ fields: [{ field: 'f', format: '#' }] }, "Field [f] of type [float] doesn't support formats."],
    [{ stored_fields: '_none_', _source: true }, '[stored_fields] cannot be disabled if [_source] is requested'],
  ] as const)
    assert.equal((await search(body)).error.root_cause[0].reason, reason);
});

test('a mapping is printed without what its types assume, with flags and numbers for texts', async () => {
  const ask = await startRest();
  const properties = {
    t: {
      type: 'text',
      index: 'true',
      term_vector: 'no',
      fielddata: 'false',
      analyzer: 'standard',
      search_analyzer: 'standard',
    },
    k: { type: 'keyword', ignore_above: '256', null_value: null, norms: false, copy_to: [] },
    n: { type: 'long', coerce: 'true', null_value: '5', store: false },
    s: { type: 'scaled_float', scaling_factor: '100' },
    g: { type: 'geo_point', null_value: '1,2', ignore_z_value: 'false' },
  };
  await ask('PUT /t', { mappings: { _source: { enabled: true }, _routing: { required: false }, properties } });
  assert.deepEqual((await ask('GET /t/_mapping')).json.t.mappings, {
    properties: {
      t: { type: 'text', analyzer: 'standard' },
      k: { type: 'keyword', ignore_above: 256 },
      n: { type: 'long', coerce: true, null_value: 5 },
      s: { type: 'scaled_float', scaling_factor: 100 },
      g: { type: 'geo_point', null_value: { lat: 1, lon: 2 }, ignore_z_value: false },
    },
  });
});

test('a parameter that a type does not have, or a value that it does not take, is refused', async () => {
  const ask = await startRest();
  for (const [definition, reason] of [
    [{ type: 'integer', scaling_factor: 2 }, 'unknown parameter [scaling_factor] on mapper [f] of type [integer]'],
    [{ type: 'keyword', index: 'x' }, 'Failed to parse value [x] as only [true] or [false] are allowed.'],
    [{ type: 'keyword', store: null }, '[store] on mapper [f] of type [keyword] must not have a [null] value'],
    [{ type: 'keyword', meta: 'x' }, '[meta] must be an object, got String[x] for field [f]'],
    [{ type: 'keyword', meta: { a: 1 } }, '[meta] values can only be strings, but got Integer[1] for field [f]'],
    [
      { type: 'keyword', index_options: 'offsets' },
      'Unknown value [offsets] for field [index_options] - accepted values are [docs, freqs]',
    ],
    [{ type: 'text', index_prefixes: { min_chars: 0 } }, 'min_chars [0] must be greater than zero'],
    [{ type: 'scaled_float', scaling_factor: 0 }, '[scaling_factor] must be a positive number, got [0.0]'],
    [
      { type: 'ip_range', format: 'yyyy' },
      'field [f] of type [range] should not define a dateTimeFormatter unless it is a DATE type',
    ],
  ] as const) {
    const { status, json } = await ask('PUT /t', { mappings: { properties: { f: definition } } });
    assert.equal(status, 400);
    assert.equal(json.error.root_cause[0].reason.includes(reason), true, json.error.root_cause[0].reason);
  }
});

test('a mapping whose aliases, copies or templates cannot work is refused', async () => {
  const ask = await startRest();
  const inner = { type: 'nested', properties: { x: { type: 'long' } } };
  await ask('PUT /t', { mappings: { properties: { k: { type: 'keyword' }, n: inner } } });
  const alias = (path: string): object => ({ properties: { al: { type: 'alias', path } } });
  for (const [mapping, reason] of [
    [{ properties: { al: { type: 'alias' } } }, 'The [path] property must be specified for field [al].'],
    [alias('zz'), 'an alias must refer to an existing field in the mappings.'],
    [alias('al'), 'an alias cannot refer to itself.'],
    [alias('n.x'), 'an alias must have the same nested scope as its target.'],
    [{ properties: { c: { type: 'keyword', copy_to: 'n.x' } } }, 'from nested object [null] to [n]'],
    [
      { properties: { m: { type: 'keyword', fields: { a: { type: 'keyword', copy_to: 'k' } } } } },
      'copy from a multi-field: [m.a]',
    ],
    [{ properties: { 'a..b': { type: 'long' } } }, 'name cannot be empty string'],
    [{ properties: { _id: { type: 'long' } } }, 'Field [_id] is defined more than once'],
    [{ dynamic_templates: [{ a: { mapping: {} } }] }, 'template must have match, path_match or match_mapping_type set'],
    [{ dynamic_templates: [{ a: { match: 'x' } }] }, 'template must have mapping set'],
    [{ dynamic_templates: [{ a: { foo: 1, mapping: {} } }] }, 'Illegal dynamic template parameter: [foo]'],
    [{ dynamic_templates: [{ a: { match_mapping_type: 'text', mapping: {} } }] }, 'No field type matched on [text]'],
    [{ _source: { enabled: false } }, 'Cannot update parameter [enabled] from [true] to [false]'],
  ] as const) {
    const { status, json } = await ask('PUT /t/_mapping', mapping);
    assert.equal(status, 400, JSON.stringify(mapping));
    assert.equal(json.error.reason.includes(reason), true, json.error.reason);
  }
});

test('texts of numbers are read as Java reads them', async () => {
  const ask = await startRest();
  const types = ['long', 'integer', 'double', 'rank_feature', 'integer_range'];
  await ask('PUT /t', { mappings: { properties: Object.fromEntries(types.map((type) => [type, { type }])) } });
  const taken = async (document: object): Promise<unknown> => (await refusal(ask, document)).at(-1);
  for (const document of [
    { integer: '5f', double: '5d', rank_feature: '5F', integer_range: { gte: '5f' } },
    { integer: ' 5 ', double: '0x1p3' },
    { integer: '.5', long: '5.7' },
    { long: '1e3' },
  ])
    assert.match(String(await taken(document)), /^20[01]$/);
  assert.equal(await taken({ long: '5f' }), 'For input string: "5f"');
  assert.equal((await refusal(ask, { long: ' 5 ' }))[2], 'illegal_argument_exception');
  assert.equal((await refusal(ask, { integer: '1_000' }))[2], 'number_format_exception');
  assert.equal(await taken({ double: 'NaN' }), '[double] supports only finite values, but got [NaN]');
});

test('a name with dots is told as the document writes it', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { o: { properties: { q: { properties: {} } } } } } });
  const told = (name: string): string =>
    `object mapping for [o.q] tried to parse field [${name}] as object, but found a concrete value`;
  assert.equal((await refusal(ask, { 'o.q': 7 }))[0], told('o.q'));
  assert.equal((await refusal(ask, { o: { q: 7 } }))[0], told('q'));
});

test('a range that stands beside an object finds it read already', async () => {
  const ask = await startRest();
  const fields = { s: { type: 'long_range' } };
  await ask('PUT /t', { mappings: { properties: { r: { type: 'date_range', fields } } } });
  assert.equal(
    (await refusal(ask, { r: { gte: '2020' } })).at(-1),
    'error parsing field [r.s], expected an object but got r',
  );
});

test('fielddata needs an index, and names the whole path of its field', async () => {
  const ask = await startRest();
  const x = { type: 'text', index: false, fielddata: true };
  const refused = async (mapping: object): Promise<string> =>
    (await ask('PUT /u', { mappings: { properties: { o: { properties: { x: mapping } } } } })).json.error.caused_by
      .reason;
  assert.equal(await refused(x), 'Cannot enable fielddata on a [text] field that is not indexed: [o.x]');
  assert.equal(await refused({ ...x, index_prefixes: {} }), 'Cannot set index_prefixes on unindexed field [x]');
});

test('null of a field is null to its multi-fields and copies, each of which says what stands for it', async () => {
  const ask = await startRest();
  const fields = { s: { type: 'long', null_value: -1 }, k: { type: 'keyword' }, r: { type: 'long_range' } };
  const properties = {
    n: { type: 'long', null_value: 7, copy_to: ['c', 'd'], fields },
    c: { type: 'long', null_value: 3 },
    d: { type: 'long' },
    t: { type: 'text', fields: { k: { type: 'keyword', null_value: 'none' } } },
  };
  await ask('PUT /t', { mappings: { properties } });
  await ask('PUT /t/_doc/1?refresh', { n: null, t: null });
  const { json } = await ask('POST /t/_search', { docvalue_fields: ['c', 'd', 'n', 'n.s', 'n.k', 't.k'] });
  assert.deepEqual(json.hits.hits[0].fields, { c: [3], n: [7], 'n.s': [-1], 't.k': ['none'] });
});

test('objects and lists that a field reads whole leave nothing to the fields they are copied to', async () => {
  const ask = await startRest();
  const copied = (type: string): object => ({ type, copy_to: 'all' });
  const properties = { r: copied('integer_range'), g: copied('geo_point'), c: copied('completion') };
  await ask('PUT /t', { mappings: { properties: { ...properties, all: { type: 'text' } } } });
  const causeOf = async (document: object): Promise<string> => {
    const { error } = (await ask('PUT /t/_doc/1', document)).json;
    assert.match(error.reason, /^failed to parse field \[all\] of type \[text\].*Preview of field's value: 'null'$/);
    return error.caused_by.reason;
  };
  assert.match(await causeOf({ r: { gte: 1 } }), /^Can't get text on a END_OBJECT/);
  assert.match(await causeOf({ g: { lat: 1, lon: 2 } }), /^Can't get text on a END_OBJECT/);
  assert.match(await causeOf({ g: [1, 2] }), /^Can't get text on a END_ARRAY/);
  assert.match(await causeOf({ c: ['x', 'y'] }), /^Can't get text on a END_ARRAY/);
  await ask('PUT /t/_doc/2?refresh=true', { g: '1,2', c: 'fox' });
  assert.equal((await ask('POST /t/_count', { query: { match: { all: 'fox' } } })).json.count, 1);
  assert.equal((await ask('POST /t/_count', { query: { match: { all: '1,2' } } })).json.count, 1);
});

test('a weight is a whole number, and a scaled number is no flag, whatever is ignored', async () => {
  const ask = await startRest();
  const scaled = { type: 'scaled_float', scaling_factor: 10, ignore_malformed: true };
  await ask('PUT /t', { mappings: { properties: { c: { type: 'completion' }, s: scaled } } });
  const weighed = await ask('PUT /t/_doc/1', { c: { input: 'x', weight: 1.5 } });
  assert.equal(weighed.json.error.caused_by.reason, 'weight must be an integer, but was [1.5]');
  assert.equal((await ask('PUT /t/_doc/1', { s: true })).json.error.caused_by.type, 'json_parse_exception');
  assert.equal((await ask('PUT /t/_doc/1', { s: 'x' })).status, 201);
});

test('a search_as_you_type field that is not indexed takes no text, as its shingles are stored nowhere', async () => {
  const ask = await startRest();
  const typed = { type: 'search_as_you_type', index: false };
  await ask('PUT /t', { mappings: { properties: { s: typed, stored: { ...typed, store: true } } } });
  const reason = "it doesn't make sense to have a field that is neither indexed nor stored";
  for (const field of ['s', 'stored'])
    assert.equal((await ask('PUT /t/_doc/1', { [field]: 'red fox' })).json.error.caused_by.reason, reason);
  assert.equal((await ask('PUT /t/_doc/1', { s: null })).status, 201);
});
