// Skipping what cannot reach the top must not change the top: over enough documents for many blocks, each query counted in full
// and each cut short, with and without deletions, filters and a view.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Index } from '../../src/engine/engine-api.ts';
import type { Query } from '../../src/query/query.ts';
import { createTestIndex, deleting, indexing } from '../engine/test-index.ts';
import { random } from '../random.ts';

const next = random(42);
/** Frequent words first, as in any language. */
const word = (): string => `w${Math.floor(400 * next() ** 3)}`;
const DOCUMENTS = 12_000;
let index: Index;

before(async () => {
  index = await createTestIndex({ maxResultWindow: DOCUMENTS });
  for (let from = 0; from < DOCUMENTS; from += 3000) {
    await index.apply(
      Array.from({ length: 3000 }, (_, i) =>
        indexing(String(from + i), {
          text: Array.from({ length: 3 + Math.floor(next() * 30) }, word),
          tag: next() < 0.3 ? 'some' : 'most',
          n: Math.floor(next() * 1000),
        }),
      ),
    );
    await index.refresh();
  }
  await index.apply(Array.from({ length: 500 }, (_, i) => deleting(String(i * 17))));
  await index.refresh();
});

const term = (): Query => ({ kind: 'term', field: 'text', term: word() });
const tagged: Query = { kind: 'term', field: 'tag', term: 'some' };

const shapes: Readonly<Record<string, () => Query>> = {
  'a term': term,
  'any of two terms': () => ({ kind: 'boolean', should: [term(), term()] }),
  'any of five terms': () => ({ kind: 'boolean', should: [term(), term(), term(), term(), term()] }),
  'all of two terms': () => ({ kind: 'boolean', must: [term(), term()] }),
  'all of three terms': () => ({ kind: 'boolean', must: [term(), term(), term()] }),
  'any of three terms with a filter': () => ({
    kind: 'boolean',
    should: [term(), term(), term()],
    minimumShouldMatch: 1,
    filter: [tagged],
  }),
  'all of two terms but a third': () => ({ kind: 'boolean', must: [term(), term()], mustNot: [term()] }),
  'two of four terms': () => ({ kind: 'boolean', should: [term(), term(), term(), term()], minimumShouldMatch: 2 }),
  'a term with options': () => ({ kind: 'boolean', must: [term()], should: [term(), term()] }),
  'a phrase': () => ({
    kind: 'phrase',
    field: 'text',
    terms: [
      { position: 0, terms: ['w0'] },
      { position: 1, terms: [`w${Math.floor(next() * 5)}`] },
    ],
  }),
  'the best of two disjunctions': () => ({
    kind: 'dis_max',
    queries: [
      { kind: 'boolean', should: [term(), term()] },
      { kind: 'boolean', should: [term(), { ...term(), boost: 3 }] },
    ],
    tieBreaker: 0.3,
  }),
};

for (const [name, make] of Object.entries(shapes)) {
  test(`${name}: the first hits are the same whether or not all hits are counted`, () => {
    const searcher = index.searcher();
    for (let round = 0; round < 20; round++) {
      const query = make();
      for (const view of [undefined, tagged]) {
        for (const size of [1, 10, 100]) {
          const full = searcher.search({ query, view, size: DOCUMENTS, trackTotalHits: true });
          const cut = searcher.search({ query, view, size, trackTotalHits: 1 });
          const show = (hits: typeof full.hits): unknown => hits.map((hit) => [hit.position, hit.score]);
          assert.deepEqual(show(cut.hits), show(full.hits.slice(0, size)));
          const some = searcher.search({ query, view, size, trackTotalHits: true });
          assert.deepEqual(show(some.hits), show(full.hits.slice(0, size)));
          assert.deepEqual(some.total, full.total);
          assert.equal(full.total!.value, full.hits.length);
          assert.deepEqual(
            cut.total,
            full.hits.length > 1 ? { value: 1, relation: 'gte' } : { value: full.hits.length, relation: 'eq' },
          );
        }
      }
    }
  });
}
