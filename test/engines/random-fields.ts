// Random definitions of fields: every type that the free build of Elasticsearch has and we offer, every parameter with values that it
// takes, and the mistakes that people make.
import type { Random } from '@lockstitch/search/requests';

export type Json = Readonly<Record<string, unknown>>;

/** Names that the analysis settings of the index define. */
export const ANALYZERS = ['standard', 'english', 'whitespace', 'keyword', 'simple', 'own_words', 'own_grams'] as const;
const NORMALIZERS = ['lowercase', 'own_folding'] as const;

/** Settings of an index that `ANALYZERS` and `NORMALIZERS` need. */
export const ANALYSIS: Json = {
  analyzer: {
    own_words: {
      type: 'custom',
      tokenizer: 'standard',
      filter: ['lowercase', 'asciifolding'],
      char_filter: ['html_strip'],
    },
    own_grams: { type: 'custom', tokenizer: 'own_cut', filter: ['lowercase'] },
  },
  tokenizer: { own_cut: { type: 'edge_ngram', min_gram: 1, max_gram: 4, token_chars: ['letter', 'digit'] } },
  normalizer: { own_folding: { type: 'custom', filter: ['lowercase', 'asciifolding'] } },
};

type Values = readonly unknown[];

/** Values as JSON, which is shorter than one a line. */
const list = <T>(text: string): readonly T[] => JSON.parse(`[${text}]`) as readonly T[];
type Parameters = Readonly<Record<string, Values>>;

const FLAG: Values = [true, false, true, false, 'true', 'false'];
const COMMON: Parameters = {
  store: FLAG,
  index: FLAG,
  meta: [{ unit: 'ms' }, { unit: 'ms', metric_type: 'gauge' }, {}],
  copy_to: ['all', ['all'], ['all', 'more'], [], 'spaces.inside'],
};
const COLUMN: Parameters = { ...COMMON, doc_values: FLAG };
const TERMS: Parameters = {
  eager_global_ordinals: FLAG,
  similarity: [...Array.from({ length: 20 }, () => 'BM25'), 'boolean'],
};
const TEXT: Parameters = {
  ...COMMON,
  analyzer: ANALYZERS,
  search_analyzer: ANALYZERS,
  search_quote_analyzer: ANALYZERS,
  norms: FLAG,
  index_options: ['freqs', 'freqs', 'positions', 'positions', 'offsets', 'offsets', 'positions'],
  term_vector: [
    'no',
    'yes',
    'with_positions',
    'with_offsets',
    'with_positions_offsets',
    'with_positions_payloads',
    'with_positions_offsets_payloads',
  ],
};
const DATE: Parameters = {
  ...COLUMN,
  format: [
    'yyyy-MM-dd',
    'epoch_millis',
    'epoch_second',
    'strict_date',
    'dd/MM/yyyy||epoch_millis',
    'basic_date',
    'yyyy-MM-dd HH:mm:ss',
    'strict_date_optional_time||epoch_second',
    "yyyy-MM-dd'T'HH:mm:ss.SSSZ",
    'year_month',
    'week_date',
    'date_hour_minute',
    'ordinal_date',
  ],
  locale: ['en', 'ROOT', 'en_US', 'de'],
  ignore_malformed: FLAG,
};
const NUMBER: Parameters = { ...COLUMN, coerce: FLAG, ignore_malformed: FLAG, null_value: [0, 7, '7', -1, 2.5] };
const RANGE: Parameters = { ...COLUMN, coerce: FLAG };

/** What each type takes. */
const TYPES: Readonly<Record<string, Parameters>> = {
  text: {
    ...TEXT,
    ...TERMS,
    fielddata: FLAG,
    position_increment_gap: [0, 1, 100, '5'],
    index_prefixes: [{}, { min_chars: 1, max_chars: 3 }, { max_chars: 10 }, { min_chars: '2' }],
    index_phrases: FLAG,
    fielddata_frequency_filter: [{ min: 0.01, max: 0.5, min_segment_size: 500 }],
  },
  keyword: {
    ...COLUMN,
    ...TERMS,
    ignore_above: [0, 3, 5, '4', 100],
    normalizer: NORMALIZERS,
    norms: FLAG,
    null_value: ['none', '', 7, true],
    index_options: ['docs', 'freqs'],
    split_queries_on_whitespace: FLAG,
  },
  long: NUMBER,
  integer: NUMBER,
  short: NUMBER,
  byte: NUMBER,
  double: NUMBER,
  float: NUMBER,
  half_float: NUMBER,
  scaled_float: { ...NUMBER, scaling_factor: [10, 100, '10', 0.5, 1000000000] },
  date: { ...DATE, null_value: ['2026-01-01', '1970-01-01', 1767225600000] },
  date_nanos: { ...DATE, null_value: ['2026-01-01T00:00:00.123456789Z', 1767225600000] },
  boolean: { ...COLUMN, null_value: [true, false, 'true', 'false', ''] },
  ip: { ...COLUMN, ignore_malformed: FLAG, null_value: ['10.0.0.7', '::1'] },
  geo_point: {
    ...COLUMN,
    ignore_malformed: FLAG,
    ignore_z_value: FLAG,
    null_value: ['1,2', { lat: 1, lon: 2 }, [2, 1], 'drm3btev3e86'],
  },
  integer_range: RANGE,
  long_range: RANGE,
  float_range: RANGE,
  double_range: RANGE,
  ip_range: RANGE,
  date_range: { ...RANGE, format: DATE['format']!, locale: DATE['locale']! },
  binary: { store: FLAG, doc_values: FLAG, meta: COMMON['meta']! },
  token_count: { ...COLUMN, analyzer: ANALYZERS, enable_position_increments: FLAG, null_value: [0, 3] },
  rank_feature: { positive_score_impact: FLAG, meta: COMMON['meta']! },
  rank_features: { meta: COMMON['meta']! },
  search_as_you_type: { ...TEXT, max_shingle_size: [2, 3, 4, '2'], similarity: TERMS['similarity']! },
  completion: {
    analyzer: ANALYZERS,
    search_analyzer: ANALYZERS,
    preserve_separators: FLAG,
    preserve_position_increments: FLAG,
    max_input_length: [5, 50, '10'],
    meta: COMMON['meta']!,
    contexts: [
      [{ name: 'place', type: 'geo', precision: 4 }],
      [{ name: 'kind', type: 'category', path: 'k' }],
      [{ name: 'kind', type: 'category' }],
    ],
  },
};

