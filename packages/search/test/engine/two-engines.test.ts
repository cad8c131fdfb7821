// Engines in one process share neither caches nor budgets: what one of them reads, copies or cuts down evicts nothing of another.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createEngine, type Index } from '@lockstitch/search';
import { until } from '../../../kernel/test/until.ts';
import type { IndexSearcher } from '../../src/collect/searcher.ts';
import { storedCore } from '../../src/index/segment-core.ts';
import { copyViews, CutCache, limitCopies } from '../../src/view/cuts.ts';
import { indexUnder } from '../../src/view/viewed-engine.ts';

after(() => {
  limitCopies(64 << 20, 10_000);
  copyViews('usual');
});

async function fill(sources: Iterable<object>): Promise<Index> {
  const engine = await createEngine();
  const index = await engine.createIndex('t', {
    settings: { refreshInterval: -1 },
    mappings: { properties: { owner: { type: 'keyword' }, text: { type: 'text' }, long: { enabled: false } } },
  });
  const writes = Array.from(sources, (source, at) => {
    return { kind: 'index', id: String(at), source: Buffer.from(JSON.stringify(source)) } as const;
  });
  await index.apply(writes);
  await index.refresh();
  return index;
}

const searcherOf = (index: Index): IndexSearcher => index.searcher() as IndexSearcher;

test('an engine that reads more sources than its cache holds evicts only its own', async () => {
  const long = 'x'.repeat(2 << 20);
  const [first, second] = [await fill([{ long: 'kept' }]), await fill(Array.from({ length: 20 }, () => ({ long })))];
  const [kept] = searcherOf(first).segments;
  const { segments } = searcherOf(second);
  /** Of the block that holds a source: another one if the block was evicted since. */
  const memoryOf = (doc: number, segment = segments[0]!): ArrayBufferLike => segment.source(doc).buffer;
  const before = memoryOf(0, kept);
  const own = memoryOf(0);
  for (const segment of segments.slice(1)) for (let doc = 0; doc < segment.docCount; doc++) memoryOf(doc, segment);
  // Not `equal`, which would print megabytes.
  assert.ok(memoryOf(0) !== own);
  assert.ok(memoryOf(0, kept) === before);
});

test('an engine whose copies for views give way to each other leaves those of another', async () => {
  copyViews('usual');
  limitCopies(60_000, 0);
  const documents = Array.from({ length: 3000 }, (_, at) => ({ owner: `o${at % 100}`, text: `common word${at}` }));
  const [first, second] = [await fill(documents), await fill(documents)];
  const copiesOf = (index: Index): CutCache => storedCore(searcherOf(index).segments[0]!).engine.part(CutCache);
  const open = (index: Index, owner: number): void => {
    const rows = { kind: 'term', field: 'owner', term: `o${owner}` } as const;
    (indexUnder(index, { rows }).searcher() as IndexSearcher).release();
  };
  const [kept, evicting] = [copiesOf(first), copiesOf(second)];
  await until(
    () => {
      open(first, 1);
      return kept.bytes > 0;
    },
    () => 'nothing is copied',
  );
  const { bytes } = kept;
  let round = 0;
  await until(
    () => {
      open(second, round++ % 30);
      return evicting.dropped > 0;
    },
    () => 'nothing is evicted',
  );
  assert.deepEqual([kept.bytes, kept.dropped], [bytes, 0]);
});

test('all indices of an engine share its context, and no two engines do', async () => {
  const contexts = await Promise.all(
    [1, 2].map(async () => {
      const engine = await createEngine();
      const cores = await Promise.all(
        ['a', 'b'].map(async (name) => {
          const index = await engine.createIndex(name);
          await index.apply([{ kind: 'index', id: '1', source: Buffer.from('{"a":1}') }]);
          await index.refresh();
          return storedCore(searcherOf(index).segments[0]!);
        }),
      );
      assert.equal(cores[0]!.engine, cores[1]!.engine);
      return cores[0]!.engine;
    }),
  );
  assert.notEqual(contexts[0], contexts[1]);
});
