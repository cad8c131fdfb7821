// The visibility view: a search under it answers what an index of the visible documents alone would answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProductError } from '@lockstitch/kernel';
import fc from 'fast-check';
import type { SearchRequest, Searcher } from '../../src/collect/search-request.ts';
import type { Explanation } from '../../src/query/explanation.ts';
import type { Query } from '../../src/query/query.ts';
import { createTestIndex, deleting, indexing } from '../engine/test-index.ts';
import { arbitraryBody, arbitraryQuery } from './arbitrary-query.ts';

const word = fc.constantFrom('a', 'b', 'ab', 'ac', 'bcd', 'abc', 'zz');

/** Queries whose answer depends on which terms exist at all. */
const expanding: fc.Arbitrary<Query> = fc.oneof(
  fc.record({
    kind: fc.constant('fuzzy' as const),
    field: fc.constant('text'),
    term: word,
    maxEdits: fc.constantFrom(1 as const, 2 as const),
    maxExpansions: fc.constantFrom(1, 2, 50),
  }),
  fc.record({
    kind: fc.constant('prefix' as const),
    field: fc.constant('text'),
    prefix: fc.constantFrom('', 'a', 'b'),
    rewrite: fc.constantFrom<NonNullable<Extract<Query, { kind: 'prefix' }>['rewrite']>>(
      'scoring_boolean',
      { topTerms: 2 },
      { topTerms: 1, boostOnly: true },
    ),
  }),
  fc.record({
    kind: fc.constant('regexp' as const),
    field: fc.constant('text'),
    pattern: fc.constantFrom('a.*', '[ab]+', '.'),
  }),
  fc.record({
    kind: fc.constant('synonym' as const),
    field: fc.constant('text'),
    terms: fc.array(word, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    kind: fc.constant('phrase' as const),
    field: fc.constant('text'),
    terms: fc.constant([{ position: 0, terms: ['a'] }]),
    prefix: fc.record({
      position: fc.constant(1),
      texts: fc.constantFrom(['a'], ['b', 'a'], ['']),
      maxExpansions: fc.constantFrom(1, 2),
    }),
    slop: fc.constantFrom(0, 2),
  }),
  fc.record({
    kind: fc.constant('function_score' as const),
    query: arbitraryQuery,
    functions: fc.constant([
      { function: { kind: 'random' as const, seed: 7 } },
      { filter: { kind: 'term' as const, field: 'text', term: 'a' }, weight: 3 },
    ]),
  }),
  fc.record({
    kind: fc.constant('blended' as const),
    words: word.map((term) => [
      { field: 'text', term },
      { field: 'title', term, boost: 2 },
    ]),
    tieBreaker: fc.constantFrom(0, 0.5),
  }),
);

const request: fc.Arbitrary<SearchRequest> = fc
  .record(
    {
      query: fc.oneof(arbitraryQuery, expanding),
      size: fc.constantFrom(0, 1, 3, 50),
      from: fc.constantFrom(0, 1),
      trackTotalHits: fc.constantFrom(true, false, 1, 10_000),
      minScore: fc.constantFrom(0.3),
      postFilter: arbitraryQuery,
      trackScores: fc.boolean(),
      collapse: fc.constant({ field: 'tag', type: 'keyword' as const }),
      sort: fc.subarray(
        [
          { kind: 'field' as const, field: 'n', type: 'number' as const, order: 'desc' as const },
          { kind: 'field' as const, field: 'tag', type: 'keyword' as const, missing: 'first' as const },
          { kind: 'score' as const },
          { kind: 'doc' as const, order: 'desc' as const },
        ],
        { minLength: 0 },
      ),
    },
    { requiredKeys: ['query', 'size'] },
  )
  .map((made) => made);

/** An explanation without Lucene's number of the document, which a view leaves out. */
const describe = (explanation: Explanation | undefined): string =>
  JSON.stringify(explanation).replace(/ in \d+\)/g, ')');

/** An answer, or why there is none. */
function answer(...asked: Parameters<typeof answered>): string {
  try {
    return answered(...asked);
  } catch (error) {
    if (isProductError(error)) return error.message;
    throw error;
  }
}

/** Everything a caller can see of an answer. */
function answered(searcher: Searcher, asked: SearchRequest, view: Query | undefined): string {
  const result = searcher.search({ ...asked, view });
  return JSON.stringify({
    hits: result.hits.map((hit) => ({
      id: hit.id,
      score: hit.score,
      sort: hit.sort,
      collapse: hit.collapse,
      explanation: describe(searcher.explain(asked.query, hit.segment, hit.doc, view)),
      source: Buffer.from(hit.segment.source(hit.doc)).toString(),
    })),
    total: result.total,
    maxScore: result.maxScore,
    count: searcher.count(asked.query, view),
    documents: searcher.docCount(view),
  });
}

test('under a view, every answer equals byte for byte that of an index holding only the visible documents', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(arbitraryBody, fc.constantFrom('keep', 'refresh', 'delete', 'merge')), {
        minLength: 1,
        maxLength: 30,
      }),
      arbitraryQuery,
      fc.array(request, { minLength: 1, maxLength: 5 }),
      async (bodies, view, requests) => {
        const whole = await createTestIndex();
        for (const [i, [body, then]] of bodies.entries()) {
          await whole.apply([indexing(String(i), body)]);
          if (then === 'refresh') await whole.refresh();
          if (then === 'delete') await whole.apply([deleting(String(i))]);
          if (then === 'merge') await whole.forceMerge();
        }
        await whole.refresh();
        const searcher = whole.searcher();
        const visible = new Set(searcher.search({ query: view, size: 100 }).hits.map((hit) => hit.id));
        const part = await createTestIndex();
        for (const [i, [body]] of bodies.entries()) {
          if (visible.has(String(i))) await part.apply([indexing(String(i), body)]);
        }
        await part.refresh();
        for (const asked of requests) {
          assert.equal(answer(searcher, asked, view), answer(part.searcher(), asked, undefined));
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('a document outside the view is neither found nor explained', async () => {
  const index = await createTestIndex();
  await index.apply([
    indexing('mine', { text: 'secret', tag: 'me' }),
    indexing('yours', { text: 'secret', tag: 'you' }),
  ]);
  await index.refresh();
  const searcher = index.searcher();
  const view: Query = { kind: 'term', field: 'tag', term: 'me' };
  assert.equal(searcher.find('yours', view), undefined);
  assert.notEqual(searcher.find('mine', view), undefined);
  const hidden = searcher.find('yours')!;
  const query: Query = { kind: 'term', field: 'text', term: 'secret' };
  assert.equal(searcher.explain(query, hidden.segment, hidden.doc, view), undefined);
});
