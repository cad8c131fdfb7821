// Limits count what the caller sees: hidden documents that exceed a limit by themselves change no answer, and visible ones reach it at the
// same place as if there were no others.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createEngine, createRestApi, type IndexView } from '@lockstitch/search';
import { copyViews } from '../../src/view/cuts.ts';
import { type Ask, startRest } from '../rest/harness.ts';

after(() => copyViews('usual'));

const VIEW: IndexView = { rows: { kind: 'term', field: 'owner', term: 'ann' }, hidden: ['owner'] };
const more = { view: () => VIEW };
/** Terms that a request may visit, and clauses and buckets that it may have. */
const LIMIT = 200;

const word = (at: number): string => `w${at.toString(36).padStart(4, '0')}x`;

async function open(visible: number, hidden: number): Promise<Ask> {
  const engine = await createEngine({ maxClauses: LIMIT });
  const ask = await startRest(createRestApi(engine, { maxVisitedTerms: LIMIT, maxTurn: Infinity }));
  const properties = {
    owner: { type: 'keyword' },
    text: { type: 'text' },
    code: { type: 'keyword' },
    span: { type: 'ip_range' },
    typed: { type: 'completion' },
  };
  await ask('PUT /t', { mappings: { properties } });
  await ask('PUT /_cluster/settings', { transient: { 'search.max_buckets': LIMIT } });
  const lines = Array.from({ length: visible + hidden }, (_, at) => {
    const own = at < visible;
    const text = word(own ? at * 7 : at * 7 + 1);
    const span = `10.0.${Math.floor(at / 200)}.${at % 200}/32`;
    return [
      { index: { _index: 't', _id: String(at) } },
      { owner: own ? 'ann' : 'bob', text: `${text} w`, code: text, span, typed: text },
    ];
  });
  const written = await ask('POST /_bulk?refresh=true', lines.flat());
  assert.equal(written.json.errors, false, written.text);
  return ask;
}

const WITHIN: Readonly<Record<string, readonly [target: string, body: unknown]>> = Object.fromEntries(
  Object.entries({
    prefix: { query: { prefix: { text: 'w0' } } },
    'prefix of a keyword': { query: { prefix: { code: { value: 'W0', case_insensitive: true } } } },
    'scored prefix': { query: { prefix: { text: { value: 'w0', rewrite: 'scoring_boolean' } } } },
    wildcard: { query: { wildcard: { text: 'w*x' } } },
    'wildcard with a long text': { query: { wildcard: { code: '*0*x' } } },
    regexp: { query: { regexp: { text: 'w[0-9a-z]+x' } } },
    'range of terms': { query: { range: { code: { gte: 'w', lt: 'x' } } } },
    'range of ranges': { query: { range: { span: { gte: '10.0.0.0', lte: '10.9.9.9' } } } },
    fuzzy: { query: { fuzzy: { text: { value: 'w0007y', fuzziness: 2, max_expansions: 50 } } } },
    query_string: { query: { query_string: { query: 'text:w0* OR code:w0*' } } },
    match_phrase_prefix: { query: { match_phrase_prefix: { text: { query: 'w0', max_expansions: 150 } } } },
    span_multi: { query: { span_multi: { match: { prefix: { text: { value: 'w0' } } } } } },
    intervals: { query: { intervals: { text: { prefix: { prefix: 'w0' } } } } },
    'terms of no document': { size: 0, aggs: { a: { terms: { field: 'code', min_doc_count: 0, size: 1000 } } } },
    composite: { size: 0, aggs: { a: { composite: { size: 150, sources: [{ c: { terms: { field: 'code' } } }] } } } },
    'suggested words': { suggest: { s: { text: 'w0007y', term: { field: 'text', suggest_mode: 'always' } } } },
    'suggested phrases': { suggest: { s: { text: 'w0007y w', phrase: { field: 'text' } } } },
    completion: { suggest: { s: { prefix: 'w0', completion: { field: 'typed', size: 3 } } } },
    'fuzzy completion': { suggest: { s: { prefix: 'w0', completion: { field: 'typed', fuzzy: { fuzziness: 1 } } } } },
  }).map(([name, body]) => [name, ['POST /t/_search', body] as const]),
);
const ALL: typeof WITHIN = {
  ...WITHIN,
  'words of a document': ['POST /t/_termvectors/0', { fields: ['text'], term_statistics: true }],
  'words by query': ['POST /t/_count', { query: { wildcard: { code: 'w*' } } }],
};

