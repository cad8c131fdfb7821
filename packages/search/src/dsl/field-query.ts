// Questions about one field once its mapping is known: exact values, ranges, prefixes, patterns. A field nobody mapped
// matches nothing; a value that does not fit the field's type is an error (or, with `lenient`, no match).
import { isProductError, toError } from '@lockstitch/kernel';
import type { RangesQuery } from '../query/kinds/areas.ts';
import type { NumberRangeQuery } from '../query/kinds/numbers.ts';
import type { FuzzyQuery, Rewrite } from '../query/kinds/patterns.ts';
import type { Query } from '../query/query.ts';
import { asBoolean, asNumber, textOf, tokenOf } from '../json/json.ts';
import { inputsPath } from '../mapping/completion.ts';
import { dateFormat } from '../mapping/date-format.ts';
import { dateText, parseFineDateMath } from '../mapping/date-math.ts';
import { hasNanos, isNumeric, type MappedField, toNumber, toTerm } from '../mapping/field-type.ts';
import type { Family } from '../mapping/field-parameters.ts';
import { networkToTerms } from '../mapping/ip.ts';
import { isMetadata } from '../mapping/metadata-fields.ts';
import { nanosPath, nearestPlace } from '../mapping/nanos.ts';
import { readQueryBounds } from '../mapping/range-field.ts';
import { timeZone } from '../mapping/time-zone.ts';
import {
  failedQuery,
  illegalArgument,
  isRewriteError,
  NumberFormatError,
  parseException,
  queryShardError,
  RequestError,
} from '../errors/request-error.ts';
import { type ConstantBounds, constantExists, constantRange, constantTerms } from './constant-query.ts';
import { checkExpensive, fieldsLike, type QueryContext } from './context.ts';

const NONE: Query = { kind: 'match_none' };
const NO_WHOLE: Query = { kind: 'match_none', reason: 'All values have a decimal part' };

/** Wraps what a bad value throws as Elasticsearch's failure to create a query. */
export function createQueryError(error: unknown, context: QueryContext): Error {
  if (isRewriteError(error)) return error;
  if (
    error instanceof NumberFormatError ||
    (error instanceof RequestError && error.type === 'illegal_argument_exception' && error.details.phase === undefined)
  )
    return failedQuery(error.message, context.index, error.type);
  // A script about tokens failed at a word of the query.
  if (error instanceof RequestError && error.type === 'script_exception' && error.details.phase === undefined)
    return failedQuery(error.message, context.index, error.type);
  if (isProductError(error) && error.code === 'SEARCH_TOO_MANY_CLAUSES')
    return failedQuery(error.message, context.index, 'too_many_clauses');
  if (error instanceof RequestError && error.type === 'parse_exception' && error.details.phase === true)
    return failedQuery(error.message, context.index, error.type, error.details);
  return toError(error);
}

function unsearchable(field: MappedField): Error {
  return illegalArgument(`Cannot search on field [${field.path}] since it is not indexed.`);
}

/** @throws RequestError for a type that cannot be queried, with the message of the type */
function refuseUnsearchable(field: MappedField, context: QueryContext): void {
  switch (field.type) {
    case '_source':
    case '_version':
      throw queryShardError(`The ${field.type} field is not searchable`, context.index);
    case '_feature':
      throw illegalArgument('The [_feature] field may not be queried directly');
    case 'binary':
      throw queryShardError('Binary fields do not support searching', context.index);
    default:
      if (!field.index) throw unsearchable(field);
  }
}

/** Documents that have a field without a column: `_field_names` holds the names of those alone. */
function fieldNamed(name: string, context: QueryContext): Query {
  const field = context.mapping.field(name);
  if (field === undefined || field.docValues || field.norms || isMetadata(field)) return NONE;
  return { kind: 'exists', field: field.path };
}

/** Documents with exactly this value. */
export function termQuery(name: string, value: unknown, context: QueryContext, caseInsensitive = false): Query {
  const field = context.mapping.field(name);
  if (field === undefined) return NONE;
  if (caseInsensitive && !IGNORE_CASE.includes(field.family) && field.type !== '_field_names')
    throw queryShardError(
      `[${field.path}] field which is of type [${field.type}], does not support case insensitive term queries`,
      context.index,
    );
  return fieldTerm(field, value, context, caseInsensitive);
}

const IGNORE_CASE: readonly Family[] = ['text', 'keyword', 'constant', 'id'];

