// Equals come in the order of their keys under a view: by the tables that are made between requests, the same hits come as by sorting
// everything, over several segments and after documents were written again.
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import type { IndexSearcher } from '../../src/collect/searcher.ts';
import { createEngine } from '../../src/create-engine.ts';
import type { Index } from '../../src/engine/engine-api.ts';
import type { SearchRequest } from '../../src/collect/search-request.ts';
import type { IndexView } from '../../src/view/index-view.ts';
import { indexUnder } from '../../src/view/viewed-engine.ts';

const encoder = new TextEncoder();
const VIEW: IndexView = { rows: { kind: 'terms', field: 'group', terms: ['0', '1', '2', '3'] } };
const COUNT = 7000;

/** Whole numbers and other keys, mixed up. */
function idOf(at: number): string {
  const number = Math.imul(at, 2_654_435_761) >>> 0;
  return at % 3 === 0 ? String(number) : `k${number.toString(36)}`;
}

function write(at: number): { kind: 'index'; id: string; source: Uint8Array } {
  const text = `${at % 2 === 0 ? 'even ' : ''}${at % 50 === 0 ? 'rare ' : ''}all${' filler'.repeat((at >> 3) % 3)}`;
  const source = { text, group: String(at % 5), n: at % 11, tag: `t${at % 4}` };
  return { kind: 'index', id: idOf(at), source: encoder.encode(JSON.stringify(source)) };
}

async function fill(): Promise<Index> {
  const engine = await createEngine();
  const properties = {
    text: { type: 'text' },
    group: { type: 'keyword' },
    tag: { type: 'keyword' },
    n: { type: 'long' },
  };
  const index = await engine.createIndex('t', { settings: { refreshInterval: -1 }, mappings: { properties } });
  for (const [from, to] of [
    [0, 4000],
    [4000, COUNT],
  ] as const) {
    await index.apply(Array.from({ length: to - from }, (_, at) => write(from + at)));
    await index.refresh();
  }
  await index.apply(Array.from({ length: 300 }, (_, at) => write((at * 997) % COUNT)));
  await index.refresh();
  return index;
}

const term = (text: string): SearchRequest['query'] => ({ kind: 'term', field: 'text', term: text });
const QUERIES: readonly SearchRequest['query'][] = [
  { kind: 'match_all' },
  term('even'),
  term('rare'),
  { kind: 'constant_score', query: term('all') },
  { kind: 'prefix', field: 'text', prefix: 'e' },
  { kind: 'prefix', field: 'text', prefix: 'rar' },
  { kind: 'boolean', should: [term('even'), term('rare')] },
  { kind: 'boolean', must: [term('all'), term('rare')] },
  {
    kind: 'phrase',
    field: 'text',
    terms: [
      { position: 0, terms: ['even'] },
      { position: 1, terms: ['all'] },
    ],
  },
];
const PAGES: readonly Omit<SearchRequest, 'query'>[] = [
  {},
  { size: 1 },
  { size: 3, from: 5, trackTotalHits: false },
  { size: 200, trackTotalHits: true },
  { sort: [{ kind: 'field', field: 'n', type: 'number', order: 'desc' }] },
  { sort: [{ kind: 'field', field: 'tag', type: 'keyword' }] },
  { sort: [{ kind: 'field', field: 'tag', type: 'keyword' }, { kind: 'score' }], size: 40 },
  { sort: [{ kind: 'field', field: 'n', type: 'number' }], searchAfter: [4] },
  { sort: [{ kind: 'score' }], size: 40 },
  { sort: [{ kind: 'doc' }] },
  { collapse: { field: 'tag', type: 'keyword' } },
];

test('hits that are equal come in the order of their keys, whether tables say so or everything is sorted', async () => {
  const index = await fill();
  const requests = QUERIES.flatMap((query) => PAGES.map((page): SearchRequest => ({ ...page, query })));
  const answer = (searcher: IndexSearcher): unknown =>
    requests.map((each) => {
      const { hits, total, maxScore } = searcher.search(each);
      return {
        each,
        total,
        maxScore,
        hits: hits.map(({ id, score, sort, collapse }) => ({ id, score, sort, collapse })),
      };
    });
  const searcher = indexUnder(index, VIEW).searcher() as IndexSearcher;
  assert.ok(searcher.segments.length > 1);
  // All of this is one turn of the event loop: no table is there yet.
  const sorted = answer(searcher);
  for (let turn = 0; turn < 100; turn++) await nextTurn();
  assert.deepEqual(answer(searcher), sorted);
  searcher.release();
});
