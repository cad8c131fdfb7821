// How a field's definition is printed: as `GET _mapping` shows it, and with all defaults as `GET _mapping/field?include_defaults` does.
import { isObject, type Json, textOf, toList } from '../json/json.ts';
import { DEFAULT_DATE_FORMAT } from './date-format.ts';
import { parsePoint } from './geo.ts';
import { typedParameter } from './parameter-values.ts';
import type { MappedField } from './field-type.ts';
import type { FieldNode } from './mapping-tree.ts';

const TERMS = { boost: 1, eager_global_ordinals: false, similarity: null };
const VALUES = { doc_values: true, null_value: null };
const NUMBERS = { ...VALUES, coerce: true, ignore_malformed: false };
const DATES = { ...VALUES, boost: 1, format: DEFAULT_DATE_FORMAT, ignore_malformed: false, locale: '' };
const RANGES = { boost: 1, coerce: true, doc_values: true };
const TEXTS = { index_options: 'positions', norms: true, similarity: null, term_vector: 'no' };

/** Parameters that all types print besides `type`, except the types in `ALONE`. */
const COMMON = { index: true, meta: {}, store: false };

/** Parameters by type; other types have those of their family. */
const DEFAULTS: Readonly<Record<string, Json>> = {
  text: {
    ...TERMS,
    ...TEXTS,
    fielddata: false,
    fielddata_frequency_filter: { min: 0, max: 2147483647, min_segment_size: 0 },
    index_phrases: false,
    index_prefixes: null,
    position_increment_gap: -1,
  },
  search_as_you_type: TEXTS,
  shingle: { boost: 1 },
  prefix: { boost: 1 },
  keyword: {
    ...TERMS,
    ...VALUES,
    ignore_above: 2147483647,
    index_options: 'docs',
    normalizer: 'default',
    norms: false,
    split_queries_on_whitespace: false,
  },
  token_count: { ...VALUES, enable_position_increments: true },
  boolean: { ...VALUES, boost: 1 },
  ip: { ...VALUES, ignore_malformed: false },
  geo_point: { ...VALUES, boost: 1, ignore_malformed: false, ignore_z_value: true },
  date_range: { ...RANGES, format: DEFAULT_DATE_FORMAT, locale: '' },
};

const ALONE: Readonly<Record<string, Json>> = {
  alias: {},
  binary: { doc_values: false, meta: {}, store: false },
  completion: { meta: {} },
  constant_keyword: { meta: {} },
  rank_feature: { meta: {}, positive_score_impact: true },
  rank_features: { meta: {} },
};

const ANALYZED: readonly string[] = ['text', 'search_as_you_type', 'completion'];

/** Defaults of a field. */
function defaultsOf(field: MappedField, shown: Json): Json {
  const { family, type } = field;
  const alone = ALONE[type];
  const usual: Json =
    alone ??
    DEFAULTS[type] ??
    (family === 'number' ? NUMBERS : family === 'date' ? DATES : family === 'range' ? RANGES : VALUES);
  // The settings of the index may say otherwise.
  const own = {
    ...usual,
    ...(usual['coerce'] === undefined ? {} : { coerce: field.coerce }),
    ...(usual['ignore_malformed'] === undefined ? {} : { ignore_malformed: field.ignoreMalformed }),
  };
  if (!ANALYZED.includes(type)) return alone ?? { ...COMMON, ...own };
  const analyzer = shown['analyzer'] ?? 'default';
  const search = shown['search_analyzer'] ?? analyzer;
  const quoted = type === 'completion' ? {} : { search_quote_analyzer: search };
  return { ...(alone === undefined ? COMMON : {}), ...own, analyzer, search_analyzer: search, ...quoted };
}

/** Analyzers that must be printed because another one is set. */
function namedAnalyzers({
  analyzer = 'default',
  search_analyzer: search = analyzer,
  search_quote_analyzer: quoted = search,
}: Json): Json {
  if (quoted !== search) return { analyzer, search_analyzer: search };
  return search === analyzer ? {} : { analyzer };
}

/** Contexts of a completion field as they are printed. */
function printContexts(contexts: unknown): unknown {
  return toList(contexts).map((each) => {
    const { name, type, precision = 6, path } = each as Json;
    const kind = textOf(type).toUpperCase();
    return { name, type: kind, ...(kind === 'GEO' ? { precision } : {}), ...(path === undefined ? {} : { path }) };
  });
}

/** Parameters that are printed even if they are not set. */
function alwaysShown({ type, definition }: MappedField): Json {
  switch (type) {
    case 'completion':
      return {
        analyzer: 'simple',
        preserve_separators: true,
        preserve_position_increments: true,
        max_input_length: 50,
        ...(definition['contexts'] === undefined || definition['contexts'] === null
          ? {}
          : { contexts: printContexts(definition['contexts']) }),
      };
    case 'search_as_you_type':
      return { doc_values: false, max_shingle_size: 3, ...namedAnalyzers(definition) };
    case 'shingle':
    case 'prefix':
      return { doc_values: false };
    case 'text': {
      const prefixes = definition['index_prefixes'];
      return {
        ...(isObject(prefixes) ? { index_prefixes: { min_chars: 2, max_chars: 5, ...prefixes } } : {}),
        ...namedAnalyzers(definition),
      };
    }
    default:
      return {};
  }
}