function fieldTerm(field: MappedField, value: unknown, context: QueryContext, caseInsensitive: boolean): Query {
  refuseUnsearchable(field, context);
  const path = field.path;
  switch (field.family) {
    case 'constant':
      return constantTerms(field, [value], context, caseInsensitive);
    case 'id':
      // Ids are indexed in a coded form, which a text of other case never is.
      return caseInsensitive ? NONE : { kind: 'ids', ids: [textOf(value)] };
    case 'none':
      if (field.type === 'rank_features') throw noTerms(field);
      return fieldNamed(textOf(value), context);
    case 'ip': {
      const network = typeof value === 'string' ? networkToTerms(value) : undefined;
      if (network !== undefined) return { kind: 'term_range', field: path, from: network[0], to: network[1] };
      // A point to Lucene, not a word: it scores a constant.
      const address = toTerm(field, value);
      return { kind: 'term_range', field: path, from: address, to: address };
    }
    case 'text':
    case 'keyword': {
      const term = field.family === 'text' ? textOf(value) : toTerm(field, value);
      if (caseInsensitive)
        return { kind: 'wildcard', field: path, pattern: term.replace(/[*?\\]/g, '\\$&'), caseInsensitive };
      return { kind: 'term', field: path, term };
    }
    case 'completion':
      return { kind: 'term', field: inputsPath(path), term: textOf(value) };
    case 'date':
      return rangeQuery(field.path, { gte: value, lte: value }, context);
    case 'range':
      return rangeQuery(field.path, { gte: value, lte: value }, context);
    case 'geo':
      throw queryShardError(
        `Geometry fields do not support exact searching, use dedicated geometry queries instead: [${path}]`,
        context.index,
      );
    default: {
      const number = exactNumber(field, value);
      if (number !== undefined)
        return {
          kind: 'numbers',
          field: path,
          values: [number],
          ...(field.family === 'boolean' ? { isBoolean: true } : {}),
        };
      return { kind: 'match_none', reason: `Value [${textOf(value)}] has a decimal part` };
    }
  }
}

/** The number to look for; undefined for a fraction in a whole field. @throws RequestError for a number out of range */
function exactNumber(field: MappedField, value: unknown): number | undefined {
  if (field.family === 'boolean') {
    if (value === true || value === 'true') return 1;
    if (value === false || value === 'false') return 0;
    throw illegalArgument(`Can't parse boolean value [${textOf(value)}], expected [true] or [false]`);
  }
  if (field.type === 'rank_feature') throw noTerms(field);
  if (typeof value === 'boolean') throw new NumberFormatError(`For input string: "${value}"`);
  const plain = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
  if (Number.isFinite(plain) && WHOLE.has(field.type) && !Number.isInteger(plain)) return undefined;
  return readNumber(field, value);
}

/** The types of whole numbers, by the type that their queries are read as (NumberFieldMapper.NumberType). */
const WHOLE: ReadonlyMap<string, string> = new Map([
  ['byte', 'integer'],
  ['short', 'integer'],
  ['integer', 'integer'],
  ['long', 'long'],
  ['_seq_no', 'long'],
]);

/** A number of a query. @throws RequestError where it lies beyond those of the type */
function readNumber(field: MappedField, value: unknown): number {
  try {
    return toNumber({ ...field, type: WHOLE.get(field.type) ?? field.type }, value);
  } catch (error) {
    if (field.type === '_seq_no') throw new NumberFormatError(`For input string: "${textOf(value)}"`);
    throw error;
  }
}

/** Documents with any of the values. */
export function termsQuery(name: string, values: readonly unknown[], context: QueryContext): Query {
  const field = context.mapping.field(name);
  if (field === undefined || values.length === 0) return NONE;
  refuseUnsearchable(field, context);
  if (field.family === 'constant') return constantTerms(field, values, context);
  if (field.family === 'id') return { kind: 'ids', ids: values.map(textOf) };
  if (field.type === 'rank_features') throw noTerms(field);
  if (field.family === 'none')
    return constant({ kind: 'boolean', should: values.map((value) => fieldNamed(textOf(value), context)) });
  if (['date', 'ip', 'geo', 'range', 'completion'].includes(field.family))
    return constant({ kind: 'boolean', should: values.map((value) => fieldTerm(field, value, context, false)) });
  if (isNumeric(field)) {
    const numbers = values.map((value) => exactNumber(field, value)).filter((number) => number !== undefined);
    return numbers.length === 0 ? NO_WHOLE : { kind: 'numbers', field: field.path, values: numbers, isSet: true };
  }
  return {
    kind: 'terms',
    field: field.path,
    terms: values.map((value) => (field.family === 'text' ? textOf(value) : toTerm(field, value))),
  };
}

