// The postings of a term that are cut down to what a view shows: they hold the same documents, frequencies and positions, and what is
// answered from them is what is answered without them, also while documents go and to readers of an earlier state.
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import { until } from '../../../kernel/test/until.ts';
import { createEngine } from '../../src/create-engine.ts';
import { emptyBits, hasBit, setBit } from '../../src/index/bits.ts';
import { Cursor } from '../../src/index/postings.ts';
import { NO_MORE_DOCS } from '../../src/index/segment.ts';
import { restrictPostings } from '../../src/index/restrict-postings.ts';
import type { Index } from '../../src/engine/engine-api.ts';
import type { Query } from '../../src/query/query.ts';
import { viewStatisticsOf } from '../../src/query/view-statistics.ts';
import { indexUnder } from '../../src/view/viewed-engine.ts';
import { searchUnder } from '../../src/view/viewed-searcher.ts';
import type { IndexView } from '../../src/view/index-view.ts';
import type { IndexSearcher } from '../../src/collect/searcher.ts';

const WORDS = ['red', 'fox', 'dog', 'blue', 'owl'];
const encoder = new TextEncoder();

/** Documents of words that come up again and again, a seventh of them visible to ann. */
async function fill(count: number): Promise<Index> {
  const engine = await createEngine();
  const index = await engine.createIndex('t', {
    settings: { refreshInterval: -1 },
    mappings: { properties: { text: { type: 'text' }, owner: { type: 'keyword' } } },
  });
  const operations = Array.from({ length: count }, (_, at) => {
    const words = WORDS.filter((_word, place) => (at * 2_654_435_761) % (place + 3) < 2);
    const text = [...words, ...words.slice(0, at % 4), 'red'].join(' ');
    const source = encoder.encode(JSON.stringify({ text, owner: at % 7 === 0 ? 'ann' : 'bob' }));
    return { kind: 'index', id: String(at), source } as const;
  });
  await index.apply(operations);
  await index.refresh();
  return index;
}

const VIEW: IndexView = { rows: { kind: 'term', field: 'owner', term: 'ann' } };
const QUERIES: readonly Query[] = [
  ...WORDS.map((term): Query => ({ kind: 'term', field: 'text', term })),
  { kind: 'boolean', should: WORDS.slice(0, 3).map((term) => ({ kind: 'term', field: 'text', term })) },
  { kind: 'boolean', must: WORDS.slice(1, 3).map((term) => ({ kind: 'term', field: 'text', term })) },
  { kind: 'synonym', field: 'text', terms: ['fox', 'owl'] },
  {
    kind: 'phrase',
    field: 'text',
    terms: [
      { position: 0, terms: ['red'] },
      { position: 1, terms: ['fox', 'dog'] },
    ],
  },
  {
    kind: 'phrase',
    field: 'text',
    terms: [
      { position: 0, terms: ['fox'] },
      { position: 1, terms: ['dog'] },
    ],
  },
];

/** Everything a searcher says about some queries. */
function answers(searcher: IndexSearcher): unknown {
  return QUERIES.map((query) => {
    const { hits, total } = searcher.search({ query, size: 20, trackTotalHits: true });
    return {
      total,
      hits: hits.map(({ id, score }) => [id, score]),
      all: searcher.count({ kind: 'boolean', filter: [query] }),
    };
  });
}

/** Asks until everything that is collected between requests is there. */
async function warm(searcher: IndexSearcher): Promise<void> {
  answers(searcher);
  answers(searcher);
  for (let turn = 0; turn < 200; turn++) await nextTurn();
}

test('a term cut down to some documents has their frequencies and positions', async () => {
  const index = await fill(3000);
  const searcher = index.searcher() as IndexSearcher;
  const [segment] = searcher.segments;
  const field = segment!.core.terms('text')!;
  fc.assert(
    fc.property(fc.constantFrom(...WORDS), fc.integer({ min: 1, max: 60 }), fc.nat(59), (term, step, first) => {
      const within = emptyBits(segment!.docCount);
      for (let doc = first; doc < segment!.docCount; doc += step) setBit(within, doc);
      const ordinal = field.postings.lookup(term);
      const documents = segment!.countTerm('text', ordinal, within);
      const steps = restrictPostings(field.postings, ordinal, within, documents, field.norms);
      let step_ = steps.next();
      while (step_.done !== true) step_ = steps.next();
      const all = new Cursor().open(field.postings, ordinal);
      const some = new Cursor().open(step_.value.postings, 0);
      let count = 0;
      for (let doc = all.next(); doc !== NO_MORE_DOCS; doc = all.next()) {
        if (!hasBit(within, doc)) continue;
        count++;
        assert.equal(some.next(), doc);
        assert.equal(some.frequency(), all.frequency());
        const positions = (cursor: Cursor): unknown =>
          cursor.postings.positions!.slice(cursor.positionsStart(), cursor.positionsStart() + cursor.frequency());
        assert.deepEqual(positions(some), positions(all));
      }
      assert.equal(some.next(), NO_MORE_DOCS);
      assert.equal(some.docFreq, count);
    }),
    { numRuns: 60 },
  );
  searcher.release();
});

test('what is answered from lists is what is answered without them', async () => {
  const searcher = indexUnder(await fill(6000), VIEW).searcher() as IndexSearcher;
  const before = answers(searcher);
  await warm(searcher);
  const [segment] = searcher.segments;
  const field = segment!.core.terms('text')!;
  const visibility = viewStatisticsOf(segment!, JSON.stringify(VIEW), () => assert.fail('it is known'));
  const list = visibility.list('text\0red', field, field.postings.lookup('red'), new Cursor())!;
  await until(
    () => list.postings,
    () => 'the term is not cut down',
  );
  assert.equal(list.postings?.docFreqs[0], Math.ceil(6000 / 7));
  assert.deepEqual(answers(searcher), before);
  searcher.release();
});

test('after documents went, lists of before answer the later state and lists of after do not answer the earlier one', async () => {
  const [index, other] = [await fill(6000), await fill(6000)];
  const gone = Array.from({ length: 100 }, (_, at) => ({ kind: 'delete', id: String(at * 14) }) as const);
  const earlier = indexUnder(index, VIEW).searcher() as IndexSearcher;
  const same = indexUnder(other, VIEW).searcher() as IndexSearcher;
  const truth = answers(same);
  const kept = index.searcher() as IndexSearcher;
  // Some of what is asked is collected before, the rest after.
  for (const query of [...QUERIES.slice(0, WORDS.length), ...QUERIES.slice(0, 2)]) earlier.search({ query });
  for (let turn = 0; turn < 200; turn++) await nextTurn();
  for (const each of [index, other]) {
    await each.apply(gone);
    await each.refresh();
  }
  const later = indexUnder(index, VIEW).searcher() as IndexSearcher;
  await warm(later);
  const fresh = indexUnder(other, VIEW).searcher() as IndexSearcher;
  assert.deepEqual(answers(later), answers(fresh));
  assert.deepEqual(answers(earlier), truth);
  // A view that is first asked for when the state is an old one.
  assert.deepEqual(answers(searchUnder(kept, { ...VIEW, hidden: ['other'] })), truth);
  for (const each of [earlier, kept, same, later, fresh]) each.release();
});
