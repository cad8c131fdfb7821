// Filters that ask a script about each token, by the examples of Elasticsearch's documentation.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, startRest } from '../rest/harness.ts';

async function tokens(ask: Ask, filter: readonly unknown[], text: string): Promise<readonly string[]> {
  const { json } = await ask('POST /_analyze', { tokenizer: 'standard', filter, text });
  if (json.error !== undefined) return [json.error.caused_by?.reason ?? json.error.reason];
  return json.tokens.map(({ token, position }: { token: string; position: number }) => `${position} ${token}`);
}

const keeps = (source: string, params?: object): unknown => ({
  type: 'predicate_token_filter',
  script: { source, ...(params === undefined ? {} : { params }) },
});

test('predicate_token_filter keeps the tokens for which its script is true', async () => {
  const ask = await startRest();
  const text = 'the fox jumps 7 the lazy dog';
  deepEqual(await tokens(ask, [keeps('token.term.length() > 3')], text), ['2 jumps', '5 lazy']);
  deepEqual(await tokens(ask, [keeps("token.type == '<NUM>' || token.getPosition() < 1")], text), ['0 the', '3 7']);
  const far = keeps('return token.startOffset >= params.at ? !token.isKeyword() : false;', { at: 20 });
  deepEqual(await tokens(ask, [far], text), ['5 lazy', '6 dog']);
  deepEqual(await tokens(ask, [keeps("token.term.toString().startsWith('l')")], text), ['5 lazy']);
  deepEqual(await tokens(ask, [keeps('token.endOffset - token.startOffset == 2 * 2')], text), ['5 lazy']);
  deepEqual(await tokens(ask, ['stop', keeps('token.positionIncrement > 1')], text), ['1 fox', '5 lazy']);
});

test('condition runs filters on tokens in a row for which its script is true', async () => {
  const ask = await startRest();
  const when = (filter: unknown, source: string): unknown => ({ type: 'condition', filter, script: { source } });
  const text = 'THE QUICK BROWN FOX';
  deepEqual(await tokens(ask, [when(['lowercase'], 'token.getTerm().length() < 5')], text), [
    '0 the',
    '1 QUICK',
    '2 BROWN',
    '3 fox',
  ]);
  deepEqual(await tokens(ask, [when('lowercase, reverse', 'token.position % 2 == 1')], text), [
    '0 THE',
    '1 kciuq',
    '2 BROWN',
    '3 xof',
  ]);
  deepEqual(await tokens(ask, [when(['shingle'], 'token.term.length() == 5')], text), [
    '0 THE',
    '1 QUICK',
    '1 QUICK BROWN',
    '2 BROWN',
    '3 FOX',
  ]);
});

test('a script about tokens that cannot be understood is refused', async () => {
  const ask = await startRest();
  for (const [source, reason] of [
    ['token.foo', 'member [foo] of [token] not found.'],
    ['foo', 'cannot resolve symbol [foo]'],
    ['token.position', 'Cannot cast from [number] to [boolean].'],
    ['token.term.matches("x")', 'member method [matches] not found.'],
    ['', 'unexpected end of script.'],
    ['true true', 'unexpected token [true].'],
    ['('.repeat(100), 'a script nests at most [60] deep'],
    ['#', 'unexpected character [#].'],
  ] as const)
    deepEqual(await tokens(ask, [keeps(source)], 'x'), [reason]);
  const type = 'predicate_token_filter';
  for (const [filter, reason] of [
    [{ type }, 'must specify either [source] for an inline script or [id] for a stored script'],
    [{ type, script: { id: 'x' } }, `Cannot use stored scripts in tokenfilter [__anonymous__${type}]`],
    [type, "Analysis settings required - can't instantiate analysis factory"],
  ] as const)
    deepEqual(await tokens(ask, [filter], 'x'), [reason]);
  const settings = { analysis: { filter: { p: keeps('token.foo()') } } };
  equal((await ask('PUT /t', { settings })).json.error.type, 'script_exception');
});

test('numbers of a script about tokens that are no ints are refused', async () => {
  const ask = await startRest();
  for (const n of [1.5, 2 ** 31, -(2 ** 31) - 1])
    deepEqual(await tokens(ask, [keeps('token.term.length() >= params.n * 4', { n })], 'abcd abcdef'), [
      `the parameter [n] of a script about tokens is a whole number of 32 bits, not [${n}]`,
    ]);
  deepEqual(await tokens(ask, [keeps('token.position < 2147483648')], 'a'), ['Invalid int constant [2147483648].']);
  deepEqual(await tokens(ask, [keeps('token.position < 010')], 'a'), ['Invalid int constant [010].']);
  deepEqual(await tokens(ask, [keeps('params.n / -1 == params.n && -params.n == params.n', { n: -(2 ** 31) })], 'a'), [
    '0 a',
  ]);
});

test('a script that fails at a word of a query fails its index alone', async () => {
  const ask = await startRest();
  const analysis = (source: string): unknown => ({
    analyzer: { own: { tokenizer: 'standard', filter: ['p'] } },
    filter: { p: keeps(source) },
  });
  const mappings = { properties: { t: { type: 'text', analyzer: 'standard', search_analyzer: 'own' } } };
  await ask('PUT /sx', { settings: { analysis: analysis('1 / (token.position - 1) > 5') }, mappings });
  await ask('PUT /sy', { settings: { analysis: analysis('true') }, mappings });
  await ask('PUT /sx/_doc/1?refresh', { t: 'a' });
  await ask('PUT /sy/_doc/1?refresh', { t: 'a' });
  for (const query of [
    { match: { t: 'a b c' } },
    { match_phrase: { t: 'a b c' } },
    { query_string: { query: 't:(a b c)' } },
  ]) {
    const { json } = await ask('GET /sx,sy/_search', { query });
    deepEqual([json.hits?.hits.length, json._shards?.failed], [Object.hasOwn(query, 'match_phrase') ? 0 : 1, 1]);
    equal(json._shards.failures[0].reason.caused_by.type, 'script_exception');
  }
  const { json } = await ask('GET /sx,sy/_count', { query: { match: { t: 'a b c' } } });
  deepEqual([json.count, json._shards?.failed], [1, 1]);
  equal((await ask('PUT /sx/_mapping', { properties: { w: { type: 'text', analyzer: 'own' } } })).status, 200);
  equal((await ask('PUT /sx/_doc/2', { w: 'a b c' })).status, 400);
});