/** The `null_value`, as the type parses it. */
function typedNull({ family, type }: MappedField, value: unknown): unknown {
  if (value === null) return value;
  if (family === 'keyword' || family === 'date' || family === 'ip') return textOf(value);
  if (family === 'number') return Number(value);
  if (family === 'boolean') return value === true || value === 'true';
  if (type !== 'geo_point') return value;
  const { lat, lon } = parsePoint(value);
  return { lat, lon };
}

/** Parameters whose default is printed where the definition says it. */
const EXPLICIT: readonly string[] = ['type', 'coerce', 'ignore_malformed', 'ignore_z_value', 'analyzer'];

/** Parameters that are accepted and not kept. */
function isForgotten(key: string, value: unknown, field: MappedField): boolean {
  const { family, ignoresMalformedByDefault = false, type } = field;
  if (key === 'similarity') return family !== 'text' && type !== 'keyword';
  if (key === 'index') return family === 'geo';
  if (key === 'locale')
    return type !== 'date' && type !== 'date_nanos' && type !== 'date_range'
      ? true
      : /^(?:root)?$/i.test(textOf(value));
  return key === 'ignore_malformed' && value === ignoresMalformedByDefault && (family === 'date' || family === 'ip');
}

/** Whether a parameter has its default value and is not printed. */
function isLeftOut(key: string, value: unknown, defaults: Json, { type }: MappedField): boolean {
  if (EXPLICIT.includes(key) || type === 'alias') return false;
  return JSON.stringify(value) === JSON.stringify(defaults[key]) && defaults[key] !== undefined;
}

/** Prints the definition of a field. */
export function printField(
  field: MappedField,
  multi: ReadonlyMap<string, FieldNode> | undefined,
  includeDefaults = false,
): Json {
  const { copy_to: copyTo, ...rest } = field.definition;
  const always = alwaysShown(field);
  // In a fixed order: a view prints a mapping, parses it without hidden fields, and prints it again.
  const shown: Record<string, unknown> = { type: field.type, ...(field.type === 'text' ? rest : {}), ...always };
  for (const [key, value] of Object.entries(rest))
    if ((key !== 'index_prefixes' && key !== 'contexts') || shown[key] === undefined) shown[key] = value;
  for (const [key, value] of Object.entries(shown)) shown[key] = typedParameter(key, value);
  if (rest['null_value'] !== undefined) shown['null_value'] = typedNull(field, rest['null_value']);
  const defaults = defaultsOf(field, shown);
  const usual = { ...defaults, search_analyzer: defaults['analyzer'] };
  for (const key of Object.keys(shown))
    if (isForgotten(key, shown[key], field) || (always[key] === undefined && isLeftOut(key, shown[key], usual, field)))
      delete shown[key];
  if (copyTo !== undefined && field.copyTo.length > 0) shown['copy_to'] = field.copyTo;
  // Elasticsearch does not show the sub-fields of a search_as_you_type.
  const visible = field.type === 'search_as_you_type' ? [] : [...(multi ?? [])];
  if (visible.length > 0)
    shown['fields'] = Object.fromEntries(
      visible
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, node]) => [name, printField(node.field, node.multi, includeDefaults)]),
    );
  return includeDefaults ? { ...defaults, ...shown } : shown;
}

/** The type of a sub-field of `search_as_you_type`; undefined for other fields. */
export function besideSearchAsYouType(path: string, parent: MappedField | undefined): 'shingle' | 'prefix' | undefined {
  if (parent?.type !== 'search_as_you_type') return undefined;
  if (path.endsWith('._index_prefix')) return 'prefix';
  return /\._\dgram$/.test(path) ? 'shingle' : undefined;
}

const BESIDE = { boost: 1, index: true, doc_values: false, store: false, meta: {} };

/** The sub-fields of a text field for prefixes and pairs of words, as `GET _mapping/field` shows them. */
export function fieldsBeside(
  { type, path, definition }: MappedField,
  includeDefaults: boolean,
): readonly (readonly [path: string, mapping: Json])[] {
  if (type !== 'text') return [];
  const store = definition['store'] === true || definition['store'] === 'true';
  const shown = (kind: string): Json => ({
    type: kind,
    ...(includeDefaults ? BESIDE : { doc_values: false }),
    ...(includeDefaults || store ? { store } : {}),
  });
  const hasPhrases = definition['index_phrases'] === true || definition['index_phrases'] === 'true';
  return [
    ...(hasPhrases ? [[`${path}._index_phrase`, shown('phrase')] as const] : []),
    ...(isObject(definition['index_prefixes']) ? [[`${path}._index_prefix`, shown('prefix')] as const] : []),
  ];
}

/** Prints a metadata field as `GET _mapping/field` shows it. */
export function printMetadata(name: string, mapping: Json, includeDefaults: boolean): Json {
  const said = mapping[name];
  if (!isObject(said)) return {};
  const usual = name === '_source' ? { enabled: true, includes: [], excludes: [] } : {};
  return { [name]: includeDefaults ? { ...usual, ...said } : said };
}
