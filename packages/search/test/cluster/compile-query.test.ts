// Queries for a search cluster: what is refused, what is found of fields that a view withholds, and which numbers a score is made of. What
// clusters answer to them is compared in test/engines/cluster.peer.ts.
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { clusterIndex } from '../../src/cluster/cluster-index.ts';
import { ClusterSearcher } from '../../src/cluster/cluster-search.ts';
import { type ClusterPlace, compileQuery, compileRows } from '../../src/cluster/compile-query.ts';
import { QUERY_VERDICTS } from '../../src/cluster/query-verdicts.ts';
import type { Json } from '../../src/json/json.ts';
import { createMapper } from '../../src/mapping/create-mapper.ts';
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
const slot = (position: number, ...terms: readonly string[]): { position: number; terms: readonly string[] } => ({
  position,
  terms,
});

/** Queries of each kind: those that are sent, and those that are not, with the place where they are refused. */
const SAMPLES: {
  readonly [Kind in Query['kind']]: {
    readonly sent?: readonly Query[];
    readonly filters?: readonly Query[];
    readonly refused?: readonly Query[];
  };
} = {
  blended: {
    sent: [
      {
        kind: 'blended',
        words: [
          { field: 'text', term: 'red' },
          { field: 'tag', term: 'red' },
        ],
      },
    ],
  },
  boolean: { sent: [{ kind: 'boolean', must: [red], should: [red], mustNot: [red] }] },
  boosting: { sent: [{ kind: 'boosting', positive: red, negative: red, negativeBoost: 0.5 }] },
  constant_score: { sent: [{ kind: 'constant_score', query: red }] },
  covering: { refused: [{ kind: 'covering', queries: [red], field: 'n' }] },
  dis_max: { sent: [{ kind: 'dis_max', queries: [red, red], tieBreaker: 0.5 }] },
  distance_feature: {
    sent: [{ kind: 'distance_feature', field: 'at', origin: 0, pivot: 1000 }],
    refused: [{ kind: 'distance_feature', field: 'at', origin: 0, originNanos: 1, pivot: 1000 }],
  },
  exists: { sent: [{ kind: 'exists', field: 'text' }] },
  function_score: {
    sent: [
      { kind: 'function_score', query: red, functions: [{ weight: 2, filter: red }] },
      {
        kind: 'function_score',
        query: red,
        functions: [{ function: { kind: 'decay', shape: 'gauss', field: 'n', origin: 1, scale: 2 } }],
      },
    ],
    refused: [
      { kind: 'function_score', query: red, functions: [{ function: { kind: 'random', seed: 1 } }] },
      { kind: 'function_score', query: red, functions: [{ function: { kind: 'field_value_factor', field: 'n' } }] },
      { kind: 'function_score', query: red, functions: [{ weight: 2 }], minScore: 1 },
    ],
  },
  fuzzy: {
    sent: [{ kind: 'fuzzy', field: 'text', term: 'red', maxEdits: 1, rewrite: 'constant_score' }],
    refused: [{ kind: 'fuzzy', field: 'text', term: 'red', maxEdits: 1 }],
  },
  geo_box: { sent: [{ kind: 'geo_box', field: 'place', top: 1, left: 0, bottom: 0, right: 1 }] },
  geo_distance: { sent: [{ kind: 'geo_distance', field: 'place', lat: 1, lon: 1, metres: 5 }] },
  geo_polygon: {
    sent: [{ kind: 'geo_polygon', field: 'place', points: [0, 1, 2].map((at) => ({ lat: at, lon: at * at })) }],
  },
  ids: { sent: [{ kind: 'ids', ids: ['1'] }] },
  intervals: {
    refused: [{ kind: 'intervals', field: 'text', source: { kind: 'terms', field: 'text', terms: ['red'] } }],
  },
  match_all: { sent: [{ kind: 'match_all' }] },
  match_none: { sent: [{ kind: 'match_none' }] },
  more_like_this: {
    refused: [
      {
        kind: 'more_like_this',
        fields: ['text'],
        like: ['red'],
        texts: [],
        documents: [],
        maxQueryTerms: 1,
        minTermFreq: 1,
        minDocFreq: 1,
        maxDocFreq: 9,
        minimumShouldMatch: '1',
        boostTerms: 0,
      },
    ],
  },
  nested: { refused: [{ kind: 'nested', path: 'parts', query: red }] },
  number_range: { sent: [{ kind: 'number_range', field: 'n', from: 1 }] },
  numbers: {
    sent: [
      { kind: 'numbers', field: 'n', values: [1] },
      { kind: 'numbers', field: 'ok', values: [1], isBoolean: true },
    ],
  },
  part: { refused: [{ kind: 'part', shards: 1, slots: 1 }] },
  phrase: {
    sent: [
      { kind: 'phrase', field: 'text', terms: [slot(0, 'red'), slot(1, 'fox')], slop: 1 },
      { kind: 'phrase', field: 'text', terms: [slot(0, 'red', 'brown'), slot(2, 'fox')] },
    ],
    filters: [{ kind: 'phrase', field: 'text', terms: [slot(0, 'red', 'brown'), slot(1, 'fox')], slop: 1 }],
    refused: [
      { kind: 'phrase', field: 'text', terms: [slot(0, 'red')], prefix: { position: 1, texts: ['f'] } },
      { kind: 'phrase', field: 'text', terms: [], prefix: { position: 0, texts: ['f'] } },
    ],
  },
  prefix: {
    sent: [{ kind: 'prefix', field: 'tag', prefix: 'r' }],
    refused: [{ kind: 'prefix', field: 'tag', prefix: 'r', rewrite: 'scoring_boolean' }],
  },
  ranges: {
    sent: [{ kind: 'ranges', field: 'range', bounds: { kind: 'numbers', from: 1, to: 2 }, relation: 'within' }],
  },
  rank_feature: {
    sent: [{ kind: 'rank_feature', field: 'rank', inverse: false, shape: { kind: 'saturation', pivot: 2 } }],
    refused: [{ kind: 'rank_feature', field: 'rank', inverse: false, shape: { kind: 'saturation' } }],
  },
  regexp: {
    sent: [{ kind: 'regexp', field: 'tag', pattern: 'r.*' }],
    refused: [{ kind: 'regexp', field: 'tag', pattern: 'r.*', rewrite: { topTerms: 5 } }],
  },
  span: {
    refused: [{ kind: 'span', field: 'text', norms: true, source: { kind: 'term', field: 'text', term: 'red' } }],
  },
  synonym: { sent: [{ kind: 'synonym', field: 'text', terms: ['red', 'fox'] }] },
  term: { sent: [red, { kind: 'term', field: 'tag', term: 'red' }] },
  term_range: { sent: [{ kind: 'term_range', field: 'tag', from: 'a' }] },
  terms: { sent: [{ kind: 'terms', field: 'tag', terms: ['a', 'b'] }] },
  wildcard: {
    sent: [{ kind: 'wildcard', field: 'tag', pattern: 'r*' }],
    refused: [{ kind: 'wildcard', field: 'tag', pattern: 'r*', rewrite: 'scoring_boolean' }],
  },
};

