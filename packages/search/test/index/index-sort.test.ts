// An index with `index.sort` keeps the documents of every segment in that order, and answers as one without.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { standardAnalysis } from '../../src/analysis/analysis-registry.ts';
import { flush } from '../../src/index/flush.ts';
import { encodeId } from '../../src/index/ids.ts';
import { orderDocuments } from '../../src/index/index-sort.ts';
import { SegmentCore } from '../../src/index/segment-core.ts';
import { WriteBuffer } from '../../src/index/write-buffer.ts';
import { Mapping } from '../../src/mapping/mapping.ts';
import { readIndexSort } from '../../src/rest/indices/read-index-sort.ts';
import { plainMapper } from '../engine/plain-mapper.ts';
import { type Ask, ids, startRest } from '../rest/harness.ts';

interface Doc {
  readonly n?: number | readonly number[] | undefined;
  readonly k?: string | undefined;
  readonly text: string;
}

const properties = {
  n: { type: 'long' },
  k: { type: 'keyword' },
  text: { type: 'text' },
  place: { type: 'geo_point' },
};

/** Two indices of the same documents, written and refreshed alike. */
async function filled(steps: readonly Step[], sort: object): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /plain', { settings: { refresh_interval: '-1' }, mappings: { properties } });
  await ask('PUT /sorted', { settings: { refresh_interval: '-1', sort }, mappings: { properties } });
  for (const index of ['plain', 'sorted'])
    for (const step of steps) {
      if (step.kind === 'put')
        await ask(`PUT /${index}/_doc/${step.id}?routing=r${step.id}`, {
          ...step.doc,
          place: `${step.doc.text.length},${step.id}`,
        });
      else if (step.kind === 'delete') await ask(`DELETE /${index}/_doc/${step.id}?routing=r${step.id}`);
      else if (step.kind === 'refresh') await ask(`POST /${index}/_refresh`);
      else await ask(`POST /${index}/_forcemerge?max_num_segments=1`);
    }
  await ask('POST /_forcemerge?max_num_segments=1');
  return ask;
}

type Step =
  | { readonly kind: 'put'; readonly id: number; readonly doc: Doc }
  | { readonly kind: 'delete'; readonly id: number }
  | { readonly kind: 'refresh' | 'merge' };

const number = fc.integer({ min: -3, max: 3 });
const doc: fc.Arbitrary<Doc> = fc.record({
  n: fc.option(fc.oneof(number, fc.array(number, { minLength: 1, maxLength: 3 })), { nil: undefined }),
  k: fc.option(fc.constantFrom('a', 'b', 'longer than six', 'longer than seven', 'é', '𝒳'), { nil: undefined }),
  text: fc.array(fc.constantFrom('red', 'fox', 'red fox'), { maxLength: 4 }).map((words) => words.join(' ')),
});
const id = fc.nat(9);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('put' as const), id, doc }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), id }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('refresh' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('merge' as const) }) },
);

test('documents lie in the order of the index, and everything about them is found as without it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.constantFrom('asc', 'desc'),
      fc.constantFrom('_first', '_last'),
      fc.constantFrom('min', 'max'),
      async (steps, order, missing, mode) => {
        const by = { field: ['k', 'n'], order: [order, 'desc'], missing: [missing, '_last'], mode: ['min', mode] };
        const ask = await filled(steps, by);
        const sorted = await ask('POST /sorted/_search', { size: 20, sort: '_doc' });
        const wanted = await ask('POST /plain/_search', {
          size: 20,
          sort: [{ k: { order, missing, mode: 'min' } }, { n: { order: 'desc', mode } }, '_doc'],
        });
        assert.deepEqual(ids(sorted), ids(wanted));
        for (const query of [
          { match_phrase: { text: 'fox red' } },
          { match: { text: 'fox' } },
          { term: { k: 'longer than six' } },
          { range: { n: { gte: 0 } } },
          { geo_distance: { distance: '400km', place: '7,3' } },
        ]) {
          const body = { query, size: 20, sort: '_id', track_scores: true, explain: true, version: true };
          const [there, here] = [await ask('POST /plain/_search', body), await ask('POST /sorted/_search', body)];
          assert.equal(plain(here.json.hits), plain(there.json.hits));
        }
        for (let each = 0; each < 10; each++) {
          const [there, here] = [
            await ask(`GET /plain/_doc/${each}?routing=r${each}`),
            await ask(`GET /sorted/_doc/${each}?routing=r${each}`),
          ];
          assert.equal(plain(here.json), plain(there.json));
        }
      },
    ),
    { numRuns: 15 },
  );
});

