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
import { searchError } from '../../errors/search-errors.ts';
import type { Json } from '../../json/json.ts';
import type { ClusterCompiler } from '../cluster/cluster-compiler.ts';
import { isUnspeakable, textsOf, WORDS_ANALYZER } from '../cluster/cluster-words.ts';
import { alternatives, anyOf, MATCH_NONE } from '../cluster/leaves.ts';
import { both } from '../cluster/on-cluster.ts';
import { limited } from '../cluster/verdict.ts';

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
  cluster: {
    ...both(
      limited(
        'phrases without a prefix and with 64 combinations of alternatives at most; with alternatives and slop only as a filter',
        'a prefix takes the first terms of all documents; a sloppy phrase counts alternatives that only hidden documents hold',
      ),
    ),
    compile: compileOnCluster,
    samples: {
      sent: [
        { kind: 'phrase', field: 'text', terms: [slot(0, 'red'), slot(1, 'fox')], slop: 1 },
        { kind: 'phrase', field: 'text', terms: [slot(0, 'red', 'brown'), slot(2, 'fox')] },
      ],
      filters: [{ kind: 'phrase', field: 'text', terms: [slot(0, 'red', 'brown'), slot(1, 'fox')], slop: 1 }],
      refused: [
        { kind: 'phrase', field: 'text', terms: [slot(0, 'red'), slot(0, 'fox')] },
        { kind: 'phrase', field: 'text', terms: [slot(0, 'red')], prefix: { position: 1, texts: ['f'] } },
        { kind: 'phrase', field: 'text', terms: [], prefix: { position: 0, texts: ['f'] } },
      ],
    },
  },
};

function slot(position: number, ...terms: readonly string[]): PhraseQuery['terms'][number] {
  return { position, terms };
}

/** Combinations of alternatives of a phrase on a cluster, each of which is a phrase of its own. */
const MOST_PHRASES = 64;

/** Words that the positions of a phrase are apart at most; each is a word of the text that is sent. */
const MOST_GAP = 1024;

/** Whether the words of a phrase stand one after another, as those of a text do. */
function areApart(slots: PhraseQuery['terms']): boolean {
  return slots.every(({ position }, at) => {
    const gap = position - (slots[at - 1]?.position ?? position - 1);
    return gap >= 1 && gap <= MOST_GAP;
  });
}

function compileOnCluster(query: PhraseQuery, at: ClusterCompiler): Json {
  const { field: path, prefix, slop = 0, terms: slots } = query;
  const field = at.fields.field(path);
  if (field === undefined || (slots.length === 0 && prefix === undefined)) return MATCH_NONE;
  const count = slots.reduce((product, { terms }) => product * terms.length, 1);
  const words = slots.flatMap(({ terms }) => terms);
  const isOneForm = count === 1 || (slop === 0 && slots.length > 1);
  if (prefix !== undefined || count > MOST_PHRASES || !(isOneForm || at.isFilter || slots.length === 1))
    at.refuse(query);
  if (words.some(isUnspeakable) || !areApart(slots)) at.refuse(query);
  if (slots.length === 1) return anyOf(words.map((term) => at.scored({ kind: 'term', field: path, term })));
  if (field.family !== 'text' || !field.positions) throw searchError('SEARCH_NO_POSITIONS', { field: path });
  const texts = textsOf(slots);
  const phrases = (boost: number): readonly Json[] =>
    texts.map((text) => ({ match_phrase: { [path]: { query: text, analyzer: WORDS_ANALYZER, slop, boost } } }));
  if (at.isFilter) return at.shown(path, anyOf(phrases(1)));
  const { statistics } = at;
  const docFreqs = words.map((word) => statistics.docFreq(path, word));
  return at.scoredBy(field, docFreqs, slots.length, (boost) => alternatives(phrases(boost), at));
}
