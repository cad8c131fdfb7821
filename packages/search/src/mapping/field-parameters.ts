// The field types, the parameters of each, and which values are refused. What the parameters mean is in `field-type.ts`.
import { byWord, didYouMean } from '@lockstitch/kernel';
import { asHashMap, show } from '../json/java-values.ts';
import { asBoolean, type Json, nearOrKnown } from '../json/json.ts';
import { illegalArgument, mapperParsing } from '../errors/request-error.ts';
import { contextMappings } from './completion-contexts.ts';
import { checkCombinations, checkParameterValues } from './parameter-values.ts';

/** How a field is stored and compared. */
export type Family =
  | 'text'
  | 'keyword'
  | 'ip'
  | 'number'
  | 'date'
  | 'boolean'
  | 'geo'
  | 'range'
  | 'completion'
  /** One value for all documents of an index. */
  | 'constant'
  | 'id'
  | 'none';

/** The family of each field type that a mapping may name; `object` and `nested` have none. */
export const FAMILIES: Readonly<Record<string, Family>> = byWord({
  text: 'text search_as_you_type',
  keyword: 'keyword wildcard flattened',
  constant: 'constant_keyword',
  ip: 'ip',
  number: `
    long integer short byte double float half_float scaled_float token_count rank_feature`,
  date: 'date date_nanos',
  boolean: 'boolean',
  geo: 'geo_point',
  range: `
    integer_range long_range float_range double_range date_range ip_range`,
  completion: 'completion',
  none: 'binary alias rank_features',
});

/** The family of a field type. */
export function familyOf(type: string): Family {
  return FAMILIES[type] ?? 'none';
}

/** Field types a mapping may name; `object` and `nested` besides. */
export const FIELD_TYPES: readonly string[] = [...Object.keys(FAMILIES), 'object', 'nested'];

const COMMON = ['type', 'fields', 'copy_to', 'meta', 'boost', 'index', 'store'];
const COLUMN = [...COMMON, 'doc_values', 'null_value'];
const PARAMETERS: Readonly<Record<Family, readonly string[]>> = {
  text: [
    ...COMMON,
    'analyzer',
    'search_analyzer',
    'search_quote_analyzer',
    'norms',
    'index_options',
    'position_increment_gap',
    'fielddata',
    'fielddata_frequency_filter',
    'eager_global_ordinals',
    'index_prefixes',
    'index_phrases',
    'similarity',
    'term_vector',
    'max_shingle_size',
  ],
  keyword: [
    ...COLUMN,
    'ignore_above',
    'normalizer',
    'norms',
    'similarity',
    'eager_global_ordinals',
    'index_options',
    'split_queries_on_whitespace',
    'depth_limit',
  ],
  ip: [...COLUMN, 'ignore_malformed'],
  number: [
    ...COLUMN,
    'coerce',
    'ignore_malformed',
    'scaling_factor',
    'analyzer',
    'enable_position_increments',
    'positive_score_impact',
  ],
  date: [...COLUMN, 'format', 'locale', 'ignore_malformed'],
  boolean: COLUMN,
  geo: [...COLUMN, 'ignore_malformed', 'ignore_z_value'],
  range: [...COMMON, 'doc_values', 'coerce', 'format', 'locale'],
  completion: [
    'type',
    'meta',
    'copy_to',
    'fields',
    'analyzer',
    'search_analyzer',
    'preserve_separators',
    'preserve_position_increments',
    'max_input_length',
    'contexts',
  ],
  constant: ['type', 'value', 'meta'],
  id: [],
  none: [...COMMON, 'path', 'doc_values'],
};

/** Parameters of only some types of a family. */
const OWN_PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  scaling_factor: ['scaled_float'],
  enable_position_increments: ['token_count'],
  positive_score_impact: ['rank_feature'],
  depth_limit: ['flattened'],
  max_shingle_size: ['search_as_you_type'],
  eager_global_ordinals: ['text', 'keyword', 'wildcard', 'flattened'],
  fielddata: ['text'],
  fielddata_frequency_filter: ['text'],
  index_phrases: ['text'],
  index_prefixes: ['text'],
  position_increment_gap: ['text'],
  path: ['alias'],
  split_queries_on_whitespace: ['keyword', 'flattened'],
  normalizer: ['keyword', 'flattened'],
  analyzer: ['text', 'search_as_you_type', 'completion', 'token_count'],
};

/** Types with exactly these parameters, instead of those of their family. */
const ONLY_PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  alias: ['type', 'path'],
  rank_feature: ['type', 'positive_score_impact', 'meta', 'copy_to', 'fields'],
  rank_features: ['type', 'meta', 'copy_to', 'fields'],
  binary: ['type', 'doc_values', 'store', 'meta', 'copy_to', 'fields'],
  token_count: [...COLUMN, 'analyzer', 'enable_position_increments'],
};

