import { ok } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AGGREGATIONS, QUERIES, SAMPLE_DOCUMENT, SAMPLE_MAPPING, SEARCH_MEMBERS } from '../compatibility/table.ts';
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
  const ask = await startRest();
  await ask('PUT /sample', { mappings: SAMPLE_MAPPING });
  await load(ask, 'sample', [SAMPLE_DOCUMENT]);
  const bodies = [
    ...QUERIES.map((row) => ({ query: row.sample })),
    ...AGGREGATIONS.map((row) => ({ aggs: { x: { [row.name]: row.sample } } })),
    ...SEARCH_MEMBERS.map((row) => row.sample),
  ];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...bodies).chain(spoiled), async (body) => {
      const reply = await ask('POST /sample/_search', JSON.stringify(body));
      ok(reply.status < 500, `${JSON.stringify(body)}: ${reply.text}`);
    }),
    { numRuns: 2000 },
  );
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
