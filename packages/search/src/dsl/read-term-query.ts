// Reads the queries that take terms as they are: term(s), range, exists, prefix, wildcard, regexp, fuzzy, ids.
import { dateFormat } from '../mapping/date-format.ts';
import { asBoolean, asInteger, asObject, asString, isObject, type Json, toList, textOf } from '../json/json.ts';
import { asParsingError, checkObject } from '../json/object-parser.ts';
import { failedQuery, illegalArgument, parsingError, RequestError } from '../errors/request-error.ts';
import { constantFuzzy, constantRegexp, constantTerms } from './constant-query.ts';
import {
  checkFuzziness,
  editsFor,
  existsQuery,
  fuzzyTerm,
  patternField,
  rangeQuery,
  relatedRange,
  readRewrite,
  termQuery,
  termsQuery,
} from './field-query.ts';
import { prefixQuery } from './as-you-type.ts';
import { checkRegexLength, checkRegexp, checkRegexpFlags, checkStates, type QueryContext } from './context.ts';
import { regexpMatcher } from '../automaton/regexp.ts';
import type { Query } from '../query/query.ts';
import type { MappedField } from '../mapping/field-type.ts';
import { type QueryMembers, readMembers } from './query-members.ts';
import {
  common,
  fieldBody,
  optionalBoolean,
  optionalString,
  queryBody,
  type LeafReader,
  type Reader,
  withAlias,
} from './read-body.ts';
import { timeZone } from '../mapping/time-zone.ts';
import { valuesAt } from '../json/values-at.ts';
import { normalized, normalizedPattern } from './word-query.ts';

const TERM: QueryMembers = {
  members: { value: 'anything', case_insensitive: 'flag' },
  lists: 'read',
  objects: 'read',
};

export const term: Reader = (json, context) => {
  const [field, body] = fieldBody(withAlias(json, 'term', 'value'), 'term', 'value', TERM);
  const { value } = body;
  if (isObject(value)) {
    const [inner] = Object.keys(value);
    throw parsingError(`[term] query does not support [${inner ?? 'value'}]`);
  }
  // Of a list, Elasticsearch keeps the token that it ends with.
  const text = Array.isArray(value) ? ']' : value;
  return common(body, termQuery(field, text, context, optionalBoolean(body, 'case_insensitive', false)));
};

export const terms: Reader = (json, context) => {
  const { boost, _name, ...rest } = asObject(json, 'terms');
  const keys = Object.keys(rest);
  if (keys.length === 0)
    throw parsingError(
      '[terms] query requires a field name, followed by array of terms or a document lookup specification',
    );
  const stray = keys.slice(1).find((key) => !Array.isArray(rest[key]) && !isObject(rest[key]));
  if (keys.length > 1)
    throw parsingError(`[terms] query does not support ${stray === undefined ? 'multiple fields' : `[${stray}]`}`);
  const field = keys[0]!;
  if (field === '') throw illegalArgument('field name cannot be null.');
  const value = rest[field];
  const weights = { ...(boost === undefined ? {} : { boost }), ...(_name === undefined ? {} : { _name }) };
  if (Array.isArray(value)) {
    if (value.includes(null)) throw parsingError('No value specified for terms query');
    if (value.some(Array.isArray)) throw parsingError(`[terms] unknown token [END_ARRAY] after [${field}]`);
    return common(weights, termsQuery(field, value, context));
  }
  if (!isObject(value)) throw parsingError(`[terms] query does not support [${field}]`);
  checkObject(value, 'terms_lookup', {
    index: 'string',
    type: 'string',
    id: 'value',
    path: 'string',
    routing: 'stringOrNull',
  });
  const missing = ['index', 'id', 'path'].filter((key) => value[key] === undefined);
  if (missing.length > 0) throw illegalArgument(`Required [${missing.join(', ')}]`);
  const index = asString(value['index'], 'terms_lookup.index');
  const path = asString(value['path'], 'terms_lookup.path');
  const source = context.lookup?.(index, asString(value['id'], 'terms_lookup.id'));
  return common(weights, termsQuery(field, valuesAt(source, path.split('.')), context));
};

const RANGE: QueryMembers = {
  members: {
    gt: 'any',
    gte: 'any',
    lt: 'any',
    lte: 'any',
    from: 'any',
    to: 'any',
    include_lower: 'flag',
    include_upper: 'flag',
    format: 'text',
    time_zone: 'text',
    relation: 'text',
    boost: 'number',
    _name: 'text',
  },
  objects: 'read',
  lists: 'read',
};

