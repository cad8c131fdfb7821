// Reads the queries of spans: words, and what lies near, around, before or apart from what. Inside of each other they are no queries but
// sources of one.
import { isKeyOf } from '@lockstitch/kernel';
import { ownFieldOf, printSpans } from '../query/lucene/print-spans.ts';
import {
  asBoolean,
  asInteger,
  asNumber,
  asObject,
  asString,
  innerObjects,
  isObject,
  type Json,
  knownHere,
  onlyMember,
  textOf,
} from '../json/json.ts';
import type { SpanSource } from '../query/kinds/span.ts';
import type { TermQuery } from '../query/kinds/term.ts';
import type { Query } from '../query/query.ts';
import { failedQuery, illegalArgument, parsingError } from '../errors/request-error.ts';
import type { QueryContext } from './context.ts';
import { patternField, termQuery } from './field-query.ts';
import { type MappedField, toTerm } from '../mapping/field-type.ts';
import { common, fieldBody, queryBody, type Reader, withAlias } from './read-body.ts';
import { fuzzy, patternReader, range } from './read-term-query.ts';

/** A source, and the field whose lengths and statistics count. */
interface Spans {
  readonly field: string;
  readonly source: SpanSource;
}

type SpanReader = (body: unknown, context: QueryContext, depth: number) => Spans;

/** How deep they may nest. */
const MAX_DEPTH = 30;

function spanTerm(json: unknown, context: QueryContext): Spans {
  const [name, body] = fieldBody(withAlias(json, 'term', 'value'), 'span_term', 'value', {
    members: { value: 'any' },
    ...ANY_TOKEN,
  });
  const field = context.mapping.field(name);
  const value = body['value'];
  if (isObject(value) || Array.isArray(value)) throw parsingError('[span_term] takes one word');
  // A field that is not mapped has no words.
  if (field === undefined) return { field: name, source: { kind: 'term', field: name, term: textOf(value) } };
  if (!field.index) throw illegalArgument(`Cannot search on field [${name}] since it is not indexed.`);
  // What has no words is asked as by `term`, and refused as there.
  const made = field.family === 'text' ? undefined : termQuery(name, value, context);
  if (made !== undefined && (!['term', 'ids'].includes(made.kind) || field.family === 'ip'))
    throw failedQuery(`Cannot extract a term from a query of the field [${name}], which is of type [${field.type}]`);
  const term = made?.kind === 'term' ? made.term : field.type === 'text' ? textOf(value) : toTerm(field, value);
  const hasNoPositions = field.family !== 'text' || !field.positions;
  return {
    field: field.path,
    source: { kind: 'term', field: field.path, term, ...(hasNoPositions ? { hasNoPositions } : {}) },
  };
}

/** Of a member that they know, these parsers read whatever token comes. */
const ANY_TOKEN = { lists: 'read', objects: 'read' } as const;

/** A query of spans inside of another one. @param where the outer one and its member, as errors print them */
function inner(json: unknown, where: string, context: QueryContext, depth: number): Spans {
  if (depth > MAX_DEPTH) throw illegalArgument(`The spans are nested deeper than ${MAX_DEPTH} levels`);
  if (!isObject(json)) throw parsingError('[_na] query malformed, must start with start_object');
  const [type, body] = onlyMember(json, where);
  const reader = isKeyOf(SPANS, type) ? SPANS[type] : undefined;
  if (reader === undefined)
    throw parsingError(`${where} must be of type span query`, knownHere(type, Object.keys(SPANS)));
  const own = isObject(body) ? (type === 'span_term' ? Object.values(body)[0] : body) : undefined;
  const boost = isObject(own) && own['boost'] !== undefined ? asNumber(own['boost'], 'boost') : 1;
  if (boost !== 1) throw parsingError(`${where} as a nested span clause can't have non-default boost value [${boost}]`);
  return reader(body, context, depth + 1);
}

/** Sources of one field. @param other says what the source of another field is to them */
function joined(
  all: readonly Spans[],
  context: QueryContext,
  other: (clause: Spans, field: string) => string,
): { readonly field: string; readonly sources: readonly SpanSource[] } {
  const { field } = all[0]!;
  // Elasticsearch compares field names before it resolves aliases.
  const stray = context.parsesOnly === true ? undefined : all.find((each) => each.field !== field);
  if (stray !== undefined) throw failedQuery(other(stray, field), context.index);
  return { field, sources: all.map(({ source }) => source) };
}

const SAME_FIELD = 'Clauses must have same field.';

const clausesOf = (body: Json, type: string): readonly unknown[] => {
  const clauses = innerObjects(body['clauses'] ?? []);
  if (clauses.length === 0) throw parsingError(`${type} must include [clauses]`);
  return clauses;
};

