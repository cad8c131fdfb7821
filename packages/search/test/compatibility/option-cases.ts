// Which options each part of a search body takes, each with what shows that it means something, with why it has nothing to
// say here, or with the refusal it gets. options.test.ts holds the code to this table, option by option, so that none is
// accepted without being listed; docs/compatibility.md prints those without effect and those refused.
import { REFUSED_SEARCH_KEYS, SEARCH_KEYS } from '../../src/api/search-body.ts';
import type { Json } from '../../src/json.ts';

/** What one option does. */
export type OptionCase =
  | {
      readonly kind: 'effect';
      readonly value: unknown;
      /** The other options of both requests, where the part's own base would not show the difference. */
      readonly base?: Json;
      /** The whole body of both requests, where the option matters elsewhere than the others. */
      readonly body?: (options: Json) => Json;
    }
  | { readonly kind: 'none'; readonly value: unknown; readonly because: string; readonly base?: Json }
  | { readonly kind: 'refused'; readonly value: unknown; readonly base?: Json };

/** The options of one part of a search body. */
export interface OptionGroup {
  readonly where: string;
  /** The options there are, where a refusal of an unknown one does not list them. */
  readonly known?: readonly string[];
  /** Where it is asked; a search of the sample index by default. */
  readonly path?: string;
  /** Puts the options into a whole body. */
  readonly body: (options: Json) => Json;
  readonly base: Json;
  readonly options: Readonly<Record<string, OptionCase>>;
}

const shows = (value: unknown, base?: Json): OptionCase => ({ kind: 'effect', value, ...(base && { base }) });
const showsIn = (body: (options: Json) => Json, value: unknown, base: Json): OptionCase => ({
  kind: 'effect',
  value,
  base,
  body,
});
const none = (value: unknown, because: string, base?: Json): OptionCase => ({
  kind: 'none',
  value,
  because,
  ...(base && { base }),
});
const refused = (value: unknown, base?: Json): OptionCase => ({ kind: 'refused', value, ...(base && { base }) });

const COMMON = { boost: shows(2), _name: shows('x') };
const SYNONYMS = none(
  false,
  'synonyms of several words are matched word by word, so there are no phrases of them to make',
);
const ONE_SHARD =
  'one shard counts everything exactly, so that nothing depends on how many buckets or terms a shard hands over';

const query = (name: string, base: Json, options: Readonly<Record<string, OptionCase>>): OptionGroup => ({
  where: `query \`${name}\``,
  body: (given) => ({ query: { [name]: given }, size: 30 }),
  base,
  options,
});
const fieldQuery = (
  name: string,
  field: string,
  base: Json,
  options: Readonly<Record<string, OptionCase>>,
): OptionGroup => ({
  where: `query \`${name}\``,
  body: (given) => ({ query: { [name]: { [field]: given } }, size: 30 }),
  base,
  options,
});

const typo = { query: 'quikc', fuzziness: 1 };
const FUZZY = {
  fuzziness: shows(1, { query: 'quikc' }),
  prefix_length: shows(4, typo),
  max_expansions: shows(1, { query: 'fxx', fuzziness: 2 }),
  fuzzy_transpositions: shows(false, typo),
  fuzzy_rewrite: shows('constant_score', { query: 'fxx', fuzziness: 2 }),
};
const ZERO = shows('all', { query: '' });

