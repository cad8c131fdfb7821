// Parses `intervals`: rules that match intervals of a text, and filters between them.
import { checkRequired, FLAG, INTEGER, type Member, parseObject, TEXT } from '../json/object-parser.ts';
import { asObject, isObject, type Json, knownHere, onlyMember, toList, tokenOf } from '../json/json.ts';
import type { MappedField } from '../mapping/field-type.ts';
import type { IntervalFilter, IntervalSource } from '../query/kinds/intervals.ts';
import { contentError, failedQuery, illegalArgument, parsingError, unsupported } from '../errors/request-error.ts';
import { countClauses, type QueryContext } from './context.ts';
import { checkFuzziness, editsFor } from './field-query.ts';
import { readMembers } from './query-members.ts';
import { common, type Reader } from './read-body.ts';
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
}

type RuleBuilder = (options: Options, place: Place) => IntervalSource;

/** A rule, read without any mapping. */
interface Rule {
  readonly type: string;
  readonly options: Options;
}

interface Filter {
  readonly how: string;
  readonly rule: Rule;
}

interface Options {
  readonly query?: string;
  readonly prefix?: string;
  readonly pattern?: string;
  readonly term?: string;
  readonly max_gaps?: number;
  readonly ordered?: boolean;
  readonly analyzer?: string;
  readonly use_field?: string;
  readonly prefix_length?: number;
  readonly transpositions?: boolean;
  readonly fuzziness?: unknown;
  readonly intervals?: readonly Rule[];
  readonly filter?: Filter;
}

const WORDS = { analyzer: TEXT, use_field: TEXT } as const;
const FILTER = { filter: { kind: 'object', read: (value: unknown) => readFilter(value as Json) } } as const;
const FUZZINESS = {
  kind: 'value',
  read(value: unknown) {
    checkFuzziness(value);
    return value;
  },
} as const;
const PARTS = {
  kind: 'objects',
  read: (value: unknown) => toList(value).map((each) => readRule(each)),
} as const;

/** What each rule takes, and what it needs. */
const RULES: Readonly<
  Record<string, { readonly members: Readonly<Record<string, Member<unknown>>>; readonly needs: string }>
> = {
  match: { members: { query: TEXT, max_gaps: INTEGER, ordered: FLAG, ...WORDS, ...FILTER }, needs: 'query' },
  prefix: { members: { prefix: TEXT, ...WORDS }, needs: 'prefix' },
  wildcard: { members: { pattern: TEXT, ...WORDS }, needs: 'pattern' },
  fuzzy: {
    members: { term: TEXT, prefix_length: INTEGER, transpositions: FLAG, fuzziness: FUZZINESS, ...WORDS },
    needs: 'term',
  },
  all_of: { members: { intervals: PARTS, max_gaps: INTEGER, ordered: FLAG, ...FILTER }, needs: 'intervals' },
  any_of: { members: { intervals: PARTS, ...FILTER }, needs: 'intervals' },
};

/** Reads an `intervals` query. */
export const intervals: Reader = (json, context) => {
  const [name, value] = onlyMember(asObject(json, 'intervals'), 'intervals');
  if (!isObject(value)) throw parsingError(`Expected [START_OBJECT] but got [${tokenOf(value)}]`);
  const { boost, _name, ...rules } = value;
  const body = readMembers(
    { ...(boost === undefined ? {} : { boost }), ...(_name === undefined ? {} : { _name }) },
    'intervals',
    { members: { boost: 'number', _name: 'text' }, objects: 'read', lists: 'read' },
  );
  if (Object.keys(rules).length === 0) throw parsingError('Missing intervals from interval query definition');
  const rule = readRule(rules);
  const field = context.mapping.field(name);
  if (field === undefined) return common(body, { kind: 'match_none', reason: '' });
  const place = { field: textField(name, context), context };
  return common(body, { kind: 'intervals', field: field.path, source: build(rule, place) });
};

function textField(name: string, context: QueryContext): MappedField {
  const field = context.mapping.field(name);
  if (field === undefined) throw illegalArgument(`Cannot create IntervalQuery over non-existent field [${name}]`);
  if (field.family !== 'text' || asYouType(field, context) !== undefined)
    throw illegalArgument(
      `Can only use interval queries on text fields - not on [${name}] which is of type [${field.type === 'text' ? 'search_as_you_type' : field.type}]`,
    );
  if (!field.index || !field.positions)
    throw illegalArgument(`Cannot create intervals over field [${name}] with no positions indexed`);
  return field;
}

/** Reads a rule. @throws RequestError */
function readRule(json: unknown, depth = 1): Rule {
  if (depth > MAX_DEPTH) throw illegalArgument(`[intervals] rules are nested deeper than ${MAX_DEPTH} levels`);
  const rules = asObject(json, 'intervals');
  const [first, second] = Object.keys(rules);
  if (first === undefined) throw parsingError('Expected [FIELD_NAME] but got [END_OBJECT]');
  if (second !== undefined)
    throw parsingError(`Only one interval rule can be specified, found [${first}] and [${second}]`);
  const rule = Object.hasOwn(RULES, first) ? RULES[first] : undefined;
  if (rule === undefined)
    throw parsingError(
      `Unknown interval type [${first}], expecting one of [match, any_of, all_of, prefix, wildcard]`,
      knownHere(first, Object.keys(RULES)),
    );
  const value = rules[first];
  if (!isObject(value)) throw contentError(`[${first}] Expected START_OBJECT but was: ${tokenOf(value)}`);
  const options: Options = parseObject(value, first, rule.members);
  checkRequired(value, rule.needs);
  return { type: first, options };
}

