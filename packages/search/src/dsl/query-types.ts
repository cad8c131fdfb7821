// Which types of queries there are: how the JSON of each is read, how far it is what Elasticsearch has, and a sample. Everything not known
// is refused by name.
import { wordsOf } from '@lockstitch/kernel';
import type { Json } from '../json/json.ts';
import {
  bool,
  boosting,
  constantScore,
  disMax,
  functionScoreQuery,
  matchAll,
  matchNone,
  nested,
  pinned,
  type,
  wrapper,
} from './compound-query.ts';
import { commonQuery } from './common-query.ts';
import { distanceFeature, rankFeature, termsSet } from './feature-query.ts';
import { geoBox, geoDistance, geoPolygon } from './geo-query.ts';
import { intervals } from './intervals-query.ts';
import { moreLikeThis } from './more-like-this-query.ts';
import type { Reader } from './read-body.ts';
import { exists, fuzzy, ids, patternReader, range, term, terms } from './read-term-query.ts';
import { matchReader, multiMatch, queryString, simpleQueryString } from './read-text-query.ts';
import { spanReader } from './span-query.ts';

export interface QueryType {
  readonly read: Reader;
  /** What is missing or different. */
  readonly note?: string;
  /**
   * A query with it, for tests, random requests and the compatibility table. Its fields: `text`, `tag` (a keyword), `n` (a number), `at` (a
   * date), `ip`, `place` (a point), `rank` (a rank_feature), and `items` (nested, with a number `n`).
   */
  readonly sample: Json;
}

const TERM = { term: { tag: 'a' } };
const POINT = { lat: 1, lon: 2 };
const FOX = { span_term: { text: 'fox' } };
const QUICK = { span_term: { text: { value: 'quick' } } };