/** An answer without the name of its index, and without the numbers of Lucene's documents in explanations. */
function plain(json: unknown): string {
  return JSON.stringify(json)
    .replaceAll('"_index":"sorted"', '"_index":"plain"')
    .replaceAll(/"_node":"[^"]*"|"_shard":"[^"]*"|in \d+\)/g, '');
}

test('an order that no index can have is refused', async () => {
  const ask = await startRest();
  const wrong: readonly (readonly [object, string])[] = [
    [{ field: 'zz' }, 'unknown index sort field:[zz]'],
    [{ field: 'text' }, 'docvalues not found for index sort field:[text]'],
    [{ field: 'place' }, "can't sort on geo_point field without using specific sorting feature, like geo_distance"],
    [{ field: '_id' }, 'invalid index sort field:[_id]'],
    [{ field: 'n', order: 'up' }, 'Illegal sort order:up'],
    [{ field: 'n', mode: 'avg' }, 'Illegal index sort mode:[AVG], must be one of [MAX, MIN]'],
    [{ field: 'n', missing: '0' }, 'Illegal missing value:[0], must be one of [_last, _first]'],
    [{ field: ['n', 'k'], order: 'desc' }, 'index.sort.field:[n, k] index.sort.order:[desc], size mismatch'],
    [{ mode: 'max' }, 'index.sort.field:[] index.sort.mode:[MAX], size mismatch'],
  ];
  for (const [sort, reason] of wrong) {
    const { status, json } = await ask('PUT /s', { settings: { sort }, mappings: { properties } });
    assert.deepEqual([status, json.error?.reason], [400, reason]);
  }
  const many = Array.from({ length: 17 }, (_, at) => `n${at}`);
  const { json: ofMany } = await ask('PUT /s', {
    settings: { sort: { field: many } },
    mappings: { properties: Object.fromEntries(many.map((name) => [name, { type: 'long' }])) },
  });
  assert.equal(
    ofMany.error?.reason,
    'index.sort.field: an index is sorted by at most [16] keys but there were [17]. Name fewer fields.',
  );
  const nested = { properties: { ...properties, items: { type: 'nested' } } };
  const reason = 'cannot have nested fields when index sort is activated';
  const settings = { 'index.sort.field': 'n' };
  assert.equal((await ask('PUT /s', { settings, mappings: nested })).json.error.reason, reason);
  await ask('PUT /s', { settings, mappings: { properties } });
  assert.equal((await ask('PUT /s/_mapping', nested)).json.error.reason, reason);
  assert.equal((await ask('PUT /s/_settings', { 'index.max_result_window': 5 })).status, 200);
});

test('a field that is named again decides nothing, unless another of its values counts', () => {
  const mapping = new Mapping({ properties }, standardAnalysis);
  const keysOf = (settings: object): unknown => readIndexSort(new Map(Object.entries(settings)), mapping);
  const key = { column: 'n', descending: false, mode: 'min', missing: 'last' };
  assert.deepEqual(keysOf({ 'sort.field': Array.from({ length: 40_000 }, () => 'n').join(',') }), [key]);
  assert.deepEqual(keysOf({ 'sort.field': 'n,n,n', 'sort.order': 'asc,desc,desc', 'sort.mode': 'min,min,max' }), [
    key,
    { ...key, descending: true, mode: 'max' },
  ]);
});

test('a large segment is sorted in many steps', () => {
  const count = 20_000;
  const mapper = plainMapper();
  const buffer = new WriteBuffer();
  for (let at = 0; at < count; at++) {
    const source = Buffer.from(JSON.stringify({ n: (at * 7919) % 101 }));
    buffer.add(mapper.parse(String(at), source, undefined), encodeId(String(at)), at, 1);
  }
  const flushing = flush(buffer.content(), 'f');
  let flushed = flushing.next();
  while (flushed.done !== true) flushed = flushing.next();
  const core = new SegmentCore(flushed.value, 'f');
  const sorting = orderDocuments(
    [{ core, live: undefined }],
    [{ column: 'n', descending: true, mode: 'max', missing: 'last' }],
  );
  let steps = 0;
  let step = sorting.next();
  for (; step.done !== true; step = sorting.next()) steps++;
  assert.ok(steps > (count / 1024) * Math.log2(count / 1024), `${steps} steps`);
  const wanted = Array.from({ length: count }, (_, at) => at).sort(
    (a, b) => ((b * 7919) % 101) - ((a * 7919) % 101) || a - b,
  );
  assert.deepEqual([...step.value.docs], wanted);
});