const REFUSAL = { code: 'SEARCH_NOT_ON_CLUSTER' };

test('every kind of query is sent or refused as its verdict says', () => {
  for (const [kind, { filters = [], refused = [], sent = [] }] of Object.entries(SAMPLES)) {
    const verdict = QUERY_VERDICTS[kind as Query['kind']];
    for (const query of sent) compile(query);
    for (const query of [...sent, ...filters]) filter(query);
    for (const query of [...refused, ...filters]) throws(() => compile(query), REFUSAL, JSON.stringify(query));
    for (const query of refused) throws(() => filter(query), REFUSAL, JSON.stringify(query));
    equal(verdict.score.kind === 'refused', sent.length === 0, kind);
    equal(verdict.score.kind === 'limited', sent.length > 0 && refused.length > 0, kind);
  }
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
  deepEqual(compileRows(under({ rows, hidden: ['owner'] })), { terms: { owner: ['ann'], boost: 1 } });
});

test('dates are asked by their milliseconds, whatever their format', () => {
  deepEqual(compile({ kind: 'number_range', field: 'at', from: 5 }), {
    range: { at: { gte: 5, format: 'epoch_millis', boost: 1 } },
  });
});

test('numbers of scores are counted once, where the view shows the field, and go along with the request', async () => {
  const asked: Json[] = [];
  const answer = {
    hits: { total: { value: 1 }, hits: [{ _id: '1', _score: 1.5 }] },
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
  deepEqual(await searcher.search(red, options), { total: 1, hits: [{ id: '1', score: 1.5 }] });
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
