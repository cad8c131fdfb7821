// A second opinion on queries: decides for one document at a time, straight from its fields, whether it matches and what it scores.
// No index, no iterators, no statistics but those counted on the spot.
import type { Query } from '../../src/query/query.ts';
import { bm25, inverseDocumentFrequency, inverseNorms, termWeight } from '../../src/query/bm25.ts';
import { encodeLength } from '../../src/index/small-float.ts';

/** A test document: words of a text field, keywords, numbers. */
export interface PlainDocument {
  readonly id: string;
  readonly text?: readonly string[];
  readonly title?: readonly string[];
  readonly tag?: readonly string[];
  readonly n?: readonly number[];
}

const similarity = { k1: 1.2, b: 0.75, scaleByK1: true };
const { fround } = Math;

type TextName = 'text' | 'title';

/** Answers queries by looking at every document. */
export class NaiveIndex {
  readonly documents: readonly PlainDocument[];

  constructor(documents: readonly PlainDocument[]) {
    this.documents = documents;
  }

  private words(document: PlainDocument, field: string): readonly string[] | undefined {
    if (field === 'text' || field === 'title') return document[field as TextName];
    if (field === 'tag' && document.tag !== undefined) return [...new Set(document.tag)];
    return undefined;
  }

  /** The weight of a term and the score function of its field. */
  private score(
    field: string,
    docFreq: number,
    boost: number,
    document: PlainDocument,
    frequency: number,
    idf?: number,
  ): number {
    let docCount = 0;
    let total = 0;
    for (const other of this.documents) {
      const words = this.words(other, field);
      if (words === undefined || words.length === 0) continue;
      docCount++;
      total += words.length;
    }
    const weight = termWeight(similarity, boost, idf ?? inverseDocumentFrequency(docFreq, docCount));
    const inverse = inverseNorms(similarity, { docCount, sumTotalTermFreq: total });
    const norm = field === 'tag' ? 1 : encodeLength(this.words(document, field)!.length);
    return bm25(weight, frequency, inverse[norm]!);
  }

  private docFreq(field: string, term: string): number {
    return this.documents.filter((document) => this.words(document, field)?.includes(term)).length;
  }

  private docCount(field: string): number {
    return this.documents.filter((document) => (this.words(document, field)?.length ?? 0) > 0).length;
  }

