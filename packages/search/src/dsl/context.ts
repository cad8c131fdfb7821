// What a query is read against: the mapping of one index and the moment of the request.
import { isProductError } from '@lockstitch/kernel';
import { searchError } from '../errors/search-errors.ts';
import { parseRegexp } from '../automaton/regexp.ts';
import { failedQuery, illegalArgument } from '../errors/request-error.ts';
import type { Query } from '../query/query.ts';
import type { MappedField } from '../mapping/field-type.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { METADATA_FIELDS } from '../mapping/metadata-fields.ts';
import { globMatches } from '../text/glob.ts';
import { hashCapacity, entriesInHashOrder } from '../text/java-order.ts';

/** The surroundings of a query. */
export interface QueryContext {
  readonly index: string;
  readonly mapping: Mapping;
  /** Milliseconds since 1970: what `now` means. */
  readonly now: number;
  /** Whether `index.query.default_field` names fields; `*` by default. */
  readonly defaultField: readonly string[];
  /** Whether query strings forgive values that do not fit their field (`index.query_string.lenient`); they do not by default. */
  readonly queryStringLenient?: boolean | undefined;
  /** The indices that an alias or wildcard in `_index` queries may name besides the index itself. */
  readonly aliases: readonly string[];
  /** Characters of a regular expression at most (`index.max_regex_length`); 1,000 by default. */
  readonly maxRegexLength?: number | undefined;
  /** Whether queries that may take long are answered (`search.allow_expensive_queries`); they are by default. */
  readonly allowsExpensive?: boolean | undefined;
  /** Leaves of one query at most (`indices.query.bool.max_clause_count`); 1,024 by default. */
  readonly maxClauses?: number | undefined;
  /** The leaves read so far, for the query that is being read. */
  readonly clauses?: { count: number } | undefined;
  /** Whether the query is read for its mistakes only: no field is known, and what a shard would refuse is left to it. */
  readonly parsesOnly?: boolean | undefined;
  /**
   * Counts what a query finds, where the query is printed or explained: Elasticsearch rewrites ranges of dates by the values that a shard
   * has. Absent where it is only run, as the answer is the same.
   */
  readonly count?: ((query: Query) => number) | undefined;
  /** Looks a document up for a terms lookup; absent where lookups are not possible. */
  readonly lookup?: ((index: string, id: string) => unknown) | undefined;
}

/**
 * The fields that a name or pattern stands for, metadata fields among them, in the order in which Elasticsearch visits them: that of a
 * HashSet made of a HashMap.
 */
export function fieldsLike(pattern: string, { mapping }: QueryContext): readonly MappedField[] {
  if (!pattern.includes('*')) return mapping.matching(pattern);
  const metadata = [...METADATA_FIELDS.values()].filter(({ path }) => globMatches(pattern, path));
  const found = new Map([...metadata, ...mapping.matching(pattern)].map((field) => [field.path, field]));
  const all = hashCapacity(mapping.fields.size + METADATA_FIELDS.size);
  return entriesInHashOrder(entriesInHashOrder(found, all)).map(([, field]) => field);
}

const BY_PREFIXES = ' For optimised prefix queries on text fields please enable [index_prefixes].';

/** @param kind of query, as errors name it @throws RequestError where the cluster's settings refuse queries that may take long */
export function checkExpensive(context: QueryContext, kind: string, where = ''): void {
  if (context.allowsExpensive !== false) return;
  const what = `[${kind}] queries${where}`;
  const { message, hint } = searchError('SEARCH_EXPENSIVE', { what, remedy: kind === 'prefix' ? BY_PREFIXES : '' });
  throw failedQuery(message, undefined, 'exception', hint === undefined ? {} : { hint });
}

/** @throws RequestError for a regular expression that is longer than the index allows */
export function checkRegexLength(context: QueryContext, pattern: string): void {
  const { maxRegexLength = 1000 } = context;
  if (pattern.length > maxRegexLength)
    throw illegalArgument(
      `The length of regex [${pattern.length}] used in the Regexp Query request has exceeded the allowed maximum of [${maxRegexLength}]. This maximum can be set by changing the [index.max_regex_length] index level setting.`,
    );
}

/** What flags of regular expressions may say. */
const REGEXP_FLAGS = ['INTERSECTION', 'COMPLEMENT', 'EMPTY', 'ANYSTRING', 'INTERVAL', 'NONE', 'ALL'];

/** @throws RequestError for flags of regular expressions that there are not */
export function checkRegexpFlags(flags: string): void {
  // What stands behind `ALL` is not looked at.
  const read = flags.toUpperCase().split('|');
  const looked = read.includes('ALL') ? read.slice(0, read.indexOf('ALL')) : read;
  const unknown = looked.find((flag) => flag !== '' && !REGEXP_FLAGS.includes(flag));
  if (unknown !== undefined) throw illegalArgument(`Unknown regexp flag [${unknown}]`, { phase: false });
}

/** @throws RequestError for a regular expression that cannot be read */
export function checkRegexp(pattern: string, flags: string): void {
  try {
    parseRegexp(pattern, flags, false, MAX_STATES);
  } catch (error) {
    if (isProductError(error) && error.code === 'SEARCH_PATTERN_SYNTAX') throw failedQuery(error.message);
    throw error;
  }
}

/** @throws RequestError for a pattern that has more states than the query allows */
export function checkStates(compile: () => unknown, context: QueryContext): void {
  try {
    compile();
  } catch (error) {
    if (isProductError(error) && error.code === 'SEARCH_PATTERN_TOO_COMPLEX')
      throw failedQuery(error.message, context.index, 'too_complex_to_determinize_exception');
    throw error;
  }
}

/** States of a regular expression that is only read. */
const MAX_STATES = 10_000;

/**
 * Counts leaves while a query is read: what is far too large ends before it is built. The exact count is the compiler's.
 *
 * @throws ProductError `SEARCH_TOO_MANY_CLAUSES`
 */
export function countClauses(context: QueryContext, count: number): void {
  const { clauses, maxClauses = 1024 } = context;
  if (clauses === undefined) return;
  clauses.count += count;
  if (clauses.count > maxClauses) throw searchError('SEARCH_TOO_MANY_CLAUSES', { limit: maxClauses });
}
