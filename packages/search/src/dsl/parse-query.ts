// Request JSON → query tree: which query types there are, which members each knows, and how compound queries nest.
// Everything not known is refused by name. Full-text and single-field questions are built in the files beside.
import { didYouMean } from '@lockstitch/kernel';
import {
  asBoolean,
  asChoice,
  asInteger,
  asNumber,
  asObject,
  asString,
  checkKeys,
  isObject,
  type Json,
  onlyMember,
  toList,
  textOf,
} from '../json.ts';
import type { Query } from '../query/query.ts';
import { illegalArgument, parsingError, RequestError, unsupported } from '../request-error.ts';
import type { QueryContext } from './context.ts';
import {
  createQueryError,
  existsQuery,
  fuzzyTerm,
  patternField,
  rangeQuery,
  readRewrite,
  termQuery,
  termsQuery,
} from './field-query.ts';
import { functionScore } from './function-score.ts';
import { geoBox, geoDistance } from './geo-query.ts';
import { minimumShouldMatch } from './minimum-should-match.ts';
import { parseQueryString } from './query-string.ts';
import { parseSimpleQueryString } from './simple-query-string.ts';
import {
  boosted,
  expandFields,
  type MatchKind,
  type MatchOptions,
  matchQuery,
  multiMatchQuery,
  type MultiMatchType,
  type WeightedField,
} from './text-query.ts';

/** How deep queries may nest. */
const MAX_DEPTH = 60;

type Reader = (body: unknown, context: QueryContext, depth: number) => Query;

/** Reads a query object. @throws RequestError naming what is not understood */
export function parseQuery(json: unknown, context: QueryContext, depth = 0): Query {
  if (depth > MAX_DEPTH) throw illegalArgument(`The query is nested deeper than ${MAX_DEPTH} levels`);
  if (!isObject(json)) throw parsingError(`[_na] query malformed, must start with start_object`);
  const [type, body] = onlyMember(json, 'query');
  const reader = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (reader === undefined) {
    if (UNSUPPORTED.includes(type)) throw unsupported(`query [${type}]`);
    throw parsingError(`unknown query [${type}]${didYouMean(type, Object.keys(READERS)).replace(/^ Did/, ' did')}`, {
      causedBy: { type: 'named_object_not_found_exception', reason: `unknown field [${type}]` },
    });
  }
  try {
    return reader(body, context, depth + 1);
  } catch (error) {
    throw createQueryError(error, context);
  }
}

/** Query types of Elasticsearch 7.10 that this engine does not have. */
const UNSUPPORTED = [
  'more_like_this',
  'script',
  'script_score',
  'percolate',
  'has_child',
  'has_parent',
  'parent_id',
  'geo_shape',
  'geo_polygon',
  'shape',
  'intervals',
  'span_term',
  'span_near',
  'span_or',
  'span_not',
  'span_first',
  'span_multi',
  'span_containing',
  'span_within',
  'field_masking_span',
  'distance_feature',
  'rank_feature',
  'pinned',
  'common',
];

/** The query types that are understood; for docs/compatibility.md. */
export function queryTypes(): { readonly supported: readonly string[]; readonly refused: readonly string[] } {
  return { supported: Object.keys(READERS).sort(), refused: UNSUPPORTED.toSorted() };
}

function common(body: Json, query: Query): Query {
  const boost = body['boost'] === undefined ? 1 : asNumber(body['boost'], 'boost');
  if (boost < 0)
    throw illegalArgument(
      `negative [boost] are not allowed in [${query.kind}], use a value between 0 and 1 to deboost`,
    );
  const name = body['_name'];
  const weighted = boosted(query, boost);
  return name === undefined ? weighted : { ...weighted, name: asString(name, '_name') };
}