/** The parameters of a type. */
export function parametersOf(type: string, family: Family): readonly string[] {
  return ONLY_PARAMETERS[type] ?? PARAMETERS[family].filter((key) => OWN_PARAMETERS[key]?.includes(type) !== false);
}

/** Parameters that Elasticsearch accepts for any type and ignores where the type lacks them (`ParametrizedFieldMapper`). */
const DROPPED: readonly string[] = ['store', 'meta', 'index', 'doc_values', 'index_options', 'similarity', 'boost'];

/** Removes the ignored parameters from a definition. */
export function withoutDropped(definition: Json): Json {
  const type = show(definition['type']);
  const family = Object.hasOwn(FAMILIES, type) ? FAMILIES[type] : undefined;
  if (family === undefined || type === 'alias') return definition;
  const known = parametersOf(type, family);
  const isKept = (key: string): boolean => known.includes(key) || !DROPPED.includes(key);
  if (Object.keys(definition).every(isKept)) return definition;
  return Object.fromEntries(Object.entries(definition).filter(([key]) => isKept(key)));
}

/** Types whose errors have Elasticsearch's older wording. */
const OF_OLD: readonly string[] = ['geo_point', 'alias'];

/** Types with an analyzer. */
const ANALYZED: readonly string[] = ['text', 'search_as_you_type', 'completion', 'token_count'];

/** Returns the family of a type. @throws RequestError for an unknown type, and for a parameter that the type lacks */
export function checkParameters(type: string, name: string, definition: Json): Family {
  const family = Object.hasOwn(FAMILIES, type) ? FAMILIES[type] : undefined;
  if (family === undefined)
    throw mapperParsing(`No handler for type [${type}] declared on field [${name}]${didYouMean(type, FIELD_TYPES)}`);
  const known = parametersOf(type, family);
  for (const key of Object.keys(definition)) {
    if (known.includes(key)) continue;
    const value = definition[key];
    const text = show(asHashMap(value));
    throw mapperParsing(
      OF_OLD.includes(type)
        ? `Mapping definition for [${name}] has unsupported parameters:  [${key} : ${text}]${nearOrKnown(key, known)}`
        : `unknown parameter [${key}] on mapper [${name}] of type [${type}]${nearOrKnown(key, known)}`,
    );
  }
  checkParameterValues(name, definition, family);
  if (family === 'completion') contextMappings(definition);
  const similarity = definition['similarity'];
  if (similarity !== undefined && similarity !== null && similarity !== 'BM25') {
    if (similarity === 'boolean') throw mapperParsing(`[similarity] [boolean] of field [${name}] is not supported`);
    if (similarity === 'classic')
      throw illegalArgument(
        'The [classic] similarity may not be used anymore. Please use the [BM25] similarity or build a custom [scripted] similarity instead.',
      );
    throw mapperParsing(`Unknown Similarity type [${show(similarity)}] for field [${name}]`);
  }
  if (type === 'scaled_float' && definition['scaling_factor'] === undefined)
    throw illegalArgument('Field [scaling_factor] is required');
  refuseUseless(family, definition, name);
  return family;
}

/** @throws RequestError for contradicting parameters; Elasticsearch finds them when it builds the field */
export function checkTogether(type: string, path: string, definition: Json): void {
  const name = path.slice(path.lastIndexOf('.') + 1);
  if (type === 'token_count' && definition['analyzer'] === undefined)
    throw mapperParsing(`Analyzer must be set for field [${name}] but wasn't.`);
  if (ANALYZED.includes(type)) checkCombinations(name, path, definition);
  if (definition['format'] !== undefined && type.endsWith('_range') && type !== 'date_range')
    throw illegalArgument(
      `field [${name}] of type [range] should not define a dateTimeFormatter unless it is a DATE type`,
    );
}

/** @throws RequestError for parameters that would change answers in Elasticsearch and have no effect here */
function refuseUseless(family: Family, definition: Json, name: string): void {
  const given = (key: string): boolean => definition[key] !== undefined && definition[key] !== null;
  const refuse = (what: string): never => {
    throw mapperParsing(`${what} of field [${name}] is not supported`);
  };
  if (given('boost') && Number(definition['boost']) !== 1) refuse('[boost]');
  if (family === 'text' && definition['index_options'] === 'docs') refuse('[index_options] [docs]');
  if (given('fielddata_frequency_filter')) refuse('[fielddata_frequency_filter]');
  if (given('preserve_separators') && !asBoolean(definition['preserve_separators'], 'preserve_separators'))
    refuse('[preserve_separators] [false]');
  if (given('preserve_position_increments') && definition['preserve_position_increments'] !== true)
    refuse('[preserve_position_increments] [false]');
}
