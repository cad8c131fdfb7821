// The kinds of request that bench/promise/view-timing.ts compares, at both doors. Each request has newly drawn words.
import type { Words } from './timing-data.ts';

/** One request to the search API. */
export interface Kind {
  /** `n` has nested documents; `t` by default. */
  readonly index?: 'n';
  readonly path?: string;
  readonly body: (words: Words) => unknown;
}

const query = (make: (words: Words) => object, more: object = {}): Kind => ({
  body: (words) => ({ query: make(words), ...more }),
});
const filter = (make: (words: Words) => object): Kind => ({
  body: (words) => ({ query: { bool: { filter: make(words) } } }),
});
/** Over what a word finds and all that is visible, in turns. */
const aggs = (make: (words: Words) => object): Kind => ({
  body: (words) => ({
    size: 0,
    query: { match: { title: `${words.word} ${words.second}` } },
    aggs: { a: make(words) },
  }),
});
const allAggs = (make: (words: Words) => object): Kind => ({
  body: (words) => ({ size: 0, query: { range: { number: { gte: words.number >> 4 } } }, aggs: { a: make(words) } }),
});
const suggest = (make: (words: Words) => object): Kind => ({
  body: (words) => ({ size: 0, suggest: { s: make(words) } }),
});
const misspelt = (word: string): string => `${word.slice(0, -1)}é`;

