// The matches of a query by windows, as searches take them, against those one after the other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { IndexSearcher } from '../../src/collect/searcher.ts';
import type { Index } from '../../src/engine/engine-api.ts';
import { emptyBits, hasBit, setBit } from '../../src/index/bits.ts';
import { NO_MORE_DOCS } from '../../src/index/segment.ts';
import type { SegmentView } from '../../src/index/segment-view.ts';
import { compile } from '../../src/query/compile.ts';
import type { Query } from '../../src/query/query.ts';
import { type Scorer, type Weight, WINDOW } from '../../src/query/scorer.ts';
import { Statistics } from '../../src/query/statistics.ts';
import { createTestIndex, indexing } from '../engine/test-index.ts';
import { arbitraryQuery } from './arbitrary-query.ts';

const DOCUMENTS = 3 * WINDOW + 300;
const WORDS = ['a', 'b', 'c', 'd', 'ab', 'ac', 'bcd', 'é', 'zz'];
const TAGS = ['red', 'green', 'blue', 'black'];

/** Words from everywhere to nearly nowhere, over several windows. */
async function fill(): Promise<Index> {
  const index = await createTestIndex();
  const has = (doc: number, rarity: number): boolean => (Math.imul(doc + 7 * rarity, 0x2c1b3c6d) >>> 8) % rarity === 0;
  const operations = Array.from({ length: DOCUMENTS }, (_, doc) => {
    const text = WORDS.flatMap((word, at) => (has(doc, 1 + at ** 3) ? Array<string>(1 + (doc % 3)).fill(word) : []));
    const title = WORDS.filter((_word, at) => has(doc, 3 + 5 * at));
    return indexing(`${doc}`, {
      ...(text.length > 0 ? { text } : {}),
      ...(title.length > 0 && doc % 5 > 0 ? { title } : {}),
      tag: TAGS.filter((_tag, at) => has(doc, 2 + 4 * at)),
      n: [doc % 7],
    });
  });
  await index.apply(operations);
  await index.refresh();
  return index;
}

/** Many clauses, of which some must match. */
const some: fc.Arbitrary<Query> = fc
  .record({
    should: fc.array(arbitraryQuery, { minLength: 3, maxLength: 8 }),
    minimumShouldMatch: fc.integer({ min: 0, max: 5 }),
    mustNot: fc.array(arbitraryQuery, { maxLength: 1 }),
  })
  .map((parts) => ({ kind: 'boolean' as const, ...parts }));

type Match = readonly [number, number];

function walked(scorer: Scorer | undefined, accept: Int32Array | undefined): Match[] {
  const matches: Match[] = [];
  if (scorer === undefined) return matches;
  for (let doc = scorer.next(); doc !== NO_MORE_DOCS; doc = scorer.next())
    if (accept === undefined || hasBit(accept, doc)) matches.push([doc, scorer.score()]);
  return matches;
}

function byWindows(scorer: Scorer | undefined, accept: Int32Array | undefined, span: number): Match[] {
  const matches: Match[] = [];
  if (scorer === undefined) return matches;
  const docs = new Int32Array(WINDOW);
  const scores = new Float32Array(WINDOW);
  for (let doc = scorer.begin(); doc !== NO_MORE_DOCS; doc = scorer.doc) {
    const count = scorer.window(doc + span, accept, docs, scores);
    for (let i = 0; i < count; i++) matches.push([docs[i]!, scores[i]!]);
  }
  return matches;
}

test('the matches of any query are the same by windows of any width as one after the other, scores to the bit', async () => {
  const index = await fill();
  const searcher = index.searcher() as IndexSearcher;
  const span = fc.constantFrom(1, 31, 1000, WINDOW);
  const part = fc.option(fc.constantFrom(2, 3, 50), { nil: undefined });
  const check = (weight: Weight, segment: SegmentView, width: number, accept: Int32Array | undefined): void => {
    const expected = walked(weight.scorer(segment), accept);
    assert.deepEqual(byWindows(weight.scorer(segment), accept, width), expected);
    if (accept !== undefined) return;
    const bits = weight.bits(segment);
    const found = expected.map(([doc]) => doc);
    assert.deepEqual(
      Array.from({ length: segment.docCount }, (_, doc) => doc).filter((doc) => hasBit(bits, doc)),
      found,
    );
  };
  fc.assert(
    fc.property(fc.oneof(arbitraryQuery, some), span, part, (query, width, every) => {
      const statistics = new Statistics(searcher.segments, searcher.similarity, searcher.limits);
      const weight = compile(query, statistics);
      for (const segment of searcher.segments) {
        const accept = every === undefined ? undefined : emptyBits(segment.docCount);
        if (accept !== undefined) for (let doc = 0; doc < segment.docCount; doc += every!) setBit(accept, doc);
        check(weight, segment, width, accept);
      }
      statistics.release();
    }),
    { numRuns: 200 },
  );
  searcher.release();
});
