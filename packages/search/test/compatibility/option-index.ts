// The index that options are tried on: documents that differ in every field.
import { equal } from 'node:assert/strict';
import { type Ask, load, startRest } from '../rest/harness.ts';

const MAPPING = {
  properties: {
    t: { type: 'text', fields: { stem: { type: 'text', analyzer: 'english' } } },
    u: { type: 'text' },
    str: { type: 'keyword' },
    st: { type: 'keyword', store: true },
    n: { type: 'integer' },
    need: { type: 'integer' },
    big: { type: 'integer' },
    gaps: { type: 'integer' },
    f: { type: 'float' },
    b: { type: 'boolean' },
    d: { type: 'date' },
    d2: { type: 'date' },
    ip: { type: 'ip' },
    ip2: { type: 'ip' },
    g: { type: 'geo_point' },
    g2: { type: 'geo_point' },
    r: { type: 'rank_feature' },
    comp: { type: 'completion' },
    comp2: { type: 'completion' },
    comp3: { type: 'completion', contexts: [{ name: 'kind', type: 'category' }] },
    many: { type: 'integer' },
    span: { type: 'integer_range' },
    far: { type: 'geo_point' },
    r2: { type: 'integer' },
    long: {
      type: 'text',
      term_vector: 'with_positions_offsets',
      fields: { stem: { type: 'text', analyzer: 'english', term_vector: 'with_positions_offsets' } },
    },
    items: { type: 'nested', properties: { n: { type: 'integer' }, t: { type: 'text' }, c: { type: 'keyword' } } },
  },
};

const SETTINGS = {
  analysis: {
    filter: {
      pairs: { type: 'shingle', output_unigrams: false },
      same: { type: 'synonym_graph', synonyms: ['wolf, brown fox'] },
    },
    analyzer: {
      pairs: { tokenizer: 'standard', filter: ['pairs'] },
      same: { tokenizer: 'standard', filter: ['same'] },
    },
  },
};

const TEXTS = [
  'quick brown fox',
  'the quick dog saw a fox',
  'lazy dog and foxes',
  'fix it',
  'fox fox dog quick',
  'brown bear',
  'quick boots',
  'wolf',
  'foxglove',
  'fox brown quick',
];

/** Several sentences, of several lengths, with marks that HTML escapes. */
const LONG =
  'A fox runs & a dog sleeps. The quick fox jumps over it, quick as a fox is, and is seen no more by anybody at all. Foxes are many. The end of a quick story.';

const DOCUMENTS = TEXTS.map((text, at) => {
  const n = at + 1;
  const day = `2020-01-${String(n).padStart(2, '0')}`;
  return {
    t: text,
    u: TEXTS[(at + 4) % TEXTS.length],
    n,
    big: 1400 + 13 * n,
    f: n / 3,
    b: n % 2 === 0,
    d: `${day}T0${n % 10}:00:00Z`,
    ip: `10.0.0.${n}`,
    g: { lat: n, lon: 3 * n - 20 },
    r: n,
    st: `s${n}`,
    comp: { input: [`${text.split(' ')[0]}${n}`, `zz${n}`], weight: n },
    gaps: n < 5 ? n : 40 + n,
    r2: 1,
    span: { gte: n, lte: n + 2 },
    far: { lat: n, lon: n % 2 === 0 ? 170 : -170 },
    many: n === 3 ? undefined : [n, 20 - 2 * n],
    comp2: ['fox', 'foxes'],
    comp3: { input: 'fox', contexts: { kind: n % 2 === 0 ? 'fast' : 'slow' } },
    long: LONG,
    ...(n % 4 === 0 ? {} : { str: [`a${n % 4}`, `b${n % 3}`] }),
    ...(n < 4 ? { need: n, d2: day, ip2: `10.0.0.${n}`, g2: `${n},${n}` } : {}),
    items: [
      { n, t: text, c: `c${n % 2}` },
      { n: n + 3, t: TEXTS[(at + 2) % TEXTS.length], c: `c${(n + 1) % 2}` },
    ],
  };
});

/** Starts an engine with the index `o`. */
export async function startOptionIndex(): Promise<Ask> {
  const ask = await startRest();
  const made = await ask('PUT /o', { settings: SETTINGS, mappings: MAPPING });
  equal(made.status, 200, made.text);
  await load(ask, 'o', DOCUMENTS);
  return ask;
}