const plain = (text: string): string => text.replaceAll(/"took":\d+/g, '');

for (const copies of ['never', 'always'] as const) {
  const where = copies === 'never' ? 'in a masked segment' : 'in a copy of what is visible';
  test(`1.1 hidden words beyond every limit change no answer, ${where}`, async () => {
    copyViews(copies);
    const [whole, cut] = [await open(60, 900), await open(60, 0)];
    for (const [name, [target, body]] of Object.entries(ALL)) {
      const found = await whole(target, body, more);
      assert.equal(found.status, 200, `${name}: ${found.text}`);
      assert.equal(plain(found.text), plain((await cut(target, body, more)).text), name);
    }
  });
  test(`1.1 visible words reach a limit where they do without hidden ones, ${where}`, async () => {
    copyViews(copies);
    const [whole, cut] = [await open(LIMIT + 1, 900), await open(LIMIT + 1, 0)];
    const refused: string[] = [];
    for (const [name, [target, body]] of Object.entries(ALL)) {
      const found = await whole(target, body, more);
      assert.equal(plain(found.text), plain((await cut(target, body, more)).text), name);
      if (found.status !== 200 || found.json._shards?.failed > 0) refused.push(name);
    }
    // The limits are there.
    assert.ok(refused.length >= 6, refused.join(', '));
  });
}

test('1.1 a regular expression has too many states by itself, whatever the words of hidden documents', async () => {
  const regexp = (value: string, states: number): unknown => ({
    query: { regexp: { text: { value, max_determinized_states: states } } },
  });
  const queryString = (pattern: string, states: number): unknown => ({
    query: { query_string: { query: `/${pattern}/`, fields: ['text'], max_determinized_states: states } },
  });
  const large = '(a|b)*a(a|b){14}';
  const requests: (readonly [name: string, body: unknown])[] = [
    ['wildcard', { query: { wildcard: { text: '*a???????????????' } } }],
    ['include', { size: 0, aggs: { a: { terms: { field: 'code', include: large } } } }],
    ['completion', { suggest: { s: { regex: large, completion: { field: 'typed' } } } }],
  ];
  for (const pattern of ['secret', 'secre.*', 'sec(ret|ond)'])
    for (let states = 1; states < 12; states++)
      requests.push(
        [`regexp ${pattern} ${states}`, regexp(pattern, states)],
        [`query_string ${pattern} ${states}`, queryString(pattern, states)],
      );
  const ask = await startRest();
  const properties = {
    owner: { type: 'keyword' },
    text: { type: 'text' },
    code: { type: 'keyword' },
    typed: { type: 'completion' },
  };
  await ask('PUT /t', { mappings: { properties } });
  const write = (id: string, owner: string, text: string): Promise<unknown> =>
    ask(`PUT /t/_doc/${id}?refresh=true`, { owner, text, code: text, typed: text });
  await write('1', 'ann', 'fox');
  const answers = async (): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>();
    for (const [name, body] of requests) {
      const { status, text } = await ask('POST /t/_search', body, more);
      found.set(name, `${status} ${/"type":"[a-z_]+"/.exec(text)?.[0]}`);
    }
    return found;
  };
  const before = await answers();
  await write('2', 'bob', 'secret');
  assert.deepEqual(await answers(), before);
  // Queries, includes and suggesters word it in their own ways.
  const tooComplex = /^400 "type":"(?:too_complex_to_determinize|query_shard|illegal_argument)_exception"/;
  for (const name of ['regexp secre.* 6', 'wildcard', 'include', 'completion'])
    assert.match(before.get(name)!, tooComplex);
  // A plain word is deterministic as it is.
  for (const name of ['regexp secre.* 7', 'regexp secret 1']) assert.match(before.get(name)!, /^200/);
});
