// The parameters of fields, type by type: each with a document and a request that tell a field with it from one without, or with the
// reason why it is kept and means nothing. mapping-params.test.ts holds the code to this table; docs/compatibility.md prints the second kind.

/** What a parameter does on some types. */
export interface ParamCase {
  readonly types: readonly string[];
  readonly kind: 'effect' | 'none' | 'refused';
  readonly value: unknown;
  /** Why it means nothing. */
  readonly because?: string;
  /** The field's value in the one document. */
  readonly document?: unknown;
  /** The search that shows the difference; all documents with all columns by default. */
  readonly ask?: unknown;
  /** Another request than a search. */
  readonly target?: string;
  /** It is for those who read the mapping. */
  readonly isTold?: boolean;
  /** The other parameters, on both sides. */
  readonly besides?: Readonly<Record<string, unknown>>;
}

const NUMBERS = ['integer', 'scaled_float'];
const TEXTS = ['text', 'search_as_you_type'];
const COLUMNS = ['keyword', 'wildcard', 'flattened', 'ip', ...NUMBERS, 'token_count', 'date', 'boolean', 'geo_point'];
const INDEXED = [...TEXTS, ...COLUMNS, 'integer_range'];
const ALL = [...INDEXED, 'completion'];

const shows = (types: readonly string[], value: unknown, more: Partial<ParamCase> = {}): ParamCase => ({
  types,
  kind: 'effect',
  value,
  ...more,
});
const none = (types: readonly string[], value: unknown, because: string): ParamCase => ({
  types,
  kind: 'none',
  value,
  because,
});
const refused = (types: readonly string[], value: unknown): ParamCase => ({ types, kind: 'refused', value });

const SPEED = 'answers are the same; such queries have their own fast way here';
const keywords = ['keyword', 'wildcard', 'flattened'];
const find = (query: unknown) => ({ query });

