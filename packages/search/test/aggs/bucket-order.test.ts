// The order of keys, on which the order of hits and buckets rests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketComparison } from '../../src/aggs/bucket-order.ts';
import { compareKeys } from '../../src/text/compare-keys.ts';

test('1.1 equal infinities are a tie, so that ids decide and not the order of the index', () => {
  assert.equal(compareKeys(Infinity, Infinity), 0);
  assert.equal(compareKeys(-Infinity, -Infinity), 0);
  assert.ok(compareKeys(-Infinity, Infinity) < 0 && compareKeys(2, 1) > 0);
});

test('1.1 buckets whose metric is the same infinity come in the order of their keys', () => {
  const compare = bucketComparison([{ by: 'max', descending: true }], () => ({ max: { value: -Infinity } }));
  const buckets = ['b', 'c', 'a'].map((key, bucket) => ({ key, count: 1, bucket }));
  assert.deepEqual(
    buckets.toSorted(compare).map(({ key }) => key),
    ['a', 'b', 'c'],
  );
});
