// Reads the queries that analyze their text: match and its kin, multi_match, query_string, simple_query_string.
import { didYouMean } from '@lockstitch/kernel';
import { asInteger, asString, isObject, type Json, textOf, toList } from '../json/json.ts';
import { failedQuery, illegalArgument, parseException, parsingError, RequestError } from '../errors/request-error.ts';
import type { MatchKind } from './analyzed-query.ts';
import type { QueryContext } from './context.ts';
import { checkFuzziness, readRewrite } from './field-query.ts';
import { parseQueryString } from './query-string.ts';
import {
  common,
  fieldBody,
  optionalBoolean,
  optionalNumber,
  optionalString,
  queryBody,
  type Reader,
} from './read-body.ts';
import type { QueryMembers } from './query-members.ts';
import { parseSimpleQueryString } from './simple-query-string.ts';
import { analyzerNamed, type MatchOptions, matchQuery } from './match-query.ts';
import { expandFields, multiMatchQuery, type MultiMatchType, type WeightedField } from './multi-match.ts';
import { timeZone } from '../mapping/time-zone.ts';

const TOKENS = { nulls: 'token', objects: 'token', lists: 'token' } as const;

const FUZZY = {
  fuzziness: 'any',
  prefix_length: 'integer',
  max_expansions: 'integer',
  fuzzy_rewrite: 'textOrNull',
  fuzzy_transpositions: 'flag',
} as const;

const MATCH = {
  query: 'any',
  operator: 'text',
  analyzer: 'text',
  minimum_should_match: 'textOrNull',
  ...FUZZY,
  lenient: 'flag',
  zero_terms_query: 'text',
  auto_generate_synonyms_phrase_query: 'flag',
  cutoff_frequency: 'number',
} as const;

const PHRASE = { query: 'any', analyzer: 'text', slop: 'integer', zero_terms_query: 'text' } as const;

/** What each query that analyses a text of one field takes. */
const OF_FIELD: Readonly<Record<string, QueryMembers>> = {
  match: { members: MATCH, ...TOKENS },
  match_phrase: { members: PHRASE, ...TOKENS },
  match_phrase_prefix: { members: { ...PHRASE, max_expansions: 'integer' }, ...TOKENS },
  match_bool_prefix: {
    members: { query: 'any', analyzer: 'text', operator: 'text', minimum_should_match: 'textOrNull', ...FUZZY },
    ...TOKENS,
  },
};

/** @throws RequestError for a number that is too small, in the words of the query's type */
function checkLeast(body: Json, type: string): void {
  const isBelow = (key: string, least: number): boolean => body[key] !== undefined && asInteger(body[key], key) < least;
  const isPhrase = /phrase/.test(type);
  if (isBelow('slop', 0)) throw illegalArgument('No negative slop allowed.');
  if (isBelow('prefix_length', 0))
    throw illegalArgument(
      type === 'multi_match'
        ? 'No negative prefix length allowed.'
        : `[${type}] requires prefix length to be non-negative.`,
    );
  if (isBelow('max_expansions', isPhrase ? 0 : 1))
    throw illegalArgument(
      isPhrase || type === 'multi_match'
        ? 'No negative maxExpansions allowed.'
        : `[${type}] requires maxExpansions to be positive.`,
    );
}

/** Reads how words are joined. @throws RequestError */
export function readOperator(value: unknown): 'or' | 'and' {
  if (value === undefined) return 'or';
  const found = (['or', 'and'] as const).find((each) => each === textOf(value).toLowerCase());
  if (found === undefined)
    throw illegalArgument(`No enum constant org.elasticsearch.index.query.Operator.${textOf(value).toUpperCase()}`);
  return found;
}

function readMultiType(value: unknown): MultiMatchType {
  if (value === undefined) return 'best_fields';
  const found = MULTI_TYPES.find((each) => each === value);
  if (found === undefined)
    throw parseException(`failed to parse [multi_match] query type [${textOf(value)}]. unknown type.`);
  return found;
}

