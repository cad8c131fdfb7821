// Queries for a search cluster: what is refused, what is found of fields that a view withholds, and which numbers a score is made of. What
// clusters answer to them is compared in test/engines/cluster.peer.ts.
import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { clusterIndex } from '../../src/cluster/cluster-index.ts';
import { ClusterSearcher } from '../../src/cluster/cluster-search.ts';
import { type ClusterPlace, compileQuery, compileRows, filtersOf } from '../../src/cluster/compile-query.ts';
import type { Json } from '../../src/json/json.ts';
import { createMapper } from '../../src/mapping/create-mapper.ts';
import type { OnCluster } from '../../src/query/cluster/on-cluster.ts';
import { KINDS } from '../../src/query/kinds.ts';
import type { Query } from '../../src/query/query.ts';
import type { IndexView } from '../../src/view/index-view.ts';

const MAPPINGS = {
  properties: {
    text: { type: 'text', fields: { plain: { type: 'text' } } },
    tag: { type: 'keyword' },
    n: { type: 'long' },
    at: { type: 'date', format: 'yyyy-MM-dd' },
    ok: { type: 'boolean' },
    ip: { type: 'ip' },
    place: { type: 'geo_point' },
    range: { type: 'integer_range' },
    longs: { type: 'long_range' },
    rank: { type: 'rank_feature' },
    flat: { type: 'flattened' },
    owner: { type: 'keyword' },
  },
};
const mapping = createMapper({ mappings: MAPPINGS });
const similarity = { k1: 1.2, b: 0.75, scaleByK1: true };
const under = (view: IndexView): ClusterPlace => ({ fields: mapping, mode: 'exact', similarity, view });
const STATISTICS = {
  field: () => ({ docCount: 10, sumTotalTermFreq: 50 }),
  docFreq: () => 2,
  documents: () => 10,
};
const compile = (query: Query, view: IndexView = {}): Json => compileQuery(query, under(view), STATISTICS);
const filter = (query: Query, view: IndexView = {}): unknown =>
  (compile({ kind: 'boolean', filter: [query] }, view)['bool'] as Json)['filter'];

const red: Query = { kind: 'term', field: 'text', term: 'red' };
const REFUSAL = { code: 'SEARCH_NOT_ON_CLUSTER' };

test('every kind of query is sent or refused as its verdict says', () => {
  for (const [kind, { cluster }] of Object.entries(KINDS)) {
    const { samples, score } = cluster;
    const { filters = [], refused = [], sent = [] }: OnCluster<Query>['samples'] = samples;
    ok(sent.length + refused.length > 0, kind);
    for (const query of sent) compile(query);
    for (const query of [...sent, ...filters]) filter(query);
    for (const query of [...refused, ...filters]) throws(() => compile(query), REFUSAL, JSON.stringify(query));
    for (const query of refused) throws(() => filter(query), REFUSAL, JSON.stringify(query));
    equal(score.kind === 'refused', sent.length === 0, kind);
    equal(score.kind === 'limited', sent.length > 0 && refused.length > 0, kind);
  }
});

/** What a cluster may score by its own statistics, as it may run it as a term. */
const CONSTANT = ['terms', 'range', 'exists', 'prefix', 'wildcard', 'regexp', 'fuzzy', 'geo_distance', 'geo_polygon'];

function unboundScores(json: unknown): readonly string[] {
  if (Array.isArray(json)) return json.flatMap(unboundScores);
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([name, value]) => {
    if (name === 'filter' || name === 'must_not' || name === 'params') return [];
    return CONSTANT.includes(name) ? [name] : unboundScores(value);
  });
}

test('what scores alike in all documents is told so, and never left to the statistics of a cluster', () => {
  for (const { cluster } of Object.values(KINDS))
    for (const query of (cluster.samples as OnCluster<Query>['samples']).sent ?? [])
      deepEqual(unboundScores(compile(query)), [], JSON.stringify(query));
  for (const json of [{ terms: { ok: [true] } }, { bool: { should: [{ exists: { field: 'tag' } }] } }])
    equal(unboundScores(json).length, 1);
});

