// Orders other than by score: keys, missing values, pages by search_after, collapsing, early ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isProductError } from '@lockstitch/kernel';
import type { Index } from '../../src/engine/engine-api.ts';
import type { SearchRequest, SortKey, SortValue } from '../../src/collect/search-request.ts';
import { createTestIndex, indexing } from '../engine/test-index.ts';

interface Row {
  readonly n?: number;
  readonly tag?: string;
}

const row: fc.Arbitrary<Row> = fc.record(
  {
    n: fc.constantFrom(-1, 0, 2.5, 3, 10, 0.1, 0.100_000_001, 16_777_216, 16_777_217),
    tag: fc.constantFrom('a', 'B', 'é', '😀', 'zz', '\uffee'),
  },
  { requiredKeys: [] },
);
const order = fc.constantFrom('asc' as const, 'desc' as const);
const key: fc.Arbitrary<SortKey> = fc.oneof(
  fc.record({
    kind: fc.constant('field' as const),
    field: fc.constant('n'),
    type: fc.constant('number' as const),
    order,
    missing: fc.constantFrom('first' as const, 'last' as const, { value: 2 }),
  }),
  fc.record({
    kind: fc.constant('field' as const),
    field: fc.constant('tag'),
    type: fc.constant('keyword' as const),
    order,
    missing: fc.constantFrom('first' as const, 'last' as const, { value: 'c' }),
  }),
  fc.record({ kind: fc.constant('id' as const), order }),
  fc.record({ kind: fc.constant('doc' as const), order }),
);

async function indexOf(rows: readonly Row[], refreshAt = 5): Promise<Index> {
  const index = await createTestIndex();
  for (const [i, body] of rows.entries()) {
    await index.apply([indexing(String(i).padStart(3, '0'), body)]);
    if (i % refreshAt === 0) await index.refresh();
  }
  await index.refresh();
  return index;
}

function valueOf(sortKey: SortKey, body: Row, position: number): SortValue {
  if (sortKey.kind === 'id') return String(position).padStart(3, '0');
  if (sortKey.kind === 'doc') return position;
  if (sortKey.kind !== 'field') throw new Error(sortKey.kind);
  const value = sortKey.field === 'n' ? body.n : body.tag;
  return value ?? (typeof sortKey.missing === 'object' ? sortKey.missing.value : null);
}

function compare(keys: readonly SortKey[], left: readonly SortValue[], right: readonly SortValue[]): number {
  for (const [i, sortKey] of keys.entries()) {
    const a = left[i]!;
    const b = right[i]!;
    if (a === b) continue;
    const missing = sortKey.kind === 'field' ? sortKey.missing : undefined;
    if (a === null) return missing === 'first' ? -1 : 1;
    if (b === null) return missing === 'first' ? 1 : -1;
    const order = typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(b as string)) : a - (b as number);
    return (sortKey as { order?: string }).order === 'desc' ? -order : order;
  }
  return 0;
}

test('any keys put the hits in the order that sorting all documents puts them, on every page', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 30 }),
      fc.array(key, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 7 }),
      async (rows, sort, size) => {
        const index = await indexOf(rows);
        const expected = rows
          .map((body, position) => ({ position, sort: sort.map((one) => valueOf(one, body, position)) }))
          .sort((a, b) => compare(sort, a.sort, b.sort) || a.position - b.position);
        const show = (request: SearchRequest): unknown =>
          index
            .searcher()
            .search(request)
            .hits.map((hit) => ({ position: Number(hit.id), sort: hit.sort }));
        const query = { kind: 'match_all' } as const;
        for (let from = 0; from < rows.length; from += size) {
          assert.deepEqual(show({ query, sort, from, size }), expected.slice(from, from + size));
        }
        // search_after: everything strictly behind the values.
        const after = expected[Math.min(size, expected.length) - 1]!.sort;
        assert.deepEqual(
          show({ query, sort, size: 100, searchAfter: after }),
          expected.filter((entry) => compare(sort, entry.sort, after) > 0),
        );
      },
    ),
    { numRuns: 300 },
  );
});

test('of several values the mode picks one', async () => {
  const index = await indexOf([{}]);
  await index.apply([indexing('x', { n: [1, 2, 9] })]);
  await index.refresh();
  const value = (mode: 'min' | 'max' | 'sum' | 'avg' | 'median', direction: 'asc' | 'desc' = 'asc'): SortValue =>
    index.searcher().search({
      query: { kind: 'ids', ids: ['x'] },
      sort: [{ kind: 'field', field: 'n', type: 'number', mode, order: direction }],
    }).hits[0]!.sort![0]!;
  assert.deepEqual([value('min'), value('max'), value('sum'), value('avg'), value('median')], [1, 9, 12, 4, 2]);
});

test('collapsing keeps the best hit of each value and the total of all', async () => {
  const index = await indexOf([
    { tag: 'a', n: 2.5 },
    { tag: 'a', n: 10 },
    { tag: 'zz', n: 0 },
    { n: 3 },
    { tag: 'zz', n: -1 },
    { n: 0 },
  ]);
  const result = index.searcher().search({
    query: { kind: 'match_all' },
    sort: [{ kind: 'field', field: 'n', type: 'number', order: 'desc' }],
    collapse: { field: 'tag', type: 'keyword' },
  });
  assert.deepEqual(
    result.hits.map((hit) => [hit.id, hit.collapse]),
    [
      ['001', 'a'],
      ['003', null],
      ['002', 'zz'],
    ],
  );
  assert.equal(result.total!.value, 6);
});

test('a post filter restricts hits and total but not what collectors see', async () => {
  const index = await indexOf([{ tag: 'a' }, { tag: 'zz' }, { tag: 'a' }]);
  let collected = 0;
  const result = index.searcher().search({
    query: { kind: 'match_all' },
    postFilter: { kind: 'term', field: 'tag', term: 'a' },
    collectors: [{ needsScores: false, segment: () => ({ collect: (_docs, count) => void (collected += count) }) }],
  });
  assert.deepEqual([result.hits.length, result.total!.value, collected], [2, 2, 3]);
});

test('terminate_after stops at its count and says so', async () => {
  const index = await indexOf(Array.from({ length: 20 }, () => ({ n: 3 })));
  const result = index.searcher().search({ query: { kind: 'match_all' }, terminateAfter: 7 });
  assert.deepEqual([result.total!.value, result.terminatedEarly], [7, true]);
});

test('a page beyond the result window, or search_after of the wrong length, is refused', async () => {
  const index = await indexOf([{}]);
  const codeOf = (request: Omit<SearchRequest, 'query'>): string => {
    try {
      index.searcher().search({ query: { kind: 'match_all' }, ...request });
      return 'none';
    } catch (error) {
      return isProductError(error) ? error.code : 'other';
    }
  };
  assert.equal(codeOf({ from: 9_995, size: 10 }), 'SEARCH_RESULT_WINDOW');
  assert.equal(codeOf({ sort: [{ kind: 'id' }], searchAfter: ['a', 'b'] }), 'SEARCH_SORT_VALUES');
});