const noTerms = ({ type }: MappedField): Error => illegalArgument(`Queries on [${type}] fields are not supported`);

/** Wraps a query so that every match scores 1. */
function constant(query: Query): Query {
  return { kind: 'constant_score', query };
}

/** The bounds of a range as requests write them. */
export interface RangeBounds {
  readonly gt?: unknown;
  readonly gte?: unknown;
  readonly lt?: unknown;
  readonly lte?: unknown;
  readonly format?: string;
  readonly timeZone?: string;
  /** How a field of ranges has to lie to this one; `intersects` by default, and the only one for other fields. */
  readonly relation?: RangesQuery['relation'];
}

const RANGELESS: readonly Family[] = ['none', 'id', 'completion', 'geo'];

/** Documents whose value lies in the range. */
export function rangeQuery(name: string, bounds: RangeBounds, context: QueryContext): Query {
  const low = bounds.gt ?? bounds.gte ?? undefined;
  const high = bounds.lt ?? bounds.lte ?? undefined;
  const openLow = bounds.gt !== undefined && bounds.gt !== null;
  const openHigh = bounds.lt !== undefined && bounds.lt !== null;
  const field = context.mapping.field(name);
  if (field === undefined) return NONE;
  const path = field.path;
  if (RANGELESS.includes(field.family) || field.type === 'rank_feature')
    throw illegalArgument(`Field [${path}] of type [${field.type}] does not support range queries`);
  if (!field.index) throw unsearchable(field);
  if (field.family === 'constant') return constantRange(field, { low, high, openLow, openHigh }, context);
  if (low === undefined && high === undefined) return existsQuery(name, context);
  switch (field.family) {
    case 'date': {
      const format = bounds.format === undefined ? field.format : dateFormat(bounds.format);
      const zone = bounds.timeZone === undefined ? undefined : timeZone(bounds.timeZone);
      // `lte` and `gt` round up to the end of the day, hour or minute.
      const read = (value: unknown, roundUp: boolean): number => {
        const instant = parseFineDateMath(dateText(value), format, { now: context.now, zone, roundUp });
        return hasNanos(field) ? nearestPlace(instant) : instant.millis;
      };
      return {
        kind: 'number_range',
        field: hasNanos(field) ? nanosPath(path) : path,
        ...(low === undefined ? {} : { from: read(low, openLow), includeFrom: !openLow }),
        ...(high === undefined ? {} : { to: read(high, !openHigh), includeTo: !openHigh }),
      };
    }
    case 'number':
    case 'boolean': {
      const read = (value: unknown): number => {
        if (field.family === 'boolean') return toNumber(field, value);
        const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
        if (Number.isNaN(number)) throw new NumberFormatError(`For input string: "${textOf(value)}"`);
        if (field.type !== 'scaled_float') readNumber(field, value);
        return number;
      };
      if (field.type === 'scaled_float') return scaledRange(field, { low, high, openLow, openHigh }, read);
      return {
        kind: 'number_range',
        field: path,
        ...(low === undefined ? {} : { from: read(low), includeFrom: !openLow }),
        ...(high === undefined ? {} : { to: read(high), includeTo: !openHigh }),
      };
    }
    case 'range':
      return {
        kind: 'ranges',
        field: path,
        bounds: readQueryBounds(field, {
          from: low,
          to: high,
          includeFrom: !openLow,
          includeTo: !openHigh,
          format: bounds.format,
          zone: bounds.timeZone === undefined ? undefined : timeZone(bounds.timeZone),
          now: context.now,
        }),
        relation: bounds.relation ?? 'intersects',
      };
    case 'ip': {
      const read = (value: unknown, upper: boolean): string =>
        (typeof value === 'string' ? networkToTerms(value)?.[upper ? 1 : 0] : undefined) ?? toTerm(field, value);
      return {
        kind: 'term_range',
        field: path,
        ...(low === undefined ? {} : { from: read(low, openLow), includeFrom: !openLow }),
        ...(high === undefined ? {} : { to: read(high, !openHigh), includeTo: !openHigh }),
      };
    }
    case 'text':
    case 'keyword': {
      checkExpensive(context, 'range', ' on [text] or [keyword] fields');
      const read = (value: unknown): string => (field.family === 'text' ? textOf(value) : toTerm(field, value));
      return {
        kind: 'term_range',
        field: path,
        ...(low === undefined ? {} : { from: read(low), includeFrom: !openLow }),
        ...(high === undefined ? {} : { to: read(high), includeTo: !openHigh }),
      };
    }
    default:
      throw illegalArgument(`Field [${path}] of type [${field.type}] does not support range queries`);
  }
}

