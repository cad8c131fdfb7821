// What queries compute of a document they compute of documents alone that the view shows, and that are there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IndexSearcher } from '../../src/collect/searcher.ts';
import type { GeoColumn, NumberColumn } from '../../src/index/segment.ts';
import { SegmentView } from '../../src/index/segment-view.ts';
import type { FunctionScoreQuery } from '../../src/query/kinds/function-score.ts';
import { standardAnalysis } from '../../src/analysis/analysis-registry.ts';
import { parseQuery } from '../../src/dsl/parse-query.ts';
import { Mapping } from '../../src/mapping/mapping.ts';
import { kindOf } from '../../src/query/kinds.ts';
import type { Query } from '../../src/query/query.ts';
import { QUERIES, SAMPLE_MAPPING } from '../compatibility/table.ts';
import { createTestIndex, deleting, indexing } from '../engine/test-index.ts';

const ALL: Query = { kind: 'match_all' };
const scored = (
  definition: FunctionScoreQuery['functions'][number]['function'],
  more: Partial<FunctionScoreQuery> = {},
): Query => ({ kind: 'function_score', query: ALL, functions: [{ function: definition! }], ...more });
const PLACE = { lat: 1, lon: 1 };
const factor = scored({ kind: 'field_value_factor', field: 'n', missing: 1 });

/** Queries that read columns, by kind. */
const READING: Readonly<Partial<Record<Query['kind'], readonly Query[]>>> = {
  function_score: [
    factor,
    scored({ kind: 'field_value_factor', field: 'n', missing: 1 }, { minScore: 0.5 }),
    scored({ kind: 'decay', shape: 'gauss', field: 'n', origin: 1, scale: 1 }),
    scored({ kind: 'decay', shape: 'exp', field: 'place', origin: PLACE, scale: 1 }),
    scored({ kind: 'random', seed: 1, field: { path: 'n', as: 'whole' } }),
  ],
  covering: [{ kind: 'covering', field: 'n', queries: [ALL, { kind: 'term', field: 'tag', term: 'a' }] }],
  distance_feature: [
    { kind: 'distance_feature', field: 'n', origin: 1, pivot: 1 },
    { kind: 'distance_feature', field: 'place', origin: PLACE, pivot: 1 },
  ],
  rank_feature: [
    { kind: 'rank_feature', field: 'n', inverse: false, shape: { kind: 'saturation' } },
    { kind: 'rank_feature', field: 'n', inverse: true, shape: { kind: 'log', scalingFactor: 2 } },
  ],
};

/** Kinds that compare a column with values of the request, and keep a set of all documents. */
const COMPARING: readonly Query['kind'][] = [
  'numbers',
  'number_range',
  'geo_distance',
  'geo_box',
  'geo_polygon',
  'ranges',
];

/** A segment that tells of which documents values were read. Its columns have one value a document. */
class WatchedSegment extends SegmentView {
  readonly #read: (doc: number) => void;

  constructor(base: SegmentView, read: (id: string) => void) {
    super(base.core, base.live, base.generation, base.base);
    this.#read = (doc) => read(base.id(doc));
  }

  override number(field: string): NumberColumn | undefined {
    const column = super.number(field);
    return column && { ...column, values: this.#watched(column.values) };
  }

  override geo(field: string): GeoColumn | undefined {
    const column = super.geo(field);
    return column && { ...column, lat: this.#watched(column.lat), lon: this.#watched(column.lon) };
  }

  #watched(values: Float64Array): Float64Array {
    return new Proxy(values, {
      get: (target, key) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) this.#read(Number(key));
        const found: unknown = Reflect.get(target, key, target);
        return typeof found === 'function' ? (found.bind(target) as unknown) : found;
      },
    });
  }
}

