// Filters that come again are answered from memory: the answers must be those of the first time, whatever is deleted or hidden since.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Query } from '../../src/query/query.ts';
import { createTestIndex, deleting, indexing } from '../engine/test-index.ts';

const DOCS = 6000;

test('a filter asked again answers the same, less what was deleted and what a view hides', async () => {
  const index = await createTestIndex();
  await index.apply(
    Array.from({ length: DOCS }, (_, i) => indexing(String(i), { text: 'common', tag: `t${i % 9}`, n: i })),
  );
  await index.refresh();
  const filters: readonly (readonly [Query, (i: number) => boolean])[] = [
    [{ kind: 'number_range', field: 'n', from: 100, to: 4000 }, (i) => i >= 100 && i <= 4000],
    [{ kind: 'numbers', field: 'n', values: [7, 4711] }, (i) => i === 7 || i === 4711],
    [{ kind: 'terms', field: 'tag', terms: ['t1', 't3'] }, (i) => i % 9 === 1 || i % 9 === 3],
    [{ kind: 'wildcard', field: 'tag', pattern: 't?' }, () => true],
    [{ kind: 'term_range', field: 'tag', from: 't6' }, (i) => i % 9 >= 6],
  ];
  const deleted = new Set<number>();
  const visible = (i: number): boolean => i % 2 === 0;
  const view: Query = { kind: 'numbers', field: 'n', values: Array.from({ length: DOCS / 2 }, (_, i) => i * 2) };
  for (let round = 0; round < 4; round++) {
    for (const [filter, accepts] of filters) {
      const query: Query = {
        kind: 'boolean',
        must: [{ kind: 'term', field: 'text', term: 'common' }],
        filter: [filter],
      };
      const without: Query = { kind: 'boolean', must: query.must!, mustNot: [filter] };
      const count = (accept: (i: number) => boolean): number =>
        Array.from({ length: DOCS }, (_, i) => i).filter((i) => !deleted.has(i) && accept(i)).length;
      const searcher = index.searcher();
      assert.deepEqual(
        [
          searcher.count(query),
          searcher.count(query, view),
          searcher.count(without),
          searcher.search({ query, size: 1 }).hits.length,
        ],
        [count(accepts), count((i) => accepts(i) && visible(i)), count((i) => !accepts(i)), 1],
      );
    }
    const gone = [round * 10 + 120, round * 10 + 121];
    for (const i of gone) deleted.add(i);
    await index.apply(gone.map((i) => deleting(String(i))));
    await index.refresh();
  }
});

test('a bound of infinity is not remembered as one of minus infinity', async () => {
  const index = await createTestIndex();
  await index.apply(Array.from({ length: DOCS }, (_, i) => indexing(String(i), { text: 'common', n: i })));
  await index.refresh();
  const from = (bound: number): Query => ({
    kind: 'boolean',
    must: [{ kind: 'term', field: 'text', term: 'common' }],
    filter: [{ kind: 'number_range', field: 'n', from: bound }],
  });
  for (let round = 0; round < 3; round++) {
    const searcher = index.searcher();
    assert.deepEqual(
      [-Infinity, Infinity].map((bound) => searcher.count(from(bound))),
      [DOCS, 0],
    );
  }
});

test('clauses that ask for the same term are one clause with their boosts added up, as in Lucene', async () => {
  const index = await createTestIndex();
  await index.apply([indexing('1', { text: 'a b' }), indexing('2', { text: 'a a c' }), indexing('3', { text: 'c' })]);
  await index.refresh();
  const searcher = index.searcher();
  const term = (boost: number): Query => ({ kind: 'term', field: 'text', term: 'a', boost });
  const scores = (query: Query): unknown => searcher.search({ query }).hits.map((hit) => [hit.id, hit.score]);
  const once = scores({ kind: 'boolean', should: [term(3.5), { kind: 'term', field: 'text', term: 'c' }] });
  const thrice: Query = {
    kind: 'boolean',
    should: [term(1), { kind: 'term', field: 'text', term: 'c' }, term(2), term(0.5)],
  };
  assert.deepEqual(scores(thrice), once);
  assert.deepEqual(scores({ kind: 'boolean', must: [term(1), term(2.5)] }), scores(term(3.5)));
  // Two of three equal clauses are still two matches.
  assert.equal(searcher.count({ kind: 'boolean', should: [term(1), term(1), term(1)], minimumShouldMatch: 2 }), 2);
});