test('a field that engines keep in different ways is refused by name', () => {
  throws(() => compile({ kind: 'term', field: 'flat', term: 'a' }), /the field \[flat\] of the type \[flattened\]/);
});

test('a hidden field is none, and one that is withheld from some documents is found in the others', () => {
  const open: Query = { kind: 'term', field: 'owner', term: 'ann' };
  const view: IndexView = { hidden: ['owner'], guarded: [{ path: 'text', when: open }] };
  deepEqual(compile({ kind: 'exists', field: 'owner' }, view), { match_none: {} });
  const when = { term: { owner: { value: 'ann', boost: 1 } } };
  const leaf = { term: { text: { value: 'red', boost: 1 } } };
  deepEqual(filter(red, view), [{ bool: { filter: [leaf, when] } }]);
  const scored = compile(red, view)['bool'] as Json;
  deepEqual(scored['filter'], [when]);
  // A function would compute with values of documents that withhold them.
  const decay = { kind: 'decay', shape: 'exp', field: 'n', origin: 1, scale: 1 } as const;
  const query: Query = { kind: 'function_score', query: red, functions: [{ function: decay }] };
  throws(() => compile(query, { guarded: [{ path: 'n', when: open }] }), REFUSAL);
});

test('the rows of a view may ask for fields that it hides', () => {
  const rows: Query = { kind: 'terms', field: 'owner', terms: ['ann'] };
  deepEqual(compileRows(under({ rows, hidden: ['owner'] })), { terms: { owner: ['ann'] } });
});

test('dates are asked by their milliseconds, whatever their format', () => {
  deepEqual(compile({ kind: 'number_range', field: 'at', from: 5 }), {
    constant_score: { filter: { range: { at: { gte: 5, format: 'epoch_millis' } } }, boost: 1 },
  });
});

test('numbers of scores are counted once, where the view shows the field, and go along with the request', async () => {
  const asked: Json[] = [];
  const answer = {
    hits: { total: { value: 1 }, hits: [{ _id: '1', _score: 1.5, sort: [1.5, '1'] }] },
    aggregations: { 'field 0': { doc_count: 4, words: { value: 20 } }, 'term 0': { doc_count: 2 } },
  };
  const rows: Query = { kind: 'term', field: 'owner', term: 'ann' };
  const guarded = [{ path: 'text', when: { kind: 'term', field: 'tag', term: 'open' } as const }];
  const ask = (body: Json): Promise<Json> => {
    asked.push(body);
    return Promise.resolve(answer);
  };
  const searcher = new ClusterSearcher(ask, under({ rows, guarded }));
  const options = { size: 1, trackTotalHits: true };
  deepEqual(await searcher.search(red, options), {
    total: { value: 1, relation: 'eq' },
    hits: [{ id: '1', score: 1.5 }],
  });
  await searcher.search(red, options);
  equal(asked.length, 3);
  const owned = { term: { owner: { value: 'ann', boost: 1 } } };
  const open = { term: { tag: { value: 'open', boost: 1 } } };
  const length = { range: { 'text._length': { gte: 1 } } };
  const word = { term: { text: { value: 'red', boost: 1 } } };
  deepEqual(asked[0], {
    size: 0,
    track_total_hits: false,
    query: { bool: { filter: [owned] } },
    aggs: {
      'field 0': {
        filter: { bool: { filter: [length, open] } },
        aggs: { words: { sum: { field: 'text._length' } } },
      },
      'term 0': { filter: { bool: { filter: [word, open] } } },
    },
  });
  const { must } = (asked[1]!['query'] as { readonly bool: { readonly must: readonly Json[] } }).bool;
  const leaf = (must[0]!['bool'] as { readonly must: readonly Json[] }).must[0]!['script_score'] as Json;
  const { params } = leaf['script'] as Json;
  // 2.2 times the idf of 2 of 4 documents, and 20 words in 4 of them.
  const weight = Math.fround(Math.fround(2.2) * Math.fround(Math.log(1 + 2.5 / 2.5)));
  deepEqual(params, { length: 'text._length', k1: 1.2, b: 0.75, weight, average: 5, terms: 1 });
  deepEqual(asked[2], asked[1]);
});

