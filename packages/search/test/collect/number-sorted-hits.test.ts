// Pages ordered by a number, over enough documents that most are turned away by the levels of the column: the hits are those that sorting
// all documents gives, whatever words and values have to do with each other.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Index } from '../../src/engine/engine-api.ts';
import type { Query } from '../../src/query/query.ts';
import { createTestIndex, deleting, indexing } from '../engine/test-index.ts';
import { random } from '../random.ts';

interface Row {
  readonly id: string;
  readonly text: readonly string[];
  readonly tag: string;
  readonly evenly: number;
  readonly steep: number;
  readonly few: number;
  readonly sparse?: number;
  /** High where `w0` is, low where it is not, with some exceptions. */
  readonly against: number;
}
type Field = 'evenly' | 'steep' | 'few' | 'sparse' | 'against';

const next = random(7);
const word = (): string => `w${Math.floor(40 * next() ** 3)}`;
const DOCUMENTS = 9000;
const rows: Row[] = Array.from({ length: DOCUMENTS }, (_, i) => {
  const text = Array.from({ length: 1 + Math.floor(next() * 8) }, word);
  const steep = Math.floor(10 / (next() + 1e-4)) / 8;
  return {
    id: String(i),
    text,
    tag: next() < 0.3 ? 'some' : 'most',
    evenly: next() - 0.5,
    steep,
    few: Math.floor(next() * 3),
    ...(next() < 0.2 ? { sparse: Math.floor(next() * 100) } : {}),
    against: (text.includes('w0') && next() > 0.01 ? 1000 : 0) + Math.floor(next() * 300),
  };
});
const deleted = (i: number): boolean => i % 17 === 0;

let whole: Index;
let thinned: Index;

async function indexOf(): Promise<Index> {
  const index = await createTestIndex({ maxResultWindow: DOCUMENTS });
  for (const [from, to] of [
    [0, 4000],
    [4000, 4050],
    [4050, 9000],
  ] as const) {
    await index.apply(rows.slice(from, to).map(({ id, ...body }) => indexing(id, body)));
    await index.refresh();
  }
  return index;
}

before(async () => {
  whole = await indexOf();
  thinned = await indexOf();
  await thinned.apply(rows.filter((_, i) => deleted(i)).map(({ id }) => deleting(id)));
  await thinned.refresh();
});

const some: Query = { kind: 'term', field: 'tag', term: 'some' };

function expected(keep: (row: Row, i: number) => boolean, field: Field, down: boolean, last: boolean): string[] {
  const missing = last === down ? -Infinity : Infinity;
  return rows
    .map((row, i) => ({ row, i }))
    .filter(({ row, i }) => keep(row, i))
    .map(({ row, i }) => ({ id: row.id, i, value: row[field] ?? missing }))
    .sort((a, b) => (a.value === b.value ? a.i - b.i : (a.value < b.value ? -1 : 1) * (down ? -1 : 1)))
    .map(({ id }) => id);
}

for (const field of ['evenly', 'steep', 'few', 'sparse', 'against'] as const) {
  test(`the first hits by "${field}" are those of all hits sorted`, () => {
    for (const [index, exists] of [
      [whole, () => true],
      [thinned, (_: Row, i: number) => !deleted(i)],
    ] as const) {
      const searcher = index.searcher();
      for (const term of ['w0', 'w1', 'w5', 'w30', 'w39']) {
        for (const order of ['asc', 'desc'] as const) {
          for (const missing of ['first', 'last'] as const) {
            for (const view of [undefined, some]) {
              const all = expected(
                (row, i) => exists(row, i) && row.text.includes(term) && (view === undefined || row.tag === 'some'),
                field,
                order === 'desc',
                missing === 'last',
              );
              for (const size of [1, 10, 100, 300, 500, 900, 1300, 2000]) {
                for (const query of [
                  { kind: 'term', field: 'text', term },
                  { kind: 'boolean', should: [{ kind: 'term', field: 'text', term }, { kind: 'match_none' }] },
                ] as const) {
                  const found = searcher.search({
                    query,
                    view,
                    size,
                    sort: [{ kind: 'field', field, type: 'number', order, missing }],
                    trackTotalHits: true,
                  });
                  assert.deepEqual(
                    found.hits.map((hit) => hit.id),
                    all.slice(0, size),
                    JSON.stringify({ term, order, missing, size, view: view !== undefined }),
                  );
                  assert.equal(found.total!.value, all.length);
                }
              }
            }
          }
        }
      }
    }
  });
}
