// `terms` against counting by hand: the counts by ordinal of one segment, those put together of several, and the buckets with
// aggregations inside must tell the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createEngine } from '../../src/create-engine.ts';
import { createRestApi } from '../../src/rest/create-rest-api.ts';

interface Bucket {
  readonly key: string;
  readonly doc_count: number;
}

interface Answer {
  readonly aggregations: { readonly t: { readonly sum_other_doc_count: number; readonly buckets: readonly Bucket[] } };
}

const HEADERS = { 'content-type': 'application/json' };
const key = fc.constantFrom('a', 'b', 'c', 'd', 'é', 'zz', 'ab', '\u{1f600}', '\uffee');
const documents = fc.array(fc.record({ one: fc.option(key), many: fc.array(key, { maxLength: 3 }) }), {
  minLength: 1,
  maxLength: 40,
});
const request = fc.record({
  field: fc.constantFrom('one', 'many'),
  size: fc.integer({ min: 1, max: 10 }),
  min: fc.integer({ min: 0, max: 3 }),
  order: fc.constantFrom({ _count: 'desc' }, { _count: 'asc' }, { _key: 'asc' }, { _key: 'desc' }),
  include: fc.option(fc.constantFrom(['a', 'c', 'zz'], 'a.*')),
  inner: fc.boolean(),
});

test('terms counts, orders and cuts off as counting by hand does, whatever the segments', async () => {
  const property = fc.asyncProperty(
    documents,
    fc.array(fc.nat(39), { maxLength: 4 }),
    fc.array(request, { minLength: 1, maxLength: 6 }),
    async (docs, cuts, requests) => {
      const engine = await createEngine();
      const api = createRestApi(engine);
      const call = async (method: string, path: string, body?: unknown): Promise<string> => {
        const encoded = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
        const answer = await api.handle({ method, path, query: new URLSearchParams(), headers: HEADERS, ...encoded });
        assert.ok(answer.status < 300, answer.body);
        return answer.body;
      };
      await call('PUT', '/i', { mappings: { properties: { one: { type: 'keyword' }, many: { type: 'keyword' } } } });
      for (const [id, doc] of docs.entries()) {
        await call('PUT', `/i/_doc/${id}`, doc);
        if (cuts.includes(id)) await call('POST', '/i/_refresh');
      }
      await call('POST', '/i/_refresh');
      for (const { field, size, min, order, include, inner } of requests) {
        const counts = new Map<string, number>();
        for (const doc of docs) {
          for (const value of new Set([doc[field as 'one' | 'many'] ?? []].flat())) {
            if (include === null || (typeof include === 'string' ? value.startsWith('a') : include.includes(value)))
              counts.set(value, (counts.get(value) ?? 0) + 1);
          }
        }
        const [by, direction] = Object.entries(order)[0]!;
        const sign = direction === 'desc' ? -1 : 1;
        const all = [...counts]
          .filter(([, count]) => count >= min)
          .sort(([a, x], [b, y]) => {
            const compared = Buffer.compare(Buffer.from(a), Buffer.from(b));
            return by === '_key' ? sign * compared : sign * (x - y) || compared;
          });
        const text = await call('POST', '/i/_search', {
          size: 0,
          aggs: {
            t: {
              terms: { field, size, min_doc_count: min, order, ...(include === null ? {} : { include }) },
              ...(inner ? { aggs: { n: { value_count: { field: 'one' } } } } : {}),
            },
          },
        });
        const { t } = (JSON.parse(text) as Answer).aggregations;
        assert.deepEqual(
          t.buckets.map((bucket) => [bucket.key, bucket.doc_count]),
          all.slice(0, size),
        );
        assert.equal(
          t.sum_other_doc_count,
          all.slice(size).reduce((sum, [, count]) => sum + count, 0),
        );
      }
      await engine.close();
    },
  );
  await fc.assert(property, { numRuns: 60 });
});