function readZeroTerms(value: unknown): 'none' | 'all' {
  const found = (['none', 'all'] as const).find((each) => each === textOf(value).toLowerCase());
  if (found === undefined) throw parsingError(`Unsupported zero_terms_query value [${textOf(value)}]`);
  return found;
}

function matchOptions(body: Json, type: string): MatchOptions {
  checkFuzziness(body['fuzziness']);
  checkLeast(body, type);
  const analyzer = optionalString(body, 'analyzer');
  return {
    operator: readOperator(body['operator']),
    minimumShouldMatch: body['minimum_should_match'],
    fuzziness: body['fuzziness'],
    cutoff: optionalNumber(body, 'cutoff_frequency'),
    prefixLength: body['prefix_length'],
    maxExpansions: body['max_expansions'],
    transpositions: body['fuzzy_transpositions'],
    rewrite: readRewrite(body['fuzzy_rewrite']),
    lenient: optionalBoolean(body, 'lenient', false),
    zeroTermsQuery: body['zero_terms_query'] === undefined ? 'none' : readZeroTerms(body['zero_terms_query']),
    analyzer,
    slop: body['slop'] === undefined ? 0 : asInteger(body['slop'], 'slop'),
    phrasesOfSynonyms: optionalBoolean(body, 'auto_generate_synonyms_phrase_query', true),
  };
}

export function matchReader(type: string, kind: MatchKind): Reader {
  return (json, context) => {
    const [field, body] = fieldBody(json, type, 'query', OF_FIELD[type]!);
    const options = matchOptions(body, type);
    checkAnalyzer(options.analyzer, type, context);
    return common(body, matchQuery(kind, field, body['query'], options, context));
  };
}

/** @throws RequestError for an analyzer that the index does not have, whatever the fields are */
function checkAnalyzer(name: string | undefined, type: string, context: QueryContext, member?: string): void {
  if (name !== undefined) analyzerNamed(name, type, context, member);
}

function fieldsOf(body: Json, context: QueryContext): { fields: readonly WeightedField[]; all: boolean } {
  const given = body['fields'];
  const named = body['default_field'];
  if (given !== undefined) {
    const list = toList(given).map((field) => asString(field, 'fields'));
    if (list.length > 0) return { fields: expandFields(list, context), all: list.some(isAll) };
  }
  const list = named === undefined ? context.defaultField : [asString(named, 'default_field')];
  return { fields: expandFields(list, context), all: list.some(isAll) };
}

const isAll = (field: string): boolean => /^\*(?:\^|$)/.test(field);

const MULTI: QueryMembers = {
  members: { ...MATCH, query: 'text', fields: 'anything', type: 'text', tie_breaker: 'number', slop: 'integer' },
  ...TOKENS,
};
const MULTI_TYPES: readonly MultiMatchType[] = [
  'best_fields',
  'most_fields',
  'cross_fields',
  'phrase',
  'phrase_prefix',
  'bool_prefix',
];

export const multiMatch: Reader = (json, context) => {
  const body = queryBody(json, 'multi_match', MULTI);
  if (isObject(body['fields'])) throw parsingError('[multi_match] query does not support [fields]');
  if (body['query'] === undefined) throw parsingError('No text specified for multi_match query');
  const type = readMultiType(body['type']);
  if (body['fuzziness'] !== undefined && (type === 'cross_fields' || type === 'phrase' || type === 'phrase_prefix'))
    throw parsingError(`Fuzziness not allowed for type [${type}]`);
  for (const key of ['slop', 'cutoff_frequency'])
    if (body[key] !== undefined && type === 'bool_prefix')
      throw parsingError(`[${key}] not allowed for type [bool_prefix]`);
  const { fields, all } = fieldsOf(body, context);
  const options = matchOptions(body, 'multi_match');
  checkAnalyzer(options.analyzer, 'multi_match', context);
  return common(
    body,
    multiMatchQuery(
      type,
      fields,
      asString(body['query'], 'query'),
      { ...options, lenient: optionalBoolean(body, 'lenient', all), tieBreaker: optionalNumber(body, 'tie_breaker') },
      context,
    ),
  );
};