/** At the door of search. */
export const SEARCH_KINDS: Readonly<Record<string, Kind>> = {
  'match, a word': query(({ word }) => ({ match: { text: word } })),
  'match, a new word': query(({ absent }) => ({ match: { text: absent } })),
  'match, two words': query(({ word, second }) => ({ match: { text: `${word} ${second}` } })),
  'match, all of two words': query(({ word, second }) => ({
    match: { text: { query: `${word} ${second}`, operator: 'and' } },
  })),
  'match, fuzzy': query(({ word }) => ({ match: { text: { query: misspelt(word), fuzziness: 'AUTO' } } })),
  match_phrase: query(({ word, second }) => ({ match_phrase: { text: `${word} ${second}` } })),
  'match_phrase, slop': query(({ word, second }) => ({
    match_phrase: { text: { query: `${word} ${second}`, slop: 4 } },
  })),
  match_phrase_prefix: query(({ word, second }) => ({
    match_phrase_prefix: { text: `${word} ${second.slice(0, 2)}` },
  })),
  match_bool_prefix: query(({ word, second }) => ({ match_bool_prefix: { text: `${word} ${second.slice(0, 2)}` } })),
  multi_match: query(({ word }) => ({ multi_match: { query: word, fields: ['text', 'title'] } })),
  'multi_match, cross_fields': query(({ word, second }) => ({
    multi_match: { query: `${word} ${second}`, fields: ['text', 'title'], type: 'cross_fields' },
  })),
  'query_string, words': query(({ word, second }) => ({ query_string: { query: `text:${word} OR title:${second}` } })),
  'query_string, a prefix': query(({ word }) => ({
    query_string: { query: `${word.slice(0, 2)}*`, default_field: 'text' },
  })),
  'query_string, a wildcard': query(({ word }) => ({ query_string: { query: `${word.slice(0, 2)}*${word.at(-1)}` } })),
  simple_query_string: query(({ word, second }) => ({
    simple_query_string: { query: `+${word} ${second.slice(0, 3)}*`, fields: ['text'] },
  })),
  'term, keyword': query(({ tag }) => ({ term: { tag } })),
  'term, a hidden code': query(({ absent }) => ({ term: { code: absent } })),
  terms: query(({ word, second, tag }) => ({ terms: { code: [word, second, tag] } })),
  prefix: query(({ word }) => ({ prefix: { text: word.slice(0, 2) } })),
  'prefix, keyword': query(({ word }) => ({ prefix: { code: word.slice(0, 2) } })),
  'prefix, top terms': query(({ word }) => ({
    prefix: { text: { value: word.slice(0, 2), rewrite: 'top_terms_10' } },
  })),
  wildcard: query(({ word }) => ({ wildcard: { text: `*${word.slice(2, 4)}*` } })),
  'wildcard, keyword': query(({ word }) => ({ wildcard: { code: `*${word.slice(2, 4)}*` } })),
  regexp: query(({ word }) => ({ regexp: { text: `.*${word.slice(1, 3)}[a-f].*` } })),
  fuzzy: query(({ word }) => ({ fuzzy: { text: misspelt(word) } })),
  'fuzzy, keyword': query(({ word }) => ({ fuzzy: { code: misspelt(word) } })),
  'range of terms': query(({ word }) => ({ range: { code: { gte: word, lt: `${word.slice(0, 2)}~` } } })),
  'range of numbers': query(({ number }) => ({ range: { number: { gte: number } } })),
  'range of dates': filter(({ date }) => ({ range: { made: { lt: date } } })),
  exists: query(({ number }) => ({
    bool: { filter: [{ exists: { field: 'price' } }, { range: { number: { gte: number } } }] },
  })),
  ids: query(({ id, hiddenId }) => ({ ids: { values: [id, hiddenId] } })),
  'ids, hidden': query(({ hiddenId }) => ({ ids: { values: [hiddenId] } })),
  geo_distance: query(({ number }) => ({
    geo_distance: { distance: '900km', place: { lat: (number % 80) - 30, lon: number % 90 } },
  })),
  nested: {
    index: 'n',
    ...query(({ word }) => ({ nested: { path: 'parts', query: { prefix: { 'parts.kind': word.slice(0, 2) } } } })),
  },
  bool: query(({ word, second, tag }) => ({
    bool: { must: { match: { text: word } }, should: { match: { title: second } }, must_not: { term: { tag } } },
  })),
  dis_max: query(({ word, second }) => ({
    dis_max: { queries: [{ match: { text: word } }, { match: { title: second } }] },
  })),
  function_score: query(({ word, number }) => ({
    function_score: { query: { match: { text: word } }, gauss: { number: { origin: number, scale: 1000 } } },
  })),
  more_like_this: query(({ id }) => ({
    more_like_this: { fields: ['text'], like: [{ _id: id }], min_term_freq: 1, min_doc_freq: 1 },
  })),
  span_near: query(({ word, second }) => ({
    span_near: { clauses: [{ span_term: { text: word } }, { span_term: { text: second } }], slop: 9, in_order: false },
  })),
  intervals: query(({ word, second }) => ({
    intervals: {
      text: { any_of: { intervals: [{ match: { query: word } }, { prefix: { prefix: second.slice(0, 3) } }] } },
    },
  })),
  'match_all, sorted by a number': query(({ number }) => ({ range: { number: { gte: number >> 5 } } }), {
    sort: [{ price: 'desc' }],
  }),
  'sorted by a keyword': query(({ word }) => ({ match: { text: word } }), { sort: [{ code: 'asc' }] }),
  'sorted by id': query(({ word }) => ({ match: { text: word } }), { sort: [{ _id: 'desc' }] }),
  collapse: query(({ word }) => ({ match: { text: word } }), { collapse: { field: 'tag' } }),
  highlight: query(({ word }) => ({ match: { text: word } }), { highlight: { fields: { text: {} } } }),
  rescore: {
    body: ({ word, second }) => ({
      query: { match: { text: word } },
      rescore: { window_size: 20, query: { rescore_query: { match: { title: second } } } },
    }),
  },
  'count of a word': { path: '_count', body: ({ word }) => ({ query: { match: { text: word } } }) },
  'count of a prefix': { path: '_count', body: ({ word }) => ({ query: { prefix: { code: word.slice(0, 2) } } }) },
  'aggregation: terms': aggs(() => ({ terms: { field: 'tag' } })),
  'aggregation: terms of many codes': allAggs(() => ({ terms: { field: 'code' } })),
  'aggregation: terms of a guarded field': allAggs(() => ({ terms: { field: 'secret' } })),
  'aggregation: terms by term': allAggs(({ word }) => ({
    terms: { field: 'code', order: { _key: 'asc' }, include: `${word.slice(0, 1)}.*` },
  })),
  'aggregation: missing': allAggs(() => ({ missing: { field: 'secret' } })),
  'aggregation: significant_terms': aggs(() => ({ significant_terms: { field: 'tag', min_doc_count: 1 } })),
  'aggregation: significant_text': aggs(() => ({ significant_text: { field: 'text', min_doc_count: 1 } })),
  'aggregation: cardinality': allAggs(() => ({ cardinality: { field: 'code' } })),
  'aggregation: histogram': allAggs(() => ({ histogram: { field: 'number', interval: 50_000 } })),
  'aggregation: date_histogram': allAggs(() => ({ date_histogram: { field: 'made', calendar_interval: 'week' } })),
  'aggregation: stats': allAggs(() => ({ extended_stats: { field: 'price' } })),
  'aggregation: percentiles': allAggs(() => ({ percentiles: { field: 'price' } })),
  'aggregation: range': allAggs(({ number }) => ({
    range: { field: 'number', ranges: [{ to: number }, { from: number }] },
  })),
  'aggregation: composite': allAggs(() => ({ composite: { sources: [{ t: { terms: { field: 'tag' } } }] } })),
  'aggregation: filters': allAggs(({ word, second }) => ({
    filters: { filters: { a: { match: { text: word } }, b: { prefix: { code: second.slice(0, 2) } } } },
  })),
  'aggregation: nested': {
    index: 'n',
    ...allAggs(() => ({ nested: { path: 'parts' }, aggs: { k: { terms: { field: 'parts.kind' } } } })),
  },
  'aggregation: top_hits': aggs(() => ({ terms: { field: 'tag' }, aggs: { h: { top_hits: { size: 1 } } } })),
  'aggregation: global': aggs(() => ({ global: {}, aggs: { t: { terms: { field: 'tag' } } } })),
  'suggest: term': suggest(({ word }) => ({ text: misspelt(word), term: { field: 'text' } })),
  'suggest: term, always': suggest(({ word }) => ({ text: word, term: { field: 'text', suggest_mode: 'always' } })),
  'suggest: phrase': suggest(({ word, second }) => ({
    text: `${word} ${misspelt(second)}`,
    phrase: { field: 'text' },
  })),
  'suggest: completion': suggest(({ word }) => ({ prefix: word.slice(0, 2), completion: { field: 'typed' } })),
  'suggest: completion, fuzzy': suggest(({ word }) => ({
    prefix: misspelt(word.slice(0, 4)),
    completion: { field: 'typed', fuzzy: { fuzziness: 1 } },
  })),
  _termvectors: { path: '_termvectors/ID', body: () => ({ fields: ['*'], term_statistics: true }) },
  '_termvectors of a text': {
    path: '_termvectors',
    body: ({ word, second }) => ({ doc: { text: `${word} ${second}` }, term_statistics: true, field_statistics: true }),
  },
  _explain: { path: '_explain/ID', body: ({ word }) => ({ query: { match: { text: word } } }) },
  _validate: {
    path: '_validate/query?rewrite=true',
    body: ({ word }) => ({ query: { prefix: { text: word.slice(0, 2) } } }),
  },
  'a document': { path: 'GET _doc/ID', body: () => undefined },
  'a hidden document': { path: 'GET _doc/HIDDEN', body: () => undefined },
  _mget: { path: '_mget', body: ({ id, hiddenId }) => ({ ids: [id, hiddenId] }) },
  _field_caps: { path: 'GET _field_caps?fields=*', body: () => undefined },
  _stats: { path: 'GET _stats', body: () => undefined },
};

