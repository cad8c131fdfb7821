// Mistakes in mappings are refused, and values of parameters printed, as Elasticsearch 7.10.2 does. What it answered stands here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRest } from '../rest/harness.ts';

const IAE = 'illegal_argument_exception';
const MPE = 'mapper_parsing_exception';
const NFE = 'number_format_exception';

/** Definitions of a field `f` with type and reason of what is wrong. */
const FIELDS: readonly (readonly [definition: unknown, type: string, reason: string])[] = [
  [{ type: 'text', analyzer: 'absent' }, IAE, 'analyzer [absent] has not been configured in mappings'],
  [{ type: 'text', analyzer: null }, MPE, '[analyzer] on mapper [f] of type [text] must not have a [null] value'],
  [{ type: 'keyword', ignore_above: 'x' }, NFE, 'For input string: "x"'],
  [{ type: 'keyword', ignore_above: 1.5 }, IAE, '1.5 is not an integer value'],
  [
    { type: 'text', position_increment_gap: 100, index: false },
    IAE,
    'Cannot set position_increment_gap on field [f] without positions enabled',
  ],
  [{ type: 'text', index_prefixes: {}, index: false }, IAE, 'Cannot set index_prefixes on unindexed field [f]'],
  [
    { type: 'text', index_phrases: true, index_options: 'freqs' },
    IAE,
    'Cannot set index_phrases on field [f] if positions are not enabled',
  ],
  [
    { type: 'text', fielddata: true, index: false },
    IAE,
    'Cannot enable fielddata on a [text] field that is not indexed: [f]',
  ],
  [{ type: 'text', boost: 'x' }, NFE, 'For input string: "x"'],
  [{ type: 'text', similarity: 'default' }, MPE, 'Unknown Similarity type [default] for field [f]'],
  [
    { type: 'text', fields: ['a'] },
    MPE,
    'expected map for property [fields] on field [[a]] or [fields] but got a class java.util.ArrayList',
  ],
  [{ type: 'text', fields: { a: 7 } }, MPE, 'illegal field [a], only fields can be specified inside fields'],
  [{ type: 'text', fields: { a: { type: 'wrong' } } }, MPE, 'no handler for type [wrong] declared on field [a]'],
  [{ type: 'text', fields: { a: { type: 'alias' } } }, MPE, 'Type [alias] cannot be used in multi field'],
  [
    { type: 'text', fields: { 'a.b': { type: 'keyword' } } },
    MPE,
    "Field name [a.b] which is a multi field of [f] cannot contain '.'",
  ],
  [
    { type: 'text', index_prefixes: true },
    'class_cast_exception',
    "class java.lang.Boolean cannot be cast to class java.util.Map (java.lang.Boolean and java.util.Map are in module java.base of loader 'bootstrap')",
  ],
  [{ type: 'integer', null_value: '' }, NFE, 'empty String'],
  [{ type: 'integer', null_value: '2.5' }, IAE, 'Value [2.5] has a decimal part'],
  [{ type: 'byte', null_value: 200 }, IAE, 'Value [200] is out of range for a byte'],
  [{ type: 'half_float', null_value: 70000 }, IAE, '[half_float] supports only finite values, but got [70000.0]'],
  [{ type: 'boolean', null_value: '' }, IAE, 'Failed to parse value [] as only [true] or [false] are allowed.'],
  [{ type: 'scaled_float' }, IAE, 'Field [scaling_factor] is required'],
  [{ type: 'date', locale: 'zz' }, IAE, 'Unknown language: zz'],
  [{ type: 'date', locale: 'a_b_c_d' }, IAE, 'Locales can have at most 3 parts but got 4: [a, b, c, d]'],
  [{ type: 'geo_point', ignore_malformed: 'x' }, IAE, 'Could not convert [f.ignore_malformed] to boolean'],
  [{ type: 'token_count' }, MPE, "Analyzer must be set for field [f] but wasn't."],
  [{ type: 'completion', max_input_length: 0 }, IAE, '[max_input_length] must be > 0 but was [0]'],
  [{ type: 'object', enabled: 'x' }, IAE, 'Could not convert [enabled.enabled] to boolean'],
  [{ type: 'object', dynamic: 'x' }, IAE, 'Could not convert [dynamic.dynamic] to boolean'],
  [{ type: 'nested', include_in_parent: 'x' }, IAE, 'Could not convert [f.include_in_parent] to boolean'],
  [{ type: 'object', properties: 7 }, 'parse_exception', 'properties must be a map type'],
  [{ properties: { a: 7 } }, MPE, 'Expected map for property [fields] on field [a] but got a class java.lang.String'],
  [{ type: ['text'] }, MPE, 'No handler for type [[text]] declared on field [f]'],
];