const QUERY_GROUPS: readonly OptionGroup[] = [
  fieldQuery(
    'match',
    't',
    { query: 'quick fox' },
    {
      query: shows('dog'),
      operator: shows('and'),
      minimum_should_match: shows(2),
      analyzer: shows('keyword'),
      ...FUZZY,
      lenient: showsIn((given) => ({ query: { match: { n: given } } }), true, { query: 'quick' }),
      zero_terms_query: ZERO,
      auto_generate_synonyms_phrase_query: SYNONYMS,
      cutoff_frequency: refused(0.01),
      ...COMMON,
    },
  ),
  fieldQuery(
    'match_phrase',
    't',
    { query: 'quick fox' },
    {
      query: shows('quick brown'),
      slop: shows(5),
      analyzer: shows('keyword', { query: 'quick brown' }),
      zero_terms_query: ZERO,
      boost: shows(2, { query: 'quick brown' }),
      _name: shows('x', { query: 'quick brown' }),
    },
  ),
  fieldQuery(
    'match_phrase_prefix',
    't',
    { query: 'quick b' },
    {
      query: shows('quick f'),
      slop: shows(5, { query: 'quick f' }),
      analyzer: shows('keyword'),
      max_expansions: shows(1),
      zero_terms_query: ZERO,
      ...COMMON,
    },
  ),
  fieldQuery(
    'match_bool_prefix',
    't',
    { query: 'quick fo' },
    {
      query: shows('dog'),
      operator: shows('and'),
      minimum_should_match: shows(2),
      analyzer: shows('keyword'),
      fuzziness: shows(1, { query: 'quikc zz' }),
      prefix_length: shows(4, { query: 'quikc zz', fuzziness: 1 }),
      max_expansions: shows(1, { query: 'fxx zz', fuzziness: 2 }),
      fuzzy_transpositions: shows(false, { query: 'quikc zz', fuzziness: 1 }),
      fuzzy_rewrite: shows('constant_score', { query: 'fxx zz', fuzziness: 2 }),
      ...COMMON,
    },
  ),
  query(
    'multi_match',
    { query: 'quick fox', fields: ['t', 'u'] },
    {
      query: shows('dog'),
      fields: shows(['u']),
      type: shows('most_fields'),
      operator: shows('and'),
      minimum_should_match: shows(2),
      analyzer: shows('keyword'),
      fuzziness: shows(1, { query: 'quikc', fields: ['t', 'u'] }),
      prefix_length: shows(4, { ...typo, fields: ['t', 'u'] }),
      max_expansions: shows(1, { query: 'fxx', fuzziness: 2, fields: ['t'] }),
      fuzzy_transpositions: shows(false, { ...typo, fields: ['t', 'u'] }),
      fuzzy_rewrite: shows('constant_score', { query: 'fxx', fuzziness: 2, fields: ['t', 'u'] }),
      lenient: shows(true, { query: 'quick', fields: ['n', 't'] }),
      zero_terms_query: shows('all', { query: '', fields: ['t'] }),
      tie_breaker: shows(0.7),
      slop: shows(5, { query: 'quick fox', fields: ['t'], type: 'phrase' }),
      auto_generate_synonyms_phrase_query: SYNONYMS,
      cutoff_frequency: refused(0.01),
      ...COMMON,
    },
  ),
  query(
    'query_string',
    { query: 'quick fox', fields: ['t', 'u'] },
    {
      query: shows('dog'),
      fields: shows(['u']),
      default_field: shows('u', { query: 'quick' }),
      default_operator: shows('and'),
      analyzer: shows('keyword', { query: 'QUICK', fields: ['t'] }),
      quote_analyzer: shows('keyword', { query: '"QUICK"', fields: ['t'] }),
      quote_field_suffix: shows('.stem', { query: '"fox"', fields: ['t'] }),
      allow_leading_wildcard: shows(false, { query: '*ox', fields: ['t'] }),
      enable_position_increments: refused(false),
      auto_generate_synonyms_phrase_query: SYNONYMS,
      max_determinized_states: shows(1, { query: '/(fo|ab)*x/', fields: ['t'] }),
      fuzziness: shows(0, { query: 'quikc~', fields: ['t'] }),
      fuzzy_prefix_length: shows(4, { query: 'quikc~1', fields: ['t'] }),
      fuzzy_max_expansions: shows(1, { query: 'fxx~2', fields: ['t'] }),
      fuzzy_rewrite: shows('constant_score', { query: 'fxx~2', fields: ['t'] }),
      fuzzy_transpositions: shows(false, { query: 'quikc~1', fields: ['t'] }),
      phrase_slop: shows(6, { query: '"quick fox"', fields: ['t'] }),
      tie_breaker: shows(0.7),
      analyze_wildcard: shows(true, { query: 'foxe*', fields: ['t.stem'] }),
      rewrite: shows('scoring_boolean', { query: 'fo*', fields: ['t'] }),
      minimum_should_match: shows(2),
      lenient: shows(true, { query: 'n:quick OR t:fox', fields: ['t'] }),
      time_zone: shows('-12:00', { query: 'd:[2020-01-05 TO 2020-01-06]' }),
      type: shows('most_fields'),
      escape: shows(true, { query: 'fo*', fields: ['t'] }),
      ...COMMON,
    },
  ),
  query(
    'simple_query_string',
    { query: 'quick fox', fields: ['t', 'u'] },
    {
      query: shows('dog'),
      fields: shows(['u']),
      default_operator: shows('and'),
      analyzer: shows('keyword', { query: 'QUICK', fields: ['t'] }),
      flags: shows('NONE', { query: 'fo*', fields: ['t'] }),
      lenient: shows(true, { query: 'quick', fields: ['n', 't'] }),
      analyze_wildcard: shows(true, { query: 'foxe*', fields: ['t.stem'] }),
      minimum_should_match: shows(2, { query: 'quick fox', fields: ['t'] }),
      quote_field_suffix: shows('.stem', { query: '"fox"', fields: ['t'] }),
      auto_generate_synonyms_phrase_query: SYNONYMS,
      fuzzy_prefix_length: shows(4, { query: 'quikc~1', fields: ['t'] }),
      fuzzy_max_expansions: shows(1, { query: 'fxx~2', fields: ['t'] }),
      fuzzy_transpositions: shows(false, { query: 'quikc~1', fields: ['t'] }),
      ...COMMON,
    },
  ),
  fieldQuery(
    'term',
    'str',
    { value: 'a1' },
    { value: shows('a2'), case_insensitive: shows(true, { value: 'A1' }), ...COMMON },
  ),
  fieldQuery(
    'prefix',
    't',
    { value: 'fo' },
    {
      value: shows('b'),
      prefix: shows('fo', {}),
      rewrite: shows('scoring_boolean'),
      case_insensitive: shows(true, { value: 'FO' }),
      ...COMMON,
    },
  ),
  fieldQuery(
    'wildcard',
    't',
    { value: 'fo*' },
    {
      value: shows('b*'),
      wildcard: shows('fo*', {}),
      rewrite: shows('scoring_boolean'),
      case_insensitive: shows(true, { value: 'FO*' }),
      ...COMMON,
    },
  ),
  fieldQuery(
    'regexp',
    't',
    { value: 'fo.*' },
    {
      value: shows('b.*'),
      flags: shows('NONE', { value: '~(fo.*)' }),
      max_determinized_states: shows(1),
      rewrite: shows('scoring_boolean'),
      case_insensitive: shows(true, { value: 'FO.*' }),
      ...COMMON,
    },
  ),
  fieldQuery(
    'fuzzy',
    't',
    { value: 'fxx' },
    {
      value: shows('dgo'),
      fuzziness: shows(2, { value: 'fxz' }),
      max_expansions: shows(1, { value: 'fxx', fuzziness: 2 }),
      prefix_length: shows(3),
      transpositions: shows(false, { value: 'dgo', fuzziness: 1 }),
      rewrite: shows('constant_score', { value: 'fxx', fuzziness: 2 }),
      ...COMMON,
    },
  ),
  fieldQuery(
    'range',
    'd',
    { gte: '2020-01-05' },
    {
      gte: shows('2020-01-07'),
      gt: shows('2020-01-07', {}),
      lte: shows('2020-01-09'),
      lt: shows('2020-01-09'),
      from: shows('2020-01-07', {}),
      to: shows('2020-01-09', {}),
      include_lower: shows(false, { from: '2020-01-05T05:00:00Z' }),
      include_upper: shows(false, { to: '2020-01-05T05:00:00Z' }),
      format: shows('dd/MM/yyyy', { gte: '2020-01-05' }),
      time_zone: shows('-12:00', { gte: '2020-01-05' }),
      relation: showsIn((given) => ({ query: { range: { span: given } } }), 'within', { gte: 3, lte: 6 }),
      ...COMMON,
    },
  ),
  query('exists', { field: 'str' }, { field: shows('need'), ...COMMON }),
  query(
    'ids',
    { values: ['1', '2'] },
    {
      values: shows(['3']),
      type: none('_doc', 'every index has the one type `_doc`'),
      types: none('_doc', 'every index has the one type `_doc`'),
      ...COMMON,
    },
  ),
  query(
    'bool',
    { should: [{ match: { t: 'fox' } }, { match: { t: 'dog' } }] },
    {
      should: shows({ match: { t: 'fox' } }),
      must: shows({ term: { b: true } }),
      must_not: shows({ term: { b: true } }),
      mustNot: shows({ term: { b: true } }),
      filter: shows({ term: { b: true } }),
      minimum_should_match: shows(2),
      adjust_pure_negative: shows(false, { must_not: { term: { n: 1 } } }),
      ...COMMON,
    },
  ),
  query('constant_score', { filter: { term: { b: true } } }, { filter: shows({ term: { b: false } }), ...COMMON }),
  query(
    'dis_max',
    { queries: [{ match: { t: 'fox' } }, { match: { u: 'fox' } }] },
    {
      queries: shows([{ match: { t: 'fox' } }]),
      tie_breaker: shows(0.9),
      ...COMMON,
    },
  ),
  query(
    'boosting',
    { positive: { match: { t: 'fox' } }, negative: { match: { u: 'quick' } }, negative_boost: 0.2 },
    {
      positive: shows({ match: { t: 'dog' } }),
      negative: shows({ match: { t: 'brown' } }),
      negative_boost: shows(0.1),
      ...COMMON,
    },
  ),
  query(
    'function_score',
    {
      query: { match: { t: 'fox' } },
      functions: [{ weight: 2, filter: { range: { n: { gt: 5 } } } }, { field_value_factor: { field: 'n' } }],
    },
    {
      query: shows({ match: { t: 'dog' } }),
      functions: shows([{ weight: 3 }]),
      weight: shows(3, {}),
      field_value_factor: shows({ field: 'n' }, {}),
      random_score: shows({ seed: 1, field: 'n' }, {}),
      gauss: shows({ n: { origin: 1, scale: 2 } }, {}),
      exp: shows({ n: { origin: 1, scale: 2 } }, {}),
      linear: shows({ n: { origin: 1, scale: 9 } }, {}),
      script_score: refused({ script: '1' }, {}),
      score_mode: shows('max'),
      boost_mode: shows('replace'),
      max_boost: shows(3),
      min_score: shows(10),
      ...COMMON,
    },
  ),
  {
    where: 'function `field_value_factor`',
    body: (given) => ({ query: { function_score: { field_value_factor: given } } }),
    base: { field: 'f', missing: 1 },
    options: {
      field: shows('n'),
      factor: shows(3),
      modifier: shows('log1p'),
      missing: shows(4, { field: 'need' }),
    },
  },
  {
    where: 'function `random_score`',
    body: (given) => ({ query: { function_score: { random_score: given } } }),
    base: { seed: 1, field: 'n' },
    options: { seed: shows(2), field: shows('f') },
  },
  {
    where: 'function `gauss`',
    body: (given) => ({ query: { function_score: { gauss: { n: given } } } }),
    base: { origin: 10, scale: 5 },
    options: { origin: shows(2), scale: shows(1), offset: shows(4), decay: shows(0.2) },
  },
  query(
    'nested',
    { path: 'items', query: { match: { 'items.t': 'fox dog' } } },
    {
      path: shows('nope'),
      query: shows({ match: { 'items.t': 'dog' } }),
      score_mode: shows('sum'),
      ignore_unmapped: shows(true, { path: 'nope', query: { match_all: {} } }),
      inner_hits: shows({}),
      ...COMMON,
    },
  ),
  query(
    'more_like_this',
    { fields: ['t'], like: ['quick fox dog'], min_term_freq: 1, min_doc_freq: 1, minimum_should_match: 1 },
    {
      fields: shows(['u']),
      like: shows(['brown']),
      unlike: shows(['quick']),
      max_query_terms: shows(1),
      min_term_freq: shows(2),
      min_doc_freq: shows(9),
      max_doc_freq: shows(1),
      min_word_length: shows(4),
      max_word_length: shows(3),
      stop_words: shows(['quick']),
      analyzer: shows('keyword'),
      minimum_should_match: shows('100%'),
      fail_on_unsupported_field: shows(false, { fields: ['n'], like: ['quick'] }),
      boost_terms: shows(3),
      include: shows(true, { fields: ['t'], like: [{ _id: '1' }], min_term_freq: 1, min_doc_freq: 1 }),
      ...COMMON,
    },
  ),
  query(
    'distance_feature',
    { field: 'd', origin: '2020-01-10', pivot: '3d' },
    {
      field: shows('g', { field: 'd', origin: [1, 1], pivot: '1km' }),
      origin: shows('2020-01-01'),
      pivot: shows('1d'),
      ...COMMON,
    },
  ),
  query(
    'rank_feature',
    { field: 'r' },
    {
      field: shows('n'),
      saturation: shows({ pivot: 3 }),
      log: shows({ scaling_factor: 4 }),
      sigmoid: shows({ pivot: 3, exponent: 1 }),
      ...COMMON,
    },
  ),
  fieldQuery(
    'terms_set',
    'str',
    { terms: ['a1', 'b1', 'b2'], minimum_should_match_field: 'need' },
    {
      terms: shows(['a2']),
      minimum_should_match_field: shows('need', { terms: ['a1', 'b1', 'b2'], minimum_should_match_field: 'r2' }),
      minimum_should_match_script: refused({ source: '1' }, { terms: ['a1'] }),
      ...COMMON,
    },
  ),
  {
    where: 'intervals `match`',
    body: (given) => ({ query: { intervals: { t: { match: given } } } }),
    base: { query: 'quick fox' },
    options: {
      query: shows('dog'),
      max_gaps: shows(0),
      ordered: shows(true),
      analyzer: shows('keyword'),
      use_field: shows('t.stem', { query: 'foxes' }),
      filter: shows({ containing: { match: { query: 'brown' } } }),
    },
  },
  {
    where: 'intervals `prefix`',
    body: (given) => ({ query: { intervals: { t: { prefix: given } } } }),
    base: { prefix: 'FO' },
    options: {
      prefix: shows('qu'),
      analyzer: shows('keyword'),
      use_field: shows('str', { prefix: 'a' }),
    },
  },
  {
    where: 'intervals `wildcard`',
    body: (given) => ({ query: { intervals: { t: { wildcard: given } } } }),
    base: { pattern: 'FO*' },
    options: {
      pattern: shows('q*'),
      analyzer: shows('keyword'),
      use_field: shows('t.stem', { pattern: 'foxe*' }),
    },
  },
  {
    where: 'intervals `fuzzy`',
    body: (given) => ({ query: { intervals: { t: { fuzzy: given } } } }),
    base: { term: 'QUIKC' },
    options: {
      term: shows('dgo'),
      fuzziness: shows(0),
      prefix_length: shows(4),
      transpositions: shows(false, { term: 'quikc', fuzziness: 1 }),
      analyzer: shows('keyword'),
      use_field: shows('str', { term: 'a1', fuzziness: 0 }),
    },
  },
  {
    where: 'intervals `all_of`',
    body: (given) => ({ query: { intervals: { t: { all_of: given } } } }),
    base: { intervals: [{ match: { query: 'quick' } }, { match: { query: 'fox' } }] },
    options: {
      intervals: shows([{ match: { query: 'dog' } }]),
      max_gaps: shows(0),
      ordered: shows(true),
      filter: shows({ containing: { match: { query: 'brown' } } }),
    },
  },
  {
    where: 'intervals `any_of`',
    body: (given) => ({ query: { intervals: { t: { any_of: given } } } }),
    base: { intervals: [{ match: { query: 'quick' } }, { match: { query: 'fox' } }] },
    options: {
      intervals: shows([{ match: { query: 'dog' } }]),
      filter: shows({ before: { match: { query: 'dog' } } }),
    },
  },
];

