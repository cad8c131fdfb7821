// Parses `intervals`: rules that match intervals of a text, and filters between them.
import { checkObject } from '../json/object-parser.ts';
import { asBoolean, asInteger, asObject, asString, isObject, type Json, knownHere, onlyMember } from '../json/json.ts';
import type { MappedField } from '../mapping/field-type.ts';
import type { IntervalFilter, IntervalSource } from '../query/kinds/intervals.ts';
import { failedQuery, illegalArgument, parsingError, unsupported } from '../errors/request-error.ts';
import { countClauses, type QueryContext } from './context.ts';
import { editsFor } from './field-query.ts';
import { common, type Reader, required } from './read-body.ts';
import { stretchesOf, type Word, wordsOf } from './token-graph.ts';
import { normalized, normalizedPattern } from './word-query.ts';
import { asYouType } from './as-you-type.ts';

const FILTERS: readonly IntervalFilter[] = [
  'containing',
  'not_containing',
  'contained_by',
  'not_contained_by',
  'overlapping',
  'not_overlapping',
  'before',
  'after',
];

/** How deep rules may nest. */
const MAX_DEPTH = 30;

/** What a rule is read against. */
interface Place {
  readonly field: MappedField;
  readonly context: QueryContext;
  readonly depth: number;
}

type RuleReader = (body: Json, place: Place) => IntervalSource;

/** Reads an `intervals` query. */
export const intervals: Reader = (json, context) => {
  const [name, value] = onlyMember(asObject(json, 'intervals'), 'intervals');
  const body = asObject(value, name);
  const { boost: _boost, _name: _label, ...rules } = body;
  const field = context.mapping.field(name);
  if (field === undefined) return common(body, { kind: 'match_none', reason: '' });
  return common(body, {
    kind: 'intervals',
    field: field.path,
    source: readRule(rules, { field: textField(name, context), context, depth: 0 }),
  });
};

function textField(name: string, context: QueryContext): MappedField {
  const field = context.mapping.field(name);
  if (field === undefined) throw illegalArgument(`Cannot create IntervalQuery over non-existent field [${name}]`);
  if (field.family !== 'text' || asYouType(field, context) !== undefined) {
    throw illegalArgument(
      `Can only use interval queries on text fields - not on [${name}] which is of type [${field.type === 'text' ? 'search_as_you_type' : field.type}]`,
    );
  }
  if (!field.index || !field.positions) {
    throw illegalArgument(`Cannot create intervals over field [${name}] with no positions indexed`);
  }
  return field;
}

function readRule(json: unknown, outer: Place): IntervalSource {
  const place = { ...outer, depth: outer.depth + 1 };
  if (place.depth > MAX_DEPTH) throw illegalArgument(`[intervals] rules are nested deeper than ${MAX_DEPTH} levels`);
  countClauses(place.context, 1);
  const rules = asObject(json, 'intervals');
  const [first, second] = Object.keys(rules);
  if (second !== undefined)
    throw parsingError(`Only one interval rule can be specified, found [${first}] and [${second}]`);
  const [type, value] = onlyMember(rules, 'intervals');
  const reader = Object.hasOwn(RULES, type) ? RULES[type] : undefined;
  if (reader === undefined) {
    throw parsingError(
      `Unknown interval type [${type}], expecting one of [match, any_of, all_of, prefix, wildcard]`,
      knownHere(type, Object.keys(RULES)),
    );
  }
  return reader(asObject(value, type), place);
}

function combine(sources: readonly IntervalSource[], body: Json): IntervalSource {
  const gaps = body['max_gaps'] === undefined ? -1 : asInteger(body['max_gaps'], 'max_gaps');
  const ordered = body['ordered'] !== undefined && asBoolean(body['ordered'], 'ordered');
  if (sources.length === 0) return { kind: 'none' };
  if (sources.length === 1) return sources[0]!;
  if (gaps === 0 && ordered) return { kind: 'block', sources };
  const source: IntervalSource = { kind: ordered ? 'ordered' : 'unordered', sources };
  return gaps < 0 ? source : { kind: 'max_gaps', source, gaps };
}

function withFilter(source: IntervalSource, filter: unknown, place: Place): IntervalSource {
  if (filter === undefined) return source;
  const [how, rule] = onlyMember(asObject(filter, 'filter'), 'filter');
  if (how === 'script') throw unsupported('[script] in the filter of intervals');
  const known = FILTERS.find((each) => each === how);
  if (known === undefined) {
    throw failedQuery(`Unknown filter type [${how}]`, place.context.index);
  }
  return { kind: 'filter', how: known, source, reference: readRule(rule, place) };
}

/** The field of a rule: `use_field`, or the query's. */
function ruleField(body: Json, { field, context }: Place): MappedField {
  return body['use_field'] === undefined ? field : textField(asString(body['use_field'], 'use_field'), context);
}