function readFilter(json: Json): Filter {
  const [how, second] = Object.keys(json);
  if (how === undefined) throw parsingError('Expected [FIELD_NAME] but got [END_OBJECT]');
  if (second !== undefined) throw parsingError('Expected [END_OBJECT] but got [FIELD_NAME]');
  if (how === 'script') throw unsupported('[script] in the filter of intervals');
  return { how, rule: readRule(json[how]) };
}

/** What a rule finds in the texts of a field. */
function build({ options, type }: Rule, place: Place): IntervalSource {
  countClauses(place.context, 1);
  return BUILDERS[type]!(options, place);
}

function combine(
  sources: readonly IntervalSource[],
  { max_gaps: gaps = -1, ordered = false }: Options,
): IntervalSource {
  if (sources.length === 0) return { kind: 'none' };
  if (sources.length === 1) return sources[0]!;
  if (gaps === 0 && ordered) return { kind: 'block', sources };
  const source: IntervalSource = { kind: ordered ? 'ordered' : 'unordered', sources };
  return gaps < 0 ? source : { kind: 'max_gaps', source, gaps };
}

function withFilter(source: IntervalSource, { filter }: Options, place: Place): IntervalSource {
  if (filter === undefined) return source;
  const how = FILTERS.find((each) => each === filter.how);
  if (how === undefined) throw failedQuery(`Unknown filter type [${filter.how}]`, place.context.index);
  return { kind: 'filter', how, source, reference: build(filter.rule, place) };
}

/** The field of a rule: `use_field`, or the query's; undefined for one that is not mapped. */
function ruleField({ use_field: used }: Options, { context, field }: Place): MappedField | undefined {
  if (used === undefined) return field;
  return context.mapping.field(used) === undefined ? undefined : textField(used, context);
}

/** The analyzer that a rule names, or that of its field. */
function analyzerOf({ analyzer }: Options, field: MappedField, { context }: Place): MappedField['searchAnalyzer'] {
  return (analyzer === undefined ? undefined : context.mapping.analysis.analyzer(analyzer)) ?? field.searchAnalyzer;
}

/** @throws RequestError for an analyzer that the index does not have, which only some rules notice */
function checkAnalyzer({ analyzer }: Options, { context }: Place): void {
  if (analyzer !== undefined && context.mapping.analysis.analyzer(analyzer) === undefined)
    throw failedQuery(`[intervals] analyzer [${analyzer}] not found`, context.index);
}

function sourcesOf({ intervals: rules = [] }: Options, place: Place): IntervalSource[] {
  return rules.map((rule) => build(rule, place));
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

/** A rule about the words of one field. */
const ofField =
  (
    make: (
      field: MappedField,
      analyzer: MappedField['searchAnalyzer'],
      options: Options,
      place: Place,
    ) => IntervalSource,
  ) =>
  (options: Options, place: Place): IntervalSource => {
    const field = ruleField(options, place);
    return field === undefined ? { kind: 'none' } : make(field, analyzerOf(options, field, place), options, place);
  };

const BUILDERS: Readonly<Record<string, RuleBuilder>> = {
  match: ofField(({ path }, analyzer, options, place) => {
    const words = wordsOf(analyzer, options.query ?? '');
    countClauses(place.context, words.words.length);
    // A word alone keeps no places of those left out before it (IntervalBuilder.analyzeTerm).
    const row = words.words.length === 1 ? words.words.map((word) => ({ ...word, step: 1 })) : words.words;
    const sources = words.isGraph ? ofGraph(row, path, place) : inRow(row, path);
    return withFilter(combine(sources, options), options, place);
  }),
  prefix: ofField(({ path }, analyzer, { prefix = '' }) => ({
    kind: 'pattern',
    query: { kind: 'prefix', field: path, prefix: normalized(analyzer, prefix) },
  })),
  wildcard: ofField(({ path: field }, analyzer, options, place) => {
    checkAnalyzer(options, place);
    const pattern = normalizedPattern(options.pattern ?? '', (part) => normalized(analyzer, part));
    return { kind: 'pattern', query: { kind: 'wildcard', field, pattern } };
  }),
  fuzzy: ofField(({ path: field }, analyzer, options, place) => {
    const { fuzziness, prefix_length: prefixLength = 0, term: given = '', transpositions = true } = options;
    checkAnalyzer(options, place);
    if (prefixLength < 0) throw failedQuery('prefixLength cannot be negative.', place.context.index);
    const term = normalized(analyzer, given);
    const maxEdits = editsFor(fuzziness, given);
    if (maxEdits === 0) return { kind: 'terms', field, terms: [term] };
    return { kind: 'pattern', query: { kind: 'fuzzy', field, term, maxEdits, prefixLength, transpositions } };
  }),
  all_of: (options, place) => withFilter(combine(sourcesOf(options, place), options), options, place),
  any_of: (options, place) => withFilter({ kind: 'any', sources: sourcesOf(options, place) }, options, place),
};
