// Requests that hold very many parts of a kind: refused past a limit with what to do, or done in turns.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createEngine, createMapper, createRestApi } from '@lockstitch/search';
import { createAnalysis } from '../../src/analysis/analysis-registry.ts';
import { aliasesOf } from '../../src/rest/request/resolve-indices.ts';
import { type Reply, startRest } from './harness.ts';

const numbered = (count: number, name = 'w'): string[] => Array.from({ length: count }, (_, at) => `${name}${at}`);
const withFilter = (definition: object): object => ({
  settings: {
    analysis: { filter: { own: definition }, analyzer: { a: { tokenizer: 'standard', filter: ['lowercase', 'own'] } } },
  },
});

function refused(reply: Reply, status: number, reason: RegExp): void {
  assert.equal(reply.status, status, reply.text);
  const { caused_by: cause, reason: first } = reply.json.error;
  assert.match(cause?.reason ?? first, reason);
}

test('3.9 a bulk request of too many operations is refused before anything is written', async () => {
  const ask = await startRest(createRestApi(await createEngine(), { maxBulkOperations: 3 }));
  const lines = (count: number): unknown[] =>
    numbered(count).flatMap((id) => [{ index: { _index: 't', _id: id } }, {}]);
  assert.equal((await ask('POST /_bulk?refresh=true', lines(3))).status, 200);
  refused(await ask('POST /_bulk?refresh=true', lines(4)), 413, /at most \[3\] are allowed\. Send them in several/);
  const deletions = numbered(4).map((id) => ({ delete: { _index: 't', _id: id } }));
  refused(await ask('POST /_bulk?refresh=true', deletions), 413, /Too many operations/);
  refused(await ask('POST /_bulk?refresh=true', `${'\n'.repeat(9)}${JSON.stringify(deletions[0])}\n`), 413, /Too many/);
  assert.equal((await ask('GET /t/_count')).json.count, 3);
});

test('3.9 aliases are read once a change, and wildcards are compared with a bounded number of names', async () => {
  const engine = await createEngine();
  const ask = await startRest(createRestApi(engine));
  await ask('PUT /t', {});
  const add = (from: string) => ({
    actions: numbered(2000, from).map((alias) => ({ add: { index: 't', alias, filter: { term: { a: 1 } } } })),
  });
  assert.equal((await ask('POST /_aliases', add('a'))).status, 200);
  const index = engine.index('t');
  const before = aliasesOf(index);
  assert.equal((await ask(`GET /${numbered(1000, 'a').join()}/_count`)).status, 200);
  assert.equal(aliasesOf(index), before);
  assert.equal((await ask('POST /_aliases', add('b'))).status, 200);
  assert.equal(Object.keys(aliasesOf(index)).length, 4000);
  assert.equal((await ask(`GET /${numbered(400, '*a').join()}/_count`)).status, 200);
  refused(await ask(`GET /${numbered(600, '*a').join()}/_count`), 400, /Too many wildcards for so many names/);
});