/** What a range of dates is rewritten to: all values of the field may lie outside of it, or inside (RangeQueryBuilder.doRewrite). */
export function relatedRange(name: string, context: QueryContext, range: Query): Query {
  const { count, mapping } = context;
  const date = mapping.field(name);
  if (count === undefined || range.kind !== 'number_range' || date?.family !== 'date') return range;
  const { field, from, includeFrom = true, includeTo = true, to } = range;
  // Documents are counted, and the values of a nested field stand on their elements.
  const path = mapping.nestedPathOf(date.path);
  const finds = (bounds: Partial<NumberRangeQuery>): boolean => {
    const query: Query = { kind: 'number_range', field, ...bounds };
    return count(path === undefined ? query : { kind: 'nested', path, query, scoreMode: 'none' }) > 0;
  };
  const isBelow = from !== undefined && !finds({ from, includeFrom });
  const isAbove = to !== undefined && !finds({ to, includeTo });
  if (isBelow || isAbove) return NONE;
  const isCut =
    (from !== undefined && finds({ to: from, includeTo: !includeFrom })) ||
    (to !== undefined && finds({ from: to, includeFrom: !includeTo }));
  return isCut ? range : existsQuery(name, context);
}

/** A range of whole multiples of the unit. */
function scaledRange(
  { path, scalingFactor }: MappedField,
  { low, high, openLow, openHigh }: ConstantBounds,
  read: (value: unknown) => number,
): Query {
  const from = low === undefined ? undefined : read(low) * scalingFactor;
  const to = high === undefined ? undefined : read(high) * scalingFactor;
  const least = from === undefined ? undefined : openLow ? Math.floor(from) + 1 : Math.ceil(from);
  const most = to === undefined ? undefined : openHigh ? Math.ceil(to) - 1 : Math.floor(to);
  return {
    kind: 'number_range',
    field: path,
    ...(least === undefined ? {} : { from: least * (1 / scalingFactor), includeFrom: true }),
    ...(most === undefined ? {} : { to: most * (1 / scalingFactor), includeTo: true }),
  };
}

/** Documents that have the field, or any field below the object. */
export function existsQuery(name: string, context: QueryContext): Query {
  const { mapping } = context;
  const isObject = !name.includes('*') && mapping.object(name) !== undefined;
  const queries = fieldsLike(isObject ? `${name}.*` : name, context)
    .filter((field) => field.family !== 'none' || ['binary', 'rank_features'].includes(field.type) || isMetadata(field))
    .map((field) => fieldExists(field, isObject, context));
  if (queries.length === 0) return NONE;
  return queries.length === 1 && !isObject ? queries[0]! : constant({ kind: 'boolean', should: queries });
}

/** @param isPart whether it is asked as a part of an object */
function fieldExists(field: MappedField, isPart: boolean, context: QueryContext): Query {
  if (isMetadata(field)) return metadataExists(field, context);
  if (field.family === 'constant') return constantExists(field, context);
  if (field.type === 'prefix')
    throw failedQuery(`Cannot run exists query on [${field.path}]`, context.index, 'unsupported_operation_exception');
  if (field.type === 'rank_features') throw illegalArgument('[rank_features] fields do not support [exists] queries');
  // Without a column nothing says which documents have a count.
  if (field.type === 'token_count' && !field.docValues) return NONE;
  return { kind: 'exists', field: field.path, ...(isPart ? { isPart } : {}) };
}

function metadataExists(field: MappedField, context: QueryContext): Query {
  switch (field.type) {
    case '_source':
      throw queryShardError('The _source field is not searchable', context.index);
    case '_field_names':
      throw illegalArgument('Cannot run exists query on _field_names');
    case '_feature':
      throw failedQuery('Cannot run exists query on [_feature]', context.index, 'unsupported_operation_exception');
    case '_routing':
    case '_ignored':
      return { kind: 'exists', field: field.path };
    default:
      return constant({ kind: 'match_all' });
  }
}