/** `{ "<field>": value }` or `{ "<field>": { … } }`. */
function fieldBody(body: unknown, type: string, short: string, known: readonly string[]): readonly [string, Json] {
  const object = asObject(body, type);
  // Some clients put `boost` and `_name` beside the field; Elasticsearch accepts them for a few types only.
  const keys = Object.keys(object);
  if (keys.length === 0) throw illegalArgument(`[${type}] query malformed, no field given`);
  if (keys.length > 1) {
    throw parsingError(`[${type}] query doesn't support multiple fields, found [${keys[0]}] and [${keys[1]}]`);
  }
  const name = keys[0]!;
  const value = object[name];
  if (!isObject(value)) {
    if (Array.isArray(value)) throw parsingError(`[${type}] query does not support arrays`);
    if (value === null) throw illegalArgument(`No value specified for ${type} query`);
    return [name, { [short]: value }];
  }
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) {
      throw parsingError(`[${type}] query does not support [${key}]${didYouMean(key, known).replace(/\?$/, '?')}`);
    }
  }
  if (value[short] === undefined || value[short] === null) {
    throw illegalArgument(`No ${short === 'query' ? 'text' : 'value'} specified for ${type} query`);
  }
  return [name, value];
}

function optionalString(body: Json, key: string): string | undefined {
  return body[key] === undefined || body[key] === null ? undefined : asString(body[key], key);
}

function optionalBoolean(body: Json, key: string, fallback: boolean): boolean {
  return body[key] === undefined ? fallback : asBoolean(body[key], key);
}

function optionalNumber(body: Json, key: string): number | undefined {
  return body[key] === undefined ? undefined : asNumber(body[key], key);
}

const MATCH_KEYS = [
  'query',
  'operator',
  'analyzer',
  'boost',
  '_name',
  'minimum_should_match',
  'fuzziness',
  'prefix_length',
  'max_expansions',
  'fuzzy_transpositions',
  'fuzzy_rewrite',
  'lenient',
  'zero_terms_query',
  'auto_generate_synonyms_phrase_query',
  'cutoff_frequency',
  'slop',
];

/** Members that would change what is found and that this engine does not have. */
function refuse(body: Json, ...keys: readonly string[]): void {
  for (const key of keys) if (body[key] !== undefined) throw unsupported(`[${key}]`);
}

function matchOptions(body: Json): MatchOptions {
  refuse(body, 'cutoff_frequency');
  const analyzer = optionalString(body, 'analyzer');
  return {
    operator: body['operator'] === undefined ? 'or' : asChoice(body['operator'], 'operator', ['or', 'and']),
    minimumShouldMatch: body['minimum_should_match'],
    fuzziness: body['fuzziness'],
    prefixLength: body['prefix_length'],
    maxExpansions: body['max_expansions'],
    transpositions: body['fuzzy_transpositions'],
    lenient: optionalBoolean(body, 'lenient', false),
    zeroTermsQuery:
      body['zero_terms_query'] === undefined
        ? 'none'
        : asChoice(body['zero_terms_query'], 'zero_terms_query', ['none', 'all']),
    analyzer,
    slop: body['slop'] === undefined ? 0 : asInteger(body['slop'], 'slop'),
  };
}

function matchReader(type: string, kind: MatchKind, known: readonly string[]): Reader {
  return (json, context) => {
    const [field, body] = fieldBody(json, type, 'query', known);
    if (isObject(body['query']) || Array.isArray(body['query'])) {
      throw parsingError(
        `[${type}] unknown token [${Array.isArray(body['query']) ? 'START_ARRAY' : 'START_OBJECT'}] after [query]`,
      );
    }
    return common(body, matchQuery(kind, field, body['query'], matchOptions(body), context));
  };
}

function fieldsOf(body: Json, context: QueryContext): { fields: readonly WeightedField[]; all: boolean } {
  const given = body['fields'];
  const named = body['default_field'];
  if (given !== undefined) {
    const list = toList(given).map((field) => asString(field, 'fields'));
    return { fields: expandFields(list, context), all: list.length === 1 && list[0] === '*' };
  }
  const list = named === undefined ? context.defaultField : [asString(named, 'default_field')];
  return { fields: expandFields(list, context), all: list.length === 1 && list[0] === '*' };
}

const MULTI_KEYS = [...MATCH_KEYS, 'fields', 'type', 'tie_breaker'];
const MULTI_TYPES: readonly MultiMatchType[] = [
  'best_fields',
  'most_fields',
  'cross_fields',
  'phrase',
  'phrase_prefix',
  'bool_prefix',
];

