// Which parts of a source patterns keep, empty lists and objects among them, as Elasticsearch 7.10.2 answers.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { filterSource, readSourceFilter } from '../../src/fetch/source-filter.ts';
import { startRest } from '../rest/harness.ts';

const SOURCE = {
  a: [],
  b: [{}],
  c: {},
  d: [[], [1]],
  e: { x: [], y: 1, z: {} },
  f: [{ x: 1 }, { y: 2 }, 3, []],
  g: null,
  h: [null],
};
const { a, b, c, d, e, f, g, h } = SOURCE;

const CASES: readonly (readonly [string, unknown, object])[] = [
  ['a list without elements is kept by its own name', 'a', { a }],
  ['and not by what would be inside', 'a.*', {}],
  ['nor is one of empty objects', 'b.*', {}],
  ['an empty list inside is a member of its own', '*.x', { e: { x: [] }, f: [{ x: 1 }] }],
  ['all members', 'e.*', { e }],
  ['of a list what has the member', ['f.y', 'e.x.q'], { f: [{ y: 2 }] }],
  ['what is named is kept whole', 'f', { f }],
  [
    'lists that are left empty go where a member is left out',
    { excludes: ['f.x'] },
    { a, b, c, d, e, f: [f[1], 3], g, h },
  ],
  ['and an object that is left empty stays', { excludes: ['e.*'] }, { a, b, c, d, e: {}, f, g, h }],
  [
    'empty objects of a list go where something in them could be left out',
    { excludes: ['b.k'] },
    { a, b: [], c, d, e, f, g, h },
  ],
  ['left out wins', { includes: ['f.x'], excludes: ['f.x'] }, {}],
  ['within what is named', { includes: ['f', 'a'], excludes: ['*.x'] }, { a: [], f: [{ y: 2 }, 3] }],
];

for (const [name, filter, expected] of CASES) {
  test(`_source: ${name}`, () => deepEqual(filterSource(SOURCE, readSourceFilter(filter)), expected));
}

test('stored_fields asks for the source by its name, and refuses objects', async () => {
  const ask = await startRest();
  await ask('PUT /t/_doc/1?refresh=true', { a: 1, b: { c: 2 } });
  const sourceOf = async (body: object): Promise<unknown> =>
    (await ask('POST /t/_search', body)).json.hits.hits[0]._source;
  deepEqual(await sourceOf({ _source: false, stored_fields: ['a', '_source'] }), { a: 1, b: { c: 2 } });
  deepEqual(await sourceOf({ _source: ['a'], stored_fields: '_source' }), { a: 1 });
  equal(await sourceOf({ stored_fields: ['b.*'] }), undefined);
  const refused = await ask('POST /t/_search', { stored_fields: ['b'] });
  equal(refused.json.error.root_cause[0].reason, "field [b] isn't a leaf field");
});
