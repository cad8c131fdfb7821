// One term, terms that mean the same, and terms of several fields that share their frequency.
import { javaFloat } from '../../json/java-values.ts';
import { shownPath } from '../../mapping/completion.ts';
import { printTerm } from '../../mapping/field-type.ts';
import { expandBlended, expandBlendedBy } from '../blended.ts';
import { fixed, scored } from '../lucene/lucene-query.ts';
import type { QueryNode } from '../query.ts';
import { LEAF, type QueryKind } from '../query-kind.ts';
import { SynonymWeight, TermWeight } from '../term.ts';
import type { Json } from '../../json/json.ts';
import type { ClusterCompiler } from '../cluster/cluster-compiler.ts';
import { MATCH_NONE, alternatives, anyOf, constant, valueOf } from '../cluster/leaves.ts';
import { BM25, filters, RED } from '../cluster/on-cluster.ts';
import { rewritten } from '../cluster/verdict.ts';

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
  /** Words of more documents only weigh: a number from 1 on, below it a share of all documents. */
  readonly cutoff?: number;
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
  cluster: {
    ...BM25,
    compile: ({ docFreq, field, term: word }, at) => compileWords(field, [word], docFreq, at),
    samples: { sent: [RED, { kind: 'term', field: 'tag', term: 'red' }] },
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
  cluster: {
    ...BM25,
    compile: ({ field, terms }, at) => compileWords(field, terms, undefined, at),
    samples: { sent: [{ kind: 'synonym', field: 'text', terms: ['red', 'fox'] }] },
  },
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
  cluster: {
    ...filters(rewritten('dis_max of terms that share the frequency that they have in visible documents')),
    compile: (query, at) =>
      query.cutoff !== undefined
        ? at.refuse(query)
        : at.isFilter
          ? anyOf(query.words.map(({ field, term: word }) => at.filter({ kind: 'term', field, term: word })))
          : at.scored({ ...expandBlendedBy(query, at.statistics), boost: 1 }),
    samples: {
      sent: [
        {
          kind: 'blended',
          words: [
            { field: 'text', term: 'red' },
            { field: 'tag', term: 'red' },
          ],
        },
      ],
    },
  },
};

/** One term, or several that count as one. */
function compileWords(
  path: string,
  terms: readonly string[],
  givenDocFreq: number | undefined,
  at: ClusterCompiler,
): Json {
  const field = at.fields.field(path);
  if (field === undefined) return MATCH_NONE;
  const values = terms.map((each) => valueOf(field, each));
  const leaf = (value: string, boost = 1): Json => ({ term: { [path]: { value, boost } } });
  if (at.isFilter || field.family === 'ip')
    return at.shown(path, anyOf(values.map((value) => constant(leaf(value), at))));
  const { statistics } = at;
  const docFreq = givenDocFreq ?? Math.max(0, ...terms.map((each) => statistics.docFreq(path, each)));
  return at.scoredBy(field, [docFreq], 1, (boost) =>
    alternatives(
      values.map((value) => leaf(value, boost)),
      at,
    ),
  );
}
