// Scores as they are printed: the fewest digits, from six on, that read back as the same float32.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { shortFloat } from '../../src/fetch/short-float.ts';
import { ids, startRest } from '../rest/harness.ts';

function bySpelling(value: number): number {
  for (let digits = 6; digits <= 9; digits++) {
    // All digits that the float has; one that lies in the middle goes to the even neighbour, as in Java.
    const short = Number(evenOfTwo(value, digits) ?? value.toPrecision(digits));
    if (Math.fround(short) === Math.fround(value)) return short;
  }
  return value;
}

/** The text of so many digits where a number lies in the middle of two, and the lower one of them is even. */
function evenOfTwo(value: number, digits: number): string | undefined {
  const [mantissa = '', power = ''] = value.toExponential(100).split('e');
  const length = mantissa.indexOf('.') + digits;
  const isBetween = /^50*$/.test(mantissa.slice(length).replace('.', ''));
  const kept = mantissa.slice(0, length);
  return isBetween && /[02468]\.?$/.test(kept) ? `${kept}e${power}` : undefined;
}

test('a score is printed with the fewest digits that read back the same', () => {
  const score = fc.oneof(
    fc.float({ noNaN: true, noDefaultInfinity: true }),
    fc.float({ min: Math.fround(0.0005), max: 20_000, noNaN: true }),
    fc.float({ min: 1, max: 12, noNaN: true }),
    fc.constantFrom(1, 10, 100, 1000, 10_000, 9.999_999, 99.999_99, 0.1, 0.01, 0.001, 1.5, -2.25).map(Math.fround),
  );
  fc.assert(
    fc.property(score, (value) => {
      assert.equal(shortFloat(value), bySpelling(value));
    }),
    { numRuns: 20_000 },
  );
});

test('what is no number is printed as null', () => {
  for (const value of [Number.NaN, Infinity, -Infinity]) assert.equal(shortFloat(value), null);
});

test('fields shows null_value for nulls alone, texts as texts, and a geohash as its corner', async () => {
  const ask = await startRest();
  const properties = {
    k: { type: 'keyword', null_value: 'NONE' },
    n: { type: 'long', null_value: 7, fields: { s: { type: 'keyword', null_value: 'x' } } },
    o: { properties: { k: { type: 'keyword', null_value: 'NONE' } } },
    t: { type: 'text' },
    g: { type: 'geo_point' },
  };
  await ask('PUT /t', { mappings: { properties } });
  for (const [document, fields] of [
    [{}, undefined],
    [
      { k: null, n: null },
      { k: ['NONE'], n: [7], 'n.s': ['x'] },
    ],
    [
      { k: [null, 'x'], o: [{ k: null }, { k: 'y' }, {}] },
      { k: ['NONE', 'x'], 'o.k': ['NONE', 'y'] },
    ],
    [{ t: [true, 1.5] }, { t: ['true', '1.5'] }],
    [{ g: 'drm3btev3e86' }, { g: [{ type: 'Point', coordinates: [-71.34000029414892, 41.119999922811985] }] }],
  ] as const) {
    await ask('PUT /t/_doc/1?refresh=true', document);
    const { json } = await ask('POST /t/_search', { fields: ['*'] });
    assert.deepEqual(json.hits.hits[0].fields, fields, JSON.stringify(document));
  }
});

test('a geohash as the corner of a box is the corner of its cell', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { g: { type: 'geo_point' } } } });
  for (const [id, g] of ['44,-71', '42,-72', '39,-71', '41,-68', '46,-71', '42,-79'].entries())
    await ask(`PUT /t/_doc/${id + 1}?refresh=true`, { g });
  for (const box of [
    { top_left: 'dr', bottom_right: 'dr' },
    { top_right: 'dr', bottom_left: 'dr' },
    { top_left: 'dr', bottom_right: { lat: 40, lon: -68 } },
  ]) {
    const found = await ask('POST /t/_search', { query: { geo_bounding_box: { g: box } }, sort: '_id' });
    assert.deepEqual(ids(found), ['1', '2', '4']);
  }
});
