// Callers of one server take turns while everything that is remembered between requests is warm: each is answered as by a server that
// never answered anybody else, before and after documents are written again.
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import type { IndexView } from '@lockstitch/search';
import { type Ask, startRest } from '../rest/harness.ts';

/** As many that postings are cut down and filters remembered (they are not for less than some thousand documents). */
const COUNT = 6000;
const WORDS = ['red', 'fox', 'dog', 'blue', 'owl', 'reed', 'rex'];

const VIEWS: readonly (IndexView | undefined)[] = [
  undefined,
  { rows: { kind: 'term', field: 'owner', term: 'ann' }, hidden: ['secret'] },
  { rows: { kind: 'term', field: 'owner', term: 'bob' }, hidden: ['secret'] },
  { rows: { kind: 'terms', field: 'owner', terms: ['ann', 'bob', 'cid'] } },
  { hidden: ['secret'], guarded: [{ path: 'text', when: { kind: 'term', field: 'owner', term: 'ann' } }] },
  { hidden: ['secret'], guarded: [{ path: 'text', when: { kind: 'term', field: 'owner', term: 'bob' } }] },
];

function documents(from: number, to: number, version: number): unknown[] {
  const lines: unknown[] = [];
  for (let at = from; at < to; at++) {
    const words = WORDS.filter((_, place) => (Math.imul(at + version, 2_654_435_761) >>> (place * 3)) % 3 === 0);
    lines.push({ index: { _index: 't', _id: `k${(Math.imul(at, 40_503) >>> 0) % 65_536}-${at}` } });
    lines.push({
      text: [...words, 'all'].join(' '),
      secret: words[0] ?? 'none',
      owner: ['ann', 'bob', 'cid', 'dan', 'eve'][at % 5],
      n: at % 97,
    });
  }
  return lines;
}

async function open(): Promise<Ask> {
  const ask = await startRest();
  const properties = {
    text: { type: 'text' },
    secret: { type: 'keyword' },
    owner: { type: 'keyword' },
    n: { type: 'long' },
  };
  assert.equal((await ask('PUT /t', { mappings: { properties } })).status, 200);
  assert.equal((await ask('POST /_bulk?refresh=true', documents(0, COUNT, 0))).json.errors, false);
  return ask;
}

const word = fc.constantFrom(...WORDS);
const query: fc.Arbitrary<object> = fc.oneof(
  word.map((term) => ({ match: { text: term } })),
  fc.tuple(word, word).map((both) => ({ match: { text: both.join(' ') } })),
  fc.tuple(word, word).map((both) => ({ match_phrase: { text: { query: both.join(' '), slop: 1 } } })),
  word.map((term) => ({ prefix: { text: term.slice(0, 2) } })),
  word.map((term) => ({ fuzzy: { text: term } })),
  word.map((term) => ({
    bool: { filter: [{ range: { n: { lt: 50 } } }, { prefix: { text: term.slice(0, 1) } }] },
  })),
  fc.constant({ term: { secret: 'red' } }),
  fc.constant({ match_all: {} }),
);
const request = fc
  .record(
    {
      query,
      aggs: fc.constantFrom(
        { o: { terms: { field: 'owner' } } },
        { s: { terms: { field: 'secret' } } },
        { g: { significant_terms: { field: 'owner' } } },
      ),
      sort: fc.constantFrom<object[]>([{ n: 'desc' }], [{ owner: 'asc' }], ['_doc']),
      explain: fc.constant(true),
      track_total_hits: fc.constant(true),
      suggest: word.map((text) => ({
        s: { text: `${text}x`, term: { field: 'text', suggest_mode: 'always', min_word_length: 1 } },
      })),
    },
    { requiredKeys: ['query'] },
  )
  .map((body) => ({ size: 5, ...body }));

test('a caller is answered as by a server that nobody else asks', async () => {
  const shared = await open();
  const alone = await Promise.all(VIEWS.map(open));
  const requests = [
    ...fc.sample(request, { numRuns: 20, seed: 11 }),
    ...fc.sample(query, { numRuns: 16, seed: 12 }).map((each) => ({ size: 5, query: each })),
  ];
  const plain = ({ text }: { readonly text: string }): string => text.replaceAll(/"took":\d+/g, '');
  const all = async (): Promise<void> => {
    for (const [at, body] of requests.entries()) {
      for (const [caller, view] of VIEWS.entries()) {
        const more = view === undefined ? {} : { view: () => view };
        const [found, truth] = [
          await shared('POST /t/_search', body, more),
          await alone[caller]!('POST /t/_search', body, more),
        ];
        assert.equal(found.status, truth.status, found.text);
        assert.equal(plain(found), plain(truth), `caller ${caller}, request ${at}: ${JSON.stringify(body)}`);
      }
    }
  };
  for (let round = 0; round < 2; round++) {
    // Two passes: the second finds what the first left to be made between requests.
    for (let pass = 0; pass < 2; pass++) {
      await all();
      for (let turn = 0; turn < 50; turn++) await nextTurn();
    }
    const lines = documents(round * 500, round * 500 + 300, round + 1);
    for (const ask of [shared, ...alone]) assert.equal((await ask('POST /_bulk?refresh=true', lines)).status, 200);
  }
  await all();
});