const multiMatch: Reader = (json, context) => {
  const body = asObject(json, 'multi_match');
  checkKeys(body, 'multi_match', MULTI_KEYS);
  if (body['query'] === undefined) throw parsingError('No text specified for multi_match query');
  const type = body['type'] === undefined ? 'best_fields' : asChoice(body['type'], 'type', MULTI_TYPES);
  if (body['fuzziness'] !== undefined && (type === 'cross_fields' || type === 'phrase' || type === 'phrase_prefix')) {
    throw parsingError(`Fuzziness not allowed for type [${type}]`);
  }
  if (body['slop'] !== undefined && type === 'bool_prefix')
    throw parsingError('[slop] not allowed for type [bool_prefix]');
  const { fields, all } = fieldsOf(body, context);
  const options = matchOptions(body);
  return common(
    body,
    multiMatchQuery(
      type,
      fields,
      asString(body['query'], 'query'),
      { ...options, lenient: options.lenient === true || all, tieBreaker: optionalNumber(body, 'tie_breaker') },
      context,
    ),
  );
};

const QUERY_STRING_KEYS = [
  'query',
  'fields',
  'default_field',
  'default_operator',
  'analyzer',
  'quote_analyzer',
  'quote_field_suffix',
  'allow_leading_wildcard',
  'enable_position_increments',
  'auto_generate_synonyms_phrase_query',
  'max_determinized_states',
  'fuzzy_prefix_length',
  'fuzzy_max_expansions',
  'fuzzy_rewrite',
  'fuzzy_transpositions',
  'phrase_slop',
  'tie_breaker',
  'analyze_wildcard',
  'rewrite',
  'minimum_should_match',
  'lenient',
  'time_zone',
  'type',
  'escape',
  'fuzziness',
  'boost',
  '_name',
];