/** At the door of the graph. */
export const GRAPH_KINDS: Readonly<Record<string, (words: Words) => string>> = {
  'an object by key': ({ id }) => `{ note(id: "${id}") { id title text } }`,
  'a hidden object by key': ({ hiddenId }) => `{ note(id: "${hiddenId}") { id title text } }`,
  'a list': ({ number }) => `{ notes(first: 10, where: { number: { gte: ${number} } }) { id title } }`,
  'a list in order': ({ number }) =>
    `{ notes(first: 10, where: { number: { gte: ${number >> 4} } }, orderBy: [{ price: DESC }]) { id price } }`,
  'a list by a text': ({ word }) => `{ notes(first: 10, where: { title: { contains: "${word}" } }) { id title } }`,
  'a list by a beginning': ({ word }) =>
    `{ notes(first: 10, where: { code: { startsWith: "${word.slice(0, 2)}" } }) { id code } }`,
  'a list by a tag': ({ tag }) => `{ notes(first: 10, where: { tag: { eq: "${tag}" } }) { id tag } }`,
  'a list with a guarded field': ({ number }) =>
    `{ notes(first: 10, where: { number: { lt: ${number} } }) { id secret } }`,
  'a page with its total': ({ number }) =>
    `{ pages(first: 10, where: { number: { gte: ${number} } }) { totalCount nodes { id } pageInfo { hasNextPage } } }`,
  'search: a word': ({ word }) => `{ found(query: "${word}") { nodes { id title } } }`,
  'search: two words': ({ word, second }) => `{ found(query: "${word} ${second}") { nodes { id title } } }`,
  'search: a new word': ({ absent }) => `{ found(query: "${absent}") { nodes { id } } }`,
  'search: a prefix': ({ word }) => `{ found(query: "${word.slice(0, 2)}*") { nodes { id title } } }`,
  'search: a phrase': ({ word, second }) => `{ found(query: "\\"${word} ${second}\\"") { nodes { id } } }`,
  'search: total and highlights': ({ word }) =>
    `{ found(query: "${word}") { totalCount edges { score highlights { field fragments } node { id } } } }`,
  'search, narrowed': ({ word, number }) =>
    `{ found(query: "${word}", where: { number: { gte: ${number} } }) { nodes { id number } } }`,
};
