// The engine against a scan of all documents: which documents match, what they score, in which order they come.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Index } from '../../src/engine/engine-api.ts';
import type { Query } from '../../src/query/query.ts';
import { createTestIndex, deleting, indexing } from '../engine/test-index.ts';
import { arbitraryBody, arbitraryQuery } from './arbitrary-query.ts';
import { NaiveIndex, type PlainDocument } from './naive.ts';

const ALL: Query = { kind: 'match_all' };

type Step =
  | { readonly kind: 'index'; readonly id: string; readonly body: Omit<PlainDocument, 'id'> }
  | { readonly kind: 'delete'; readonly id: string }
  | { readonly kind: 'refresh' }
  | { readonly kind: 'merge' };

const id = fc.integer({ min: 0, max: 20 }).map(String);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('index' as const), id, body: arbitraryBody }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), id }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'refresh' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'merge' as const }) },
);

/** Plays the steps; answers the index and the documents that are left, in order of their last write. */
async function play(steps: readonly Step[]): Promise<{ readonly index: Index; readonly documents: PlainDocument[] }> {
  const index = await createTestIndex();
  const left = new Map<string, PlainDocument>();
  for (const action of steps) {
    if (action.kind === 'index') {
      await index.apply([indexing(action.id, action.body)]);
      left.delete(action.id);
      left.set(action.id, { id: action.id, ...action.body });
    } else if (action.kind === 'delete') {
      await index.apply([deleting(action.id)]);
      left.delete(action.id);
    } else if (action.kind === 'refresh') await index.refresh();
    else await index.forceMerge();
  }
  await index.refresh();
  return { index, documents: [...left.values()] };
}

/** What a scan answers: ids and scores, best first, then in order. */
function scan(documents: readonly PlainDocument[], query: Query): { id: string; score: number }[] {
  const naive = new NaiveIndex(documents);
  return documents
    .map((document, position) => ({ id: document.id, position, score: naive.match(query, document) }))
    .filter((hit): hit is { id: string; position: number; score: number } => hit.score !== undefined)
    .sort((a, b) => b.score - a.score || a.position - b.position)
    .map(({ id, score }) => ({ id, score }));
}

test('any query over any history of writes answers what a scan of the documents answers, scores to the bit', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 40 }),
      fc.array(arbitraryQuery, { minLength: 1, maxLength: 6 }),
      async (steps, queries) => {
        const { index, documents } = await play(steps);
        const searcher = index.searcher();
        for (const query of queries) {
          const expected = scan(documents, query);
          // The view of everything takes deleted documents out of the statistics, as the scan does.
          const result = searcher.search({ query, view: ALL, size: 100 });
          assert.deepEqual(
            result.hits.map((hit) => ({ id: hit.id, score: hit.score })),
            expected,
          );
          assert.deepEqual(result.total, { value: expected.length, relation: 'eq' });
          assert.equal(searcher.count(query), expected.length);
          const few = searcher.search({ query, view: ALL, size: 2, trackTotalHits: 1 });
          assert.deepEqual(
            few.hits.map((hit) => ({ id: hit.id, score: hit.score })),
            expected.slice(0, 2),
          );
          assert.deepEqual(
            few.total,
            expected.length > 1 ? { value: 1, relation: 'gte' } : { value: expected.length, relation: 'eq' },
          );
        }
      },
    ),
    { numRuns: 400 },
  );
});

test('collectors receive exactly the matching documents, each with the score of the hit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), arbitraryQuery, async (steps, query) => {
      const { index, documents } = await play(steps);
      const collected: { id: string; score: number }[] = [];
      const result = index.searcher().search({
        query,
        view: ALL,
        size: 100,
        collectors: [
          {
            needsScores: true,
            segment: (segment) => ({
              collect(docs, count, scores) {
                for (let i = 0; i < count; i++) collected.push({ id: segment.id(docs[i]!), score: scores![i]! });
              },
            }),
          },
        ],
      });
      const expected = scan(documents, query);
      assert.deepEqual(
        result.hits.map((hit) => ({ id: hit.id, score: hit.score })),
        expected,
      );
      const byScore = new Map(expected.map((hit) => [hit.id, hit.score]));
      // In index order, which is the order of the last writes.
      assert.deepEqual(
        collected,
        documents.filter((document) => byScore.has(document.id)).map(({ id }) => ({ id, score: byScore.get(id)! })),
      );
    }),
    { numRuns: 150 },
  );
});

test('an explanation has the value of the score, for every hit and for nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), arbitraryQuery, async (steps, query) => {
      const { index } = await play(steps);
      const searcher = index.searcher();
      const hits = new Map(searcher.search({ query, size: 100 }).hits.map((hit) => [hit.position, hit.score]));
      for (const segment of searcher.segments) {
        for (let doc = 0; doc < segment.docCount; doc++) {
          assert.equal(searcher.explain(query, segment, doc)?.value, hits.get(segment.base + doc));
        }
      }
    }),
    { numRuns: 100 },
  );
});