/** The field for prefix, wildcard, regexp and fuzzy queries: terms of text; undefined when nothing is mapped. */
export function patternField(name: string, what: string, context: QueryContext): MappedField | undefined {
  const field = context.mapping.field(name);
  if (field === undefined) return undefined;
  if (field.family !== 'text' && field.family !== 'keyword' && field.type !== 'constant_keyword') {
    const which = what === 'prefix' || what === 'wildcard' ? 'keyword, text and wildcard' : 'keyword and text';
    const reason = `Can only use ${what} queries on ${which} fields - not on [${field.path}] which is of type [${field.type}]`;
    throw what === 'fuzzy' ? illegalArgument(reason) : queryShardError(reason, context.index);
  }
  if (!field.index) throw unsearchable(field);
  checkExpensive(context, what.replace('span_multi ', ''));
  return field;
}

/** Reads `rewrite`. */
export function readRewrite(value: unknown): Rewrite | undefined {
  if (value === undefined || value === null) return undefined;
  const text = textOf(value);
  if (text === 'constant_score' || text === 'constant_score_boolean' || text === 'scoring_boolean') return text;
  const top = /^top_terms_(blended_freqs_|boost_)?(\d+)$/.exec(text);
  if (top !== null)
    return {
      topTerms: Number(top[2]),
      ...(top[1] === 'boost_' ? { boostOnly: true } : {}),
      ...(top[1] === 'blended_freqs_' ? { blendsFrequencies: true } : {}),
    };
  throw failedQuery(`Failed to parse rewrite_method [${text}]`);
}

/** @throws RequestError for a fuzziness that cannot be read, before any field is known */
export function checkFuzziness(fuzziness: unknown): void {
  if (fuzziness === '') throw illegalArgument("fuzziness can't be null!");
  if (fuzziness !== undefined && typeof fuzziness !== 'string' && typeof fuzziness !== 'number')
    throw illegalArgument(`Can't parse fuzziness on token: [${tokenOf(fuzziness)}]`);
  if (typeof fuzziness !== 'string' || !/^AUTO:/i.test(fuzziness)) return;
  const [low = '', high, ...more] = fuzziness.slice(5).split(',');
  if (high === undefined || more.length > 0) throw parseException('failed to find low and high distance values');
  for (const each of [low, high]) asNumber(each, 'fuzziness');
}

/** Edits that a fuzziness allows for a term. */
export function editsFor(fuzziness: unknown, term: string): 0 | 1 | 2 {
  const text = textOf(fuzziness ?? 'AUTO');
  const auto = /^AUTO(?::(\d+),(\d+))?$/i.exec(text);
  if (auto !== null) {
    const length = Array.from(term).length;
    return length < Number(auto[1] ?? 3) ? 0 : length < Number(auto[2] ?? 6) ? 1 : 2;
  }
  const number = text.trim() === '' ? Number.NaN : Math.trunc(Number(text));
  if (Number.isNaN(number) || number < 0)
    throw illegalArgument(`Invalid fuzziness value: [${text}]; it is one of [0, 1, 2, AUTO, AUTO:low,high]`);
  return editsOf(number);
}

/** The edits that a number allows: two at most. */
export const editsOf = (number: number): 0 | 1 | 2 => (number >= 2 ? 2 : number >= 1 ? 1 : 0);

/** Options of fuzzy matching. */
export interface FuzzyOptions {
  readonly fuzziness: unknown;
  readonly prefixLength?: unknown;
  readonly maxExpansions?: unknown;
  readonly transpositions?: unknown;
  readonly rewrite?: Rewrite | undefined;
}

/** A fuzzy query for one term of a field. */
export function fuzzyTerm(field: string, term: string, options: FuzzyOptions): Query {
  const maxEdits = editsFor(options.fuzziness, term);
  const prefixLength = options.prefixLength === undefined ? 0 : asNumber(options.prefixLength, 'prefix_length');
  if (prefixLength < 0) throw failedQuery('prefixLength cannot be negative.');
  const query: FuzzyQuery = {
    kind: 'fuzzy',
    field,
    term,
    maxEdits,
    prefixLength,
    maxExpansions: options.maxExpansions === undefined ? 50 : asNumber(options.maxExpansions, 'max_expansions'),
    transpositions: options.transpositions === undefined || asBoolean(options.transpositions, 'transpositions'),
    ...(options.rewrite === undefined ? {} : { rewrite: options.rewrite }),
  };
  return query;
}
