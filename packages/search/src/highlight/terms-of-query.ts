// Which words a query would mark in a text of one field: terms, patterns of terms, and phrases, read off the query tree.
import { type PatternMatcher, wildcardMatcher } from '../query/automaton.ts';
import { editDistance } from '../text/text-distance.ts';
import { compareTerms } from '../query/multi-term.ts';
import type { IntervalSource, Query, RegexpQuery, SpanSource, TermRangeQuery, WildcardQuery } from '../query/query.ts';
import { regexpMatcher } from '../query/regexp.ts';

/** What to mark in texts of a field. */
export interface Marks {
  /** Exact terms. */
  readonly terms: Set<string>;
  /** Tests on terms (prefixes, wildcards, fuzziness). */
  readonly patterns: ((term: string) => boolean)[];
  /** Spans, which are marked where they match. */
  readonly spans: SpanSource[];
  /** Runs of terms at these relative positions; the last may be a prefix. */
  readonly phrases: {
    readonly slots: readonly { readonly position: number; readonly terms: readonly string[] }[];
    readonly prefix: { readonly position: number; readonly texts: readonly string[] } | undefined;
    readonly slop: number;
  }[];
}

/** Whether a query marks nothing. */
export function isEmpty({ patterns, phrases, spans, terms }: Marks): boolean {
  return terms.size + patterns.length + phrases.length + spans.length === 0;
}

/** The test of a pattern on terms. */
export function patternTest(query: Query): (term: string) => boolean {
  const { patterns } = marksOf(query, () => true);
  return (term) => patterns.some((matches) => matches(term));
}

/** Collects what a query marks in a field. @param accepts whether a query on that field counts */
export function marksOf(query: Query, accepts: (field: string) => boolean): Marks {
  const marks: Marks = { terms: new Set(), patterns: [], spans: [], phrases: [] };
  walk(query, accepts, marks);
  return marks;
}

/** Made once a query: its states are counted each time, and fields and texts are many. */
const matchers = new WeakMap<WildcardQuery | RegexpQuery, PatternMatcher>();

function matcherOf(query: WildcardQuery | RegexpQuery): PatternMatcher {
  let found = matchers.get(query);
  if (found === undefined) {
    const { pattern } = query;
    const anyCase = query.caseInsensitive === true;
    found =
      query.kind === 'wildcard'
        ? wildcardMatcher(pattern, anyCase, MAX_STATES)
        : regexpMatcher(pattern, query.flags ?? 'ALL', anyCase, query.maxDeterminizedStates ?? MAX_STATES);
    matchers.set(query, found);
  }
  return found;
}

const MAX_STATES = 10_000;

function walk(query: Query, accepts: (field: string) => boolean, marks: Marks): void {
  const on = (field: string): boolean => accepts(field);
  switch (query.kind) {
    case 'term':
      if (on(query.field)) marks.terms.add(query.term);
      break;
    case 'synonym':
    case 'terms':
      if (on(query.field)) for (const term of query.terms) marks.terms.add(term);
      break;
    case 'blended':
      for (const { field, term } of query.words) if (on(field)) marks.terms.add(term);
      break;
    case 'phrase':
      if (!on(query.field)) break;
      marks.phrases.push({ slots: query.terms, prefix: query.prefix, slop: query.slop ?? 0 });
      break;
    case 'intervals':
      walkSource(query.source, accepts, marks);
      break;
    case 'span':
      if (query.source.kind === 'term') {
        if (accepts(query.source.field)) marks.terms.add(query.source.term);
      } else marks.spans.push(query.source);
      break;
    case 'term_range':
      if (on(query.field)) marks.patterns.push(rangeTest(query));
      break;
    case 'prefix': {
      const { prefix, caseInsensitive } = query;
      const lower = prefix.toLowerCase();
      if (on(query.field)) {
        marks.patterns.push((term) =>
          caseInsensitive === true ? term.toLowerCase().startsWith(lower) : term.startsWith(prefix),
        );
      }
      break;
    }
    case 'wildcard':
      if (on(query.field)) {
        const matcher = matcherOf(query);
        marks.patterns.push((term) => matcher.matches(term));
      }
      break;
    case 'regexp':
      if (on(query.field)) {
        const matcher = matcherOf(query);
        marks.patterns.push((term) => matcher.matches(term));
      }
      break;
    case 'fuzzy': {
      const { term: wanted, maxEdits, prefixLength = 0, transpositions = true } = query;
      if (on(query.field)) {
        marks.patterns.push(
          (term) =>
            term.startsWith(wanted.slice(0, prefixLength)) &&
            editDistance(wanted, term, maxEdits, transpositions) <= maxEdits,
        );
      }
      break;
    }
    case 'boolean':
      for (const each of [...(query.must ?? []), ...(query.filter ?? []), ...(query.should ?? [])])
        walk(each, accepts, marks);
      break;
    case 'constant_score':
    case 'function_score':
    case 'nested':
      walk(query.query, accepts, marks);
      break;
    case 'dis_max':
    case 'covering':
      for (const each of query.queries) walk(each, accepts, marks);
      break;
    case 'boosting':
      walk(query.positive, accepts, marks);
      break;
    default:
      break;
  }
}

/** Terms in a range, in the order of their bytes. */
function rangeTest({ from, to, includeFrom, includeTo }: TermRangeQuery): (term: string) => boolean {
  return (term) => {
    const above = from === undefined ? 1 : compareTerms(term, from);
    const below = to === undefined ? -1 : compareTerms(term, to);
    return (above > 0 || (above === 0 && includeFrom !== false)) && (below < 0 || (below === 0 && includeTo !== false));
  };
}

/** Marks the words of the intervals, not those that they are compared with. */
function walkSource(source: IntervalSource, accepts: (field: string) => boolean, marks: Marks): void {
  if (source.kind === 'pattern') walk(source.query, accepts, marks);
  else if (source.kind === 'terms') {
    if (accepts(source.field)) for (const term of source.terms) marks.terms.add(term);
  } else if ('sources' in source) for (const each of source.sources) walkSource(each, accepts, marks);
  else if ('source' in source) walkSource(source.source, accepts, marks);
}
