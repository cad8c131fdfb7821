import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createEngine, memoryDirectory } from '@lockstitch/search';
import { getNow } from '../engine/test-index.ts';

const LONG = 'x'.repeat(40_000);
const SHAPE = { kind: 'saturation', pivot: 1 } as const;
/** Type, a value that does not fit it, and one that does. */
const UNFIT: readonly (readonly [type: string, unfit: unknown, fit: unknown])[] = [
  ['date', 'someday', '2026-11-21'],
  ['date_nanos', 'someday', '2026-11-21'],
  ['keyword', LONG, 'x'],
  ['wildcard', LONG, 'x'],
  ['ip', 'nowhere', '10.0.0.1'],
  ['long', 'many', 7],
  ['integer', 99_999_999_999, 7],
  ['double', {}, 1.5],
  ['boolean', 'maybe', true],
  ['geo_point', 'somewhere', '1,1'],
  ['rank_feature', -1, 1],
  ['rank_features', { x: 1, y: -1 }, { x: 1 }],
  ['integer_range', 'all', { gte: 1, lte: 2 }],
  ['completion', 7, 'x'],
];

test('an index that takes all leaves out values that do not fit, names their fields, and keeps the document', async (context) => {
  const engine = await createEngine({ directory: memoryDirectory() });
  context.after(() => engine.close());
  for (const [type, unfit, fit] of UNFIT) {
    const mappings = { properties: { v: { type }, other: { type: 'keyword' } } };
    const documents = [unfit, fit].map((v, at) => Buffer.from(JSON.stringify({ v, other: String(at) })));
    const operations = documents.map((source, at) => ({ kind: 'index', id: String(at), source }) as const);
    const strict = await engine.createIndex(`strict_${type}`, { mappings });
    assert.deepEqual(
      (await strict.apply(operations)).map(({ kind }) => kind),
      ['failed', 'done'],
      type,
    );
    const index = await engine.createIndex(type, { mappings, settings: { takesAll: true } });
    assert.deepEqual(
      (await index.apply(operations)).map(({ kind }) => kind),
      ['done', 'done'],
      type,
    );
    await index.refresh();
    const searcher = index.searcher();
    const count = (field: string, term: string): number => searcher.count({ kind: 'term', field, term });
    assert.deepEqual([count('_ignored', 'v'), count('other', '0'), count('other', '1')], [1, 1, 1], type);
    // A value that does not fit leaves no part of itself behind.
    if (type === 'rank_features')
      assert.equal(searcher.count({ kind: 'rank_feature', field: 'v', feature: 'x', inverse: false, shape: SHAPE }), 1);
    searcher.release();
    assert.deepEqual(Buffer.from(getNow(index, '0')!.source), documents[0], type);
  }
});

test('a text that its analyzer leaves whole is left out where it is too long for a term', async (context) => {
  const engine = await createEngine({ directory: memoryDirectory() });
  context.after(() => engine.close());
  for (const analyzer of ['keyword', 'whitespace', 'simple']) {
    const mappings = { properties: { v: { type: 'text', analyzer } } };
    const index = await engine.createIndex(analyzer, { mappings, settings: { takesAll: true } });
    const write = (id: string, v: string) =>
      ({ kind: 'index', id, source: Buffer.from(JSON.stringify({ v })) }) as const;
    const results = await index.apply([write('0', LONG), write('1', 'fits'), write('2', 'one '.repeat(6000))]);
    assert.ok(
      results.every(({ kind }) => kind === 'done'),
      analyzer,
    );
    await index.refresh();
    const searcher = index.searcher();
    const fits = searcher.count({ kind: 'term', field: 'v', term: 'fits' });
    const ignored = searcher.count({ kind: 'term', field: '_ignored', term: 'v' });
    // The others end a word after 255 characters.
    assert.deepEqual([fits, ignored], [1, analyzer === 'keyword' ? 1 : 0], analyzer);
    assert.equal(searcher.count({ kind: 'term', field: 'v', term: 'one' }), analyzer === 'keyword' ? 0 : 1);
    searcher.release();
  }
});
