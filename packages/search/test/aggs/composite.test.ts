// `composite` against counting by hand: documents with several values or none, over several segments, page by page.
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createEngine, createRestApi } from '@lockstitch/search';
import { load, startRest } from '../rest/harness.ts';

interface Document {
  readonly tags: readonly string[];
  readonly numbers: readonly number[];
}

interface Bucket {
  readonly key: { readonly t: string | null; readonly n: number | null };
  readonly doc_count: number;
}

const documents: fc.Arbitrary<Document[]> = fc.array(
  fc.record({
    tags: fc.array(fc.constantFrom('a', 'b', 'zz', 'é'), { maxLength: 3 }),
    numbers: fc.array(fc.integer({ min: -2, max: 12 }), { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 30 },
);

/** Every combination of a document counts as often as its numbers make it, as in Elasticsearch; `null` sorts first, whatever the order of the rest. */
function byHand(all: readonly Document[], missing: boolean): Bucket[] {
  const counts = new Map<string, number>();
  for (const { tags, numbers } of all) {
    const values = <T>(list: readonly T[]): readonly (T | null)[] => (list.length > 0 ? list : missing ? [null] : []);
    const rounded = values(numbers.map((value) => Math.floor(value / 5) * 5));
    for (const t of values([...new Set(tags)])) {
      for (const n of rounded) {
        const key = JSON.stringify({ t, n });
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
  }
  const rank = <T extends string | number>(value: T | null, other: T | null): number =>
    value === other ? 0 : value === null || (other !== null && value < other) ? -1 : 1;
  return [...counts]
    .map(([key, doc_count]) => ({ key: JSON.parse(key) as Bucket['key'], doc_count }))
    .sort((a, b) => rank(a.key.t, b.key.t) || -rank(a.key.n, b.key.n));
}

test('every combination of the values of a document is counted, in order, page by page', async () => {
  await fc.assert(
    fc.asyncProperty(documents, fc.boolean(), fc.integer({ min: 1, max: 4 }), async (all, missing, size) => {
      const engine = await createEngine();
      const ask = await startRest(createRestApi(engine));
      await ask('PUT /i', { mappings: { properties: { tags: { type: 'keyword' }, numbers: { type: 'integer' } } } });
      for (const half of [all.slice(0, 7), all.slice(7)]) {
        const lines = half.flatMap((each) => [{ index: {} }, each]);
        if (lines.length > 0) await ask('POST /i/_bulk?refresh=true', lines);
      }
      const found: Bucket[] = [];
      const sources = [
        { t: { terms: { field: 'tags', missing_bucket: missing } } },
        { n: { histogram: { field: 'numbers', interval: 5, order: 'desc', missing_bucket: missing } } },
      ];
      for (let after: object | undefined; ;) {
        const composite = { size, sources, ...(after === undefined ? {} : { after }) };
        const { json } = await ask('POST /i/_search', { size: 0, aggs: { c: { composite } } });
        const { buckets, after_key } = json.aggregations.c as { buckets: Bucket[]; after_key?: object };
        found.push(...buckets);
        if (after_key === undefined) break;
        after = after_key;
      }
      deepEqual(found, byHand(all, missing));
      await engine.close();
    }),
    { numRuns: 60 },
  );
});

test('an after that names none of a source is refused, instead of starting again from the first page', async () => {
  const ask = await startRest();
  await load(ask, 'i', [{ t: 'a' }, { t: 'b' }]);
  const composite = { sources: [{ t: { terms: { field: 't.keyword' } } }], after: { tt: 'a' } };
  const { status, json } = await ask('POST /i/_search', { size: 0, aggs: { c: { composite } } });
  deepEqual([status, json.error.root_cause[0].reason], [400, 'Missing value for [after.t]']);
});

test('bounds of a source of tiles leave out the points outside', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { place: { type: 'geo_point' } } } });
  await load(ask, 't', [{ place: '1,1' }, { place: '50,50' }]);
  const keysOf = async (bounds: object): Promise<unknown> => {
    const tiles = { field: 'place', precision: 4, ...bounds };
    const { json } = await ask('POST /t/_search', {
      size: 0,
      aggs: { a: { composite: { sources: [{ g: { geotile_grid: tiles } }] } } },
    });
    return json.aggregations.a.buckets.map(({ key }: { readonly key: { readonly g: string } }) => key.g);
  };
  deepEqual(await keysOf({}), ['4/8/7', '4/10/5']);
  deepEqual(await keysOf({ bounds: { top_left: '3,0', bottom_right: '0,3' } }), ['4/8/7']);
});