const QUERY_STRING: QueryMembers = {
  members: {
    query: 'text',
    fields: 'list',
    default_field: 'textOrNull',
    default_operator: 'text',
    analyzer: 'text',
    quote_analyzer: 'text',
    quote_field_suffix: 'textOrNull',
    allow_leading_wildcard: 'flag',
    enable_position_increments: 'flag',
    auto_generate_synonyms_phrase_query: 'flag',
    max_determinized_states: 'integer',
    fuzzy_prefix_length: 'integer',
    fuzzy_max_expansions: 'integer',
    fuzzy_rewrite: 'textOrNull',
    fuzzy_transpositions: 'flag',
    phrase_slop: 'integer',
    tie_breaker: 'number',
    analyze_wildcard: 'flag',
    rewrite: 'textOrNull',
    minimum_should_match: 'textOrNull',
    lenient: 'flag',
    time_zone: 'text',
    type: 'text',
    escape: 'flag',
    fuzziness: 'any',
  },
  nulls: 'token',
  objects: 'token',
};

export const queryString: Reader = (json, context) => {
  const body = queryBody(json, 'query_string', QUERY_STRING);
  if (body['fields'] !== undefined && !Array.isArray(body['fields']))
    throw parsingError('[query_string] query does not support [fields]');
  if (body['query'] === undefined) throw parsingError('[query_string] must be provided with a [query]');
  if (
    body['fields'] !== undefined &&
    toList(body['fields']).length > 0 &&
    optionalString(body, 'default_field') !== undefined
  )
    throw failedQuery(
      'Validation Failed: 1: [query_string] cannot use [fields] parameter in conjunction with [default_field];',
    );
  checkFuzziness(body['fuzziness']);
  const { fields, all } = fieldsOf(body, context);
  checkAnalyzer(optionalString(body, 'analyzer'), 'query_string', context);
  checkAnalyzer(optionalString(body, 'quote_analyzer'), 'query_string', context, 'quote_analyzer');
  readRewrite(body['fuzzy_rewrite']);
  const zone = optionalString(body, 'time_zone');
  if (zone !== undefined) timeZone(zone);
  const named = body['fields'] === undefined ? optionalString(body, 'default_field') : undefined;
  const text = asString(body['query'], 'query');
  return common(
    body,
    parseQueryString(
      optionalBoolean(body, 'escape', false) ? text.replace(/[\\+\-!():^[\]"{}~*?|&/]/g, '\\$&') : text,
      {
        fields,
        defaultField: named ?? (body['fields'] === undefined && all ? '*' : undefined),
        operator: readOperator(body['default_operator']),
        analyzer: optionalString(body, 'analyzer'),
        quoteAnalyzer: optionalString(body, 'quote_analyzer'),
        quoteFieldSuffix: optionalString(body, 'quote_field_suffix'),
        allowLeadingWildcard: optionalBoolean(body, 'allow_leading_wildcard', true),
        analyzeWildcard: optionalBoolean(body, 'analyze_wildcard', false),
        phraseSlop: optionalNumber(body, 'phrase_slop') ?? 0,
        fuzziness: body['fuzziness'] ?? 'AUTO',
        fuzzyPrefixLength: optionalNumber(body, 'fuzzy_prefix_length') ?? 0,
        fuzzyMaxExpansions: optionalNumber(body, 'fuzzy_max_expansions') ?? 50,
        fuzzyTranspositions: optionalBoolean(body, 'fuzzy_transpositions', true),
        maxDeterminizedStates: optionalNumber(body, 'max_determinized_states'),
        lenient: optionalBoolean(body, 'lenient', all || context.queryStringLenient === true),
        phrasesOfSynonyms: optionalBoolean(body, 'auto_generate_synonyms_phrase_query', true),
        closesGaps: !optionalBoolean(body, 'enable_position_increments', true),
        minimumShouldMatch: body['minimum_should_match'],
        timeZone: zone,
        type: readMultiType(body['type']),
        tieBreaker: optionalNumber(body, 'tie_breaker'),
        rewrite: readRewrite(body['rewrite']),
      },
      context,
    ),
  );
};

/** Their order is that of their bits, for flags given as a number. */
const SIMPLE_FLAGS = ['AND', 'NOT', 'OR', 'PREFIX', 'PHRASE', 'PRECEDENCE', 'ESCAPE', 'WHITESPACE', 'FUZZY', 'NEAR'];
const FLAG_NAMES = ['ALL', 'NONE', ...SIMPLE_FLAGS, 'SLOP'];

function simpleFlags(given: unknown): ReadonlySet<string> {
  if (typeof given === 'number')
    return new Set(given === -1 ? ['ALL'] : SIMPLE_FLAGS.filter((_, bit) => ((given >> bit) & 1) === 1));
  const flags = textOf(given ?? 'ALL')
    .split('|')
    .map((flag) => flag.trim().toUpperCase())
    .filter((flag) => flag !== '');
  const unknown = flags.find((flag) => !FLAG_NAMES.includes(flag));
  if (unknown !== undefined)
    throw new RequestError(
      'SEARCH_ILLEGAL_ARGUMENT',
      'illegal_argument_exception',
      `Unknown simple_query_string flag [${unknown}]${didYouMean(unknown, FLAG_NAMES)}`,
      { phase: false },
    );
  return new Set(flags.length === 0 ? ['ALL'] : flags);
}

const SIMPLE: QueryMembers = {
  members: {
    query: 'text',
    fields: 'list',
    default_operator: 'text',
    analyzer: 'text',
    flags: 'any',
    lenient: 'flag',
    analyze_wildcard: 'flag',
    minimum_should_match: 'textOrNull',
    quote_field_suffix: 'textOrNull',
    auto_generate_synonyms_phrase_query: 'flag',
    fuzzy_prefix_length: 'integer',
    fuzzy_max_expansions: 'integer',
    fuzzy_transpositions: 'flag',
    all_fields: 'unused',
    locale: 'unused',
    lowercase_expanded_terms: 'unused',
  },
  refusal: '[simple_query_string] unsupported field',
  nulls: 'token',
  objects: 'token',
};

export const simpleQueryString: Reader = (json, context) => {
  const body = queryBody(json, 'simple_query_string', SIMPLE);
  if (body['fields'] !== undefined && !Array.isArray(body['fields']))
    throw parsingError('[simple_query_string] unsupported field [fields]');
  if (body['query'] === undefined) throw parsingError('[simple_query_string] query text missing');
  const { fields, all } = fieldsOf(body, context);
  checkAnalyzer(optionalString(body, 'analyzer'), 'simple_query_string', context);
  const flags = simpleFlags(body['flags']);
  return common(
    body,
    parseSimpleQueryString(
      asString(body['query'], 'query'),
      {
        fields,
        operator: readOperator(body['default_operator']),
        analyzer: optionalString(body, 'analyzer'),
        analyzeWildcard: optionalBoolean(body, 'analyze_wildcard', false),
        quoteFieldSuffix: optionalString(body, 'quote_field_suffix'),
        lenient: optionalBoolean(body, 'lenient', all),
        phrasesOfSynonyms: optionalBoolean(body, 'auto_generate_synonyms_phrase_query', true),
        minimumShouldMatch: body['minimum_should_match'],
        flags,
        fuzzyPrefixLength: optionalNumber(body, 'fuzzy_prefix_length') ?? 0,
        fuzzyMaxExpansions: optionalNumber(body, 'fuzzy_max_expansions') ?? 50,
        fuzzyTranspositions: optionalBoolean(body, 'fuzzy_transpositions', true),
      },
      context,
    ),
  );
};