const spanNear: SpanReader = (json, context, depth) => {
  const body = queryBody(json, 'span_near', {
    members: { clauses: 'list', slop: 'integer', in_order: 'flag' },
  });
  const inOrder = body['in_order'] === undefined || asBoolean(body['in_order'], 'in_order');
  const slop = body['slop'] === undefined ? 0 : asInteger(body['slop'], 'slop');
  const parts = clausesOf(body, 'span_near').map((each): Spans => {
    if (!isObject(each) || each['span_gap'] === undefined) return inner(each, 'span_near [clauses]', context, depth);
    const [field, width] = onlyMember(asObject(each['span_gap'], 'span_gap'), 'span_gap');
    return {
      field: context.mapping.field(field)?.path ?? field,
      source: { kind: 'gap', width: asInteger(width, field) },
    };
  });
  if (!inOrder && parts.some(({ source }) => source.kind === 'gap'))
    throw illegalArgument('[span_near] query cannot have gaps when [in_order] is [false]');
  if (parts[0]!.source.kind === 'gap') throw illegalArgument('[span_near] query cannot begin with a [span_gap]');
  const { field, sources: clauses } = joined(
    parts,
    context,
    ({ source }, own) => `Cannot add clause ${printSpans(source)} to SpanNearQuery for field ${own}`,
  );
  return { field, source: clauses.length === 1 ? clauses[0]! : { kind: 'near', clauses, slop, inOrder } };
};

const spanOr: SpanReader = (json, context, depth) => {
  const body = queryBody(json, 'span_or', { members: { clauses: 'list' } });
  const { field, sources } = joined(
    clausesOf(body, 'span_or').map((each) => inner(each, 'span_or [clauses]', context, depth)),
    context,
    () => SAME_FIELD,
  );
  return { field, source: { kind: 'or', clauses: sources } };
};

function both(
  body: Json,
  type: string,
  names: readonly [string, string],
  context: QueryContext,
  depth: number,
): { readonly field: string; readonly sources: readonly SpanSource[] } {
  for (const name of names)
    if (body[name] === undefined) throw parsingError(`${type} must have [${name}] span query clause`);
  return joined(
    names.map((name) => inner(body[name], `${type} [${name}]`, context, depth)),
    context,
    () => (type === 'span_not' ? SAME_FIELD : 'big and little not same field'),
  );
}

const spanNot: SpanReader = (json, context, depth) => {
  const body = queryBody(json, 'span_not', {
    members: { include: 'object', exclude: 'object', dist: 'integer', pre: 'integer', post: 'integer' },
    ...ANY_TOKEN,
  });
  const distance = (key: string): number => (body[key] === undefined ? 0 : Math.max(0, asInteger(body[key], key)));
  if (body['dist'] !== undefined && (body['pre'] !== undefined || body['post'] !== undefined))
    throw illegalArgument('span_not can either use [dist] or [pre] & [post] (or none)');
  const { field, sources } = both(body, 'span_not', ['include', 'exclude'], context, depth);
  const dist = distance('dist');
  return {
    field,
    source: {
      kind: 'not',
      include: sources[0]!,
      exclude: sources[1]!,
      pre: body['dist'] === undefined ? distance('pre') : dist,
      post: body['dist'] === undefined ? distance('post') : dist,
    },
  };
};

const spanFirst: SpanReader = (json, context, depth) => {
  const body = queryBody(json, 'span_first', { members: { match: 'object', end: 'integer' }, ...ANY_TOKEN });
  if (body['match'] === undefined) throw parsingError('span_first must have [match] span query clause');
  if (body['end'] === undefined) throw parsingError('span_first must have [end] set for it');
  const end = asInteger(body['end'], 'end');
  const { field, source } = inner(body['match'], 'span_first [match]', context, depth);
  if (end < 0) throw illegalArgument('parameter [end] needs to be positive.');
  return { field, source: { kind: 'first', match: source, end } };
};

const around =
  (kind: 'containing' | 'within'): SpanReader =>
  (json, context, depth) => {
    const type = `span_${kind}`;
    const body = queryBody(json, type, { members: { big: 'object', little: 'object' }, ...ANY_TOKEN });
    const { field, sources } = both(body, type, ['big', 'little'], context, depth);
    return { field, source: { kind, big: sources[0]!, little: sources[1]! } };
  };