/** Reads the bounds. Several members set the same bound; the last one counts (RangeQueryBuilder.fromXContent). */
function readBounds(body: Json): {
  readonly gt?: unknown;
  readonly gte?: unknown;
  readonly lt?: unknown;
  readonly lte?: unknown;
} {
  let [from, to]: unknown[] = [];
  let lower = true;
  let upper = true;
  for (const [key, value] of Object.entries(body)) {
    if (isObject(value)) throw parsingError(`[range] query does not support [${Object.keys(value)[0] ?? key}]`);
    if (key === 'gt' || key === 'gte' || key === 'from') from = value ?? undefined;
    if (key === 'lt' || key === 'lte' || key === 'to') to = value ?? undefined;
    if (key === 'gt' || key === 'gte') lower = key === 'gte';
    if (key === 'lt' || key === 'lte') upper = key === 'lte';
    if (key === 'include_lower') lower = asBoolean(value, key);
    if (key === 'include_upper') upper = asBoolean(value, key);
  }
  return {
    ...(from === undefined ? {} : lower ? { gte: from } : { gt: from }),
    ...(to === undefined ? {} : upper ? { lte: to } : { lt: to }),
  };
}

/** @throws RequestError for what is no time zone, in the words of the parser of a range */
function checkZone(zone: string): void {
  try {
    timeZone(zone);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const { message: reason, type } = error;
    const name = type === 'zone_rules_exception' ? 'java.time.zone.ZoneRulesException' : 'java.time.DateTimeException';
    throw illegalArgument(`${name}: ${reason}`, { causedBy: { type, reason } });
  }
}

export const range: Reader = (json, context) => {
  const object = asObject(json, 'range');
  const keys = Object.keys(object).filter((key) => key !== '_name' && key !== 'boost');
  if (keys.length === 0) throw illegalArgument('field name is null or empty');
  if (keys.length > 1)
    throw parsingError(`[range] query doesn't support multiple fields, found [${keys[0]}] and [${keys[1]}]`);
  const field = keys[0]!;
  if (field === '') throw illegalArgument('field name is null or empty');
  const given = object[field];
  if (!isObject(given)) throw parsingError(`[range] query does not support [${field}]`);
  const body = readMembers(given, 'range', RANGE);
  const format = optionalString(body, 'format');
  // Read also where the field has no dates.
  if (format !== undefined) dateFormat(format);
  const zone = optionalString(body, 'time_zone');
  if (zone !== undefined) checkZone(zone);
  const relation = optionalString(body, 'relation')?.toLowerCase();
  if (relation !== undefined && relation !== 'intersects' && relation !== 'contains' && relation !== 'within')
    throw illegalArgument(`[range] query does not support relation [${textOf(body['relation'])}]`);
  const bounds = readBounds(body);
  const query = rangeQuery(
    field,
    {
      ...bounds,
      ...(format === undefined ? {} : { format }),
      ...(zone === undefined ? {} : { timeZone: zone }),
      ...(relation === undefined ? {} : { relation }),
    },
    context,
  );
  return common({ ...object, ...body }, relatedRange(field, context, query));
};

export const exists: Reader = (json, context) => {
  const body = queryBody(json, 'exists', {
    members: { field: 'text' },
    nulls: 'token',
    objects: 'token',
    lists: 'token',
  });
  if (body['field'] === undefined) throw parsingError('[exists] must be provided with a [field]');
  const field = asString(body['field'], 'field');
  if (field === '') throw illegalArgument('field name is null or empty');
  return common(body, existsQuery(field, context));
};

const PATTERN = { value: 'textOrNull', rewrite: 'textOrNull', case_insensitive: 'flag' } as const;
const PATTERNS: Readonly<Record<'prefix' | 'wildcard' | 'regexp', QueryMembers>> = {
  prefix: { members: PATTERN, objects: 'read', lists: 'read' },
  wildcard: { members: PATTERN, objects: 'read', lists: 'read' },
  regexp: {
    members: { ...PATTERN, flags: 'textOrNull', flags_value: 'integer', max_determinized_states: 'integer' },
    objects: 'read',
    lists: 'read',
  },
};

export function patternReader(type: 'prefix' | 'wildcard' | 'regexp'): LeafReader {
  return (json, context) => {
    const given = type === 'wildcard' ? withAlias(json, 'wildcard', 'value') : json;
    const [name, body] = fieldBody(given, type, 'value', PATTERNS[type]);
    const flags = flagsOf(body);
    checkRegexpFlags(flags);
    const text = asString(body['value'], 'value');
    if (type === 'regexp') {
      checkRegexp(text, flags);
      readRewrite(body['rewrite']);
    }
    const constant = constantPattern(name, type, body, context);
    if (constant !== undefined) return common(body, constant);
    const field = patternField(name, type, context);
    if (field === undefined) return common(body, { kind: 'match_none' });
    const value = spelt(text, type, field);
    const rewrite = readRewrite(body['rewrite']);
    const shared = {
      field: field.path,
      ...(rewrite === undefined ? {} : { rewrite }),
      ...(body['case_insensitive'] === undefined
        ? {}
        : { caseInsensitive: asBoolean(body['case_insensitive'], 'case_insensitive') }),
    };
    const states = body['max_determinized_states'];
    const mostStates = states === undefined ? undefined : asInteger(states, 'max_determinized_states');
    switch (type) {
      case 'prefix':
        return common(body, prefixQuery(field, value, context, shared));
      case 'wildcard':
        return common(body, { kind: 'wildcard', pattern: value, ...shared });
      case 'regexp':
        checkRegexLength(context, value);
        if (mostStates !== undefined)
          checkStates(() => regexpMatcher(value, flags, shared.caseInsensitive === true, mostStates), context);
        return common(body, {
          kind: 'regexp',
          pattern: value,
          ...shared,
          ...(flags === 'ALL' ? {} : { flags }),
          ...(mostStates === undefined ? {} : { maxDeterminizedStates: mostStates }),
        });
    }
  };
}

