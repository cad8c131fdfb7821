// Collectors that tell for themselves which documents of a term count, beside those for which they are picked out before: under a view
// all answer as over an index of the visible documents alone. Terms of several blocks of postings, some with deleted documents.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createEngine } from '../../src/create-engine.ts';
import { createRestApi, type RestApi } from '../../src/rest/create-rest-api.ts';
import type { IndexView } from '../../src/view/index-view.ts';

const HEADERS = { 'content-type': 'application/json' };
const VIEW: IndexView = { rows: { kind: 'term', field: '_policy', term: 'mine' }, hidden: ['_policy'] };
const AGGREGATIONS = {
  one: { terms: { field: 'one' } },
  many: { terms: { field: 'many', size: 3 } },
  few: { terms: { field: 'one', include: ['a', 'c'] } },
  inner: { terms: { field: 'one' }, aggs: { n: { stats: { field: 'n' } } } },
  mean: { avg: { field: 'n' } },
  filtered: { filter: { term: { one: 'b' } }, aggs: { many: { terms: { field: 'many' } } } },
};
const request = fc.record({
  word: fc.constantFrom('all', 'half', 'few'),
  aggregations: fc.subarray(Object.keys(AGGREGATIONS)),
  sort: fc.constantFrom(
    undefined,
    [{ n: 'asc' }],
    [{ n: 'desc' }],
    [{ n: { order: 'asc', missing: '_first' } }],
    [{ one: 'asc' }],
  ),
  size: fc.constantFrom(0, 3, 10),
  total: fc.constantFrom(true, false, 20, undefined),
  filtered: fc.boolean(),
});

interface Document {
  readonly id: string;
  readonly visible: boolean;
  readonly deleted: boolean;
  readonly source: object;
}

function makeDocuments(count: number, share: number): Document[] {
  let state = count;
  const next = (below: number): number =>
    ((state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32) * below;
  return Array.from({ length: count }, (_, at) => {
    const visible = next(1) < share;
    return {
      id: String(at),
      visible,
      deleted: next(1) < 0.05,
      source: {
        text: ['all', ...(next(2) < 1 ? ['half'] : []), ...(next(20) < 1 ? ['few'] : [])].join(' '),
        ...(next(5) < 1 ? {} : { one: 'abcd'[Math.floor(next(4))] }),
        many: Array.from({ length: Math.floor(next(4)) }, () => 'uvwxyz'[Math.floor(next(6))]),
        ...(next(6) < 1 ? {} : { n: Math.floor(next(40)) }),
        _policy: visible ? 'mine' : 'theirs',
      },
    };
  });
}

async function apiOf(documents: readonly Document[]): Promise<{ api: RestApi; close: () => Promise<void> }> {
  const engine = await createEngine();
  const api = createRestApi(engine);
  const call = async (method: string, path: string, body: string): Promise<void> => {
    const query = new URLSearchParams();
    const answer = await api.handle({ method, path, query, headers: HEADERS, body: Buffer.from(body) });
    assert.ok(answer.status < 300, answer.body);
  };
  const keyword = { type: 'keyword' };
  const properties = { text: { type: 'text' }, one: keyword, many: keyword, n: { type: 'long' }, _policy: keyword };
  await call('PUT', '/t', JSON.stringify({ mappings: { properties }, settings: { refresh_interval: '-1' } }));
  const bulk = (lines: readonly object[]): Promise<void> =>
    call('POST', '/_bulk', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const half = documents.length >> 1;
  for (const part of [documents.slice(0, half), documents.slice(half)]) {
    if (part.length > 0) await bulk(part.flatMap(({ id, source }) => [{ index: { _index: 't', _id: id } }, source]));
    await engine.index('t').refresh();
  }
  const gone = documents.filter(({ deleted }) => deleted);
  if (gone.length > 0) await bulk(gone.map(({ id }) => ({ delete: { _index: 't', _id: id } })));
  await engine.index('t').refresh();
  return { api, close: () => engine.close() };
}

test('under a view a term is counted, aggregated and sorted as in an index of the visible documents', async () => {
  for (const [count, share] of [
    [1200, 0.9],
    [1200, 0.1],
    [301, 0.5],
  ] as const) {
    const documents = makeDocuments(count, share);
    const whole = await apiOf(documents);
    const cut = await apiOf(documents.filter(({ visible }) => visible));
    const property = fc.asyncProperty(request, async ({ word, aggregations, sort, size, total, filtered }) => {
      const body = JSON.stringify({
        query: { match: { text: word } },
        size,
        ...(sort === undefined ? {} : { sort }),
        ...(total === undefined ? {} : { track_total_hits: total }),
        ...(filtered ? { post_filter: { range: { n: { gte: 10 } } } } : {}),
        aggs: Object.fromEntries(aggregations.map((name) => [name, AGGREGATIONS[name as keyof typeof AGGREGATIONS]])),
      });
      const answer = async ({ api }: { api: RestApi }): Promise<string> => {
        const query = new URLSearchParams();
        const sent = { method: 'POST', path: '/t/_search', query, headers: HEADERS, body: Buffer.from(body) };
        const { status, body: text } = await api.handle({ ...sent, view: () => VIEW });
        assert.equal(status, 200, text);
        return text.replace(/"took":\d+/, '');
      };
      assert.equal(await answer(whole), await answer(cut), body);
    });
    await fc.assert(property, { numRuns: 120 });
    await whole.close();
    await cut.close();
  }
});