/** The analyzer that a rule names, or that of its field; a name that nobody has is none, as in Elasticsearch. */
function analyzerOf(body: Json, place: Place): MappedField['searchAnalyzer'] {
  const named =
    body['analyzer'] === undefined
      ? undefined
      : place.context.mapping.analysis.analyzer(asString(body['analyzer'], 'analyzer'));
  return named ?? ruleField(body, place).searchAnalyzer;
}

function sourcesOf(body: Json, type: string, place: Place): IntervalSource[] {
  const given = required(body, 'intervals', type);
  if (!Array.isArray(given) || given.length === 0) throw parsingError(`[${type}] needs a list of [intervals]`);
  return given.map((rule) => readRule(rule, place));
}

/** Words one after the other, alternatives together. */
function inRow(words: readonly Word[], field: string): IntervalSource[] {
  const places: { terms: string[]; readonly before: number }[] = [];
  for (const { step, term } of words) {
    const last = places.at(-1);
    if (step === 0 && last !== undefined) last.terms.push(term);
    else places.push({ terms: [term], before: step - 1 });
  }
  return places.map(({ before, terms }): IntervalSource => {
    const source: IntervalSource = { kind: 'terms', field, terms };
    // Words left out, stop words mostly, keep their places.
    return before <= 0 ? source : { kind: 'extend', source, before };
  });
}

/** Alternatives of several words are blocks (IntervalBuilder.analyzeGraph). */
function ofGraph(words: readonly Word[], field: string, place: Place): IntervalSource[] {
  return stretchesOf(words).flatMap(({ paths, words: here }): IntervalSource[] => {
    // As in Elasticsearch, which takes the first of alternatives of one word that stand between longer ones.
    if (paths === undefined) return inRow(here.slice(0, 1), field);
    const sources: IntervalSource[] = [];
    for (const path of paths) {
      countClauses(place.context, path.length);
      const row = inRow(path, field);
      sources.push(row.length === 1 ? row[0]! : { kind: 'block', sources: row });
    }
    return [sources.length === 1 ? sources[0]! : { kind: 'any', sources }];
  });
}

const RULES: Readonly<Record<string, RuleReader>> = {
  match(body, place) {
    checkObject(body, 'match', {
      query: 'any',
      max_gaps: 'any',
      ordered: 'any',
      analyzer: 'any',
      use_field: 'any',
      filter: 'any',
    });
    const query = required(body, 'query', 'match');
    if (isObject(query) || Array.isArray(query)) throw parsingError('[match] the query of intervals is a text');
    const field = ruleField(body, place).path;
    const words = wordsOf(analyzerOf(body, place), asString(query, 'query'));
    countClauses(place.context, words.words.length);
    const sources = words.isGraph ? ofGraph(words.words, field, place) : inRow(words.words, field);
    return withFilter(combine(sources, body), body['filter'], place);
  },
  prefix(body, place) {
    checkObject(body, 'prefix', { prefix: 'any', analyzer: 'any', use_field: 'any' });
    const prefix = normalized(analyzerOf(body, place), asString(required(body, 'prefix', 'prefix'), 'prefix'));
    return { kind: 'pattern', query: { kind: 'prefix', field: ruleField(body, place).path, prefix } };
  },
  wildcard(body, place) {
    checkObject(body, 'wildcard', { pattern: 'any', analyzer: 'any', use_field: 'any' });
    const given = asString(required(body, 'pattern', 'wildcard'), 'pattern');
    const pattern = normalizedPattern(given, (part) => normalized(analyzerOf(body, place), part));
    return { kind: 'pattern', query: { kind: 'wildcard', field: ruleField(body, place).path, pattern } };
  },
  fuzzy(body, place) {
    checkObject(body, 'fuzzy', {
      term: 'any',
      prefix_length: 'any',
      transpositions: 'any',
      fuzziness: 'any',
      analyzer: 'any',
      use_field: 'any',
    });
    const given = asString(required(body, 'term', 'fuzzy'), 'term');
    const term = normalized(analyzerOf(body, place), given);
    const field = ruleField(body, place).path;
    const maxEdits = editsFor(body['fuzziness'], given);
    if (maxEdits === 0) return { kind: 'terms', field, terms: [term] };
    const prefixLength = body['prefix_length'] === undefined ? 0 : asInteger(body['prefix_length'], 'prefix_length');
    const transpositions = body['transpositions'] === undefined || asBoolean(body['transpositions'], 'transpositions');
    return { kind: 'pattern', query: { kind: 'fuzzy', field, term, maxEdits, prefixLength, transpositions } };
  },
  all_of(body, place) {
    checkObject(body, 'all_of', { intervals: 'any', max_gaps: 'any', ordered: 'any', filter: 'any' });
    return withFilter(combine(sourcesOf(body, 'all_of', place), body), body['filter'], place);
  },
  any_of(body, place) {
    checkObject(body, 'any_of', { intervals: 'any', filter: 'any' });
    return withFilter({ kind: 'any', sources: sourcesOf(body, 'any_of', place) }, body['filter'], place);
  },
};