/** Roots of mappings likewise. */
const ROOTS: readonly (readonly [mapping: object, type: string, reason: string])[] = [
  [{ dynamic: 'runtime' }, IAE, 'Could not convert [dynamic.dynamic] to boolean'],
  [{ date_detection: 'x' }, IAE, 'Could not convert [date_detection] to boolean'],
  [{ dynamic_date_formats: {} }, IAE, 'Invalid format: [{}]: expected string value'],
  [{ _source: { wrong: 1 } }, MPE, 'unknown parameter [wrong] on mapper [_source] of type [null]'],
  [{ _source: 7 }, IAE, '[_parent] must be an object containing [type]'],
  [{ _routing: { required: 'x' } }, IAE, 'Failed to parse value [x] as only [true] or [false] are allowed.'],
  [{ _id: {} }, MPE, '_id is not configurable'],
  [
    { wrong: 1, alsowrong: { a: [1, 'x'] } },
    MPE,
    'Root mapping definition has unsupported parameters:  [alsowrong : {a=[1, x]}] [wrong : 1]',
  ],
  [
    { dynamic_templates: [{ a: { match: '*2', match_pattern: 'regex', mapping: {} } }] },
    IAE,
    'Pattern [*2] of type [regex] is invalid. Cannot create dynamic template [a].',
  ],
  [
    { dynamic_templates: [{ a: { match: 'x', match_pattern: 'glob', mapping: {} } }] },
    IAE,
    'No matching pattern matched on [glob]',
  ],
];

test('a mistake in a new mapping names its cause, and the mapping that could not be parsed', async () => {
  const ask = await startRest();
  const all = [...FIELDS.map(([f, ...rest]) => [{ properties: { f } }, ...rest] as const), ...ROOTS];
  for (const [mappings, type, reason] of all) {
    const { status, json } = await ask('PUT /t', { mappings });
    const said = json.error;
    assert.deepEqual(
      [status, said.type, said.reason.replace(/,? did you mean.*|;? known here.*/i, ''), said.caused_by.type],
      [400, MPE, `Failed to parse mapping [_doc]: ${reason}`, type],
    );
    // Java's exceptions are no root causes.
    const isOwn = type === MPE || type === 'parse_exception';
    assert.equal(said.root_cause[0].reason, isOwn ? said.caused_by.reason : said.reason);
  }
});

test('the same mistake in a change of a mapping is named alone', async () => {
  const ask = await startRest();
  await ask('PUT /t', {});
  const { json } = await ask('PUT /t/_mapping', { properties: { b: { type: 'integer', null_value: 2.5 } } });
  assert.deepEqual([json.error.type, json.error.reason], [IAE, 'Value [2.5] has a decimal part']);
});

test('limits of a mapping are no mistakes in how it is written', async () => {
  const ask = await startRest();
  const { json } = await ask('PUT /t', {
    settings: { 'mapping.field_name_length.limit': 2 },
    mappings: { properties: { parts: { type: 'nested' } } },
  });
  assert.deepEqual(
    [json.error.type, json.error.reason],
    [IAE, 'Field name [parts] is longer than the limit of [2] characters'],
  );
});