test('an index on a cluster holds the length of every text, and no similarity that reads statistics', () => {
  const { mappings, settings } = clusterIndex({ mappings: MAPPINGS }, 'fast', { shards: 2, replicas: 1 });
  const length = { type: 'token_count', analyzer: 'standard', enable_position_increments: false };
  deepEqual((mappings as { readonly properties: Json }).properties['text'], {
    type: 'text',
    similarity: 'lockstitch',
    fields: { plain: { type: 'text', similarity: 'lockstitch' }, plain_length: length, _length: length },
  });
  const { similarity: own } = settings as { readonly similarity: { readonly lockstitch: Json } };
  const { source } = own.lockstitch['script'] as { readonly source: string };
  equal(/\b(?:term|field)\./.test(source), false);
});

test('every kind of query is guarded by the field that an alias stands for', () => {
  const properties = Object.keys(MAPPINGS.properties);
  const aliases = Object.fromEntries(properties.map((path) => [`${path}_alias`, { type: 'alias', path }]));
  const fields = createMapper({ mappings: { properties: { ...MAPPINGS.properties, ...aliases } } });
  const when: Query = { kind: 'term', field: 'owner', term: 'ann' };
  const filterOf = (query: Query, view: IndexView): string =>
    JSON.stringify(filtersOf({ ...under(view), fields }).filter(query));
  for (const [kind, { cluster }] of Object.entries(KINDS)) {
    const { filters = [], sent = [] }: OnCluster<Query>['samples'] = cluster.samples;
    for (const query of [...sent, ...filters].filter((each) => 'field' in each)) {
      const path = String((query as Query & { readonly field: unknown }).field);
      const renamed = { ...query, field: `${path}_alias` } as Query;
      equal(filterOf(renamed, { hidden: [path] }), '{"match_none":{}}', kind);
      equal(filterOf(query, { hidden: [path] }), '{"match_none":{}}', kind);
      for (const each of [query, renamed])
        ok(filterOf(each, { guarded: [{ path, when }] }).includes('"owner":{"value":"ann"'), kind);
    }
  }
});

test('a hit is named by its key and not by an id that may be a hash; ids are keys too', async () => {
  const ask = (hits: Json): ClusterSearcher => new ClusterSearcher(() => Promise.resolve({ hits }), under({}));
  const hits = [{ _id: '\u0001sha256:12', _score: 1, sort: [1, 'long key'] }];
  const all: Query = { kind: 'match_all' };
  const search = (trackTotalHits: boolean | number, more: Json): Promise<unknown> =>
    ask({ ...more, hits }).search(all, { size: 1, trackTotalHits });
  const found = [{ id: 'long key', score: 1 }];
  deepEqual(await search(false, {}), { hits: found });
  const total = { value: 100, relation: 'gte' };
  deepEqual(await search(100, { total }), { total, hits: found });
  deepEqual(filter({ kind: 'ids', ids: ['long key'] }), [{ terms: { _key: ['long key'] } }]);
});

test('boosts whose product is no number of 32 bits are refused', () => {
  const query: Query = { kind: 'boolean', boost: 3e38, must: [{ kind: 'match_all', boost: 1e10 }] };
  throws(() => compile(query), {
    ...REFUSAL,
    message: /^A product of boosts of .* cannot be asked of a search cluster/,
  });
});

test('a length is counted by the default analyzer of the index', () => {
  const settings = { analysis: { analyzer: { default: { type: 'english' } } } };
  const json = JSON.stringify(clusterIndex({ settings, mappings: MAPPINGS }, 'exact', { shards: 1, replicas: 0 }));
  ok(json.includes('"type":"token_count","analyzer":"default"'));
  equal(json.includes('"analyzer":"standard"'), false);
});