/** By name; a parameter may mean something on some types and nothing on others. The first type of a case is the one that is tried. */
export const MAPPING_PARAMS: Readonly<Record<string, readonly ParamCase[]>> = {
  fields: [
    shows(
      [...ALL, 'rank_feature', 'binary'],
      { sub: { type: 'keyword' } },
      { document: 'fox', ask: find({ term: { 'x.sub': 'fox' } }) },
    ),
  ],
  copy_to: [
    shows([...ALL, 'rank_feature', 'binary'], 'other', { document: 'fox', ask: find({ match: { other: 'fox' } }) }),
  ],
  meta: [
    shows([...ALL, 'constant_keyword', 'rank_feature', 'binary'], { unit: 'ms' }, { document: 'fox', isTold: true }),
  ],
  boost: [refused(INDEXED, 2)],
  index: [shows(INDEXED, false, { document: 'fox', ask: find({ match: { x: 'fox' } }) })],
  store: [shows([...INDEXED, 'binary'], true, { document: 'fox', ask: { stored_fields: ['x'] } })],
  doc_values: [
    shows(
      COLUMNS.filter((type) => type !== 'geo_point'),
      false,
      { document: 'fox', ask: { sort: ['x'] } },
    ),
    none(['geo_point', 'integer_range', 'binary'], true, 'it is the default'),
  ],
  null_value: [shows(COLUMNS, 'fox', { document: null, ask: find({ term: { x: 'fox' } }) })],
  similarity: [none([...TEXTS, ...keywords], 'BM25', 'it is the one similarity there is; others are refused')],
  analyzer: [
    shows([...TEXTS, 'completion'], 'keyword', { document: 'A fox', ask: find({ match: { x: 'fox' } }) }),
    shows(['token_count'], 'keyword', { document: 'a fox', ask: { docvalue_fields: ['x'] } }),
  ],
  search_analyzer: [
    shows([...TEXTS, 'completion'], 'keyword', { document: 'a fox', ask: find({ match: { x: 'a fox' } }) }),
  ],
  search_quote_analyzer: [shows(TEXTS, 'keyword', { document: 'a fox', ask: find({ match_phrase: { x: 'a fox' } }) })],
  norms: [
    shows(TEXTS, false, { document: 'a fox a fox', ask: find({ match: { x: 'fox' } }) }),
    none(keywords, false, 'a keyword is one word: it has no length to weigh'),
  ],
  index_options: [
    shows(TEXTS, 'freqs', { document: 'a fox', ask: find({ match_phrase: { x: 'a fox' } }) }),
    none(keywords, 'docs', 'it is the default, and a keyword is one word in one place'),
  ],
  position_increment_gap: [shows(['text'], 0, { document: ['a', 'fox'], ask: find({ match_phrase: { x: 'a fox' } }) })],
  fielddata: [shows(['text'], true, { document: 'a fox', ask: { sort: ['x'] } })],
  fielddata_frequency_filter: [refused(['text'], { min: 0.1 })],
  eager_global_ordinals: [none(['text', ...keywords], true, 'the numbers of terms are made when a segment is')],
  index_prefixes: [none(['text'], {}, SPEED)],
  index_phrases: [none(['text'], true, SPEED)],
  term_vector: [shows(TEXTS, 'yes', { document: 'fox', target: 'GET /m/_termvectors/1' })],
  max_shingle_size: [
    shows(['search_as_you_type'], 4, { document: 'a b c d', ask: find({ exists: { field: 'x._4gram' } }) }),
  ],
  ignore_above: [shows(keywords, 2, { document: 'fox', ask: find({ term: { x: 'fox' } }) })],
  normalizer: [shows(['keyword', 'flattened'], 'lowercase', { document: 'FOX', ask: find({ term: { x: 'fox' } }) })],
  split_queries_on_whitespace: [
    shows(['keyword', 'flattened'], true, { document: 'fox', ask: find({ match: { x: 'a fox' } }) }),
  ],
  value: [shows(['constant_keyword'], 'fox', { document: 'dog' })],
  depth_limit: [shows(['flattened'], 1, { document: { a: { b: 'fox' } } })],
  ignore_malformed: [shows([...NUMBERS, 'ip', 'date', 'geo_point'], true, { document: 'fox' })],
  coerce: [shows([...NUMBERS, 'integer_range'], false, { document: '1' })],
  scaling_factor: [
    shows(['scaled_float'], 2, { besides: { scaling_factor: 10 }, document: 0.4, ask: { docvalue_fields: ['x'] } }),
  ],
  enable_position_increments: [
    shows(['token_count'], false, {
      besides: { analyzer: 'english' },
      document: 'the fox',
      ask: { docvalue_fields: ['x'] },
    }),
  ],
  positive_score_impact: [
    shows(['rank_feature'], false, {
      document: 3,
      ask: find({ rank_feature: { field: 'x', saturation: { pivot: 2 } } }),
    }),
  ],
  format: [shows(['date', 'integer_range'], 'yyyy/MM', { document: '2020/05' })],
  locale: [
    shows(['date'], 'de', { besides: { format: 'dd MMM yyyy' }, document: '06 Dez. 2000' }),
    none(['integer_range'], 'de', 'only names of months and days have a language'),
  ],
  ignore_z_value: [shows(['geo_point'], false, { document: [1, 2, 3] })],
  preserve_separators: [refused(['completion'], false)],
  preserve_position_increments: [refused(['completion'], false)],
  max_input_length: [
    shows(['completion'], 2, {
      document: 'fox',
      ask: { suggest: { s: { prefix: 'fox', completion: { field: 'x' } } } },
    }),
  ],
  contexts: [shows(['completion'], [{ name: 'a', type: 'category' }], { document: 'fox' })],
  path: [shows(['alias'], 'other', { ask: find({ exists: { field: 'x' } }) })],
};

/** The types that are tried; the others of a family take what these take. */
export const MAPPING_TYPES: readonly string[] = [...ALL, 'constant_keyword', 'rank_feature', 'binary', 'alias'];
