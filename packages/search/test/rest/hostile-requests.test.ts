import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AGGREGATION_ROWS } from '../compatibility/aggregations.ts';
import { startOptionIndex } from '../compatibility/option-index.ts';
import { QUERIES, SAMPLE_DOCUMENT, SAMPLE_MAPPING, SEARCH_MEMBERS } from '../compatibility/table.ts';
import { load, startRest } from './harness.ts';

/** Values that do not belong where they are put. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    -1,
    0,
    1.5,
    1e308,
    true,
    '',
    '*',
    '_',
    'a.b',
    'now',
    '{',
    [],
    {},
    [[]],
    [null],
    { a: null },
    'tag',
    'text',
    'n',
    '((',
    '\\',
    '/x',
    '"',
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

/** A JSON value with one place in it replaced. */
function spoiled(value: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(value) && value.length > 0) {
    return fc.oneof(
      odd,
      fc.nat(value.length - 1).chain((at) => spoiled(value[at]).map((each) => value.with(at, each))),
    );
  }
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
    const members = value as Readonly<Record<string, unknown>>;
    return fc.oneof(
      { weight: 1, arbitrary: odd },
      {
        weight: 4,
        arbitrary: fc
          .constantFrom(...Object.keys(members))
          .chain((key) => spoiled(members[key]).map((each) => ({ ...members, [key]: each }))),
      },
      { weight: 1, arbitrary: fc.tuple(fc.string(), odd).map(([key, each]) => ({ ...members, [key]: each })) },
    );
  }
  return odd;
}

test('a request with anything wrong in it is answered 2xx or 4xx, never 500', async () => {
  const ask = await startOptionIndex();
  await ask('PUT /sample', { mappings: SAMPLE_MAPPING });
  await load(ask, 'sample', [SAMPLE_DOCUMENT]);
  const searches: readonly (readonly [string, unknown])[] = [
    ...QUERIES.map((row) => ['sample', { query: row.sample }] as const),
    ...AGGREGATION_ROWS.flatMap((row) => Object.entries(row.searches)),
    ...SEARCH_MEMBERS.map((row) => ['sample', row.sample] as const),
  ];
  const spoiledSearch = fc
    .constantFrom(...searches)
    .chain(([index, body]) => spoiled(body).map((each) => [index, each] as const));
  await fc.assert(
    fc.asyncProperty(spoiledSearch, async ([index, body]) => {
      const reply = await ask(`POST /${index}/_search`, JSON.stringify(body));
      ok(reply.status < 500, `${JSON.stringify(body)}: ${reply.text}`);
    }),
    { numRuns: 2000 },
  );
});

test('words that every object of JavaScript has are no types, formats, parts or kinds', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { at: { type: 'date' }, n: { type: 'long' } } } });
  await ask('PUT /t/_doc/1?refresh=true', { at: '2020-01-01', n: 1 });
  for (const word of ['constructor', 'valueOf', 'toString', '__proto__']) {
    const field = (definition: object): object => ({ mappings: { properties: { f: definition } } });
    const part = (analysis: object): object => ({ settings: { analysis } });
    for (const [target, body] of [
      ['PUT /x', field({ type: word })],
      ['PUT /x', field({ type: 'date', format: word })],
      ['PUT /x', field({ type: 'text', analyzer: word })],
      ['PUT /x', field({ type: 'keyword', normalizer: word })],
      ['PUT /x', part({ analyzer: { a: { type: word } } })],
      ['PUT /x', part({ filter: { a: { type: word } } })],
      ['POST /_analyze', { tokenizer: word, text: 'a' }],
      ['POST /_analyze', { tokenizer: 'standard', filter: [word], text: 'a' }],
      ['POST /t/_search', { query: { [word]: {} } }],
      ['POST /t/_search', { aggs: { a: { [word]: {} } } }],
      ['POST /t/_search', { docvalue_fields: [{ field: 'at', format: word }] }],
      ['POST /t/_search', { aggs: { a: { date_histogram: { field: 'at', calendar_interval: word } } } }],
      ['POST /t/_search', { aggs: { a: { date_histogram: { field: 'at', interval: word } } } }],
      ['POST /t/_search', { sort: [{ _geo_distance: { at: '1,2', unit: word } }] }],
      ['POST /t/_search', { query: { function_score: { field_value_factor: { field: 'n', modifier: word } } } }],
    ] as const) {
      const { status, text: answer } = await ask(target, body);
      equal(status, 400, `${target} ${JSON.stringify(body)}: ${answer}`);
    }
  }
});