const around = (query: Query): readonly Query[] => [
  query,
  { kind: 'boolean', filter: [query] },
  { kind: 'boolean', must: [query], filter: [{ kind: 'term', field: 'tag', term: 'a' }] },
  { kind: 'boolean', must: [ALL], mustNot: [query] },
  { kind: 'boolean', must: [ALL], should: [query, { kind: 'term', field: 'tag', term: 'a' }] },
  { kind: 'boolean', should: [query, { kind: 'term', field: 'tag', term: 'a' }], minimumShouldMatch: 2 },
  { kind: 'dis_max', queries: [query, { kind: 'term', field: 'tag', term: 'a' }] },
  { kind: 'boosting', positive: query, negative: { kind: 'term', field: 'tag', term: 'b' }, negativeBoost: 0.5 },
  { kind: 'boosting', positive: ALL, negative: query, negativeBoost: 0.5 },
  { kind: 'constant_score', query },
  { kind: 'function_score', query, functions: [{ filter: query, weight: 2 }] },
  { kind: 'function_score', query, functions: [{ weight: 2 }], minScore: 0.1 },
];

test('1.1 no query reads a value of a document that the view does not show, or that was deleted', async () => {
  const index = await createTestIndex();
  const body = (n: number): object => ({ n, place: { lat: n, lon: n }, tag: n % 2 === 0 ? 'a' : 'b' });
  for (const batch of [
    [1, 2, 3, 4],
    [5, 6, 7, 8],
  ]) {
    await index.apply(batch.map((n) => indexing(String(n), body(n))));
    await index.refresh();
  }
  await index.apply(['4', '7'].map(deleting));
  await index.refresh();
  const base = index.searcher() as IndexSearcher;
  const view: Query = { kind: 'ids', ids: ['2', '3', '4', '6'] };
  const read = new Set<string>();
  const segments = base.segments.map((segment) => new WatchedSegment(segment, (id) => read.add(id)));
  const searcher = new IndexSearcher(segments, base.similarity, base.limits);
  const kinds = new Set<string>();
  for (const [kind, samples] of Object.entries(READING)) {
    for (const query of samples.flatMap(around)) {
      for (const [shown, may] of [
        [undefined, ['1', '2', '3', '5', '6', '8']],
        [view, ['2', '3', '6']],
      ] as const) {
        read.clear();
        const more = shown === undefined ? {} : { view: shown };
        searcher.search({ query, ...more });
        searcher.search({ query, ...more, size: 0, trackTotalHits: true });
        searcher.search({ query, ...more, sort: [{ kind: 'id' }], minScore: 0.01 });
        searcher.search({ query: ALL, ...more, postFilter: query });
        for (const segment of segments) {
          searcher.matches(query, segment, shown);
          for (let doc = 0; doc < segment.docCount; doc++) searcher.explain(query, segment, doc, shown);
        }
        if (read.size > 0) kinds.add(kind);
        assert.deepEqual(
          [...read].filter((id) => !(may as readonly string[]).includes(id)),
          [],
          JSON.stringify(query),
        );
      }
    }
  }
  assert.deepEqual([...kinds].sort(), Object.keys(READING).sort());
  read.clear();
  const mapping = new Mapping(SAMPLE_MAPPING, standardAnalysis);
  const context = { index: 'sample', mapping, now: 0, defaultField: ['text'], aliases: [] };
  for (const { name, sample } of QUERIES) {
    const query = parseQuery(sample, context);
    const isCompound = kindOf(query).children(query).matching.length > 0;
    if (isCompound || COMPARING.includes(query.kind) || READING[query.kind] !== undefined) continue;
    searcher.search({ query });
    assert.deepEqual([...read], [], `${name} reads columns: it belongs to READING or COMPARING`);
  }
  base.release();
});

test('1.1 an explanation computes of its document alone, wherever the others lie', async () => {
  const query = scored({ kind: 'field_value_factor', field: 'n' }, { minScore: 5, boostMode: 'replace' });
  const documents = [indexing('good', { n: 1 }), indexing('negative', { n: -1 }), indexing('none', { tag: 'x' })];
  for (const apart of [true, false]) {
    const index = await createTestIndex();
    for (const each of documents) {
      await index.apply([each]);
      if (apart) await index.refresh();
    }
    await index.refresh();
    const searcher = index.searcher();
    const { segment, doc } = searcher.find('good')!;
    assert.equal(searcher.explain(query, segment, doc), undefined);
    assert.deepEqual(searcher.matchedNames({ ...query, name: 'q' }, segment, doc), []);
    searcher.release();
  }
});