const queryString: Reader = (json, context) => {
  const body = asObject(json, 'query_string');
  checkKeys(body, 'query_string', QUERY_STRING_KEYS);
  if (body['query'] === undefined) throw parsingError('[query_string] must be provided with a [query]');
  refuse(body, 'quote_field_suffix');
  const { fields, all } = fieldsOf(body, context);
  const text = asString(body['query'], 'query');
  return common(
    body,
    parseQueryString(
      optionalBoolean(body, 'escape', false) ? text.replace(/[\\+\-!():^[\]"{}~*?|&/]/g, '\\$&') : text,
      {
        fields,
        operator:
          body['default_operator'] === undefined
            ? 'or'
            : asChoice(body['default_operator'], 'default_operator', ['or', 'and']),
        analyzer: optionalString(body, 'analyzer'),
        quoteAnalyzer: optionalString(body, 'quote_analyzer'),
        allowLeadingWildcard: optionalBoolean(body, 'allow_leading_wildcard', true),
        analyzeWildcard: optionalBoolean(body, 'analyze_wildcard', false),
        phraseSlop: optionalNumber(body, 'phrase_slop') ?? 0,
        fuzziness: body['fuzziness'] ?? 'AUTO',
        fuzzyPrefixLength: optionalNumber(body, 'fuzzy_prefix_length') ?? 0,
        fuzzyMaxExpansions: optionalNumber(body, 'fuzzy_max_expansions') ?? 50,
        lenient: optionalBoolean(body, 'lenient', all),
        minimumShouldMatch: body['minimum_should_match'],
        timeZone: optionalString(body, 'time_zone'),
        type: body['type'] === undefined ? 'best_fields' : asChoice(body['type'], 'type', MULTI_TYPES),
        tieBreaker: optionalNumber(body, 'tie_breaker'),
        rewrite: readRewrite(body['rewrite']),
      },
      context,
    ),
  );
};

const SIMPLE_FLAGS = [
  'ALL',
  'NONE',
  'AND',
  'OR',
  'NOT',
  'PREFIX',
  'PHRASE',
  'PRECEDENCE',
  'ESCAPE',
  'WHITESPACE',
  'FUZZY',
  'NEAR',
  'SLOP',
];

const simpleQueryString: Reader = (json, context) => {
  const body = asObject(json, 'simple_query_string');
  checkKeys(body, 'simple_query_string', [
    'query',
    'fields',
    'default_operator',
    'analyzer',
    'flags',
    'lenient',
    'analyze_wildcard',
    'minimum_should_match',
    'quote_field_suffix',
    'auto_generate_synonyms_phrase_query',
    'fuzzy_prefix_length',
    'fuzzy_max_expansions',
    'fuzzy_transpositions',
    'boost',
    '_name',
  ]);
  if (body['query'] === undefined) throw parsingError('[simple_query_string] query text missing');
  refuse(body, 'quote_field_suffix');
  const { fields, all } = fieldsOf(body, context);
  const flags = textOf(body['flags'] ?? 'ALL')
    .split('|')
    .map((flag) => flag.trim().toUpperCase());
  const unknown = flags.find((flag) => !SIMPLE_FLAGS.includes(flag) && !/^-?\d+$/.test(flag));
  if (unknown !== undefined)
    throw illegalArgument(`Unknown simple_query_string flag [${unknown}]${didYouMean(unknown, SIMPLE_FLAGS)}`);
  return common(
    body,
    parseSimpleQueryString(
      asString(body['query'], 'query'),
      {
        fields,
        operator:
          body['default_operator'] === undefined
            ? 'or'
            : asChoice(body['default_operator'], 'default_operator', ['or', 'and']),
        analyzer: optionalString(body, 'analyzer'),
        lenient: optionalBoolean(body, 'lenient', all),
        minimumShouldMatch: body['minimum_should_match'],
        flags: new Set(flags),
        fuzzyPrefixLength: optionalNumber(body, 'fuzzy_prefix_length') ?? 0,
        fuzzyMaxExpansions: optionalNumber(body, 'fuzzy_max_expansions') ?? 50,
      },
      context,
    ),
  );
};

const term: Reader = (json, context) => {
  const [field, body] = fieldBody(json, 'term', 'value', ['value', 'boost', '_name', 'case_insensitive']);
  if (isObject(body['value']) || Array.isArray(body['value']))
    throw parsingError('[term] query does not support an array or object of values');
  return common(body, termQuery(field, body['value'], context, optionalBoolean(body, 'case_insensitive', false)));
};

const terms: Reader = (json, context) => {
  const { boost, _name, ...rest } = asObject(json, 'terms');
  const keys = Object.keys(rest);
  if (keys.length === 0)
    throw parsingError(
      '[terms] query requires a field name, followed by array of terms or a document lookup specification',
    );
  if (keys.length > 1) throw parsingError(`[terms] query does not support multiple fields`);
  const field = keys[0]!;
  const value = rest[field];
  const weights = { ...(boost === undefined ? {} : { boost }), ...(_name === undefined ? {} : { _name }) };
  if (Array.isArray(value)) {
    if (value.some((each) => each === null)) throw illegalArgument('No value specified for terms query');
    return common(weights, termsQuery(field, value, context));
  }
  if (!isObject(value)) throw parsingError(`[terms] query does not support [${field}]`);
  checkKeys(value, 'terms_lookup', ['index', 'type', 'id', 'path', 'routing']);
  const index = asString(value['index'], 'terms_lookup.index');
  const path = asString(value['path'], 'terms_lookup.path');
  const source = context.lookup?.(index, asString(value['id'], 'terms_lookup.id'));
  return common(weights, termsQuery(field, valuesAt(source, path.split('.')), context));
};

function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((element) => valuesAt(element, path));
  if (path.length === 0) return value === undefined || value === null ? [] : [value];
  return isObject(value) ? valuesAt(value[path[0]!], path.slice(1)) : [];
}

const RANGE_KEYS = [
  'gt',
  'gte',
  'lt',
  'lte',
  'from',
  'to',
  'include_lower',
  'include_upper',
  'format',
  'time_zone',
  'boost',
  'relation',
  '_name',
];

const range: Reader = (json, context) => {
  const object = asObject(json, 'range');
  const keys = Object.keys(object).filter((key) => key !== '_name' && key !== 'boost');
  if (keys.length !== 1) {
    throw parsingError(
      keys.length === 0
        ? '[range] query malformed, no field given'
        : `[range] query doesn't support multiple fields, found [${keys[0]}] and [${keys[1]}]`,
    );
  }
  const field = keys[0]!;
  const body = object[field];
  if (!isObject(body)) throw parsingError(`[range] query does not support [${field}]`);
  for (const key of Object.keys(body)) {
    if (!RANGE_KEYS.includes(key))
      throw parsingError(`[range] query does not support [${key}]${didYouMean(key, RANGE_KEYS)}`);
  }
  const lower = body['include_lower'] === undefined || asBoolean(body['include_lower'], 'include_lower');
  const upper = body['include_upper'] === undefined || asBoolean(body['include_upper'], 'include_upper');
  const format = optionalString(body, 'format');
  const zone = optionalString(body, 'time_zone');
  const from = body['from'] ?? undefined;
  const to = body['to'] ?? undefined;
  const pick = (key: string, alternative: unknown): unknown => body[key] ?? alternative;
  return common(
    { ...object, ...body },
    rangeQuery(
      field,
      {
        gt: pick('gt', lower ? undefined : from),
        gte: pick('gte', lower ? from : undefined),
        lt: pick('lt', upper ? undefined : to),
        lte: pick('lte', upper ? to : undefined),
        ...(format === undefined ? {} : { format }),
        ...(zone === undefined ? {} : { timeZone: zone }),
      },
      context,
    ),
  );
};

const exists: Reader = (json, context) => {
  const body = asObject(json, 'exists');
  checkKeys(body, 'exists', ['field', 'boost', '_name']);
  if (body['field'] === undefined) throw parsingError('[exists] must be provided with a [field]');
  return common(body, existsQuery(asString(body['field'], 'field'), context));
};

function patternReader(type: 'prefix' | 'wildcard' | 'regexp'): Reader {
  const known = [
    'value',
    type,
    'boost',
    '_name',
    'rewrite',
    'case_insensitive',
    'flags',
    'flags_value',
    'max_determinized_states',
    'wildcard',
  ];
  return (json, context) => {
    let prepared = json;
    if (isObject(json)) {
      const [name, body] = onlyMember(json, type);
      if (isObject(body) && body['value'] === undefined && body[type] !== undefined) {
        prepared = { [name]: { ...body, value: body[type] } };
      }
    }
    const [name, body] = fieldBody(prepared, type, 'value', known);
    const field = patternField(name, type, context);
    if (field === undefined) {
      return name === '_id' || name === '_index' ? unsupportedField(type, name) : common(body, { kind: 'match_none' });
    }
    const text = asString(body['value'], 'value');
    const value = field.normalizer !== undefined && type !== 'regexp' ? normalizePattern(text, field.normalizer) : text;
    const rewrite = readRewrite(body['rewrite']);
    const shared = {
      field: field.path,
      ...(rewrite === undefined ? {} : { rewrite }),
      ...(body['case_insensitive'] === undefined
        ? {}
        : { caseInsensitive: asBoolean(body['case_insensitive'], 'case_insensitive') }),
    };
    switch (type) {
      case 'prefix':
        return common(body, { kind: 'prefix', prefix: value, ...shared });
      case 'wildcard':
        return common(body, { kind: 'wildcard', pattern: value, ...shared });
      case 'regexp':
        return common(body, {
          kind: 'regexp',
          pattern: value,
          ...shared,
          ...(body['flags'] === undefined ? {} : { flags: asString(body['flags'], 'flags') }),
          ...(body['max_determinized_states'] === undefined
            ? {}
            : { maxDeterminizedStates: asInteger(body['max_determinized_states'], 'max_determinized_states') }),
        });
    }
  };
}

function normalizePattern(text: string, normalizer: (text: string) => string): string {
  return text
    .split(/(\\.|[*?])/)
    .map((part) => (/^(?:\\.|[*?])?$/.test(part) ? part : normalizer(part)))
    .join('');
}

function unsupportedField(type: string, name: string): never {
  throw illegalArgument(`Can only use ${type} queries on keyword and text fields - not on [${name}]`);
}

const fuzzy: Reader = (json, context) => {
  const [name, body] = fieldBody(json, 'fuzzy', 'value', [
    'value',
    'fuzziness',
    'prefix_length',
    'max_expansions',
    'transpositions',
    'rewrite',
    'boost',
    '_name',
  ]);
  const field = patternField(name, 'fuzzy', context);
  if (field === undefined) return common(body, { kind: 'match_none' });
  return common(
    body,
    fuzzyTerm(field.path, asString(body['value'], 'value'), {
      fuzziness: body['fuzziness'] ?? 'AUTO',
      prefixLength: body['prefix_length'],
      maxExpansions: body['max_expansions'],
      transpositions: body['transpositions'],
    }),
  );
};

const ids: Reader = (json) => {
  const body = asObject(json, 'ids');
  checkKeys(body, 'ids', ['values', 'type', 'types', 'boost', '_name']);
  if (body['values'] === undefined) throw parsingError('[ids] requires providing a [values] array');
  return common(body, { kind: 'ids', ids: toList(body['values']).map((id) => asString(id, 'values')) });
};

const bool: Reader = (json, context, depth) => {
  const body = asObject(json, 'bool');
  const known = [
    'must',
    'filter',
    'should',
    'must_not',
    'mustNot',
    'minimum_should_match',
    'boost',
    '_name',
    'adjust_pure_negative',
  ];
  for (const key of Object.keys(body)) {
    if (!known.includes(key)) throw parsingError(`[bool] query does not support [${key}]${didYouMean(key, known)}`);
  }
  const clauses = (value: unknown): Query[] =>
    value === undefined || value === null ? [] : toList(value).map((each) => parseQuery(each, context, depth));
  const must = clauses(body['must']);
  const filter = clauses(body['filter']);
  const should = clauses(body['should']);
  const mustNot = clauses(body['must_not'] ?? body['mustNot']);
  if (must.length + filter.length + should.length + mustNot.length === 0) return common(body, { kind: 'match_all' });
  const minimum = body['minimum_should_match'];
  const needed = minimum === undefined || minimum === null ? undefined : minimumShouldMatch(minimum, should.length);
  if (needed !== undefined && needed > should.length && should.length > 0) return common(body, { kind: 'match_none' });
  // Only exclusions: everything else matches, with a constant score of 0 as Lucene's filter clauses give.
  const pure = must.length + filter.length + should.length === 0;
  return common(body, {
    kind: 'boolean',
    ...(must.length > 0 ? { must } : {}),
    ...(filter.length > 0 ? { filter } : pure ? { filter: [{ kind: 'match_all' }] } : {}),
    ...(should.length > 0 ? { should } : {}),
    ...(mustNot.length > 0 ? { mustNot } : {}),
    ...(needed === undefined || should.length === 0 ? {} : { minimumShouldMatch: needed }),
  });
};

const nested: Reader = (json, context, depth) => {
  const body = asObject(json, 'nested');
  checkKeys(body, 'nested', ['path', 'query', 'score_mode', 'ignore_unmapped', 'inner_hits', 'boost', '_name']);
  if (body['path'] === undefined) throw illegalArgument("[nested] requires 'path' field");
  if (body['query'] === undefined) throw illegalArgument("[nested] requires 'query' field");
  const path = asString(body['path'], 'path');
  const object = context.mapping.object(path);
  const query = parseQuery(body['query'], context, depth);
  if (object?.nested !== true) {
    if (
      body['ignore_unmapped'] !== undefined &&
      asBoolean(body['ignore_unmapped'], 'ignore_unmapped') &&
      object === undefined
    ) {
      return common(body, { kind: 'match_none' });
    }
    throw new RequestError(
      'SEARCH_SHARD_FAILURE',
      'query_shard_exception',
      object === undefined
        ? `failed to create query: [nested] failed to find nested object under path [${path}]`
        : `failed to create query: [nested] nested object under path [${path}] is not of nested type`,
      { phase: true, fields: { index: context.index } },
    );
  }
  return common(body, {
    kind: 'nested',
    path,
    query,
    scoreMode:
      body['score_mode'] === undefined
        ? 'avg'
        : asChoice(body['score_mode'], 'score_mode', ['avg', 'max', 'min', 'sum', 'none']),
  });
};

function required(body: Json, key: string, type: string): unknown {
  if (body[key] === undefined) throw parsingError(`[${type}] requires '${key}' query to be set`);
  return body[key];
}

const READERS: Readonly<Record<string, Reader>> = {
  match_all(json) {
    const body = asObject(json, 'match_all');
    checkKeys(body, 'match_all', ['boost', '_name']);
    return common(body, { kind: 'match_all' });
  },
  match_none(json) {
    const body = asObject(json, 'match_none');
    checkKeys(body, 'match_none', ['boost', '_name']);
    return common(body, { kind: 'match_none' });
  },
  match: matchReader(
    'match',
    'match',
    MATCH_KEYS.filter((key) => key !== 'slop'),
  ),
  match_phrase: matchReader('match_phrase', 'phrase', [
    'query',
    'analyzer',
    'slop',
    'zero_terms_query',
    'boost',
    '_name',
  ]),
  match_phrase_prefix: matchReader('match_phrase_prefix', 'phrase_prefix', [
    'query',
    'analyzer',
    'slop',
    'max_expansions',
    'zero_terms_query',
    'boost',
    '_name',
  ]),
  match_bool_prefix: matchReader('match_bool_prefix', 'bool_prefix', [
    'query',
    'analyzer',
    'operator',
    'minimum_should_match',
    'fuzziness',
    'prefix_length',
    'max_expansions',
    'fuzzy_transpositions',
    'fuzzy_rewrite',
    'boost',
    '_name',
  ]),
  multi_match: multiMatch,
  query_string: queryString,
  simple_query_string: simpleQueryString,
  term,
  terms,
  range,
  exists,
  prefix: patternReader('prefix'),
  wildcard: patternReader('wildcard'),
  regexp: patternReader('regexp'),
  fuzzy,
  ids,
  type(json) {
    const body = asObject(json, 'type');
    checkKeys(body, 'type', ['value', 'boost', '_name']);
    return common(body, { kind: body['value'] === '_doc' ? 'match_all' : 'match_none' });
  },
  bool,
  constant_score(json, context, depth) {
    const body = asObject(json, 'constant_score');
    checkKeys(body, 'constant_score', ['filter', 'boost', '_name']);
    const filter = required(body, 'filter', 'constant_score');
    if (Array.isArray(filter)) throw parsingError('unexpected token [START_ARRAY]');
    return common(body, { kind: 'constant_score', query: parseQuery(filter, context, depth) });
  },
  dis_max(json, context, depth) {
    const body = asObject(json, 'dis_max');
    checkKeys(body, 'dis_max', ['queries', 'tie_breaker', 'boost', '_name']);
    const queries = toList(required(body, 'queries', 'dis_max')).map((each) => parseQuery(each, context, depth));
    if (queries.length === 0) throw parsingError("[dis_max] requires 'queries' field with at least one clause");
    return common(body, { kind: 'dis_max', queries, tieBreaker: optionalNumber(body, 'tie_breaker') ?? 0 });
  },
  boosting(json, context, depth) {
    const body = asObject(json, 'boosting');
    checkKeys(body, 'boosting', ['positive', 'negative', 'negative_boost', 'boost', '_name']);
    const negativeBoost = optionalNumber(body, 'negative_boost');
    if (negativeBoost === undefined || negativeBoost < 0) {
      throw parsingError("[boosting] query requires 'negative_boost' to be set to be a positive value'");
    }
    return common(body, {
      kind: 'boosting',
      positive: parseQuery(required(body, 'positive', 'boosting'), context, depth),
      negative: parseQuery(required(body, 'negative', 'boosting'), context, depth),
      negativeBoost,
    });
  },
  function_score: (json, context, depth) =>
    common(
      asObject(json, 'function_score'),
      functionScore(json, context, (inner) => parseQuery(inner, context, depth)),
    ),
  nested,
  geo_distance: (json, context) => common(asObject(json, 'geo_distance'), geoDistance(json, context)),
  geo_bounding_box: (json, context) => common(asObject(json, 'geo_bounding_box'), geoBox(json, context)),
  wrapper(json, context, depth) {
    const body = asObject(json, 'wrapper');
    checkKeys(body, 'wrapper', ['query', 'boost', '_name']);
    const text = Buffer.from(asString(body['query'], 'query'), 'base64').toString('utf8');
    let inner: unknown;
    try {
      inner = JSON.parse(text);
    } catch {
      throw parsingError('[wrapper] the decoded query is not JSON');
    }
    return common(body, parseQuery(inner, context, depth));
  },
};
