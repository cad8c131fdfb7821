// Copies of what a view shows of a segment: they hold nothing else, and what is answered from them is what is answered without them, while
// documents come and go and to readers of earlier states.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createEngine, createRestApi, type IndexView } from '@lockstitch/search';
import { askPages, comparable, printSearchAsked, type SearchAsked } from '@lockstitch/search/requests';
import { until } from '../../../kernel/test/until.ts';
import type { IndexSearcher } from '../../src/collect/searcher.ts';
import type { Index } from '../../src/engine/engine-api.ts';
import { indexUnder } from '../../src/view/viewed-engine.ts';
import { copyViews, CutCache, limitCopies } from '../../src/view/cuts.ts';
import { type Ask, startRest } from '../rest/harness.ts';
import { arbitraryDocument, EVERY_FIELD } from './every-field.ts';
import { arbitraryRequest } from './requests.ts';

after(() => copyViews('usual'));

const encoder = new TextEncoder();
const DOCUMENTS = 3000;

async function fill(): Promise<Index> {
  const engine = await createEngine();
  const index = await engine.createIndex('t', {
    settings: { refreshInterval: -1 },
    mappings: {
      properties: {
        text: { type: 'text' },
        n: { type: 'long' },
        owner: { type: 'keyword' },
        secret: { type: 'keyword' },
        parts: { type: 'nested', properties: { kind: { type: 'keyword' } } },
      },
    },
  });
  await index.apply(
    Array.from({ length: DOCUMENTS }, (_, at) => {
      const source = {
        text: `common word${at}`,
        n: at,
        owner: `o${at % 100}`,
        secret: `s${at}`,
        parts: [{ kind: `k${at}` }],
      };
      return { kind: 'index', id: String(at), source: encoder.encode(JSON.stringify(source)) } as const;
    }),
  );
  await index.refresh();
  return index;
}

/** The copies of the engine of an index. */
function copiesOf(index: Index): CutCache {
  const searcher = index.searcher() as IndexSearcher;
  const cache = searcher.segments[0]!.core.engine.part(CutCache);
  searcher.release();
  return cache;
}

const viewOf = (owners: number): IndexView => ({
  rows: { kind: 'terms', field: 'owner', terms: Array.from({ length: owners }, (_, at) => `o${at}`) },
  hidden: ['owner'],
  guarded: [{ path: 'secret', when: { kind: 'number_range', field: 'n', to: 1000 } }],
});

const open = (index: Index, view: IndexView): IndexSearcher => indexUnder(index, view).searcher() as IndexSearcher;

test('1.4 a view that shows little is searched in a copy, in which hidden documents leave no trace', async () => {
  copyViews('usual');
  const index = await fill();
  await until(
    () => open(index, viewOf(1)).segments[0]!.docCount < 2 * DOCUMENTS,
    () => 'nothing is copied',
  );
  const searcher = open(index, viewOf(1));
  const [segment] = searcher.segments;
  // Thirty documents with one element each.
  assert.equal(segment!.docCount, 60);
  const { core } = segment!;
  const words = core.terms('text')!.postings;
  const shown = Array.from({ length: 30 }, (_, at) => at * 100);
  const texts = (of: typeof words): string[] => Array.from({ length: of.size }, (_, at) => of.term(at));
  assert.deepEqual(texts(words), ['common', ...shown.map((at) => `word${at}`).toSorted()]);
  assert.equal(words.docFreq(0), 30);
  assert.deepEqual(
    texts(core.terms('secret')!.postings),
    shown
      .filter((at) => at <= 1000)
      .map((at) => `s${at}`)
      .toSorted(),
  );
  assert.deepEqual(
    [...core.number('n')!.values].filter((_, doc) => doc % 2 === 1),
    shown,
  );
  assert.equal(core.terms('owner'), undefined);
  assert.equal(core.documentsOfPath('parts')?.[0], 0x55555555);
  assert.equal(searcher.docCount(), 30);
  const { hits } = searcher.search({ query: { kind: 'term', field: 'text', term: 'word700' } });
  assert.deepEqual(
    hits.map(({ id, segment: of, doc }) => [id, of.sourceText(doc), of.version(doc), of.seqNo(doc)]),
    [['700', '{"text":"common word700","n":700,"secret":"s700","parts":[{"kind":"k700"}]}', 1, 0]],
  );
});

test('1.4 a view that shows most of a segment is searched where it is', async () => {
  copyViews('usual');
  const index = await fill();
  for (let round = 0; round < 40; round++) {
    assert.equal(open(index, viewOf(60)).segments[0]!.docCount, 2 * DOCUMENTS);
    await sleep(5);
  }
});

test('1.4 the copies of a segment go with it', async () => {
  copyViews('usual');
  const index = await fill();
  const copies = copiesOf(index);
  await until(
    () => {
      open(index, viewOf(1)).release();
      return copies.bytes > 0;
    },
    () => 'nothing is copied',
  );
  await index.apply([{ kind: 'delete', id: '1' }]);
  await index.forceMerge({ maxSegments: 1 });
  assert.equal(copies.bytes, 0);
});

