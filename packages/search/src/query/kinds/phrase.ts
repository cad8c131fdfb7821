// Terms in order.
import { BooleanWeight } from '../boolean.ts';
import { MatchNoneWeight } from '../constant.ts';
import { scored } from '../lucene/lucene-query.ts';
import { printPhrase } from '../lucene/print-words.ts';
import { expandPrefixes } from '../multi-term.ts';
import { PhraseWeight } from '../phrase.ts';
import type { QueryNode } from '../query.ts';
import { LEAF, type QueryKind } from '../query-kind.ts';
import { TermWeight } from '../term.ts';

/** Occurrences of the terms in order. Scored by BM25 with the phrase's frequency. */
export interface PhraseQuery extends QueryNode {
  readonly kind: 'phrase';
  readonly field: string;
  /** Each entry: the alternatives allowed at one position (relative; gaps allowed; ascending). */
  readonly terms: readonly { readonly position: number; readonly terms: readonly string[] }[];
  /** How far the terms may be moved, in positions; 0 by default. */
  readonly slop?: number;
  /** `match_phrase_prefix`: the last position holds any term with one of these prefixes, at most `maxExpansions` (50) of them. */
  readonly prefix?: { readonly position: number; readonly texts: readonly string[]; readonly maxExpansions?: number };
}

export const phrase: QueryKind<PhraseQuery> = {
  ...LEAF,
  clauses: (query) =>
    query.terms.reduce((total, slot) => total + slot.terms.length, query.prefix === undefined ? 0 : 1),
  mark: (query, visitor) => visitor.phrase(query),
  caching: () => 'none',
  compile(query, { boost, statistics }) {
    const slots = [...query.terms];
    if (query.prefix !== undefined) {
      const { position, texts, maxExpansions = 50 } = query.prefix;
      const terms = expandPrefixes(statistics, query.field, texts, maxExpansions);
      if (terms.length === 0) return new MatchNoneWeight();
      slots.push({ position, terms });
    }
    const [first] = slots;
    if (first === undefined) return new MatchNoneWeight();
    if (slots.length > 1) return new PhraseWeight(statistics, query.field, slots, query.slop ?? 0, boost);
    const weights = first.terms.map((term) => new TermWeight(statistics, query.field, term, boost));
    const [only] = weights;
    if (weights.length === 1 && only !== undefined) return only;
    return new BooleanWeight({ must: [], filter: [], should: weights, mustNot: [], minimumShouldMatch: 1 });
  },
  lucene(source) {
    const [first] = source.terms;
    if (source.terms.length === 1 && first?.terms.length === 1 && source.prefix === undefined)
      return scored(source, `${source.field}:${first.terms[0]}`, 'no matching term', source.field);
    return scored(source, printPhrase(source), 'no matching terms');
  },
};