  /** The score of a document, or undefined when it does not match. */
  match(query: Query, document: PlainDocument, outer = 1): number | undefined {
    const boost = fround(outer * fround(query.boost ?? 1));
    const constant = (matches: boolean): number | undefined => (matches ? boost : undefined);
    switch (query.kind) {
      case 'match_all':
        return boost;
      case 'match_none':
        return undefined;
      case 'term': {
        const frequency = (this.words(document, query.field) ?? []).filter((word) => word === query.term).length;
        if (frequency === 0) return undefined;
        return this.score(query.field, this.docFreq(query.field, query.term), boost, document, frequency);
      }
      case 'terms':
        return constant(query.terms.some((term) => this.words(document, query.field)?.includes(term)));
      case 'prefix':
        return constant((this.words(document, query.field) ?? []).some((word) => word.startsWith(query.prefix)));
      case 'term_range': {
        const { from, to, includeFrom = true, includeTo = true } = query;
        return constant(
          (this.words(document, query.field) ?? []).some(
            (word) =>
              (from === undefined || (includeFrom ? word >= from : word > from)) &&
              (to === undefined || (includeTo ? word <= to : word < to)),
          ),
        );
      }
      case 'wildcard': {
        const pattern = new RegExp(`^${query.pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'u');
        return constant((this.words(document, query.field) ?? []).some((word) => pattern.test(word)));
      }
      case 'numbers':
        return constant(query.values.some((value) => document.n?.includes(value)));
      case 'number_range': {
        const { from = -Infinity, to = Infinity, includeFrom = true, includeTo = true } = query;
        return constant(
          (document.n ?? []).some(
            (value) => (includeFrom ? value >= from : value > from) && (includeTo ? value <= to : value < to),
          ),
        );
      }
      case 'exists':
        return constant(document[query.field as TextName | 'tag' | 'n'] !== undefined);
      case 'ids':
        return constant(query.ids.includes(document.id));
      case 'phrase': {
        const words = this.words(document, query.field) ?? [];
        let frequency = 0;
        for (let start = 0; start < words.length; start++) {
          if (query.terms.every((slot) => slot.terms.includes(words[start + slot.position]!))) frequency++;
        }
        if (frequency === 0) return undefined;
        let idf = 0;
        for (const slot of query.terms) {
          for (const term of slot.terms) {
            const docFreq = this.docFreq(query.field, term);
            if (docFreq > 0) idf += inverseDocumentFrequency(docFreq, this.docCount(query.field));
          }
        }
        return this.score(query.field, 0, boost, document, frequency, fround(idf));
      }
      case 'constant_score':
        return constant(this.match(query.query, document) !== undefined);
      case 'dis_max': {
        // DisjunctionMaxQuery.rewrite: to add up all scores is to ask for any of them.
        if (query.tieBreaker === 1) return this.match({ kind: 'boolean', should: query.queries }, document, boost);
        const scores = query.queries
          .map((inner) => this.match(inner, document, boost))
          .filter((score) => score !== undefined);
        if (scores.length === 0) return undefined;
        const best = Math.max(...scores);
        const others = scores.reduce((sum, score) => sum + score, 0) - best;
        return scores.length === 1 ? best : fround(best + others * fround(query.tieBreaker ?? 0));
      }
      case 'boosting': {
        const positive = this.match(query.positive, document, boost);
        if (positive === undefined || this.match(query.negative, document) === undefined) return positive;
        return fround(positive * fround(query.negativeBoost));
      }
      case 'boolean': {
        const { must = [], filter = [], mustNot = [] } = query;
        const should = flatten(query.should ?? [], query.minimumShouldMatch ?? 0);
        if (must.length + filter.length + should.length + mustNot.length === 0) return boost;
        const least = must.length + filter.length === 0 && should.length > 0 ? 1 : 0;
        const minimum = Math.max(query.minimumShouldMatch ?? least, least);
        if (mustNot.some((inner) => this.match(inner, document) !== undefined)) return undefined;
        if (filter.some((inner) => this.match(inner, document) === undefined)) return undefined;
        const required = joinEqual(must).map((inner) => this.match(inner, document, boost));
        if (required.includes(undefined)) return undefined;
        const clauses = minimum <= 1 ? joinEqual(should) : should;
        const optional = clauses
          .map((inner) => this.match(inner, document, boost))
          .filter((score) => score !== undefined);
        if (optional.length < minimum) return undefined;
        // Sums in double, rounded where Lucene's scorers round: all required together, then the optional part.
        const sum = (scores: readonly (number | undefined)[]): number =>
          scores.reduce<number>((total, score) => total + score!, 0);
        if (minimum === clauses.length && minimum > 0) return fround(sum([...required, ...optional]));
        return fround(fround(sum(required)) + fround(sum(optional)));
      }
      default:
        throw new Error(`The naive index has no ${query.kind}.`);
    }
  }
}

/** Disjunctions in a disjunction are one, as in Lucene's BooleanQuery.rewrite. */
function flatten(should: readonly Query[], minimum: number): readonly Query[] {
  if (minimum > 1) return should;
  return should.flatMap((clause) => {
    if ((clause.boost ?? 1) !== 1) return [clause];
    if (clause.kind === 'dis_max' && (clause.tieBreaker === 1 || clause.queries.length === 1))
      return flatten(clause.queries, 0);
    if (clause.kind !== 'boolean') return [clause];
    const { must = [], filter = [], mustNot = [], minimumShouldMatch = 0 } = clause;
    if (filter.length + mustNot.length > 0 || minimumShouldMatch > 1) return [clause];
    const inner = clause.should ?? [];
    if (must.length === 0 && inner.length > 0) return flatten(inner, 0);
    return must.length === 1 && inner.length === 0 ? flatten(must, 0) : [clause];
  });
}

/** Clauses that ask for the same term are one, their boosts added up, as in Lucene. */
function joinEqual(clauses: readonly Query[]): readonly Query[] {
  const rest: Query[] = [];
  for (const clause of clauses) {
    const at = rest.findIndex(
      (other) =>
        clause.kind === 'term' && other.kind === 'term' && other.field === clause.field && other.term === clause.term,
    );
    if (at < 0) rest.push(clause);
    else rest[at] = { ...rest[at]!, boost: fround(rest[at]!.boost ?? 1) + fround(clause.boost ?? 1) };
  }
  return rest;
}