test('any text as a query string is answered 200 or 400', async () => {
  const ask = await startRest();
  await ask('PUT /sample', { mappings: SAMPLE_MAPPING });
  await load(ask, 'sample', [SAMPLE_DOCUMENT]);
  const piece = fc.constantFrom(
    'text',
    'n',
    'tag',
    ':',
    ' ',
    'AND',
    'OR',
    'NOT',
    '(',
    ')',
    '"',
    '[',
    ']',
    '{',
    '}',
    'TO',
    '*',
    '?',
    '~',
    '^',
    '2',
    '+',
    '-',
    '/',
    '\\',
    '>',
    '=',
    '_exists_',
    'fox',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
      const text = pieces.join('');
      const strict = await ask(`GET /sample/_search?q=${encodeURIComponent(text)}`);
      ok(strict.status === 200 || strict.status === 400, `${text}: ${strict.text}`);
      const simple = await ask('POST /sample/_search', { query: { simple_query_string: { query: text } } });
      ok(simple.status === 200, `${text}: ${simple.text}`);
    }),
    { numRuns: 1000 },
  );
});

test('any JSON as a document, a mapping or settings is answered 2xx or 4xx', async () => {
  const ask = await startRest();
  let count = 0;
  await fc.assert(
    fc.asyncProperty(
      spoiled(SAMPLE_DOCUMENT),
      spoiled(SAMPLE_MAPPING),
      spoiled({
        index: { number_of_shards: 1, analysis: { analyzer: { a: { tokenizer: 'standard', filter: ['lowercase'] } } } },
      }),
      async (document, mappings, settings) => {
        const name = `any${count++}`;
        for (const reply of [
          await ask(`PUT /${name}`, JSON.stringify({ mappings, settings })),
          await ask(`PUT /${name}/_doc/1`, JSON.stringify(document)),
          await ask(`POST /${name}/_update/1`, JSON.stringify({ doc: document })),
          await ask(`PUT /${name}/_mapping`, JSON.stringify(mappings)),
          await ask(`GET /${name}/_mapping`),
          await ask(`GET /${name}/_search`),
        ]) {
          ok(reply.status < 500, `${JSON.stringify({ document, mappings, settings })}: ${reply.text}`);
        }
        await ask(`DELETE /${name}`);
      },
    ),
    { numRuns: 300 },
  );
});

test('a member called toString makes no request fail on the server', async () => {
  const ask = await startRest();
  await load(ask, 'a', [{ k: 'red', text: 'red fox' }]);
  // The text of such an object cannot be asked for.
  const odd = { toString: 1, valueOf: 1, toJSON: 1 };
  const headers: object[] = [{ index: odd }, { index: [[odd]] }];
  for (const key of ['routing', 'preference', 'type', 'search_type', 'expand_wildcards'])
    headers.push({ index: 'a', [key]: odd });
  const searches = await ask(
    'POST /_msearch',
    headers.flatMap((header) => [header, {}]),
  );
  ok(searches.status < 500, searches.text);
  equal(/"status":5\d\d/.exec(searches.text), null, searches.text);
  for (const value of [odd, [odd], [[odd]]]) {
    for (const key of ['doc_as_upsert', 'detect_noop', 'scripted_upsert']) {
      const update = await ask('POST /a/_update/1', { doc: {}, [key]: value });
      equal(update.status, 400, update.text);
      ok(update.json.error.reason.includes(`${key} doesn't support values of type: `), update.text);
      const bulk = await ask('POST /_bulk', [{ update: { _index: 'a', _id: '1' } }, { doc: {}, [key]: value }]);
      ok(bulk.status < 500 && !/"status":5\d\d/.test(bulk.text), bulk.text);
    }
    for (const [target, body] of [
      ['POST /_mget', { docs: [{ _index: 'a', _id: '1', stored_fields: value }] }],
      ['PUT /b', { mappings: { _source: { includes: value } } }],
      ['PUT /c', { settings: { 'index.query.default_field': value } }],
      ['POST /c/_search', { query: { query_string: { query: 'red' } } }],
      ['POST /a/_search', { query: { terms: { _id: value } } }],
      ['POST /a/_search', { query: { match_all: {} }, sort: [{ _id: 'asc' }], search_after: [value] }],
      [
        'POST /a/_search',
        { query: { match: { text: 'fox' } }, highlight: { fields: { text: { matched_fields: value } } } },
      ],
    ] as const) {
      const reply = await ask(target, body);
      ok(reply.status < 500, `${target} ${JSON.stringify(body)}: ${reply.text}`);
    }
  }
});
