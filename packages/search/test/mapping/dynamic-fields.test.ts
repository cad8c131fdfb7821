// Which fields a document brings, and which names it may not have: Elasticsearch 7.10.2 was asked each of these.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, startRest } from '../rest/harness.ts';

async function typeOf(ask: Ask, text: string): Promise<unknown> {
  await ask('DELETE /t');
  await ask('PUT /t/_doc/1', text);
  const { json } = await ask('GET /t/_mapping');
  const { type, format } = json.t.mappings.properties.a;
  return format ?? type;
}

test('a number written with a fraction or an exponent becomes a float, also where it is whole', async () => {
  const ask = await startRest();
  for (const [text, type] of [
    ['{"a":5}', 'long'],
    ['{"a":5.0}', 'float'],
    ['{"a":1e3}', 'float'],
    ['{"a":1e+30}', 'float'],
    ['{"a":-0.0}', 'float'],
    ['{"a":[5.0,1.5]}', 'float'],
  ] as const)
    assert.equal(await typeOf(ask, text), type, text);
  const beyond = await ask('PUT /t/_doc/2', '{"n":12345678901234567890}');
  assert.equal(beyond.json.error.caused_by.type, 'input_coercion_exception');
});

test('a long beyond the largest one is refused, which itself is taken', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { n: { type: 'long' } } } });
  assert.equal((await ask('PUT /t/_doc/1', '{"n":9223372036854775807}')).status, 201);
  assert.equal((await ask('PUT /t/_doc/2', '{"n":[1,9223372036854775808]}')).status, 400);
  assert.equal((await ask('PUT /t/_doc/3', '{"n":-9223372036854775808}')).status, 201);
});

test('texts that are dates become dates in one of two formats', async () => {
  const ask = await startRest();
  const slashes = 'yyyy/MM/dd HH:mm:ss||yyyy/MM/dd||epoch_millis';
  for (const [value, type] of [
    ['2026/01/01', slashes],
    ['2026/01/01 10:20:30', slashes],
    ['2026/01/01 10:20:30 Z', 'text'],
    ['2026-01', 'date'],
    ['-2026-01-01', 'date'],
    ['2026-1-1', 'text'],
    ['-12345', 'text'],
    ['10:20', 'text'],
    ['2026', 'text'],
  ] as const)
    assert.equal(await typeOf(ask, JSON.stringify({ a: value })), type, value);
});

test('a document that brings one name as two types is refused once all of it was read', async () => {
  const ask = await startRest();
  const properties = {
    o: { properties: { z: { type: 'long' } } },
    c: { type: 'keyword', copy_to: ['all'] },
    d: { type: 'long', copy_to: ['all'] },
  };
  await ask('PUT /t', { mappings: { properties } });
  const changed = (path: string, from: string, to: string): string =>
    `mapper [${path}] cannot be changed from type [${from}] to [${to}]`;
  for (const [document, reason] of [
    [{ a: [1, 'x'] }, changed('a', 'long', 'text')],
    [{ a: ['x', 1] }, changed('a', 'text', 'long')],
    [{ n: [{ i: 1 }, { i: 'x' }] }, changed('n.i', 'text', 'long')],
    [{ o: [{ i: 1 }, { i: 'x' }] }, changed('o.i', 'long', 'text')],
    [{ a: 1, o: [{ i: 1 }, { i: 'x' }] }, changed('o.i', 'text', 'long')],
    [{ c: 'x', d: 7 }, changed('all', 'text', 'long')],
    [{ n: [1, { a: 1 }] }, "can't merge a non object mapping [n] with an object mapping"],
    [{ a: 1, n: [{ a: 1 }, 1] }, changed('n', 'long', 'ObjectMapper')],
    [{ a: { b: { c: 1 } }, 'a.b': 3 }, changed('a.b', 'long', 'ObjectMapper')],
    [
      { n: [1, 'x'], _id: 7 },
      "failed to parse field [_id] of type [_id] in document with id '1'. Preview of field's value: '7'",
    ],
  ] as const) {
    const { status, json } = await ask('PUT /t/_doc/1', document);
    assert.deepEqual([status, json.error.reason], [400, reason], JSON.stringify(document));
  }
});

test('metadata, names without letters and names that lead through a field are refused', async () => {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: { properties: { f: { type: 'boolean' }, o: { properties: { a: { type: 'text' } } } } },
  });
  const through = (name: string, path: string, type: string): string =>
    `Could not dynamically add mapping for field [${name}]. Existing mapping for [${path}] must be of type object but found [${type}].`;
  const cause =
    'Field [_type] is a metadata field and cannot be added inside a document. Use the index API request parameters.';
  for (const [document, reason] of [
    [{ _type: ['x'] }, cause],
    [{ 'f.x': 1 }, through('f.x', 'f', 'boolean')],
    [{ 'f.x': [] }, through('f.x', 'f', 'boolean')],
    [{ 'o.a.b': { c: 1 } }, through('o.a.b', 'o.a', 'text')],
    [{ o: { 'a.b': 1 } }, through('a.b', 'o.a', 'text')],
    [{ '_id.x': 1 }, through('_id.x', '_id', '_id')],
    [{ '.': null }, 'Index -1 out of bounds for length 0'],
    [{ 'a..b': 1 }, 'object field starting or ending with a [.] makes object resolution ambiguous: [a..b]'],
    [{ 'a. ': 1 }, "object field cannot contain only whitespace: ['a. ']"],
    [{ x: { ' ': [1] } }, "object field cannot contain only whitespace: ['x. ']"],
  ] as const) {
    const { status, json } = await ask('PUT /t/_doc/1', document);
    assert.deepEqual(
      [status, json.error.caused_by?.reason ?? json.error.reason],
      [400, reason],
      JSON.stringify(document),
    );
  }
  for (const document of [{ 'f.x': null }, { 'a.': 1 }, { 'b.c..': 1 }, { ' ': [1] }, { x: { _id: 1 } }])
    assert.equal((await ask('PUT /t/_doc/1', document)).status < 300, true, JSON.stringify(document));
});

