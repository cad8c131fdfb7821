// Lucene's MultiTermQuery: finds the terms of a segment that a prefix, pattern or range accepts, and makes a set of documents of them or,
// with a scoring rewrite, a disjunction.
import { emptyBits } from '../index/bits.ts';
import type { Postings } from '../index/postings.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { printPattern } from './lucene/print-words.ts';
import { LOOKUP_TICKS, tick } from '../tasks/request-budget.ts';
import { literalPrefix, type PatternMatcher, wildcardMatcher } from '../automaton/automaton.ts';
import { SetWeight } from './constant.ts';
import type { PrefixQuery, RegexpQuery, Rewrite, TermRangeQuery, WildcardQuery } from './kinds/patterns.ts';
import type { Query } from './query.ts';
import { regexpMatcher } from '../automaton/regexp.ts';
import { cacheSets } from './query-cache.ts';
import type { Weight } from './scorer.ts';
import type { Statistics } from './statistics.ts';
import { TermVisits } from './term-visits.ts';

/** Default maximum of states of a wildcard or regular expression. */
const MAX_STATES = 10_000;
const encoder = new TextEncoder();

/** One matcher per query, which counts its states; segments, fields and texts share it. */
const matchers = new WeakMap<WildcardQuery | RegexpQuery, PatternMatcher>();