test('3.9 synonyms that share a word are read in turns of the event loop', async () => {
  const ask = await startRest();
  const synonyms = numbered(5000).map((word) => `shared ${word} => other`);
  let turns = 0;
  let done = false;
  const count = (): void => {
    turns++;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  const reply = await ask('PUT /t', withFilter({ type: 'synonym', synonyms }));
  done = true;
  assert.equal(reply.status, 200, reply.text);
  assert.ok(turns > 5, `${turns} turns`);
  const { json } = await ask('POST /t/_analyze', { analyzer: 'a', text: 'shared w4999' });
  assert.deepEqual(json.tokens[0].token, 'other');
});

test('3.9 a line of many synonyms takes memory for its words, not for their pairs', async () => {
  const ask = await startRest();
  const synonyms = [numbered(30_000).join(',')];
  assert.equal((await ask('PUT /t', withFilter({ type: 'synonym', synonyms }))).status, 200);
  const { json } = await ask('POST /t/_analyze?filter_path=tokens.token', { analyzer: 'a', text: 'none' });
  assert.deepEqual(json.tokens, [{ token: 'none' }]);
});

test('3.9 synonyms of several lines stand for one run together, and the longest run wins', () => {
  const terms = (synonyms: readonly string[], text: string, more: object = {}): string[] => {
    const filter = { own: { type: 'synonym', synonyms, ...more } };
    const analysis = createAnalysis({ filter, analyzer: { a: { tokenizer: 'whitespace', filter: ['own'] } } });
    return [...analysis.analyzer('a')!.analyze(text).terms];
  };
  assert.deepEqual(terms(['a => b', 'a => c', 'a d => e'], 'a a d x'), ['b', 'c', 'e', 'x']);
  assert.deepEqual(terms(['a, b', 'a, c'], 'a'), ['a', 'b', 'c']);
  assert.deepEqual(terms(['a => b', 'a, c'], 'a'), ['a', 'b', 'c']);
  assert.deepEqual(terms(['a, a, b'], 'a'), ['a', 'a', 'b']);
  assert.deepEqual(terms(['a b, c'], 'a b a'), ['a', 'c', 'b', 'a']);
  assert.deepEqual(terms(['a, b, c'], 'c b', { expand: false }), ['a', 'a']);
});

test('3.9 parts of an analyzer that each word goes through are limited', async () => {
  const ask = await startRest();
  const put = (definition: object): Promise<Reply> => ask('PUT /t', withFilter(definition));
  refused(await put({ type: 'pattern_capture', patterns: numbered(101) }), 400, /\[patterns\] has \[101\] entries/);
  refused(await put({ type: 'multiplexer', filters: numbered(101) }), 400, /\[filters\] has \[101\] entries/);
  refused(await put({ type: 'synonym', synonyms: [`${'a '.repeat(101)}=> b`] }), 400, /a rule of \[101\] words/);
  refused(await put({ type: 'synonym', synonyms: ['a'.repeat(10_001)] }), 400, /names \[10001\] characters/);
  refused(
    await put({ type: 'synonym', synonyms: ['a => b => c'] }),
    400,
    /Invalid synonym rule at line 1: more than one explicit mapping/,
  );
  const chain = { tokenizer: 'standard', filter: numbered(101).map(() => 'lowercase') };
  const settings = { analysis: { analyzer: { a: chain } } };
  refused(
    await ask('PUT /t', { settings }),
    400,
    /\[filter\] has \[101\] entries, which is more than the limit of \[100\]/,
  );
  const analyzers = Object.fromEntries(numbered(1001).map((name) => [name, { tokenizer: 'standard' }]));
  refused(await ask('PUT /t', { settings: { analysis: { analyzer: analyzers } } }), 400, /\[1001\] definitions/);
  const shared = {
    filter: { own: { type: 'synonym', synonyms: numbered(200, 'x'.repeat(200)) } },
    analyzer: Object.fromEntries(numbered(60).map((name) => [name, { tokenizer: 'standard', filter: ['own'] }])),
  };
  refused(await ask('PUT /t', { settings: { analysis: shared } }), 400, /characters of synonyms together/);
  const asked = (filter: unknown[]): Promise<Reply> =>
    ask('POST /_analyze', { text: 'a', tokenizer: 'standard', filter });
  refused(await asked(numbered(101).map(() => 'lowercase')), 400, /\[filter\] has \[101\] entries/);
  refused(await asked([{ type: 'pattern_capture', patterns: numbered(101) }]), 400, /\[patterns\] has \[101\] entries/);
  // An index that exists is opened with whatever it holds.
  assert.equal(typeof createMapper({ custom: { settings } }).analysis.analyzer('a'), 'object');
});

test('3.9 templates have a hundred patterns at most, and changes of aliases are counted', async () => {
  const ask = await startRest();
  for (const path of ['/_template/t', '/_index_template/t']) {
    refused(
      await ask(`PUT ${path}`, { index_patterns: numbered(101) }),
      400,
      /at most \[100\] entries in \[index_patterns\]/,
    );
    refused(await ask(`PUT ${path}`, { index_patterns: ['a'.repeat(256)] }), 400, /has \[256\]/);
    assert.equal((await ask(`PUT ${path}`, { index_patterns: numbered(100) })).status, 200);
  }
  refused(
    await ask('PUT /_index_template/c', { index_patterns: ['c'], composed_of: numbered(101) }),
    400,
    /\[composed_of\]/,
  );
  await ask('PUT /t', {});
  const add = (aliases: string[]): Promise<Reply> =>
    ask('POST /_aliases', { actions: [{ add: { index: 't', aliases } }] });
  refused(await add(numbered(10_001)), 400, /at most \[10000\] changes/);
  assert.equal((await add(numbered(3))).status, 200);
  const moved = { actions: [{ remove: { index: 't', alias: 'w*' } }, { add: { index: 't', alias: 'w1' } }] };
  assert.equal((await ask('POST /_aliases', moved)).status, 200);
  assert.deepEqual((await ask('GET /t/_alias')).json, { t: { aliases: { w1: {} } } });
});

test('3.9 parts of a search that each bucket or document goes through are limited', async () => {
  const ask = await startRest();
  await ask('PUT /t/_doc/1?refresh=true', { n: 1, text: 'word' });
  const search = (body: object): Promise<Reply> => ask('POST /t/_search', body);
  const sources = numbered(33).map((name) => ({ [name]: { terms: { field: 'n' } } }));
  refused(await search({ aggs: { a: { composite: { sources } } } }), 400, /has \[33\] entries.* limit of \[32\]/);
  const metrics = numbered(101).map((field) => ({ field }));
  refused(await search({ aggs: { a: { top_metrics: { metrics, sort: 'n' } } } }), 400, /has \[101\] entries/);
  const reply = await search({ query: { more_like_this: { fields: ['text'], like: numbered(1001) } } });
  assert.match(reply.text, /\[like\] of \[more_like_this\] has \[1001\] entries/);
});

test('3.9 a list of a hundred thousand words is taken', () => {
  const definition = { type: 'dictionary_decompounder', word_list: numbered(130_000) };
  const analysis = createAnalysis({
    filter: { own: definition },
    analyzer: { a: { tokenizer: 'standard', filter: ['own'] } },
  });
  assert.deepEqual([...analysis.analyzer('a')!.analyze('xxw7yy').terms], ['xxw7yy', 'w7']);
});

test('3.9 the longest key of a mapping is replaced at each place', () => {
  const key = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 5 });
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 20 });
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(key, fc.constantFrom('X', 'YY', 'Z')), {
        minLength: 1,
        maxLength: 12,
        selector: ([name]) => name,
      }),
      text,
      (rules, given) => {
        const last = new Map(rules);
        let expected = '';
        for (let at = 0; at < given.length;) {
          const found = [...last.keys()]
            .filter((each) => given.startsWith(each, at))
            .sort((a, b) => b.length - a.length)[0];
          expected += found === undefined ? given[at]! : last.get(found)!;
          at += found?.length ?? 1;
        }
        const analysis = createAnalysis({
          char_filter: { own: { type: 'mapping', mappings: rules.map(([from, to]) => `${from} => ${to}`) } },
          analyzer: { a: { tokenizer: 'keyword', char_filter: ['own'] } },
        });
        assert.equal(analysis.analyzer('a')!.analyze(given).terms.join(''), expected);
      },
    ),
    { numRuns: 200 },
  );
});