test('1.4 copies share a fixed amount of memory, and answers stay the same while they give way to each other', async () => {
  copyViews('usual');
  const index = await fill();
  const copies = copiesOf(index);
  const most = 200_000;
  limitCopies(most, 0);
  try {
    const query = { kind: 'prefix', field: 'text', prefix: 'word' } as const;
    for (let round = 0; round < 100 || (copies.dropped === 0 && round < 30_000); round++) {
      const owner = `o${round % 30}`;
      const rows = { kind: 'term', field: 'owner', term: owner } as const;
      const searcher = open(index, { rows, hidden: ['owner'] });
      const { hits } = searcher.search({ query, size: 100 });
      const own = Array.from({ length: DOCUMENTS / 100 }, (_, at) => `${at * 100 + Number(owner.slice(1))}`);
      assert.deepEqual(hits.map(({ id }) => id).toSorted(), own.toSorted());
      searcher.release();
      assert.ok(copies.bytes <= most);
      await sleep(1);
    }
    assert.ok(copies.bytes > 0);
    assert.notEqual(copies.dropped, 0);
  } finally {
    limitCopies(64 << 20, 10_000);
  }
});

test('1.4 what a thread found in a segment is read from a copy of what is visible, and the other way about', async () => {
  for (const here of ['always', 'never'] as const) {
    copyViews(here);
    const ask = await startRest(createRestApi(await createEngine(), { maxTurn: 0 }));
    const lines = Array.from({ length: 200 }, (_, at) => [
      { index: { _index: 't', _id: String(at) } },
      { owner: at % 7 === 3 ? 'ann' : 'bob', n: at },
    ]);
    await ask('POST /_bulk?refresh=true', lines.flat());
    const seen = { view: (name: string) => (name === 't' ? OWN : undefined) };
    const copied = await ask(
      'POST /_reindex?refresh=true',
      { source: { index: 't', query: { range: { n: { gte: 100 } } } }, dest: { index: 'own' } },
      seen,
    );
    assert.equal(copied.status, 200, copied.text);
    const { json } = await ask('POST /own/_search', { size: 50, sort: 'n' });
    assert.deepEqual(
      json.hits.hits.map((hit: { _source: unknown }) => hit._source),
      Array.from({ length: 15 }, (_, at) => ({ owner: 'ann', n: 101 + at * 7 })),
    );
  }
});

const OWN: IndexView = { rows: { kind: 'term', field: 'owner.keyword', term: 'ann' } };
const view: IndexView = {
  rows: { kind: 'term', field: 'owner', term: 'ann' },
  hidden: ['_policy'],
  guarded: [{ path: 'poster', when: { kind: 'term', field: '_policy.r0', term: 't' } }],
};
const more = { view: (name: string) => (name === 't' ? view : undefined) };
const steps = fc.array(
  fc.record({
    write: fc.array(fc.tuple(fc.nat(11), arbitraryDocument), { maxLength: 4 }),
    remove: fc.array(fc.nat(11), { maxLength: 2 }),
    ask: fc.array(arbitraryRequest, { minLength: 3, maxLength: 3 }),
  }),
  { minLength: 2, maxLength: 4 },
);

test('1.4 copies answer as the segments do while documents come and go, and as of an earlier state', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const asks: Ask[] = [];
      for (let at = 0; at < 2; at++) {
        const ask = await startRest(createRestApi(await createEngine()));
        await ask('PUT /t', { mappings: EVERY_FIELD, settings: { refresh_interval: '-1' } });
        asks.push(ask);
      }
      const told = async (at: number, target: string, body?: unknown): Promise<string> => {
        copyViews(at === 0 ? 'always' : 'never');
        const { status, text } = await asks[at]!(target, body, more);
        // A random request may have closed what is open.
        return `${status} ${text.replaceAll(/found for id \[[^\]]*\]/g, '')}`;
      };
      const answer = async (at: number, asked: SearchAsked): Promise<string> => {
        const send = (target: string, body?: unknown): Promise<string> => told(at, target, body);
        return comparable(asked.kind === 'pages' ? await askPages(asked, send) : await send(asked.target, asked.body));
      };
      const query = { query: { match_all: {} }, sort: '_id', size: 50 };
      const pits: string[][] = [];
      for (const { write, remove, ask } of list) {
        const lines = [
          ...write.flatMap(([id, source]) => [{ index: { _index: 't', _id: String(id) } }, source]),
          ...remove.map((id) => ({ delete: { _index: 't', _id: String(id) } })),
        ];
        for (const each of asks) {
          if (lines.length > 0) await each('POST /_bulk', lines);
          await each('POST /t/_refresh');
        }
        for (const asked of ask) assert.equal(await answer(0, asked), await answer(1, asked), printSearchAsked(asked));
        const opening = await Promise.all(asks.map((each) => each('POST /t/_pit?keep_alive=1m', undefined, more)));
        pits.push(opening.map(({ json }) => json.id as string));
        for (const ids of pits) {
          const [first, second] = ids.map((id) => ({ ...query, pit: { id } }));
          assert.equal(
            comparable(await told(0, 'POST /_search', first)),
            comparable(await told(1, 'POST /_search', second)),
          );
        }
      }
    }),
    { numRuns: Number(process.env['VIEW_RUNS'] ?? 12) },
  );
});
