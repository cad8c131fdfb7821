// At least one hard request for every kind of query, aggregation and other reading request, over the indices of `loop-index.ts`. Hard: over
// the commonest words, the whole index, the largest pages.
import type { Index } from '../../packages/search/src/engine/engine-api.ts';
import type { ViewOf } from '../../packages/search/src/view/viewed-engine.ts';

/** One request. */
export interface HardRequest {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  readonly body: object | string | Uint8Array;
  readonly view?: ViewOf;
}

export interface Words {
  readonly common: readonly string[];
  readonly rare: readonly string[];
}

/** The commonest and the rarest words of the descriptions. */
export function wordsOf(index: Index, count: number): Words {
  const searcher = index.searcher();
  const terms = searcher.segments.toSorted((a, b) => b.docCount - a.docCount)[0]!.terms('description')!;
  const all = Array.from({ length: terms.size }, (_, ordinal) => ordinal);
  all.sort((a, b) => terms.docFreq(b) - terms.docFreq(a));
  searcher.release();
  const words = (list: readonly number[]): string[] => list.map((ordinal) => terms.term(ordinal));
  return {
    common: words(all.slice(0, count)),
    rare: words(all.slice(-400 * count))
      .filter((word) => /^[a-z]{6,12}$/.test(word))
      .slice(0, count),
  };
}

const PACKAGES = '/packages/_search';
const REVIEWED = '/reviewed/_search';