/** Flags of regular expressions in the order of their bits, which Lucene has others between. */
const FLAG_BITS = ['INTERSECTION', 'COMPLEMENT', 'EMPTY', 'ANYSTRING', '', 'INTERVAL'];

/** The flags of a regular expression by name; a number holds their bits. */
function flagsOf(body: Json): string {
  const bits = body['flags_value'];
  if (typeof bits !== 'number') return optionalString(body, 'flags') || 'ALL';
  if (bits < 0) return 'ALL';
  return FLAG_BITS.filter((name, bit) => name !== '' && (bits >> bit) % 2 === 1).join('|') || 'NONE';
}

/** A pattern as the words of its field are spelt: those of keywords, and wildcards on texts. */
function spelt(text: string, type: 'prefix' | 'wildcard' | 'regexp', field: MappedField): string {
  if (type === 'regexp') return text;
  if (field.family !== 'text') return field.normalizer === undefined ? text : normalizedPattern(text, field.normalizer);
  return type === 'wildcard' ? normalizedPattern(text, (part) => normalized(field.searchAnalyzer, part)) : text;
}

/** A pattern on a field with one value for all documents; undefined for other fields, and for what `patternField` refuses. */
function constantPattern(
  name: string,
  type: 'prefix' | 'wildcard' | 'regexp',
  body: Json,
  context: QueryContext,
): Query | undefined {
  const field = context.mapping.field(name);
  if (field?.family !== 'constant' || (type === 'regexp' && field.type !== 'constant_keyword')) return undefined;
  const value = asString(body['value'], 'value');
  const caseInsensitive = optionalBoolean(body, 'case_insensitive', false);
  if (type !== 'regexp')
    return constantTerms(field, [type === 'prefix' ? `${value}*` : value], context, caseInsensitive);
  checkRegexLength(context, value);
  const flags = flagsOf(body);
  const states = body['max_determinized_states'];
  const maxStates = states === undefined ? 10_000 : asInteger(states, 'max_determinized_states');
  return constantRegexp(field, value, { flags, maxStates, caseInsensitive }, context);
}

const FUZZY: QueryMembers = {
  members: {
    value: 'any',
    fuzziness: 'any',
    prefix_length: 'integer',
    max_expansions: 'integer',
    transpositions: 'flag',
    rewrite: 'textOrNull',
  },
  tokenRefusal: '[fuzzy] unexpected token',
  nulls: 'token',
  objects: 'token',
  lists: 'token',
};

export const fuzzy: LeafReader = (json, context) => {
  const [name, body] = fieldBody(withAlias(json, 'term', 'value'), 'fuzzy', 'value', FUZZY);
  checkFuzziness(body['fuzziness']);
  const expansions = body['max_expansions'];
  if (expansions !== undefined && asInteger(expansions, 'max_expansions') <= 0)
    throw failedQuery('maxExpansions must be positive.');
  const field = patternField(name, 'fuzzy', context);
  if (field === undefined) return common(body, { kind: 'match_none' });
  if (field.family === 'constant') {
    const value = asString(body['value'], 'value');
    const edits = editsFor(body['fuzziness'], value);
    const prefix = body['prefix_length'] === undefined ? 0 : asInteger(body['prefix_length'], 'prefix_length');
    const transpositions = optionalBoolean(body, 'transpositions', true);
    return common(body, constantFuzzy(field, value, { edits, prefix, transpositions }, context));
  }
  return common(
    body,
    fuzzyTerm(field.path, asString(body['value'], 'value'), {
      fuzziness: body['fuzziness'] ?? 'AUTO',
      prefixLength: body['prefix_length'],
      maxExpansions: body['max_expansions'],
      transpositions: body['transpositions'],
      rewrite: readRewrite(body['rewrite']),
    }),
  );
};

const IDS = { values: 'strings', type: 'strings', boost: 'number', _name: 'string' } as const;

/** Every index has the one type. */
const NO_TYPE: Query = { kind: 'match_none', reason: 'Type mismatch' };

export const ids: Reader = (json) => {
  const body = asObject(json, 'ids');
  return asParsingError(() => {
    checkObject(body, 'ids', IDS);
    const values = body['values'] === undefined ? [] : toList(body['values']);
    if (body['type'] !== undefined && !toList(body['type']).includes('_doc')) return NO_TYPE;
    const made: Query = { kind: 'ids', ids: values.map((id) => asString(id, 'values')) };
    if (values.includes('')) throw failedQuery("Ids can't be empty");
    return common(body, values.length === 0 ? { kind: 'match_none' } : made, 'ids');
  });
};
