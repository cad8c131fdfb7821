// The order of a segment's keys is that of the sort keys made of them, whatever they are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareKeys as compareTexts } from '../../src/text/compare-keys.ts';
import { keyOrder } from '../../src/collect/sort-values.ts';
import { compareKeys, type KeyOrder, orderKeys, placeOf } from '../../src/index/key-order.ts';

const key = fc.oneof(
  fc.nat(12).map(String),
  fc.bigInt({ min: 0n, max: 10n ** 20n }).map(String),
  fc.constantFrom(
    '0',
    '00',
    '01',
    '-1',
    '1e3',
    '1234567890123456789',
    '12345678901234567890',
    'a',
    'A',
    '\u0000',
    '\u00001',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
  fc.uuid(),
);

function laidEnd(ids: readonly string[]): { readonly ids: Uint8Array; readonly ends: Uint32Array } {
  const bytes = ids.map((id) => Buffer.from(id));
  let end = 0;
  return { ids: Buffer.concat(bytes), ends: Uint32Array.from(bytes, ({ length }) => (end += length)) };
}

function run(steps: Generator<void, KeyOrder>): KeyOrder {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

test('keys are ordered as the sort keys made of them are', () => {
  fc.assert(
    fc.property(fc.uniqueArray(key, { minLength: 1, maxLength: 40 }), fc.nat(3), (unique, nested) => {
      // Nested documents have no key.
      const ids = unique.flatMap((id, at) => (at % 4 < nested ? ['', id] : [id]));
      const keys = laidEnd(ids);
      const order = run(orderKeys(keys));
      const wanted = unique.toSorted((a, b) => compareTexts(keyOrder(a), keyOrder(b)));
      assert.equal(order.count, unique.length);
      for (const [place, id] of wanted.entries()) {
        const doc = ids.indexOf(id);
        assert.equal(placeOf(order, doc), place, JSON.stringify(ids));
        assert.equal(order.documents?.[place] ?? place, doc);
        assert.ok((order.lowest?.[doc >>> 5] ?? 0) <= place);
        const next = wanted[place + 1];
        if (next !== undefined) assert.ok(compareKeys(keys, doc, keys, ids.indexOf(next)) < 0);
      }
      const inOrder = nested === 0 && ids.every((id, at) => id === wanted[at]);
      assert.equal(order.places === undefined, inOrder);
    }),
    { numRuns: 500 },
  );
});