test('a multi-field below a range or an array says where the reader stands', async () => {
  const ask = await startRest();
  const properties = {
    n: { type: 'integer', fields: { sub: { type: 'double_range' } } },
    r: { type: 'date_range', fields: { sub: { type: 'text' } } },
    s: { type: 'integer_range' },
  };
  await ask('PUT /t', { mappings: { properties: { ...properties, o: { properties: { r: { type: 'ip_range' } } } } } });
  for (const [document, reason, type] of [
    [{ n: 1 }, 'error parsing field [n.sub], expected an object but got n', 'mapper_parsing_exception'],
    [{ n: [1] }, 'error parsing field [n.sub], expected an object but got null', 'mapper_parsing_exception'],
    [{ r: { gte: '2026' } }, "Can't get text on a END_OBJECT at 1:1", 'illegal_state_exception'],
    [{ o: { r: { a: 1 } } }, 'error parsing field [o.r], with unknown parameter [a]', 'mapper_parsing_exception'],
    [{ n: '0x10' }, 'For input string: "0x10"', 'number_format_exception'],
    [
      { s: { gte: [1] } },
      'Current token (START_ARRAY) not numeric, can not use numeric value accessors',
      'json_parse_exception',
    ],
  ] as const) {
    const { json } = await ask('PUT /t/_doc/1', document);
    assert.deepEqual(
      [json.error.caused_by.reason, json.error.caused_by.type],
      [reason, type],
      JSON.stringify(document),
    );
  }
});

test('a refused document leaves no fields behind, and an object without fields stays one', async () => {
  const ask = await startRest();
  const templates = [{ ranks: { match: 'rank*', mapping: { type: 'rank_feature' } } }];
  await ask('PUT /t', { mappings: { dynamic_templates: templates, properties: { n: { type: 'long' } } } });
  for (const document of ['{"a":1,"b":{"c":2},"d":99999999999999999999}', '{"a":1,"rank_one":-1}', '{"n":"x","a":1}'])
    assert.equal((await ask('PUT /t/_doc/1', document)).status, 400, document);
  const fields = async (): Promise<unknown> => (await ask('GET /t/_mapping')).json.t.mappings.properties;
  assert.deepEqual(await fields(), { n: { type: 'long' } });
  await ask('PUT /t/_doc/1', { o: { x: null } });
  assert.deepEqual(await fields(), { n: { type: 'long' }, o: { type: 'object' } });
});

test('a document whose fields are refused halfway leaves none of them behind', async () => {
  const ask = await startRest();
  const templates = [
    { words: { match: 'klingon', mapping: { type: 'text', analyzer: '{name}' } } },
    { parts: { match: 'part*', mapping: { type: 'nested' } } },
  ];
  const mappings = { dynamic_templates: templates, properties: { known: { type: 'nested' } } };
  const settings = { mapping: { nested_fields: { limit: 2 }, total_fields: { limit: 30 } } };
  await ask('PUT /t', { mappings, settings });
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}`, at]));
  for (const document of [
    { n: 1, klingon: 'x' },
    { n: 1, part1: { a: 1 }, part2: { a: 1 } },
    { n: 1, ...many },
  ]) {
    assert.equal((await ask('PUT /t/_doc/1', document)).status, 400, JSON.stringify(document));
    const { json } = await ask('GET /t/_mapping');
    assert.deepEqual(json.t.mappings.properties, mappings.properties, JSON.stringify(document));
  }
  await ask('PUT /t/_doc/2?refresh=true', { n: 2, part1: { a: 1 } });
  assert.equal((await ask('GET /t/_count?q=n:2')).json.count, 1);
  const { json } = await ask('GET /t/_mapping');
  assert.deepEqual(Object.keys(json.t.mappings.properties), ['known', 'n', 'part1']);
});

test('a refused document does not decide the value of a constant_keyword', async () => {
  const ask = await startRest();
  const properties = { ck: { type: 'constant_keyword' }, o: { properties: { ck: { type: 'constant_keyword' } } } };
  await ask('PUT /t', { mappings: { properties } });
  const refused = await ask('PUT /t/_doc/1', '{"ck":"x","o":{"ck":"x"},"d":99999999999999999999}');
  assert.equal(refused.status, 400);
  assert.deepEqual((await ask('GET /t/_mapping')).json.t.mappings.properties, properties);
  assert.equal((await ask('PUT /t/_doc/1?refresh=true', { ck: 'y', o: { ck: 'z' } })).status, 201);
  assert.equal((await ask('GET /t/_count?q=ck:y%20AND%20o.ck:z')).json.count, 1);
  assert.equal((await ask('PUT /t/_doc/2', { ck: 'x' })).status, 400);
});