export const QUERY_TYPES: Readonly<Record<string, QueryType>> = {
  match_all: { read: matchAll, sample: { match_all: {} } },
  match_none: { read: matchNone, sample: { match_none: {} } },
  match: { read: matchReader('match', 'match'), sample: { match: { text: 'fox' } } },
  match_phrase: { read: matchReader('match_phrase', 'phrase'), sample: { match_phrase: { text: 'quick brown' } } },
  match_phrase_prefix: {
    read: matchReader('match_phrase_prefix', 'phrase_prefix'),
    sample: { match_phrase_prefix: { text: 'quick br' } },
  },
  match_bool_prefix: {
    read: matchReader('match_bool_prefix', 'bool_prefix'),
    sample: { match_bool_prefix: { text: 'quick br' } },
  },
  common: {
    read: commonQuery,
    sample: { common: { text: { query: 'the quick fox', cutoff_frequency: 0.5 } } },
  },
  multi_match: { read: multiMatch, sample: { multi_match: { query: 'fox', fields: ['text', 'tag'] } } },
  query_string: {
    read: queryString,
    note: 'no intervals in phrases',
    sample: { query_string: { query: 'text:fox AND n:[0 TO 5]' } },
  },
  simple_query_string: {
    read: simpleQueryString,
    sample: { simple_query_string: { query: '"quick brown" -dog', fields: ['text'] } },
  },
  term: { read: term, sample: TERM },
  terms: { read: terms, sample: { terms: { tag: ['a'] } } },
  range: { read: range, sample: { range: { at: { gte: '2019-06-01||/y', time_zone: '+01:00' } } } },
  exists: { read: exists, sample: { exists: { field: 'tag' } } },
  prefix: { read: patternReader('prefix'), sample: { prefix: { tag: 'a' } } },
  wildcard: { read: patternReader('wildcard'), sample: { wildcard: { tag: 'a*' } } },
  regexp: { read: patternReader('regexp'), sample: { regexp: { tag: 'a.*' } } },
  fuzzy: { read: fuzzy, sample: { fuzzy: { text: 'fix' } } },
  ids: { read: ids, sample: { ids: { values: ['1'] } } },
  intervals: {
    read: intervals,
    note: 'script filters are refused',
    sample: { intervals: { text: { match: { query: 'quick fox' } } } },
  },
  type: { read: type, note: 'every index has the one type _doc', sample: { type: { value: '_doc' } } },
  bool: { read: bool, sample: { bool: { must: TERM, should: [TERM], minimum_should_match: 1 } } },
  constant_score: { read: constantScore, sample: { constant_score: { filter: TERM } } },
  dis_max: { read: disMax, sample: { dis_max: { queries: [TERM] } } },
  boosting: { read: boosting, sample: { boosting: { positive: TERM, negative: TERM, negative_boost: 0.5 } } },
  function_score: {
    read: functionScoreQuery,
    note: 'no script_score',
    sample: { function_score: { query: TERM, gauss: { n: { origin: 1, scale: 2 } } } },
  },
  nested: {
    read: nested,
    sample: {
      nested: {
        path: 'items',
        query: { term: { 'items.n': 1 } },
        inner_hits: { sort: ['items.n'], highlight: { fields: {} } },
      },
    },
  },
  geo_distance: {
    read: geoDistance,
    sample: { geo_distance: { distance: '1km', place: POINT } },
  },
  geo_bounding_box: {
    read: geoBox,
    sample: { geo_bounding_box: { place: { top_left: '2,1', bottom_right: '0,3' } } },
  },
  geo_polygon: {
    read: geoPolygon,
    sample: { geo_polygon: { place: { points: ['0,1', '3,1', '2,4'] } } },
  },
  pinned: { read: pinned, sample: { pinned: { ids: ['1'], organic: TERM } } },
  terms_set: {
    read: termsSet,
    note: 'no minimum_should_match_script',
    sample: { terms_set: { tag: { terms: ['a'], minimum_should_match_field: 'n' } } },
  },
  more_like_this: {
    read: moreLikeThis,
    note: 'no per_field_analyzer; documents of other indices are analysed by the mapping of the index searched',
    sample: { more_like_this: { fields: ['text'], like: ['fox', { _id: '1' }] } },
  },
  distance_feature: {
    read: distanceFeature,
    sample: { distance_feature: { field: 'at', origin: 'now', pivot: '7d' } },
  },
  rank_feature: {
    read: rankFeature,
    sample: { rank_feature: { field: 'rank', saturation: { pivot: 8 } } },
  },
  span_term: { read: spanReader('span_term'), sample: FOX },
  span_near: {
    read: spanReader('span_near'),
    sample: { span_near: { clauses: [QUICK, FOX], slop: 1, in_order: true } },
  },
  span_or: { read: spanReader('span_or'), sample: { span_or: { clauses: [QUICK, FOX] } } },
  span_not: { read: spanReader('span_not'), sample: { span_not: { include: FOX, exclude: QUICK, pre: 0 } } },
  span_first: { read: spanReader('span_first'), sample: { span_first: { match: FOX, end: 3 } } },
  span_containing: { read: spanReader('span_containing'), sample: { span_containing: { big: FOX, little: QUICK } } },
  span_within: { read: spanReader('span_within'), sample: { span_within: { big: FOX, little: QUICK } } },
  span_multi: {
    read: spanReader('span_multi'),
    note: 'of prefix, wildcard, regexp, fuzzy and range',
    sample: { span_multi: { match: { prefix: { text: 'fo' } } } },
  },
  field_masking_span: {
    read: spanReader('field_masking_span'),
    sample: { span_near: { clauses: [QUICK, { field_masking_span: { query: FOX, field: 'text' } }] } },
  },
  wrapper: { read: wrapper, sample: { wrapper: { query: Buffer.from(JSON.stringify(TERM)).toString('base64') } } },
};

/** Types of Elasticsearch 7.10 that this engine does not have. */
export const REFUSED_QUERIES: readonly string[] = wordsOf(`
  script script_score percolate has_child has_parent parent_id geo_shape shape`);
