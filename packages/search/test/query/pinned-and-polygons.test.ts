import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ids, load, startRest } from '../rest/harness.ts';

test('pinned documents come first, in the order of their ids, and the others after them by score', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ t: 'fox' }, { t: 'fox fox' }, { t: 'dog' }, { t: 'owl' }]);
  const pinned = async (list: readonly string[]): Promise<string[]> =>
    ids(await ask('POST /t/_search', { query: { pinned: { ids: list, organic: { match: { t: 'fox' } } } } }));
  deepEqual(await pinned(['4', '1', '9']), ['4', '1', '2']);
  deepEqual(await pinned(['3', '4']), ['3', '4', '2', '1']);
  deepEqual(await pinned([]), ['2', '1']);
  const many = { query: { pinned: { ids: Array.from({ length: 101 }, String), organic: { match_all: {} } } } };
  match((await ask('POST /t/_search', many)).text, /Max of 100 ids exceeded: 101 provided/);
  match((await ask('POST /t/_search', { query: { pinned: { ids: ['1'] } } })).text, /organicQuery cannot be null/);
});

test('a polygon holds the points inside of it and on its edges', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { at: { type: 'geo_point' } } } });
  await load(ask, 't', [{ at: '1,1' }, { at: '0,1' }, { at: '3,1' }, { at: ['9,9', '2,0.5'] }, { at: '1.5,3' }, {}]);
  const found = async (points: readonly string[], more: object = {}): Promise<string[]> =>
    ids(await ask('POST /t/_search', { query: { geo_polygon: { at: { points }, ...more } } })).sort();
  deepEqual(await found(['0,0', '2,0', '2,2', '0,2']), ['1', '2', '4']);
  deepEqual(await found(['0,0', '2,0', '2,2', '0,2', '0,0']), ['1', '2', '4']);
  // An arrow: the notch is outside.
  deepEqual(await found(['0,0', '3,0', '1,1.5', '3,4', '0,4']), ['1', '2', '4', '5']);
  const few = await ask('POST /t/_search', { query: { geo_polygon: { at: { points: ['0,0', '1,1', '0,0'] } } } });
  equal(few.status, 400);
  match(few.text, /too few points defined for geo_polygon query/);
});

test('a convex polygon is the intersection of its half-planes', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { at: { type: 'geo_point' } } } });
  // Points that are kept as they are: other numbers are rounded.
  const step = 90 / 128;
  const points = Array.from({ length: 121 }, (_, at) => ({ lat: step * Math.floor(at / 11), lon: step * (at % 11) }));
  await load(
    ask,
    't',
    points.map((at) => ({ at })),
  );
  const degrees = fc.nat(10).map((steps) => step * steps);
  const corner = fc.record({ lat: degrees, lon: degrees });
  await fc.assert(
    fc.asyncProperty(corner, corner, corner, async (a, b, c) => {
      const side = (p: typeof a, q: typeof a, r: typeof a): number =>
        Math.sign((q.lon - p.lon) * (r.lat - p.lat) - (q.lat - p.lat) * (r.lon - p.lon));
      fc.pre(side(a, b, c) !== 0);
      const query = { geo_polygon: { at: { points: [a, b, c] } } };
      const found = ids(await ask('POST /t/_search', { query, size: 200 })).map(Number);
      const wanted = points.flatMap((point, at) => {
        const sides = [side(a, b, point), side(b, c, point), side(c, a, point)];
        return sides.includes(1) && sides.includes(-1) ? [] : [at + 1];
      });
      deepEqual(
        found.sort((x, y) => x - y),
        wanted,
      );
    }),
    { numRuns: 60 },
  );
});
