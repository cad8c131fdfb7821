// Lucene's FuzzyQuery: the `maxExpansions` nearest terms (ties in byte order), boosted by similarity, all with the highest document
// frequency among them so that rare misspellings do not win.
import { checkTime } from '../tasks/request-budget.ts';
import { findNeighbours, type Neighbourhood } from './edit-distance.ts';
import { compareTerms, EMPTY } from './multi-term.ts';
import type { FuzzyQuery } from './kinds/patterns.ts';
import type { Query } from './query.ts';
import type { Statistics } from './statistics.ts';
import { visitPart } from './term-visits.ts';

const { fround } = Math;
const ASCII = /^[ -~]*$/;

/** A term near the one that is looked for. */
interface NearTerm {
  readonly term: string;
  /** How near it is. */
  readonly boost: number;
  readonly docFreq: number;
}

/** The nearest terms, as many as the query takes, in the order of their bytes. */
export function nearestTerms(query: FuzzyQuery, statistics: Statistics): readonly NearTerm[] {
  const { field, maxEdits, rewrite = { topTerms: query.maxExpansions ?? 50 } } = query;
  if (maxEdits === 0) {
    const docFreq = statistics.docFreq(field, query.term);
    return docFreq === 0 ? [] : [{ term: query.term, boost: 1, docFreq }];
  }
  const length = Array.from(query.term).length;
  const wanted = {
    term: query.term,
    maxEdits,
    prefixLength: Math.min(query.prefixLength ?? 0, length),
    transpositions: query.transpositions ?? true,
  };
  const distances = distancesOf(field, wanted, statistics);
  const candidates: NearTerm[] = [];
  for (const [term, edits] of distances) {
    // A term as short as its distance matches with boost 0.
    const boost = edits === 0 ? 1 : Math.max(0, fround(1 - fround(edits / Math.min(Array.from(term).length, length))));
    const docFreq = statistics.docFreq(field, term);
    if (docFreq > 0) candidates.push({ term, boost, docFreq });
  }
  candidates.sort((a, b) => b.boost - a.boost || compareTerms(a.term, b.term));
  const chosen = typeof rewrite === 'object' ? candidates.slice(0, rewrite.topTerms) : candidates;
  return chosen.sort((a, b) => compareTerms(a.term, b.term));
}

/** The terms of all segments near a text, visible or not, each with its edits. */
export function distancesOf(field: string, wanted: Neighbourhood, statistics: Statistics): ReadonlyMap<string, number> {
  checkTime();
  const distances = new Map<string, number>();
  for (const segment of statistics.segments) {
    const postings = segment.core.terms(field)?.postings;
    if (postings === undefined) continue;
    // Two edits cost per 16 terms of the dictionary what a pattern costs per term, if the text is ASCII; one edit costs almost nothing.
    visitPart(segment.core, field, postings.size, wanted.maxEdits < 2 ? 6 : ASCII.test(wanted.term) ? 4 : 1);
    for (const { ordinal, edits } of findNeighbours(postings, wanted)) distances.set(postings.term(ordinal), edits);
  }
  return distances;
}

/** Expands to a disjunction of the nearest terms. */
export function expandFuzzy(query: FuzzyQuery, statistics: Statistics): Query {
  const chosen = nearestTerms(query, statistics);
  if (chosen.length === 0) return { kind: 'match_none', reason: EMPTY };
  const { field, rewrite = { topTerms: 0, blendsFrequencies: true } } = query;
  statistics.checkClauses(chosen.length);
  const { blendsFrequencies, boostOnly } = typeof rewrite === 'object' ? rewrite : {};
  const docFreq = blendsFrequencies === true ? Math.max(...chosen.map((candidate) => candidate.docFreq)) : undefined;
  const isConstant = rewrite === 'constant_score' || rewrite === 'constant_score_boolean';
  const should = chosen.map(({ boost, term }): Query => {
    const own = isConstant || boost === 1 ? {} : { boost };
    const clause = { kind: 'term', field, term, ...(docFreq === undefined ? {} : { docFreq }) } as const;
    return boostOnly === true || boost === 0
      ? { kind: 'constant_score', query: clause, ...own }
      : { ...clause, ...own };
  });
  const any: Query = { kind: 'boolean', should };
  return isConstant ? { kind: 'constant_score', query: any } : any;
}