const agg = (name: string, base: Json, options: Readonly<Record<string, OptionCase>>): OptionGroup => ({
  where: `aggregation \`${name}\``,
  body: (given) => ({ size: 0, aggs: { x: { [name]: given } } }),
  base,
  options,
});

const VALUE_TYPE = none('long', 'the mapping says which type the values have');
const metricOptions = (field = 'need'): Readonly<Record<string, OptionCase>> => ({
  field: shows('f'),
  missing: shows(100, { field }),
  format: shows('000.0'),
  value_type: VALUE_TYPE,
});

const AGG_GROUPS: readonly OptionGroup[] = [
  ...['avg', 'sum', 'min', 'max', 'stats'].map((name) =>
    agg(name, { field: 'n' }, { ...metricOptions(), missing: shows(name === 'min' ? -5 : 100, { field: 'need' }) }),
  ),
  agg('extended_stats', { field: 'n' }, { ...metricOptions(), sigma: shows(3) }),
  agg(
    'value_count',
    { field: 'n' },
    {
      ...metricOptions(),
      field: shows('need'),
      format: none('000', 'a count is no value of the field, which the format is for'),
    },
  ),
  agg(
    'cardinality',
    { field: 'n' },
    {
      field: shows('b'),
      missing: shows(100, { field: 'need' }),
      precision_threshold: none(1, 'counted exactly, whatever the threshold'),
      rehash: none(true, 'Elasticsearch ignores it since 2.0'),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'percentiles',
    { field: 'n' },
    {
      ...metricOptions(),
      percents: shows([3]),
      keyed: shows(false),
      hdr: shows({ number_of_significant_value_digits: 1 }),
      tdigest: none({ compression: 10 }, 'computed exactly, whatever the compression'),
    },
  ),
  agg(
    'percentile_ranks',
    { field: 'n', values: [3] },
    {
      ...metricOptions(),
      missing: shows(9, { field: 'need', values: [3] }),
      values: shows([5]),
      keyed: shows(false),
      hdr: shows({ number_of_significant_value_digits: 1 }, { field: 'big', values: [1500] }),
      tdigest: none({ compression: 10 }, 'computed exactly, whatever the compression'),
    },
  ),
  agg(
    'median_absolute_deviation',
    { field: 'n' },
    {
      ...metricOptions(),
      compression: none(10, 'computed exactly, whatever the compression'),
    },
  ),
  agg(
    'weighted_avg',
    { value: { field: 'n' }, weight: { field: 'f' } },
    {
      value: shows({ field: 'f' }),
      weight: shows({ field: 'n' }),
      format: shows('000.0'),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'missing',
    { field: 'str' },
    {
      field: shows('n'),
      missing: shows('a'),
      format: none('000', 'the bucket has no key to print'),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'terms',
    { field: 'str' },
    {
      field: shows('n'),
      missing: shows('zz'),
      format: shows('000', { field: 'n' }),
      size: shows(1),
      min_doc_count: shows(4),
      order: shows({ _key: 'desc' }),
      include: shows('a.*'),
      exclude: shows(['a1']),
      show_term_doc_count_error: shows(true),
      shard_size: none(9, ONE_SHARD),
      shard_min_doc_count: none(1, ONE_SHARD),
      collect_mode: none('breadth_first', 'the answer is the same; here one way is taken for all'),
      execution_hint: none('map', 'the answer is the same; here one way is taken for all'),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'rare_terms',
    { field: 'str', max_doc_count: 2 },
    {
      field: shows('n'),
      missing: shows('zz'),
      format: shows('000', { field: 'n' }),
      max_doc_count: shows(9),
      include: shows('a.*'),
      exclude: shows('a.*'),
      precision: none(0.1, 'counted exactly, whatever the precision'),
      value_type: VALUE_TYPE,
    },
  ),
  {
    ...agg(
      'significant_terms',
      { field: 'str', min_doc_count: 1 },
      {
        field: shows('need', { min_doc_count: 1, field: 'str' }),
        size: shows(1),
        min_doc_count: shows(4),
        missing: refused('zz'),
        format: refused('000'),
        include: shows('a.*'),
        exclude: shows('a.*'),
        background_filter: shows({ term: { b: true } }),
        jlh: none({}, 'it is the default'),
        gnd: shows({}),
        chi_square: shows({}),
        percentage: shows({}),
        mutual_information: shows({ include_negatives: true }),
        shard_size: none(9, ONE_SHARD),
        shard_min_doc_count: none(1, ONE_SHARD),
        execution_hint: none('map', 'the answer is the same; here one way is taken for all'),
        value_type: VALUE_TYPE,
      },
    ),
    body: (given) => ({ size: 0, query: { range: { n: { lte: 6 } } }, aggs: { x: { significant_terms: given } } }),
  },
  agg(
    'histogram',
    { field: 'n', interval: 5 },
    {
      field: shows('f'),
      interval: shows(2),
      missing: shows(100, { field: 'need', interval: 5 }),
      format: shows('000'),
      offset: shows(2),
      min_doc_count: shows(5),
      extended_bounds: shows({ min: -10, max: 50 }),
      hard_bounds: shows({ min: 5, max: 9 }),
      order: shows({ _count: 'desc' }),
      keyed: shows(true),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'date_histogram',
    { field: 'd', fixed_interval: '5d' },
    {
      field: shows('d2'),
      fixed_interval: shows('2d'),
      calendar_interval: shows('month', { field: 'd' }),
      interval: shows('month', { field: 'd' }),
      missing: shows('2021-01-01', { field: 'd2', fixed_interval: '50d' }),
      format: shows('yyyy'),
      time_zone: shows('+05:00'),
      offset: shows('1h'),
      min_doc_count: shows(5),
      extended_bounds: shows({ min: '2019-12-01', max: '2020-03-01' }),
      hard_bounds: shows({ min: '2020-01-05', max: '2020-01-08' }),
      order: shows({ _count: 'asc' }, { field: 'd', fixed_interval: '7d' }),
      keyed: shows(true),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'auto_date_histogram',
    { field: 'd', buckets: 4 },
    {
      field: shows('d2'),
      buckets: shows(20),
      minimum_interval: shows('month', { field: 'd', buckets: 40 }),
      missing: shows('2021-01-01', { field: 'd2' }),
      format: shows('yyyy'),
      time_zone: shows('+05:00'),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'range',
    { field: 'n', ranges: [{ from: 3, to: 9 }, { from: 9 }] },
    {
      field: shows('need'),
      ranges: shows([{ to: 4 }]),
      missing: shows(100, { field: 'need', ranges: [{ from: 50 }] }),
      format: shows('000'),
      keyed: shows(true),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'date_range',
    { field: 'd', ranges: [{ from: '2020-01-03', to: '2020-01-09' }] },
    {
      field: shows('d2'),
      ranges: shows([{ to: '2020-01-04' }]),
      missing: shows('2020-01-04', { field: 'd2', ranges: [{ to: '2020-01-05' }] }),
      format: shows('yyyy-MM-dd'),
      time_zone: shows('+05:00'),
      keyed: shows(true),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'ip_range',
    { field: 'ip', ranges: [{ to: '10.0.0.5' }] },
    {
      field: shows('ip2'),
      ranges: shows([{ mask: '10.0.0.0/30' }]),
      missing: shows('10.0.0.1', { field: 'ip2', ranges: [{ to: '10.0.0.5' }] }),
      keyed: shows(true),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'geo_distance',
    { field: 'g', origin: '0,0', ranges: [{ to: 1000 }], unit: 'km' },
    {
      field: shows('g2'),
      origin: shows('9,9'),
      ranges: shows([{ from: 100 }]),
      unit: shows('m'),
      distance_type: shows('plane', { field: 'g', origin: '0,170', ranges: [{ to: 20_050_000 }] }),
      keyed: shows(true),
      missing: shows('0,0', { field: 'g2', origin: '0,0', ranges: [{ to: 1 }] }),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'geohash_grid',
    { field: 'g' },
    {
      field: shows('g2'),
      precision: shows(2),
      size: shows(2),
      bounds: shows({ top_left: '10,-20', bottom_right: '0,0' }),
      missing: shows('80,80', { field: 'g2' }),
      shard_size: none(2, ONE_SHARD),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'geotile_grid',
    { field: 'g' },
    {
      field: shows('g2'),
      precision: shows(2),
      size: shows(2),
      bounds: shows({ top_left: '10,-20', bottom_right: '0,0' }),
      missing: shows('80,80', { field: 'g2' }),
      shard_size: none(2, ONE_SHARD),
      value_type: VALUE_TYPE,
    },
  ),
  agg('sampler', { shard_size: 3 }, { shard_size: shows(2) }),
  agg(
    'filters',
    { filters: { a: { term: { b: true } } } },
    {
      filters: shows({ z: { term: { b: true } } }),
      other_bucket: shows(true),
      other_bucket_key: shows('o'),
    },
  ),
  agg(
    'adjacency_matrix',
    { filters: { a: { term: { b: true } }, c: { range: { n: { gt: 5 } } } } },
    {
      filters: shows({ z: { term: { b: true } } }),
      separator: shows('|'),
    },
  ),
  agg('nested', { path: 'items' }, { path: shows('nope') }),
  agg(
    'composite',
    { sources: [{ a: { terms: { field: 'str' } } }] },
    {
      sources: shows([{ a: { terms: { field: 'n' } } }]),
      size: shows(1),
      after: shows({ a: 'a2' }),
    },
  ),
  agg(
    'geo_bounds',
    { field: 'g' },
    {
      field: shows('g2'),
      missing: shows('80,80', { field: 'g2' }),
      wrap_longitude: shows(false, { field: 'far' }),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'geo_centroid',
    { field: 'g' },
    { field: shows('g2'), missing: shows('80,80', { field: 'g2' }), value_type: VALUE_TYPE },
  ),
  {
    ...agg(
      'top_hits',
      { size: 2 },
      {
        from: shows(1),
        size: shows(1),
        sort: shows([{ n: 'desc' }]),
        _source: shows(false),
        stored_fields: shows(['st']),
        docvalue_fields: shows(['n']),
        fields: shows(['n']),
        version: shows(true),
        seq_no_primary_term: shows(true),
        explain: shows(true),
        track_scores: shows(true, { size: 2, sort: ['n'] }),
        highlight: shows({ fields: { t: {} } }),
      },
    ),
    body: (given) => ({ size: 0, query: { match: { t: 'fox' } }, aggs: { x: { top_hits: given } } }),
  },
];

const source = (name: string, base: Json, options: Readonly<Record<string, OptionCase>>): OptionGroup => ({
  where: `composite source \`${name}\``,
  body: (given) => ({ size: 0, aggs: { x: { composite: { sources: [{ a: { [name]: given } }] } } } }),
  base,
  options: { order: shows('desc'), value_type: VALUE_TYPE, ...options },
});

const SOURCE_GROUPS: readonly OptionGroup[] = [
  source(
    'terms',
    { field: 'str' },
    {
      field: shows('n'),
      missing_bucket: shows(true),
      format: shows('yyyy', { field: 'd' }),
    },
  ),
  source(
    'histogram',
    { field: 'n', interval: 2 },
    {
      field: shows('f'),
      interval: shows(3),
      missing_bucket: shows(true, { field: 'need', interval: 1 }),
      format: shows('000'),
    },
  ),
  source(
    'date_histogram',
    { field: 'd', fixed_interval: '1d' },
    {
      field: shows('d2'),
      fixed_interval: shows('2d'),
      calendar_interval: shows('week', { field: 'd' }),
      interval: shows('week', { field: 'd' }),
      missing_bucket: shows(true, { field: 'd2', fixed_interval: '1d' }),
      format: shows('yyyy'),
      time_zone: shows('+01:00'),
      offset: shows('1h'),
    },
  ),
  source(
    'geotile_grid',
    { field: 'g' },
    {
      field: shows('g2'),
      precision: shows(2),
      missing_bucket: shows(true, { field: 'g2' }),
      bounds: refused({ top_left: '10,-20', bottom_right: '0,0' }),
    },
  ),
];

const beside = { h: { histogram: { field: 'gaps', interval: 5 }, aggs: { s: { avg: { field: 'gaps' } } } } };
const sibling = (name: string, options: Readonly<Record<string, OptionCase>> = {}): OptionGroup => ({
  where: `pipeline aggregation \`${name}\``,
  body: (given) => ({ size: 0, aggs: { ...beside, x: { [name]: given } } }),
  base: { buckets_path: 'h>s' },
  options: { buckets_path: shows('h>_count'), gap_policy: shows('insert_zeros'), format: shows('000.0'), ...options },
});
const inside = (name: string, base: Json, options: Readonly<Record<string, OptionCase>>): OptionGroup => ({
  where: `pipeline aggregation \`${name}\``,
  body: (given) => ({ size: 0, aggs: { h: { ...beside.h, aggs: { ...beside.h.aggs, x: { [name]: given } } } } }),
  base,
  options,
});

const PIPELINE_GROUPS: readonly OptionGroup[] = [
  sibling('avg_bucket'),
  sibling('sum_bucket', { gap_policy: none('insert_zeros', 'a sum and zero more is the same sum') }),
  sibling('min_bucket'),
  sibling('max_bucket', {
    gap_policy: none('insert_zeros', 'zeros are no greatest value unless all values are below zero'),
  }),
  sibling('stats_bucket'),
  sibling('extended_stats_bucket', { sigma: shows(3) }),
  sibling('percentiles_bucket', { percents: shows([1]), keyed: shows(false) }),
  inside('cumulative_sum', { buckets_path: 's' }, { buckets_path: shows('_count'), format: shows('000.0') }),
  {
    where: 'pipeline aggregation `derivative`',
    body: (given) => ({
      size: 0,
      aggs: {
        h: {
          date_histogram: { field: 'd', fixed_interval: '1d' },
          aggs: { s: { avg: { field: 'need' } }, x: { derivative: given } },
        },
      },
    }),
    base: { buckets_path: 's' },
    options: {
      buckets_path: shows('_count'),
      gap_policy: shows('insert_zeros'),
      format: shows('000.0'),
      unit: shows('1d'),
    },
  },
  inside(
    'serial_diff',
    { buckets_path: 's' },
    {
      buckets_path: shows('_count'),
      gap_policy: shows('insert_zeros'),
      format: shows('000.0'),
      lag: shows(2),
    },
  ),
  inside(
    'bucket_sort',
    { sort: [{ s: { order: 'desc' } }] },
    {
      sort: shows([{ s: 'asc' }]),
      from: shows(1),
      size: shows(1),
      gap_policy: shows('insert_zeros'),
    },
  ),
];

const BOTH_DEFAULT = 'the answer is the same; the option only says where and how fast it is computed';
const FVH_ONLY = 'it is an option of the highlighter `fvh` only, in Elasticsearch too';
const HIGHLIGHTED = { query: { match: { long: 'fox quick' } } };

/** In `highlight` and in the options of one of its fields. */
const HIGHLIGHT: Readonly<Record<string, OptionCase>> = {
  type: none('plain', 'all of them answer as `unified` does'),
  pre_tags: shows(['<b>']),
  post_tags: shows(['</b>']),
  tags_schema: shows('styled'),
  fragment_size: shows(18),
  number_of_fragments: shows(1),
  no_match_size: shows(30, { highlight_query: { match: { u: 'zzz' } } }),
  order: shows('score', { number_of_fragments: 9 }),
  encoder: shows('html'),
  require_field_match: shows(false, { highlight_query: { match: { u: 'dog' } } }),
  highlight_query: shows({ match: { t: 'dog' } }),
  boundary_scanner: shows('word'),
  boundary_scanner_locale: shows('nonsense-locale!'),
  force_source: none(true, 'fragments are always made from `_source`'),
  fragmenter: none('simple', 'it is an option of the highlighter `plain`, which answers as `unified` does'),
  boundary_chars: none('x', FVH_ONLY),
  boundary_max_scan: none(1, FVH_ONLY),
  fragment_offset: none(3, FVH_ONLY),
  phrase_limit: none(1, FVH_ONLY),
  options: none({ a: 1 }, 'it is for highlighters that plugins bring'),
};

const highlightField = (
  options: Readonly<Record<string, OptionCase>>,
  where: string,
  base: Json = {},
): OptionGroup => ({
  where,
  body: (given) => ({ ...HIGHLIGHTED, _source: false, highlight: { fields: { long: given } } }),
  base,
  options,
});

const termSuggest = { field: 't' };
const RESULT_GROUPS: readonly OptionGroup[] = [
  {
    where: 'the search body',
    known: [...SEARCH_KEYS, ...REFUSED_SEARCH_KEYS],
    body: (given) => given,
    base: { query: { match: { t: 'fox' } } },
    options: {
      query: shows({ match: { t: 'dog' } }),
      post_filter: shows({ term: { b: true } }),
      aggs: shows({ a: { avg: { field: 'n' } } }),
      aggregations: shows({ a: { avg: { field: 'n' } } }),
      from: shows(2),
      size: shows(1),
      sort: shows(['n']),
      track_scores: shows(true, { sort: ['n'] }),
      track_total_hits: shows(2),
      min_score: shows(1),
      search_after: shows([3], { sort: ['n'] }),
      terminate_after: shows(1),
      timeout: none('1m', 'unless the time is over; then the answer says so (tests of limits)'),
      highlight: shows({ fields: { t: {} } }),
      suggest: shows({ x: { text: 'quikc', term: { field: 't' } } }),
      collapse: shows({ field: 'b' }),
      indices_boost: shows([{ o: 2 }]),
      pit: shows({ id: 'nonsense' }),
      _source: shows(['n']),
      stored_fields: shows(['st']),
      docvalue_fields: shows(['n']),
      fields: shows(['n']),
      version: shows(true),
      seq_no_primary_term: shows(true),
      explain: shows(true),
      profile: shows(true),
      slice: shows({ id: 0, max: 2 }),
      stats: none(['group'], 'it counts the search in the statistics of the index (tests of `_stats`)'),
      rescore: shows({ query: { rescore_query: { match: { t: 'quick' } } } }),
      script_fields: refused({ a: {} }),
      ext: refused({ a: {} }),
      runtime_mappings: refused({ a: {} }),
    },
  },
  {
    where: 'sort by a field',
    body: (given) => ({ sort: [{ many: given }], _source: false }),
    base: {},
    options: {
      order: shows('desc'),
      mode: shows('max'),
      missing: shows('_first'),
      unmapped_type: showsIn((given) => ({ sort: [{ nope: given }] }), 'long', {}),
      format: shows('000'),
      numeric_type: none('double', 'numbers are doubles here, whatever their type'),
      nested: shows({ path: 'items' }),
      nested_path: shows('items'),
      nested_filter: showsIn(
        (given) => ({ sort: [{ 'items.n': given }] }),
        { term: { 'items.c': 'c1' } },
        {
          nested_path: 'items',
        },
      ),
    },
  },
  {
    where: 'sort by a nested field',
    body: (given) => ({ sort: [{ 'items.n': { order: 'desc', nested: given } }], _source: false }),
    base: { path: 'items' },
    options: {
      path: shows('nope', {}),
      filter: shows({ term: { 'items.c': 'c1' } }),
      max_children: refused(1),
      nested: refused({ path: 'items' }),
    },
  },
  {
    where: 'sort by `_geo_distance`',
    known: ['order', 'unit', 'mode', 'distance_type', 'ignore_unmapped', 'validation_method', 'nested'],
    body: (given) => ({ sort: [{ _geo_distance: { g: '70,90', ...given } }], _source: false }),
    base: {},
    options: {
      order: shows('desc'),
      unit: shows('km'),
      mode: shows('max', { g: ['70,90', '0,0'] }),
      distance_type: shows('plane'),
      ignore_unmapped: shows(true, { g: undefined, nope: '0,0' }),
      validation_method: none('STRICT', 'it is the default; others are refused'),
      nested: refused({ path: 'items' }),
    },
  },
  highlightField(
    {
      ...HIGHLIGHT,
      matched_fields: shows(['long', 'long.stem'], { highlight_query: { match: { 'long.stem': 'fox' } } }),
    },
    'highlight, a field',
  ),
  {
    where: 'highlight',
    body: (given) => ({ ...HIGHLIGHTED, _source: false, highlight: { fields: { long: {} }, ...given } }),
    base: {},
    options: {
      ...HIGHLIGHT,
      fields: shows({ t: {} }),
    },
  },
  {
    where: 'highlight of type `fvh`',
    known: ['boundary_chars', 'boundary_max_scan', 'fragment_offset', 'phrase_limit'],
    body: (given) => ({ ...HIGHLIGHTED, highlight: { type: 'fvh', fields: { long: given } } }),
    base: {},
    options: {
      boundary_chars: refused('x'),
      boundary_max_scan: refused(1),
      fragment_offset: refused(3),
      phrase_limit: refused(1),
    },
  },
  {
    where: 'suggester `term`',
    body: (given) => ({ size: 0, suggest: { x: { text: 'quikc FOXX dogs fox foxe', term: given } } }),
    base: { ...termSuggest, min_word_length: 3 },
    options: {
      field: shows('long'),
      analyzer: shows('keyword'),
      size: shows(1, { ...termSuggest, min_word_length: 2, max_edits: 2, prefix_length: 0 }),
      sort: shows('frequency', { ...termSuggest, min_word_length: 2 }),
      suggest_mode: shows('always', { ...termSuggest, min_word_length: 2, max_term_freq: 0.9 }),
      max_edits: shows(1, { ...termSuggest, min_word_length: 2, prefix_length: 0 }),
      prefix_length: shows(4),
      min_word_length: shows(9),
      min_doc_freq: shows(9),
      max_term_freq: shows(0.9, { ...termSuggest, min_word_length: 2, suggest_mode: 'always' }),
      string_distance: refused('ngram'),
      lowercase_terms: shows(true, { ...termSuggest, analyzer: 'whitespace', min_word_length: 3 }),
      shard_size: none(9, ONE_SHARD),
      max_inspections: none(1, 'all words that are near enough are looked at'),
    },
  },
  {
    where: 'suggester `completion`',
    body: (given) => ({ size: 0, suggest: { x: { prefix: 'fox', completion: given } } }),
    base: { field: 'comp' },
    options: {
      field: shows('comp2'),
      size: shows(1),
      skip_duplicates: shows(true, { field: 'comp2' }),
      fuzzy: shows({ fuzziness: 1 }),
      analyzer: shows('none'),
      contexts: showsIn(
        (given) => ({ size: 0, suggest: { x: { prefix: 'fox', completion: given } } }),
        { kind: 'fast' },
        { field: 'comp3' },
      ),
      shard_size: none(9, ONE_SHARD),
    },
  },
  {
    where: 'completion `fuzzy`',
    body: (given) => ({ size: 0, suggest: { x: { prefix: 'ofxgl', completion: { field: 'comp', fuzzy: given } } } }),
    base: { prefix_length: 0 },
    options: {
      fuzziness: shows(0),
      transpositions: shows(false, { prefix_length: 0, fuzziness: 1 }),
      min_length: shows(9),
      prefix_length: shows(1),
      unicode_aware: none(true, 'lengths always count characters'),
      max_determinized_states: none(10, 'no automaton of that kind is built; the limits of a request hold'),
    },
  },
  {
    where: 'inner_hits of `nested`',
    body: (given) => ({
      query: { nested: { path: 'items', query: { match: { 'items.t': 'fox dog' } }, inner_hits: given } },
    }),
    base: {},
    options: {
      name: shows('z'),
      from: shows(1),
      size: shows(1),
      sort: shows([{ 'items.n': 'desc' }]),
      _source: shows(false),
      version: shows(true),
      seq_no_primary_term: shows(true),
      explain: refused(true),
      docvalue_fields: shows(['items.n']),
      stored_fields: shows(['_none_']),
      highlight: shows({ fields: { 'items.t': {} } }),
      track_scores: shows(true, { sort: [{ 'items.n': 'desc' }] }),
      fields: shows(['items.n']),
      ignore_unmapped: none(true, 'the query has the same option, and it is the one that counts in Elasticsearch too'),
    },
  },
  {
    where: 'rescore',
    body: (given) => ({ query: { match: { t: 'fox' } }, rescore: given }),
    base: { query: { rescore_query: { match: { t: 'quick' } } } },
    options: { window_size: shows(1), query: shows({ rescore_query: { match: { t: 'dog' } } }) },
  },
  {
    where: 'rescore `query`',
    body: (given) => ({ query: { match: { t: 'fox' } }, rescore: { query: given } }),
    base: { rescore_query: { match: { t: 'quick' } } },
    options: {
      rescore_query: shows({ match: { t: 'dog' } }),
      query_weight: shows(3),
      rescore_query_weight: shows(3),
      score_mode: shows('max'),
    },
  },
  {
    where: 'collapse',
    body: (given) => ({ collapse: given }),
    base: { field: 'b' },
    options: {
      field: shows('n'),
      inner_hits: shows({ name: 'i' }),
      max_concurrent_group_searches: none(1, BOTH_DEFAULT),
    },
  },
  {
    where: 'inner_hits of collapse',
    body: (given) => ({ query: { match: { t: 'fox' } }, collapse: { field: 'b', inner_hits: given } }),
    base: { name: 'i' },
    options: {
      name: shows('z'),
      from: shows(1),
      size: shows(1),
      sort: shows([{ n: 'desc' }]),
      _source: shows(false),
      version: shows(true),
      seq_no_primary_term: shows(true),
      explain: shows(true),
      docvalue_fields: shows(['n']),
      stored_fields: shows(['st']),
      highlight: shows({ fields: { t: {} } }),
      track_scores: shows(true, { name: 'i', sort: ['n'] }),
      fields: shows(['n']),
      ignore_unmapped: none(true, 'what it allows, a field that is not mapped, is refused before'),
      collapse: shows({ field: 'str' }),
    },
  },
  {
    where: 'an entry of `docvalue_fields`',
    body: (given) => ({ docvalue_fields: [given] }),
    base: { field: 'd' },
    options: { field: shows('n'), format: shows('yyyy') },
  },
  {
    where: 'an entry of `fields`',
    body: (given) => ({ fields: [given] }),
    base: { field: 'd' },
    options: { field: shows('n'), format: shows('yyyy') },
  },
  {
    where: 'slice',
    path: '/o/_search?scroll=1m',
    body: (given) => ({ slice: given, size: 3 }),
    base: { id: 0, max: 2 },
    options: { id: shows(1), max: shows(3), field: refused('n') },
  },
];

/** Every part of a search body that takes options. */
export const OPTION_GROUPS: readonly OptionGroup[] = [
  ...QUERY_GROUPS,
  ...AGG_GROUPS,
  ...SOURCE_GROUPS,
  ...PIPELINE_GROUPS,
  ...RESULT_GROUPS,
];
