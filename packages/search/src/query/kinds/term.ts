// One term, terms that mean the same, and terms of several fields that share their frequency.
import { javaFloat } from '../../json/java-values.ts';
import { shownPath } from '../../mapping/completion.ts';
import { printTerm } from '../../mapping/field-type.ts';
import { expandBlended } from '../blended.ts';
import { fixed, scored } from '../lucene/lucene-query.ts';
import type { QueryNode } from '../query.ts';
import { LEAF, type QueryKind } from '../query-kind.ts';
import { SynonymWeight, TermWeight } from '../term.ts';

/** One term of a text or keyword field, scored by BM25. */
export interface TermQuery extends QueryNode {
  readonly kind: 'term';
  readonly field: string;
  readonly term: string;
  /** Replaces the document frequency of the term in the score. */
  readonly docFreq?: number;
}

/** Terms at one position that mean the same: scored as if they were one term (Lucene's SynonymQuery). */
export interface SynonymQuery extends QueryNode {
  readonly kind: 'synonym';
  readonly field: string;
  readonly terms: readonly string[];
}

/**
 * Terms of several fields that share their document frequency (Lucene's BlendedTermQuery, for `cross_fields`). The best one counts, plus
 * `tieBreaker` times the others.
 */
export interface BlendedQuery extends QueryNode {
  readonly kind: 'blended';
  readonly words: readonly { readonly field: string; readonly term: string; readonly boost?: number }[];
  /** 0 by default. */
  readonly tieBreaker?: number;
}

export const term: QueryKind<TermQuery> = {
  ...LEAF,
  mark: (query, visitor) => visitor.terms(query.field, [query.term]),
  caching: () => 'cheap',
  compile: (query, { boost, statistics }) => new TermWeight(statistics, query.field, query.term, boost, query.docFreq),
  lucene(source, { types }) {
    const field = types.field(source.field);
    if (field?.family !== 'ip')
      return scored(source, `${shownPath(source.field)}:${source.term}`, 'no matching term', shownPath(source.field));
    const ip = printTerm(field, source.term);
    return fixed(source, `${source.field}:[${ip} TO ${ip}]`, { field: source.field });
  },
};

export const synonym: QueryKind<SynonymQuery> = {
  ...LEAF,
  clauses: (query) => query.terms.length,
  mark: (query, visitor) => visitor.terms(query.field, query.terms),
  caching: () => 'cheap',
  expand: ({ field, terms }) => (terms.length === 1 ? { kind: 'term', field, term: terms[0]! } : undefined),
  compile: ({ field, terms }, { boost, statistics }) =>
    terms.length === 1
      ? new TermWeight(statistics, field, terms[0]!, boost)
      : new SynonymWeight(statistics, field, terms, boost),
  lucene: (source) =>
    scored(source, `Synonym(${source.terms.map((each) => `${source.field}:${each}`).join(' ')})`, 'no matching term'),
};

export const blended: QueryKind<BlendedQuery> = {
  ...LEAF,
  clauses: (query) => query.words.length,
  mark(query, visitor) {
    for (const word of query.words) visitor.terms(word.field, [word.term]);
  },
  caching: () => 'cheap',
  expand: expandBlended,
  compile: (query, at) => at.build(expandBlended(query, at.statistics)),
  lucene(source) {
    const terms = source.words.map((word) => {
      const { boost = 1 } = word;
      return `${word.field}:${word.term}${boost === 1 ? '' : `^${javaFloat(boost)}`}`;
    });
    return scored(source, `blended(terms:[${terms.join(', ')}])`, '');
  },
};