const spanMulti: SpanReader = (json, context) => {
  const body = queryBody(json, 'span_multi', { members: { match: 'object' } });
  if (body['match'] === undefined) throw parsingError('[span_multi] must have [match] multi term query clause');
  const [type, match] = onlyMember(asObject(body['match'], 'match'), 'match');
  if (type === 'range') return spanRange(match, context);
  if (type !== 'prefix' && type !== 'wildcard' && type !== 'regexp' && type !== 'fuzzy')
    throw parsingError('[span_multi] [match] must be of type multi term query');
  const [name] = Object.keys(asObject(match, type));
  const field = patternField(name ?? '', `span_multi ${type}`, context);
  if (type === 'prefix' && field?.type === 'prefix')
    throw failedQuery(
      `Can only use span prefix queries on text fields - not on [${field.path}] which is of type [prefix]`,
      context.index,
    );
  const found = type === 'fuzzy' ? fuzzy(match, context) : patternReader(type)(match, context);
  const query = found.kind === 'constant_score' ? found.query : found;
  if (query.boost !== undefined && query.boost !== 1)
    throw parsingError(`[match] as a nested span clause can't have non-default boost value [${query.boost}]`);
  if (field === undefined)
    return { field: name ?? '', source: { kind: 'or', clauses: [], none: 'Inner query rewrote to match_none' } };
  // Beginnings are words of another field, which count as those of this one.
  if (query.kind === 'term') return { field: field.path, source: maskedWord(field, query) };
  if (query.kind !== 'prefix' && query.kind !== 'wildcard' && query.kind !== 'regexp' && query.kind !== 'fuzzy')
    throw illegalArgument(`[span_multi] cannot ask [${type}] of the field [${name}]`);
  const { rewrite, ...pattern } = query;
  if (typeof rewrite !== 'object') return { field: field.path, source: { kind: 'pattern', query: pattern } };
  return pattern.kind === 'fuzzy'
    ? { field: field.path, source: { kind: 'pattern', query: { ...pattern, maxExpansions: rewrite.topTerms } } }
    : { field: field.path, source: { kind: 'pattern', query: pattern, maxTerms: rewrite.topTerms } };
};

/** The words of a range, which only fields of words have. */
function spanRange(json: unknown, context: QueryContext): Spans {
  const query = range(json, context, 0, () => ({ kind: 'match_none' }));
  if (query.boost !== undefined && query.boost !== 1)
    throw parsingError(`[match] as a nested span clause can't have non-default boost value [${query.boost}]`);
  const [name = ''] = Object.keys(asObject(json, 'range'));
  if (query.kind === 'term_range' && context.mapping.field(name)?.family !== 'ip')
    return { field: query.field, source: { kind: 'pattern', query } };
  if (query.kind === 'match_none')
    return { field: name, source: { kind: 'or', clauses: [], none: 'Inner query rewrote to match_none' } };
  throw failedQuery(
    `unsupported inner query, should be org.apache.lucene.search.MultiTermQuery but the field [${name}] has no words`,
    context.index,
    'unsupported_operation_exception',
  );
}

function maskedWord({ path }: MappedField, { field, term }: TermQuery): SpanSource {
  return { kind: 'term', field, term, ...(field === path ? {} : { shownAs: path }) };
}

const fieldMasking: SpanReader = (json, context, depth) => {
  const body = queryBody(json, 'field_masking_span', {
    members: { query: 'object', field: 'text' },
    ...ANY_TOKEN,
  });
  if (body['query'] === undefined) throw parsingError('field_masking_span must have [query] span query clause');
  if (body['field'] === undefined) throw parsingError('field_masking_span must have [field] set for it');
  const name = asString(body['field'], 'field');
  const { source } = inner(body['query'], '[field_masking_span] query', context, depth);
  const field = context.mapping.field(name)?.path ?? name;
  return { field, source: { ...source, shownAs: field } };
};

const SPANS = {
  span_term: spanTerm,
  span_near: spanNear,
  span_or: spanOr,
  span_not: spanNot,
  span_first: spanFirst,
  span_containing: around('containing'),
  span_within: around('within'),
  span_multi: spanMulti,
  field_masking_span: fieldMasking,
} as const satisfies Readonly<Record<string, SpanReader>>;

/** The reader of a query of spans that stands by itself. */
export const spanReader =
  (type: keyof typeof SPANS): Reader =>
  (json, context) => {
    const { field: own, source } = SPANS[type](json, context, 0);
    // By itself, what is masked is scored as what it is (FieldMaskingSpanQuery.createWeight).
    const masked = ownFieldOf(source);
    const field = type === 'field_masking_span' || type === 'span_multi' ? (masked ?? own) : own;
    const body = asObject(json, type);
    const [only] = Object.values(body);
    // Boost and name of a word stand in its field's body.
    return common(type === 'span_term' ? (isObject(only) ? only : {}) : body, {
      ...spanQuery(field, source, context),
      ...(field === own && type !== 'field_masking_span' ? {} : { shownAs: own }),
    });
  };

function spanQuery(field: string, source: SpanSource, { mapping }: QueryContext): Query {
  const type = mapping.field(field);
  return { kind: 'span', field, norms: type?.family === 'text' && type.norms, source };
}
