// Terms near a term, scored as Lucene's FuzzyQuery: the nearest `maxExpansions` of them (then in byte order), each weighed by its
// nearness, all with the highest document frequency among them so that rare misspellings do not win.
import { checkTime } from '../request-budget.ts';
import { BooleanWeight } from './boolean.ts';
import { ConstantScoreWeight, MatchNoneWeight } from './constant.ts';
import { findNeighbours } from './edit-distance.ts';
import { compareTerms } from './multi-term.ts';
import type { FuzzyQuery } from './query.ts';
import type { Weight } from './scorer.ts';
import type { Statistics } from './statistics.ts';
import { TermWeight } from './term.ts';
import { visitPart } from './term-visits.ts';

const { fround } = Math;
const ASCII = /^[ -~]*$/;

export function fuzzyWeight(statistics: Statistics, query: FuzzyQuery, boost: number): Weight {
  const length = Array.from(query.term).length;
  const wanted = {
    term: query.term,
    maxEdits: query.maxEdits,
    prefixLength: Math.min(query.prefixLength ?? 0, length),
    transpositions: query.transpositions ?? true,
  };
  checkTime();
  const distances = new Map<string, number>();
  for (const segment of statistics.segments) {
    const postings = segment.core.terms(query.field)?.postings;
    if (postings === undefined) continue;
    // What a pattern costs a term, two edits cost for every 16 of the dictionary, where the text is ASCII; one edit next to nothing.
    visitPart(segment.core, query.field, postings.size, wanted.maxEdits < 2 ? 6 : ASCII.test(query.term) ? 4 : 1);
    for (const { ordinal, edits } of findNeighbours(postings, wanted)) distances.set(postings.term(ordinal), edits);
  }
  const candidates: { term: string; boost: number; docFreq: number }[] = [];
  for (const [term, edits] of distances) {
    const nearness = edits === 0 ? 1 : fround(1 - fround(edits / Math.min(Array.from(term).length, length)));
    // A term as short as its distance is worth nothing and not looked for (FuzzyTermsEnum).
    if (nearness <= 0) continue;
    const docFreq = statistics.docFreq(query.field, term);
    if (docFreq > 0) candidates.push({ term, boost: nearness, docFreq });
  }
  if (candidates.length === 0) return new MatchNoneWeight();
  candidates.sort((a, b) => b.boost - a.boost || compareTerms(a.term, b.term));
  const { rewrite = { topTerms: query.maxExpansions ?? 50, blended: true } } = query;
  const chosen = typeof rewrite === 'object' ? candidates.slice(0, rewrite.topTerms) : candidates;
  statistics.checkClauses(chosen.length);
  const isBlended = typeof rewrite === 'object' && rewrite.blended === true;
  const docFreq = isBlended ? Math.max(...chosen.map((candidate) => candidate.docFreq)) : undefined;
  const weights = chosen.map((candidate) => {
    const weighed = rewrite === 'constant_score' ? boost : fround(boost * candidate.boost);
    const weight = new TermWeight(statistics, query.field, candidate.term, weighed, docFreq);
    return typeof rewrite === 'object' && rewrite.boostOnly === true
      ? new ConstantScoreWeight(weight, weighed)
      : weight;
  });
  if (rewrite === 'constant_score') return new ConstantScoreWeight(anyOf(weights), boost);
  return anyOf(weights);
}

function anyOf(weights: readonly Weight[]): Weight {
  if (weights.length === 1) return weights[0]!;
  return new BooleanWeight({ must: [], filter: [], should: weights, mustNot: [], minimumShouldMatch: 1 });
}