test('values of parameters are printed as their types read them', async () => {
  const ask = await startRest();
  for (const [given, printed] of [
    [
      { type: 'text', search_analyzer: 'simple' },
      { type: 'text', analyzer: 'default', search_analyzer: 'simple' },
    ],
    [
      { type: 'text', search_quote_analyzer: 'simple' },
      { type: 'text', analyzer: 'default', search_analyzer: 'default', search_quote_analyzer: 'simple' },
    ],
    [
      { type: 'text', analyzer: 'simple', search_quote_analyzer: 'simple' },
      { type: 'text', analyzer: 'simple' },
    ],
    [{ type: 'keyword', normalizer: 'default' }, { type: 'keyword' }],
    [
      { type: 'keyword', null_value: true },
      { type: 'keyword', null_value: 'true' },
    ],
    [
      { type: 'date', null_value: 1767225600000 },
      { type: 'date', null_value: '1767225600000' },
    ],
    [{ type: 'date', locale: 'ROOT', ignore_malformed: false, similarity: 'BM25' }, { type: 'date' }],
    [
      { type: 'date', locale: 'de' },
      { type: 'date', locale: 'de' },
    ],
    [{ type: 'integer_range', locale: 'de' }, { type: 'integer_range' }],
    [{ type: 'geo_point', index: false }, { type: 'geo_point' }],
    [{ type: 'text', fields: [] }, { type: 'text' }],
    [
      { type: 'text', copy_to: [7] },
      { type: 'text', copy_to: ['7'] },
    ],
    [
      { enabled: false, properties: { a: { type: 'text' } } },
      { enabled: false, properties: { a: { type: 'text' } } },
    ],
  ]) {
    await ask('DELETE /t');
    const made = await ask('PUT /t', { mappings: { properties: { f: given } } });
    assert.equal(made.status, 200, JSON.stringify(made.json));
    const { json } = await ask('GET /t/_mapping');
    assert.deepEqual(json.t.mappings.properties.f, printed);
  }
});

test('what a mapping says of the whole document is printed as it is read', async () => {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: {
      enabled: false,
      date_detection: 'true',
      dynamic_date_formats: 'yyyy',
      _routing: { required: 'true' },
      _field_names: { enabled: true },
      _source: {},
      _meta: null,
      dynamic_templates: [{ a: { match_mapping_type: '*', unmatch: ['x', 'y'], mapping: {} } }],
    },
  });
  const { json } = await ask('GET /t/_mapping');
  assert.deepEqual(json.t.mappings, {
    enabled: false,
    date_detection: true,
    dynamic_date_formats: ['yyyy'],
    _routing: { required: true },
    _field_names: { enabled: true },
    dynamic_templates: [{ a: { unmatch: '[x, y]', match_mapping_type: '*', mapping: {} } }],
  });
  await ask('PUT /t/_doc/1?routing=r&refresh=true', { a: 1 });
  const found = await ask('GET /t/_search?q=a:1');
  assert.equal(found.json.hits.total.value, 0);
});

test('of several mistakes the one is named that Elasticsearch reads first: as written, then as made, then as merged', async () => {
  const ask = await startRest();
  const analyzed = { type: 'token_count' };
  const reasonOf = async (target: string, body: object): Promise<string> => {
    const { reason } = (await ask(target, body)).json.error;
    return reason.replace('Failed to parse mapping [_doc]: ', '').replace(/[,;]? (?:[Dd]id you mean|known here).*/, '');
  };
  const properties = { f0: { type: 'text', index: false, index_prefixes: {} }, f1: { type: 'nesteds' } };
  assert.equal(
    await reasonOf('PUT /t', { mappings: { properties } }),
    'No handler for type [nesteds] declared on field [f1]',
  );
  const hashed = { f0: { type: 'number' }, obj: { properties: {} }, 'dot.ted.deep': { type: 'scaled_float' } };
  assert.equal(await reasonOf('PUT /t', { mappings: { properties: hashed } }), 'Field [scaling_factor] is required');
  await ask('PUT /t', { mappings: { properties: { f1: { type: 'keyword' } } } });
  assert.equal(
    await reasonOf('PUT /t/_mapping', { properties: { f1: { type: 'long', fields: { sub: analyzed } } } }),
    "Analyzer must be set for field [sub] but wasn't.",
  );
  assert.equal(
    await reasonOf('PUT /t/_mapping', {
      properties: { p: { type: 'nested', store: false, index_prefixes: { min_chars: 2 } } },
    }),
    'Mapping definition for [p] has unsupported parameters:  [index_prefixes : {min_chars=2}] [store : false]',
  );
  const deep = {
    obj: { properties: { a: { type: 'long' } } },
    parts: { properties: { inner: { properties: { c: { type: 'long' } } } } },
  };
  assert.equal(
    await reasonOf('PUT /u', { settings: { 'mapping.depth.limit': 1 }, mappings: { properties: deep } }),
    'Limit of mapping depth [1] has been exceeded due to object field [parts.inner]',
  );
  const alias = { a: { type: 'long' }, b: { type: 'alias', path: 'absent' } };
  assert.equal(
    await reasonOf('PUT /u', { settings: { 'mapping.total_fields.limit': 1 }, mappings: { properties: alias } }),
    'Invalid [path] value [absent] for field alias [b]: an alias must refer to an existing field in the mappings.',
  );
});
