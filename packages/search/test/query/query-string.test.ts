// The two languages of query strings, with the answers of Elasticsearch 7.10.2.
import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { queryTokens } from '../../src/dsl/query-string-tokens.ts';
import { type Ask, ids, load, startRest } from '../rest/harness.ts';

const MAPPINGS = {
  properties: {
    t: { type: 'text' },
    u: { type: 'text' },
    n: { type: 'integer' },
    k: { type: 'keyword' },
    folded: { type: 'text', analyzer: 'folded' },
  },
};

async function filled(settings: object = {}): Promise<Ask> {
  const ask = await startRest();
  const analysis = { analyzer: { folded: { tokenizer: 'standard', filter: ['lowercase', 'asciifolding'] } } };
  await ask('PUT /q', { settings: { analysis, ...settings }, mappings: MAPPINGS });
  await load(ask, 'q', [
    { t: 'the quick brown fox', u: 'jumps over', n: 5, k: 'Fox' },
    { t: 'quick', u: 'brown fox', n: 7, k: 'dog' },
    { t: 'lazy dogs', u: 'the quick', n: -1, folded: 'Café' },
  ]);
  return ask;
}

const asked = (ask: Ask, kind: string, body: object) => ask('POST /q/_search', { query: { [kind]: body } });
const found = async (ask: Ask, kind: string, body: object) => ids(await asked(ask, kind, body)).sort();

test('words without an operator between them are analysed as one text, field by field', async () => {
  const ask = await filled();
  const both = { query: 'quick fox', fields: ['t', 'u'], default_operator: 'and' };
  // One field has to have both words, where an operator splits them.
  deepEqual(await found(ask, 'query_string', both), ['1']);
  deepEqual(await found(ask, 'query_string', { ...both, query: 'quick AND fox' }), ['1', '2']);
  deepEqual(await found(ask, 'query_string', { ...both, query: 't:quick fox' }), ['1', '2']);
});

test('a minimum of matches counts the clauses of the whole query string, not those of its groups', async () => {
  const ask = await filled();
  const options = { default_field: 't', minimum_should_match: 2 };
  deepEqual(await found(ask, 'query_string', { query: 'quick OR fox OR lazy', ...options }), ['1']);
  deepEqual(await found(ask, 'query_string', { query: '(quick OR lazy) OR brown', ...options }), ['1']);
  deepEqual(await found(ask, 'query_string', { query: 'quick AND brown', ...options }), []);
});

test('patterns are spelt as the analyzer spells words', async () => {
  const ask = await filled();
  for (const query of ['folded:CAFÉ*', 'folded:C?FÉ', 'folded:CAFÈ~1'])
    deepEqual(await found(ask, 'query_string', { query }), ['3'], query);
  deepEqual(await found(ask, 'simple_query_string', { query: 'CAFÉ*', fields: ['folded'] }), ['3']);
});

test('a simple query string negates only what follows its sign', async () => {
  const ask = await filled();
  const simple = (query: string) =>
    found(ask, 'simple_query_string', { query, fields: ['t'], default_operator: 'and' });
  deepEqual(await simple('quick -fox'), ['2']);
  deepEqual(await simple('quick - fox'), ['1']);
  deepEqual(await simple('-(quick | lazy)'), []);
  deepEqual(await simple('quick + | fox'), ['1']);
  deepEqual(await simple('"quick fox"~1'), ['1']);
  deepEqual(await simple('quik~'), ['1', '2']);
});

test('an analyzer that an index does not have is refused, whatever the field', async () => {
  const ask = await filled();
  for (const field of ['t', 'n', 'absent']) {
    for (const kind of ['match', 'match_phrase', 'match_phrase_prefix', 'match_bool_prefix']) {
      const { json, status } = await asked(ask, kind, { [field]: { query: '1', analyzer: 'nobody' } });
      equal(status, 400);
      equal(json.error.root_cause[0].type, 'query_shard_exception');
      equal(json.error.root_cause[0].reason, `[${kind}] analyzer [nobody] not found`);
    }
  }
  for (const kind of ['query_string', 'simple_query_string', 'multi_match']) {
    const { json, status } = await asked(ask, kind, { query: 'quick', analyzer: 'nobody' });
    equal(status, 400);
    match(json.error.root_cause[0].reason, /analyzer \[nobody\] not found/);
  }
  equal((await asked(ask, 'query_string', { query: 'x', quote_analyzer: 'nobody' })).status, 400);
});

test('index.query_string.lenient forgives values that do not fit in query strings alone', async () => {
  const strict = await filled();
  const lenient = await filled({ 'index.query_string.lenient': true });
  const query = { query: 'n:abc OR t:quick', fields: ['t'] };
  equal((await asked(strict, 'query_string', query)).status, 400);
  deepEqual(await found(lenient, 'query_string', query), ['1', '2']);
  equal((await asked(lenient, 'query_string', { ...query, lenient: false })).status, 400);
  equal((await asked(lenient, 'simple_query_string', { query: 'abc', fields: ['n'] })).status, 400);
  deepEqual(ids(await lenient('GET /q/_search?q=n:abc')), []);
});

test('index.query.default_field names the fields of queries without fields', async () => {
  const ask = await filled({ 'index.query.default_field': ['u', 'n'] });
  deepEqual(await found(ask, 'query_string', { query: 'fox', lenient: true }), ['2']);
  deepEqual(await found(ask, 'simple_query_string', { query: '5', lenient: true }), ['1']);
  deepEqual(await found(ask, 'multi_match', { query: 'quick', lenient: true }), ['3']);
});

test('a query string that cannot be parsed is refused with its place', async () => {
  const ask = await filled();
  for (const query of ['a AND', '(a', 'a)', '"a', '[1 TO', 'a:b:c', '()', 't:', 'a^', 'a\\', 'a\\u00']) {
    const { json, status } = await asked(ask, 'query_string', { query, lenient: true });
    deepEqual([status, json.error.root_cause[0].type], [400, 'query_shard_exception'], query);
    equal(json.error.failed_shards[0].reason.caused_by.type, 'parse_exception', query);
  }
});

test('tokens of millions of characters are found', () => {
  const long = 'a'.repeat(6_000_000);
  const fail = (at: number): never => {
    throw new Error(`place ${at}`);
  };
  const kinds = (text: string) => queryTokens(text, fail).map(({ kind }) => kind);
  deepEqual(kinds(`${long} "${long}" /${long}/`), ['TERM', 'QUOTED', 'REGEXPTERM', 'EOF']);
  deepEqual(kinds(`["${long}" TO b]`), [
    'RANGEIN_START',
    'RANGE_QUOTED',
    'RANGE_TO',
    'RANGE_GOOP',
    'RANGEIN_END',
    'EOF',
  ]);
  throws(() => kinds(`"${long}`), /place 0/);
});