/** The test of a pattern on whole terms. */
export function matcherOf(query: WildcardQuery | RegexpQuery): PatternMatcher {
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

/** Yields the ordinals of a dictionary that a query accepts, ascending. */
type TermFilter = (postings: Postings, visits: TermVisits) => Generator<number, void>;

/** Constant-score weight of a query over the terms of a field. */
export function multiTermWeight(
  statistics: Statistics,
  query: PrefixQuery | WildcardQuery | RegexpQuery | TermRangeQuery,
  boost: number,
): Weight {
  const accepts = termFilter(query);
  const find = (segment: SegmentView): Int32Array | undefined => {
    const postings = segment.core.terms(query.field)?.postings;
    if (postings === undefined) return undefined;
    let bits: Int32Array | undefined;
    for (const ordinal of accepts(postings, new TermVisits(segment.core, query.field))) {
      bits ??= emptyBits(segment.docCount);
      collectOrdinal(statistics, segment, query.field, ordinal, bits);
    }
    return bits;
  };
  return new SetWeight(
    `ConstantScore(${query.kind === 'term_range' ? query.field : printPattern(query)})`,
    boost,
    statistics.restricted ? cacheSets(query, find) : find,
  );
}

/** Adds a term's documents with the search's scratch cursor. */
function collectOrdinal(
  statistics: Statistics,
  segment: SegmentView,
  field: string,
  ordinal: number,
  bits: Int32Array,
): void {
  const found = segment.core.terms(field);
  if (found === undefined) return;
  const cursor = statistics.scratchCursor().open(found.postings, ordinal);
  const { docs } = cursor;
  for (let block = cursor.first; block < cursor.end; block++) {
    cursor.load(block);
    const { count } = cursor;
    for (let i = 0; i < count; i++) {
      const doc = docs[i]!;
      bits[doc >>> 5]! |= 1 << (doc & 31);
    }
  }
}

/** Constant-score weight of a set of terms. */
export function termsWeight(statistics: Statistics, field: string, terms: readonly string[], boost: number): Weight {
  return new SetWeight(`ConstantScore(${field}:(${terms.slice(0, 20).join(' ')}))`, boost, (segment) => {
    const postings = segment.core.terms(field)?.postings;
    if (postings === undefined) return undefined;
    let bits: Int32Array | undefined;
    for (const term of terms) {
      tick(LOOKUP_TICKS);
      const ordinal = postings.lookup(term);
      if (ordinal < 0) continue;
      bits ??= emptyBits(segment.docCount);
      collectOrdinal(statistics, segment, field, ordinal, bits);
    }
    return bits;
  });
}

function termFilter(query: PrefixQuery | WildcardQuery | RegexpQuery | TermRangeQuery): TermFilter {
  switch (query.kind) {
    case 'prefix': {
      if (query.caseInsensitive === true) {
        const pattern = `${query.prefix.replace(/[\\*?]/g, '\\$&')}*`;
        return patternFilter('', wildcardMatcher(pattern, true, MAX_STATES));
      }
      const { prefix } = query;
      return function* (postings, visits) {
        const [from, to] = prefixRange(postings, prefix);
        for (let ordinal = from; ordinal < to; ordinal++) {
          visits.visit(ordinal);
          yield ordinal;
        }
      };
    }
    case 'wildcard': {
      const matcher = matcherOf(query);
      return query.caseInsensitive === true
        ? patternFilter('', matcher)
        : patternFilter(literalPrefix(query.pattern, '*?\\'), matcher, longestLiteral(query.pattern));
    }
    case 'regexp': {
      // An operator binds the previous character, and alternatives may start differently: no prefix then.
      const plain = literalPrefix(query.pattern, '.?+*|{}[]()"\\#@&<>~');
      const prefix =
        query.caseInsensitive === true || query.pattern.includes('|') ? '' : Array.from(plain).slice(0, -1).join('');
      return patternFilter(prefix, matcherOf(query));
    }
    case 'term_range': {
      const { from, to } = query;
      return function* (postings, visits) {
        let ordinal = from === undefined ? 0 : postings.lowerBound(from);
        if (from !== undefined && query.includeFrom === false && postings.lookup(from) === ordinal) ordinal++;
        let end = to === undefined ? postings.size : postings.lowerBound(to);
        if (to !== undefined && query.includeTo !== false && postings.lookup(to) === end) end++;
        for (; ordinal < end; ordinal++) {
          visits.visit(ordinal);
          yield ordinal;
        }
      };
    }
  }
}

/** The longest literal part of a wildcard pattern. */
function longestLiteral(pattern: string): string {
  let longest = '';
  for (const [part] of pattern.matchAll(/(?:[^*?\\]|\\[^])+/gu)) {
    const literal = part.replaceAll(/\\([^])/gu, '$1');
    if (literal.length > longest.length) longest = literal;
  }
  return longest;
}

/** Cost of reading and matching a term, in ticks. */
const MATCH_STEPS = 512;
/** So many terms are filtered by the literal of a pattern before each is matched. */
const MANY = 256;

/** @param literal a text that every accepted term contains */
function patternFilter(prefix: string, matcher: PatternMatcher, literal = ''): TermFilter {
  return function* (postings, visits) {
    const [from, to] = prefixRange(postings, prefix);
    if (to - from >= MANY && literal.length > prefix.length) {
      visits.visitUpTo(from, to);
      for (const ordinal of postings.holding(encoder.encode(literal), from, to)) {
        tick(MATCH_STEPS);
        if (matcher.matches(postings.term(ordinal))) yield ordinal;
      }
      return;
    }
    for (let ordinal = from; ordinal < to; ordinal++) {
      visits.visit(ordinal);
      if (matcher.matches(postings.term(ordinal))) yield ordinal;
    }
  };
}

/** The ordinals of the terms with a prefix, as [first, end). */
export function prefixRange(postings: Postings, prefix: string): readonly [number, number] {
  if (prefix === '') return [0, postings.size];
  const bytes = encoder.encode(prefix);
  const from = postings.lowerBoundBytes(bytes, bytes.length);
  // UTF-8 has no byte 0xff: with it appended, the prefix sorts after all its continuations.
  const after = new Uint8Array(bytes.length + 1);
  after.set(bytes);
  after[bytes.length] = 0xff;
  return [from, postings.lowerBoundBytes(after, after.length)];
}

/** Accepted terms of at least one visible document, distinct and in byte order. */
function* visibleTerms(
  statistics: Statistics,
  field: string,
  accepts: TermFilter,
): Generator<{ readonly term: string; readonly docFreq: number }, void> {
  const lists = statistics.segments.map((segment) => {
    const postings = segment.core.terms(field)?.postings;
    if (postings === undefined) return undefined;
    const ordinals = accepts(postings, new TermVisits(segment.core, field));
    const first = ordinals.next();
    return { postings, ordinals, term: first.done === true ? undefined : postings.term(first.value) };
  });
  for (;;) {
    let least: string | undefined;
    for (const list of lists) {
      if (list?.term === undefined) continue;
      if (least === undefined || compareTerms(list.term, least) < 0) least = list.term;
    }
    if (least === undefined) return;
    for (const list of lists) {
      if (list?.term !== least) continue;
      const next = list.ordinals.next();
      list.term = next.done === true ? undefined : list.postings.term(next.value);
    }
    const docFreq = statistics.docFreq(field, least);
    if (docFreq > 0) yield { term: least, docFreq };
  }
}

/** Terms in the order of their UTF-8 bytes, which is that of their code points. */
export function compareTerms(left: string, right: string): number {
  return Buffer.compare(encoder.encode(left), encoder.encode(right));
}

/** Expands a query to a disjunction of its terms. */
export function expandTerms(
  statistics: Statistics,
  query: PrefixQuery | WildcardQuery | RegexpQuery,
  rewrite: Exclude<Rewrite, 'constant_score'>,
): Query {
  const { field } = query;
  const limit = typeof rewrite === 'object' ? rewrite.topTerms : Infinity;
  const terms: string[] = [];
  for (const { term } of visibleTerms(statistics, field, termFilter(query))) {
    // All terms are worth the same, so the first are the top ones.
    if (terms.length >= limit) break;
    terms.push(term);
    if (typeof rewrite !== 'object') statistics.checkClauses(terms.length);
  }
  const { blendsFrequencies, boostOnly } = typeof rewrite === 'object' ? rewrite : {};
  const docFreq =
    blendsFrequencies === true ? Math.max(...terms.map((term) => statistics.docFreq(field, term))) : undefined;
  const should = terms.map((term): Query => {
    const clause: Query = { kind: 'term', field, term, ...(docFreq === undefined ? {} : { docFreq }) };
    return boostOnly === true ? { kind: 'constant_score', query: clause } : clause;
  });
  const any: Query = should.length === 0 ? { kind: 'match_none', reason: EMPTY } : { kind: 'boolean', should };
  return rewrite === 'constant_score_boolean' ? { kind: 'constant_score', query: any } : any;
}

/** Lucene's reason for a disjunction without clauses. */
export const EMPTY = 'empty BooleanQuery';

/** The first terms that a pattern matches. */
export function expandPattern(
  statistics: Statistics,
  query: PrefixQuery | WildcardQuery | RegexpQuery | TermRangeQuery,
  limit: number,
): string[] {
  const terms: string[] = [];
  for (const { term } of visibleTerms(statistics, query.field, termFilter(query))) {
    terms.push(term);
    if (terms.length >= limit) break;
  }
  return terms;
}

/** The terms of the last position of `match_phrase_prefix`: the first with one of the prefixes. */
export function expandPrefixes(
  statistics: Statistics,
  field: string,
  prefixes: readonly string[],
  limit: number,
): readonly string[] {
  const terms = new Set<string>();
  for (const prefix of prefixes) {
    for (const { term } of visibleTerms(statistics, field, termFilter({ kind: 'prefix', field, prefix }))) {
      terms.add(term);
      if (terms.size >= limit) break;
    }
    // As in MultiPhrasePrefixQuery, each prefix gets at least one term.
    if (terms.size > limit) break;
  }
  return [...terms];
}
