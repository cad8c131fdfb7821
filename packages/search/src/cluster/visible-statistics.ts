// The statistics behind scores, of the visible documents of an index on a cluster. A query is compiled to find out which numbers its scores
// need; one request without hits brings those that are not known yet; then it is compiled again. They count live documents of the view, so
// neither hidden nor deleted documents, merges, copies nor shards move a score.
import { isObject, type Json } from '../json/json.ts';
import type { Frequencies } from '../query/blended.ts';
import type { FieldStatistics } from '../query/bm25.ts';

/** How the values of a field are counted on the cluster, each where the field is visible. */
export interface Counting {
  /** The visible documents. */
  readonly rows: Json;
  /** The documents with a value. */
  present(field: string): Json;
  /** An aggregation of the number of words of a field, over the documents with a value. */
  words(field: string): Json;
  /** The documents with a term. */
  holding(field: string, term: string): Json;
}

/** Terms that are known at most; a hundred bytes each. */
const MOST_TERMS = 10_000;

/** The numbers of one view at one state of an index, as far as searches asked for them. */
export class KnownStatistics {
  readonly fields = new Map<string, FieldStatistics>();
  readonly terms = new Map<string, number>();
  documents: number | undefined;

  /** Makes room for the terms of a search. */
  trim(): void {
    if (this.terms.size > MOST_TERMS) this.terms.clear();
  }
}

/** The numbers of one search: those that are known, and a list of the others. */
export class NeededStatistics implements Frequencies {
  readonly #known: KnownStatistics;
  readonly #fields = new Set<string>();
  readonly #terms = new Map<string, readonly [field: string, term: string]>();
  #needsDocuments = false;

  constructor(known: KnownStatistics) {
    this.#known = known;
  }

  field(field: string): FieldStatistics {
    const known = this.#known.fields.get(field);
    if (known === undefined) this.#fields.add(field);
    return known ?? { docCount: 1, sumTotalTermFreq: 1 };
  }

  docFreq(field: string, term: string): number {
    const key = `${field}\0${term}`;
    const known = this.#known.terms.get(key);
    if (known === undefined) this.#terms.set(key, [field, term]);
    return known ?? 1;
  }

  documents(): number {
    const known = this.#known.documents;
    if (known === undefined) this.#needsDocuments = true;
    return known ?? 1;
  }

  /** Whether all numbers that were asked for are known. */
  get isComplete(): boolean {
    return this.#fields.size === 0 && this.#terms.size === 0 && !this.#needsDocuments;
  }

  /** The request for those that are not. */
  request(counting: Counting): Json {
    const fields = [...this.#fields].map((field, at): [string, Json] => [
      `field ${at}`,
      { filter: counting.present(field), aggs: { words: counting.words(field) } },
    ]);
    const terms = [...this.#terms.values()].map(([field, term], at): [string, Json] => [
      `term ${at}`,
      { filter: counting.holding(field, term) },
    ]);
    return {
      size: 0,
      track_total_hits: this.#needsDocuments,
      query: { bool: { filter: [counting.rows] } },
      aggs: Object.fromEntries([...fields, ...terms]),
    };
  }

  /** Reads the answer. */
  learn(answer: Json): void {
    const { documents, fields, terms } = this.#known;
    if (documents === undefined && this.#needsDocuments)
      this.#known.documents = numberOf(memberOf(memberOf(answer, 'hits'), 'total'), 'value');
    if (this.#fields.size + this.#terms.size === 0) return;
    const found = memberOf(answer, 'aggregations');
    for (const [at, field] of [...this.#fields].entries()) {
      const bucket = memberOf(found, `field ${at}`);
      const sumTotalTermFreq = numberOf(memberOf(bucket, 'words'), 'value');
      fields.set(field, { docCount: numberOf(bucket, 'doc_count'), sumTotalTermFreq });
    }
    for (const [at, key] of [...this.#terms.keys()].entries())
      terms.set(key, numberOf(memberOf(found, `term ${at}`), 'doc_count'));
  }
}

function memberOf(json: Json, name: string): Json {
  const value = json[name];
  if (!isObject(value)) throw new TypeError(`the answer of the cluster lacks "${name}"`);
  return value;
}

function numberOf(json: Json, name: string): number {
  const value = json[name];
  if (typeof value !== 'number') throw new TypeError(`the answer of the cluster lacks the number "${name}"`);
  return value;
}