const NAMES = Object.keys(TYPES);
/** More often than others, as people have them more often. */
const USUAL = ['text', 'text', 'keyword', 'keyword', 'long', 'integer', 'double', 'date', 'date', 'boolean'];
const ALL_PARAMETERS = [...new Set(Object.values(TYPES).flatMap((parameters) => Object.keys(parameters)))];

/** Parameters that we refuse by name: each hides what else a mapping would show. */
const REFUSED: readonly string[] = [
  'fielddata_frequency_filter',
  'preserve_separators',
  'preserve_position_increments',
];

/** Values that no parameter takes, or that few take. */
const WRONG: Values = list(
  String.raw`"wrong", "", null, -1, 0, 1.5, [], ["a","b"], {}, {"a":1}, "TRUE", "yes", 10000000000, "no", 21, [null], true`,
);
const WRONG_TYPES: Values = list(
  String.raw`"string", "Text", "number", "int", "datetime", "", null, 7, ["text"], "nesteds", "geopoint", "multi_field", {}`,
);

/** How a definition may go wrong. */
export type Slip = 'none' | 'value' | 'parameter' | 'type' | 'shape';

/** One field. @param inside whether it stands below another, as a multi-field */
export function randomField(random: Random, slip: Slip = 'none', inside = false): unknown {
  const type = random.pick(random.once(2) ? USUAL : NAMES);
  const parameters = TYPES[type]!;
  const isOften = random.once(3) ? 3 : 7;
  // A value that is an object cannot be copied to a new field: one mistake there, whatever the type.
  const isObject = /_range$|^geo_point$/.test(type);
  const isTaken = (name: string): boolean =>
    name === 'copy_to' ? !inside && (!isObject || random.once(10)) : !REFUSED.includes(name) || random.once(100);
  const chosen = Object.keys(parameters).filter((name) => random.once(isOften) && isTaken(name));
  if (type === 'token_count' && !random.once(20) && !chosen.includes('analyzer')) chosen.push('analyzer');
  if (type === 'scaled_float' && !random.once(30) && !chosen.includes('scaling_factor')) chosen.push('scaling_factor');
  // What of a text needs another parameter is mostly given with it.
  if (chosen.includes('search_quote_analyzer') && !random.once(5)) chosen.push('search_analyzer', 'analyzer');
  if (chosen.includes('search_analyzer') && !random.once(5)) chosen.push('analyzer');
  const definition: Record<string, unknown> = { type };
  for (const name of new Set(chosen)) definition[name] = random.pick(parameters[name]!);
  if (!inside && random.once(5))
    definition['fields'] = Object.fromEntries(
      Array.from({ length: 1 + random.int(2) }, (_, at) => [`sub${at}`, randomField(random, 'none', true)]),
    );
  return slip === 'none' ? definition : spoilField(random, definition, slip, parameters);
}

function spoilField(random: Random, definition: Record<string, unknown>, slip: Slip, parameters: Parameters): unknown {
  switch (slip) {
    case 'value':
      definition[random.pick([...Object.keys(parameters), 'fields', 'boost'])] = random.pick(WRONG);
      return definition;
    case 'parameter': {
      const name = random.pick([
        ...ALL_PARAMETERS,
        'include_in_all',
        'indexed',
        'boost',
        'dynamic',
        'enabled',
        'properties',
        'Analyzer',
        'relations',
      ]);
      const values = Object.values(TYPES).find((each) => name in each)?.[name];
      definition[name] = random.pick(values ?? WRONG);
      return definition;
    }
    case 'type':
      definition['type'] = random.pick(WRONG_TYPES);
      return definition;
    default:
      return random.pick<unknown>([
        'text',
        null,
        [],
        [definition],
        7,
        {},
        { properties: [] },
        { fields: {} },
        { ...definition, fields: random.pick(WRONG) },
        { ...definition, properties: { x: { type: 'text' } } },
        { properties: { x: definition }, type: 'object', enabled: 'x' },
      ]);
  }
}
