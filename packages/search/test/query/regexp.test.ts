// Lucene's regular expressions, with the answers of Elasticsearch 7.10.2.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, load, startRest } from '../rest/harness.ts';

const WORDS = ['a', 'ab', 'abc', 'abd', 'b', 'foo', 'bar', 'foobar', '5', '10', '007', 'a#b', 'a@b', 'a~b', 'a&b'];

async function filled(): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /r', { mappings: { properties: { k: { type: 'keyword' } } } });
  await load(
    ask,
    'r',
    WORDS.map((k) => ({ k })),
  );
  return ask;
}

const asked = (ask: Ask, body: object) => ask('POST /r/_search', { size: 50, query: { regexp: { k: body } } });
const found = async (ask: Ask, value: string, flags?: string): Promise<string> => {
  const { json } = await asked(ask, { value, ...(flags === undefined ? {} : { flags }) });
  return json.hits.hits.map((hit: { _source: { k: string } }) => hit._source.k).join(' ');
};

test('~ matches what its operand does not', async () => {
  const ask = await filled();
  equal(await found(ask, '~(a.*)'), 'b foo bar foobar 5 10 007');
  equal(await found(ask, 'a~b'), 'a abc abd a#b a@b a~b a&b');
  equal(await found(ask, '~~a'), 'a');
  equal(await found(ask, 'a~(b)c'), '');
  equal(await found(ask, '~(ab)&ab.*'), 'abc abd');
  equal(await found(ask, '~(.*[a-z#@~&].*)'), '5 10 007');
});

test('& matches what both of its operands do', async () => {
  const ask = await filled();
  equal(await found(ask, 'a.*&.*b'), 'ab a#b a@b a~b a&b');
  equal(await found(ask, 'a.*&~(.*b)&.*c'), 'abc');
  equal(await found(ask, 'foo|bar&b.*'), 'foo bar');
  equal(await found(ask, '(foo|bar)&b.*'), 'bar');
});

test('flags say which operators a regular expression has', async () => {
  const ask = await filled();
  equal(await found(ask, 'a~b', 'NONE'), 'a~b');
  equal(await found(ask, 'a&b', 'COMPLEMENT|INTERVAL'), 'a&b');
  equal(await found(ask, 'a~b', 'intersection|complement'), 'a abc abd a#b a@b a~b a&b');
  equal(await found(ask, 'a@b', 'NONE'), 'a@b');
  equal(await found(ask, 'a@b'), 'ab a#b a@b a~b a&b');
  equal(await found(ask, 'a#b'), '');
  equal(await found(ask, '"a#b"'), 'a#b');
  equal(await found(ask, '<1-10>'), '5 10 007');
  equal(await found(ask, '<001-010>'), '007');
  equal(await found(ask, 'a&b', ''), '');
  equal((await asked(ask, { value: 'a', flags: 'nope' })).json.error.type, 'illegal_argument_exception');
  equal((await asked(ask, { value: 'a', flags: 'ALL|nope' })).status, 200);
});

test('a regular expression that cannot be read is refused, where it is not forgiven', async () => {
  const ask = await filled();
  for (const value of ['~', 'a&', '(a', 'a)', '[a', '[a-]', 'a{', 'a{1,2', '<1-5', '<a>', '"x', '[c-a]', 'a\\']) {
    const { json, status } = await asked(ask, { value });
    deepEqual([status, json.error.root_cause?.[0].type], [400, 'query_shard_exception'], value);
    match(json.error.root_cause[0].reason, /^failed to create query: /);
  }
  const forgiven = await ask('POST /r/_search', { query: { query_string: { query: 'k:/[/', lenient: true } } });
  deepEqual(forgiven.json.hits.hits, []);
});

test('classes of many characters, repeated, find what they match', async () => {
  const ask = await filled();
  const many = Array.from({ length: 100 }, (_, at) => String.fromCodePoint(0x4e00 + 2 * at)).join('');
  // One set of states per repetition, not one per character and repetition.
  equal(await found(ask, `([${many}a-b]?){20}`), 'a ab b');
  equal(await found(ask, `([${many}a-b]?){20}&~(([${many}b]?){20})`), 'a ab');
});