test('1.1 of several failures the same one is told, whichever document comes first', async () => {
  const query = scored({ kind: 'field_value_factor', field: 'n' });
  const limited = scored({ kind: 'field_value_factor', field: 'n' }, { minScore: 0 });
  const inner = scored({ kind: 'field_value_factor', field: 'comments.n' });
  const told = new Set<string>();
  const asking = (action: () => unknown): void =>
    assert.throws(action, (error: Error) => {
      told.add(error.message.replace('comments.', ''));
      return true;
    });
  for (const order of [
    ['negative', 'none'],
    ['none', 'negative'],
  ]) {
    for (const apart of [false, true]) {
      const index = await createTestIndex();
      for (const id of order) {
        const body = id === 'none' ? { tag: 'x' } : { n: -1 };
        await index.apply([indexing(id, { ...body, comments: [body] })]);
        if (apart) await index.refresh();
      }
      await index.refresh();
      const searcher = index.searcher();
      const { segment, doc } = searcher.find(order[0]!)!;
      asking(() => searcher.search({ query }));
      asking(() => searcher.matches(limited, segment));
      asking(() => searcher.innerHits(inner, 'comments', segment, doc));
      searcher.release();
    }
  }
  assert.equal(told.size, 1);
});

test('1.1 a document that another clause excludes fails nothing, whatever the clauses cost', async () => {
  const negative: Query = { ...factor, kind: 'function_score', minScore: 0 } as Query;
  const rare: Query = { kind: 'term', field: 'tag', term: 'rare' };
  for (const others of [0, 40]) {
    const index = await createTestIndex();
    const many = Array.from({ length: others }, (_, at) => indexing(`x${at}`, { tag: 'rare', hidden: 'yes' }));
    await index.apply([indexing('bad', { n: -1 }), indexing('good', { n: 2, tag: 'rare' }), ...many]);
    await index.refresh();
    const searcher = index.searcher();
    const view: Query = { kind: 'ids', ids: ['bad', 'good'] };
    for (const query of [
      { kind: 'boolean', must: [factor], filter: [rare] },
      { kind: 'boolean', must: [negative, rare] },
      { kind: 'boolean', filter: [negative, rare] },
      { kind: 'boolean', must: [rare], should: [factor] },
      { kind: 'boolean', must: [factor], mustNot: [{ kind: 'ids', ids: ['bad'] }] },
      { kind: 'boolean', should: [factor, rare], minimumShouldMatch: 2 },
      { kind: 'boolean', must: [rare], filter: [{ kind: 'boolean', should: [negative, { kind: 'match_none' }] }] },
      { kind: 'boosting', positive: rare, negative: factor, negativeBoost: 0.5 },
    ] as const satisfies readonly Query[]) {
      const { hits } = searcher.search({ query, view });
      assert.deepEqual(
        hits.map(({ id }) => id),
        ['good'],
        JSON.stringify(query),
      );
    }
    searcher.release();
  }
});

test('1.1 a document with very many values is scored and sorted', async () => {
  const index = await createTestIndex();
  const n = Array.from({ length: 130_000 }, (_, at) => at);
  await index.apply([indexing('many', { n, comments: [{ n }] })]);
  await index.refresh();
  const searcher = index.searcher();
  for (const multiValueMode of ['min', 'max'] as const) {
    const query = scored({ kind: 'decay', shape: 'exp', field: 'n', origin: 0, scale: 1, multiValueMode });
    assert.equal(searcher.search({ query }).hits.length, 1);
  }
  const { hits } = searcher.search({
    query: ALL,
    sort: [{ kind: 'field', field: 'comments.n', type: 'number', mode: 'max', nested: { path: 'comments' } }],
  });
  assert.deepEqual(hits[0]?.sort, [129_999]);
  searcher.release();
});