/** All of them. */
export function hardRequests({ common, rare }: Words): readonly HardRequest[] {
  const most = common.slice(0, 3).join(' ');
  const query = (name: string, query: object, more: object = {}): HardRequest => ({
    name,
    path: PACKAGES,
    body: { query, ...more },
  });
  const aggs = (name: string, agg: object, more: object = {}): HardRequest => ({
    name: `aggregation: ${name}`,
    path: PACKAGES,
    body: { size: 0, aggs: { a: agg }, ...more },
  });
  const match = (text: string, more: object = {}): object => ({ match: { description: { query: text, ...more } } });
  const should = (words: readonly string[]): object => ({
    bool: { should: words.map((word) => ({ term: { description: word } })) },
  });
  const nested = (inner: object): object => ({ nested: { path: 'reviews', query: inner } });
  const every = { match_all: {} };
  const dated = (field: string): object => ({ [field]: { origin: '2020-01-01', scale: '30d' } });
  const some: ViewOf = (index) =>
    index === 'packages' ? { rows: { kind: 'number_range', field: 'number', from: 1000, to: 600_000 } } : undefined;
  const sections = { terms: { field: 'section' } };
  return [
    query('match_all', every, { track_total_hits: true }),
    query('term', { term: { description: common[0] } }, { track_total_hits: true }),
    query('match, any of 3', match(most), { track_total_hits: true }),
    query('match, any of 64', match(common.slice(0, 64).join(' ')), { track_total_hits: true }),
    query('match, any of 256 common words', match(common.slice(0, 256).join(' '))),
    query('bool, any of 1,000 common words', should(common)),
    query('match, all of 8', match(common.slice(0, 8).join(' '), { operator: 'and' }), { track_total_hits: true }),
    query('match, half of 256', match(common.slice(0, 256).join(' '), { minimum_should_match: '50%' })),
    query('match, one edit', match(common.slice(100, 110).join(' '), { fuzziness: 1 })),
    query('fuzzy, two edits', { fuzzy: { description: { value: 'library', fuzziness: 2 } } }),
    query('fuzzy, two edits, long', {
      fuzzy: { description: { value: 'configuration', fuzziness: 2, max_expansions: 1000 } },
    }),
    query('match, two edits, 10 words', match(common.slice(200, 210).join(' '), { fuzziness: 2 })),
    query('match, two edits, 200 words', match(common.slice(200, 400).join(' '), { fuzziness: 2 })),
    query('match_phrase', { match_phrase: { description: `${common[0]} ${common[1]}` } }, { track_total_hits: true }),
    query('match_phrase, 8 words', { match_phrase: { description: common.slice(0, 8).join(' ') } }),
    query('match_phrase, slop 50', {
      match_phrase: { description: { query: common.slice(0, 4).join(' '), slop: 50 } },
    }),
    query('match_phrase_prefix', {
      match_phrase_prefix: { description: { query: `${common[0]} a`, max_expansions: 1000 } },
    }),
    query('match_bool_prefix', { match_bool_prefix: { description: `${most} a` } }),
    query(
      'multi_match',
      { multi_match: { query: most, fields: ['description', 'summary'] } },
      { track_total_hits: true },
    ),
    query('multi_match, cross fields', {
      multi_match: { query: most, fields: ['description', 'summary'], type: 'cross_fields' },
    }),
    query('query_string', {
      query_string: { query: `(${common.slice(0, 30).join(' OR ')}) AND NOT ${common[40]} a*` },
    }),
    query('simple_query_string', {
      simple_query_string: { query: `${common.slice(0, 30).join(' | ')} b*`, fields: ['*'] },
    }),
    query('terms, 65,000', { terms: { name: Array.from({ length: 65_000 }, (_, at) => `${rare[at % 1000]}-${at}`) } }),
    query('terms, 1,000 common words', { terms: { description: common } }),
    query('terms of numbers', { terms: { installed_size: Array.from({ length: 20_000 }, (_, at) => at) } }),
    query('range of numbers', { range: { installed_size: { gte: 10, lt: 10_000 } } }, { track_total_hits: true }),
    query('range of dates', { range: { updated: { gte: '2015-01-01' } } }, { track_total_hits: true }),
    query('range of terms', { range: { name: { gte: 'b', lt: 'y' } } }),
    query('exists', { exists: { field: 'summary' } }, { track_total_hits: true }),
    query('prefix', { prefix: { description: 'a' } }),
    query('prefix of names', { prefix: { name: 'lib' } }, { track_total_hits: true }),
    query('prefix, scored', { prefix: { description: { value: 'co', rewrite: 'top_terms_500' } } }),
    query('wildcard, inner', { wildcard: { description: '*a*e*' } }),
    query('wildcard, insensitive', { wildcard: { name: { value: '*PYTHON*', case_insensitive: true } } }),
    query('regexp', { regexp: { description: '.*[aeiou]{2}.*[xyz].*' } }),
    query('regexp of names', { regexp: { name: 'lib.*(dev|doc).*' } }),
    query('ids', { ids: { values: Array.from({ length: 10_000 }, (_, at) => String(at * 50)) } }),
    query(
      'bool with everything',
      {
        bool: {
          must: [match(most)],
          filter: [{ range: { installed_size: { gte: 10 } } }, { prefix: { name: 'lib' } }],
          should: [{ term: { section: 'python' } }],
          must_not: [{ wildcard: { maintainer: '*team*' } }],
        },
      },
      { track_total_hits: true },
    ),
    query('constant_score', { constant_score: { filter: match(most) } }, { track_total_hits: true }),
    query('dis_max', { dis_max: { queries: common.slice(0, 64).map((word) => ({ term: { description: word } })) } }),
    query('boosting', {
      boosting: { positive: match(most), negative: { term: { description: common[5] } }, negative_boost: 0.5 },
    }),
    query('function_score', {
      function_score: {
        query: every,
        functions: [
          { filter: { term: { section: 'libs' } }, weight: 2 },
          { field_value_factor: { field: 'installed_size', modifier: 'log1p', missing: 1 } },
          { gauss: dated('updated') },
          { exp: { place: { origin: '48,11', scale: '100km' } } },
        ],
      },
    }),
    query('geo_distance', { geo_distance: { distance: '5000km', place: '48,11' } }, { track_total_hits: true }),
    query(
      'geo_bounding_box',
      { geo_bounding_box: { place: { top_left: '80,-170', bottom_right: '-80,170' } } },
      { track_total_hits: true },
    ),
    query('intervals', {
      intervals: { description: { match: { query: `${common[0]} ${common[1]} ${common[2]}`, max_gaps: 20 } } },
    }),
    query('intervals, any of 50 before 50', {
      intervals: {
        description: {
          all_of: {
            ordered: true,
            intervals: [common.slice(0, 50), common.slice(50, 100)].map((words) => ({
              any_of: { intervals: words.map((word) => ({ match: { query: word } })) },
            })),
          },
        },
      },
    }),
    {
      name: 'nested',
      path: REVIEWED,
      body: { query: nested({ term: { 'reviews.by': 'user17' } }), track_total_hits: true },
    },
    {
      name: 'nested, scored',
      path: REVIEWED,
      body: { query: nested({ match: { 'reviews.text': 'library for the' } }), track_total_hits: true },
    },
    {
      name: 'nested, inner hits',
      path: REVIEWED,
      body: { size: 1000, query: { nested: { path: 'reviews', query: every, inner_hits: { size: 10 } } } },
    },
    query('sort by a number', every, { sort: [{ installed_size: 'desc' }] }),
    query('sort by a keyword', every, { sort: [{ maintainer: 'desc' }, { installed_size: 'asc' }] }),
    query('sort by a name', every, { sort: ['name'] }),
    query('sort by distance', every, { sort: [{ _geo_distance: { place: '48,11', order: 'asc', unit: 'km' } }] }),
    query('sort by _id', every, { sort: ['_id'] }),
    query('search_after', every, { sort: [{ installed_size: 'asc' }, 'name'], search_after: [100, 'm'], size: 1000 }),
    query('collapse', match(most), { collapse: { field: 'maintainer' }, size: 1000 }),
    query('collapse with inner hits', match(most), {
      collapse: { field: 'section', inner_hits: { name: 'i', size: 10 } },
      size: 50,
    }),
    query('rescore', match(most), {
      rescore: {
        window_size: 10_000,
        query: { rescore_query: { match_phrase: { description: { query: `${common[0]} ${common[1]}`, slop: 5 } } } },
      },
    }),
    query('post_filter', match(most), { post_filter: { prefix: { name: 'lib' } }, aggs: { s: sections } }),
    query('min_score', match(most), { min_score: 1, track_total_hits: true }),
    query('explain', match(common.slice(0, 100).join(' ')), { explain: true, size: 100 }),
    query('10,000 hits', every, { size: 10_000 }),
    query('10,000 hits without sources', every, { size: 10_000, _source: false }),
    query('10,000 hits, filtered sources', every, { size: 10_000, _source: ['name', 'sec*'] }),
    query('10,000 hits, fields', every, {
      size: 10_000,
      _source: false,
      docvalue_fields: ['name', 'updated', 'installed_size'],
      fields: ['summary'],
    }),
    query('hits far behind', every, { from: 9_990, sort: [{ installed_size: 'desc' }] }),
    query('highlight', match(common.slice(0, 30).join(' ')), {
      size: 1000,
      highlight: { fields: { description: {}, summary: {} } },
    }),
    query('profile', match(most), { profile: true }),
    {
      name: 'suggest: term',
      path: PACKAGES,
      body: {
        suggest: {
          s: {
            text: rare
              .slice(0, 20)
              .map((word) => `${word}x`)
              .join(' '),
            term: { field: 'description', suggest_mode: 'always' },
          },
        },
      },
    },
    {
      name: 'suggest: completion',
      path: PACKAGES,
      body: { suggest: { s: { prefix: 'l', completion: { field: 'name.suggest', size: 100 } } } },
    },
    {
      name: 'suggest: completion, fuzzy',
      path: PACKAGES,
      body: { suggest: { s: { prefix: 'pithon', completion: { field: 'name.suggest', fuzzy: { fuzziness: 2 } } } } },
    },
    aggs('terms of few', sections),
    aggs('terms of many', { terms: { field: 'name', size: 10_000 } }),
    aggs('terms of maintainers with sums', {
      terms: { field: 'maintainer', size: 1000 },
      aggs: { s: { sum: { field: 'installed_size' } } },
    }),
    aggs('terms in terms', {
      terms: { field: 'section', size: 100 },
      aggs: { m: { terms: { field: 'maintainer', size: 10 } } },
    }),
    aggs('terms, pattern', { terms: { field: 'name', include: 'lib.*', size: 100 } }),
    aggs('terms of numbers', { terms: { field: 'installed_size', size: 10_000 } }),
    aggs(
      'terms, min_doc_count 0',
      { terms: { field: 'name', min_doc_count: 0, size: 10 } },
      { query: { term: { section: 'kde' } } },
    ),
    aggs('rare_terms', { rare_terms: { field: 'name', max_doc_count: 1 } }, { query: { prefix: { name: 'a' } } }),
    aggs('histogram', { histogram: { field: 'installed_size', interval: 1000, min_doc_count: 1 } }),
    aggs('date_histogram', { date_histogram: { field: 'updated', fixed_interval: '1d' } }),
    aggs('date_histogram, calendar and zone', {
      date_histogram: { field: 'updated', calendar_interval: 'month', time_zone: 'Europe/Berlin' },
      aggs: { s: sections },
    }),
    aggs('auto_date_histogram', { auto_date_histogram: { field: 'updated', buckets: 100 } }),
    aggs('range', {
      range: {
        field: 'installed_size',
        ranges: Array.from({ length: 100 }, (_, at) => ({ from: at * 100, to: at * 100 + 500 })),
      },
    }),
    aggs('date_range', { date_range: { field: 'updated', ranges: [{ to: '2016-01-01' }, { from: '2016-01-01' }] } }),
    aggs('ip_range', { ip_range: { field: 'address', ranges: [{ to: '10.3.0.0' }, { from: '10.3.0.0' }] } }),
    aggs('geo_distance', {
      geo_distance: { field: 'place', origin: '48,11', unit: 'km', ranges: [{ to: 1000 }, { from: 1000 }] },
    }),
    aggs('filter', { filter: match(most), aggs: { s: sections } }),
    aggs('filters', {
      filters: { filters: Object.fromEntries(common.slice(0, 50).map((word) => [word, match(word)])) },
    }),
    aggs('missing', { missing: { field: 'installed_size' } }),
    aggs(
      'global',
      {
        global: {},
        aggs: { s: { terms: { field: 'maintainer' }, aggs: { a: { avg: { field: 'installed_size' } } } } },
      },
      { query: { term: { section: 'kde' } } },
    ),
    aggs('significant words of hits', { sampler: { shard_size: 100 } }),
    aggs('composite', {
      composite: {
        size: 1000,
        sources: [
          { s: { terms: { field: 'section' } } },
          { m: { terms: { field: 'maintainer' } } },
          { d: { date_histogram: { field: 'updated', calendar_interval: 'year' } } },
        ],
      },
    }),
    aggs('avg', { avg: { field: 'installed_size' } }),
    aggs('sum', { sum: { field: 'installed_size' } }),
    aggs('min', { min: { field: 'installed_size' } }),
    aggs('max', { max: { field: 'installed_size' } }),
    aggs('stats', { stats: { field: 'installed_size' } }),
    aggs('extended_stats', { extended_stats: { field: 'installed_size' } }),
    aggs('value_count', { value_count: { field: 'name' } }),
    aggs('cardinality', { cardinality: { field: 'name' } }),
    aggs('cardinality of numbers', { cardinality: { field: 'installed_size' } }),
    aggs('percentiles', { percentiles: { field: 'installed_size' } }),
    aggs('percentile_ranks', { percentile_ranks: { field: 'installed_size', values: [100, 1000] } }),
    aggs('median_absolute_deviation', { median_absolute_deviation: { field: 'installed_size' } }),
    aggs('weighted_avg', { weighted_avg: { value: { field: 'installed_size' }, weight: { field: 'number' } } }),
    aggs('geo_bounds', { geo_bounds: { field: 'place' } }),
    aggs('geo_centroid', { geo_centroid: { field: 'place' } }),
    aggs('top_hits', {
      terms: { field: 'section', size: 100 },
      aggs: { t: { top_hits: { size: 10, sort: [{ installed_size: 'desc' }] } } },
    }),
    aggs(
      'top_hits by score',
      { terms: { field: 'section', size: 100 }, aggs: { t: { top_hits: { size: 10 } } } },
      { query: match(most) },
    ),
    aggs('pipelines', {
      date_histogram: { field: 'updated', calendar_interval: 'day' },
      aggs: {
        s: { sum: { field: 'installed_size' } },
        c: { cumulative_sum: { buckets_path: 's' } },
        d: { derivative: { buckets_path: 's' } },
      },
    }),
    {
      name: 'aggregation: nested',
      path: REVIEWED,
      body: {
        size: 0,
        aggs: {
          n: {
            nested: { path: 'reviews' },
            aggs: { b: { terms: { field: 'reviews.by', size: 1000 }, aggs: { r: { reverse_nested: {} } } } },
          },
        },
      },
    },
    { name: '_count', path: '/packages/_count', body: { query: { regexp: { description: '.*[aeiou]{3}.*' } } } },
    {
      name: '_msearch of 20',
      path: '/packages/_msearch',
      body: common
        .slice(0, 20)
        .map((word) => `{}\n${JSON.stringify({ query: match(`${most} ${word}`), aggs: { s: sections } })}\n`)
        .join(''),
    },
    { name: '_validate/query', path: '/packages/_validate/query?explain=true', body: { query: should(common) } },
    {
      name: '_explain',
      path: '/packages/_explain/1',
      body: { query: match(common.slice(0, 100).join(' '), { fuzziness: 1 }) },
    },
    { name: '_field_caps', method: 'GET', path: '/_field_caps?fields=*', body: {} },
    {
      name: '_analyze',
      path: '/packages/_analyze',
      body: { field: 'description', text: common.slice(0, 1000).join(' ') },
    },
    {
      name: '_mget of 10,000',
      path: '/packages/_mget',
      body: { ids: Array.from({ length: 10_000 }, (_, at) => String(at * 50)) },
    },
    { name: 'view: match', path: PACKAGES, body: { query: match(most), track_total_hits: true }, view: some },
    {
      name: 'view: terms aggregation',
      path: PACKAGES,
      body: { size: 0, query: match(most), aggs: { s: sections, m: { terms: { field: 'maintainer' } } } },
      view: some,
    },
    {
      name: 'view: two edits',
      path: PACKAGES,
      body: { query: match(common.slice(200, 210).join(' '), { fuzziness: 2 }) },
      view: some,
    },
    { name: 'view: sort', path: PACKAGES, body: { query: match(most), sort: ['maintainer'] }, view: some },
    {
      name: 'pretty and filtered',
      path: `${PACKAGES}?pretty&filter_path=hits.hits._source`,
      body: { query: every, size: 5000 },
    },
  ];
}
